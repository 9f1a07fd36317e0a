#ifndef OG_DEDUP_UNIT_TABLE_H
#define OG_DEDUP_UNIT_TABLE_H

/*   in:  the hash of a unit of text, 128 bits         (lib/dedup/level_unit.c)
 *   out: the first document that contains it
 *
 * In parts, by the hash: each is a table of its own, for one thread at a
 * time. */

#include "lib/base/memory.h"

#define OG_UNIT_PARTS 64

struct og_unit_part {
    struct og_unit_slot *slots;
    size_t n_slots, n_used;
};

struct og_unit_table {
    struct og_unit_part parts[OG_UNIT_PARTS];
};

void og_unit_table_release(struct og_unit_table *table);

static inline size_t og_unit_part_of(const uint64_t hash[2])
{
    return hash[0] >> 58;
}

/* The document that had it first; 0: `document`, counted from 1, is the first,
 * and is remembered. hash[1] is not 0. */
og_status og_unit_table_first(struct og_unit_table *table,
                              const uint64_t hash[2], uint64_t document,
                              uint64_t *out, og_error *err);

#endif
