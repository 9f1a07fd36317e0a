#ifndef OG_BASE_HASH_TABLE_H
#define OG_BASE_HASH_TABLE_H

/* The one hash table: open addressing with linear probing over a power of two
 * of slots, of which at least one is free. It has two layers.
 *
 * OG_PROBE() is only the search, over slots of any kind. It serves tables with
 * specialised slots: of 4 or 8 bytes where millions of them are in use, or of
 * fixed size where the number of entries is known.
 *
 * struct og_hash_table finds the entries of an array by a hash of their key.
 * The array is the caller's; the table keeps the number of each entry beside
 * its hash, so that it grows without reading the entries:
 *
 *     struct og_hash_slot *slot;
 *     if (!og_hash_table_reserve(&table)) ... no memory
 *     OG_HASH_FIND(&table, hash, slot)
 *         if (is_equal(entries[slot->number - 1], key)) break;
 *     if (slot->number == 0) og_hash_table_put(&table, slot, hash, ++n);
 *
 * It is at most half full. Hashes should be random in their low bits
 * (og_mix64()). */

#include "lib/base/memory.h"

/* Moves `at` from the slot `home` to the first one for which `ends` is true,
 * an expression in `at`: the slot is free, or holds the key. */
#define OG_PROBE(at, home, n_slots, ends)                                      \
    for ((at) = (size_t)(home) & ((n_slots)-1); !(ends);                       \
         (at) = ((at) + 1) & ((n_slots)-1)) {                                  \
    }

/* A power of two, twice `n` or more, and `fewest` (a power of two) or more. */
static inline size_t og_hash_slots_for(size_t n, size_t fewest)
{
    size_t n_slots = fewest;
    while (n_slots < 2 * n)
        n_slots *= 2;
    return n_slots;
}

struct og_hash_slot {
    uint64_t hash;
    uint64_t number; /* from 1; 0: free */
};

struct og_hash_table {
    const og_allocator *allocator;
    struct og_hash_slot *slots;
    size_t n_slots, cap; /* those in use: a power of two, or 0 */
    size_t n;
};

static inline void og_hash_table_init(struct og_hash_table *t,
                                      const og_allocator *allocator)
{
    *t = (struct og_hash_table){.allocator = allocator};
}

static inline void og_hash_table_release(struct og_hash_table *t)
{
    OG_UNGROW(t->allocator, t->slots, t->cap);
    t->n = t->n_slots = 0;
}

/* The next slot of this hash, from number `home` on, or the free one. */
static inline struct og_hash_slot *
og_hash_table_next(const struct og_hash_table *t, uint64_t home, uint64_t hash)
{
    size_t at;
    OG_PROBE(at, home, t->n_slots,
             t->slots[at].number == 0 || t->slots[at].hash == hash)
    return &t->slots[at];
}

/* The statement that follows is executed for each slot of this hash; `break` at
 * the right one. Afterwards `slot` is that, or the free one for it. The table
 * must have slots: after a reserve, or if n is not 0. */
#define OG_HASH_FIND(t, hash_, slot)                                           \
    for ((slot) = og_hash_table_next((t), (hash_), (hash_));                   \
         (slot)->number != 0;                                                  \
         (slot) = og_hash_table_next((t), (uint64_t)((slot) - (t)->slots) + 1, \
                                     (hash_)))

/* Only for the free slot of a search after a reserve. */
static inline void og_hash_table_put(struct og_hash_table *t,
                                     struct og_hash_slot *slot, uint64_t hash,
                                     uint64_t number)
{
    *slot = (struct og_hash_slot){hash, number};
    t->n++;
}

/* Room for one more. False: no memory, and nothing has changed. */
bool og_hash_table_reserve(struct og_hash_table *t);

/* Without entries, the memory kept. */
void og_hash_table_empty(struct og_hash_table *t);

/* Empty, with room for `n` entries. False: no memory, and nothing has changed.
 */
bool og_hash_table_clear(struct og_hash_table *t, size_t n);

#endif
