/* Documents to sketches on all cores.
 *
 * Blocks of the input are read in batches; the threads of a batch share its
 * blocks out among themselves, and when all are done the results are taken in
 * the order of the blocks. A batch is some megabytes, long beside the making
 * of a thread and short beside memory. What a thread keeps warm (folding
 * tables, stems) belongs to its place and stays from batch to batch.
 *
 * Nothing is asked of a table between two documents, as tracing does
 * (lib/trace/workers.c), so there is no ring to keep full. */

#include "lib/sketch/sketch_stream.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "lib/os/cpu.h"
#include "lib/source/block.h"
#include "lib/source/problem_teller.h"

#define MOST_THREADS 256

/* Blocks of a batch for each thread: enough that one slow block is evened out
 * by the others. */
#define BLOCKS_A_THREAD 8

/* A batch ends early when its blocks hold this much, giants among them. */
#define BATCH_BYTES ((size_t)64 << 20)

/* Gives memory back when a giant has passed through. */
#define KEEP_LEN ((size_t)4 << 20)

struct made {
    size_t id_off, id_len, off, len; /* in the bytes of the piece */
    uint64_t n_features;
    uint64_t line, offset;
    size_t text_len, n_tokens, n_repaired;
    size_t n_problems_before;
    bool bad_time;
};

/* A block and what was made of it. */
struct piece {
    struct og_block block;
    struct made *made;
    size_t n_made, made_cap;
    struct og_pack bytes;
    og_status status;
    og_error err;
};

struct hand {
    struct stream *stream;
    struct og_extractor extractor;
    struct og_features features;
    void *mine;
    bool is_ready;
    pthread_t thread;
};

struct stream {
    const og_sketch_options *options;
    const struct og_sketch_work *work;
    const og_allocator *allocator;
    struct og_source_options source_options;
    struct og_source *source;
    struct piece *pieces;
    size_t n_pieces, n_read;
    atomic_size_t next; /* the piece that nobody has taken yet */
    struct hand *hands;
    unsigned n_hands;
    bool at_end;
    og_stream_counts counts;
    struct og_problem_teller teller;
};

/* ---- one document, any thread ---- */

static og_status keep(struct piece *p, const struct made *made, og_error *err)
{
    if (p->bytes.failed ||
        !OG_GROW(p->bytes.allocator, p->made, p->made_cap, p->n_made + 1))
        return og_error_memory(err, p->bytes.len, "the sketches of a block");
    p->made[p->n_made++] = *made;
    return OG_OK;
}

static og_status make_one(struct hand *h, struct piece *p,
                          const struct og_record *record, og_error *err)
{
    const struct og_sketch_work *work = h->stream->work;
    struct made made = {.id_off = p->bytes.len,
                        .id_len = record->doc.id.len,
                        .line = record->line,
                        .offset = record->offset,
                        .text_len = record->doc.text.len,
                        .bad_time = record->bad_time,
                        .n_problems_before = p->block.n_problems};
    TRY(og_extract(&h->extractor, &record->doc, &h->features, err));
    made.n_features = h->features.n;
    made.n_tokens = h->extractor.tokens.n;
    made.n_repaired = og_extractor_n_repaired(&h->extractor);
    og_pack_bytes(&p->bytes, record->doc.id.data, record->doc.id.len);
    made.off = p->bytes.len;
    TRY(work->make(work->ctx, h->mine, &h->features, &p->bytes, err));
    made.len = p->bytes.len - made.off;
    return keep(p, &made, err);
}

/* A weight or a text that is too large is this document's fault alone. */
static bool is_own_fault(og_status status)
{
    return status == OG_ERR_LIMIT || status == OG_ERR_INPUT;
}

static og_status report(struct piece *p, const struct og_record *record,
                        og_status status)
{
    const struct og_source_problem problem = {.line = record->line,
                                              .offset = record->offset,
                                              .skipped = true,
                                              .status = status};
    char message[sizeof(problem.message)];
    snprintf(message, sizeof(message), "%.199s", p->err.message);
    return og_block_report(&p->block, &problem, &p->err, "%s", message);
}

