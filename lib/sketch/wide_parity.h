#ifndef OG_SKETCH_WIDE_PARITY_H
#define OG_SKETCH_WIDE_PARITY_H

/*   in:  the distinct fingerprints of a set              (lib/fingerprint)
 *   out: some bits per fingerprint that prove most pairs to be dissimilar
 *                                              (lib/dedup/set_summaries.c)
 *
 * The bound of lib/sketch/set_parity.h with more bits: two per fingerprint, for
 * sets of any size. Each fingerprint flips one of them, so every bit that
 * differs is due to at least one fingerprint that only one of two sets has.
 *
 * Up to OG_WIDE_SMALL fingerprints there are four rows of 256 bits, in each of
 * which a fingerprint flips one: pairs just below a threshold differ in one or
 * two more than they may, and are missed if two of them collide in one bit;
 * they do not in all four. Larger sets have one row, whose length is a power of
 * two. */

#include "lib/base/memory.h"

#define OG_WIDE_SMALL 128

struct og_wide_parity {
    uint32_t n; /* distinct fingerprints */
    uint32_t n_words;
    uint64_t words[];
};

/* The length in bytes for `n` distinct fingerprints. */
size_t og_wide_parity_len(size_t n);

/* `fps` are `n_fps` words: `n` distinct fingerprints, and zeros, which are
 * skipped. `out` has og_wide_parity_len(n) bytes. */
void og_wide_parity_make(const uint64_t *fps, size_t n_fps, size_t n,
                         struct og_wide_parity *out);

/* True: more than `most` fingerprints are in only one of the sets. False is
 * inconclusive. */
bool og_wide_parity_exceeds(const struct og_wide_parity *a,
                            const struct og_wide_parity *b, size_t most);
/* Its plain twin. */
bool og_wide_parity_exceeds_plain(const struct og_wide_parity *a,
                                  const struct og_wide_parity *b, size_t most);

#endif
