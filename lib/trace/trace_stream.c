/* Streams: files in, answers out, on all cores.
 *
 *     reader           workers                            writer
 *     source/ -> text/ token/ fingerprint/ select/ -> table/ estimate/ -> you
 *     (lib/stream)     (trace_worker.c)                   (here)
 *
 * An answer depends on everything added before. So the documents of a block are
 * added together, in phases (lib/store/store_batch.h), each on all threads; the
 * calling thread does only what must be done in order: identification, journal,
 * catalogue, output. Then they are answered, on all threads, each as if later
 * ones were not there; another index is queried in the same way. Documents that
 * do not fit into a batch (they have the id of an earlier one) are processed
 * one by one, and so are all if an answer depends on counts beside the table.
 * If nothing is added the order does not matter, and the workers query while
 * they prepare. */

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/stopping.h"
#include "lib/os/cpu.h"
#include "lib/source/block.h"
#include "lib/store/catalogue/shared_documents.h"
#include "lib/store/store_batch.h"
#include "lib/store/store_disk.h"
#include "lib/store/store_shared.h"
#include "lib/trace/trace_stream.h"
#include "lib/trace/trace_worker.h"

og_stream_options og_stream_options_default(void)
{
    return (og_stream_options){.add = false};
}

/* Documents whose data are fetched before their turn: a line of the cache from
 * another core takes as long as identifying one document. */
#define AHEAD 8

/* An answer held back until its document is durable. */
struct held {
    const og_document *doc;
    og_answer answer;
};

struct writer {
    struct og_trace_work work; /* first: of the workers */
    og_store *store;
    const og_stream_options *options;
    const og_input *input;
    const struct og_stream_hooks *hooks; /* NULL: none */
    struct og_prepare_options prepare;   /* the store's, or less */
    og_trace trace; /* its scratch is not used: the workers have theirs */
    bool holds;     /* answers are reported once their documents are durable */
    struct held *held;
    size_t n_held, held_cap;
    struct og_arena arena; /* of the held ones */
    /* Position of the frames of the current batch; not yet: segment 0. */
    uint32_t segment;
    uint64_t base;
    og_stream_counts counts;
    /* Batches. */
    bool is_batched;
    struct og_store_batch batch;
    size_t *run; /* number in the block of each document of a run */
    size_t run_cap;
    struct og_index_doc *asked; /* for another index: all of a run */
    size_t asked_cap;
    struct og_subject *subjects; /* identified before their turn */
    size_t subjects_cap;
    size_t n_known;   /* ids of the last run that the store had */
    size_t most_run;  /* documents that the next run of the block may have */
    size_t n_ready;   /* documents of the block that are done */
    og_status status; /* the cause of its end */
    og_error err;
};

static struct og_traced *traced(const struct og_stream_doc *d)
{
    return d->made;
}

/* ---- problems ---- */

/* An id can have any length; its beginning is enough. */
static void report_repeated(const struct og_batch *b,
                            const struct og_stream_doc *d)
{
    enum { SHOWN_LEN = 200 };
    char message[SHOWN_LEN + 80];
    const og_bytes id = d->doc.id;
    const bool is_long = id.len > SHOWN_LEN;
    if (!traced(d)->is_repeated) return;
    snprintf(message, sizeof(message),
             "id '%.*s%s' was seen before: taken as another version",
             (int)(is_long ? SHOWN_LEN : id.len), id.data,
             is_long ? "..." : "");
    og_stream_report(b, d, message);
}

/* It is to be added: was it seen before? */
static void count_series(struct writer *w, const struct og_subject *subject)
{
    if (subject->is_known)
        w->counts.n_known++;
    else if (subject->latest != OG_NO_DOC)
        w->counts.n_repeated_ids++;
    else
        w->counts.n_added++;
}

static bool is_another_version(const struct og_subject *subject)
{
    return !subject->is_known && subject->latest != OG_NO_DOC;
}

/* ---- documents ---- */

