/* Lines and sentences that came before.
 *
 * A unit is known by its tokens: "Yes, sir!" is "yes sir". It goes when one
 * with the same tokens came before, in whatever document, and has at least so
 * many tokens; a unit without tokens stays. Texts that came before are not at
 * hand, so what is compared is a hash of 128 bits, of two kinds that have
 * nothing in common, under a key that is drawn for the run: nobody can write
 * lines that are taken for one another or meet in the table, and 10^12 units
 * have two that are with a probability of 10^-15.
 *
 * Without a cap the hashes of all units stand in a table, and one pass does
 * it. With one they are sorted, on disk when they are many; those that are not
 * the first of their kind are sorted again by place, and a second pass cuts.
 *
 * Documents to compare with come first and are not written. */

#include <stdlib.h>
#include <string.h>

#include "lib/base/hash_table.h"
#include "lib/dedup/dedup_pieces.h"
#include "lib/disk/sorter.h"
#include "lib/os/secret.h"
#include "lib/sentence/split/split.h"

#define SORTER_MOST ((size_t)64 << 20)

struct unit { /* as make() tells it */
    uint64_t hash[2];
    uint32_t begin, end; /* in the source text */
    uint32_t n_tokens, is_last;
};

struct slot {
    uint64_t hash[2]; /* both 0: empty */
    uint64_t first;   /* the number of the document, from 1 */
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
    struct slot *slots;
    size_t n_slots, n_used;
    struct og_sorter *places, *found;
    bool is_against, is_second;
    uint64_t n_units, n_documents; /* those to compare with first */
    struct found next;
    bool has_next;
    struct og_dedup_piece *pieces;
    size_t pieces_cap;
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

/* Lines end behind their newline. */
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

/* A sentence goes with the space behind it. */
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

/* ---- the table ---- */

static struct slot *find(struct slot *slots, size_t n_slots,
                         const uint64_t hash[2])
{
    size_t at;
    OG_PROBE(at, hash[0], n_slots,
             slots[at].hash[1] == 0 ||
                 (slots[at].hash[0] == hash[0] && slots[at].hash[1] == hash[1]))
    return &slots[at];
}

static og_status grow(struct level *l, og_error *err)
{
    const size_t n = l->n_slots == 0 ? 4096 : 2 * l->n_slots;
    struct slot *slots = og_allocate_zero(NULL, n * sizeof(*slots));
    if (slots == NULL)
        return og_error_memory(err, n * sizeof(*slots), "units of text");
    for (size_t i = 0; i < l->n_slots; i++)
        if (l->slots[i].hash[1] != 0)
            *find(slots, n, l->slots[i].hash) = l->slots[i];
    og_release(NULL, l->slots, l->n_slots * sizeof(*slots));
    l->slots = slots;
    l->n_slots = n;
    return OG_OK;
}

/* The document that has it first, from 1; 0: this one is the first. */
static og_status first_of(struct level *l, const struct unit *u, uint64_t *out,
                          og_error *err)
{
    if ((l->n_used + 1) * 4 > l->n_slots * 3) TRY(grow(l, err));
    struct slot *slot = find(l->slots, l->n_slots, u->hash);
    *out = slot->first;
    if (slot->hash[1] != 0) return OG_OK;
    *slot = (struct slot){{u->hash[0], u->hash[1]}, l->n_documents};
    l->n_used++;
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

/* All but the first of each kind, by place; equal ones come in their order. */
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

/* Over those of documents that are only compared with. */
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
    if (l->places == NULL) return first_of(l, u, out_first, err);
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

static og_status take(void *ctx, struct og_dedup_doc *d, og_error *err)
{
    struct level *l = ctx;
    const struct unit *units = d->made;
    const size_t n_units = d->made_len / sizeof(*units);
    size_t n = 0, n_left = 0;
    og_bytes text;
    l->n_documents++;
    if (!l->is_second) TRY(og_piece_cutter_note(&l->cutter, d->doc.id, err));
    if (!OG_GROW(NULL, l->pieces, l->pieces_cap, n_units))
        return og_error_memory(err, n_units * sizeof(*l->pieces), "pieces");
    for (size_t i = 0; i < n_units; i++) {
        uint64_t first;
        TRY(look_up(l, &units[i], &first, err));
        if (first == 0)
            n_left += units[i].n_tokens;
        else
            l->pieces[n++] = (struct og_dedup_piece){
                units[i].begin, units[i].end, units[i].n_tokens, first};
    }
    if (l->is_against || (l->places != NULL && !l->is_second)) return OG_OK;
    TRY(og_piece_cutter_text(&l->cutter, d, &text, err));
    return og_piece_cutter_write(&l->cutter, d, text, l->pieces, n,
                                 n > 0 && n_left == 0, err);
}

/* ---- the level ---- */

static og_status start(struct level *l, og_error *err)
{
    const og_dedup_options *o = l->run->options;
    og_shingle_factors_init(&l->key, og_rabin_default(), o->shingle_len);
    if (o->memory == 0) return OG_OK;
    TRY(og_dedup_needs_files(l->run, "a cap on memory", err));
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

/* What a run that was stopped has rejected stands in its file: all of it, if
 * it had come to a second pass. */
static og_status run_passes(struct level *l, og_error *err)
{
    struct og_dedup_run *run = l->run;
    const struct og_dedup_journal *journal = &l->cutter.journal;
    struct og_dedup_source source;
    const uint64_t first_unit = l->n_units;
    fill_source(l, &source);
    if (l->places == NULL) source.end_block = end_block;
    source.n_known_blocks = journal->mark.n_blocks;
    if (l->places != NULL && journal->goes_on) source.reject = NULL;
    source.step = "documents";
    TRY(og_dedup_pass(run, &source, &run->counts->stream, err));
    run->counts->n_rounds = 1;
    if (l->places == NULL) return OG_OK;
    TRY(sort_found(l, err));
    og_stream_counts again = {0};
    l->is_second = true;
    l->n_units = first_unit;
    l->n_documents = run->counts->n_against;
    source.end_block = end_block;
    source.reject = NULL;
    source.input.on_problem = NULL;
    source.step = "writing";
    return og_dedup_pass(run, &source, &again, err);
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
    og_release(NULL, l.slots, l.n_slots * sizeof(*l.slots));
    return status;
}
