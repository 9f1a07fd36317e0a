/* Streams: files in, answers out, on all cores.
 *
 *     reader           workers                            writer
 *     source/ -> text/ token/ fingerprint/ select/ -> table/ estimate/ -> you
 *     (lib/stream)     (trace_worker.c)                   (here)
 *
 * The table has one writer, and an answer depends on all that was added before,
 * so the last steps are taken by one thread, in the order of the documents:
 * the calling one. It is the narrow place, so it does only what has to be done
 * in order: look up, label, answer, add. When nothing is added the order does
 * not matter, and the workers ask. */

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/stopping.h"
#include "lib/os/cpu.h"
#include "lib/source/block.h"
#include "lib/store/store_disk.h"
#include "lib/trace/trace_stream.h"
#include "lib/trace/trace_worker.h"

og_stream_options og_stream_options_default(void)
{
    return (og_stream_options){.add = false};
}

/* An answer that waits until its document is safe on disk. */
struct held {
    const og_document *doc;
    og_answer answer;
};

struct writer {
    struct og_trace_work work; /* first: of the workers */
    og_store *store;
    const og_stream_options *options;
    const struct og_stream_hooks *hooks; /* NULL: none */
    struct og_prepare_options prepare;   /* the store's, or less */
    og_trace trace; /* its scratch is not used: the workers have theirs */
    bool holds;     /* answers are given after their documents are safe */
    struct held *held;
    size_t n_held, held_cap;
    struct og_arena arena; /* of the held ones */
    /* Where the frames of the batch at hand went; not yet: segment 0. */
    uint32_t segment;
    uint64_t base;
    og_stream_counts counts;
};

static const struct og_traced *traced(const struct og_stream_doc *d)
{
    return d->made;
}

/* ---- problems ---- */

/* An id can have any length; the beginning of it will do. */
static void report_repeated(const struct og_batch *b,
                            const struct og_stream_doc *d)
{
    enum { SHOWN_LEN = 200 };
    char message[SHOWN_LEN + 80];
    const og_bytes id = d->doc.id;
    const bool is_long = id.len > SHOWN_LEN;
    snprintf(message, sizeof(message),
             "id '%.*s%s' was seen before: taken as another version",
             (int)(is_long ? SHOWN_LEN : id.len), id.data,
             is_long ? "..." : "");
    og_stream_report(b, d, message);
}

/* It is to be added: was it seen before? */
static void note_series(struct writer *w, const struct og_batch *b,
                        const struct og_stream_doc *d,
                        const struct og_subject *subject)
{
    if (subject->is_known) {
        w->counts.n_known++;
    } else if (subject->latest != OG_NO_DOC) {
        w->counts.n_repeated_ids++;
        report_repeated(b, d);
    } else {
        w->counts.n_added++;
    }
}

/* ---- documents ---- */

static og_status tell_answer(const struct writer *w, const og_document *doc,
                             const og_answer *answer, og_error *err)
{
    assert(w->options->on_answer != NULL); /* who does not ask gets none */
    if (!w->options->on_answer(w->options->ctx, doc, answer))
        return og_stream_stopped(err);
    return OG_OK;
}

static og_status hold_answer(struct writer *w, const og_document *doc,
                             og_error *err)
{
    if (!OG_GROW(w->store->allocator, w->held, w->held_cap, w->n_held + 1) ||
        !og_answer_keep(&w->trace.answering.answer, &w->arena,
                        &w->held[w->n_held].answer))
        return og_error_memory(err, sizeof(*w->held), "an answer");
    w->held[w->n_held++].doc = doc;
    return OG_OK;
}

static og_status answer(struct writer *w, const struct og_stream_doc *d,
                        const struct og_subject *subject, og_error *err)
{
    struct og_answering *a = &w->trace.answering;
    TRY(og_store_answer(w->store, subject, &w->trace, err));
    if (w->holds) return hold_answer(w, &d->doc, err);
    return tell_answer(w, &d->doc, &a->answer, err);
}

/* The documents of a batch are safe: now their answers may be told. */
static og_status tell_held(void *ctx, struct og_batch *b, og_error *err)
{
    enum { KEEP_LEN = 1 << 20 };
    struct writer *w = ctx;
    og_status status = OG_OK;
    (void)b;
    if (w->n_held > 0) status = og_store_commit(w->store, err);
    for (size_t i = 0; i < w->n_held && status == OG_OK; i++)
        status = tell_answer(w, w->held[i].doc, &w->held[i].answer, err);
    w->n_held = 0;
    og_arena_clear(&w->arena, KEEP_LEN);
    return status;
}

