#ifndef OG_SOURCE_WEB_HTML_TAGS_H
#define OG_SOURCE_WEB_HTML_TAGS_H

/*   in:  the bytes of an HTML page
 *   out: its tags and their attributes (lib/source/web/html_reduce.h)
 *
 * The tokeniser of HTML, of tags alone: quotes inside them, comments and
 * declarations are passed over as the standard says. No memory is taken. */

#include <gumbo.h>

#include "lib/base/memory.h"

struct og_html_tag {
    const char *begin, *end; /* from '<' to after '>' */
    og_bytes spelling;       /* of the name */
    const char *attributes;  /* after the name */
    GumboTag name;
    uint32_t hash; /* of the name, for those that have no number */
    bool is_end;
};

/* Views into the page. */
struct og_html_attribute {
    og_bytes name;
    og_bytes value;  /* without its quotes */
    og_bytes source; /* name, sign and value as they are written */
};

enum og_html_markup {
    OG_HTML_TEXT,        /* a '<' that begins nothing */
    OG_HTML_COMMENT,     /* or something that is read like one */
    OG_HTML_DECLARATION, /* <!doctype ...> */
    OG_HTML_TAG
};

bool og_html_is_space(char c);

/* What begins at `p`, where a '<' is, and in *out_end what is after it. Fills
 * *tag for a tag. A tag that the end of the page cuts off is a comment. */
enum og_html_markup og_html_markup_at(const char *p, const char *end,
                                      struct og_html_tag *tag,
                                      const char **out_end);

/* The attribute at *at, which moves after it. False: there are no more, and
 * *at is at the '>' or at the end. */
bool og_html_next_attribute(const char **at, const char *end,
                            struct og_html_attribute *out);

/* Where the end tag of an element whose content is no markup begins. */
const char *og_html_skip_raw(const struct og_html_tag *tag, const char *end);

#endif
