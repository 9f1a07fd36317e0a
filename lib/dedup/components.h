#ifndef OG_DEDUP_COMPONENTS_H
#define OG_DEDUP_COMPONENTS_H

/*   in:  pairs of numbers
 *   out: which numbers are connected, and the smallest of each      (lib/dedup)
 *
 * A forest: every number points to a smaller one, or to itself. Joining in any
 * order gives the same components with the same roots, so forests that were
 * built separately can be merged, in any order and grouping. */

#include "lib/base/memory.h"

struct og_forest {
    const og_allocator *allocator;
    uint32_t *parent; /* parent[i] <= i */
    size_t n, cap;
};

void og_forest_init(struct og_forest *forest, const og_allocator *allocator);
void og_forest_release(struct og_forest *forest);

/* Extends it to the numbers 0 .. n-1; new ones are alone. */
og_status og_forest_reach(struct og_forest *forest, size_t n, og_error *err);

/* The smallest number of the component. */
uint32_t og_forest_root(struct og_forest *forest, uint32_t i);
void og_forest_join(struct og_forest *forest, uint32_t a, uint32_t b);
/* Joins whatever `other` joins; extends it to the same numbers. */
og_status og_forest_merge(struct og_forest *forest,
                          const struct og_forest *other, og_error *err);

#endif
