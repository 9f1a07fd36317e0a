/* Passages that an earlier document has.
 *
 * A window is a fixed number of consecutive tokens (50). It is copied if an
 * earlier document has the same window; a token is cut if some copied window
 * covers it. So every run of 50 tokens or more that occurs in an earlier
 * document is cut, whole, and nothing else. The earliest document keeps it,
 * even where it repeats itself.
 *
 * Exact, and in little memory: the windows of all documents are distributed to
 * parts on disk, and one part is marked at a time (lib/dedup/window_parts.h).
 * The result is a bit for each token of the input. A suffix array of the same
 * text takes 40 bytes per token and keeps them all in memory.
 *
 * Windows are distinguished by 88 bits of hashes under a random key of the run:
 * nobody can construct windows that are mistaken for one another, and among
 * 10^10 windows it happens by chance with a probability of 10^-7.
 *
 * The input is read twice. In the first pass workers hash the windows of a
 * block and sort them by part; in the block's turn, when the position of its
 * first token is known, all threads distribute them. Then all threads mark. In
 * the second pass workers cut what is marked: blocks are the same in both
 * passes, so the position of a block is known before its turn.
 *
 * For a report, the first holder of every copied window is recorded, too,
 * sorted by position: a piece is attributed to the document that contains the
 * longest run of it. Documents to compare with come first and are not
 * written. */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/dedup/dedup_pieces.h"
#include "lib/dedup/window_parts.h"
#include "lib/os/secret.h"

#define SORTER_MOST ((size_t)32 << 20)

/* Pieces of distributing a block, each some 20 us. */
#define DEAL_PIECES 8

/* The windows of a block of usual documents, several times over. */
#define LONG_BUFFER ((size_t)1 << 18)

struct level {
    struct og_dedup_run *run; /* first: lib/dedup/dedup.c */
    uint32_t window_len, piece_len;
    struct og_shingle_factors key; /* of piece_len tokens */
    struct og_piece_cutter cutter;
    struct og_window_parts parts;
    uint64_t *bases; /* the position of the first token of each document */
    size_t n_documents, bases_cap;
    uint64_t n_tokens;
    bool is_against;
    uint64_t *first_docs; /* of each block of the input, and after the last */
    size_t n_blocks, first_docs_cap;
    _Atomic uint8_t *copied; /* a bit for each window by its first token */
    size_t copied_len;
    struct og_sorter *holders; /* NULL: no report */
    struct og_window_holder next;
    bool has_next;
};

struct block {                       /* batch->own, in the first pass */
    const struct og_window *windows; /* by part; positions in the block */
    const uint32_t *ends;            /* of each part */
};

struct cut { /* doc->made, in the second */
    struct og_cut_document document;
    struct og_dedup_piece *pieces; /* the document's */
};

struct thread { /* worker->mine */
    /* Windows of the block in preparation: by position, and by part. */
    struct og_window *found, *windows;
    uint32_t *ends;
    size_t n_found, found_cap, windows_cap, ends_cap;
    uint64_t n_tokens; /* of that block so far */
    struct og_dedup_piece *pieces;
    size_t pieces_cap;
    struct og_cut_scratch scratch;
};

static og_status thread_of(struct og_dedup_worker *worker, struct thread **out,
                           og_error *err)
{
    TRY(og_dedup_worker_own(worker, sizeof(**out), err));
    *out = worker->mine;
    return OG_OK;
}

static void stop_worker(void *ctx, struct og_dedup_worker *worker)
{
    struct thread *t = worker->mine;
    (void)ctx;
    if (t == NULL) return;
    OG_UNGROW(NULL, t->found, t->found_cap);
    OG_UNGROW(NULL, t->windows, t->windows_cap);
    OG_UNGROW(NULL, t->ends, t->ends_cap);
    OG_UNGROW(NULL, t->pieces, t->pieces_cap);
    og_cut_scratch_release(&t->scratch);
    og_release(NULL, t, sizeof(*t));
    worker->mine = NULL;
}

/* ---- windows, any thread ---- */

/* The hash of a window, under the secret key of the run, is computed from the
 * fingerprints of pieces that cover it: the first, the next one, ..., and the
 * last, which may overlap. */
static struct og_window window_of(const struct level *l, const uint64_t *fps,
                                  uint64_t place)
{
    const size_t piece = l->piece_len, len = l->window_len;
    uint64_t hash = 0x70617373u, other = 0x61676573u;
    for (size_t at = 0;; at += piece) {
        if (at + piece > len) at = len - piece;
        hash = og_mul_fold(hash ^ fps[at], 0x9e3779b97f4a7c15u);
        other = (other ^ fps[at]) * 0xbf58476d1ce4e5b9u;
        other ^= other >> 29;
        if (at + piece == len) break;
    }
    return (struct og_window){
        og_mix64(hash),
        other >> OG_WINDOW_PLACE_BITS << OG_WINDOW_PLACE_BITS | place};
}

