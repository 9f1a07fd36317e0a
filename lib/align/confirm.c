#include "lib/align/confirm.h"

#include <stdlib.h>
#include <string.h>

/* What is left of a passage when an earlier origin has taken the rest: fewer
 * tokens than this are an accident of its edge. */
#define LEAST_REST 3

/* For the aligner, in words. A shingle of 8 characters in a script without
 * spaces is worth little more; whether there is one is looked at afterwards. */
#define LEAST_WORTH 2

void og_confirming_init(struct og_confirming *c, const og_allocator *allocator)
{
    *c = (struct og_confirming){.allocator = allocator};
    og_copies_init(&c->rest, allocator);
    og_text_seeds_init(&c->text_seeds, allocator);
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
    OG_UNGROW(a, c->is_hit, c->is_hit_cap);
    og_copies_release(&c->rest);
    og_text_seeds_release(&c->text_seeds);
    og_confirming_init(c, a);
}

/* ---- which origins ---- */

/* So many texts are always fetched, more only while all of them together have
 * no more tokens than this, or than so many times those of the document: a
 * short message in a digest of a megabyte must not take long. */
enum {
    ALWAYS = 4,
    MOST_TOKENS = 50000,
    REWORDED_TOKENS = 200000, /* who looks for those has time */
    TIMES = 16,
};

/* Those with the most hits. */
static og_status fetch_origins(struct og_confirming *c, size_t document_len,
                               const struct og_labels *labels,
                               const struct og_confirm_source *source,
                               og_error *err)
{
    struct og_candidate list[OG_CONFIRM_ORIGINS];
    const uint32_t n =
        og_candidates_choose(labels, source->order, list, OG_CONFIRM_ORIGINS);
    const size_t usual = c->reworded ? REWORDED_TOKENS : MOST_TOKENS;
    const size_t most =
        TIMES * document_len > usual ? TIMES * document_len : usual;
    size_t n_tokens = 0;
    c->n_docs = 0;
    while (c->n_docs < n && (c->n_docs < ALWAYS || n_tokens < most)) {
        const uint32_t side = c->n_docs++;
        c->docs[side] = list[side].doc;
        c->sides[side] = (struct og_align_side){0};
        TRY(source->side(source->ctx, c->docs[side], side, &c->sides[side],
                         err));
        if (c->sides[side].tokens != NULL) n_tokens += c->sides[side].tokens->n;
    }
    return OG_OK;
}

/* The numbers of the sides, the earliest document first. */
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

/* As far as the two texts agree, to both sides; false: they do not agree at
 * the seed itself, which was an accident. */
static bool grow_seed(struct og_run *seed, const struct og_tokens *document,
                      const struct og_tokens *origin)
{
    const struct og_run run =
        og_seed_grow(document, origin, seed->begin, seed->origin_begin, 0);
    if (run.begin + run.len < seed->begin + seed->len) return false;
    *seed = run;
    return true;
}

/* Whether the last seeds hold this one already: then it leads nowhere new. */
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

/* The table keeps 16 bits of a place: every place that they can mean. */
static og_status gather_seeds(struct og_confirming *c, uint32_t doc,
                              const struct og_selection *sel,
                              const struct og_labels *labels,
                              const struct og_tokens *document,
                              const struct og_tokens *origin, size_t *out_n,
                              og_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < labels->n; i++) {
        if (labels->hits[i].doc != doc) continue;
        for (size_t at = labels->hits[i].offset; at < origin->n; at += 65536) {
            struct og_run seed = {.begin = sel->pos[i],
                                  .origin_begin = (uint32_t)at,
                                  .len = sel->len[i]};
            if (is_held(c->seeds, n, &seed) ||
                !grow_seed(&seed, document, origin))
                continue;
            if (!OG_GROW(c->allocator, c->seeds, c->seeds_cap, n + 1))
                return og_error_memory(err, n * sizeof(*c->seeds), "seeds");
            c->seeds[n++] = seed;
        }
    }
    *out_n = n;
    return OG_OK;
}

/* Equal tokens that no earlier origin has. What lies between them may come from
 * somebody else. */
