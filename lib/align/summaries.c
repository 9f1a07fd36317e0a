/* Passages that sum up the origin.
 *
 * The author of a summary takes a word here and a phrase there: hardly any
 * sentence resembles one of the origin, but nearly all of the rarer words are
 * somewhere in it. So each sentence of the document scores
 *
 *     weight of its stems that the origin has - threshold * weight of all
 *
 * and the run of sentences with the largest sum (Kadane) is a candidate; then
 * the best run before it and the best after it, and so on.
 *
 * The share of words that an unrelated text has in common with the origin
 * depends on the length of the origin, and on the subject of both. So the
 * threshold is above the share of the rest of the document, and grows with the
 * length of the origin.
 *
 * Two other cases look similar: a passage that was copied or reworded from one
 * place (a copy or a group explains it), and text on the same subject (its
 * sentences resemble nothing in particular, or all the same place).
 * A summary has sentences that resemble sentences far apart in the origin. */

#include <math.h>

#include "lib/align/reworded.h"

#define MAX_SUMMARIES 16

struct stretch {
    size_t first, last;
    float score; /* 0: none */
};

struct sums {
    struct og_reworder *r;
    const struct og_passages *copies;
    float threshold;
    og_error *err;
};

/* ---- scores of sentences ---- */

static bool in_origin(const struct og_pairings *p, uint32_t stem)
{
    return p->first[stem] < p->first[stem + 1];
}

static og_status weigh_bags(struct og_reworder *r, og_error *err)
{
    const struct og_bags *d = &r->document;
    if (!OG_GROW(r->allocator, r->shared, r->shared_cap, d->n) ||
        !OG_GROW(r->allocator, r->all, r->all_cap, d->n))
        return og_error_memory(err, d->n * sizeof(float), "summaries");
    for (size_t i = 0; i < d->n; i++) {
        const struct og_bag *bag = &d->data[i];
        r->shared[i] = r->all[i] = 0;
        for (uint32_t k = 0; k < bag->n_items; k++) {
            const uint32_t stem = d->items[bag->first + k].stem;
            const float w = r->stems.weight[stem];
            r->all[i] += w;
            if (in_origin(&r->pairings, stem)) r->shared[i] += w;
        }
    }
    return OG_OK;
}

static struct stretch best_stretch(const struct og_reworder *r, size_t begin,
                                   size_t end, float threshold)
{
    struct stretch best = {0};
    float score = 0;
    size_t first = begin;
    for (size_t i = begin; i < end; i++) {
        if (score <= 0) {
            score = 0;
            first = i;
        }
        score += r->shared[i] - threshold * r->all[i];
        if (score > best.score) best = (struct stretch){first, i, score};
    }
    return best;
}

/* The share of words that the document has in common with the origin outside of
 * its best stretch; if that is nearly all of it, a typical share. */
static float share_of_rest(const struct og_reworder *r)
{
    const struct stretch best =
        best_stretch(r, 0, r->document.n, r->thresholds.min_share);
    float shared = 0, all = 0, rest = 0;
    for (size_t i = 0; i < r->document.n; i++) {
        all += r->all[i];
        if (best.score > 0 && i >= best.first && i <= best.last) continue;
        rest += r->all[i];
        shared += r->shared[i];
    }
    return rest > 0.2f * all ? shared / rest : 0.4f;
}

static float threshold_for(const struct og_reworder *r)
{
    const struct og_bags *o = &r->origin;
    const float n = (float)o->data[o->n - 1].end;
    const struct og_align_thresholds *t = &r->thresholds;
    const float above_rest = share_of_rest(r) + t->above_rest;
    const float for_length = t->long_share + t->long_slope * log2f(n / 1000);
    return fmaxf(t->min_share, fmaxf(above_rest, for_length));
}

/* ---- is it a summary? ---- */

/* Marks the stems of the stretch that the origin has; returns their weight. */
static float mark_stems(const struct sums *s, struct stretch at, uint32_t mark)
{
    const struct og_bags *d = &s->r->document;
    struct og_stems *stems = &s->r->stems;
    float sum = 0;
    for (uint32_t i = d->data[at.first].begin; i < d->data[at.last].end; i++) {
        const uint32_t stem = d->stems[i];
        if (!in_origin(&s->r->pairings, stem) || stems->mark[stem] == mark)
            continue;
        stems->mark[stem] = mark;
        sum += stems->weight[stem];
    }
    return sum;
}

/* Weight of marked stems in the origin's side of a group; they get mark 2. */
static float explained_by(const struct sums *s, const struct og_group *g)
{
    const struct og_bags *o = &s->r->origin;
    struct og_stems *stems = &s->r->stems;
    const uint32_t begin = o->data[g->origin_first].begin;
    const uint32_t end = o->data[g->origin_last].end;
    float sum = 0;
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t stem = o->stems[i];
        if (stems->mark[stem] != 1) continue;
        stems->mark[stem] = 2;
        sum += stems->weight[stem];
    }
    for (uint32_t i = begin; i < end; i++)
        if (stems->mark[o->stems[i]] == 2) stems->mark[o->stems[i]] = 1;
    return sum;
}