static og_status report_answer(const struct writer *w, const og_document *doc,
                               const og_answer *answer, og_error *err)
{
    assert(w->options->on_answer != NULL); /* a caller without on_answer gets
                                              none */
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

/* It is reported with the others of its block. */
static og_status keep_answer(struct writer *w, struct og_traced *made,
                             og_error *err)
{
    if (!og_answer_keep(&w->trace.answering.answer, &w->arena, &made->answer))
        return og_error_memory(err, sizeof(made->answer), "an answer");
    made->has_answer = true;
    return OG_OK;
}

static og_status answer(struct writer *w, const struct og_stream_doc *d,
                        const struct og_subject *subject, og_error *err)
{
    struct og_answering *a = &w->trace.answering;
    TRY(og_store_answer(w->store, subject, &w->trace, err));
    if (w->is_batched) return keep_answer(w, traced(d), err);
    if (w->holds) return hold_answer(w, &d->doc, err);
    return report_answer(w, &d->doc, &a->answer, err);
}

/* The documents of a batch are durable: now their answers may be reported. */
static og_status report_held(void *ctx, struct og_batch *b, og_error *err)
{
    enum { KEEP_LEN = 1 << 20 };
    struct writer *w = ctx;
    og_status status = OG_OK;
    (void)b;
    if (w->n_held > 0) status = og_store_commit(w->store, err);
    for (size_t i = 0; i < w->n_held && status == OG_OK; i++)
        status = report_answer(w, w->held[i].doc, &w->held[i].answer, err);
    w->n_held = 0;
    og_arena_clear(&w->arena, KEEP_LEN);
    return status;
}

static og_status report_pause(const struct writer *w, og_error *err)
{
    const og_stream_options *o = w->options;
    if (o->on_pause == NULL || o->on_pause(o->ctx)) return OG_OK;
    return og_stream_stopped(err);
}

static og_status report_durable(const struct writer *w, og_error *err)
{
    const struct og_stream_hooks *hooks = w->hooks;
    if (hooks == NULL || hooks->on_durable == NULL) return OG_OK;
    if (w->options->add) TRY(og_store_commit(w->store, err));
    return hooks->on_durable(hooks->ctx, err);
}

static og_status settle(void *ctx, struct og_batch *b, og_error *err)
{
    TRY(report_held(ctx, b, err));
    TRY(report_pause(ctx, err));
    TRY(report_durable(ctx, err));
    const struct writer *w = ctx;
    if (!w->is_batched || w->status == OG_OK) return OG_OK;
    return og_error_pass(err, &w->err);
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

static bool is_to_be_added(const struct writer *w,
                           const struct og_stream_doc *d)
{
    return w->options->add && og_store_keeps(w->store, &traced(d)->prepared);
}

static struct og_subject subject_of(const struct og_stream_doc *d)
{
    return (struct og_subject){.doc = &d->doc,
                               .prepared = &traced(d)->prepared,
                               .text_hash = traced(d)->text_hash,
                               .text_len = d->text_len};
}

/* ---- another index ---- */

static bool asks_index(const struct writer *w)
{
    return w->hooks != NULL && w->hooks->question != NULL;
}

/* As it is now, before documents come to the store that it does not know. */
static og_status open_index(struct writer *w, og_error *err)
{
    void *index;
    if (!asks_index(w)) return OG_OK;
    return og_index_get(w->store, w->hooks->index, &index, err);
}

static og_status ask_index(struct writer *w, struct og_index_run *run,
                           og_error *err)
{
    run->question = w->hooks->question;
    run->lot = w->batch.lot;
    return og_index_ask_run(w->store, w->hooks->index, run, err);
}

static og_status own_trace(void *ctx, void *worker, og_trace **out,
                           og_error *err)
{
    struct writer *w = ctx;
    (void)worker, (void)err;
    *out = &w->trace;
    return OG_OK;
}

static og_status ask_index_one(struct writer *w, const struct og_stream_doc *d,
                               og_error *err)
{
    const struct og_phases alone = og_phases_alone(NULL);
    struct og_index_doc doc = {.doc = &d->doc, .number = OG_NO_DOC};
    struct og_index_run run = {.docs = &doc,
                               .n = 1,
                               .phases = &alone,
                               .trace_of = own_trace,
                               .ctx = w};
    TRY(open_index(w, err));
    TRY(ask_index(w, &run, err));
    traced(d)->reported = doc.answer;
    traced(d)->n_reported = doc.n_answer;
    return OG_OK;
}

/* Processes one by itself, after all before it. */
static og_status take_one(struct writer *w, struct og_batch *b,
                          struct og_stream_doc *d, og_error *err)
{
    const bool for_answer = w->options->on_answer != NULL;
    const bool is_added = is_to_be_added(w, d);
    struct og_subject subject = subject_of(d);
    if (asks_index(w)) TRY(ask_index_one(w, d, err));
    if (!for_answer && !is_added && !w->options->sighting) return OG_OK;
    if (!w->is_batched && w->options->add) {
        const struct og_id_asker asker = {&d->doc, is_added};
        TRY(og_store_claim(w->store, &asker, 1, err));
    }
    TRY(og_store_identify(w->store, &subject, false, &w->trace, err));
    if (is_added) count_series(w, &subject);
    traced(d)->is_repeated = is_added && is_another_version(&subject);
    if (!w->is_batched) report_repeated(b, d);
    if (for_answer || !subject.is_known || w->options->sighting)
        TRY(og_store_ask(w->store, &subject, for_answer || w->options->sighting,
                         &w->trace, err));
    if (for_answer) TRY(answer(w, d, &subject, err));
    if (is_added) return keep_document(w, b, d, &subject, err);
    if (w->options->add || !w->options->sighting) return OG_OK;
    return og_store_see(w->store, &subject, &w->trace, err);
}

/* ---- batches ---- */

static og_status trace_of(void *ctx, void *worker, og_trace **out,
                          og_error *err)
{
    struct writer *w = ctx;
    return og_worker_trace(&w->work, w->store, worker, out, err);
}

struct answering_run {
    struct writer *writer;
    struct og_batch *block;
};

static struct og_stream_doc *run_doc(const struct writer *w,
                                     const struct og_batch *b, size_t number)
{
    return &b->docs[w->run[number]];
}

static og_status answer_piece(void *ctx, void *worker, size_t number,
                              og_error *err)
{
    const struct answering_run *a = ctx;
    struct writer *w = a->writer;
    const struct og_run_doc *doc = &w->batch.docs[number];
    struct og_traced *made = traced(run_doc(w, a->block, number));
    og_trace *trace;
    TRY(trace_of(w, worker, &trace, err));
    og_lookup_clear(&trace->lookup);
    TRY(og_store_label(w->store, &doc->subject, w->batch.parts[number].hits,
                       trace, err));
    trace->run = w->batch.has_late ? &w->batch : NULL;
    const og_status status =
        og_store_answer(w->store, &doc->subject, trace, err);
    trace->run = NULL;
    TRY(status);
    if (!og_worker_keep(&w->work, worker, &made->answer))
        return og_error_memory(err, sizeof(made->answer), "an answer");
    if (!og_worker_render(&w->work, worker, &run_doc(w, a->block, number)->doc,
                          &made->answer))
        return og_error_memory(err, sizeof(made->answer), "an answer");
    made->has_answer = true;
    if (doc->is_added) og_store_keep_at_hand(&doc->subject, trace);
    return OG_OK;
}

/* What the calling thread needs of a document was made by another one: fetched
 * into its cache some documents before. */
static void expect_document(const struct writer *w, const struct og_batch *b,
                            size_t i)
{
    const og_store *store = w->store;
    if (i + 2 * AHEAD < b->n_docs) {
        const struct og_stream_doc *d = &b->docs[i + 2 * AHEAD];
        __builtin_prefetch(&d->doc.id);
        __builtin_prefetch(&d->made);
    }
    if (i + AHEAD < b->n_docs) {
        const struct og_stream_doc *d = &b->docs[i + AHEAD];
        __builtin_prefetch(traced(d));
        __builtin_prefetch(&traced(d)->prepared.tokens.n);
        __builtin_prefetch(&traced(d)->prepared.selection.n);
        __builtin_prefetch(d->doc.id.data);
    }
    if (i < b->n_docs && store->disk == NULL && store->shared == NULL)
        og_pending_expect_id(&store->pending, b->docs[i].doc.id);
}

/* Documents that are identified by all threads, because the store has many of
 * their ids: the entries of those are read from disk. */
struct identifying {
    struct writer *writer;
    const struct og_batch *block;
    size_t first, n;
};

enum { IDENTIFIED_EACH = 16 }; /* in a piece */

static og_status identify_piece(void *ctx, void *worker, size_t number,
                                og_error *err)
{
    const struct identifying *x = ctx;
    struct writer *w = x->writer;
    const size_t begin = number * IDENTIFIED_EACH;
    const size_t end =
        x->n - begin < IDENTIFIED_EACH ? x->n : begin + IDENTIFIED_EACH;
    og_trace *trace;
    TRY(trace_of(w, worker, &trace, err));
    for (size_t i = begin; i < end; i++) {
        w->subjects[i] = subject_of(&x->block->docs[x->first + i]);
        TRY(og_store_identify(w->store, &w->subjects[i], false, trace, err));
    }
    return OG_OK;
}

/* How many from `first` on; nothing changes before they are taken. If it fails,
 * none: the one that fails is met in its turn. */
static size_t identify_ahead(struct writer *w, const struct og_batch *b,
                             size_t first, const struct og_phases *phases)
{
    const size_t left = b->n_docs - first;
    struct identifying x = {w, b, first,
                            left < w->most_run ? left : w->most_run};
    if (phases->n_threads == 1 || w->store->disk == NULL ||
        w->store->shared != NULL || w->n_known < IDENTIFIED_EACH ||
        x.n < 2 * IDENTIFIED_EACH ||
        !OG_GROW(w->store->allocator, w->subjects, w->subjects_cap, x.n))
        return 0;
    const size_t n_pieces = (x.n + IDENTIFIED_EACH - 1) / IDENTIFIED_EACH;
    return og_phases_step(phases, "identify", n_pieces, identify_piece, &x,
                          NULL) == OG_OK
               ? x.n
               : 0;
}

/* Documents from `first` on, as long as they fit. */
static og_status gather_run(struct writer *w, struct og_batch *b, size_t first,
                            const struct og_phases *phases, size_t *out_end,
                            og_error *err)
{
    const bool for_answer = w->options->on_answer != NULL;
    size_t i = first;
    TRY(og_store_batch_begin(&w->batch, b->n_docs - first, err));
    const size_t ahead = first + identify_ahead(w, b, first, phases);
    w->n_known = 0;
    for (; i < b->n_docs; i++) {
        struct og_stream_doc *d = &b->docs[i];
        if (i >= ahead) expect_document(w, b, i + AHEAD);
        const bool is_added = is_to_be_added(w, d);
        struct og_subject subject =
            i < ahead ? w->subjects[i - first] : subject_of(d);
        if (!for_answer && !is_added && !asks_index(w)) continue;
        if (i >= ahead)
            TRY(og_store_identify(w->store, &subject, false, &w->trace, err));
        w->n_known += subject.latest != OG_NO_DOC;
        if (!og_store_batch_add(&w->batch, &subject, is_added)) break;
        w->run[w->batch.n - 1] = i;
    }
    /* Where ids are repeated, runs are short: few are identified in vain. */
    w->most_run = 2 * (i - first) + IDENTIFIED_EACH;
    *out_end = i;
    return OG_OK;
}

static og_status label_run(struct writer *w, struct og_batch *b,
                           const struct og_phases *phases, og_error *err)
{
    for (size_t i = 0; i < w->batch.n; i++) {
        struct og_run_doc *doc = &w->batch.docs[i];
        if (doc->is_added)
            TRY(keep_text(w, b, run_doc(w, b, i), &doc->subject, err));
    }
    return og_store_batch_label(&w->batch, phases, err);
}

/* Those that were added, and those that were there. */
static void count_run(struct writer *w, const struct og_batch *b)
{
    for (size_t i = 0; i < w->batch.n; i++) {
        const struct og_subject *subject = &w->batch.docs[i].subject;
        struct og_stream_doc *d = run_doc(w, b, i);
        if (!is_to_be_added(w, d)) continue;
        count_series(w, subject);
        traced(d)->is_repeated = is_another_version(subject);
    }
}

static og_status answer_run(struct writer *w, struct og_batch *b,
                            const struct og_phases *phases, og_error *err)
{
    struct answering_run run = {w, b};
    const og_status status =
        og_phases_step(phases, "answer", w->batch.n, answer_piece, &run, err);
    /* Pieces begin in their order: all before the one that failed are done. */
    size_t n = 0;
    while (n < w->batch.n && traced(run_doc(w, b, n))->has_answer)
        n++;
    if (status != OG_OK) w->n_ready = w->run[n];
    return status;
}

/* ---- rendering the answers of an index ---- */

struct rendering_run {
    struct writer *writer;
    struct og_batch *block;
    bool is_run; /* the documents are those of the run, not of the block */
};

struct rendered_doc {
    const struct og_stream_hooks *hooks;
    const og_document *doc;
    const struct og_traced *made;
};

static bool render_reported(void *ctx, og_write_fn *write, void *to)
{
    const struct rendered_doc *d = ctx;
    return d->hooks->render(d->hooks->ctx, d->doc, d->made->reported,
                            d->made->n_reported, write, to);
}

static og_status render_piece(void *ctx, void *worker, size_t number,
                              og_error *err)
{
    const struct rendering_run *r = ctx;
    struct writer *w = r->writer;
    const struct og_stream_doc *d =
        r->is_run ? run_doc(w, r->block, number) : &r->block->docs[number];
    struct rendered_doc doc = {w->hooks, &d->doc, traced(d)};
    if (og_worker_keep_rendered(&w->work, worker, render_reported, &doc,
                                &traced(d)->rendered))
        return OG_OK;
    return og_error_memory(err, d->text_len, "an answer");
}

static og_status render_run(struct writer *w, struct og_batch *b, size_t n,
                            bool is_run, const struct og_phases *phases,
                            og_error *err)
{
    struct rendering_run run = {w, b, is_run};
    if (w->hooks->render == NULL) return OG_OK;
    return og_phases_step(phases, "render", n, render_piece, &run, err);
}

/* The documents of the run, which are in the store by now. */
static og_status ask_index_run(struct writer *w, struct og_batch *b,
                               const struct og_phases *phases, og_error *err)
{
    const size_t n = w->batch.n;
    if (!OG_GROW(w->store->allocator, w->asked, w->asked_cap, n))
        return og_error_memory(err, n * sizeof(*w->asked), "a batch");
    for (size_t i = 0; i < n; i++) {
        const struct og_run_doc *doc = &w->batch.docs[i];
        w->asked[i] = (struct og_index_doc){
            .doc = doc->subject.doc,
            .subject = &doc->subject,
            .number = doc->is_added ? w->batch.parts[i].doc : OG_NO_DOC,
            .time = doc->subject.place.time};
    }
    struct og_index_run run = {.docs = w->asked,
                               .n = n,
                               .phases = phases,
                               .trace_of = trace_of,
                               .ctx = w};
    TRY(ask_index(w, &run, err));
    for (size_t i = 0; i < n; i++) {
        struct og_traced *made = traced(run_doc(w, b, i));
        made->reported = w->asked[i].answer;
        made->n_reported = w->asked[i].n_answer;
    }
    return render_run(w, b, n, true, phases, err);
}

static og_status take_singly(struct writer *w, struct og_batch *b, size_t end,
                             og_error *err)
{
    for (; w->n_ready < end; w->n_ready++)
        TRY(take_one(w, b, &b->docs[w->n_ready], err));
    return OG_OK;
}

/* The next documents of the block: w->n_ready of them are done. */
static og_status take_run(struct writer *w, struct og_batch *b,
                          const struct og_phases *phases, og_error *err)
{
    size_t end;
    size_t n;
    TRY(open_index(w, err));
    TRY(gather_run(w, b, w->n_ready, phases, &end, err));
    if (w->batch.n == 0)
        return take_singly(w, b, end > w->n_ready ? end : end + 1, err);
    /* An error of a single document is found when they are taken one by one;
     * one of a server is reported now. */
    const og_status labelled = label_run(w, b, phases, err);
    if ((labelled == OG_ERR_IO && w->store->remote != NULL) ||
        w->store->shared != NULL)
        TRY(labelled);
    if (labelled != OG_OK) return take_singly(w, b, end, err);
    TRY(og_store_batch_take(&w->batch, phases, &n, err));
    count_run(w, b);
    if (w->options->on_answer != NULL) TRY(answer_run(w, b, phases, err));
    if (asks_index(w)) TRY(ask_index_run(w, b, phases, err));
    w->n_ready = end;
    w->batch.asked = asks_index(w) ? w->hooks->index : 0;
    og_stop_set(w->input->should_stop, w->input->ctx);
    const og_status status = og_store_batch_tidy(&w->batch, phases, err);
    og_stop_set(NULL, NULL);
    return status;
}

/* Nothing is added: all documents of a block can be queried at once. */
static og_status ask_block(struct writer *w, struct og_batch *b,
                           const struct og_phases *phases, og_error *err)
{
    const size_t n = b->n_docs;
    struct og_index_run run = {
        .n = n, .phases = phases, .trace_of = trace_of, .ctx = w};
    if (!OG_GROW(w->store->allocator, w->asked, w->asked_cap, n))
        return og_error_memory(err, n * sizeof(*w->asked), "a batch");
    for (size_t i = 0; i < n; i++)
        w->asked[i] =
            (struct og_index_doc){.doc = &b->docs[i].doc, .number = OG_NO_DOC};
    run.docs = w->asked;
    TRY(open_index(w, err));
    TRY(ask_index(w, &run, err));
    for (size_t i = 0; i < n; i++) {
        traced(&b->docs[i])->reported = w->asked[i].answer;
        traced(&b->docs[i])->n_reported = w->asked[i].n_answer;
    }
    TRY(render_run(w, b, n, false, phases, err));
    w->n_ready = n;
    return OG_OK;
}

/* Ids and numbers of the whole block, from a store that others add to. */
static og_status claim_block(struct writer *w, const struct og_batch *b,
                             og_error *err)
{
    const og_allocator *a = w->store->allocator;
    struct og_id_asker *list = NULL;
    size_t cap = 0;
    if (w->store->shared == NULL || b->n_docs == 0) return OG_OK;
    if (!OG_GROW(a, list, cap, b->n_docs))
        return og_error_memory(err, b->n_docs * sizeof(*list), "a batch");
    for (size_t i = 0; i < b->n_docs; i++)
        list[i] = (struct og_id_asker){&b->docs[i].doc,
                                       is_to_be_added(w, &b->docs[i])};
    const og_status status = og_store_claim(w->store, list, b->n_docs, err);
    OG_UNGROW(a, list, cap);
    return status;
}

static og_status take_block(struct writer *w, struct og_batch *b, og_error *err)
{
    const struct og_phases phases = og_stream_phases(b);
    if (!w->options->add) return ask_block(w, b, &phases, err);
    if (!OG_GROW(w->store->allocator, w->run, w->run_cap, b->n_docs))
        return og_error_memory(err, b->n_docs * sizeof(*w->run), "a batch");
    w->most_run = b->n_docs;
    og_status status = claim_block(w, b, err);
    while (status == OG_OK && w->n_ready < b->n_docs)
        status = take_run(w, b, &phases, err);
    if (!w->holds || w->options->on_answer == NULL) return status;
    /* Nothing is reported that is not durable. */
    const og_status committed =
        og_store_commit(w->store, status == OG_OK ? err : NULL);
    if (committed == OG_OK) return status;
    w->n_ready = 0;
    return status == OG_OK ? committed : status;
}

/* An answer that depends on counts beside the table depends on each single
 * document before it. */
static bool can_batch(const struct writer *w)
{
    if (w->hooks != NULL) return w->options->add || asks_index(w);
    const og_trace_options *asking = &w->options->asking;
    const og_params *params = &w->store->params;
    const bool counts = asking->boilerplate_documents > 0 ||
                        asking->boilerplate_share > 0 ||
                        params->shingle_len < 8;
    return w->options->add && (w->options->on_answer == NULL || !counts);
}

static og_status begin_batch(void *ctx, struct og_batch *b, og_error *err)
{
    struct writer *w = ctx;
    w->segment = 0;
    w->is_batched = can_batch(w) && b->status == OG_OK;
    b->is_whole = w->is_batched;
    w->n_ready = 0;
    w->batch.lot++;
    if (!w->is_batched) return OG_OK;
    og_worker_answers_clear(&w->work);
    if (w->input->should_stop != NULL && w->input->should_stop(w->input->ctx))
        w->status = og_stream_stopped(&w->err);
    else
        w->status = take_block(w, b, &w->err);
    (void)err;
    return OG_OK;
}

static og_status report_index(const struct writer *w,
                              const struct og_stream_doc *d, og_error *err)
{
    const struct og_traced *made = traced(d);
    if (!asks_index(w)) return OG_OK;
    return w->hooks->report(w->hooks->ctx, &d->doc, made->reported,
                            made->n_reported, made->rendered, err);
}

/* What take_block() did is reported. */
static og_status report_document(struct writer *w, struct og_batch *b,
                                 struct og_stream_doc *d, og_error *err)
{
    const struct og_traced *made = traced(d);
    if ((size_t)(d - b->docs) >= w->n_ready) return og_error_pass(err, &w->err);
    report_repeated(b, d);
    if (w->hooks != NULL) return report_index(w, d, err);
    if (w->options->on_answer == NULL) return OG_OK;
    return report_answer(w, &d->doc, &made->answer, err);
}

static og_status take(void *ctx, struct og_batch *b, struct og_stream_doc *d,
                      og_error *err)
{
    struct writer *w = ctx;
    const struct og_traced *made = traced(d);
    w->counts.n_short += !og_store_keeps(w->store, &made->prepared);
    if (w->is_batched) return report_document(w, b, d, err);
    if (made->has_answer) return report_answer(w, &d->doc, &made->answer, err);
    TRY(take_one(w, b, d, err));
    return report_index(w, d, err);
}

/* ---- the whole ---- */

/* The number of indexes other than passages that documents are added to. */
static unsigned n_derived(const struct writer *w)
{
    const unsigned on = w->store->indexes.on & ~(unsigned)OG_INDEX_PASSAGES;
    if (w->options->add) return (unsigned)__builtin_popcount(on);
    return asks_index(w) ? 1 : 0;
}

/* A thread takes some 7 MiB: its batch, its buffers, texts of origins; and some
 * 7 MiB for each other index that it prepares documents for. Six times that
 * fits into what a store may take besides its cap; more threads are allowed by
 * the cap, one for each 64 MiB. */
static unsigned threads_for(unsigned wanted, const struct writer *w)
{
    const uint64_t most =
        6 / (1 + n_derived(w)) + w->store->params.memory / ((uint64_t)64 << 20);
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
        .keep_names = asks || store->disk != NULL || store->shared != NULL,
        .texts = texts,
        .min_tokens = store->params.min_tokens,
        .store = o->on_answer != NULL && !o->add && !o->sighting ? store : NULL,
        .asking = &o->asking,
        .options = o,
    };
}

/* Whether documents are grouped by a field of their records, which must then be
 * read, also of those that are only queried. */
static bool is_grouped_by_field(const og_params *params)
{
    return params->same[0] != '\0' && strcmp(params->same, "id") != 0;
}

/* Here, where a caller can stop it, and on all threads, and not when the store
 * is closed. */
static og_status finish_indexes(void *ctx, struct og_batch *last, og_error *err)
{
    const struct writer *w = ctx;
    const struct og_phases phases = og_stream_phases(last);
    if (!w->options->add || w->store->disk == NULL) return OG_OK;
    og_stop_set(w->input->should_stop, w->input->ctx);
    const og_status status = og_indexes_finish(w->store, &phases, err);
    og_stop_set(NULL, NULL);
    if (status != OG_ERR_STOPPED) return status;
    og_indexes_stop(w->store);
    return OG_OK;
}

static og_status run(struct writer *w, const og_input *input, og_error *err)
{
    og_input wanted = og_limited_input(input, w->store->params.memory);
    struct og_stream_work work = {.ctx = w,
                                  .allocator = w->store->allocator,
                                  .uses_time = true,
                                  .begin_batch = begin_batch,
                                  .take = take,
                                  .settle = settle,
                                  .finish = finish_indexes};
    fill_work(w);
    w->input = input;
    pthread_mutex_init(&w->work.lock, NULL);
    og_store_batch_init(&w->batch, w->store);
    w->batch.for_answer = w->options->on_answer != NULL;
    w->batch.repeats_alone =
        asks_index(w) && w->hooks->index == OG_INDEX_SENTENCES;
    w->batch.trace_of = trace_of;
    w->batch.ctx = w;
    w->work.n_threads = wanted.n_threads = threads_for(input->n_threads, w);
    og_trace_work_fill(&work);
    wanted.reading.extra |= is_grouped_by_field(&w->store->params);
    const og_status status =
        og_stream_documents(&wanted, &work, &w->counts, err);
    og_store_batch_release(&w->batch);
    OG_UNGROW(w->store->allocator, w->run, w->run_cap);
    OG_UNGROW(w->store->allocator, w->subjects, w->subjects_cap);
    OG_UNGROW(w->store->allocator, w->asked, w->asked_cap);
    pthread_mutex_destroy(&w->work.lock);
    return status;
}

og_status og_stream_run(og_store *store, const og_input *input,
                        const og_stream_options *options,
                        og_stream_counts *out_counts, og_error *err)
{
    return og_stream_ask(store, input, options, NULL, out_counts, err);
}

/* The threads of the store, which work beside the stream. */
static void report_log(const og_store *store, const og_input *input)
{
    if (input->on_timing == NULL || store->disk == NULL) return;
    input->on_timing(input->ctx,
                     &(const og_timing){.stage = "log",
                                        .thread = OG_TIMING_BESIDE,
                                        .seconds = og_disk_seconds(store->disk),
                                        .n = 1});
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
    if (store->shared != NULL) og_shared_forget_claims(store->shared);
    og_trace_init(&w.trace, store);
    og_arena_init(&w.arena, store->allocator);
    og_status status = og_trace_configure(&w.trace, &options->asking, err);
    if (status == OG_OK) status = run(&w, input, err);
    if (status == OG_ERR_STOPPED) og_indexes_stop(store);
    /* The first failure is the cause; that of a file comes second. */
    og_error second;
    const og_status committed = options->add || options->sighting
                                    ? og_store_commit(store, &second)
                                    : OG_OK;
    if (committed != OG_OK && (status == OG_OK || w.counts.is_reported)) {
        status = og_error_set(err, committed, "%s", second.message);
        w.counts.is_reported = false;
    }
    report_log(store, input);
    og_arena_release(&w.arena);
    OG_UNGROW(store->allocator, w.held, w.held_cap);
    og_trace_release(&w.trace);
    if (out_counts != NULL) *out_counts = w.counts;
    return status;
}