static void own_copy(struct og_confirming *c, size_t i)
{
    const struct og_confirmed *p = &c->found[i];
    for (size_t r = 0; r < p->n_runs; r++) {
        const struct og_run *run = &c->runs[p->first_run + r];
        for (uint32_t t = run->begin; t < run->begin + run->len; t++)
            if (c->owner[t] == 0) c->owner[t] = (uint32_t)i + 1;
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

/* What was copied holds at least one whole shingle. */
static bool has_shingle(const struct og_passage *p,
                        const struct og_run *matches, uint32_t shingle_len)
{
    for (uint32_t i = 0; i < p->n_runs; i++)
        if (matches[p->first_run + i].len >= shingle_len) return true;
    return false;
}

/* What the table has forgotten, the text of an origin still has. Shorter runs
 * than this are told only when the table does. */
#define LEAST_TEXT_SEED 8

static og_status add_text_seeds(struct og_confirming *c,
                                const struct og_tokens *document,
                                const struct og_tokens *origin, size_t *n,
                                og_error *err)
{
    struct og_text_seeds *found = &c->text_seeds;
    TRY(og_text_seeds_find(found, document, origin, err));
    if (!OG_GROW(c->allocator, c->seeds, c->seeds_cap, *n + found->n_found))
        return og_error_memory(err, found->n_found * sizeof(*c->seeds),
                               "seeds");
    if (found->n_found > 0)
        memcpy(c->seeds + *n, found->data, found->n_found * sizeof(*c->seeds));
    *n += found->n_found;
    return OG_OK;
}

/* Whether a seed holds some tokens in a row that no earlier origin has. In a
 * long thread everybody has what the first one wrote, and only that one
 * matters. */
static bool brings_more(const struct og_confirming *c, size_t n_seeds)
{
    for (size_t i = 0; i < n_seeds; i++) {
        uint32_t n_free = 0;
        for (uint32_t t = 0; t < c->seeds[i].len && n_free < LEAST_REST; t++)
            n_free = c->owner[c->seeds[i].begin + t] == 0 ? n_free + 1 : 0;
        if (n_free == LEAST_REST || n_free == c->seeds[i].len) return true;
    }
    return false;
}

static og_status verify_origin(struct og_confirming *c, uint32_t side,
                               struct og_align_side document,
                               const struct og_selection *sel,
                               const struct og_labels *labels, og_error *err)
{
    const struct og_align_side origin = c->sides[side];
    struct og_align_options options = OG_ALIGN_OPTIONS_DEFAULT;
    struct og_alignment alignment;
    size_t n_seeds = 0;
    options.min_copy = LEAST_WORTH;
    TRY(gather_seeds(c, c->docs[side], sel, labels, document.tokens,
                     origin.tokens, &n_seeds, err));
    TRY(add_text_seeds(c, document.tokens, origin.tokens, &n_seeds, err));
    if (!brings_more(c, n_seeds)) return OG_OK;
    TRY(og_verify(c->aligner, document, origin, c->seeds, n_seeds, &options,
                  &alignment, err));
    for (size_t i = 0; i < alignment.n_passages; i++)
        if (has_shingle(&alignment.passages[i], alignment.matches,
                        sel->shingle_len))
            TRY(keep_passage(c, &alignment.passages[i], alignment.matches, side,
                             err));
    return OG_OK;
}

static og_status compare_origin(struct og_confirming *c, uint32_t side,
                                struct og_align_side document, og_error *err)
{
    const struct og_align_options options = OG_ALIGN_OPTIONS_DEFAULT;
    struct og_alignment alignment;
    TRY(og_align(c->aligner, document, c->sides[side], &options, &alignment,
                 err));
    for (size_t i = 0; i < alignment.n_passages; i++)
        TRY(keep_passage(c, &alignment.passages[i], alignment.matches, side,
                         err));
    return OG_OK;
}

/* Whole texts are compared up to this many tokens of both sides, all in all;
 * longer ones are looked at only where the seeds are. */
#define MOST_COMPARED ((size_t)4 << 20)

static og_status confirm_origins(struct og_confirming *c,
                                 struct og_align_side document,
                                 const struct og_selection *sel,
                                 const struct og_labels *labels,
                                 struct og_time_order order, og_error *err)
{
    uint32_t sides[OG_CONFIRM_ORIGINS];
    size_t n_compared = 0;
    order_sides(c, order, sides);
    for (uint32_t i = 0; i < c->n_docs; i++) {
        const struct og_align_side *origin = &c->sides[sides[i]];
        if (origin->tokens == NULL) continue;
        n_compared += document.tokens->n + origin->tokens->n;
        if (c->reworded && n_compared <= MOST_COMPARED)
            TRY(compare_origin(c, sides[i], document, err));
        else
            TRY(verify_origin(c, sides[i], document, sel, labels, err));
    }
    return OG_OK;
}

/* ---- what each keeps ---- */

/* All of it: its words are no longer those of the origin. */
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

/* The part of the runs of `p` that lies in its tokens; false: none does. */
static bool clip_runs(struct og_confirming *c, struct og_confirmed *p)
{
    const size_t first = p->first_run;
    const size_t end = first + p->n_runs;
    size_t n = 0;
    p->first_run = c->n_runs;
    for (size_t i = first; i < end; i++) {
        struct og_run run = c->runs[i];
        const uint32_t run_end = run.begin + run.len;
        if (run_end <= p->begin || run.begin >= p->end) continue;
        const uint32_t cut = run.begin < p->begin ? p->begin - run.begin : 0;
        run.begin += cut;
        run.origin_begin += cut;
        run.len = (run_end < p->end ? run_end : p->end) - run.begin;
        c->runs[c->n_runs + n++] = run;
        const uint32_t origin_end = run.origin_begin + run.len;
        if (n == 1 || run.origin_begin < p->origin_begin)
            p->origin_begin = run.origin_begin;
        if (n == 1 || origin_end > p->origin_end) p->origin_end = origin_end;
    }
    p->n_runs = n;
    if (n == 0) return false;
    /* It begins and ends with words that are equal. */
    const struct og_run *runs = c->runs + c->n_runs;
    p->begin = runs[0].begin;
    p->end = runs[n - 1].begin + runs[n - 1].len;
    c->n_runs += n;
    return true;
}

/* Behind the last token from `t` on that has the same owner; words that nobody
 * has and no hit covers, in between, are edits inside a passage. */
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
            (c->is_hit[i] && !c->reworded))
            break;
    }
    return end;
}

