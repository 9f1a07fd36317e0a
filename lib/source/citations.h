#ifndef OG_SOURCE_CITATIONS_H
#define OG_SOURCE_CITATIONS_H

/*   in:  where the parts of a text begin, and what they are called
 *   out: a field of the document's own, and the names of a passage
 *
 * Scholars cite by book and line or by page, not by bytes. The names of the
 * parts go with the document as a field of its record (og_document.extra), so a
 * store keeps them and gives them back:
 *
 *     "citations":[[0,"1.1"],[57,"1.2","p2"]]
 *
 * the place in the text in bytes, the name, and an xml:id if there is one. */

#include "lib/base/packing.h"

#include <origo/document.h>

struct og_citations {
    struct og_pack json;
    size_t n;
};

void og_citations_clear(struct og_citations *c);
/* Places rise; one that is the place of the last replaces it. A document of
 * very many parts has those of its beginning. */
void og_citations_add(struct og_citations *c, uint64_t at, og_bytes name,
                      og_bytes id);
/* The field; len 0: there are none. Nothing may be added after it. */
og_bytes og_citations_end(struct og_citations *c);

/* The names of a passage: those of the parts in which it begins and ends, as
 * they are in the JSON, escaped; the same when it is one. */
struct og_cited {
    og_bytes from, to; /* len 0: not known */
    og_bytes id;       /* of the first part */
};
bool og_citations_find(og_bytes extra, uint64_t begin, uint64_t end,
                       struct og_cited *out);

#endif
