/* Streams of documents asked about, and added, sentence by sentence.
 *
 * One thread reads, asks and adds: a question costs microseconds, and an
 * answer depends on every document before it. Documents are made durable in
 * groups, for a disk takes as long for one as for a thousand. */

#include "lib/os/clock.h"
#include "lib/sentence/index/sentences.h"
#include "lib/source/block.h"
#include "lib/source/problem_teller.h"

enum { GROUP_BYTES = 1 << 20 };
#define GROUP_SECONDS 0.25

og_quote_stream_options og_quote_stream_options_default(void)
{
    return (og_quote_stream_options){.fields = OG_FIELDS_DEFAULT,
                                     .max_document = OG_SOURCE_MAX_DOCUMENT,
                                     .quote = og_quote_options_default()};
}

struct stream {
    og_sentences *sentences;
    const og_quote_stream_options *options;
    struct og_source_options source_options;
    og_stream_counts counts;
    uint64_t n_waiting; /* bytes since the last commit */
    bool has_waiting;
    double last_commit;
    struct og_problem_teller teller;
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
        return og_error_set(err, OG_ERR_STOPPED, "stopped by the caller");
    return OG_OK;
}

static og_status answer(struct stream *s, const og_document *doc, og_error *err)
{
    const og_quotes *quotes;
    TRY(og_sentences_ask(s->sentences, doc, &s->options->quote, &quotes, err));
    s->counts.n_repaired += quotes->n_repaired != 0;
    s->counts.n_tokens += quotes->n_words;
    s->counts.n_short += quotes->n_sentences == 0;
    if (s->options->on_answer == NULL ||
        s->options->on_answer(s->options->ctx, doc, quotes))
        return OG_OK;
    return og_error_set(err, OG_ERR_STOPPED, "stopped by the caller");
}

static og_status take_record(struct stream *s, const struct og_block *block,
                             const struct og_record *r, og_error *err)
{
    s->counts.n_documents++;
    s->counts.n_text_bytes += r->doc.text.len;
    if (r->bad_time) {
        s->counts.n_bad_times++;
        og_tell_document(&s->teller, block, r->line, r->offset,
                         "the time is no date that is known: taken as a "
                         "document without a time");
    }
    s->has_waiting = true;
    if (!s->options->no_answers) TRY(answer(s, &r->doc, err));
    if (s->options->add) {
        if (og_sentences_has(s->sentences, r->doc.id)) {
            s->counts.n_repeated_ids++;
            og_tell_document(
                &s->teller, block, r->line, r->offset,
                "its id was seen before: taken as another version");
        }
        TRY(og_sentences_add(s->sentences, &r->doc, err));
        s->n_waiting += r->doc.text.len;
    }
    if (s->n_waiting < GROUP_BYTES &&
        og_clock_seconds() - s->last_commit < GROUP_SECONDS)
        return OG_OK;
    return commit(s, err);
}

/* A text that is too long is this document's fault alone. */
static og_status take_or_skip(struct stream *s, struct og_block *block,
                              const struct og_record *r, og_error *err)
{
    const og_status status = take_record(s, block, r, err);
    if (status != OG_ERR_LIMIT || r->doc.text.len <= OG_TEXT_MAX) return status;
    s->counts.n_documents--;
    const struct og_source_problem problem = {.line = r->line,
                                              .offset = r->offset,
                                              .skipped = true,
                                              .status = status};
    return og_block_report(block, &problem, err, "%s", err->message);
}

static og_status take_block(struct stream *s, struct og_block *block,
                            og_error *err)
{
    struct og_record record;
    og_status status;
    size_t n_told = 0;
    while ((status = og_block_next(block, &s->source_options, &record, err)) ==
           OG_OK) {
        og_tell_block_problems(&s->teller, block, n_told, block->n_problems);
        n_told = block->n_problems;
        TRY(take_or_skip(s, block, &record, err));
    }
    if (status != OG_END) return status;
    og_tell_block_problems(&s->teller, block, n_told, block->n_problems);
    s->counts.n_files += block->ends_file;
    s->counts.n_input_bytes += block->n_input_bytes;
    if (s->options->on_progress != NULL)
        s->options->on_progress(s->options->ctx, &s->counts);
    return OG_OK;
}

static og_status run(struct stream *s, struct og_source *source, og_error *err)
{
    struct og_block block;
    og_status status;
    og_block_init(&block, s->sentences->allocator);
    while ((status = og_source_next(source, &block, err)) == OG_OK &&
           (status = take_block(s, &block, err)) == OG_OK) {
    }
    og_block_release(&block);
    return status == OG_END ? OG_OK : status;
}

og_status og_quote_stream(og_sentences *sentences, const char *const *paths,
                          size_t n_paths,
                          const og_quote_stream_options *options,
                          og_stream_counts *out_counts, og_error *err)
{
    struct stream s = {
        .sentences = sentences,
        .options = options,
        .source_options = {.fields = options->fields,
                           .reading = options->reading,
                           .max_document = options->max_document},
        .teller = {.ctx = options->ctx, .on_problem = options->on_problem},
        .last_commit = og_clock_seconds()};
    s.teller.counts = &s.counts;
    struct og_source *source = NULL;
    og_status status = og_source_new(paths, n_paths, &s.source_options,
                                     sentences->allocator, &source, err);
    if (status == OG_OK) status = run(&s, source, err);
    og_source_free(source);
    /* What was taken in stays, also when something went wrong behind it. */
    if (status != OG_ERR_STOPPED) {
        og_error second;
        const og_status committed = commit(&s, &second);
        if (status == OG_OK && committed != OG_OK) {
            status = committed;
            if (err != NULL) *err = second;
        }
    }
    if (out_counts != NULL) *out_counts = s.counts;
    return og_teller_end(&s.teller, status, err);
}
