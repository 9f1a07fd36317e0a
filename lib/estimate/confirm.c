#include "lib/estimate/confirm.h"

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
}

void og_confirming_release(struct og_confirming *c)
{
    const og_allocator *a = c->allocator;
    og_aligner_free(c->aligner);
    OG_UNGROW(a, c->seeds, c->seeds_cap);
    OG_UNGROW(a, c->data, c->cap);
    OG_UNGROW(a, c->runs, c->runs_cap);
    OG_UNGROW(a, c->found, c->found_cap);
    OG_UNGROW(a, c->owner, c->owner_cap);
    OG_UNGROW(a, c->is_hit, c->is_hit_cap);
    og_copies_release(&c->rest);
    og_confirming_init(c, a);
}

/* ---- which origins ---- */

struct candidate {
    uint32_t doc, n_hits;
};

/* Counts as many different documents as the list holds; what comes later and
 * is not in it takes the place of the smallest when that has one hit only. A
 * document with many hits finds its way in. */
static void count_hit(struct candidate *list, uint32_t *n, uint32_t doc)
{
    enum { MOST = 4 * OG_CONFIRM_ORIGINS };
    uint32_t least = 0;
    for (uint32_t i = 0; i < *n; i++) {
        if (list[i].doc == doc) {
            list[i].n_hits++;
            return;
        }
        if (list[i].n_hits < list[least].n_hits) least = i;
    }
    if (*n < MOST)
        list[(*n)++] = (struct candidate){doc, 1};
    else if (--list[least].n_hits == 0)
        list[least] = (struct candidate){doc, 1};
}

/* Numbers say when a document arrived, which must not matter. */
static bool comes_first(const struct candidate *a, const struct candidate *b,
                        const struct og_confirm_source *source, bool by_hits)
{
    if (by_hits && a->n_hits != b->n_hits) return a->n_hits > b->n_hits;
    return source->earlier(source->order, a->doc, b->doc);
}

static void sort_candidates(struct candidate *list, uint32_t n,
                            const struct og_confirm_source *source,
                            bool by_hits)
{
    for (uint32_t i = 1; i < n; i++) {
        const struct candidate moved = list[i];
        uint32_t j = i;
        for (; j > 0 && comes_first(&moved, &list[j - 1], source, by_hits); j--)
            list[j] = list[j - 1];
        list[j] = moved;
    }
}

/* Those with the most hits, in the order of time. */
static void choose_origins(struct og_confirming *c,
                           const struct og_labels *labels,
                           const struct og_confirm_source *source)
{
    struct candidate list[4 * OG_CONFIRM_ORIGINS];
    uint32_t n = 0;
    for (size_t i = 0; i < labels->n; i++)
        if (labels->hits[i].doc != OG_NO_DOC)
            count_hit(list, &n, labels->hits[i].doc);
    sort_candidates(list, n, source, true);
    if (n > OG_CONFIRM_ORIGINS) n = OG_CONFIRM_ORIGINS;
    sort_candidates(list, n, source, false);
    for (uint32_t i = 0; i < n; i++)
        c->docs[i] = list[i].doc;
    c->n_docs = n;
}

/* ---- one origin ---- */

/* As far as the two texts agree, to both sides; false: they do not agree at
 * the seed itself, which was an accident. */
static bool grow_seed(struct og_run *seed, const struct og_tokens *document,
                      const struct og_tokens *origin)
{
    const uint64_t *d = document->hash;
    const uint64_t *o = origin->hash;
    uint32_t begin = seed->begin;
    uint32_t there = seed->origin_begin;
    uint32_t end = begin;
    uint32_t there_end = there;
    while (end < document->n && there_end < origin->n && d[end] == o[there_end])
        end++, there_end++;
    if (end - begin < seed->len) return false;
    while (begin > 0 && there > 0 && d[begin - 1] == o[there - 1])
        begin--, there--;
    *seed = (struct og_run){begin, there, end - begin};
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
        .first_run = c->n_runs,
        .n_runs = p->n_runs,
        .side = side,
    };
    /* Equal tokens that no earlier origin has. What lies between them may come
     * from somebody else. */
    for (size_t i = 0; i < p->n_runs; i++) {
        const struct og_run *run = &c->runs[c->n_runs + i];
        for (uint32_t t = run->begin; t < run->begin + run->len; t++)
            if (c->owner[t] == 0) c->owner[t] = (uint32_t)c->n_found;
    }
    c->n_runs += p->n_runs;
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

static og_status confirm_origin(struct og_confirming *c, uint32_t side,
                                struct og_align_side document,
                                const struct og_selection *sel,
                                const struct og_labels *labels,
                                const struct og_confirm_source *source,
                                og_error *err)
{
    struct og_align_options options = OG_ALIGN_OPTIONS_DEFAULT;
    struct og_align_side origin = {0};
    struct og_alignment alignment;
    size_t n_seeds = 0;
    TRY(source->side(source->ctx, c->docs[side], side, &origin, err));
    c->has_text[side] = origin.tokens != NULL;
    if (origin.tokens == NULL) return OG_OK;
    options.min_copy = LEAST_WORTH;
    TRY(gather_seeds(c, c->docs[side], sel, labels, document.tokens,
                     origin.tokens, &n_seeds, err));
    TRY(og_verify(c->aligner, document, origin, c->seeds, n_seeds, &options,
                  &alignment, err));
    for (size_t i = 0; i < alignment.n_passages; i++)
        if (has_shingle(&alignment.passages[i], alignment.matches,
                        sel->shingle_len))
            TRY(keep_passage(c, &alignment.passages[i], alignment.matches, side,
                             err));
    return OG_OK;
}

/* ---- what each keeps ---- */

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
        if (c->owner[i] != 0 || c->is_hit[i] || i >= c->found[owner - 1].end)
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
        if (clip_runs(c, &part)) c->data[c->n++] = part;
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
    choose_origins(c, labels, source);
    if (c->n_docs == 0) return OG_OK;
    if (c->aligner == NULL) c->aligner = og_aligner_new(c->allocator);
    if (c->aligner == NULL ||
        !OG_GROW(c->allocator, c->owner, c->owner_cap, n_tokens) ||
        !OG_GROW(c->allocator, c->is_hit, c->is_hit_cap, n_tokens))
        return og_error_memory(err, n_tokens * sizeof(*c->owner), "passages");
    memset(c->owner, 0, n_tokens * sizeof(*c->owner));
    mark_hits(c, sel, labels, n_tokens);
    for (uint32_t side = 0; side < c->n_docs; side++)
        TRY(confirm_origin(c, side, document, sel, labels, source, err));
    return cut_apart(c, n_tokens, err);
}

/* ---- the rest ---- */

static bool was_compared(const struct og_confirming *c, uint32_t doc)
{
    for (uint32_t i = 0; i < c->n_docs; i++)
        if (c->docs[i] == doc) return c->has_text[i];
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

static og_status keep_rest(struct og_confirming *c, const struct og_copy *copy,
                           og_error *err)
{
    const bool only_hits = was_compared(c, copy->doc);
    uint32_t end;
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
