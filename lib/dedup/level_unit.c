/* Repeated lines and sentences.
 *
 * A unit is identified by its tokens: "Yes, sir!" is "yes sir". It is removed
 * if one with the same tokens came before, in any document, and if it has a
 * minimum number of tokens; a unit without tokens is kept. Earlier texts are
 * not available, so hashes of 128 bits are compared, of two unrelated kinds,
 * under a random key of the run: nobody can construct lines that are mistaken
 * for one another or collide in the table, and among 10^12 units two are
 * mistaken with a probability of 10^-15.
 *
 * Without a memory limit the hashes of all units are in a table, and one pass
 * does
 * it. With a limit they are sorted, on disk if there are many; those that are
 * not the first of their kind are sorted again by position, and a second pass
 * cuts.
 *
 * Documents to compare with come first and are not written. */

#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/dedup/dedup_pieces.h"
#include "lib/dedup/unit_table.h"
#include "lib/disk/sorter.h"
#include "lib/os/secret.h"
#include "lib/sentence/split/split.h"

#define SORTER_MOST ((size_t)64 << 20)

struct unit { /* as output by make() */
    uint64_t hash[2];
    uint32_t begin, end; /* in the source text */
    uint32_t n_tokens, is_last;
};

struct place { /* of the sorters */
    uint64_t hash[2];
    uint64_t number; /* of the unit */
    uint64_t document;
};

struct found {
    uint64_t number, first;
};

struct level {
    struct og_dedup_run *run; /* first: lib/dedup/dedup.c */
    uint32_t least;           /* tokens */
    struct og_shingle_factors key;
    struct og_piece_cutter cutter;
    struct og_unit_table table;
    struct og_sorter *places, *found;
    bool is_against, is_second;
    uint64_t n_units, n_documents; /* including those to compare with */
    struct found next;
    bool has_next;
    struct og_dedup_piece *pieces;
    size_t pieces_cap;
    /* Of the current block, if the table is used. */
    uint64_t block;  /* its number, from 1 */
    uint64_t *first; /* by unit: the document that keeps it; 0: its own */
    struct og_cut_document *cuts; /* by document */
    size_t first_cap, cuts_cap, at;
};

/* ---- a text into units, any thread ---- */

/* The first eight bytes of a token and the last eight. */
static uint64_t ends_of(const struct og_dedup_worker *h, size_t token)
{
    const struct og_tokens *tokens = &h->shingler.tokens;
    const char *begin = h->shingler.text.data + tokens->begin[token];
    const char *end = h->shingler.text.data + tokens->end[token];
    const size_t len = (size_t)(end - begin);
    const uint64_t front = og_load64(begin); /* with the padding of a text */
    if (len < 8) return front & (((uint64_t)1 << 8 * len) - 1);
    return front ^ og_load64(end - 8) << 1;
}

static void add_unit(struct og_dedup_worker *h, size_t begin, size_t end,
                     size_t first, size_t last)
{
    const struct og_tokens *tokens = &h->shingler.tokens;
    struct unit unit = {.begin = (uint32_t)begin,
                        .end = (uint32_t)end,
                        .n_tokens = (uint32_t)(last - first)};
    unit.hash[0] = og_rabin_words(h->shingler.key->rabin, tokens->hash + first,
                                  last - first);
    uint64_t chain = og_secret() ^ 0x756e697473u;
    for (size_t i = first; i < last; i++)
        chain = og_mul_fold(chain ^ tokens->hash[i] ^ ends_of(h, i),
                            0x9e3779b97f4a7c15u) +
                i - first;
    unit.hash[1] = og_mix64(chain) | 1; /* never both 0 */
    og_pack_bytes(&h->made, &unit, sizeof(unit));
}

/* Lines include their newline. */
static void make_lines(struct og_dedup_worker *h, og_bytes text)
{
    const struct og_text *folded = &h->shingler.text;
    const struct og_tokens *tokens = &h->shingler.tokens;
    size_t token = 0;
    for (size_t begin = 0; begin < text.len;) {
        const char *newline = memchr(text.data + begin, '\n', text.len - begin);
        const size_t end =
            newline == NULL ? text.len : (size_t)(newline - text.data) + 1;
        const size_t first = token;
        while (token < tokens->n &&
               og_text_source_begin(folded, tokens->begin[token]) < end)
            token++;
        add_unit(h, begin, end, first, token);
        begin = end;
    }
}

