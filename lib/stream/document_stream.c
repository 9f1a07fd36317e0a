/* Blocks of the input through the ring (lib/stream/ring.h): read, prepared on
 * any thread, taken in order. What the caller needs of a document stands in the
 * arena of its job: the fingerprints and the sketch; its line stands in the
 * block.
 */

#include "lib/stream/document_stream.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/os/cpu.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"
#include "lib/os/temp_file.h"
#include "lib/source/json/json_edit.h"
#include "lib/source/problem_teller.h"
#include "lib/stream/ring.h"

/* A job that held more than this gives its memory back. */
#define KEEP_LEN ((size_t)4 << 20)

struct job {
    struct og_block block;
    struct og_arena arena;
    struct og_dedup_doc *docs;
    size_t n_docs, docs_cap;
    og_status status; /* OG_END: there is no block */
    og_error err;
    bool is_ready;
};

struct stream {
    const struct og_dedup_source *source;
    struct og_source_options options;
    struct og_source *reader;
    og_stream_counts *counts;
    struct og_problem_teller teller;
    int passed_fd;      /* lines that are too long, until they are rejected */
    uint64_t passed_at; /* up to here they were */
};

/* ---- reading ---- */

static void clear_job(struct job *job)
{
    if (!job->is_ready) {
        og_block_init(&job->block, NULL);
        og_arena_init(&job->arena, NULL);
        job->is_ready = true;
    }
    og_arena_clear(&job->arena, KEEP_LEN);
    if (job->block.cap + job->block.unescaped_cap > KEEP_LEN)
        og_block_release(&job->block);
    if (job->docs_cap * sizeof(*job->docs) > KEEP_LEN)
        OG_UNGROW(NULL, job->docs, job->docs_cap);
    job->n_docs = 0;
}

static bool read_job(void *ctx, void *mine, size_t *out_len)
{
    struct stream *s = ctx;
    struct job *job = mine;
    clear_job(job);
    job->status = og_source_next(s->reader, &job->block, &job->err);
    if (job->status != OG_OK) return false;
    *out_len = job->block.len;
    return true;
}

static void release_job(void *ctx, void *mine)
{
    (void)ctx;
    struct job *job = mine;
    if (!job->is_ready) return;
    og_arena_release(&job->arena);
    OG_UNGROW(NULL, job->docs, job->docs_cap);
    og_block_release(&job->block);
}

/* ---- preparing ---- */

static og_status start_hand(void *ctx, void *mine, og_error *err)
{
    (void)err;
    struct stream *s = ctx;
    struct og_dedup_worker *h = mine;
    og_shingler_init(&h->shingler, s->source->tokens, s->source->key, NULL);
    return OG_OK;
}

static void stop_hand(void *ctx, void *mine)
{
    (void)ctx;
    struct og_dedup_worker *h = mine;
    og_shingler_release(&h->shingler);
    og_pack_release(&h->made);
    OG_UNGROW(NULL, h->scratch, h->scratch_cap);
}

/* The line that holds the byte at `off` of the block, without its newline. */
static og_bytes line_at(const struct og_block *block, size_t off)
{
    const char *begin = block->data + off;
    const char *end = memchr(begin, '\n', block->len - off);
    if (end == NULL) end = block->data + block->len;
    while (begin > block->data && begin[-1] != '\n')
        begin--;
    return (og_bytes){begin, (size_t)(end - begin)};
}

static uint64_t rank_of(const struct og_dedup_source *source,
                        struct og_dedup_worker *h, const struct og_dedup_doc *d)
{
    const char *name = source->keep_field;
    uint64_t rank;
    og_bytes raw;
    switch (source->keep) {
    case OG_KEEP_LONGEST: return UINT64_MAX - d->n_tokens;
    case OG_KEEP_FIELD: {
        const bool smallest = name[0] == '-';
        if (d->record.len == 0 ||
            !OG_GROW(NULL, h->scratch, h->scratch_cap, d->record.len + 128) ||
            !og_json_member(d->record, name + smallest, h->scratch, &raw) ||
            !og_json_rank(raw, h->scratch, &rank))
            return UINT64_MAX;
        return smallest ? rank : UINT64_MAX - 1 - rank;
    }
    case OG_KEEP_FIRST:
    case OG_KEEP_LAST: break;
    }
    return 0; /* LAST: by the number of the document, lib/dedup/dedup.c */
}

