#ifndef OG_SKETCH_BAND_SKETCH_H
#define OG_SKETCH_BAND_SKETCH_H

/*   in:  the fingerprints of a document's shingles        (lib/fingerprint)
 *   out: its band sketch, a byte per sample                     (lib/dedup)
 *
 * A band is `n_rows` consecutive min-hash samples; two documents are worth
 * comparing if all samples of one band agree. A sample is kept as 8 of its
 * bits. So a band of 8 rows is a 64-bit word and its own key, and the whole
 * sketch still tells how similar two documents are: unequal samples agree by
 * chance once in 256, which only adds a few comparisons. */

#include "lib/sketch/family.h"

#define OG_BAND_SAMPLES_MAX 1024
#define OG_BANDS_MAX        256

struct og_band_design {
    uint32_t n_bands, n_rows;
};

struct og_band_sketcher {
    struct og_band_design design;
    size_t n_samples; /* n_bands * n_rows: bytes of a sketch */
    struct og_family family;
};

/* OG_ERR_USAGE: no bands, no rows, or too many samples. */
og_status og_band_design_check(const struct og_band_design *design,
                               og_error *err);

/* May be shared by threads: sketching changes nothing in it. */
og_status og_band_sketcher_init(struct og_band_sketcher *sketcher,
                                const struct og_band_design *design,
                                const og_allocator *allocator, og_error *err);
void og_band_sketcher_release(struct og_band_sketcher *sketcher);

/* Writes n_samples bytes. `n` is at least 1; equal fingerprints count once. */
void og_band_sketch(const struct og_band_sketcher *sketcher,
                    const uint64_t *fps, size_t n, uint8_t *out);

/* A hash of the samples of one band. */
static inline uint64_t og_band_key(const uint8_t *samples, uint32_t n_rows)
{
    uint64_t key = n_rows;
    for (; n_rows >= 8; n_rows -= 8, samples += 8)
        key = og_mix64(key ^ og_load64(samples));
    if (n_rows > 0) {
        uint64_t rest = 0;
        for (uint32_t i = 0; i < n_rows; i++)
            rest |= (uint64_t)samples[i] << 8 * i;
        key = og_mix64(key ^ rest);
    }
    return key;
}

/* How many of the `n` samples are equal. */
static inline size_t og_band_agreement(const uint8_t *a, const uint8_t *b,
                                       size_t n)
{
    size_t n_equal = 0;
    while (n > 0) {
        /* In runs whose count fits into a byte, so that the compiler vectorises
         * the counting. */
        const size_t run = n < 128 ? n : 128;
        uint8_t count = 0;
        for (size_t i = 0; i < run; i++)
            count = (uint8_t)(count + (a[i] == b[i]));
        n_equal += count;
        a += run;
        b += run;
        n -= run;
    }
    return n_equal;
}

#endif
