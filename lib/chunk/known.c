#include "lib/chunk/known.h"

bool og_known_chunks_add(struct og_known_chunks *known, uint64_t key,
                         uint32_t file, uint64_t off, uint64_t len)
{
    struct og_hash_table *t = &known->by_key;
    const uint64_t hash = og_mix64(key);
    if (len == 0) return true;
    if (!og_hash_table_reserve(t) ||
        !OG_GROW(known->allocator, known->places, known->cap, t->n + 1))
        return false;
    struct og_hash_slot *slot = og_hash_table_next(t, hash, hash);
    if (slot->number != 0) return true;
    known->places[t->n] = (struct og_chunk_place){key, off, len, file};
    og_hash_table_put(t, slot, hash, t->n + 1);
    return true;
}
