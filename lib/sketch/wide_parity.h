#ifndef OG_SKETCH_WIDE_PARITY_H
#define OG_SKETCH_WIDE_PARITY_H

/*   in:  the different fingerprints of a set              (lib/fingerprint)
 *   out: some bits of each that show of most pairs that they are not alike
 *                                              (lib/dedup/set_summaries.c)
 *
 * The bound of lib/sketch/set_parity.h with more bits: two for a fingerprint,
 * and no set is too large. Each fingerprint turns one of them over, so every
 * bit that differs stands for at least one fingerprint that only one of two
 * sets has.
 *
 * Up to OG_WIDE_SMALL fingerprints there are four rows of 256 bits, in each of
 * which a fingerprint turns one: pairs just below a threshold differ in one or
 * two more than they may, and are not seen when two of them meet in one bit;
 * they do not in all four. Larger sets have one row, of a power of two. */

#include "lib/base/memory.h"

#define OG_WIDE_SMALL 128

struct og_wide_parity {
    uint32_t n; /* different fingerprints */
    uint32_t n_words;
    uint64_t words[];
};

/* Bytes of one for `n` different fingerprints. */
size_t og_wide_parity_len(size_t n);

/* `fps` are `n_fps` words: `n` different fingerprints, and zeros that are
 * passed over. `out` has og_wide_parity_len(n) bytes. */
void og_wide_parity_make(const uint64_t *fps, size_t n_fps, size_t n,
                         struct og_wide_parity *out);

/* True: more than `most` fingerprints are in only one of the sets. False says
 * nothing. */
bool og_wide_parity_exceeds(const struct og_wide_parity *a,
                            const struct og_wide_parity *b, size_t most);
/* Its plain twin. */
bool og_wide_parity_exceeds_plain(const struct og_wide_parity *a,
                                  const struct og_wide_parity *b, size_t most);

#endif
