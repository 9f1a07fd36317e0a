/* Streams: files in, answers out, on all cores.
 *
 *     reader           workers                            writer
 *     source/ -> text/ token/ fingerprint/ select/ -> table/ estimate/ -> you
 *     (workers.c)      (job.c, prepare.c)                 (here)
 *
 * The table has one writer, and an answer depends on all that was added before,
 * so the last steps are taken by one thread, in the order of the documents:
 * the calling one. What it sees is the same for any number of threads, hence
 * so are the answers, the problems and the counts. It is the narrow place, so
 * it does only what has to be done in order: look up, label, answer, add. When
 * nothing is added the order does not matter, and the workers ask (job.c).
 *
 * The problems of a document are told before its answer, and those of records
 * that were skipped at their place among the documents. A file that cannot be
 * read is a problem too: the others go on, and its status is the status of the
 * whole run. */

#include <string.h>

#include "lib/os/cpu.h"
#include "lib/os/prefault.h"
#include "lib/source/block.h"
#include "lib/source/problem_teller.h"
#include "lib/store/store_disk.h"
#include "lib/trace/workers.h"

og_stream_options og_stream_options_default(void)
{
    return (og_stream_options){.fields = OG_FIELDS_DEFAULT,
                               .max_document = OG_SOURCE_MAX_DOCUMENT};
}

/* An answer that waits until its document is safe on disk. */
struct held {
    const og_document *doc;
    og_answer answer;
};

struct writer {
    og_store *store;
    const og_stream_options *options;
    og_trace trace; /* its scratch is not used: the workers have theirs */
    bool holds;     /* answers are told after their documents are safe */
    struct held *held;
    size_t n_held, held_cap;
    struct og_arena arena; /* of the held ones */
    /* Where the frames of the job at hand went; not yet: segment 0. */
    uint32_t segment;
    uint64_t base;
    struct og_prefault prefault;
    og_stream_counts counts;
    struct og_problem_teller teller;
};

/* ---- problems ---- */

/* A problem of a document that is taken in all the same. */
static void tell_document_problem(const struct writer *w,
                                  const struct og_block *block,
                                  const struct og_job_document *d,
                                  const char *message)
{
    og_tell_document(&w->teller, block, d->line, d->offset, message);
}

static void tell_repaired(const struct writer *w, const struct og_block *block,
                          const struct og_job_document *d)
{
    char message[96];
    const size_t n = d->prepared.text.n_repaired;
    snprintf(message, sizeof(message),
             "%zu byte%s not UTF-8: replaced by U+FFFD", n,
             n == 1 ? " is" : "s are");
    tell_document_problem(w, block, d, message);
}

/* An id can have any length; the beginning of it will do. */
static void tell_repeated(const struct writer *w, const struct og_block *block,
                          const struct og_job_document *d)
{
    enum { SHOWN_LEN = 200 };
    char message[SHOWN_LEN + 80];
    const og_bytes id = d->doc.id;
    const bool is_long = id.len > SHOWN_LEN;
    snprintf(message, sizeof(message),
             "id '%.*s%s' was seen before: taken as another version",
             (int)(is_long ? SHOWN_LEN : id.len), id.data,
             is_long ? "..." : "");
    tell_document_problem(w, block, d, message);
}

static void note_document(struct writer *w, const struct og_block *block,
                          const struct og_job_document *d)
{
    w->counts.n_documents++;
    w->counts.n_text_bytes += d->text_len;
    w->counts.n_tokens += d->prepared.tokens.n;
    if (!og_store_keeps(w->store, &d->prepared)) w->counts.n_short++;
    if (d->bad_time) {
        w->counts.n_bad_times++;
        tell_document_problem(w, block, d,
                              "the time is no date that is known: taken as a "
                              "document without a time");
    }
    if (d->prepared.text.n_repaired > 0) {
        w->counts.n_repaired++;
        tell_repaired(w, block, d);
    }
}

/* It is to be added: was it seen before? */
static void note_series(struct writer *w, const struct og_block *block,
                        const struct og_job_document *d,
                        const struct og_subject *subject)
{
    if (subject->is_known) {
        w->counts.n_known++;
    } else if (subject->latest != OG_NO_DOC) {
        w->counts.n_repeated_ids++;
        tell_repeated(w, block, d);
    } else {
        w->counts.n_added++;
    }
}

