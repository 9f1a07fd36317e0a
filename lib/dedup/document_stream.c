/* Documents with their shingles and sketches, from the stream. The data of a
 * document that the caller needs are in the arena of its batch: the
 * fingerprints and the sketch; its line is in the block. */

#include "lib/dedup/document_stream.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/dedup/dedup_output.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"
#include "lib/os/secret.h"
#include "lib/os/temp_file.h"
#include "lib/source/json/json_edit.h"

struct stream {
    const struct og_dedup_source *source;
    int passed_fd;      /* lines that are too long, until they are rejected */
    uint64_t passed_at; /* position up to which they were rejected */
    uint32_t n_stored;  /* documents of a store read so far */
};

/* ---- preparing ---- */

og_status og_dedup_worker_own(struct og_dedup_worker *worker, size_t len,
                              og_error *err)
{
    if (worker->mine == NULL) worker->mine = og_allocate_zero(NULL, len);
    return worker->mine != NULL ? OG_OK : og_error_memory(err, len, "a thread");
}

static og_status start_worker(void *ctx, void *mine, og_error *err)
{
    const struct stream *s = ctx;
    struct og_dedup_worker *w = mine;
    (void)err;
    og_shingler_init(&w->shingler, s->source->tokens, s->source->key, NULL);
    return OG_OK;
}

static void stop_worker(void *ctx, void *mine)
{
    const struct stream *s = ctx;
    struct og_dedup_worker *w = mine;
    if (s->source->stop_worker != NULL)
        s->source->stop_worker(s->source->ctx, w);
    og_shingler_release(&w->shingler);
    og_pack_release(&w->made);
    OG_UNGROW(NULL, w->scratch, w->scratch_cap);
}

/* The line with the byte at `off` of the block, without its newline. */
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
                        struct og_dedup_worker *w, const struct og_dedup_doc *d)
{
    const char *name = source->keep_field;
    uint64_t rank;
    og_bytes raw;
    switch (source->keep) {
    case OG_KEEP_LONGEST: return UINT64_MAX - d->n_tokens;
    case OG_KEEP_FIELD: {
        const bool smallest = name[0] == '-';
        if (d->record.len == 0 ||
            !OG_GROW(NULL, w->scratch, w->scratch_cap, d->record.len + 128) ||
            !og_json_member(d->record, name + smallest, w->scratch, &raw) ||
            !og_json_rank(raw, w->scratch, &rank))
            return UINT64_MAX;
        return smallest ? rank : UINT64_MAX - 1 - rank;
    }
    case OG_KEEP_FIRST:
    case OG_KEEP_LAST: break;
    }
    return 0; /* LAST: by the number of the document, lib/dedup/dedup.c */
}

static og_status make_sketch(const struct og_dedup_source *source,
                             struct og_dedup_worker *w, struct og_batch *b,
                             struct og_dedup_doc *d, og_bytes text,
                             og_error *err)
{
    uint8_t sketch[OG_BAND_SAMPLES_MAX];
    TRY(og_shingler_run(&w->shingler, text, err));
    const struct og_fps *fps = &w->shingler.fps;
    const uint8_t *samples = sketch;
    og_band_sketch(source->sketcher, fps->data, fps->n, sketch);
    d->parity = og_set_parity_of(fps->data, fps->n);
    TRY(og_shingler_rekey(&w->shingler, text, og_secret(), err));
    const uint64_t *words = w->shingler.tokens.hash;
    const size_t n_words = w->shingler.tokens.n + OG_TOKENS_TAIL;
    if (!OG_BATCH_KEEP(b, words, n_words) ||
        !OG_BATCH_KEEP(b, samples, source->sketcher->n_samples))
        return og_error_memory(err, n_words * 8, "a document");
    d->words = words;
    d->sketch = samples;
    return OG_OK;
}

static og_status make_other(const struct og_dedup_source *source,
                            struct og_dedup_worker *w, struct og_batch *b,
                            struct og_dedup_doc *d, og_bytes text,
                            og_error *err)
{
    w->made.len = 0;
    TRY(source->make(source->ctx, w, text, err));
    const uint8_t *bytes = w->made.data;
    if (w->made.failed || !OG_BATCH_KEEP(b, bytes, w->made.len))
        return og_error_memory(err, w->made.len, "a document");
    d->made = bytes;
    d->made_len = w->made.len;
    return OG_OK;
}

