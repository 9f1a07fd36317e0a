#include "lib/align/confirm.h"

#include <stdlib.h>
#include <string.h>

/* Part of a copy needs at least this many consecutive equal words: fewer match
 * by chance. In scripts without spaces a token is a character, which means
 * less. */
enum { LEAST_RUN = 4, LEAST_CHARACTERS = 8 };

/* The document's own words in a copy; more of them split it. */
#define MOST_EDITED 6

/* After such a gap, or where another origin takes over, fewer equal words than
 * this do not begin a part. */
#define LEAST_END 3

/* For the aligner, in words. A shingle of 8 characters in a script without
 * spaces is worth little more; whether there is one is checked afterwards. */
#define LEAST_WORTH 2

void og_confirming_init(struct og_confirming *c, const og_allocator *allocator)
{
    *c = (struct og_confirming){.allocator = allocator};
    og_copies_init(&c->rest, allocator);
    og_text_seeds_init(&c->text_seeds, allocator);
    og_claims_init(&c->claims, allocator);
}

void og_confirming_release(struct og_confirming *c)
{
    const og_allocator *a = c->allocator;
    og_aligner_free(c->aligner);
    OG_UNGROW(a, c->seeds, c->seeds_cap);
    OG_UNGROW(a, c->data, c->cap);
    OG_UNGROW(a, c->runs, c->runs_cap);
    OG_UNGROW(a, c->found, c->found_cap);
    OG_UNGROW(a, c->ranked, c->ranked_cap);
    OG_UNGROW(a, c->owner, c->owner_cap);
    OG_UNGROW(a, c->is_old, c->is_old_cap);
    og_copies_release(&c->rest);
    og_text_seeds_release(&c->text_seeds);
    og_claims_release(&c->claims);
    og_confirming_init(c, a);
}

/* ---- which origins ---- */

/* This many texts are always fetched, more only while all of them together have
 * no more tokens than this, or than this multiple of the document's: a short
 * message in a digest of a megabyte must not take long. */
enum {
    ALWAYS = 4,
    MOST_TOKENS = 500000,
    REWORDED_TOKENS = 200000,
    TIMES = 64,
};

/* Whether one more text may be fetched. */
static bool may_fetch(const struct og_confirming *c, size_t document_len)
{
    const size_t usual = c->reworded ? REWORDED_TOKENS : MOST_TOKENS;
    const size_t most =
        TIMES * document_len > usual ? TIMES * document_len : usual;
    return c->n_docs < OG_CONFIRM_ORIGINS &&
           (c->n_docs < ALWAYS || c->n_fetched < most);
}

static og_status fetch_origin(struct og_confirming *c, uint32_t doc,
                              const struct og_confirm_source *source,
                              og_error *err)
{
    const uint32_t side = c->n_docs++;
    c->docs[side] = doc;
    c->sides[side] = (struct og_align_side){0};
    TRY(source->side(source->ctx, doc, side, &c->sides[side], err));
    if (c->sides[side].tokens != NULL) c->n_fetched += c->sides[side].tokens->n;
    return OG_OK;
}

/* It has something to report, so its text is needed, too. The store may have
 * dropped it meanwhile; then its tokens are NULL. */
static og_status fetch_whole(struct og_confirming *c, uint32_t side,
                             const struct og_confirm_source *source,
                             og_error *err)
{
    if (source->whole == NULL) return OG_OK;
    return source->whole(source->ctx, c->docs[side], side, &c->sides[side],
                         err);
}

/* Those with the most hits. */
static og_status fetch_origins(struct og_confirming *c, size_t document_len,
                               const struct og_labels *labels,
                               const struct og_confirm_source *source,
                               og_error *err)
{
    struct og_candidate list[OG_CONFIRM_ORIGINS];
    const uint32_t n =
        og_candidates_choose(labels, source->order, list, OG_CONFIRM_ORIGINS);
    c->n_docs = 0;
    c->n_fetched = 0;
    for (uint32_t i = 0; i < n; i++)
        c->docs[i] = list[i].doc;
    if (source->expect != NULL) source->expect(source->ctx, c->docs, n);
    while (c->n_docs < n && may_fetch(c, document_len))
        TRY(fetch_origin(c, list[c->n_docs].doc, source, err));
    return OG_OK;
}