/* A sentence includes the space after it. */
static og_status make_sentences(struct og_dedup_worker *h, og_bytes text,
                                og_error *err)
{
    const struct og_text *folded = &h->shingler.text;
    const struct og_tokens *tokens = &h->shingler.tokens;
    struct og_splitter splitter;
    size_t token = 0;
    og_splitter_init(&splitter, NULL);
    const og_status status = og_split(&splitter, text, err);
    for (size_t i = 0; status == OG_OK && i < splitter.n; i++) {
        const size_t begin = splitter.ranges[i].begin;
        const size_t end =
            i + 1 < splitter.n ? splitter.ranges[i + 1].begin : text.len;
        while (token < tokens->n &&
               og_text_source_begin(folded, tokens->begin[token]) < begin)
            token++;
        const size_t first = token;
        while (token < tokens->n &&
               og_text_source_begin(folded, tokens->begin[token]) < end)
            token++;
        add_unit(h, begin, end, first, token);
    }
    og_splitter_release(&splitter);
    return status;
}

static og_status make_units(void *ctx, struct og_dedup_worker *h, og_bytes text,
                            og_error *err)
{
    const struct level *l = ctx;
    h->shingler.token_key = og_secret();
    TRY(og_shingler_run(&h->shingler, text, err));
    if (l->run->options->level == OG_LEVEL_SENTENCE)
        return make_sentences(h, text, err);
    make_lines(h, text);
    return OG_OK;
}

/* ---- the sorters ---- */

static og_status next_found(struct level *l, og_error *err)
{
    const void *record;
    l->has_next = false;
    const og_status status = og_sorter_next(l->found, &record, err);
    if (status == OG_END) return OG_OK;
    TRY(status);
    memcpy(&l->next, record, sizeof(l->next));
    l->has_next = true;
    return OG_OK;
}

/* All but the first of each kind, by position; equal ones in order. */
static og_status sort_found(struct level *l, og_error *err)
{
    const void *record;
    struct place best = {{0, 0}, 0, 0}, p;
    og_status status;
    TRY(og_sorter_finish(l->places, err));
    while ((status = og_sorter_next(l->places, &record, err)) == OG_OK) {
        memcpy(&p, record, sizeof(p));
        if (memcmp(p.hash, best.hash, sizeof(p.hash)) != 0) {
            best = p;
            continue;
        }
        const struct found f = {p.number, best.document};
        TRY(og_sorter_add(l->found, &f, err));
    }
    if (status != OG_END) return status;
    TRY(og_sorter_finish(l->found, err));
    return next_found(l, err);
}

/* Skips those of documents that are only compared with. */
static og_status pass_found(struct level *l, uint64_t number, og_error *err)
{
    while (l->has_next && l->next.number < number)
        TRY(next_found(l, err));
    return OG_OK;
}

/* ---- documents, in order ---- */

static og_status look_up(struct level *l, const struct unit *u,
                         uint64_t *out_first, og_error *err)
{
    const uint64_t number = l->n_units++;
    *out_first = 0;
    if (u->n_tokens < l->least) return OG_OK;
    if (!l->is_second) {
        const struct place p = {
            {u->hash[0], u->hash[1]}, number, l->n_documents};
        return og_sorter_add(l->places, &p, err);
    }
    if (l->has_next && l->next.number < number) TRY(pass_found(l, number, err));
    if (!l->has_next || l->next.number != number) return OG_OK;
    *out_first = l->next.first;
    return next_found(l, err);
}

/* The units to cut, each with its first holder. */
static og_status find_pieces(const struct og_dedup_doc *d,
                             const uint64_t *first,
                             struct og_dedup_piece **pieces, size_t *cap,
                             struct og_cut_document *out, og_error *err)
{
    const struct unit *units = d->made;
    const size_t n_units = d->made_len / sizeof(*units);
    size_t n_left = 0;
    if (!OG_GROW(NULL, *pieces, *cap, n_units))
        return og_error_memory(err, n_units * sizeof(**pieces), "pieces");
    *out = (struct og_cut_document){.pieces = *pieces};
    for (size_t i = 0; i < n_units; i++)
        if (first[i] == 0)
            n_left += units[i].n_tokens;
        else
            (*pieces)[out->n++] = (struct og_dedup_piece){
                units[i].begin, units[i].end, units[i].n_tokens, first[i]};
    out->is_all = out->n > 0 && n_left == 0;
    return OG_OK;
}