/* A thread prepares a block as a whole, one document after the other. */
static og_status make_windows(void *ctx, struct og_dedup_worker *h,
                              og_bytes text, og_error *err)
{
    const struct level *l = ctx;
    struct thread *t;
    TRY(thread_of(h, &t, err));
    h->shingler.token_key = og_secret();
    TRY(og_shingler_run(&h->shingler, text, err));
    const size_t n_tokens = h->shingler.tokens.n, len = l->window_len;
    const size_t n = n_tokens < len ? 0 : n_tokens - len + 1;
    if (!OG_GROW(NULL, t->found, t->found_cap, t->n_found + n))
        return og_error_memory(err, n * sizeof(*t->found), "passages");
    for (size_t i = 0; i < n; i++)
        t->found[t->n_found++] =
            window_of(l, h->shingler.fps.data + i, t->n_tokens + i);
    t->n_tokens += n_tokens;
    return OG_OK;
}

/* By part, and in each by position. Counts become ends, and ends become
 * beginnings as each part is filled backwards, from the last window to the
 * first. */
static void sort_windows(const struct level *l, struct thread *t)
{
    const size_t n_parts = (size_t)1 << l->parts.bits;
    memset(t->ends, 0, n_parts * sizeof(*t->ends));
    for (size_t i = 0; i < t->n_found; i++)
        t->ends[og_window_part_of(&l->parts, t->found[i].hash)]++;
    for (size_t p = 1; p < n_parts; p++)
        t->ends[p] += t->ends[p - 1];
    for (size_t i = t->n_found; i-- > 0;)
        t->windows[--t->ends[og_window_part_of(&l->parts, t->found[i].hash)]] =
            t->found[i];
    t->ends[n_parts] = (uint32_t)t->n_found;
}

/* Frees buffers that a long document has made longer than usual blocks need. */
static void trim(struct thread *t)
{
    t->n_found = 0;
    t->n_tokens = 0;
    if (t->found_cap > LONG_BUFFER) OG_UNGROW(NULL, t->found, t->found_cap);
    if (t->windows_cap > LONG_BUFFER)
        OG_UNGROW(NULL, t->windows, t->windows_cap);
}

static og_status sort_block(void *ctx, struct og_dedup_worker *worker,
                            struct og_batch *b, og_error *err)
{
    const struct level *l = ctx;
    const size_t n_parts = (size_t)1 << l->parts.bits;
    struct block *block = b->own;
    struct thread *t;
    TRY(thread_of(worker, &t, err));
    const size_t n = t->n_found;
    if (!OG_GROW(NULL, t->ends, t->ends_cap, n_parts + 1) ||
        !OG_GROW(NULL, t->windows, t->windows_cap, n + 1))
        return og_error_memory(err, n * sizeof(*t->windows), "passages");
    sort_windows(l, t);
    block->ends = t->ends + 1; /* beginnings are the ends of those before */
    block->windows = t->windows;
    if (!OG_BATCH_KEEP(b, block->ends, n_parts) ||
        !OG_BATCH_KEEP(b, block->windows, n))
        return og_error_memory(err, n * sizeof(*t->windows), "passages");
    trim(t);
    return OG_OK;
}

/* ---- dealing out ---- */

struct dealing {
    struct level *level;
    const struct block *block;
    uint64_t base; /* the position of the first token of the block */
};

static og_status deal_piece(void *ctx, void *worker, size_t piece,
                            og_error *err)
{
    const struct dealing *d = ctx;
    struct og_window_parts *parts = &d->level->parts;
    const size_t n_parts = ((size_t)1 << parts->bits) / DEAL_PIECES;
    (void)worker;
    for (size_t p = piece * n_parts; p < (piece + 1) * n_parts; p++) {
        const uint32_t begin = p == 0 ? 0 : d->block->ends[p - 1];
        TRY(og_window_parts_add(parts, p, d->block->windows + begin,
                                d->block->ends[p] - begin, d->base, err));
    }
    return OG_OK;
}

