#ifndef OG_EVAL_MEASURE_READ_STREAM_H
#define OG_EVAL_MEASURE_READ_STREAM_H

/*   in:  documents                                       (lib/stream)
 *   out: the documents one by one, on one thread      (eval/measure)
 *
 * The input of every evaluation: a file that cannot be read does not stop the
 * others. */

#include "lib/stream/engine.h"

/* What was read, for messages if it was not enough. */
struct og_eval_read_counts {
    uint64_t n_documents;
    og_error failure; /* of the first file that could not be read */
};

/* OG_END from on_document ends the reading early. */
typedef og_status og_eval_document_fn(void *ctx, const og_document *doc,
                                      og_error *err);

og_status og_eval_read_stream(const og_input *input,
                              og_eval_document_fn *on_document, void *ctx,
                              struct og_eval_read_counts *out, og_error *err);

#endif
