#ifndef OG_TRACE_TRACE_STREAM_H
#define OG_TRACE_TRACE_STREAM_H

/*   in:  files or documents                                (lib/stream)
 *   out: their documents, queried and added in order       (lib/index)
 *
 * og_stream_run() for queries of other indexes than passages. */

#include "lib/base/status.h"

#include <origo/trace.h>

struct og_stream_hooks {
    void *ctx;
    /* The index that is queried for each document before it is added, and how
     * (og_index_run.question); NULL: none. */
    unsigned index;
    const void *question;
    /* Each document in order, with what the index answered, and what render()
     * wrote of it (len 0: nothing). */
    og_status (*report)(void *ctx, const og_document *doc, const void *answer,
                        size_t n_answer, og_bytes rendered, og_error *err);
    /* As og_stream_options.on_render. May be NULL. */
    bool (*render)(void *ctx, const og_document *doc, const void *answer,
                   size_t n_answer, og_write_fn *write, void *to);
    /* With `add`: all documents so far are safe on disk. May be NULL. */
    og_status (*on_durable)(void *ctx, og_error *err);
};

og_status og_stream_ask(og_store *store, const og_input *input,
                        const og_stream_options *options,
                        const struct og_stream_hooks *hooks,
                        og_stream_counts *out_counts, og_error *err);

#endif