static void make_piece(struct hand *h, struct piece *p)
{
    struct og_record record;
    og_status status = OG_OK;
    while (status == OG_OK) {
        status = og_block_next(&p->block, &h->stream->source_options, &record,
                               &p->err);
        if (status == OG_END) return;
        if (status != OG_OK) break;
        const size_t len = p->bytes.len;
        status = make_one(h, p, &record, &p->err);
        if (is_own_fault(status)) {
            p->bytes.len = len;
            status = report(p, &record, status);
        }
    }
    p->status = status;
}

static void *make_pieces(void *ctx)
{
    struct hand *h = ctx;
    struct stream *s = h->stream;
    size_t i;
    while ((i = atomic_fetch_add(&s->next, 1)) < s->n_read)
        make_piece(h, &s->pieces[i]);
    return NULL;
}

/* ---- problems and counts, in order ---- */

static void tell_repaired(const struct stream *s, const struct og_block *block,
                          const struct made *m)
{
    char message[96];
    snprintf(message, sizeof(message),
             "%zu byte%s not UTF-8: replaced by U+FFFD", m->n_repaired,
             m->n_repaired == 1 ? " is" : "s are");
    og_tell_document(&s->teller, block, m->line, m->offset, message);
}

static void count_document(struct stream *s, const struct og_block *block,
                           const struct made *m)
{
    s->counts.n_documents++;
    s->counts.n_text_bytes += m->text_len;
    s->counts.n_tokens += m->n_tokens;
    s->counts.n_bad_times += m->bad_time;
    if (m->n_features == 0) s->counts.n_short++;
    if (m->n_repaired == 0) return;
    s->counts.n_repaired++;
    tell_repaired(s, block, m);
}

static og_status take_piece(struct stream *s, const struct piece *p,
                            og_error *err)
{
    const struct og_block *block = &p->block;
    size_t n_told = 0;
    for (size_t i = 0; i < p->n_made; i++) {
        const struct made *m = &p->made[i];
        og_tell_block_problems(&s->teller, block, n_told, m->n_problems_before);
        n_told = m->n_problems_before;
        count_document(s, block, m);
        const og_bytes id = {(const char *)p->bytes.data + m->id_off,
                             m->id_len};
        TRY(s->work->take(s->work->ctx, id, p->bytes.data + m->off, m->len,
                          m->n_features, err));
    }
    og_tell_block_problems(&s->teller, block, n_told, block->n_problems);
    if (p->status != OG_OK)
        return og_error_set(err, p->status, "%s", p->err.message);
    s->counts.n_files += block->ends_file;
    s->counts.n_input_bytes += block->n_input_bytes;
    if (s->options->on_progress != NULL)
        s->options->on_progress(s->options->ctx, &s->counts);
    return OG_OK;
}

/* ---- batches ---- */

static void clear_piece(struct piece *p)
{
    if (p->bytes.cap > KEEP_LEN) og_pack_release(&p->bytes);
    if (p->block.cap > KEEP_LEN) og_block_release(&p->block);
    p->bytes.len = 0;
    p->bytes.failed = false;
    p->n_made = 0;
    p->status = OG_OK;
}

static og_status read_batch(struct stream *s, og_error *err)
{
    size_t len = 0;
    s->n_read = 0;
    atomic_store(&s->next, 0);
    while (s->n_read < s->n_pieces && len < BATCH_BYTES) {
        struct piece *p = &s->pieces[s->n_read];
        clear_piece(p);
        const og_status status = og_source_next(s->source, &p->block, err);
        if (status == OG_END) {
            s->at_end = true;
            return OG_OK;
        }
        TRY(status);
        len += p->block.len;
        s->n_read++;
    }
    return OG_OK;
}

/* The caller's thread works, too; those that cannot be started are not
 * missed. */
static void make_batch(struct stream *s)
{
    unsigned n_started = 1;
    while (n_started < s->n_hands && n_started < s->n_read) {
        struct hand *h = &s->hands[n_started];
        if (pthread_create(&h->thread, NULL, make_pieces, h) != 0) break;
        n_started++;
    }
    make_pieces(&s->hands[0]);
    while (--n_started > 0)
        pthread_join(s->hands[n_started].thread, NULL);
}