#define KEEP(arena, pointer, n)                                                \
    (((pointer) = og_arena_copy((arena), (pointer), (n) * sizeof(*(pointer)),  \
                                _Alignof(uint64_t))) != NULL)

static bool keep_bytes(struct job *job, og_bytes *bytes)
{
    const uintptr_t at = (uintptr_t)bytes->data;
    const uintptr_t begin = (uintptr_t)job->block.data;
    if (bytes->len == 0 || (at >= begin && at < begin + job->block.len))
        return true;
    return KEEP(&job->arena, bytes->data, bytes->len);
}

static bool keep_strings(struct job *job, struct og_dedup_doc *d)
{
    if (!keep_bytes(job, &d->doc.id)) return false;
    if (d->record.len != 0) {
        d->doc.title = d->doc.url = d->doc.text = d->doc.extra =
            (og_bytes){"", 0};
        return true;
    }
    return keep_bytes(job, &d->doc.title) && keep_bytes(job, &d->doc.url) &&
           keep_bytes(job, &d->doc.text) && keep_bytes(job, &d->doc.extra);
}

/* What the level wants of the text. */
static og_status make(struct stream *s, struct og_dedup_worker *h,
                      struct job *job, struct og_dedup_doc *d, og_bytes text)
{
    const struct og_dedup_source *source = s->source;
    uint8_t sketch[OG_BAND_SAMPLES_MAX];
    if (job->block.sequence < source->n_skip_blocks) return OG_OK;
    if (source->make != NULL) {
        h->made.len = 0;
        TRY(source->make(source->ctx, h, text, &job->err));
        if (h->made.failed)
            return og_error_memory(&job->err, h->made.len, "a document");
        d->made = h->made.data;
        d->made_len = h->made.len;
        const uint8_t *bytes = h->made.data;
        if (!KEEP(&job->arena, bytes, h->made.len))
            return og_error_memory(&job->err, h->made.len, "a document");
        d->made = bytes;
    } else if (source->sketcher != NULL) {
        TRY(og_shingler_run(&h->shingler, text, &job->err));
        const uint64_t *fps = h->shingler.fps.data;
        const uint8_t *samples = sketch;
        d->n_fps = h->shingler.fps.n;
        og_band_sketch(source->sketcher, fps, d->n_fps, sketch);
        d->parity = og_set_parity_of(fps, d->n_fps);
        if (!KEEP(&job->arena, fps, d->n_fps) ||
            !KEEP(&job->arena, samples, source->sketcher->n_samples))
            return og_error_memory(&job->err, d->n_fps * 8, "a document");
        d->fps = fps;
        d->sketch = samples;
    } else {
        return OG_OK;
    }
    d->n_tokens = h->shingler.tokens.n;
    d->n_repaired = h->shingler.text.n_repaired;
    return OG_OK;
}

static og_status add_document(struct stream *s, struct og_dedup_worker *h,
                              struct job *job, const struct og_record *record)
{
    if (!OG_GROW(NULL, job->docs, job->docs_cap, job->n_docs + 1))
        return og_error_memory(&job->err, sizeof(*job->docs), "documents");
    struct og_dedup_doc *d = &job->docs[job->n_docs];
    *d = (struct og_dedup_doc){.block = &job->block,
                               .doc = record->doc,
                               .line = record->line,
                               .offset = record->offset,
                               .text_len = record->doc.text.len,
                               .bad_time = record->bad_time,
                               .n_problems_before = job->block.n_problems};
    if (job->block.kind == OG_BLOCK_LINES)
        d->record =
            line_at(&job->block, (size_t)(record->offset - job->block.offset));
    TRY(make(s, h, job, d, record->doc.text));
    d->rank = rank_of(s->source, h, d);
    if (!keep_strings(job, d))
        return og_error_memory(&job->err, d->text_len, "a document");
    job->n_docs++;
    return OG_OK;
}

static og_status report_limit(struct job *job, const struct og_record *record)
{
    char message[200];
    snprintf(message, sizeof(message), "%.199s", job->err.message);
    return og_block_report(&job->block,
                           &(struct og_source_problem){.line = record->line,
                                                       .offset = record->offset,
                                                       .skipped = true,
                                                       .status = OG_ERR_LIMIT},
                           &job->err, "%s", message);
}

