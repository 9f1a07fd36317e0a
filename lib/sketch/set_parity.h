#ifndef OG_SKETCH_SET_PARITY_H
#define OG_SKETCH_SET_PARITY_H

/*   in:  the fingerprints of a short document           (lib/fingerprint)
 *   out: 16 bytes that show of most pairs that they cannot be alike
 *                                            (lib/dedup/band_table.c)
 *
 * Every different fingerprint turns over one of 64 bits, and one of 56 others.
 * What two sets have in common turns the same bits in both, so each of the 64
 * that differs, or each of the 56, stands for at least one fingerprint that
 * only one of the sets has:
 *
 *     |A| + |B| - 2 |A and B|  >=  the number of bits that differ
 *
 * and likewise it is at least the difference of their sizes. Where that is
 * more than a threshold allows, the pair is below it: nothing is estimated
 * and no pair is lost. */

#include "lib/base/memory.h"

struct og_set_parity {
    uint64_t bits;       /* 64 */
    uint64_t bits_and_n; /* 56, and in the lowest byte n: different
                            fingerprints; 0: not known, may be like any other */
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

/* Longer sets have none: when some thirty fingerprints differ, half of the bits
 * do, and not many more when all fingerprints differ; and sets of 128
 * fingerprints with a similarity of 0.8 differ in 28. */
#define OG_PARITY_MOST 128

/* Of `n` fingerprints, of which some may be equal; not known when `n` is 0 or
 * more than OG_PARITY_MOST. */
struct og_set_parity og_set_parity_of(const uint64_t *fps, size_t n);

/* By the sizes of two sets: fewer bits than this differ when they reach a
 * Jaccard similarity; 0: sets of such sizes do not. 65, so that any may, when
 * one of the sizes is 0, which is to say not known. */
struct og_parity_limits {
    uint8_t apart[OG_PARITY_MOST + 1][OG_PARITY_MOST + 1];
};
void og_parity_limits_init(struct og_parity_limits *limits, double threshold);

/* Keeps those of `n` entries that may reach the threshold with `of`, in their
 * order, at the front; returns how many. `all` are the parities by entry. */
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