/* ---- documents ---- */

static og_status tell_answer(const struct writer *w, const og_document *doc,
                             const og_answer *answer, og_error *err)
{
    if (!w->options->on_answer(w->options->ctx, doc, answer))
        return og_error_set(err, OG_ERR_STOPPED, "stopped by the caller");
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

static og_status answer(struct writer *w, const struct og_job_document *d,
                        const struct og_subject *subject, og_error *err)
{
    struct og_answering *a = &w->trace.answering;
    TRY(og_store_answer(w->store, subject, &w->trace, err));
    if (w->holds) return hold_answer(w, &d->doc, err);
    return tell_answer(w, &d->doc, &a->answer, err);
}

/* The documents of a job are safe: now their answers may be told. */
static og_status tell_held(struct writer *w, og_error *err)
{
    enum { KEEP_LEN = 1 << 20 };
    og_status status = OG_OK;
    if (w->n_held > 0) status = og_store_commit(w->store, err);
    for (size_t i = 0; i < w->n_held && status == OG_OK; i++)
        status = tell_answer(w, w->held[i].doc, &w->held[i].answer, err);
    w->n_held = 0;
    og_arena_clear(&w->arena, KEEP_LEN);
    return status;
}

/* The frames of a job go to disk when the first of its documents is kept. */
static og_status keep_text(struct writer *w, const struct og_job *job,
                           const struct og_job_document *d,
                           struct og_subject *subject, og_error *err)
{
    og_store *store = w->store;
    if (store->disk == NULL || store->disk->texts == NULL) return OG_OK;
    if (subject->latest != OG_NO_DOC)
        return og_disk_keep_text(store, subject, d->doc.text, &w->trace.lookup,
                                 err);
    if (w->segment == 0)
        TRY(og_texts_append(store->disk->texts, job->frames.data,
                            job->frames.len, &w->segment, &w->base, err));
    subject->text = d->text;
    og_text_place_move(&subject->text, w->segment, w->base);
    return OG_OK;
}

static og_status take(struct writer *w, const struct og_job *job,
                      const struct og_job_document *d,
                      struct og_subject *subject, og_error *err)
{
    if (subject->is_known) return OG_OK;
    TRY(keep_text(w, job, d, subject, err));
    return og_store_take(w->store, subject, &w->trace, err);
}

static og_status write_document(struct writer *w, const struct og_job *job,
                                const struct og_job_document *d, og_error *err)
{
    const bool for_answer = w->options->on_answer != NULL;
    const bool is_added =
        w->options->add && og_store_keeps(w->store, &d->prepared);
    struct og_subject subject = {.doc = &d->doc,
                                 .prepared = &d->prepared,
                                 .text_hash = d->text_hash,
                                 .text_len = d->text_len};
    note_document(w, &job->block, d);
    if (!for_answer && !is_added) return OG_OK;
    if (d->has_answer) return tell_answer(w, &d->doc, &d->answer, err);
    TRY(og_store_identify(w->store, &subject, false, &w->trace, err));
    if (is_added) note_series(w, &job->block, d, &subject);
    if (for_answer || !subject.is_known)
        TRY(og_store_ask(w->store, &subject, for_answer, &w->trace, err));
    if (for_answer) TRY(answer(w, d, &subject, err));
    return is_added ? take(w, job, d, &subject, err) : OG_OK;
}

static bool is_stopped(const struct writer *w)
{
    return w->options->stop != NULL && *w->options->stop != 0;
}

/* What was taken in is answered for. */
static og_status stop(struct writer *w, og_error *err)
{
    TRY(tell_held(w, err));
    return og_error_set(err, OG_ERR_STOPPED, "stopped by the caller");
}

static og_status write_job(struct writer *w, const struct og_job *job,
                           og_error *err)
{
    const struct og_block *block = &job->block;
    size_t n_told = 0;
    w->segment = 0;
    for (size_t i = 0; i < job->n_docs; i++) {
        const struct og_job_document *d = &job->docs[i];
        og_tell_block_problems(&w->teller, block, n_told, d->n_problems_before);
        n_told = d->n_problems_before;
        if (is_stopped(w)) return stop(w, err);
        TRY(write_document(w, job, d, err));
    }
    TRY(tell_held(w, err));
    og_tell_block_problems(&w->teller, block, n_told, block->n_problems);
    if (job->status != OG_OK)
        return og_error_set(err, job->status, "%s", job->err.message);
    w->counts.n_files += block->ends_file;
    w->counts.n_input_bytes += block->n_input_bytes;
    if (w->options->on_progress != NULL)
        w->options->on_progress(w->options->ctx, &w->counts);
    return OG_OK;
}

/* ---- the whole ---- */

/* Fingerprints fall anywhere: once there are more of them than huge pages,
 * nearly all of the table will be touched, and that had better be done side by
 * side. */
static void warm_table(struct writer *w, const struct og_job *job)
{
    enum { HUGE_PAGE = 2 << 20 };
    const struct og_pages *pages = &w->store->table.pages;
    size_t n_fps = 0;
    if (!w->options->add || w->prefault.is_running) return;
    for (size_t i = 0; i < job->n_docs; i++)
        n_fps += job->docs[i].prepared.selection.n;
    if (n_fps > pages->len / HUGE_PAGE) og_prefault_start(&w->prefault, pages);
}

static og_status write_all(struct writer *w, struct og_workers *workers,
                           og_error *err)
{
    for (;;) {
        const struct og_job *job = og_workers_next(workers);
        if (job->status == OG_END) return OG_OK;
        warm_table(w, job);
        TRY(write_job(w, job, err));
        og_workers_give_back(workers);
    }
}

static og_status run(struct writer *w, const char *const *paths, size_t n_paths,
                     og_error *err)
{
    const og_stream_options *o = w->options;
    const og_allocator *allocator = w->store->allocator;
    const unsigned n_threads =
        o->n_threads != 0 ? o->n_threads : og_cpu_count();
    struct og_texts *texts =
        o->add && w->store->disk != NULL ? w->store->disk->texts : NULL;
    const struct og_job_options options = {
        .source = {.fields = o->fields,
                   .reading = o->reading,
                   .max_document = o->max_document,
                   .stop = o->stop},
        .prepare = &w->store->prepare,
        .keep_places = o->on_answer != NULL,
        .keep_texts = o->on_answer != NULL || texts != NULL,
        .keep_names = o->on_answer != NULL || w->store->disk != NULL,
        .texts = texts,
        .min_tokens = w->store->params.min_tokens,
        .store = o->on_answer != NULL && !o->add ? w->store : NULL,
        .asking = &o->asking,
    };
    struct og_source *source = NULL;
    struct og_workers *workers = NULL;
    og_status status =
        og_source_new(paths, n_paths, &options.source, allocator, &source, err);
    if (status == OG_OK)
        status = og_workers_new(source, &options, n_threads, allocator,
                                &workers, err);
    if (status == OG_OK) status = write_all(w, workers, err);
    og_workers_free(workers);
    og_source_free(source);
    return status;
}

og_status og_stream_run(og_store *store, const char *const *paths,
                        size_t n_paths, const og_stream_options *options,
                        og_stream_counts *out_counts, og_error *err)
{
    struct writer w = {
        .store = store,
        .options = options,
        .teller = {.ctx = options->ctx, .on_problem = options->on_problem},
        .holds = options->add && store->disk != NULL};
    w.teller.counts = &w.counts;
    if (options->add && store->is_read_only)
        return og_error_set(err, OG_ERR_USAGE,
                            "the store was opened for reading only");
    og_trace_init(&w.trace, store);
    og_arena_init(&w.arena, store->allocator);
    og_status status = og_trace_configure(&w.trace, &options->asking, err);
    if (status == OG_OK) status = run(&w, paths, n_paths, err);
    og_prefault_stop(&w.prefault);
    /* The first failure tells the cause. */
    const og_status committed =
        options->add ? og_store_commit(store, status == OG_OK ? err : NULL)
                     : OG_OK;
    if (status == OG_OK) status = committed;
    og_arena_release(&w.arena);
    OG_UNGROW(store->allocator, w.held, w.held_cap);
    og_trace_release(&w.trace);
    w.counts.is_told = status == OG_OK && w.teller.failure.status != OG_OK;
    if (out_counts != NULL) *out_counts = w.counts;
    return og_teller_end(&w.teller, status, err);
}
