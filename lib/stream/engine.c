/* Batches through the ring (lib/stream/ring.h). A worker processes one document
 * after another in its own buffers, so data needed later are copied to the
 * arena of the batch: a few bytes per byte of text, all of it close together. A
 * string that is unchanged in the block is not copied.
 *
 * Documents from a callback are copied, one after the other, into the bytes of
 * a block, so that everything else is the same for both. */

#include "lib/stream/engine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/permits.h"
#include "lib/base/stopping.h"
#include "lib/os/cpu.h"
#include "lib/source/block.h"
#include "lib/stream/problem_reporter.h"
#include "lib/stream/ring.h"

/* A batch that held more than this frees its memory. Twice what a block of
 * usual documents needs. */
#define KEEP_LEN ((size_t)2 << 20)

/* Documents of this length and more are long: those of a block together are
 * shorter. */
#define LONG_TEXT OG_SOURCE_BLOCK_LEN

/* The minimum and maximum bytes of blocks in flight. */
#define LEAST_IN_FLIGHT ((uint64_t)8 << 20)
#define MOST_IN_FLIGHT  ((uint64_t)32 << 20)

/* The strings of a document. */
#define N_STRINGS 6

struct og_given_place {   /* in the bytes of the block */
    og_document doc;      /* its pointers are NULL */
    size_t at[N_STRINGS]; /* of each string */
    uint64_t number;
};

struct og_stream {
    const og_input *input;
    const struct og_stream_work *work;
    struct og_source_options options;
    struct og_source *source;
    struct og_ring *ring;
    og_stream_counts *counts;
    struct og_problem_reporter reporter;
    struct og_permits permits; /* for trees of pages and for long texts */
    uint64_t n_given, n_batches;
    bool is_ended;          /* the callback has no more documents */
    atomic_bool has_failed; /* a batch was not written: */
    og_error write_failure; /* why; set before */
};

og_input og_input_default(void)
{
    return (og_input){.fields = OG_FIELDS_DEFAULT};
}

og_status og_stream_stopped(og_error *err)
{
    return og_error_set(err, OG_ERR_STOPPED, "stopped by the caller");
}

