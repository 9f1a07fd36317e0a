#ifndef OG_SKETCH_MINHASH_STREAM_H
#define OG_SKETCH_MINHASH_STREAM_H

/* The form of a min-hash sketch in a file.
 *
 *     whole samples    n_samples of 4 bytes; an empty set: all ones
 *     some bits        1 byte: 1, or 0 for an empty set; then the packed bits
 *     smallest         8 bytes: their number; then n_samples slots of
 *                      8 bytes, unused ones 0
 *     weighted         preceded by 8 bytes: the sum of weights, a double
 *
 * All little-endian. The parameters say which form it is. */

#include "lib/sketch/sketch_file.h"

#include <origo/sketch.h>

/* Bytes of one sketch. */
size_t og_minhash_file_len(const og_minhash_options *options);

/* Kind, length and words; `feature_words` follow. */
void og_minhash_file_head(const og_minhash_options *options,
                          const char *feature_words,
                          struct og_sketch_head *out);

/* The options in a head; OG_ERR_INPUT if they are impossible or do not match
 * the length. `name` is the file's. */
og_status og_minhash_file_options(const struct og_sketch_head *head,
                                  const char *name, og_minhash_options *out,
                                  og_error *err);

/* The similarity of two sketches of a file; their norms, if weighted. */
double og_minhash_file_similarity(const og_minhash_options *options,
                                  const uint8_t *a, const uint8_t *b,
                                  double *norm_a, double *norm_b);

#endif