static og_status note_documents(struct level *l, const struct og_batch *b,
                                og_error *err)
{
    if (!OG_GROW(NULL, l->bases, l->bases_cap,
                 l->n_documents + b->n_docs + 1) ||
        !OG_GROW(NULL, l->first_docs, l->first_docs_cap, l->n_blocks + 2))
        return og_error_memory(err, l->n_documents * 8, "documents");
    if (!l->is_against) l->first_docs[l->n_blocks++] = l->n_documents;
    for (size_t i = 0; i < b->n_docs; i++) {
        l->bases[l->n_documents++] = l->n_tokens;
        l->n_tokens += ((const struct og_dedup_doc *)b->docs[i].made)->n_tokens;
    }
    l->bases[l->n_documents] = l->n_tokens;
    l->first_docs[l->n_blocks] = l->n_documents;
    if (l->n_tokens > OG_WINDOW_PLACE_MASK || l->n_documents >= UINT32_MAX)
        return og_error_set(err, OG_ERR_LIMIT,
                            "more than 2^40 tokens or 2^32 documents");
    return OG_OK;
}

static og_status deal_block(void *ctx, struct og_batch *b, og_error *err)
{
    struct level *l = ctx;
    const struct og_phases phases = og_stream_phases(b);
    struct dealing dealing = {l, b->own, l->n_tokens};
    TRY(note_documents(l, b, err));
    if (b->n_docs == 0) return OG_OK;
    return og_phases_step(&phases, "deal", DEAL_PIECES, deal_piece, &dealing,
                          err);
}

static og_status take_first(void *ctx, struct og_dedup_doc *d, og_error *err)
{
    struct level *l = ctx;
    return og_piece_cutter_note(&l->cutter, d->doc.id, err);
}

/* ---- marking ---- */

static void show_parts(void *ctx, size_t n_done)
{
    const og_input *input = ((const struct level *)ctx)->run->input;
    const og_stream_counts shown = {.n_documents = n_done};
    if (input->on_progress != NULL)
        input->on_progress(input->ctx, "parts", &shown);
}

static og_status mark_all(void *ctx, struct og_batch *last, og_error *err)
{
    struct level *l = ctx;
    const struct og_phases phases = og_stream_phases(last);
    l->copied_len = (size_t)(l->n_tokens / 8 + 1);
    l->copied = og_allocate_zero(NULL, l->copied_len);
    if (l->copied == NULL)
        return og_error_memory(err, l->copied_len, "passages");
    const struct og_window_marks marks = {
        .bases = l->bases,
        .copied = l->copied,
        .holders = l->holders,
        .first_asked = l->run->counts->n_against,
        .memory = (size_t)(l->run->options->memory / 4)};
    TRY(og_window_parts_mark(&l->parts, &marks, &phases, show_parts, l, err));
    return OG_OK;
}

/* ---- cutting, any thread ---- */

static uint8_t byte_at(const struct level *l, uint64_t place)
{
    return atomic_load_explicit(&l->copied[place / 8], memory_order_relaxed);
}

static bool is_copied(const struct level *l, uint64_t place)
{
    return byte_at(l, place) >> place % 8 & 1;
}

static bool has_any(const struct level *l, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end;) {
        if (i % 8 == 0 && byte_at(l, i) == 0) {
            i += 8;
            continue;
        }
        if (is_copied(l, i)) return true;
        i++;
    }
    return false;
}

/* Until the piece is taken, `first` is the position of its end: holders come in
 * order of position. */
static og_status add_piece(const struct og_shingler *shingler, struct thread *t,
                           uint64_t base, size_t *n, size_t first, size_t last,
                           og_error *err)
{
    const struct og_text *text = &shingler->text;
    const struct og_tokens *tokens = &shingler->tokens;
    if (!OG_GROW(NULL, t->pieces, t->pieces_cap, *n + 1))
        return og_error_memory(err, *n * sizeof(*t->pieces), "pieces");
    const size_t end = last < tokens->n
                           ? og_text_source_begin(text, tokens->begin[last])
                           : text->source_len;
    t->pieces[(*n)++] = (struct og_dedup_piece){
        .begin = og_text_source_begin(text, tokens->begin[first]),
        .end = end,
        .n_tokens = last - first,
        .first = base + last};
    return OG_OK;
}

/* Runs of tokens covered by copied windows. */
static og_status find_pieces(const struct level *l,
                             const struct og_shingler *shingler,
                             struct thread *t, uint64_t base, size_t *n,
                             size_t *n_left, og_error *err)
{
    const size_t n_tokens = shingler->tokens.n;
    size_t first = 0, end = 0; /* of the current run */
    *n = 0;
    *n_left = n_tokens;
    for (size_t i = 0; i + l->window_len <= n_tokens; i++) {
        if (!is_copied(l, base + i)) continue;
        if (i > end && end > first) {
            *n_left -= end - first;
            TRY(add_piece(shingler, t, base, n, first, end, err));
        }
        if (i > end || end == first) first = i;
        end = i + l->window_len;
    }
    if (end == first) return OG_OK;
    *n_left -= end - first;
    return add_piece(shingler, t, base, n, first, end, err);
}

