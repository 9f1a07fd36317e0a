#ifndef OG_TABLE_SETTLE_H
#define OG_TABLE_SETTLE_H

/*   in:  a batch and what the table knew before it
 *   out: its hits: where the table knew nothing, the first document of the
 *        batch with a fingerprint is the origin for those after it
 *
 * Local and remote tables do this in the same way (table_protocol.h).
 *
 * When documents are late the first is not enough: each fingerprint is followed
 * through the batch, in the order of the documents (og_settling_follow()). A
 * holder is a number: 0, nobody; up to 2^32, a document of the table, plus 1;
 * beyond, a fingerprint of a document of the batch. */

#include "lib/table/table_protocol.h"

struct og_settling {
    const og_allocator *allocator;
    const struct og_table *table; /* defines equality of fingerprints */
    /* For fingerprints unknown to the table, the first in the batch. */
    uint64_t *firsts;
    size_t n_firsts, firsts_cap;
    /* The next batch's, cleared by other threads: this many of them. */
    uint64_t *spare;
    size_t n_clear, spare_cap;
    uint32_t *places;
    size_t places_cap;
    /* With late documents: `firsts` has the last holders in the batch, and this
     * the holders before each fingerprint. */
    bool has_late;
    uint64_t *before;
    size_t before_cap;
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
                            bool has_late, og_error *err);
/* Pieces of a phase after that, on any threads, which spare the next batch
 * clearing its slots; then they are done. Need not be called. */
size_t og_settling_reserve_spare(struct og_settling *settling);
void og_settling_clear_spare(struct og_settling *settling, size_t piece);
void og_settling_has_cleared(struct og_settling *settling);
/* Part `number` was looked up, and impossible origins were removed. Any
 * thread. */
void og_settling_put(struct og_settling *settling, struct og_table_part *parts,
                     size_t number);
/* Of a batch with late documents, when all were put and before it is settled:
 * who holds the fingerprints of one lane (part->order, part->starts; the only
 * one if those are NULL) at the turn of each part. Drops the hits that are not
 * earlier. Lanes may be followed at the same time. */
void og_settling_follow(struct og_settling *settling,
                        struct og_table_part *parts, size_t n, unsigned lane,
                        const struct og_table_part_steps *steps);
/* The document that is a holder; OG_NO_DOC: nobody. */
uint32_t og_settling_doc(const struct og_table_part *parts, uint64_t holder);
/* Which document held a fingerprint when there were so many, of one that some
 * part has; `now` if none has. Any thread, after the settling. */
uint32_t og_settling_holder(const struct og_settling *settling,
                            const struct og_table_part *parts, uint64_t fp,
                            uint32_t n_docs, uint32_t now);
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