/* The indices of the sides, the earliest document first. */
static void order_sides(const struct og_confirming *c,
                        struct og_time_order order, uint32_t *out)
{
    for (uint32_t i = 0; i < c->n_docs; i++) {
        uint32_t j = i;
        for (; j > 0 &&
               order.earlier(order.order, c->docs[i], c->docs[out[j - 1]]);
             j--)
            out[j] = out[j - 1];
        out[j] = i;
    }
}

/* ---- one origin ---- */

/* Where a text repeats itself, each of its shingles may extend over all of it:
 * hits of an origin are extended over at most so many times the tokens of both.
 * What remains is found in the texts. */
enum { MOST_GROWN = 16 };

/* Extends it in both directions while the two texts agree; false: they do not
 * agree at the seed itself, which was a coincidence. Subtracts from `left` what
 * was compared. */
static bool grow_seed(struct og_run *seed, const struct og_tokens *document,
                      const struct og_tokens *origin, uint64_t *left)
{
    const struct og_run run =
        og_seed_grow(document, origin, seed->begin, seed->origin_begin, 0);
    *left -= run.len < *left ? run.len : *left;
    if (run.begin + run.len < seed->begin + seed->len) return false;
    *seed = run;
    return true;
}

/* Whether one of the last seeds contains this one, which then adds nothing. */
static bool is_held(const struct og_run *seeds, size_t n,
                    const struct og_run *seed)
{
    enum { LOOK_BACK = 16 };
    for (size_t i = n; i > 0 && n - i < LOOK_BACK; i--) {
        const struct og_run *held = &seeds[i - 1];
        if (seed->begin >= held->begin &&
            seed->begin + seed->len <= held->begin + held->len &&
            seed->origin_begin - held->origin_begin ==
                seed->begin - held->begin)
            return true;
    }
    return false;
}

/* Among the seeds from `first` on. */
static bool is_held_since(const struct og_confirming *c, size_t first,
                          const struct og_run *seed)
{
    return c->n_seeds > first &&
           is_held(c->seeds + first, c->n_seeds - first, seed);
}

static og_status add_seed(struct og_confirming *c, struct og_run seed,
                          og_error *err)
{
    if (!OG_GROW(c->allocator, c->seeds, c->seeds_cap, c->n_seeds + 1))
        return og_error_memory(err, c->n_seeds * sizeof(seed), "seeds");
    c->seeds[c->n_seeds++] = seed;
    memset(c->is_old + seed.begin, 1, seed.len);
    return OG_OK;
}

/* The table keeps 16 bits of a position: tries every position that they can
 * mean. */
static og_status add_hits(struct og_confirming *c, uint32_t doc,
                          const struct og_selection *sel,
                          const struct og_labels *labels,
                          const struct og_tokens *document,
                          const struct og_tokens *origin, og_error *err)
{
    const size_t first = c->n_seeds;
    uint64_t left = MOST_GROWN * ((uint64_t)document->n + origin->n);
    for (size_t i = 0; i < labels->n && left > 0; i++) {
        if (labels->hits[i].doc != doc) continue;
        for (size_t at = labels->hits[i].offset; at < origin->n; at += 65536) {
            struct og_run seed = {.begin = sel->pos[i],
                                  .origin_begin = (uint32_t)at,
                                  .len = sel->len[i]};
            if (!is_held_since(c, first, &seed) &&
                grow_seed(&seed, document, origin, &left))
                TRY(add_seed(c, seed, err));
        }
    }
    return OG_OK;
}

/* Shingles that the table has forgotten are still in the text of an origin.
 * Runs shorter than og_text_seed_len() are reported only if the table has
 * them. */
static og_status add_text_seeds(struct og_confirming *c,
                                const struct og_tokens *document,
                                struct og_align_side origin, og_error *err)
{
    struct og_text_seeds *found = &c->text_seeds;
    TRY(og_text_seeds_find(found, document, origin, err));
    for (size_t i = 0; i < found->n_found; i++)
        TRY(add_seed(c, found->data[i], err));
    return OG_OK;
}

/* The runs that an origin has in common with the document. */
static og_status find_seeds(struct og_confirming *c, uint32_t side,
                            struct og_align_side document,
                            const struct og_selection *sel,
                            const struct og_labels *labels, og_error *err)
{
    const struct og_tokens *origin = c->sides[side].tokens;
    const size_t first = c->n_seeds;
    TRY(add_hits(c, c->docs[side], sel, labels, document.tokens, origin, err));
    TRY(add_text_seeds(c, document.tokens, c->sides[side], err));
    c->first_seed[side] = first;
    c->side_seeds[side] = c->n_seeds - first;
    return OG_OK;
}

