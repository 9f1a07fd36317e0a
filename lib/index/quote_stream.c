/* Streams of documents asked about, and added, sentence by sentence.
 *
 * The stream of lib/trace reads and prepares on all threads; one thread asks
 * and adds, for an answer depends on every document before it. */

#include "lib/store/store.h"
#include "lib/stream/engine.h"
#include "lib/trace/trace_stream.h"

og_quote_stream_options og_quote_stream_options_default(void)
{
    return (og_quote_stream_options){.quote = og_quote_options_default()};
}

struct quoting {
    og_store *store;
    const og_quote_stream_options *options;
    uint64_t n_words, n_short;
};

static og_status ask(void *ctx, const og_document *doc, og_error *err)
{
    struct quoting *q = ctx;
    const og_quote_stream_options *o = q->options;
    const og_quotes *quotes;
    if (o->no_answers) return OG_OK;
    TRY(og_store_quote(q->store, doc, &o->quote, &quotes, err));
    q->n_words += quotes->n_words;
    q->n_short += quotes->n_sentences == 0;
    if (o->on_answer == NULL || o->on_answer(o->ctx, doc, quotes)) return OG_OK;
    return og_stream_stopped(err);
}

static og_status on_durable(void *ctx, og_error *err)
{
    const struct quoting *q = ctx;
    const og_quote_stream_options *o = q->options;
    if (o->on_durable == NULL || o->on_durable(o->ctx)) return OG_OK;
    return og_stream_stopped(err);
}

og_status og_quote_stream(og_store *store, const og_input *input,
                          const og_quote_stream_options *options,
                          og_stream_counts *out_counts, og_error *err)
{
    struct quoting q = {.store = store, .options = options};
    const struct og_stream_hooks hooks = {
        .ctx = &q, .ask = ask, .on_durable = on_durable};
    og_stream_counts counts = {0};
    og_stream_options stream = og_stream_options_default();
    stream.add = options->add;
    const og_status status =
        og_stream_ask(store, input, &stream, &hooks, &counts, err);
    counts.n_tokens = q.n_words;
    counts.n_short = q.n_short;
    if (out_counts != NULL) *out_counts = counts;
    return status;
}
