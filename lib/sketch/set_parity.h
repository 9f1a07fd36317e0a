#ifndef OG_SKETCH_SET_PARITY_H
#define OG_SKETCH_SET_PARITY_H

/*   in:  the fingerprints of a short document           (lib/fingerprint)
 *   out: 16 bytes that prove most pairs to be dissimilar
 *                                            (lib/dedup/band_table.c)
 *
 * Every distinct fingerprint flips one of 64 bits, and one of 56 others.
 * Fingerprints common to two sets flip the same bits in both, so each of the 64
 * bits that differs, or each of the 56, is due to at least one fingerprint that
 * only one of the sets has:
 *
 *     |A| + |B| - 2 |A and B|  >=  the number of bits that differ
 *
 * and likewise it is at least the difference of their sizes. Where that is more
 * than a threshold allows, the pair is below it: nothing is estimated and no
 * pair is lost. */

#include "lib/base/memory.h"

struct og_set_parity {
    uint64_t bits;       /* 64 */
    uint64_t bits_and_n; /* 56, and in the lowest byte n: distinct fingerprints;
                            0: unknown, may be similar to any */
};
_Static_assert(sizeof(struct og_set_parity) == 16, "four to a cache line");

static inline unsigned og_set_parity_n(const struct og_set_parity *p)
{
    return (unsigned)(p->bits_and_n & 0xff);
}

/* Equal sets have equal parities; one that is not known may be like any. */
static inline bool og_set_parity_may_equal(const struct og_set_parity *a,
                                           const struct og_set_parity *b)
{
    if (og_set_parity_n(a) == 0 || og_set_parity_n(b) == 0) return true;
    return a->bits == b->bits && a->bits_and_n == b->bits_and_n;
}

/* Longer sets have none: once some thirty fingerprints differ, half of the bits
 * do, and hardly more if all fingerprints differ; and sets of 128 fingerprints
 * with a similarity of 0.8 differ in 28. */
#define OG_PARITY_MOST 128

/* Of `n` fingerprints, some of which may be equal; unknown if `n` is 0 or more
 * than OG_PARITY_MOST. */
struct og_set_parity og_set_parity_of(const uint64_t *fps, size_t n);

/* By the sizes of two sets: fewer bits than this differ if they reach a Jaccard
 * similarity; 0: sets of such sizes cannot. 65, so that any number may, if one
 * of the sizes is 0, that is, unknown. */
struct og_parity_limits {
    uint8_t apart[OG_PARITY_MOST + 1][OG_PARITY_MOST + 1];
};
void og_parity_limits_init(struct og_parity_limits *limits, double threshold);

/* Moves those of `n` entries that may reach the threshold with `of` to the
 * front, in their order; returns their number. `all` are the parities by
 * entry. */
size_t og_set_parity_filter(const struct og_set_parity *all,
                            const struct og_set_parity *of,
                            const struct og_parity_limits *limits,
                            uint32_t *entries, size_t n);
/* Its plain twin. */
size_t og_set_parity_filter_plain(const struct og_set_parity *all,
                                  const struct og_set_parity *of,
                                  const struct og_parity_limits *limits,
                                  uint32_t *entries, size_t n);

#endif
