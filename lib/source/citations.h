#ifndef OG_SOURCE_CITATIONS_H
#define OG_SOURCE_CITATIONS_H

/*   in:  where the parts of a text begin, and their names
 *   out: a field of the document, and the names for a passage
 *
 * Scholars cite by book and line or by page, not by bytes. The names of the
 * parts are stored with the document as a field of its record
 * (og_document.extra), so a store keeps and returns them:
 *
 *     "citations":[[0,"1.1"],[57,"1.2","p2"]]
 *
 * the offset in the text in bytes, the name, and an xml:id if there is one. */

#include "lib/base/packing.h"

#include <origo/document.h>

struct og_citations {
    struct og_pack json;
    size_t n;
};

void og_citations_clear(struct og_citations *c);
/* Offsets are ascending; an equal one replaces the last. If a document has too
 * many parts, the first ones are kept. */
void og_citations_add(struct og_citations *c, uint64_t at, og_bytes name,
                      og_bytes id);
/* The field; len 0: no parts. Nothing may be added afterwards. */
og_bytes og_citations_end(struct og_citations *c);

/* The names for a passage: those of the parts in which it begins and ends, as
 * they are in the JSON, escaped; both equal if it is one part. */
struct og_cited {
    og_bytes from, to; /* len 0: unknown */
    og_bytes id;       /* of the first part */
};
bool og_citations_find(og_bytes extra, uint64_t begin, uint64_t end,
                       struct og_cited *out);

#endif