static void prepare_job(void *ctx, void *mine, void *of_job)
{
    struct stream *s = ctx;
    struct og_dedup_worker *h = mine;
    struct job *job = of_job;
    struct og_record record;
    og_status status = job->status;
    while (status == OG_OK) {
        status = og_block_next(&job->block, &s->options, &record, &job->err);
        if (status == OG_END) return;
        if (status != OG_OK) break;
        status = add_document(s, h, job, &record);
        if (status == OG_ERR_LIMIT) status = report_limit(job, &record);
        og_shingler_trim(&h->shingler);
    }
    job->status = status;
}

/* ---- taking, in order ---- */

/* The reader passes over a line that does not fit a block. Its bytes go to a
 * temporary file, for it reads ahead: they are rejected in their turn. */
static og_status on_passed(void *ctx, og_bytes bytes, og_error *err)
{
    struct stream *s = ctx;
    if (s->passed_fd < 0 &&
        (s->passed_fd = og_temp_file_open(s->source->folder, err)) < 0)
        return OG_ERR_IO;
    if (og_file_write_all(s->passed_fd, bytes.data, bytes.len) != 0)
        return og_file_failure(err, "write a temporary file in",
                               s->source->folder, errno);
    return OG_OK;
}

static og_status reject_passed(struct stream *s, uint64_t len, bool is_told,
                               og_error *err)
{
    char buffer[1 << 14];
    for (uint64_t left = len; left > 0;) {
        const size_t n = left < sizeof(buffer) ? (size_t)left : sizeof(buffer);
        if (og_file_read_at(s->passed_fd, buffer, n, s->passed_at) !=
            (int64_t)n)
            return og_file_failure(err, "read a temporary file in",
                                   s->source->folder, errno);
        s->passed_at += n;
        left -= n;
        if (is_told)
            TRY(s->source->reject(s->source->ctx, (og_bytes){buffer, n},
                                  left > 0, err));
    }
    return OG_OK;
}

static og_status reject(struct stream *s, const struct og_block *block,
                        const struct og_source_problem *p, og_error *err)
{
    const bool is_told = s->source->reject != NULL &&
                         block->sequence >= s->source->n_known_blocks;
    if (p->passed_len > 0) return reject_passed(s, p->passed_len, is_told, err);
    if (!is_told || block->kind != OG_BLOCK_LINES ||
        p->offset < block->offset || p->offset - block->offset >= block->len)
        return OG_OK;
    return s->source->reject(
        s->source->ctx, line_at(block, (size_t)(p->offset - block->offset)),
        false, err);
}

static og_status take_problems(struct stream *s, const struct og_block *block,
                               size_t from, size_t to, og_error *err)
{
    og_teller_see(&s->teller, block);
    for (size_t i = from; i < to; i++) {
        const struct og_source_problem *p = &block->problems[i];
        if (p->skipped && !p->whole_file) TRY(reject(s, block, p, err));
        og_tell_block_problem(&s->teller, block, i);
    }
    return OG_OK;
}

static void count(struct stream *s, const struct og_dedup_doc *d)
{
    char message[96];
    s->counts->n_documents++;
    s->counts->n_text_bytes += d->text_len;
    s->counts->n_tokens += d->n_tokens;
    s->counts->n_bad_times += d->bad_time;
    if (d->n_repaired == 0) return;
    s->counts->n_repaired++;
    snprintf(message, sizeof(message), "%zu byte%s not UTF-8: read as U+FFFD",
             d->n_repaired, d->n_repaired == 1 ? " is" : "s are");
    og_tell_document(&s->teller, d->block, d->line, d->offset, message);
}

static og_status take_job(struct stream *s, struct job *job, og_error *err)
{
    size_t n_told = 0;
    for (size_t i = 0; i < job->n_docs; i++) {
        struct og_dedup_doc *d = &job->docs[i];
        TRY(take_problems(s, &job->block, n_told, d->n_problems_before, err));
        n_told = d->n_problems_before;
        count(s, d);
        TRY(s->source->take(s->source->ctx, d, err));
    }
    if (job->status == OG_END) return OG_OK;
    TRY(take_problems(s, &job->block, n_told, job->block.n_problems, err));
    if (job->status != OG_OK)
        return og_error_set(err, job->status, "%s", job->err.message);
    s->counts->n_files += job->block.ends_file;
    s->counts->n_input_bytes += job->block.n_input_bytes;
    if (s->source->end_block != NULL)
        TRY(s->source->end_block(s->source->ctx, job->block.sequence, err));
    if (s->source->on_progress != NULL)
        s->source->on_progress(s->source->report_ctx, s->counts);
    return OG_OK;
}

