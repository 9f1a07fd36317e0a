/* Streams of documents that are queried, and added, sentence by sentence.
 *
 * The stream of lib/trace queries the index about the documents of a block, in
 * phases on all threads (lib/sentence/index/sentences_run.h). */

#include "lib/store/store.h"
#include "lib/stream/engine.h"
#include "lib/trace/trace_stream.h"

og_quote_stream_options og_quote_stream_options_default(void)
{
    return (og_quote_stream_options){.quote = og_quote_options_default()};
}

struct quoting {
    const og_quote_stream_options *options;
    uint64_t n_words, n_short;
};

static og_status report_answer(void *ctx, const og_document *doc,
                               const void *answer, size_t n, og_bytes rendered,
                               og_error *err)
{
    struct quoting *q = ctx;
    const og_quote_stream_options *o = q->options;
    og_quotes quotes = *(const og_quotes *)answer;
    (void)n;
    quotes.rendered = rendered;
    q->n_words += quotes.n_words;
    q->n_short += quotes.n_sentences == 0;
    if (o->on_answer == NULL || o->on_answer(o->ctx, doc, &quotes))
        return OG_OK;
    return og_stream_stopped(err);
}

static bool render_answer(void *ctx, const og_document *doc, const void *answer,
                          size_t n, og_write_fn *write, void *to)
{
    const og_quote_stream_options *o = ((const struct quoting *)ctx)->options;
    (void)n;
    return o->on_render(o->ctx, doc, answer, write, to);
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
    struct quoting q = {.options = options};
    const struct og_stream_hooks hooks = {
        .ctx = &q,
        .index = OG_INDEX_SENTENCES,
        .question = options->no_answers ? NULL : &options->quote,
        .report = report_answer,
        .render = options->on_render != NULL ? render_answer : NULL,
        .on_durable = on_durable};
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