/* Marks equal tokens that no earlier origin has and that were not assigned to
 * another one. Those between them may come from another origin. */
static void own_copy(struct og_confirming *c, size_t i)
{
    const struct og_confirmed *p = &c->found[i];
    const uint32_t *claimed = c->claims.side;
    for (size_t r = 0; r < p->n_runs; r++) {
        const struct og_run *run = &c->runs[p->first_run + r];
        for (uint32_t t = run->begin; t < run->begin + run->len; t++)
            if (c->owner[t] == 0 &&
                (claimed[t] == 0 || claimed[t] == p->side + 1))
                c->owner[t] = (uint32_t)i + 1;
    }
}

static og_status keep_passage(struct og_confirming *c,
                              const struct og_passage *p,
                              const struct og_run *matches, uint32_t side,
                              og_error *err)
{
    if (!OG_GROW(c->allocator, c->found, c->found_cap, c->n_found + 1) ||
        !OG_GROW(c->allocator, c->runs, c->runs_cap, c->n_runs + p->n_runs))
        return og_error_memory(err, p->n_runs * sizeof(*c->runs), "passages");
    memcpy(c->runs + c->n_runs, matches + p->first_run,
           p->n_runs * sizeof(*c->runs));
    c->found[c->n_found++] = (struct og_confirmed){
        .begin = p->begin,
        .end = p->end,
        .doc = c->docs[side],
        .origin_begin = p->origin_begin,
        .origin_end = p->origin_end,
        .first_run = c->n_runs,
        .n_runs = p->n_runs,
        .side = side,
        .kind = p->kind,
        .weight = p->weight,
    };
    c->n_runs += p->n_runs;
    if (p->kind == OG_PASSAGE_COPY) own_copy(c, c->n_found - 1);
    return OG_OK;
}

/* A copy must contain at least one whole shingle. */
static bool has_shingle(const struct og_passage *p,
                        const struct og_run *matches, uint32_t shingle_len)
{
    for (uint32_t i = 0; i < p->n_runs; i++)
        if (matches[p->first_run + i].len >= shingle_len) return true;
    return false;
}

/* Moves the seeds of an origin inside its assigned tokens to the front. */
static size_t pick_seeds(struct og_confirming *c, uint32_t side)
{
    size_t n = 0;
    if (c->side_seeds[side] == 0) return 0;
    struct og_run *seeds = c->seeds + c->first_seed[side];
    for (size_t i = 0; i < c->side_seeds[side]; i++) {
        const uint32_t *claimed = c->claims.side + seeds[i].begin;
        uint32_t t = 0;
        while (t < seeds[i].len && claimed[t] != side + 1)
            t++;
        if (t < seeds[i].len) seeds[n++] = seeds[i];
    }
    return n;
}

/* What is searched for in the texts. */
struct confirm_subject {
    struct og_align_side document;
    const struct og_selection *sel;
    const struct og_labels *labels;
    const struct og_confirm_source *source;
};

static og_status verify_origin(struct og_confirming *c, uint32_t side,
                               const struct confirm_subject *s, og_error *err)
{
    const size_t n_seeds = pick_seeds(c, side);
    struct og_align_options options = OG_ALIGN_OPTIONS_DEFAULT;
    struct og_alignment alignment;
    options.min_copy = LEAST_WORTH;
    if (n_seeds == 0) return OG_OK;
    TRY(fetch_whole(c, side, s->source, err));
    if (c->sides[side].tokens == NULL) return OG_OK;
    TRY(og_verify(c->aligner, s->document, c->sides[side],
                  c->seeds + c->first_seed[side], n_seeds, &options, &alignment,
                  err));
    for (size_t i = 0; i < alignment.n_passages; i++)
        if (has_shingle(&alignment.passages[i], alignment.matches,
                        s->sel->shingle_len))
            TRY(keep_passage(c, &alignment.passages[i], alignment.matches, side,
                             err));
    return OG_OK;
}

