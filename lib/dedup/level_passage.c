/* Passages that an earlier document has.
 *
 * A window is so many tokens in a row (50). It is copied when an earlier
 * document has the same window; a token is cut when some copied window covers
 * it. So every run of 50 tokens or more that occurs in an earlier document is
 * cut, whole, and nothing else. The earliest document keeps it, also where it
 * repeats itself.
 *
 * Exact, and in little memory: the windows of all documents are dealt out, by
 * a hash of their tokens, to parts on disk, 16 bytes each; then each part is
 * gone through in the order of the documents with a table of its own. The
 * result is a bit for each token of the input. A suffix array of the same
 * text takes 40 bytes a token and keeps them all in memory.
 *
 *     record: [hash, 64 bits][24 more bits of another hash | place, 40 bits]
 *
 * Windows are distinguished by 88 bits of hashes under a key that is drawn for
 * the run: nobody can write windows that are taken for one another, and of
 * 10^10 windows two are by chance with a probability of 10^-7.
 *
 * For a report, the first holder of every copied window is noted, too, sorted
 * by place: a piece is said to be of the document that contains the longest run
 * of it. Documents to compare with come first and are not written. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/hash_table.h"
#include "lib/dedup/dedup_pieces.h"
#include "lib/disk/sorter.h"
#include "lib/os/new_file.h"
#include "lib/os/secret.h"
#include "lib/os/temp_file.h"

#define SORTER_MOST ((size_t)32 << 20)

#define PLACE_BITS 40
#define PLACE_MASK (((uint64_t)1 << PLACE_BITS) - 1)
#define MOST_PARTS 1024
#define BUFFER_LEN                                                             \
    ((size_t)1024) /* records of a part before they are written */

struct window {
    uint64_t hash, place;
};

struct part {
    struct window *buffer;
    size_t n;
    uint64_t *chunks; /* offsets in the file, BUFFER_LEN records each */
    size_t n_chunks, chunks_cap;
};

struct holder { /* of a copied window */
    uint64_t place, document;
};

struct slot {
    uint64_t hash;
    uint32_t more, document; /* document: from 1; 0: empty */
};

struct level {
    struct og_dedup_run *run; /* first: lib/dedup/dedup.c */
    uint32_t window_len, piece_len;
    struct og_shingle_factors key; /* of piece_len tokens */
    struct og_shingler shingler;
    struct og_piece_cutter cutter;
    struct part *parts;
    unsigned part_bits;
    int fd;
    uint64_t file_len;
    uint64_t *bases; /* the place of the first token of each document */
    size_t n_documents, bases_cap;
    uint64_t n_tokens;
    uint8_t *copied; /* a bit for each window by its first token */
    struct slot *slots;
    size_t n_slots;
    struct window *chunk;
    struct og_dedup_piece *pieces;
    size_t pieces_cap;
    uint64_t n_again;
    struct og_sorter *holders; /* NULL: no report */
    struct holder next;
    bool has_next;
};

/* ---- windows, any thread ---- */

/* The hash of a window, under the secret key of the run, is made of
 * fingerprints of pieces that cover it: the first, the one after it, ..., and
 * the last, which may overlap. */
static og_status make_windows(void *ctx, struct og_dedup_worker *h,
                              og_bytes text, og_error *err)
{
    const struct level *l = ctx;
    h->shingler.token_key = og_secret();
    TRY(og_shingler_run(&h->shingler, text, err));
    const size_t n_tokens = h->shingler.tokens.n, len = l->window_len;
    if (n_tokens < len) return OG_OK;
    const uint64_t *fps = h->shingler.fps.data;
    const size_t piece = l->piece_len;
    for (size_t i = 0; i + len <= n_tokens; i++) {
        uint64_t hash[2] = {0x70617373u, 0x61676573u};
        for (size_t at = 0;; at += piece) {
            if (at + piece > len) at = len - piece;
            hash[0] = og_mul_fold(hash[0] ^ fps[i + at], 0x9e3779b97f4a7c15u);
            hash[1] = (hash[1] ^ fps[i + at]) * 0xbf58476d1ce4e5b9u;
            hash[1] ^= hash[1] >> 29;
            if (at + piece == len) break;
        }
        hash[0] = og_mix64(hash[0]);
        og_pack_bytes(&h->made, hash, sizeof(hash));
    }
    return OG_OK;
}

/* ---- dealing out ---- */

