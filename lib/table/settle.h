#ifndef OG_TABLE_SETTLE_H
#define OG_TABLE_SETTLE_H

/*   in:  a batch and what the table knew before it
 *   out: its hits: where the table knew nothing, the first document of the
 *        batch with a fingerprint is the origin for those after it
 *
 * Local and remote tables do this in the same way (table_protocol.h). */

#include "lib/table/table_protocol.h"

struct og_settling {
    const og_allocator *allocator;
    const struct og_table *table; /* defines equality of fingerprints */
    /* For fingerprints unknown to the table, the first in the batch. */
    uint64_t *firsts;
    size_t n_firsts, firsts_cap;
    uint32_t *places;
    size_t places_cap;
    bool has_failed;
};

void og_settling_init(struct og_settling *settling,
                      const struct og_table *table,
                      const og_allocator *allocator);
void og_settling_release(struct og_settling *settling);

/* Before the look-up: reserves room for n parts with these numbers of
 * fingerprints. */
og_status og_settling_begin(struct og_settling *settling,
                            struct og_table_part *parts, size_t n, size_t n_fps,
                            og_error *err);
/* Part `number` was looked up, and impossible origins were removed. Any
 * thread. */
void og_settling_put(struct og_settling *settling, struct og_table_part *parts,
                     size_t number);
/* og_table_protocol.settle, after all were put. */
og_status og_settling_run(struct og_settling *settling,
                          const struct og_phases *phases,
                          struct og_table_part *parts, size_t n,
                          const struct og_table_part_steps *steps,
                          og_error *err);

static inline og_status
og_table_part_step(const struct og_table_part_steps *steps,
                   og_table_part_fn *fn, void *worker,
                   struct og_table_part *part, og_error *err)
{
    return fn != NULL ? fn(steps->ctx, worker, part, err) : OG_OK;
}

#endif