static og_status compare_origin(struct og_confirming *c, uint32_t side,
                                const struct confirm_subject *s, og_error *err)
{
    const struct og_align_options options = OG_ALIGN_OPTIONS_DEFAULT;
    struct og_alignment alignment;
    TRY(fetch_whole(c, side, s->source, err));
    if (c->sides[side].tokens == NULL) return OG_OK;
    TRY(og_align(c->aligner, s->document, c->sides[side], &options, &alignment,
                 err));
    for (size_t i = 0; i < alignment.n_passages; i++)
        TRY(keep_passage(c, &alignment.passages[i], alignment.matches, side,
                         err));
    return OG_OK;
}

/* Whole texts are compared up to this many tokens of both sides in total;
 * longer ones are compared only around the seeds. */
#define MOST_COMPARED ((size_t)4 << 20)

/* Chooses the texts to compare as a whole; the others are compared around the
 * seeds. */
static void choose_compared(struct og_confirming *c, const uint32_t *sides,
                            size_t document_len, bool *out)
{
    size_t n_compared = 0;
    for (uint32_t i = 0; i < c->n_docs; i++) {
        const struct og_tokens *origin = c->sides[sides[i]].tokens;
        if (origin != NULL) n_compared += document_len + origin->n;
        out[sides[i]] = c->reworded && n_compared <= MOST_COMPARED;
    }
}

/* The seeds of all sides from index `first` on. */
static og_status seed_sides(struct og_confirming *c, uint32_t first,
                            const bool *compared,
                            const struct confirm_subject *s, og_error *err)
{
    for (uint32_t side = first; side < c->n_docs; side++) {
        c->side_seeds[side] = 0;
        if (c->sides[side].tokens == NULL || compared[side]) continue;
        TRY(find_seeds(c, side, s->document, s->sel, s->labels, err));
    }
    return OG_OK;
}

/* `sides` are all of them, the earliest document first. */
static og_status claim(struct og_confirming *c, const uint32_t *sides,
                       const struct confirm_subject *s, og_error *err)
{
    og_claims_clear(&c->claims);
    c->claims.shingle_len = s->sel->shingle_len;
    for (uint32_t i = 0; i < c->n_docs; i++)
        if (c->side_seeds[sides[i]] > 0)
            TRY(og_claims_add(&c->claims, sides[i],
                              c->seeds + c->first_seed[sides[i]],
                              c->side_seeds[sides[i]], err));
    return og_claims_settle(&c->claims, s->document.tokens->n, c->least, err);
}

/* ---- origins of origins ---- */

/* The table has a few shingles of each document, and the first holder in the
 * table is not always the first holder of a passage, least of all of a short
 * one. A passage without any hit was found only because the text was fetched
 * for another one. The origin itself may have copied it from one of its own
 * origins, whose texts are then compared as well; and that one from another. */
enum {
    GENERATIONS = 2,
    DOUBTFUL = 48,         /* tokens of a passage without a hit, at most */
    DOUBTFUL_ALWAYS = 24,  /* with hits, too */
    LONG_ORIGIN = 1 << 16, /* longer origins are not looked up again */
};

/* Whether a hit of that origin is among the tokens begin .. end. */
static bool has_hit(const struct confirm_subject *s, uint32_t doc,
                    uint32_t begin, uint32_t end)
{
    const struct og_selection *sel = s->sel;
    size_t low = 0;
    size_t high = sel->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sel->pos[middle] < begin)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < sel->n && sel->pos[low] < end; low++)
        if (s->labels->hits[low].doc == doc &&
            sel->pos[low] + sel->len[low] <= end)
            return true;
    return false;
}

/* Marks the sides to which such a passage was assigned. */
static bool find_doubtful(const struct og_confirming *c,
                          const struct confirm_subject *s, bool *out)
{
    const uint32_t *side = c->claims.side;
    const uint32_t n = (uint32_t)s->document.tokens->n;
    bool is_any = false;
    uint32_t end;
    for (uint32_t t = 0; t < n; t = end) {
        for (end = t + 1; end < n && side[end] == side[t];)
            end++;
        if (side[t] == 0 || end - t >= DOUBTFUL ||
            (end - t > DOUBTFUL_ALWAYS &&
             has_hit(s, c->docs[side[t] - 1], t, end)))
            continue;
        out[side[t] - 1] = true;
        is_any = true;
    }
    return is_any;
}

static bool is_fetched(const struct og_confirming *c, uint32_t doc)
{
    for (uint32_t i = 0; i < c->n_docs; i++)
        if (c->docs[i] == doc) return true;
    return false;
}

