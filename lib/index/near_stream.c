/* Streams of documents that are queried, and added, as near-duplicates. */

#include "lib/store/store.h"
#include "lib/stream/engine.h"
#include "lib/trace/trace_stream.h"

static og_status report_answer(void *ctx, const og_document *doc,
                               const void *answer, size_t n, og_bytes rendered,
                               og_error *err)
{
    const og_near_stream_options *ask = ctx;
    (void)rendered;
    if (ask->on_answer == NULL || ask->on_answer(ask->ctx, doc, answer, n))
        return OG_OK;
    return og_stream_stopped(err);
}

og_status og_near_stream(og_store *store, const og_input *input,
                         const og_near_stream_options *ask,
                         og_stream_counts *out_counts, og_error *err)
{
    const og_near_query query = {ask->threshold, ask->max_distance};
    const struct og_stream_hooks hooks = {.ctx = (void *)ask,
                                          .index = OG_INDEX_NEAR,
                                          .question = &query,
                                          .report = report_answer};
    og_stream_options stream = og_stream_options_default();
    stream.add = ask->add;
    return og_stream_ask(store, input, &stream, &hooks, out_counts, err);
}