/* The data that the level needs from the text. */
static og_status make_wanted(const struct og_dedup_source *source,
                             struct og_dedup_worker *w, struct og_batch *b,
                             struct og_dedup_doc *d, og_bytes text,
                             og_error *err)
{
    if (b->block.sequence < source->n_skip_blocks ||
        (source->make == NULL && source->sketcher == NULL))
        return OG_OK;
    TRY((source->make != NULL ? make_other : make_sketch)(source, w, b, d, text,
                                                          err));
    d->n_tokens = w->shingler.tokens.n;
    d->n_repaired = w->shingler.text.n_repaired;
    og_shingler_trim(&w->shingler);
    return OG_OK;
}

static og_status make(void *ctx, void *mine, struct og_batch *b,
                      struct og_stream_doc *sd, og_error *err)
{
    const struct stream *s = ctx;
    struct og_dedup_worker *w = mine;
    struct og_dedup_doc doc = {.block = &b->block,
                               .doc = sd->doc,
                               .line = sd->line,
                               .offset = sd->offset,
                               .text_len = sd->text_len,
                               .is_stored = s->source->stored != NULL};
    struct og_dedup_doc *d = &doc;
    if (b->block.kind == OG_BLOCK_LINES)
        doc.record = line_at(&b->block, (size_t)(sd->offset - b->block.offset));
    TRY(make_wanted(s->source, w, b, d, sd->doc.text, err));
    doc.rank = rank_of(s->source, w, d);
    sd->n_tokens = doc.n_tokens;
    sd->n_repaired = doc.n_repaired;
    if (doc.record.len != 0) /* everything else can be read from it again */
        sd->doc.title = sd->doc.url = sd->doc.text = sd->doc.extra =
            (og_bytes){"", 0};
    if (!OG_BATCH_KEEP(b, d, 1))
        return og_error_memory(err, sizeof(doc), "a document");
    sd->made = d;
    return OG_OK;
}

/* ---- taking, in order ---- */

/* The reader skips a line that does not fit into a block. Its bytes go to a
 * temporary file, because the reader reads ahead: they are rejected in their
 * turn. */
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

static og_status reject_passed(struct stream *s, uint64_t len, bool is_reported,
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
        if (is_reported)
            TRY(s->source->reject(s->source->ctx, (og_bytes){buffer, n},
                                  left > 0, err));
    }
    return OG_OK;
}

static og_status reject(void *ctx, struct og_batch *b,
                        const struct og_source_problem *p, og_error *err)
{
    struct stream *s = ctx;
    const struct og_block *block = &b->block;
    const bool is_reported = s->source->reject != NULL &&
                             block->sequence >= s->source->n_known_blocks;
    if (p->passed_len > 0)
        return reject_passed(s, p->passed_len, is_reported, err);
    if (!is_reported || block->kind != OG_BLOCK_LINES ||
        p->offset < block->offset || p->offset - block->offset >= block->len)
        return OG_OK;
    return s->source->reject(
        s->source->ctx, line_at(block, (size_t)(p->offset - block->offset)),
        false, err);
}

static og_status take(void *ctx, struct og_batch *b, struct og_stream_doc *sd,
                      og_error *err)
{
    const struct stream *s = ctx;
    struct og_dedup_doc *d = sd->made;
    (void)b;
    d->doc = sd->doc;
    return s->source->take(s->source->ctx, d, err);
}

static og_status end_batch(void *ctx, struct og_batch *b, og_error *err)
{
    const struct stream *s = ctx;
    if (s->source->end_block == NULL) return OG_OK;
    return s->source->end_block(s->source->ctx, b->block.sequence, err);
}

/* ---- what is written of a batch ---- */

/* Behind what the level has of a batch. */
static size_t list_at(const struct stream *s)
{
    const size_t align = _Alignof(struct og_output_list);
    return (s->source->own_len + align - 1) / align * align;
}

static struct og_output_list *list_of(const struct stream *s,
                                      const struct og_batch *b)
{
    return (struct og_output_list *)(void *)((char *)b->own + list_at(s));
}