static og_status cut_document(const struct level *l,
                              struct og_dedup_worker *worker, struct thread *t,
                              const struct og_dedup_doc *d, uint64_t number,
                              struct og_cut_document *out, og_error *err)
{
    struct og_shingler *shingler = &worker->shingler;
    const uint64_t base = l->bases[number], end = l->bases[number + 1];
    og_bytes text;
    size_t n_left;
    *out = (struct og_cut_document){.n = 0};
    if (!has_any(l, base, end)) return OG_OK;
    TRY(og_cut_text(l->run, d, &t->scratch, &text, err));
    TRY(og_shingler_run(shingler, text, err));
    if (shingler->tokens.n != end - base)
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s' was changed while it was read",
                            d->block->file);
    TRY(find_pieces(l, shingler, t, base, &out->n, &n_left, err));
    og_shingler_trim(shingler);
    out->pieces = t->pieces;
    out->is_all = n_left == 0;
    return og_cut(l->run, d, text, &t->scratch, out, err);
}

static og_status keep_cut(struct og_batch *b, struct og_dedup_doc *d,
                          struct og_cut_document *document, struct thread *t,
                          og_error *err)
{
    struct cut cut = {.document = *document, .pieces = t->pieces};
    const struct cut *kept = &cut;
    if (document->n == 0) return OG_OK;
    if (!OG_BATCH_KEEP(b, cut.pieces, document->n) ||
        !OG_BATCH_KEEP(b, cut.document.text.data, document->text.len) ||
        !OG_BATCH_KEEP(b, cut.document.record.data, document->record.len))
        return og_error_memory(err, document->text.len, "pieces");
    cut.document.pieces = cut.pieces;
    cut.document.stays = true;
    if (!OG_BATCH_KEEP(b, kept, 1))
        return og_error_memory(err, sizeof(cut), "pieces");
    d->made = kept;
    d->made_len = sizeof(cut);
    return OG_OK;
}

static og_status cut_block(void *ctx, struct og_dedup_worker *worker,
                           struct og_batch *b, og_error *err)
{
    const struct level *l = ctx;
    const uint64_t sequence = b->block.sequence;
    struct og_cut_document cut;
    struct thread *t;
    TRY(thread_of(worker, &t, err));
    if (sequence >= l->n_blocks ||
        b->n_docs != l->first_docs[sequence + 1] - l->first_docs[sequence])
        return og_error_set(err, OG_ERR_INPUT,
                            "the input was changed while it was read");
    for (size_t i = 0; i < b->n_docs; i++) {
        TRY(cut_document(l, worker, t, b->docs[i].made,
                         l->first_docs[sequence] + i, &cut, err));
        TRY(keep_cut(b, b->docs[i].made, &cut, t, err));
    }
    return OG_OK;
}

/* ---- writing, in order ---- */

static og_status next_holder(struct level *l, og_error *err)
{
    const void *record;
    l->has_next = false;
    if (l->holders == NULL) return OG_OK;
    const og_status status = og_sorter_next(l->holders, &record, err);
    if (status == OG_END) return OG_OK;
    TRY(status);
    memcpy(&l->next, record, sizeof(l->next));
    l->has_next = true;
    return OG_OK;
}

/* The document that contains the longest run of the windows before `end`, among
 * those not processed yet. */
static og_status find_holder(struct level *l, uint64_t end, uint64_t *out,
                             og_error *err)
{
    uint64_t document = 0, n = 0, most = 0;
    *out = 0;
    while (l->has_next && l->next.place < end) {
        n = l->next.document == document ? n + 1 : 1;
        document = l->next.document;
        if (n > most) *out = document;
        if (n > most) most = n;
        TRY(next_holder(l, err));
    }
    return OG_OK;
}

static og_status take_second(void *ctx, struct og_dedup_doc *d, og_error *err)
{
    struct level *l = ctx;
    static const struct og_cut_document whole = {.n = 0};
    if (d->made_len == 0)
        return og_piece_cutter_write(&l->cutter, d, &whole, err);
    const struct cut *cut = d->made;
    for (size_t i = 0; i < cut->document.n; i++)
        TRY(find_holder(l, cut->pieces[i].first, &cut->pieces[i].first, err));
    return og_piece_cutter_write(&l->cutter, d, &cut->document, err);
}
/* ---- the level ---- */

