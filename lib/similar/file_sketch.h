#ifndef OG_SIMILAR_FILE_SKETCH_H
#define OG_SIMILAR_FILE_SKETCH_H

/*   in:  the hashes of a file's chunks               (lib/chunk/chunk_tree.h)
 *   out: its sketch: a dozen samples of a few bits   (lib/similar/similar.h)
 *
 * Section 6.2 of the book. A file is the set of its chunks; the Jaccard
 * similarity p of two files is the share of chunks that both have among those
 * that either has. Sample t of a file is the chunk with the smallest value of
 * the t-th random order: two files choose the same one with probability p.
 * Of the chosen chunk only b new bits are kept, drawn by a generator that is
 * seeded with the chunk, so two samples agree with probability
 *
 *     p + (1 - p) / 2^b                  (b = 6: (63 p + 1) / 64)
 *
 * and 12 samples of 6 bits are 9 bytes per file. */

#include <stdint.h>

#include "lib/base/status.h"

enum {
    OG_FILE_SKETCH_MAX_SAMPLES = 64,
    OG_FILE_SKETCH_MAX_BITS = 16,
};

struct og_file_sketch_options {
    uint32_t n_samples; /* 1 to 64 */
    uint32_t n_bits;    /* of each, 1 to 16 */
};

/* The book's sizes. */
#define OG_FILE_SKETCH_OPTIONS_DEFAULT                                         \
    {                                                                          \
        .n_samples = 12, .n_bits = 6                                           \
    }

og_status og_file_sketch_check(const struct og_file_sketch_options *options,
                               og_error *err);

/* `keys` are the first 8 bytes of the chunks' hashes, in any order and with or
 * without repetitions: the samples are those of the set. Writes n_samples
 * values below 2^n_bits. The sketch of a file without chunks is all zeros. */
void og_file_sketch_make(const uint64_t *keys, size_t n,
                         const struct og_file_sketch_options *options,
                         uint16_t *out);

/* How many samples agree. */
uint32_t og_file_sketch_matches(const uint16_t *a, const uint16_t *b,
                                uint32_t n_samples);

/* The Jaccard similarity estimated from the number of matches: the inverse of
 * the expectation above, clamped to 0 .. 1. */
double og_file_sketch_jaccard(uint32_t n_matches,
                              const struct og_file_sketch_options *options);

#endif