/* ---- phases ---- */

/* When a document was made its strings were still the record's. */
static og_status make_batch(void *ctx, void *mine, struct og_batch *b,
                            og_error *err)
{
    const struct stream *s = ctx;
    for (size_t i = 0; i < b->n_docs; i++)
        ((struct og_dedup_doc *)b->docs[i].made)->doc = b->docs[i].doc;
    return s->source->make_block(s->source->ctx, mine, b, err);
}

static og_status begin_batch(void *ctx, struct og_batch *b, og_error *err)
{
    const struct stream *s = ctx;
    const struct og_dedup_source *source = s->source;
    if (source->output != NULL) {
        source->output->list = list_of(s, b);
        source->output->batch = b;
    }
    if (source->begin_block == NULL) return OG_OK;
    return source->begin_block(source->ctx, b, err);
}

static og_status settle_batch(void *ctx, struct og_batch *b, og_error *err)
{
    const struct stream *s = ctx;
    return s->source->settle_block(s->source->ctx, b, err);
}

static og_status finish_stream(void *ctx, struct og_batch *last, og_error *err)
{
    const struct stream *s = ctx;
    return s->source->finish(s->source->ctx, last, err);
}

/* ---- writing ---- */

static void clear_batch(void *ctx, struct og_batch *b)
{
    og_output_list_clear(list_of(ctx, b));
}

static void release_batch(void *ctx, struct og_batch *b)
{
    og_output_list_release(list_of(ctx, b));
}

static og_status write_batch(void *ctx, struct og_batch *b, og_error *err)
{
    const struct stream *s = ctx;
    return og_dedup_output_write(s->source->output, list_of(s, b), err);
}

static void use_output(const struct stream *s, struct og_stream_work *work)
{
    if (s->source->output == NULL) return;
    work->batch_len = list_at(s) + sizeof(struct og_output_list);
    work->clear_batch = clear_batch;
    work->release_batch = release_batch;
    work->begin_batch = begin_batch;
    work->write = write_batch;
}

/* ---- the documents of a store ---- */

static og_status next_stored(void *ctx, og_document *out, uint64_t *out_number,
                             og_error *err)
{
    struct stream *s = ctx;
    struct og_stored_texts *stored = s->source->stored;
    bool is_there = false;
    while (!is_there) {
        if (s->n_stored == og_stored_texts_n(stored)) return OG_END;
        *out_number = s->n_stored++;
        TRY(og_stored_texts_get(stored, (uint32_t)*out_number, out, &is_there,
                                err));
    }
    return OG_OK;
}

/* The texts of a store have one reader, which the caller also uses, so one
 * thread does everything. */
static void read_store(const struct og_dedup_source *source, og_input *input,
                       struct og_stream_work *work)
{
    if (source->stored == NULL) return;
    input->n_threads = 1;
    work->next = next_stored;
    work->name = og_stored_texts_path(source->stored);
}

og_status og_dedup_stream(const struct og_dedup_source *source,
                          og_stream_counts *counts, og_error *err)
{
    struct stream s = {.source = source, .passed_fd = -1};
    og_input input = source->input;
    struct og_stream_work work = {.ctx = &s,
                                  .worker_len = sizeof(struct og_dedup_worker),
                                  .start_worker = start_worker,
                                  .stop_worker = stop_worker,
                                  .make = make,
                                  .take = take,
                                  .end_batch = end_batch,
                                  .skip = reject,
                                  .step = source->step,
                                  .extra_of_values = true,
                                  .uses_time = source->uses_time};
    if (source->reject != NULL && source->folder != NULL)
        work.on_passed = on_passed;
    work.batch_len = source->own_len;
    use_output(&s, &work);
    if (source->make_block != NULL) work.make_batch = make_batch;
    if (source->begin_block != NULL) work.begin_batch = begin_batch;
    if (source->settle_block != NULL) work.settle = settle_batch;
    if (source->finish != NULL) work.finish = finish_stream;
    read_store(source, &input, &work);
    const og_status status = og_stream_documents(&input, &work, counts, err);
    if (source->output != NULL) {
        source->output->list = NULL;
        source->output->batch = NULL;
    }
    if (s.passed_fd >= 0) close(s.passed_fd);
    return status;
}