static og_status run(struct stream *s, struct og_ring *ring, og_error *err)
{
    for (bool is_last = false; !is_last;) {
        struct job *job = og_ring_next(ring, &is_last);
        TRY(take_job(s, job, err));
        og_ring_give_back(ring);
    }
    return OG_OK;
}

/* ---- the documents of a store ---- */

/* They come from one reader, so one after the other. */
static og_status take_stored(struct stream *s, struct og_dedup_worker *h,
                             struct job *job, uint32_t number, og_error *err)
{
    bool is_there;
    og_document doc;
    TRY(og_stored_texts_get(s->source->stored, number, &doc, &is_there, err));
    if (!is_there) return OG_OK;
    struct og_dedup_doc d = {.block = &job->block,
                             .doc = doc,
                             .line = (uint64_t)number + 1,
                             .offset = number,
                             .is_stored = true,
                             .text_len = doc.text.len};
    og_arena_clear(&job->arena, KEEP_LEN);
    const og_status status = make(s, h, job, &d, doc.text);
    if (status != OG_OK)
        return og_error_set(err, status, "%s", job->err.message);
    og_shingler_trim(&h->shingler);
    count(s, &d);
    return s->source->take(s->source->ctx, &d, err);
}

static og_status stream_stored(struct stream *s, og_error *err)
{
    struct job job = {0};
    struct og_dedup_worker hand = {0};
    const struct og_stored_texts *stored = s->source->stored;
    clear_job(&job);
    og_status status = start_hand(s, &hand, err);
    const size_t room = strlen(og_stored_texts_path(stored)) + 1;
    if (status == OG_OK &&
        !OG_GROW(NULL, job.block.file, job.block.file_cap, room))
        status = og_error_memory(err, room, "a file name");
    if (status == OG_OK)
        memcpy(job.block.file, og_stored_texts_path(stored), room);
    for (uint32_t i = 0; i < og_stored_texts_n(stored) && status == OG_OK;
         i++) {
        status = take_stored(s, &hand, &job, i, err);
        if (i % 1024 == 1023 && s->source->on_progress != NULL)
            s->source->on_progress(s->source->report_ctx, s->counts);
    }
    stop_hand(s, &hand);
    release_job(s, &job);
    return status;
}

og_status og_dedup_stream(const struct og_dedup_source *source,
                          og_stream_counts *counts, og_error *err)
{
    struct stream s = {.source = source,
                       .options = {.fields = source->fields,
                                   .reading = source->reading,
                                   .extra_of_values = true,
                                   .max_document = source->max_document},
                       .counts = counts,
                       .teller = {.ctx = source->report_ctx,
                                  .on_problem = source->on_problem,
                                  .counts = counts},
                       .passed_fd = -1};
    if (source->stored != NULL) return stream_stored(&s, err);
    if (source->reject != NULL && source->folder != NULL) {
        s.options.on_passed = on_passed;
        s.options.passed_ctx = &s;
    }
    const struct og_ring_work work = {.ctx = &s,
                                      .job_len = sizeof(struct job),
                                      .hand_len =
                                          sizeof(struct og_dedup_worker),
                                      .start_hand = start_hand,
                                      .stop_hand = stop_hand,
                                      .release_job = release_job,
                                      .read = read_job,
                                      .prepare = prepare_job};
    struct og_ring *ring = NULL;
    og_status status = og_source_new(source->paths, source->n_paths, &s.options,
                                     NULL, &s.reader, err);
    if (status == OG_OK)
        status = og_ring_new(
            &work, source->n_threads != 0 ? source->n_threads : og_cpu_count(),
            &ring, err);
    if (status == OG_OK) status = run(&s, ring, err);
    og_ring_free(ring);
    og_source_free(s.reader);
    if (s.passed_fd >= 0) close(s.passed_fd);
    return og_teller_end(&s.teller, status, err);
}