static og_status write_part(struct level *l, struct part *p, og_error *err)
{
    if (!OG_GROW(NULL, p->chunks, p->chunks_cap, p->n_chunks + 1))
        return og_error_memory(err, p->n_chunks * 8, "passages");
    if (og_file_write_all(l->fd, p->buffer, p->n * sizeof(*p->buffer)) != 0)
        return og_file_failure(err, "write a temporary file in", l->run->folder,
                               errno);
    p->chunks[p->n_chunks++] = l->file_len;
    l->file_len += p->n * sizeof(*p->buffer);
    p->n = 0;
    return OG_OK;
}

static og_status deal(struct level *l, const uint64_t hash[2], uint64_t place,
                      og_error *err)
{
    struct part *p = &l->parts[hash[0] >> (64 - l->part_bits)];
    p->buffer[p->n++] =
        (struct window){hash[0], hash[1] >> PLACE_BITS << PLACE_BITS | place};
    return p->n == BUFFER_LEN ? write_part(l, p, err) : OG_OK;
}

static og_status take_first(void *ctx, struct og_dedup_doc *d, og_error *err)
{
    struct level *l = ctx;
    TRY(og_piece_cutter_note(&l->cutter, d->doc.id, err));
    const uint64_t(*hashes)[2] = d->made;
    const size_t n = d->made_len / sizeof(*hashes);
    if (!OG_GROW(NULL, l->bases, l->bases_cap, l->n_documents + 2))
        return og_error_memory(err, l->n_documents * 8, "documents");
    for (size_t i = 0; i < n; i++)
        TRY(deal(l, hashes[i], l->n_tokens + i, err));
    l->bases[l->n_documents++] = l->n_tokens;
    l->n_tokens += d->n_tokens;
    l->bases[l->n_documents] = l->n_tokens;
    if (l->n_tokens > PLACE_MASK || l->n_documents >= UINT32_MAX)
        return og_error_set(err, OG_ERR_LIMIT,
                            "more than 2^40 tokens or 2^32 documents");
    return OG_OK;
}

/* ---- one part ---- */

static og_status clear_table(struct level *l, size_t n_windows,
                             size_t *out_n_slots, og_error *err)
{
    size_t n_slots = 1024;
    while (n_slots < n_windows + n_windows / 2)
        n_slots *= 2;
    if (n_slots > l->n_slots) {
        og_release(NULL, l->slots, l->n_slots * sizeof(*l->slots));
        l->slots = og_allocate(NULL, n_slots * sizeof(*l->slots));
        l->n_slots = n_slots;
        if (l->slots == NULL)
            return og_error_memory(err, n_slots * sizeof(*l->slots),
                                   "passages");
    }
    memset(l->slots, 0, n_slots * sizeof(*l->slots));
    *out_n_slots = n_slots;
    return OG_OK;
}

static og_status look_up(struct level *l, const struct window *w,
                         size_t n_slots, uint32_t document, og_error *err)
{
    const uint32_t more = (uint32_t)(w->place >> PLACE_BITS);
    size_t at;
    OG_PROBE(at, w->hash, n_slots,
             l->slots[at].document == 0 ||
                 (l->slots[at].hash == w->hash && l->slots[at].more == more))
    if (l->slots[at].document == 0) {
        l->slots[at] = (struct slot){w->hash, more, document};
    } else if (l->slots[at].document != document) {
        const uint64_t place = w->place & PLACE_MASK;
        const struct holder holder = {place, l->slots[at].document};
        l->copied[place / 8] |= (uint8_t)(1u << place % 8);
        if (l->holders != NULL && document > l->run->counts->n_against)
            return og_sorter_add(l->holders, &holder, err);
    }
    return OG_OK;
}

static og_status read_chunk(struct level *l, const struct part *p, size_t i,
                            og_error *err)
{
    const size_t len = BUFFER_LEN * sizeof(*l->chunk);
    if (og_file_read_at(l->fd, l->chunk, len, p->chunks[i]) == (int64_t)len)
        return OG_OK;
    return og_file_failure(err, "read a temporary file in", l->run->folder,
                           errno);
}

/* The chunks on disk are all whole; the rest is still in the buffer. */
static og_status mark_part(struct level *l, const struct part *p, og_error *err)
{
    const size_t n_windows = p->n_chunks * BUFFER_LEN + p->n;
    size_t n_slots = 0, document = 0;
    TRY(clear_table(l, n_windows, &n_slots, err));
    for (size_t i = 0; i <= p->n_chunks; i++) {
        const struct window *windows = p->buffer;
        size_t n = p->n;
        if (i < p->n_chunks) {
            TRY(read_chunk(l, p, i, err));
            windows = l->chunk;
            n = BUFFER_LEN;
        }
        for (size_t j = 0; j < n; j++) {
            while (l->bases[document + 1] <= (windows[j].place & PLACE_MASK))
                document++;
            TRY(look_up(l, &windows[j], n_slots, (uint32_t)document + 1, err));
        }
    }
    return OG_OK;
}

