#ifndef OG_CHUNK_KNOWN_H
#define OG_CHUNK_KNOWN_H

/* Where known bytes lie: from the key of a chunk (or of a node above chunks)
 * to a place in a file. The first place of a key stays: earlier files and
 * earlier offsets win, so the answer does not depend on anything else. */

#include "lib/base/bits.h"
#include "lib/base/memory.h"

struct og_chunk_place {
    uint64_t key;
    uint64_t off, len; /* len 0: free */
    uint32_t file;
};

struct og_known_chunks {
    const og_allocator *allocator;
    struct og_chunk_place *places; /* open addressing, at most half full */
    size_t cap, n;
};

static inline void og_known_chunks_init(struct og_known_chunks *known,
                                        const og_allocator *allocator)
{
    *known = (struct og_known_chunks){.allocator = allocator};
}

static inline void og_known_chunks_release(struct og_known_chunks *known)
{
    OG_UNGROW(known->allocator, known->places, known->cap);
    known->n = 0;
}

/* The place of the key, or the free one where it belongs. cap is not 0. */
static inline struct og_chunk_place *
og_known_chunks_slot(const struct og_known_chunks *known, uint64_t key)
{
    const size_t mask = known->cap - 1;
    size_t at = og_mix64(key) & mask;
    while (known->places[at].len != 0 && known->places[at].key != key)
        at = (at + 1) & mask;
    return &known->places[at];
}

/* NULL when it is not known. */
static inline const struct og_chunk_place *
og_known_chunks_find(const struct og_known_chunks *known, uint64_t key)
{
    if (known->cap == 0) return NULL;
    const struct og_chunk_place *place = og_known_chunks_slot(known, key);
    return place->len == 0 ? NULL : place;
}

/* False: no memory, and nothing has changed. A place without bytes is not
 * taken. */
bool og_known_chunks_add(struct og_known_chunks *known, uint64_t key,
                         uint32_t file, uint64_t off, uint64_t len);

#endif
