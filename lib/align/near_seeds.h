#ifndef OG_ALIGN_NEAR_SEEDS_H
#define OG_ALIGN_NEAR_SEEDS_H

/*   in:  runs of equal tokens around seeds
 *   out: those that can belong to the copy that a seed is part of
 *
 * Repetitive text (listings, logs) has a short run nearly everywhere, and
 * chaining them all costs more than the rest of an answer. An edit moves the
 * text after it by a few words: a short run matters only if a seed is near, on
 * nearly the same diagonal of the two texts. */

#include "lib/align/align.h"

struct og_runs;

struct og_near_seeds {
    const og_allocator *allocator;
    uint64_t *bits;
    size_t bits_cap;
};

void og_near_seeds_init(struct og_near_seeds *near,
                        const og_allocator *allocator);
void og_near_seeds_release(struct og_near_seeds *near);

/* Removes the others from `runs`; long ones are kept in any case. */
og_status og_near_seeds_keep(struct og_near_seeds *near,
                             const struct og_run *seeds, size_t n_seeds,
                             struct og_runs *runs, og_error *err);

#endif