static og_status tell_pause(const struct writer *w, og_error *err)
{
    const og_stream_options *o = w->options;
    if (o->on_pause == NULL || o->on_pause(o->ctx)) return OG_OK;
    return og_stream_stopped(err);
}

static og_status tell_durable(const struct writer *w, og_error *err)
{
    const struct og_stream_hooks *hooks = w->hooks;
    if (hooks == NULL || hooks->on_durable == NULL) return OG_OK;
    if (w->options->add) TRY(og_store_commit(w->store, err));
    return hooks->on_durable(hooks->ctx, err);
}

static og_status settle(void *ctx, struct og_batch *b, og_error *err)
{
    TRY(tell_held(ctx, b, err));
    TRY(tell_pause(ctx, err));
    return tell_durable(ctx, err);
}

/* The frames of a batch go to disk when the first of its documents is kept. */
static og_status keep_text(struct writer *w, const struct og_batch *b,
                           const struct og_stream_doc *d,
                           struct og_subject *subject, og_error *err)
{
    og_store *store = w->store;
    const struct og_traced_batch *own = b->own;
    if (store->keeping.texts == NULL) return OG_OK;
    /* The texts of a batch that failed were not packed. */
    if (subject->latest != OG_NO_DOC || b->status != OG_OK)
        return og_store_keep_text(store, subject, d->doc.text, &w->trace.lookup,
                                  err);
    if (w->segment == 0)
        TRY(og_texts_append(store->keeping.texts, own->frames.data,
                            own->frames.len, &w->segment, &w->base, err));
    subject->text = traced(d)->text;
    og_text_place_move(&subject->text, w->segment, w->base);
    return OG_OK;
}

static og_status keep_document(struct writer *w, const struct og_batch *b,
                               const struct og_stream_doc *d,
                               struct og_subject *subject, og_error *err)
{
    if (subject->is_known) return OG_OK;
    TRY(keep_text(w, b, d, subject, err));
    return og_store_take(w->store, subject, &w->trace, err);
}

static og_status take(void *ctx, struct og_batch *b, struct og_stream_doc *d,
                      og_error *err)
{
    struct writer *w = ctx;
    const struct og_traced *made = traced(d);
    const bool for_answer = w->options->on_answer != NULL;
    const bool is_kept = og_store_keeps(w->store, &made->prepared);
    const bool is_added = w->options->add && is_kept;
    struct og_subject subject = {.doc = &d->doc,
                                 .prepared = &made->prepared,
                                 .text_hash = made->text_hash,
                                 .text_len = d->text_len};
    w->counts.n_short += !is_kept;
    if (w->hooks != NULL) TRY(w->hooks->ask(w->hooks->ctx, &d->doc, err));
    if (!for_answer && !is_added && !w->options->sighting) return OG_OK;
    if (made->has_answer) return tell_answer(w, &d->doc, &made->answer, err);
    TRY(og_store_identify(w->store, &subject, false, &w->trace, err));
    if (is_added) note_series(w, b, d, &subject);
    if (for_answer || !subject.is_known || w->options->sighting)
        TRY(og_store_ask(w->store, &subject, for_answer || w->options->sighting,
                         &w->trace, err));
    if (for_answer) TRY(answer(w, d, &subject, err));
    if (is_added) return keep_document(w, b, d, &subject, err);
    if (w->options->add || !w->options->sighting) return OG_OK;
    return og_store_see(w->store, &subject, &w->trace, err);
}

/* ---- the whole ---- */

static og_status begin_batch(void *ctx, struct og_batch *b, og_error *err)
{
    struct writer *w = ctx;
    (void)b;
    (void)err;
    w->segment = 0;
    return OG_OK;
}

/* What a document takes while it is worked on goes with its length: 20 times
 * that as a rule, 53 times when its words are one letter each. A few kilobytes
 * of packed blanks shall not cost gigabytes where little memory was asked
 * for. */
static uint64_t longest_document(const og_params *params)
{
    const uint64_t least = (uint64_t)2 << 20;
    const uint64_t share = params->memory / 16;
    if (share > OG_SOURCE_MAX_DOCUMENT) return OG_SOURCE_MAX_DOCUMENT;
    return share > least ? share : least;
}

/* A thread takes some 7 MiB: its batch, its buffers, texts of origins. Six
 * have room in what a store takes besides its cap; more of them come with the
 * cap, one for each 64 MiB. */