/* Finds its pieces and cuts them out. */
static og_status cut_document(const struct level *l,
                              const struct og_dedup_doc *d,
                              const uint64_t *first,
                              struct og_dedup_piece **pieces, size_t *cap,
                              struct og_cut_scratch *scratch,
                              struct og_cut_document *out, og_error *err)
{
    og_bytes text = {"", 0};
    TRY(find_pieces(d, first, pieces, cap, out, err));
    if (out->n > 0) TRY(og_cut_text(l->run, d, scratch, &text, err));
    return og_cut(l->run, d, text, scratch, out, err);
}

static og_status take_sorted(struct level *l, struct og_dedup_doc *d,
                             og_error *err)
{
    const struct unit *units = d->made;
    const size_t n_units = d->made_len / sizeof(*units);
    struct og_cut_document cut;
    if (!OG_GROW(NULL, l->first, l->first_cap, n_units))
        return og_error_memory(err, n_units * 8, "pieces");
    for (size_t i = 0; i < n_units; i++)
        TRY(look_up(l, &units[i], &l->first[i], err));
    if (!l->is_second) return OG_OK;
    TRY(cut_document(l, d, l->first, &l->pieces, &l->pieces_cap,
                     &l->cutter.scratch, &cut, err));
    return og_piece_cutter_write(&l->cutter, d, &cut, err);
}

static og_status take(void *ctx, struct og_dedup_doc *d, og_error *err)
{
    struct level *l = ctx;
    l->n_documents++;
    if (!l->is_second) TRY(og_piece_cutter_note(&l->cutter, d->doc.id, err));
    if (l->places != NULL) return take_sorted(l, d, err);
    if (l->is_against) return OG_OK;
    return og_piece_cutter_write(&l->cutter, d, &l->cuts[l->at++], err);
}

/* ---- blocks, with the table ----
 *
 * Units are looked up part by part of the table, in the order of the documents
 * in each, so that the first holder is the same for any number of threads. Then
 * every document is cut, whoever comes first. */

/* Documents per piece: enough to make the cost of taking one negligible. */
#define PIECE_DOCS 8

struct ref { /* a unit of the block */
    const struct unit *unit;
    uint32_t number; /* in the block */
    uint32_t doc;
};

struct block {              /* batch->own */
    const uint32_t *units;  /* the number of the first unit of each document */
    const struct ref *refs; /* by part */
    uint32_t n_units;
    uint32_t ends[OG_UNIT_PARTS];
};

struct thread { /* worker->mine */
    uint32_t *units;
    struct ref *refs;
    size_t units_cap, refs_cap;
    struct og_dedup_piece *pieces;
    size_t pieces_cap;
    struct og_cut_scratch scratch;
    struct og_arena arena; /* for the cut text, until the block is taken */
    uint64_t block;        /* the block it belongs to */
};

static void stop_worker(void *ctx, struct og_dedup_worker *worker)
{
    struct thread *t = worker->mine;
    (void)ctx;
    if (t == NULL) return;
    OG_UNGROW(NULL, t->units, t->units_cap);
    OG_UNGROW(NULL, t->refs, t->refs_cap);
    OG_UNGROW(NULL, t->pieces, t->pieces_cap);
    og_cut_scratch_release(&t->scratch);
    og_arena_release(&t->arena);
    og_release(NULL, t, sizeof(*t));
    worker->mine = NULL;
}

static og_status thread_of(struct og_dedup_worker *worker, struct thread **out,
                           og_error *err)
{
    TRY(og_dedup_worker_own(worker, sizeof(**out), err));
    *out = worker->mine;
    return OG_OK;
}

/* Numbers the units by document, and counts those of each part: its end, once
 * all parts before it are counted. */
static void count_units(const struct level *l, const struct og_batch *b,
                        struct thread *t, struct block *block)
{
    memset(block->ends, 0, sizeof(block->ends));
    block->n_units = 0;
    for (size_t i = 0; i < b->n_docs; i++) {
        const struct og_dedup_doc *d = b->docs[i].made;
        const struct unit *units = d->made;
        const size_t n = d->made_len / sizeof(*units);
        t->units[i] = block->n_units;
        block->n_units += (uint32_t)n;
        for (size_t k = 0; k < n; k++)
            if (units[k].n_tokens >= l->least)
                block->ends[og_unit_part_of(units[k].hash)]++;
    }
    for (size_t p = 1; p < OG_UNIT_PARTS; p++)
        block->ends[p] += block->ends[p - 1];
}