static og_status fetch_ancestors(struct og_confirming *c,
                                 const struct confirm_subject *s,
                                 const bool *doubtful, og_error *err)
{
    const uint32_t n_sides = c->n_docs;
    const size_t len = s->document.tokens->n;
    for (uint32_t i = 0; i < n_sides; i++) {
        uint32_t docs[OG_CONFIRM_ANCESTORS];
        uint32_t n = 0;
        const struct og_tokens *tokens = c->sides[i].tokens;
        if (!doubtful[i] || tokens == NULL || tokens->n > LONG_ORIGIN) continue;
        TRY(s->source->ancestors(s->source->ctx, c->docs[i], tokens,
                                 OG_CONFIRM_ANCESTORS, docs, &n, err));
        for (uint32_t j = 0; j < n && may_fetch(c, len); j++)
            if (!is_fetched(c, docs[j]))
                TRY(fetch_origin(c, docs[j], s->source, err));
    }
    return OG_OK;
}

/* Once more with the origins of those to which such a passage was assigned,
 * except those that were looked up before (`known`). */
static og_status claim_again(struct og_confirming *c, uint32_t *sides,
                             const bool *compared, bool *known,
                             const struct confirm_subject *s, og_error *err)
{
    bool doubtful[OG_CONFIRM_ORIGINS] = {false};
    const uint32_t n = c->n_docs;
    if (!find_doubtful(c, s, doubtful)) return OG_OK;
    for (uint32_t i = 0; i < n; i++) {
        doubtful[i] &= !known[i];
        known[i] |= doubtful[i];
    }
    TRY(fetch_ancestors(c, s, doubtful, err));
    if (c->n_docs == n) return OG_OK;
    TRY(seed_sides(c, n, compared, s, err));
    order_sides(c, s->source->order, sides);
    return claim(c, sides, s, err);
}

static og_status claim_from_ancestors(struct og_confirming *c, uint32_t *sides,
                                      const bool *compared,
                                      const struct confirm_subject *s,
                                      og_error *err)
{
    bool known[OG_CONFIRM_ORIGINS] = {false};
    uint32_t n = 0;
    if (c->reworded || s->source->ancestors == NULL) return OG_OK;
    for (int i = 0; i < GENERATIONS && c->n_docs > n; i++) {
        n = c->n_docs;
        TRY(claim_again(c, sides, compared, known, s, err));
    }
    return OG_OK;
}

static og_status confirm_origins(struct og_confirming *c,
                                 const struct confirm_subject *s, og_error *err)
{
    uint32_t sides[OG_CONFIRM_ORIGINS] = {0};
    bool compared[OG_CONFIRM_ORIGINS] = {false};
    order_sides(c, s->source->order, sides);
    choose_compared(c, sides, s->document.tokens->n, compared);
    TRY(seed_sides(c, 0, compared, s, err));
    TRY(claim(c, sides, s, err));
    TRY(claim_from_ancestors(c, sides, compared, s, err));
    for (uint32_t i = 0; i < c->n_docs; i++) {
        if (c->sides[sides[i]].tokens == NULL) continue;
        if (compared[sides[i]])
            TRY(compare_origin(c, sides[i], s, err));
        else
            TRY(verify_origin(c, sides[i], s, err));
    }
    return OG_OK;
}

/* ---- assigning tokens ---- */

/* Marks all of it: its words are no longer those of the origin. */
static void own_reworded(struct og_confirming *c, size_t i)
{
    for (uint32_t t = c->found[i].begin; t < c->found[i].end; t++)
        if (c->owner[t] == 0) c->owner[t] = (uint32_t)i + 1;
}

static int by_weight(const void *a, const void *b)
{
    const struct og_ranked *x = a;
    const struct og_ranked *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return (x->found > y->found) - (x->found < y->found);
}

static og_status rank_reworded(struct og_confirming *c, size_t *out_n,
                               og_error *err)
{
    size_t n = 0;
    if (!OG_GROW(c->allocator, c->ranked, c->ranked_cap, c->n_found))
        return og_error_memory(err, c->n_found * sizeof(*c->ranked),
                               "passages");
    for (size_t i = 0; i < c->n_found; i++)
        if (c->found[i].kind == OG_PASSAGE_REWORDED)
            c->ranked[n++] = (struct og_ranked){c->found[i].weight, i};
    if (n > 1) qsort(c->ranked, n, sizeof(*c->ranked), by_weight);
    *out_n = n;
    return OG_OK;
}

