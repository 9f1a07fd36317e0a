#ifndef OG_SKETCH_FEATURES_IDF_H
#define OG_SKETCH_FEATURES_IDF_H

/*   in:  the features of all documents of a corpus          (lib/sketch)
 *   out: the number of documents that contain each        (lib/sketch)
 *
 * Counted in a fixed amount of memory; see idf.c. */

#include "lib/base/memory.h"

#include <origo/sketch.h>

/* ---- counting ---- */

struct og_idf_counter;

/* At most `memory` bytes, at least 64 KiB. `words` names the features
 * (og_feature_words). */
og_status og_idf_counter_new(uint64_t memory, const char *words,
                             const og_allocator *allocator,
                             struct og_idf_counter **out, og_error *err);
void og_idf_counter_free(struct og_idf_counter *counter); /* NULL is fine */

/* The distinct features of a document, in any number of calls; then its end. */
void og_idf_counter_add(struct og_idf_counter *counter, const uint64_t *hash,
                        size_t n);
void og_idf_counter_end_document(struct og_idf_counter *counter);

/* The file appears whole or not at all. "-" is stdout. Nothing can be counted
 * afterwards. */
og_status og_idf_counter_save(struct og_idf_counter *counter, const char *path,
                              og_error *err);

/* Makes the counts available for queries at once. Nothing can be counted
 * afterwards. */
og_status og_idf_counter_finish(struct og_idf_counter *counter, og_idf **out,
                                og_error *err);

/* The state so far. */
og_idf_info og_idf_counter_info(const struct og_idf_counter *counter);

/* ---- queries ---- */

/* Reads a file from memory; `name` is for messages. og_idf_open() of the public
 * header reads one from disk. */
og_status og_idf_read(og_bytes file, const char *name, og_idf **out,
                      og_error *err);

/* The feature words it was made with: valid until og_idf_close(). */
const char *og_idf_words(const og_idf *idf);
/* Identifies this file in the parameters of a sketch: its checksum. */
uint64_t og_idf_check(const og_idf *idf);

/* Bounds of the number of documents that contain the feature. 0 and the largest
 * error for a feature that is not in the file. */
void og_idf_find(const og_idf *idf, uint64_t hash, uint64_t *out_least,
                 uint64_t *out_most);

/* log2((N + 1) / df): more than 0, the same bits on every machine. df is the
 * middle of the bounds, and at least 1. */
double og_idf_weight(const og_idf *idf, uint64_t hash);

#endif
