/* Streams of documents asked about, and added, as near-duplicates. */

#include "lib/store/store.h"
#include "lib/stream/engine.h"
#include "lib/trace/trace_stream.h"

struct asking {
    og_store *store;
    const og_near_ask *ask;
};

static og_status ask_document(void *ctx, const og_document *doc, og_error *err)
{
    const struct asking *a = ctx;
    const og_near_query query = {a->ask->threshold, a->ask->max_distance};
    const og_near_match *matches;
    size_t n;
    TRY(og_store_near(a->store, doc, &query, &matches, &n, err));
    if (a->ask->on_answer == NULL ||
        a->ask->on_answer(a->ask->ctx, doc, matches, n))
        return OG_OK;
    return og_stream_stopped(err);
}

og_status og_near_stream(og_store *store, const og_input *input,
                         const og_near_ask *ask, og_stream_counts *out_counts,
                         og_error *err)
{
    struct asking a = {store, ask};
    const struct og_stream_hooks hooks = {.ctx = &a, .ask = ask_document};
    og_stream_options stream = og_stream_options_default();
    stream.add = ask->add;
    return og_stream_ask(store, input, &stream, &hooks, out_counts, err);
}