static og_status mark_all(struct level *l, og_error *err)
{
    const size_t n_parts = (size_t)1 << l->part_bits;
    const og_input *input = l->run->input;
    l->copied = og_allocate_zero(NULL, (size_t)(l->n_tokens / 8 + 1));
    if (l->copied == NULL)
        return og_error_memory(err, (size_t)(l->n_tokens / 8 + 1), "passages");
    for (size_t i = 0; i < n_parts; i++) {
        struct part *p = &l->parts[i];
        TRY(mark_part(l, p, err));
        og_release(NULL, p->buffer, BUFFER_LEN * sizeof(*p->buffer));
        p->buffer = NULL;
        OG_UNGROW(NULL, p->chunks, p->chunks_cap);
        if (input->on_progress == NULL) continue;
        const og_stream_counts shown = {.n_documents = i + 1};
        input->on_progress(input->ctx, "parts", &shown);
    }
    return OG_OK;
}

/* ---- cutting ---- */

static bool is_copied(const struct level *l, uint64_t place)
{
    return l->copied[place / 8] >> place % 8 & 1;
}

static bool has_any(const struct level *l, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end;) {
        if (i % 8 == 0 && l->copied[i / 8] == 0) {
            i += 8;
            continue;
        }
        if (is_copied(l, i)) return true;
        i++;
    }
    return false;
}

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

/* Which document contains the longest run of the windows before `end`, of those
 * that were not asked for yet. */
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

static og_status add_piece(struct level *l, uint64_t base, size_t *n,
                           size_t first, size_t last, og_error *err)
{
    uint64_t first_of;
    TRY(find_holder(l, base + last, &first_of, err));
    const struct og_text *text = &l->shingler.text;
    const struct og_tokens *tokens = &l->shingler.tokens;
    if (!OG_GROW(NULL, l->pieces, l->pieces_cap, *n + 1))
        return og_error_memory(err, *n * sizeof(*l->pieces), "pieces");
    const size_t end = last < tokens->n
                           ? og_text_source_begin(text, tokens->begin[last])
                           : text->source_len;
    l->pieces[(*n)++] = (struct og_dedup_piece){
        .begin = og_text_source_begin(text, tokens->begin[first]),
        .end = end,
        .n_tokens = last - first,
        .first = first_of};
    return OG_OK;
}

/* Runs of tokens that a copied window covers. */
static og_status find_pieces(struct level *l, uint64_t base, size_t *n,
                             size_t *n_left, og_error *err)
{
    const size_t n_tokens = l->shingler.tokens.n;
    size_t first = 0, end = 0; /* of the run at hand */
    *n = 0;
    *n_left = n_tokens;
    for (size_t i = 0; i + l->window_len <= n_tokens; i++) {
        if (!is_copied(l, base + i)) continue;
        if (i > end && end > first) {
            *n_left -= end - first;
            TRY(add_piece(l, base, n, first, end, err));
        }
        if (i > end || end == first) first = i;
        end = i + l->window_len;
    }
    if (end == first) return OG_OK;
    *n_left -= end - first;
    return add_piece(l, base, n, first, end, err);
}

static og_status take_second(void *ctx, struct og_dedup_doc *d, og_error *err)
{
    struct level *l = ctx;
    const uint64_t number = l->n_again++;
    struct og_cut_document cut = {.n = 0};
    og_bytes text = {"", 0};
    size_t n_left = 1;
    if (number >= l->n_documents)
        return og_error_set(err, OG_ERR_INPUT,
                            "the input was changed while it was read");
    const uint64_t base = l->bases[number], end = l->bases[number + 1];
    if (has_any(l, base, end)) {
        TRY(og_cut_text(l->run, d, &l->cutter.scratch, &text, err));
        TRY(og_shingler_run(&l->shingler, text, err));
        if (l->shingler.tokens.n != end - base)
            return og_error_set(err, OG_ERR_INPUT,
                                "'%s' was changed while it was read",
                                d->block->file);
        TRY(find_pieces(l, base, &cut.n, &n_left, err));
        og_shingler_trim(&l->shingler);
    }
    cut.pieces = l->pieces;
    cut.is_all = n_left == 0;
    TRY(og_cut(l->run, d, text, &l->cutter.scratch, &cut, err));
    return og_piece_cutter_write(&l->cutter, d, &cut, err);
}

/* ---- the level ---- */

/* As many parts as make tables of some megabytes. The input may be packed or
 * a folder: more of them cost little. */