static void sort_units(const struct level *l, const struct og_batch *b,
                       const struct thread *t, const struct block *block)
{
    uint32_t next[OG_UNIT_PARTS];
    for (size_t p = 0; p < OG_UNIT_PARTS; p++)
        next[p] = p == 0 ? 0 : block->ends[p - 1];
    for (size_t i = 0; i < b->n_docs; i++) {
        const struct og_dedup_doc *d = b->docs[i].made;
        const struct unit *units = d->made;
        const size_t n = d->made_len / sizeof(*units);
        for (size_t k = 0; k < n; k++)
            if (units[k].n_tokens >= l->least)
                t->refs[next[og_unit_part_of(units[k].hash)]++] = (struct ref){
                    &units[k], t->units[i] + (uint32_t)k, (uint32_t)i};
    }
}

static og_status make_block(void *ctx, struct og_dedup_worker *worker,
                            struct og_batch *b, og_error *err)
{
    const struct level *l = ctx;
    struct block *block = b->own;
    struct thread *t;
    TRY(thread_of(worker, &t, err));
    if (!OG_GROW(NULL, t->units, t->units_cap, b->n_docs))
        return og_error_memory(err, b->n_docs * 4, "units of text");
    count_units(l, b, t, block);
    const size_t n_refs = block->ends[OG_UNIT_PARTS - 1];
    if (!OG_GROW(NULL, t->refs, t->refs_cap, n_refs))
        return og_error_memory(err, n_refs * sizeof(*t->refs), "units of text");
    sort_units(l, b, t, block);
    block->units = t->units;
    block->refs = t->refs;
    return OG_BATCH_KEEP(b, block->units, b->n_docs) &&
                   OG_BATCH_KEEP(b, block->refs, n_refs)
               ? OG_OK
               : og_error_memory(err, n_refs * sizeof(*t->refs),
                                 "units of text");
}

struct phase {
    struct level *level;
    const struct og_batch *batch;
};

static og_status look_up_part(void *ctx, void *worker, size_t part,
                              og_error *err)
{
    const struct phase *phase = ctx;
    struct level *l = phase->level;
    const struct block *block = phase->batch->own;
    (void)worker;
    for (size_t i = part == 0 ? 0 : block->ends[part - 1];
         i < block->ends[part]; i++) {
        const struct ref *r = &block->refs[i];
        TRY(og_unit_table_first(&l->table, r->unit->hash,
                                l->n_documents + r->doc + 1,
                                &l->first[r->number], err));
    }
    return OG_OK;
}

/* A copy in the arena of the thread. */
static bool keep_bytes(struct thread *t, og_bytes *bytes)
{
    if (bytes->len == 0) return true;
    bytes->data = og_arena_copy(&t->arena, bytes->data, bytes->len, 1);
    return bytes->data != NULL;
}

static og_status keep_cut(struct thread *t, struct og_cut_document *cut,
                          og_error *err)
{
    const size_t len = cut->n * sizeof(*cut->pieces);
    if (cut->n == 0) return OG_OK;
    cut->pieces = og_arena_copy(&t->arena, cut->pieces, len, 8);
    return cut->pieces != NULL && keep_bytes(t, &cut->text) &&
                   keep_bytes(t, &cut->record)
               ? OG_OK
               : og_error_memory(err, len, "pieces");
}

static og_status cut_piece(void *ctx, void *worker, size_t piece, og_error *err)
{
    const struct phase *phase = ctx;
    struct level *l = phase->level;
    const struct og_batch *b = phase->batch;
    const struct block *block = b->own;
    const size_t begin = piece * PIECE_DOCS;
    struct thread *t;
    TRY(thread_of(worker, &t, err));
    if (t->block != l->block) og_arena_clear(&t->arena, (size_t)1 << 20);
    t->block = l->block;
    for (size_t i = begin; i < b->n_docs && i < begin + PIECE_DOCS; i++) {
        TRY(cut_document(l, b->docs[i].made, l->first + block->units[i],
                         &t->pieces, &t->pieces_cap, &t->scratch, &l->cuts[i],
                         err));
        TRY(keep_cut(t, &l->cuts[i], err));
    }
    return OG_OK;
}