static bool is_explained(const struct sums *s, struct stretch at, float shared)
{
    const struct og_groups *groups = &s->r->groups;
    const struct og_bags *d = &s->r->document;
    const uint32_t begin = d->data[at.first].begin, end = d->data[at.last].end;
    const float copied = (float)og_copied_tokens(s->copies, begin, end);
    if (copied >= s->r->thresholds.max_copied * (float)(end - begin))
        return true;
    for (size_t i = 0; i < groups->n; i++) {
        const struct og_group *g = &groups->data[i];
        if (g->last < at.first || g->first > at.last) continue;
        if (explained_by(s, g) >= s->r->thresholds.max_explained * shared)
            return true;
    }
    return false;
}

/* Whether enough sentences resemble one of the origin, far apart there. */
static bool is_drawn_from_all_over(const struct sums *s, struct stretch at)
{
    struct og_reworder *r = s->r;
    uint32_t first = UINT32_MAX, last = 0;
    size_t n = 0;
    for (size_t i = at.first; i <= at.last; i++) {
        uint32_t bag = 0;
        const float cosine =
            og_pairings_best(&r->pairings, &r->document, &r->origin, &r->stems,
                             (uint32_t)i, &bag);
        if (cosine <= r->thresholds.resembles) continue;
        if (bag < first) first = bag;
        if (bag > last) last = bag;
        n++;
    }
    if ((float)n <
        r->thresholds.min_resembling * (float)(at.last - at.first + 1))
        return false;
    return n > 0 && (float)(last - first + 1) >=
                        r->thresholds.min_spread * (float)r->origin.n;
}

/* The sentences of the origin from the first to the last that was used. */
static bool find_drawn_on(const struct sums *s, struct og_group *g)
{
    const struct og_bags *o = &s->r->origin;
    const struct og_stems *stems = &s->r->stems;
    bool any = false;
    for (size_t i = 0; i < o->n; i++) {
        const struct og_bag *bag = &o->data[i];
        float sum = 0;
        for (uint32_t k = 0; k < bag->n_items; k++) {
            const uint32_t stem = o->items[bag->first + k].stem;
            if (stems->mark[stem] != 0) sum += stems->weight[stem];
        }
        if (sum <= s->r->thresholds.drawn_on) continue;
        if (!any) g->origin_first = (uint32_t)i;
        g->origin_last = (uint32_t)i;
        any = true;
    }
    return any;
}

static bool is_long_enough(const struct sums *s, const struct og_group *g)
{
    const struct og_bags *d = &s->r->document, *o = &s->r->origin;
    const uint32_t len = d->data[g->last].end - d->data[g->first].begin;
    const uint32_t origin_len =
        o->data[g->origin_last].end - o->data[g->origin_first].begin;
    return (float)origin_len >= s->r->thresholds.min_ratio * (float)len;
}

static og_status judge(const struct sums *s, struct stretch at)
{
    struct og_group g = {.first = (uint32_t)at.first,
                         .last = (uint32_t)at.last,
                         .weight = at.score};
    const float shared = mark_stems(s, at, 1);
    const bool is_summary = find_drawn_on(s, &g) && is_long_enough(s, &g) &&
                            !is_explained(s, at, shared) &&
                            is_drawn_from_all_over(s, at);
    mark_stems(s, at, 0);
    return is_summary ? og_groups_add(&s->r->summaries, g, s->err) : OG_OK;
}

og_status og_summaries_find(struct og_reworder *r,
                            const struct og_passages *copies, og_error *err)
{
    struct {
        size_t begin, end;
    } todo[MAX_SUMMARIES + 1];
    size_t n_todo = 0;
    struct sums s = {.r = r, .copies = copies, .err = err};
    r->summaries.n = 0;
    if (r->document.n == 0 || r->origin.n == 0) return OG_OK;
    TRY(weigh_bags(r, err));
    s.threshold = threshold_for(r);
    todo[n_todo].begin = 0;
    todo[n_todo++].end = r->document.n;
    for (int i = 0; i < MAX_SUMMARIES && n_todo > 0; i++) {
        const size_t begin = todo[--n_todo].begin, end = todo[n_todo].end;
        const struct stretch at = best_stretch(r, begin, end, s.threshold);
        if (at.score < r->thresholds.min_score) continue;
        TRY(judge(&s, at));
        todo[n_todo].begin = begin;
        todo[n_todo++].end = at.first;
        todo[n_todo].begin = at.last + 1;
        todo[n_todo++].end = end;
    }
    return OG_OK;
}
