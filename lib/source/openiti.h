#ifndef OG_SOURCE_OPENITI_H
#define OG_SOURCE_OPENITI_H

/*   in:  a text in OpenITI mARkdown, in UTF-8
 *   out: its words, its title, its pages                (lib/source/content.h)
 *
 * The format of a corpus of Arabic and Persian books: a header of #META# lines,
 * then lines that begin with "#" (a paragraph), "~~" (more of it) or "### |" (a
 * heading), and among the words marks of pages (PageV01P012, at the end of a
 * page), of thousands of words (ms017), of verses (%~%) and of names (@P02). */

#include "lib/base/packing.h"
#include "lib/source/citations.h"

struct og_openiti {
    struct og_pack text, title;
};

bool og_is_openiti(og_bytes text);

/* OG_BLOCK_PADDING bytes are readable after the text. OG_ERR_MEMORY. */
og_status og_openiti_read(struct og_openiti *o, og_bytes text,
                          struct og_citations *pages, og_error *err);
void og_openiti_release(struct og_openiti *o);

#endif