static og_status begin_block(void *ctx, struct og_batch *b, og_error *err)
{
    struct level *l = ctx;
    const struct block *block = b->own;
    const struct og_phases phases = og_stream_phases(b);
    struct phase phase = {l, b};
    if (b->n_docs == 0) return OG_OK;
    l->block++;
    l->at = 0;
    if (!OG_GROW(NULL, l->first, l->first_cap, block->n_units) ||
        !OG_GROW(NULL, l->cuts, l->cuts_cap, b->n_docs))
        return og_error_memory(err, block->n_units * 8, "units of text");
    if (block->n_units > 0)
        memset(l->first, 0, block->n_units * sizeof(*l->first));
    TRY(og_phases_step(&phases, "look up", OG_UNIT_PARTS, look_up_part, &phase,
                       err));
    if (l->is_against) return OG_OK;
    return og_phases_step(&phases, "cut",
                          (b->n_docs + PIECE_DOCS - 1) / PIECE_DOCS, cut_piece,
                          &phase, err);
}

/* ---- the level ---- */

static og_status start(struct level *l, og_error *err)
{
    const og_dedup_options *o = l->run->options;
    og_shingle_factors_init(&l->key, og_rabin_default(), o->shingle_len);
    if (o->memory == 0) return OG_OK;
    TRY(og_stream_needs_again(l->run->input, "a cap on memory", err));
    size_t memory = (size_t)(o->memory / 2);
    if (memory > SORTER_MOST) memory = SORTER_MOST;
    TRY(og_sorter_new(sizeof(struct place), 2, memory, l->run->folder,
                      &l->places, err));
    return og_sorter_new(sizeof(struct found), 1, memory, l->run->folder,
                         &l->found, err);
}

static og_status end_block(void *ctx, uint64_t sequence, og_error *err)
{
    struct level *l = ctx;
    return og_piece_cutter_end_block(&l->cutter, sequence, err);
}

static void fill_source(struct level *l, struct og_dedup_source *out)
{
    og_dedup_source_fill(l->run, out);
    out->key = &l->key;
    out->ctx = l;
    out->make = make_units;
    out->take = take;
    if (l->places != NULL) return;
    out->own_len = sizeof(struct block);
    out->make_block = make_block;
    out->begin_block = begin_block;
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

/* The rejects of an interrupted run are in its file: all of them, if it had
 * reached a second pass. */
static og_status run_passes(struct level *l, og_error *err)
{
    struct og_dedup_run *run = l->run;
    const struct og_dedup_journal *journal = &l->cutter.journal;
    struct og_dedup_source source;
    const uint64_t first_unit = l->n_units;
    fill_source(l, &source);
    if (l->places == NULL) source.end_block = end_block;
    source.n_known_blocks = journal->mark.n_blocks;
    if (l->places != NULL && journal->is_resumed) source.reject = NULL;
    source.step = "documents";
    TRY(og_dedup_pass(run, &source, &run->counts->stream, err));
    run->counts->n_rounds = 1;
    if (l->places == NULL) return OG_OK;
    TRY(sort_found(l, err));
    l->is_second = true;
    l->n_units = first_unit;
    l->n_documents = run->counts->n_against;
    source.end_block = end_block;
    return og_dedup_pass_again(run, &source, err);
}

og_status og_dedup_units(struct og_dedup_run *run, og_error *err)
{
    const og_dedup_options *o = run->options;
    struct level l = {.run = run, .least = o->least_tokens};
    if (l.least == 0) l.least = o->level == OG_LEVEL_SENTENCE ? 5 : 1;
    og_piece_cutter_init(&l.cutter, run);
    og_status status = start(&l, err);
    if (status == OG_OK) status = read_against(&l, err);
    if (status == OG_OK) status = og_piece_cutter_open(&l.cutter, err);
    if (status == OG_OK) status = run_passes(&l, err);
    status = og_piece_cutter_close(&l.cutter, status, err);
    og_sorter_free(l.places);
    og_sorter_free(l.found);
    OG_UNGROW(NULL, l.pieces, l.pieces_cap);
    OG_UNGROW(NULL, l.first, l.first_cap);
    OG_UNGROW(NULL, l.cuts, l.cuts_cap);
    og_unit_table_release(&l.table);
    return status;
}
