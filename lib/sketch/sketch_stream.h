#ifndef OG_SKETCH_SKETCH_STREAM_H
#define OG_SKETCH_SKETCH_STREAM_H

/*   in:  documents                                          (lib/stream)
 *   out: what was made of their features, in order      (lib/sketch/sketches.c)
 *
 * All kinds of sketches are made here: the caller says what to make of the
 * features of one document, on any thread, and what to do with the result, in
 * the order of the documents. */

#include "lib/base/packing.h"
#include "lib/sketch/features/features.h"
#include "lib/sketch/sketch_file.h"
#include "lib/stream/engine.h"

#include <origo/sketch.h>

struct og_sketch_work {
    void *ctx;
    const og_allocator *allocator;
    /* Creates the private state of a thread; both may be NULL. */
    og_status (*begin)(void *ctx, void **out_mine, og_error *err);
    void (*end)(void *ctx, void *mine);
    /* On any thread: appends its result to `out`. The features may be changed
     * (merged). */
    og_status (*make)(void *ctx, void *mine, struct og_features *features,
                      struct og_pack *out, og_error *err);
    /* On one thread, in order: `made` is what make() appended for this
     * document, aligned for any type. */
    og_status (*take)(void *ctx, og_bytes id, const uint8_t *made, size_t len,
                      uint64_t n_features, og_error *err);
};

og_status og_sketch_stream(const og_input *input,
                           const og_feature_options *features,
                           const struct og_sketch_work *work,
                           og_stream_counts *out_counts, og_error *err);

/* Closes or drops the output file of a stream of sketches. A file is also
 * written if some input could not be read and documents are missing, like the
 * answers of a stream; the status reports it. */
og_status og_sketch_stream_end(struct og_sketch_writer *writer,
                               og_status status, const og_stream_counts *counts,
                               og_error *err);

#endif
