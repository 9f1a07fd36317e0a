#ifndef OG_SKETCH_MINHASH_STREAM_H
#define OG_SKETCH_MINHASH_STREAM_H

/* What a min-hash sketch is in a file, and back.
 *
 *     whole samples    n_samples of 4 bytes; an empty set: all ones
 *     some bits        1 byte: 1, or 0 for an empty set; then the packed bits
 *     smallest         8 bytes: how many; then so many of n_samples places of
 *                      8 bytes, the others 0
 *     weighted         8 bytes before it: the sum of weights, a double
 *
 * All little-endian. The parameters in words say which. */

#include "lib/sketch/sketch_file.h"

#include <origo/sketch.h>

/* Bytes of one sketch. */
size_t og_minhash_file_len(const og_minhash_options *options);

/* Kind, length and words; `feature_words` come after. */
void og_minhash_file_head(const og_minhash_options *options,
                          const char *feature_words,
                          struct og_sketch_head *out);

/* The options of a head; OG_ERR_INPUT when they cannot be or do not fit the
 * length. `name` is the file's. */
og_status og_minhash_file_options(const struct og_sketch_head *head,
                                  const char *name, og_minhash_options *out,
                                  og_error *err);

/* How alike two sketches of a file are; their norms, when weighted. */
double og_minhash_file_similarity(const og_minhash_options *options,
                                  const uint8_t *a, const uint8_t *b,
                                  double *norm_a, double *norm_b);

#endif