static og_status run(struct stream *s, og_error *err)
{
    while (!s->at_end) {
        TRY(read_batch(s, err));
        make_batch(s);
        for (size_t i = 0; i < s->n_read; i++)
            TRY(take_piece(s, &s->pieces[i], err));
    }
    return OG_OK;
}

/* ---- beginning and end ---- */

static og_status start_hand(struct stream *s, struct hand *h, og_error *err)
{
    const struct og_sketch_work *work = s->work;
    h->stream = s;
    og_features_init(&h->features, s->allocator);
    TRY(og_extractor_init(&h->extractor, &s->options->features, s->allocator,
                          err));
    h->is_ready = true;
    if (work->begin == NULL) return OG_OK;
    return work->begin(work->ctx, &h->mine, err);
}

static og_status start(struct stream *s, og_error *err)
{
    s->hands = og_allocate_zero(s->allocator, s->n_hands * sizeof(*s->hands));
    s->pieces =
        og_allocate_zero(s->allocator, s->n_pieces * sizeof(*s->pieces));
    if (s->hands == NULL || s->pieces == NULL)
        return og_error_memory(err, s->n_pieces * sizeof(*s->pieces),
                               "threads");
    for (size_t i = 0; i < s->n_pieces; i++) {
        og_block_init(&s->pieces[i].block, s->allocator);
        s->pieces[i].bytes.allocator = s->allocator;
    }
    for (unsigned i = 0; i < s->n_hands; i++)
        TRY(start_hand(s, &s->hands[i], err));
    return OG_OK;
}

static void stop(struct stream *s)
{
    for (unsigned i = 0; s->hands != NULL && i < s->n_hands; i++) {
        struct hand *h = &s->hands[i];
        if (h->mine != NULL && s->work->end != NULL)
            s->work->end(s->work->ctx, h->mine);
        if (h->is_ready) og_extractor_release(&h->extractor);
        og_features_release(&h->features);
    }
    for (size_t i = 0; s->pieces != NULL && i < s->n_pieces; i++) {
        struct piece *p = &s->pieces[i];
        og_block_release(&p->block);
        og_pack_release(&p->bytes);
        OG_UNGROW(s->allocator, p->made, p->made_cap);
    }
    og_release(s->allocator, s->pieces, s->n_pieces * sizeof(*s->pieces));
    og_release(s->allocator, s->hands, s->n_hands * sizeof(*s->hands));
    og_source_free(s->source);
}

og_status og_sketch_stream(const char *const *paths, size_t n_paths,
                           const og_sketch_options *options,
                           const struct og_sketch_work *work,
                           const og_allocator *allocator,
                           og_stream_counts *out_counts, og_error *err)
{
    struct stream s = {
        .options = options, .work = work, .allocator = allocator};
    s.teller = (struct og_problem_teller){.ctx = options->ctx,
                                          .on_problem = options->on_problem,
                                          .counts = &s.counts};
    s.source_options =
        (struct og_source_options){.fields = options->fields,
                                   .reading = options->reading,
                                   .max_document = options->max_document};
    s.n_hands = options->n_threads != 0 ? options->n_threads : og_cpu_count();
    if (s.n_hands > MOST_THREADS) s.n_hands = MOST_THREADS;
    s.n_pieces = (size_t)s.n_hands * BLOCKS_A_THREAD;
    og_status status = og_source_new(paths, n_paths, &s.source_options,
                                     allocator, &s.source, err);
    if (status == OG_OK) status = start(&s, err);
    if (status == OG_OK) status = run(&s, err);
    stop(&s);
    if (out_counts != NULL) *out_counts = s.counts;
    return og_teller_end(&s.teller, status, err);
}

og_status og_sketch_stream_end(struct og_sketch_writer *writer,
                               og_status status, const og_stream_counts *counts,
                               og_error *err)
{
    const bool is_partial =
        counts->n_files_failed > 0 && counts->n_documents > 0;
    if (status != OG_OK && !is_partial) {
        og_sketch_writer_drop(writer);
        return status;
    }
    og_error close_err;
    const og_status closed = og_sketch_writer_close(writer, &close_err);
    if (closed == OG_OK) return status;
    return og_error_set(err, closed, "%s", close_err.message);
}
