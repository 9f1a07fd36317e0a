#ifndef OG_SKETCH_COLUMNS_H
#define OG_SKETCH_COLUMNS_H

/* Counts stored as columns of bits (slices.h): compared and expanded. */

#include <stdint.h>
#include <string.h>

/* Planes of a counter: 4 of the first step, then one for each doubling of the
 * blocks, those of the lanes and some spare ones. No address space holds 2^56
 * features. */
#define OG_SLICE_PLANES 64

/* Bit j is set if the count of column j exceeds `limit`: compares from the
 * highest plane down, 64 columns at a time. */
static inline uint64_t og_slices_above(const uint64_t *column,
                                       unsigned n_planes, uint64_t limit)
{
    uint64_t above = 0, equal = ~(uint64_t)0;
    for (unsigned i = n_planes; i-- > 0;) {
        if (limit >> i & 1) {
            equal &= column[i];
        } else {
            above |= equal & column[i];
            equal &= ~column[i];
        }
    }
    return above;
}

/* ones[j] = the count of column j. */
static inline void og_slices_spread(const uint64_t *column, unsigned n_planes,
                                    uint64_t ones[64])
{
    memset(ones, 0, 64 * sizeof(*ones));
    for (unsigned i = 0; i < n_planes; i++)
        for (unsigned j = 0; j < 64; j++)
            ones[j] += (column[i] >> j & 1) << i;
}

#endif
