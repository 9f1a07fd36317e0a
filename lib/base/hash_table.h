#ifndef OG_BASE_HASH_TABLE_H
#define OG_BASE_HASH_TABLE_H

/* Entries of an array, found by a hash of their key. The array is the caller's;
 * the table keeps the number of each entry beside its hash, so that it grows
 * without looking at the entries:
 *
 *     struct og_hash_slot *slot;
 *     if (!og_hash_table_reserve(&table)) ... no memory
 *     OG_HASH_FIND(&table, hash, slot)
 *         if (is_equal(entries[slot->number - 1], key)) break;
 *     if (slot->number == 0) og_hash_table_put(&table, slot, hash, ++n);
 *
 * Open addressing, at most half full: a free slot ends every search. Hashes
 * should be random in their low bits (og_mix64()). For tables that are not in
 * the way of every token; those have forms of their own. */

#include "lib/base/memory.h"

struct og_hash_slot {
    uint64_t hash;
    uint64_t number; /* from 1; 0: free */
};

struct og_hash_table {
    const og_allocator *allocator;
    struct og_hash_slot *slots;
    size_t n_slots; /* a power of two, or 0 */
    size_t n;
};

static inline void og_hash_table_init(struct og_hash_table *t,
                                      const og_allocator *allocator)
{
    *t = (struct og_hash_table){.allocator = allocator};
}

static inline void og_hash_table_release(struct og_hash_table *t)
{
    OG_UNGROW(t->allocator, t->slots, t->n_slots);
    t->n = 0;
}

static inline size_t og_hash_table_home(const struct og_hash_table *t,
                                        uint64_t hash)
{
    return (size_t)hash & (t->n_slots - 1);
}

static inline struct og_hash_slot *
og_hash_table_after(const struct og_hash_table *t,
                    const struct og_hash_slot *slot)
{
    return &t->slots[((size_t)(slot - t->slots) + 1) & (t->n_slots - 1)];
}

/* The next slot of this hash, from `slot` on, or the free one. */
static inline struct og_hash_slot *
og_hash_table_next(const struct og_hash_table *t, struct og_hash_slot *slot,
                   uint64_t hash)
{
    while (slot->number != 0 && slot->hash != hash)
        slot = og_hash_table_after(t, slot);
    return slot;
}

/* What follows is done for each slot of this hash; `break` when it is the one.
 * Afterwards `slot` is that, or the free one where it belongs. The table must
 * have slots: after a reserve, or when n is not 0. */
#define OG_HASH_FIND(t, hash_, slot)                                           \
    for ((slot) = og_hash_table_next(                                          \
             (t), &(t)->slots[og_hash_table_home((t), (hash_))], (hash_));     \
         (slot)->number != 0;                                                  \
         (slot) = og_hash_table_next((t), og_hash_table_after((t), (slot)),    \
                                     (hash_)))

/* Only into the free slot of a search after a reserve. */
static inline void og_hash_table_put(struct og_hash_table *t,
                                     struct og_hash_slot *slot, uint64_t hash,
                                     uint64_t number)
{
    *slot = (struct og_hash_slot){hash, number};
    t->n++;
}

/* Room for one more. False: no memory, and nothing has changed. */
bool og_hash_table_reserve(struct og_hash_table *t);

#endif