static og_status start(struct level *l, og_error *err)
{
    const og_dedup_options *o = l->run->options;
    struct stat st;
    uint64_t bytes = 0;
    TRY(og_stream_needs_again(l->run->input, "finding passages", err));
    for (size_t i = 0; i < l->run->input->n_paths + o->n_against; i++) {
        const char *path = i < l->run->input->n_paths
                               ? l->run->input->paths[i]
                               : o->against[i - l->run->input->n_paths];
        if (stat(path, &st) == 0)
            bytes += S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 1u << 30;
    }
    l->part_bits = 4;
    while (l->part_bits < 10 && bytes >> l->part_bits > 1 << 20)
        l->part_bits++;
    l->window_len = o->least_tokens != 0 ? o->least_tokens : 50;
    l->piece_len =
        l->window_len <= OG_SHINGLE_MAX ? l->window_len : OG_SHINGLE_MAX;
    og_shingle_factors_init(&l->key, og_rabin_default(), l->piece_len);
    og_shingler_init(&l->shingler, o->tokens, &l->key, NULL);
    l->fd = og_temp_file_open(l->run->folder, err);
    if (l->fd < 0) return OG_ERR_IO;
    l->parts = og_allocate_zero(NULL, sizeof(*l->parts) << l->part_bits);
    l->chunk = og_allocate(NULL, BUFFER_LEN * sizeof(*l->chunk));
    if (l->parts == NULL || l->chunk == NULL)
        return og_error_memory(err, BUFFER_LEN * 16, "passages");
    for (size_t i = 0; i < (size_t)1 << l->part_bits; i++) {
        l->parts[i].buffer = og_allocate(NULL, BUFFER_LEN * sizeof(*l->chunk));
        if (l->parts[i].buffer == NULL)
            return og_error_memory(err, BUFFER_LEN * 16, "passages");
    }
    if (!OG_GROW(NULL, l->bases, l->bases_cap, 2))
        return og_error_memory(err, 16, "documents");
    if (o->report == NULL) return OG_OK;
    size_t memory = SORTER_MOST;
    if (o->memory != 0 && memory > o->memory / 4)
        memory = (size_t)(o->memory / 4);
    return og_sorter_new(sizeof(struct holder), 1, memory, l->run->folder,
                         &l->holders, err);
}

static void fill_source(struct level *l, struct og_dedup_source *out)
{
    og_dedup_source_fill(l->run, out);
    out->key = &l->key;
    out->ctx = l;
    out->make = make_windows;
    out->take = take_first;
}

static og_status read_against(struct level *l, og_error *err)
{
    struct og_dedup_source source;
    fill_source(l, &source);
    return og_dedup_against(l->run, &source, err);
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
    /* A run that was stopped while it wrote had rejected all there is. */
    if (l->cutter.journal.is_resumed) source.reject = NULL;
    source.step = "documents";
    run->counts->n_rounds = 1;
    TRY(og_dedup_pass(run, &source, &run->counts->stream, err));
    TRY(mark_all(l, err));
    if (l->holders != NULL) TRY(og_sorter_finish(l->holders, err));
    TRY(next_holder(l, err));
    l->n_again = run->counts->n_against;
    source.make = NULL;
    source.take = take_second;
    source.end_block = end_block;
    return og_dedup_pass_again(run, &source, err);
}

static void finish(struct level *l)
{
    for (size_t i = 0; l->parts != NULL && i < (size_t)1 << l->part_bits; i++) {
        og_release(NULL, l->parts[i].buffer, BUFFER_LEN * sizeof(*l->chunk));
        OG_UNGROW(NULL, l->parts[i].chunks, l->parts[i].chunks_cap);
    }
    if (l->fd >= 0) close(l->fd);
    og_release(NULL, l->parts, sizeof(*l->parts) << l->part_bits);
    og_release(NULL, l->chunk, BUFFER_LEN * sizeof(*l->chunk));
    og_release(NULL, l->slots, l->n_slots * sizeof(*l->slots));
    og_sorter_free(l->holders);
    if (l->key.rabin != NULL) og_shingler_release(&l->shingler);
    OG_UNGROW(NULL, l->bases, l->bases_cap);
    OG_UNGROW(NULL, l->pieces, l->pieces_cap);
    og_release(NULL, l->copied, (size_t)(l->n_tokens / 8 + 1));
}

og_status og_dedup_passages(struct og_dedup_run *run, og_error *err)
{
    struct level l = {.run = run, .fd = -1};
    og_piece_cutter_init(&l.cutter, run);
    og_status status = start(&l, err);
    if (status == OG_OK) status = read_against(&l, err);
    if (status == OG_OK) status = og_piece_cutter_open(&l.cutter, err);
    if (status == OG_OK) status = run_passes(&l, err);
    status = og_piece_cutter_close(&l.cutter, status, err);
    finish(&l);
    return status;
}
