#ifndef OG_CHUNK_KNOWN_H
#define OG_CHUNK_KNOWN_H

/* Finds known bytes: from the key of a chunk (or of a node over chunks) to a
 * place in a file. The first place of a key is kept: earlier files and earlier
 * offsets win, so the result does not depend on anything else. */

#include "lib/base/bits.h"
#include "lib/base/hash_table.h"

struct og_chunk_place {
    uint64_t key;
    uint64_t off, len;
    uint32_t file;
};

struct og_known_chunks {
    const og_allocator *allocator;
    struct og_chunk_place *places;
    size_t cap;
    struct og_hash_table by_key; /* numbers of places, from 1 */
};

static inline void og_known_chunks_init(struct og_known_chunks *known,
                                        const og_allocator *allocator)
{
    *known = (struct og_known_chunks){.allocator = allocator};
    og_hash_table_init(&known->by_key, allocator);
}

static inline void og_known_chunks_release(struct og_known_chunks *known)
{
    OG_UNGROW(known->allocator, known->places, known->cap);
    og_hash_table_release(&known->by_key);
}

static inline void og_known_chunks_clear(struct og_known_chunks *known)
{
    og_hash_table_empty(&known->by_key);
}

/* NULL if it is unknown. */
static inline const struct og_chunk_place *
og_known_chunks_find(const struct og_known_chunks *known, uint64_t key)
{
    const uint64_t hash = og_mix64(key); /* a bijection: equal keys only */
    if (known->by_key.n == 0) return NULL;
    const struct og_hash_slot *slot =
        og_hash_table_next(&known->by_key, hash, hash);
    return slot->number == 0 ? NULL : &known->places[slot->number - 1];
}

/* False: out of memory, and nothing has changed. A place without bytes is not
 * added. */
bool og_known_chunks_add(struct og_known_chunks *known, uint64_t key,
                         uint32_t file, uint64_t off, uint64_t len);

#endif
