#ifndef OG_EVAL_MEASURE_READ_STREAM_H
#define OG_EVAL_MEASURE_READ_STREAM_H

/*   in:  files of documents                              (lib/source)
 *   out: one document after the other, on one thread     (lib/eval)
 *
 * The way in of every evaluation: problems and progress are told, a file that
 * cannot be read does not stop the others. */

#include "lib/source/source.h"

struct og_eval_input {
    og_fields fields;
    void *listener; /* of both; either may be NULL */
    void (*on_problem)(void *listener, const og_problem *problem);
    void (*on_progress)(void *listener, const char *what, uint64_t done,
                        uint64_t all);
    void *ctx;
    og_status (*on_document)(void *ctx, const og_document *doc, og_error *err);
};

/* What was read: it matters when it was not enough. */
struct og_eval_read_counts {
    uint64_t n_documents;
    og_error failure; /* of the first file that could not be read */
};

og_status og_eval_read_stream(const char *const *paths, size_t n_paths,
                              const struct og_eval_input *input,
                              struct og_eval_read_counts *out, og_error *err);

#endif