/* The input may be packed or a folder: additional parts cost little. */
static uint64_t length_of_inputs(const struct level *l)
{
    const og_dedup_options *o = l->run->options;
    const og_input *input = l->run->input;
    uint64_t len = 0;
    struct stat st;
    for (size_t i = 0; i < input->n_paths + o->n_against; i++) {
        const char *path = i < input->n_paths ? input->paths[i]
                                              : o->against[i - input->n_paths];
        if (stat(path, &st) == 0)
            len += S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 1u << 30;
    }
    return len;
}

static og_status start(struct level *l, og_error *err)
{
    const og_dedup_options *o = l->run->options;
    TRY(og_stream_needs_again(l->run->input, "finding passages", err));
    l->window_len = o->least_tokens != 0 ? o->least_tokens : 50;
    l->piece_len =
        l->window_len <= OG_SHINGLE_MAX ? l->window_len : OG_SHINGLE_MAX;
    og_shingle_factors_init(&l->key, og_rabin_default(), l->piece_len);
    TRY(og_window_parts_init(&l->parts, length_of_inputs(l), l->run->folder,
                             err));
    if (!OG_GROW(NULL, l->bases, l->bases_cap, 2))
        return og_error_memory(err, 16, "documents");
    if (o->report == NULL) return OG_OK;
    size_t memory = SORTER_MOST;
    if (o->memory != 0 && memory > o->memory / 4)
        memory = (size_t)(o->memory / 4);
    return og_sorter_new(sizeof(struct og_window_holder), 1, memory,
                         l->run->folder, &l->holders, err);
}

static void fill_source(struct level *l, struct og_dedup_source *out)
{
    og_dedup_source_fill(l->run, out);
    out->key = &l->key;
    out->ctx = l;
    out->make = make_windows;
    out->take = take_first;
    out->own_len = sizeof(struct block);
    out->make_block = sort_block;
    out->begin_block = deal_block;
    out->stop_worker = stop_worker;
}

static og_status read_against(struct level *l, og_error *err)
{
    struct og_dedup_source source;
    fill_source(l, &source);
    l->is_against = true;
    TRY(og_dedup_against(l->run, &source, err));
    l->is_against = false;
    return OG_OK;
}

static og_status end_block(void *ctx, uint64_t sequence, og_error *err)
{
    struct level *l = ctx;
    return og_piece_cutter_end_block(&l->cutter, sequence, err);
}

static og_status run_passes(struct level *l, og_error *err)
{
    struct og_dedup_run *run = l->run;
    struct og_dedup_source source;
    fill_source(l, &source);
    /* A run that was interrupted while it wrote had already reported all
     * rejects. */
    if (l->cutter.journal.is_resumed) source.reject = NULL;
    source.step = "documents";
    source.finish = mark_all;
    run->counts->n_rounds = 1;
    TRY(og_dedup_pass(run, &source, &run->counts->stream, err));
    if (l->holders != NULL) TRY(og_sorter_finish(l->holders, err));
    TRY(next_holder(l, err));
    source.make = NULL;
    source.take = take_second;
    source.make_block = cut_block;
    source.begin_block = NULL;
    source.finish = NULL;
    source.end_block = end_block;
    return og_dedup_pass_again(run, &source, err);
}

static void report_closing(const struct level *l)
{
    const og_input *input = l->run->input;
    if (input->on_timing == NULL) return;
    input->on_timing(input->ctx,
                     &(const og_timing){.stage = "close",
                                        .thread = OG_TIMING_BESIDE,
                                        .seconds = l->parts.closing_seconds,
                                        .n = 1});
}

static void finish(struct level *l)
{
    og_window_parts_release(&l->parts);
    report_closing(l);
    og_sorter_free(l->holders);
    OG_UNGROW(NULL, l->bases, l->bases_cap);
    OG_UNGROW(NULL, l->first_docs, l->first_docs_cap);
    og_release(NULL, (void *)l->copied, l->copied_len);
}

og_status og_dedup_passages(struct og_dedup_run *run, og_error *err)
{
    struct level l = {.run = run, .parts.fd = -1};
    og_piece_cutter_init(&l.cutter, run);
    og_status status = start(&l, err);
    if (status == OG_OK) status = read_against(&l, err);
    if (status == OG_OK) status = og_piece_cutter_open(&l.cutter, err);
    if (status == OG_OK) status = run_passes(&l, err);
    status = og_piece_cutter_close(&l.cutter, status, err);
    finish(&l);
    return status;
}