static og_status own_all_reworded(struct og_confirming *c, og_error *err)
{
    size_t n_reworded = 0;
    TRY(rank_reworded(c, &n_reworded, err));
    for (size_t i = 0; i < n_reworded; i++)
        own_reworded(c, c->ranked[i].found);
    return OG_OK;
}

/* Copies the part of the runs of `p` inside its tokens to the free end of
 * c->runs; returns their number. */
static size_t clip_runs(struct og_confirming *c, const struct og_confirmed *p)
{
    struct og_run *out = c->runs + c->n_runs;
    size_t n = 0;
    for (size_t i = p->first_run; i < p->first_run + p->n_runs; i++) {
        struct og_run run = c->runs[i];
        const uint32_t run_end = run.begin + run.len;
        if (run_end <= p->begin || run.begin >= p->end) continue;
        const uint32_t cut = run.begin < p->begin ? p->begin - run.begin : 0;
        run.begin += cut;
        run.origin_begin += cut;
        run.len = (run_end < p->end ? run_end : p->end) - run.begin;
        out[n++] = run;
    }
    return n;
}

/* Sets the ends of `p` to those of its runs: it begins and ends with equal
 * words. */
static void fit_runs(struct og_confirmed *p, const struct og_run *runs)
{
    const struct og_run *last = &runs[p->n_runs - 1];
    p->begin = runs[0].begin;
    p->end = last->begin + last->len;
    p->origin_begin = UINT32_MAX;
    p->origin_end = 0;
    for (size_t i = 0; i < p->n_runs; i++) {
        const uint32_t end = runs[i].origin_begin + runs[i].len;
        if (runs[i].origin_begin < p->origin_begin)
            p->origin_begin = runs[i].origin_begin;
        if (end > p->origin_end) p->origin_end = end;
    }
}

/* Whether a part is long enough to be reported. */
static bool is_enough(const struct og_confirming *c,
                      struct og_align_side document,
                      const struct og_confirmed *p, const struct og_run *runs)
{
    uint32_t longest = 0;
    size_t at = 0;
    if (p->end - p->begin < c->least) return false;
    for (size_t i = 0; i < p->n_runs; i++)
        if (runs[i].len > longest) {
            longest = runs[i].len;
            at = i;
        }
    const bool by_character = og_align_is_character(document, runs[at].begin);
    return longest >= (uint32_t)(by_character ? LEAST_CHARACTERS : LEAST_RUN);
}

/* A part of a copy, from c->owner: its runs, without isolated single words at
 * its ends. */
static void keep_part(struct og_confirming *c, struct og_align_side document,
                      struct og_confirmed part, bool is_whole)
{
    const uint32_t least_end = c->least_end != 0 ? c->least_end : LEAST_END;
    const bool trims = !is_whole || c->least_end != 0;
    size_t n = clip_runs(c, &part);
    struct og_run *runs = c->runs + c->n_runs;
    part.first_run = c->n_runs;
    while (trims && n > 1 && runs[0].len < least_end) {
        runs++;
        part.first_run++;
        n--;
    }
    while (trims && n > 1 && runs[n - 1].len < least_end)
        n--;
    part.n_runs = n;
    if (n == 0) return;
    fit_runs(&part, runs);
    if (!c->reworded && !is_enough(c, document, &part, runs)) return;
    c->data[c->n++] = part;
    c->n_runs = part.first_run + n;
}

/* The end of the tokens from `t` on with the same owner; a few words without an
 * owner in between are edits inside a passage. */
static size_t part_end(const struct og_confirming *c, size_t t, size_t n_tokens)
{
    const uint32_t owner = c->owner[t];
    size_t end = t + 1;
    for (size_t i = t + 1; i < n_tokens; i++) {
        if (c->owner[i] == owner) {
            end = i + 1;
            continue;
        }
        if (c->owner[i] != 0 || i >= c->found[owner - 1].end ||
            (!c->reworded && i - end >= MOST_EDITED))
            break;
    }
    return end;
}

