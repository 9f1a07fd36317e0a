#ifndef OG_BASE_BUMP_H
#define OG_BASE_BUMP_H

/* Memory for one page at a time: taken from the front of large pieces, freed
 * all at once. The parsers that use it build a tree of small nodes that are
 * discarded together, and their input determines how many: so there is a limit,
 * and exceeding it is distinguished from a lack of memory. */

#include "lib/base/memory.h"

struct og_bump_piece {
    struct og_bump_piece *next;
    size_t len; /* with this header */
};

struct og_bump {
    const og_allocator *allocator;
    struct og_bump_piece *first; /* the newest; the oldest is kept for reuse */
    size_t used;                 /* of the newest */
    size_t total, limit;         /* bytes of all pieces */
    bool is_over;                /* the limit was reached */
};

void og_bump_init(struct og_bump *bump, const og_allocator *allocator);
void og_bump_release(struct og_bump *bump);

/* Frees everything and sets a new limit. */
void og_bump_clear(struct og_bump *bump, size_t limit);

/* Aligned for any type. NULL: over the limit, or no memory. */
void *og_bump_take(struct og_bump *bump, size_t len);

#endif