static unsigned threads_for(unsigned wanted, const og_params *params)
{
    const uint64_t most = 6 + params->memory / ((uint64_t)64 << 20);
    if (wanted == 0) wanted = og_cpu_count();
    return wanted < most ? wanted : (unsigned)most;
}

static void fill_work(struct writer *w)
{
    const og_stream_options *o = w->options;
    og_store *store = w->store;
    struct og_texts *texts = o->add ? store->keeping.texts : NULL;
    const bool asks = o->on_answer != NULL || w->hooks != NULL;
    w->prepare = store->prepare;
    if (w->hooks != NULL && !o->add) w->prepare.no_fps = true;
    w->work = (struct og_trace_work){
        .allocator = store->allocator,
        .prepare = &w->prepare,
        .keep_places = o->on_answer != NULL,
        .keep_texts = asks || texts != NULL ||
                      (store->indexes.on & ~OG_INDEX_PASSAGES) != 0,
        .keep_names = asks || store->disk != NULL,
        .texts = texts,
        .min_tokens = store->params.min_tokens,
        .store = o->on_answer != NULL && !o->add && !o->sighting ? store : NULL,
        .asking = &o->asking,
    };
}

/* Whether documents are grouped by a field of their records, which then has to
 * be read, also of those that are only asked about. */
static bool is_grouped_by_field(const og_params *params)
{
    return params->same[0] != '\0' && strcmp(params->same, "id") != 0;
}

static og_status run(struct writer *w, const og_input *input, og_error *err)
{
    og_input wanted = *input;
    struct og_stream_work work = {.ctx = w,
                                  .allocator = w->store->allocator,
                                  .uses_time = true,
                                  .begin_batch = begin_batch,
                                  .take = take,
                                  .settle = settle};
    fill_work(w);
    w->work.n_threads = wanted.n_threads =
        threads_for(input->n_threads, &w->store->params);
    og_trace_work_fill(&work);
    if (wanted.max_document == 0)
        wanted.max_document = longest_document(&w->store->params);
    wanted.reading.extra |= is_grouped_by_field(&w->store->params);
    return og_stream_documents(&wanted, &work, &w->counts, err);
}

/* Here, where a caller can stop it, and not when the store is closed. */
static og_status finish_indexes(og_store *store, const og_input *input,
                                og_error *err)
{
    if (store->disk == NULL) return OG_OK;
    og_stop_set(input->should_stop, input->ctx);
    const og_status status = og_indexes_finish(store, err);
    og_stop_set(NULL, NULL);
    if (status != OG_ERR_STOPPED) return status;
    og_indexes_stop(store);
    return OG_OK;
}

og_status og_stream_run(og_store *store, const og_input *input,
                        const og_stream_options *options,
                        og_stream_counts *out_counts, og_error *err)
{
    return og_stream_ask(store, input, options, NULL, out_counts, err);
}

og_status og_stream_ask(og_store *store, const og_input *input,
                        const og_stream_options *options,
                        const struct og_stream_hooks *hooks,
                        og_stream_counts *out_counts, og_error *err)
{
    struct writer w = {.store = store,
                       .options = options,
                       .hooks = hooks,
                       .holds = options->add && store->disk != NULL};
    if ((options->add || options->sighting) && store->is_read_only)
        return og_error_set(err, OG_ERR_USAGE,
                            "the store was opened for reading only");
    if (options->on_answer != NULL && hooks == NULL)
        TRY(og_index_need_passages(store, err));
    store->indexes.is_stopped = false;
    og_trace_init(&w.trace, store);
    og_arena_init(&w.arena, store->allocator);
    og_status status = og_trace_configure(&w.trace, &options->asking, err);
    if (status == OG_OK) status = run(&w, input, err);
    if (status == OG_ERR_STOPPED) og_indexes_stop(store);
    if (status == OG_OK && options->add)
        status = finish_indexes(store, input, err);
    /* The first failure tells the cause; that of a file alone comes second. */
    og_error second;
    const og_status committed = options->add || options->sighting
                                    ? og_store_commit(store, &second)
                                    : OG_OK;
    if (committed != OG_OK && (status == OG_OK || w.counts.is_told)) {
        status = og_error_set(err, committed, "%s", second.message);
        w.counts.is_told = false;
    }
    og_arena_release(&w.arena);
    OG_UNGROW(store->allocator, w.held, w.held_cap);
    og_trace_release(&w.trace);
    if (out_counts != NULL) *out_counts = w.counts;
    return status;
}