static og_status cut_apart(struct og_confirming *c,
                           struct og_align_side document, og_error *err)
{
    const size_t n_tokens = document.tokens->n;
    size_t end;
    for (size_t t = 0; t < n_tokens; t = end) {
        end = t + 1;
        if (c->owner[t] == 0) continue;
        end = part_end(c, t, n_tokens);
        struct og_confirmed part = c->found[c->owner[t] - 1];
        if (!OG_GROW(c->allocator, c->data, c->cap, c->n + 1) ||
            !OG_GROW(c->allocator, c->runs, c->runs_cap,
                     c->n_runs + part.n_runs))
            return og_error_memory(err, sizeof(part), "passages");
        const bool is_whole = part.begin == t && part.end == end;
        part.begin = (uint32_t)t;
        part.end = (uint32_t)end;
        if (is_whole && part.kind == OG_PASSAGE_REWORDED)
            c->data[c->n++] = part;
        else
            keep_part(c, document, part, is_whole);
    }
    return OG_OK;
}

static og_status make_room(struct og_confirming *c, size_t n_tokens,
                           og_error *err)
{
    if (c->aligner == NULL) c->aligner = og_aligner_new(c->allocator);
    if (c->aligner == NULL ||
        !OG_GROW(c->allocator, c->owner, c->owner_cap, n_tokens) ||
        !OG_GROW(c->allocator, c->is_old, c->is_old_cap, n_tokens))
        return og_error_memory(err, n_tokens * sizeof(*c->owner), "passages");
    memset(c->owner, 0, n_tokens * sizeof(*c->owner));
    memset(c->is_old, 0, n_tokens);
    return OG_OK;
}

og_status og_confirm(struct og_confirming *c, struct og_align_side document,
                     const struct og_selection *sel,
                     const struct og_labels *labels,
                     const struct og_confirm_source *source, og_error *err)
{
    const size_t n_tokens = document.tokens->n;
    const uint32_t text_seed = og_text_seed_len(sel->shingle_len);
    c->n = c->n_runs = c->n_found = c->n_seeds = 0;
    TRY(fetch_origins(c, n_tokens, labels, source, err));
    if (c->n_docs == 0) return OG_OK;
    TRY(make_room(c, n_tokens, err));
    TRY(og_text_seeds_set(&c->text_seeds, document.tokens, text_seed, err));
    const struct confirm_subject subject = {document, sel, labels, source};
    TRY(confirm_origins(c, &subject, err));
    TRY(own_all_reworded(c, err));
    return cut_apart(c, document, err);
}

/* ---- the rest ---- */

static bool was_compared(const struct og_confirming *c, uint32_t doc)
{
    for (uint32_t i = 0; i < c->n_docs; i++)
        if (c->docs[i] == doc) return c->sides[i].tokens != NULL;
    return false;
}

/* From here on `owner` says whether a confirmed passage contains the token. */
static void mark_confirmed(struct og_confirming *c, size_t n_tokens)
{
    memset(c->owner, 0, n_tokens * sizeof(*c->owner));
    for (size_t i = 0; i < c->n; i++)
        for (uint32_t t = c->data[i].begin; t < c->data[i].end; t++)
            c->owner[t] = 1;
}

/* What the table alone says about a text that was not compared: it is reported
 * like the others only if it is long enough for a passage. */
static bool is_too_little(const struct og_confirming *c,
                          const struct og_copy *copy)
{
    const struct og_align_options options = OG_ALIGN_OPTIONS_DEFAULT;
    return c->reworded && copy->end - copy->begin < options.min_copy;
}

static og_status keep_rest(struct og_confirming *c, const struct og_copy *copy,
                           og_error *err)
{
    uint32_t end;
    if (was_compared(c, copy->doc) || is_too_little(c, copy)) return OG_OK;
    for (uint32_t t = copy->begin; t < copy->end; t = end) {
        end = t + 1;
        if (c->owner[t] != 0) continue;
        while (end < copy->end && c->owner[end] == 0)
            end++;
        if (!OG_GROW(c->allocator, c->rest.data, c->rest.cap, c->rest.n + 1))
            return og_error_memory(err, sizeof(*copy), "copies");
        struct og_copy *kept = &c->rest.data[c->rest.n++];
        *kept = *copy;
        kept->begin = t;
        kept->end = end;
        c->rest.n_old += end - t;
    }
    return OG_OK;
}

og_status og_confirm_rest(struct og_confirming *c,
                          const struct og_copies *copies, size_t n_tokens,
                          og_error *err)
{
    c->rest.n = c->rest.n_old = 0;
    if (c->n_docs == 0) return OG_OK; /* nor are there copies */
    mark_confirmed(c, n_tokens);
    for (size_t i = 0; i < copies->n; i++)
        TRY(keep_rest(c, &copies->data[i], err));
    return OG_OK;
}
