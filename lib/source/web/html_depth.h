#ifndef OG_SOURCE_WEB_HTML_DEPTH_H
#define OG_SOURCE_WEB_HTML_DEPTH_H

/*   in:  the tags of a page, in order            (lib/source/web/html_tags.h)
 *   out: which of them would nest too deep       (lib/source/web/html_reduce.h)
 *
 * For many tags the parser searches the open elements, so a page of 100,000
 * nested boxes would take quadratic time. As in browsers, boxes beyond a depth
 * that no page needs are dropped and their content is kept. */

#include "lib/source/web/html_tags.h"

/* Browsers allow 512; the deepest of 660 pages of all kinds has 51. */
#define OG_HTML_MAX_DEPTH 512

enum og_html_kind {
    OG_HTML_ORDINARY,
    OG_HTML_BLOCK,
    OG_HTML_FORMATTING,
    OG_HTML_BARRIER, /* a block that hides what is outside it */
    OG_HTML_VOID,    /* never open, or closed by others: not counted */
    OG_HTML_RAW,     /* its content is not markup */
};

enum og_html_kind og_html_kind_of(GumboTag name);

struct og_html_open {
    uint16_t name;
    uint8_t kind;
    uint32_t hash;
};

/* Begins as zeros. */
struct og_html_depth {
    struct og_html_open stack[OG_HTML_MAX_DEPTH];
    int depth;
    int n_foreign; /* math that is open */
};

/* False: drop the tag. */
bool og_html_depth_take(struct og_html_depth *d, const struct og_html_tag *tag);

#endif
