#ifndef OG_SOURCE_WEB_HTML_TAGS_H
#define OG_SOURCE_WEB_HTML_TAGS_H

/*   in:  the bytes of an HTML page
 *   out: its tags and their attributes (lib/source/web/html_reduce.h)
 *
 * A tokeniser for the tags of HTML: quotes inside them, comments and
 * declarations are skipped as the standard says. It allocates no memory. */

#include <gumbo.h>

#include "lib/base/memory.h"

struct og_html_tag {
    const char *begin, *end; /* from '<' to after '>' */
    og_bytes spelling;       /* of the name */
    const char *attributes;  /* after the name */
    GumboTag name;
    uint32_t hash; /* of the name, for those without a number */
    bool is_end;
};

/* Views into the page. */
struct og_html_attribute {
    og_bytes name;
    og_bytes value;  /* without its quotes */
    og_bytes source; /* name, sign and value as written */
};

enum og_html_markup {
    OG_HTML_TEXT,        /* a '<' that begins nothing */
    OG_HTML_COMMENT,     /* or something that is parsed like one */
    OG_HTML_DECLARATION, /* <!doctype ...> */
    OG_HTML_TAG
};

bool og_html_is_space(char c);

/* The markup at `p`, which is at a '<', and its end in *out_end. Fills *tag for
 * a tag. A tag that is cut off by the end of the page is a comment. */
enum og_html_markup og_html_markup_at(const char *p, const char *end,
                                      struct og_html_tag *tag,
                                      const char **out_end);

/* Reads the attribute at *at, which moves past it. False: there are no more,
 * and *at is at the '>' or at the end. */
bool og_html_next_attribute(const char **at, const char *end,
                            struct og_html_attribute *out);

/* Where the end tag of an element with raw content begins. */
const char *og_html_skip_raw(const struct og_html_tag *tag, const char *end);

#endif