static bool is_pipe(const char *path)
{
    struct stat st;
    if (strcmp(path, "-") == 0) return true;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

og_status og_stream_needs_again(const og_input *input, const char *what,
                                og_error *err)
{
    if (input->next != NULL && input->rewind == NULL)
        return og_error_set(err, OG_ERR_USAGE,
                            "the documents can be read only once; %s needs "
                            "them again",
                            what);
    for (size_t i = 0; input->next == NULL && i < input->n_paths; i++)
        if (is_pipe(input->paths[i]))
            return og_error_set(err, OG_ERR_USAGE,
                                "'%s' can be read only once; %s needs files",
                                input->paths[i], what);
    return OG_OK;
}

static bool is_stopped(const struct og_stream *s)
{
    return s->input->should_stop != NULL &&
           s->input->should_stop(s->input->ctx);
}

/* ---- the reading thread: given documents ---- */

static void strings_of(og_document *doc, og_bytes *out[N_STRINGS])
{
    out[0] = &doc->id;
    out[1] = &doc->title;
    out[2] = &doc->url;
    out[3] = &doc->extra;
    out[4] = &doc->text;
    out[5] = &doc->language;
}

static og_status name_block(struct og_block *block, const char *name,
                            og_error *err)
{
    const size_t room = strlen(name) + 1;
    if (!OG_GROW(block->allocator, block->file, block->file_cap, room))
        return og_error_memory(err, room, "a file name");
    memcpy(block->file, name, room);
    return OG_OK;
}

static og_status add_given(struct og_batch *b, og_document doc, uint64_t number,
                           og_error *err)
{
    struct og_block *block = &b->block;
    og_bytes *strings[N_STRINGS];
    char made_id[40];
    size_t len = 0;
    if (doc.id.len == 0) {
        doc.id.data = made_id;
        doc.id.len = (size_t)snprintf(made_id, sizeof(made_id), "document:%llu",
                                      (unsigned long long)number + 1);
    }
    strings_of(&doc, strings);
    for (size_t i = 0; i < N_STRINGS; i++)
        len += strings[i]->len;
    TRY(og_block_reserve(block, block->len + len, err));
    if (!OG_GROW(block->allocator, b->given, b->given_cap, b->n_given + 1))
        return og_error_memory(err, sizeof(*b->given), "documents");
    struct og_given_place *place = &b->given[b->n_given++];
    place->number = number;
    for (size_t i = 0; i < N_STRINGS; i++) {
        place->at[i] = block->len;
        if (strings[i]->len > 0)
            memcpy(block->data + block->len, strings[i]->data, strings[i]->len);
        block->len += strings[i]->len;
        strings[i]->data = NULL;
    }
    memset(block->data + block->len, 0, OG_BLOCK_PADDING);
    place->doc = doc;
    return OG_OK;
}

static og_status next_given(struct og_stream *s, og_document *out,
                            uint64_t *out_number, og_error *err)
{
    const struct og_stream_work *work = s->work;
    *out = (og_document){.id = {NULL, 0}};
    if (work->next != NULL) return work->next(work->ctx, out, out_number, err);
    *out_number = s->n_given++;
    return s->input->next(s->input->ctx, out, err);
}

/* A batch ends at the same document for any number of threads. */
static og_status read_given(struct og_stream *s, struct og_batch *b)
{
    og_document doc;
    uint64_t number;
    og_block_clear(&b->block);
    TRY(name_block(&b->block, s->work->name != NULL ? s->work->name : "",
                   &b->err));
    b->block.sequence = s->n_batches++;
    while (!s->is_ended && b->block.len < OG_SOURCE_BLOCK_LEN) {
        if (is_stopped(s)) return og_stream_stopped(&b->err);
        const og_status status = next_given(s, &doc, &number, &b->err);
        s->is_ended = status != OG_OK;
        if (status == OG_END) break;
        TRY(status);
        TRY(add_given(b, doc, number, &b->err));
    }
    return b->n_given == 0 ? OG_END : OG_OK;
}

/* ---- the reading thread ---- */

static void clear_batch(struct og_stream *s, struct og_batch *b)
{
    const struct og_stream_work *work = s->work;
    if (!b->is_ready) {
        b->stream = s;
        b->own = b + 1;
        og_block_init(&b->block, work->allocator);
        og_arena_init(&b->arena, work->allocator);
        b->is_ready = true;
    }
    og_arena_clear(&b->arena, KEEP_LEN);
    if (b->block.cap + b->block.unescaped_cap + b->block.extra_cap > KEEP_LEN)
        og_block_release(&b->block);
    if (b->docs_cap * sizeof(*b->docs) > KEEP_LEN)
        OG_UNGROW(work->allocator, b->docs, b->docs_cap);
    if (b->given_cap * sizeof(*b->given) > KEEP_LEN)
        OG_UNGROW(work->allocator, b->given, b->given_cap);
    b->n_docs = b->n_given = b->next_given = 0;
    if (work->clear_batch != NULL) work->clear_batch(work->ctx, b);
}

static bool read_batch(void *ctx, void *job, size_t *out_len)
{
    struct og_stream *s = ctx;
    struct og_batch *b = job;
    clear_batch(s, b);
    b->read_status = s->source == NULL
                         ? read_given(s, b)
                         : og_source_next(s->source, &b->block, &b->err);
    *out_len = b->block.len;
    return b->read_status == OG_OK;
}

static void release_batch(void *ctx, void *job)
{
    const struct og_stream *s = ctx;
    struct og_batch *b = job;
    if (!b->is_ready) return;
    if (s->work->release_batch != NULL) s->work->release_batch(s->work->ctx, b);
    og_arena_release(&b->arena);
    OG_UNGROW(s->work->allocator, b->docs, b->docs_cap);
    OG_UNGROW(s->work->allocator, b->given, b->given_cap);
    og_block_release(&b->block);
}

/* ---- the workers ---- */

static og_status start_worker(void *ctx, void *worker, og_error *err)
{
    const struct og_stream_work *work = ((struct og_stream *)ctx)->work;
    if (work->start_worker == NULL) return OG_OK;
    return work->start_worker(work->ctx, worker, err);
}

static void stop_worker(void *ctx, void *worker)
{
    const struct og_stream_work *work = ((struct og_stream *)ctx)->work;
    if (work->stop_worker != NULL) work->stop_worker(work->ctx, worker);
}

static void take_given(struct og_batch *b, struct og_record *out)
{
    const struct og_given_place *place = &b->given[b->next_given++];
    og_bytes *strings[N_STRINGS];
    *out = (struct og_record){
        .doc = place->doc, .line = place->number + 1, .offset = place->number};
    b->block.n_documents++;
    strings_of(&out->doc, strings);
    for (size_t i = 0; i < N_STRINGS; i++)
        strings[i]->data = b->block.data + place->at[i];
}

static og_status next_record(struct og_stream *s, struct og_batch *b,
                             struct og_record *out)
{
    const uint64_t most = og_max_document(&s->options);
    while (b->next_given < b->n_given) {
        take_given(b, out);
        if (out->doc.text.len <= most) return OG_OK;
        TRY(og_block_report_long_line(&b->block, out->line, out->offset, most,
                                      &b->err));
    }
    if (b->read_status != OG_OK) return b->read_status;
    if (s->source == NULL) return OG_END;
    return og_block_next(&b->block, &s->options, out, &b->err);
}

static bool keep_bytes(struct og_batch *b, og_bytes *bytes)
{
    const uintptr_t at = (uintptr_t)bytes->data;
    const uintptr_t begin = (uintptr_t)b->block.data;
    if (bytes->len == 0 || (at >= begin && at < begin + b->block.len))
        return true;
    bytes->data = og_arena_copy(&b->arena, bytes->data, bytes->len, 1);
    return bytes->data != NULL;
}

static bool keep_strings(struct og_batch *b, og_document *doc)
{
    og_bytes *strings[N_STRINGS];
    strings_of(doc, strings);
    for (size_t i = 0; i < N_STRINGS; i++)
        if (!keep_bytes(b, strings[i])) return false;
    return true;
}

/* For example a weight, or a text that is too large: the others continue. */
static bool is_own_fault(og_status status)
{
    return status == OG_ERR_LIMIT || status == OG_ERR_INPUT;
}

static og_status report_skipped(struct og_batch *b,
                                const struct og_record *record,
                                og_status status)
{
    const struct og_source_problem problem = {.line = record->line,
                                              .offset = record->offset,
                                              .skipped = true,
                                              .status = status};
    char message[sizeof(problem.message)];
    snprintf(message, sizeof(message), "%.199s", b->err.message);
    return og_block_report(&b->block, &problem, &b->err, "%s", message);
}

/* The memory that the longest document needs is granted once: those who prepare
 * long ones share it. */
static og_status prepare_document(struct og_stream *s, void *worker,
                                  struct og_batch *b, struct og_stream_doc *d)
{
    const struct og_stream_work *work = s->work;
    struct og_permits *permits = d->text_len >= LONG_TEXT ? &s->permits : NULL;
    const uint64_t len = (uint64_t)d->text_len * OG_SOURCE_WORK_FACTOR;
    if (work->make == NULL) return OG_OK;
    og_permits_take(permits, len);
    og_stop_set(s->input->should_stop, s->input->ctx);
    const og_status status = work->make(work->ctx, worker, b, d, &b->err);
    og_stop_set(NULL, NULL);
    og_permits_return(permits, len);
    return status;
}

static og_status make_document(struct og_stream *s, void *worker,
                               struct og_batch *b,
                               const struct og_record *record)
{
    const struct og_stream_work *work = s->work;
    if (!OG_GROW(work->allocator, b->docs, b->docs_cap, b->n_docs + 1))
        return og_error_memory(&b->err, sizeof(*b->docs),
                               "the documents of a block");
    struct og_stream_doc *d = &b->docs[b->n_docs];
    *d = (struct og_stream_doc){.doc = record->doc,
                                .line = record->line,
                                .offset = record->offset,
                                .text_len = record->doc.text.len,
                                .bad_time = record->bad_time,
                                .n_problems_before = b->block.n_problems};
    const og_status status = prepare_document(s, worker, b, d);
    if (is_own_fault(status)) return report_skipped(b, record, status);
    TRY(status);
    if (!keep_strings(b, &d->doc))
        return og_error_memory(&b->err, d->text_len, "a document");
    b->n_docs++;
    return OG_OK;
}

static void prepare_batch(void *ctx, void *worker, void *job)
{
    struct og_stream *s = ctx;
    struct og_batch *b = job;
    struct og_record record;
    og_status status = OG_OK;
    while (status == OG_OK) {
        status = next_record(s, b, &record);
        if (status == OG_OK) status = make_document(s, worker, b, &record);
    }
    if (status == OG_END && b->n_docs > 0 && s->work->make_batch != NULL)
        status = s->work->make_batch(s->work->ctx, worker, b, &b->err);
    b->status = status == OG_END ? OG_OK : status;
}

/* ---- the calling thread ---- */

void og_stream_report(const struct og_batch *b, const struct og_stream_doc *d,
                      const char *message)
{
    og_report_document_problem(&b->stream->reporter, &b->block, d->line,
                               d->offset, message);
}

void og_stream_repaired(const struct og_batch *b, const struct og_stream_doc *d,
                        size_t n_bytes)
{
    char message[96];
    if (n_bytes == 0) return;
    b->stream->counts->n_repaired++;
    snprintf(message, sizeof(message), "%zu byte%s not UTF-8: read as U+FFFD",
             n_bytes, n_bytes == 1 ? " is" : "s are");
    og_stream_report(b, d, message);
}

static void count(const struct og_stream *s, const struct og_batch *b,
                  const struct og_stream_doc *d)
{
    s->counts->n_documents++;
    s->counts->n_text_bytes += d->text_len;
    s->counts->n_tokens += d->n_tokens;
    s->counts->n_bad_times += d->bad_time;
    if (d->bad_time && s->work->uses_time)
        og_stream_report(b, d,
                         "the time is no date that is known: taken as a "
                         "document without a time");
    og_stream_repaired(b, d, d->n_repaired);
}

static og_status take_problems(struct og_stream *s, struct og_batch *b,
                               size_t from, size_t to, og_error *err)
{
    og_reporter_note_block(&s->reporter, &b->block);
    for (size_t i = from; i < to; i++) {
        const struct og_source_problem *p = &b->block.problems[i];
        if (p->skipped && !p->whole_file && s->work->skip != NULL)
            TRY(s->work->skip(s->work->ctx, b, p, err));
        og_report_block_problem(&s->reporter, &b->block, i);
    }
    return OG_OK;
}

struct shared_phase {
    const struct og_stream *stream;
    og_piece_fn *piece;
    void *ctx;
};

static og_status run_piece(void *ctx, void *worker, size_t number,
                           og_error *err)
{
    const struct shared_phase *phase = ctx;
    const og_input *input = phase->stream->input;
    const struct og_stop_asked before = og_stop_pause(); /* the caller's */
    og_stop_set(input->should_stop, input->ctx);
    const og_status status = phase->piece(phase->ctx, worker, number, err);
    og_stop_resume(before);
    return status;
}

og_status og_stream_share(const struct og_batch *b, size_t n,
                          og_piece_fn *piece, void *ctx, og_error *err)
{
    struct shared_phase phase = {b->stream, piece, ctx};
    return og_ring_share(b->stream->ring, n, run_piece, &phase, err);
}

static og_status share_phase(const struct og_phases *phases, size_t n,
                             og_piece_fn *piece, void *ctx, og_error *err)
{
    const struct og_batch *b = phases->ctx;
    og_ring_name(b->stream->ring, phases->step);
    return og_stream_share(b, n, piece, ctx, err);
}

unsigned og_stream_threads(const struct og_batch *b)
{
    return og_ring_threads(b->stream->ring);
}

struct og_phases og_stream_phases(const struct og_batch *b)
{
    return (struct og_phases){.ctx = b,
                              .n_threads = og_ring_threads(b->stream->ring),
                              .share = share_phase};
}

/* Documents taken before are settled even if one is skipped. */
static og_status take_document(const struct og_stream *s, struct og_batch *b,
                               struct og_stream_doc *d, og_error *err)
{
    const struct og_stream_work *work = s->work;
    og_stop_set(s->input->should_stop, s->input->ctx);
    const og_status status = work->take(work->ctx, b, d, err);
    og_stop_set(NULL, NULL);
    if (status == OG_ERR_STOPPED && is_stopped(s) && work->settle != NULL)
        TRY(work->settle(work->ctx, b, err));
    return status;
}

static og_status take_documents(struct og_stream *s, struct og_batch *b,
                                size_t *out_n_reported, og_error *err)
{
    const struct og_stream_work *work = s->work;
    for (size_t i = 0; i < b->n_docs; i++) {
        struct og_stream_doc *d = &b->docs[i];
        TRY(take_problems(s, b, *out_n_reported, d->n_problems_before, err));
        *out_n_reported = d->n_problems_before;
        if (!b->is_whole && is_stopped(s)) {
            if (work->settle != NULL) TRY(work->settle(work->ctx, b, err));
            return og_stream_stopped(err);
        }
        count(s, b, d);
        TRY(take_document(s, b, d, err));
    }
    return work->settle != NULL ? work->settle(work->ctx, b, err) : OG_OK;
}

static void show_progress(const struct og_stream *s)
{
    if (s->input->on_progress == NULL) return;
    s->input->on_progress(s->input->ctx,
                          s->work->step != NULL ? s->work->step : "documents",
                          s->counts);
}

static og_status take_batch(struct og_stream *s, struct og_batch *b,
                            og_error *err)
{
    const struct og_stream_work *work = s->work;
    size_t n_reported = 0;
    b->is_whole = false;
    if (b->read_status == OG_END) return OG_OK;
    /* An incomplete batch was never made. */
    if (work->make_batch != NULL && b->status != OG_OK)
        return og_error_pass(err, &b->err);
    if (work->begin_batch != NULL) TRY(work->begin_batch(work->ctx, b, err));
    TRY(take_documents(s, b, &n_reported, err));
    TRY(take_problems(s, b, n_reported, b->block.n_problems, err));
    if (b->status != OG_OK) return og_error_pass(err, &b->err);
    s->counts->n_files += b->block.ends_file;
    s->counts->n_input_bytes += b->block.n_input_bytes;
    if (work->end_batch != NULL) TRY(work->end_batch(work->ctx, b, err));
    show_progress(s);
    return OG_OK;
}

/* ---- the writing thread ---- */

static void write_batch(void *ctx, void *job)
{
    struct og_stream *s = ctx;
    og_error err = {.status = OG_OK};
    if (atomic_load(&s->has_failed)) return;
    if (s->work->write(s->work->ctx, job, &err) == OG_OK) return;
    s->write_failure = err;
    atomic_store(&s->has_failed, true);
}

static og_status check_written(struct og_stream *s, og_error *err)
{
    if (!atomic_load(&s->has_failed)) return OG_OK;
    return og_error_pass(err, &s->write_failure);
}

og_status og_stream_wait_written(const struct og_batch *b, og_error *err)
{
    og_ring_wait_written(b->stream->ring);
    return check_written(b->stream, err);
}

/* ---- all batches ---- */

static og_status take_all(struct og_stream *s, struct og_ring *ring,
                          og_error *err)
{
    for (bool is_last = false; !is_last;) {
        struct og_batch *b = og_ring_next(ring, &is_last);
        TRY(check_written(s, err));
        TRY(take_batch(s, b, err));
        if (is_last && s->work->finish != NULL)
            TRY(s->work->finish(s->work->ctx, b, err));
        og_ring_give_back(ring);
    }
    og_ring_wait_written(ring);
    return check_written(s, err);
}

/* ---- timings ---- */

static void report_timings(const struct og_stream *s)
{
    const struct og_stage_times *times;
    og_ring_stop(s->ring);
    for (unsigned i = 0; (times = og_ring_times(s->ring, i)) != NULL; i++)
        for (unsigned j = 0; j < times->n; j++)
            s->input->on_timing(
                s->input->ctx,
                &(const og_timing){.stage = times->stages[j].stage,
                                   .thread = i,
                                   .seconds = times->stages[j].seconds,
                                   .n = times->stages[j].n});
}

/* ---- the whole ---- */

/* Four times the longest document. */
static size_t most_in_flight(const struct og_stream *s)
{
    const uint64_t most = og_max_document(&s->options);
    if (most >= MOST_IN_FLIGHT / 4) return MOST_IN_FLIGHT;
    return 4 * most > LEAST_IN_FLIGHT ? 4 * most : LEAST_IN_FLIGHT;
}

static og_status run(struct og_stream *s, og_error *err)
{
    const og_input *input = s->input;
    const struct og_ring_work work = {
        .ctx = s,
        .job_len = sizeof(struct og_batch) + s->work->batch_len,
        .worker_len = s->work->worker_len,
        .start_worker = start_worker,
        .stop_worker = stop_worker,
        .release_job = release_batch,
        .read = read_batch,
        .prepare = prepare_batch,
        .write = s->work->write != NULL ? write_batch : NULL,
        .is_timed = input->on_timing != NULL,
        .most_in_flight = most_in_flight(s)};
    og_status status = OG_OK;
    if (s->work->next == NULL && input->next == NULL)
        status = og_source_new(input->paths, input->n_paths, &s->options,
                               s->work->allocator, &s->source, err);
    if (status == OG_OK)
        status = og_ring_new(
            &work, input->n_threads != 0 ? input->n_threads : og_cpu_count(),
            s->work->allocator, &s->ring, err);
    if (status == OG_OK) status = take_all(s, s->ring, err);
    if (s->ring != NULL && input->on_timing != NULL) report_timings(s);
    og_ring_free(s->ring);
    og_source_free(s->source);
    return status;
}

og_status og_stream_documents(const og_input *input,
                              const struct og_stream_work *work,
                              og_stream_counts *counts, og_error *err)
{
    struct og_stream s = {.input = input,
                          .work = work,
                          .options = {.fields = input->fields,
                                      .reading = input->reading,
                                      .extra_of_values = work->extra_of_values,
                                      .max_document = input->max_document,
                                      .should_stop = input->should_stop,
                                      .stop_ctx = input->ctx,
                                      .on_passed = work->on_passed,
                                      .passed_ctx = work->ctx},
                          .counts = counts,
                          .reporter = {.ctx = input->ctx,
                                       .on_problem = input->on_problem,
                                       .counts = counts}};
    og_permits_init(&s.permits, og_most_work(&s.options));
    s.options.permits = &s.permits;
    const og_status status = run(&s, err);
    og_permits_release(&s.permits);
    counts->is_reported = status == OG_OK && s.reporter.failure.status != OG_OK;
    return og_reporter_end(&s.reporter, status, err);
}

/* ---- the documents themselves ---- */

struct reading {
    og_document_fn *on_document;
    void *ctx;
};

static og_status take_read(void *ctx, struct og_batch *b,
                           struct og_stream_doc *d, og_error *err)
{
    const struct reading *r = ctx;
    (void)b;
    return r->on_document(r->ctx, &d->doc) ? OG_OK : og_stream_stopped(err);
}

og_status og_input_read(const og_input *input, og_document_fn *on_document,
                        void *ctx, og_stream_counts *out_counts, og_error *err)
{
    struct reading reading = {on_document, ctx};
    const og_input limited = og_limited_input(input, OG_SOURCE_MEMORY);
    og_stream_counts counts = {0};
    const struct og_stream_work work = {
        .ctx = &reading, .uses_time = true, .take = take_read};
    const og_status status = og_stream_documents(&limited, &work, &counts, err);
    if (out_counts != NULL) *out_counts = counts;
    return status;
}
