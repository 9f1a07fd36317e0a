/* Streams of documents asked about, and added, sentence by sentence.
 *
 * Records are read on all cores; one thread asks and adds: a question costs
 * microseconds, and an answer depends on every document before it. Documents
 * are made durable in groups, for a disk takes as long for one as for a
 * thousand. */

#include "lib/os/clock.h"
#include "lib/sentence/index/sentences.h"
#include "lib/stream/engine.h"
#include "lib/text/text.h"

enum { GROUP_BYTES = 1 << 20 };
#define GROUP_SECONDS 0.25

og_quote_stream_options og_quote_stream_options_default(void)
{
    return (og_quote_stream_options){.quote = og_quote_options_default()};
}

struct stream {
    og_sentences *sentences;
    const og_quote_stream_options *options;
    og_stream_counts counts;
    uint64_t n_waiting; /* bytes since the last commit */
    bool has_waiting;
    double last_commit;
};

/* ---- documents ---- */

static og_status commit(struct stream *s, og_error *err)
{
    if (!s->has_waiting) return OG_OK;
    TRY(og_sentences_commit(s->sentences, err));
    s->has_waiting = false;
    s->n_waiting = 0;
    s->last_commit = og_clock_seconds();
    if (s->options->on_durable != NULL &&
        !s->options->on_durable(s->options->ctx))
        return og_stream_stopped(err);
    return OG_OK;
}

static og_status answer(struct stream *s, const struct og_batch *b,
                        const struct og_stream_doc *d, og_error *err)
{
    const og_quotes *quotes;
    TRY(og_sentences_ask(s->sentences, &d->doc, &s->options->quote, &quotes,
                         err));
    og_stream_repaired(b, d, quotes->n_repaired);
    s->counts.n_tokens += quotes->n_words;
    s->counts.n_short += quotes->n_sentences == 0;
    if (s->options->on_answer == NULL ||
        s->options->on_answer(s->options->ctx, &d->doc, quotes))
        return OG_OK;
    return og_stream_stopped(err);
}

static og_status add(struct stream *s, const struct og_batch *b,
                     const struct og_stream_doc *d, og_error *err)
{
    if (og_sentences_has(s->sentences, d->doc.id)) {
        s->counts.n_repeated_ids++;
        og_stream_report(b, d,
                         "its id was seen before: taken as another version");
    }
    TRY(og_sentences_add(s->sentences, &d->doc, err));
    s->n_waiting += d->text_len;
    return OG_OK;
}

static og_status take(void *ctx, struct og_batch *b, struct og_stream_doc *d,
                      og_error *err)
{
    struct stream *s = ctx;
    s->has_waiting = true;
    if (!s->options->no_answers) TRY(answer(s, b, d, err));
    if (s->options->add) TRY(add(s, b, d, err));
    if (s->n_waiting < GROUP_BYTES &&
        og_clock_seconds() - s->last_commit < GROUP_SECONDS)
        return OG_OK;
    return commit(s, err);
}

/* ---- any thread ---- */

static og_status make(void *ctx, void *worker, struct og_batch *b,
                      struct og_stream_doc *d, og_error *err)
{
    (void)ctx, (void)worker, (void)b;
    if (d->text_len <= OG_TEXT_MAX) return OG_OK;
    return og_error_set(err, OG_ERR_LIMIT, "the text is longer than %zu bytes",
                        OG_TEXT_MAX);
}

/* ---- the whole ---- */

og_status og_quote_stream(og_sentences *sentences, const og_input *input,
                          const og_quote_stream_options *options,
                          og_stream_counts *out_counts, og_error *err)
{
    struct stream s = {.sentences = sentences,
                       .options = options,
                       .last_commit = og_clock_seconds()};
    const struct og_stream_work work = {.ctx = &s,
                                        .allocator = sentences->allocator,
                                        .uses_time = true,
                                        .make = make,
                                        .take = take};
    og_status status = og_stream_documents(input, &work, &s.counts, err);
    /* What was taken in stays, also when something went wrong after it. */
    if (status != OG_ERR_STOPPED) {
        og_error second;
        const og_status committed = commit(&s, &second);
        if (committed != OG_OK && (status == OG_OK || s.counts.is_told)) {
            status = og_error_set(err, committed, "%s", second.message);
            s.counts.is_told = false;
        }
    }
    if (out_counts != NULL) *out_counts = s.counts;
    return status;
}