static og_status cut_apart(struct og_confirming *c, size_t n_tokens,
                           og_error *err)
{
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
        if (!is_whole && end - t < LEAST_REST) continue;
        if ((is_whole && part.kind == OG_PASSAGE_REWORDED) ||
            clip_runs(c, &part))
            c->data[c->n++] = part;
    }
    return OG_OK;
}

static void mark_hits(struct og_confirming *c, const struct og_selection *sel,
                      const struct og_labels *labels, size_t n_tokens)
{
    memset(c->is_hit, 0, n_tokens);
    for (size_t i = 0; i < labels->n; i++)
        if (labels->hits[i].doc != OG_NO_DOC)
            memset(c->is_hit + sel->pos[i], 1, sel->len[i]);
}

og_status og_confirm(struct og_confirming *c, struct og_align_side document,
                     const struct og_selection *sel,
                     const struct og_labels *labels,
                     const struct og_confirm_source *source, og_error *err)
{
    const size_t n_tokens = document.tokens->n;
    c->n = c->n_runs = c->n_found = 0;
    TRY(fetch_origins(c, n_tokens, labels, source, err));
    if (c->n_docs == 0) return OG_OK;
    if (c->aligner == NULL) c->aligner = og_aligner_new(c->allocator);
    if (c->aligner == NULL ||
        !OG_GROW(c->allocator, c->owner, c->owner_cap, n_tokens) ||
        !OG_GROW(c->allocator, c->is_hit, c->is_hit_cap, n_tokens))
        return og_error_memory(err, n_tokens * sizeof(*c->owner), "passages");
    memset(c->owner, 0, n_tokens * sizeof(*c->owner));
    mark_hits(c, sel, labels, n_tokens);
    TRY(og_text_seeds_set(&c->text_seeds, document.tokens,
                          sel->shingle_len > LEAST_TEXT_SEED ? sel->shingle_len
                                                             : LEAST_TEXT_SEED,
                          err));
    TRY(confirm_origins(c, document, sel, labels, source->order, err));
    TRY(own_all_reworded(c, err));
    return cut_apart(c, n_tokens, err);
}

/* ---- the rest ---- */

static bool was_compared(const struct og_confirming *c, uint32_t doc)
{
    for (uint32_t i = 0; i < c->n_docs; i++)
        if (c->docs[i] == doc) return c->sides[i].tokens != NULL;
    return false;
}

/* From here on `owner` says whether a confirmed passage has the token. */
static void mark_confirmed(struct og_confirming *c, size_t n_tokens)
{
    memset(c->owner, 0, n_tokens * sizeof(*c->owner));
    for (size_t i = 0; i < c->n; i++)
        for (uint32_t t = c->data[i].begin; t < c->data[i].end; t++)
            c->owner[t] = 1;
}

/* What the table alone says of a text that was not compared: it is told like
 * the others only when it is long enough for a passage. */
static bool is_too_little(const struct og_confirming *c,
                          const struct og_copy *copy, bool compared)
{
    const struct og_align_options options = OG_ALIGN_OPTIONS_DEFAULT;
    return c->reworded &&
           (compared || copy->end - copy->begin < options.min_copy);
}

static og_status keep_rest(struct og_confirming *c, const struct og_copy *copy,
                           og_error *err)
{
    const bool only_hits = was_compared(c, copy->doc);
    uint32_t end;
    if (is_too_little(c, copy, only_hits)) return OG_OK;
    for (uint32_t t = copy->begin; t < copy->end; t = end) {
        end = t + 1;
        if (c->owner[t] != 0 || (only_hits && !c->is_hit[t])) continue;
        while (end < copy->end && c->owner[end] == 0 &&
               (!only_hits || c->is_hit[end]))
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
