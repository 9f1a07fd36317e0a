/* Runs that follow one another in both texts: copies with small edits.
 *
 * The sum over runs of a local alignment (Smith and Waterman), on runs instead
 * of tokens as aligners of genomes do it (minimap2): the best chain that ends
 * with a run is that run alone, or that run behind the best chain that ends
 * with an earlier one, less the price of the gap between them. A chain ends
 * where it scores most, so a chance run behind the end of a copy is taken in
 * only when it is worth more than the gap before it.
 *
 * A run of n tokens is worth n - 1: it says once where it stands. A token of
 * the longer side of a gap costs GAP_PRICE. Only the LOOK_BACK runs before are
 * asked, which bounds the work; between two neighbours of a real copy there
 * are few others. */

#include <math.h>
#include <stdlib.h>

#include "lib/estimate/aligner.h"

#define NO_LINK   UINT32_MAX
#define GAP_PRICE 0.5f
/* What the sides of a gap differ by was inserted or left out. */
#define SHIFT_PRICE 0.1f
#define LOOK_BACK   48
#define MAX_GAP     64u

void og_chainer_init(struct og_chainer *chainer, const og_allocator *allocator)
{
    *chainer = (struct og_chainer){.allocator = allocator};
}

void og_chainer_release(struct og_chainer *chainer)
{
    OG_UNGROW(chainer->allocator, chainer->links, chainer->links_cap);
    OG_UNGROW(chainer->allocator, chainer->ends, chainer->ends_cap);
}

/* How much the chain to `run` gains from standing behind `before`; minus
 * infinity when it cannot. Runs that overlap by a few tokens may follow one
 * another: what they share counts once. */
static float gain_behind(const struct og_run *before, const struct og_run *run)
{
    const int64_t gap = (int64_t)run->begin - before->begin - before->len;
    const int64_t origin_gap =
        (int64_t)run->origin_begin - before->origin_begin - before->len;
    const int64_t longer = gap > origin_gap ? gap : origin_gap;
    const int64_t shorter = gap > origin_gap ? origin_gap : gap;
    if (longer > MAX_GAP || run->origin_begin <= before->origin_begin ||
        -shorter >= run->len)
        return -INFINITY;
    const float shared = shorter < 0 ? (float)-shorter : 0;
    const float skipped = longer > 0 ? (float)longer : 0;
    return (float)(run->len - 1) - shared - GAP_PRICE * skipped -
           SHIFT_PRICE * (float)(longer - shorter);
}

static void link_run(struct og_link *links, const struct og_run *runs, size_t i)
{
    struct og_link best = {(float)(runs[i].len - 1), NO_LINK, false};
    for (size_t back = 1; back <= LOOK_BACK && back <= i; back++) {
        const size_t j = i - back;
        const float gain = gain_behind(&runs[j], &runs[i]);
        if (links[j].score + gain <= best.score) continue;
        best.score = links[j].score + gain;
        best.previous = (uint32_t)j;
    }
    links[i] = best;
}

static int by_score(const void *a, const void *b)
{
    const struct og_chain_end *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x->run < y->run ? -1 : 1;
}

static void reverse(struct og_run *runs, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const struct og_run kept = runs[i];
        runs[i] = runs[n - 1 - i];
        runs[n - 1 - i] = kept;
    }
}

/* The chain that ends with run `last`, as far as no better one has it. */
static og_status take_chain(struct og_link *links, const struct og_run *runs,
                            uint32_t last, float min_score,
                            struct og_runs *chained, struct og_passages *out,
                            og_error *err)
{
    const size_t first_run = chained->n;
    struct og_passage p = {.end = runs[last].begin + runs[last].len,
                           .origin_end =
                               runs[last].origin_begin + runs[last].len,
                           .kind = OG_PASSAGE_COPY};
    uint32_t at = last, first = last;
    while (at != NO_LINK && !links[at].used) {
        links[at].used = true;
        TRY(og_runs_add(chained, runs[at], err));
        first = at;
        at = links[at].previous;
    }
    p.begin = runs[first].begin;
    p.origin_begin = runs[first].origin_begin;
    p.weight = links[last].score - (at == NO_LINK ? 0 : links[at].score);
    p.first_run = (uint32_t)first_run;
    p.n_runs = (uint32_t)(chained->n - first_run);
    if (p.weight < min_score) {
        chained->n = first_run;
        return OG_OK;
    }
    reverse(chained->data + first_run, p.n_runs);
    return og_passages_add(out, p, err);
}

og_status og_runs_chain(struct og_chainer *chainer, const struct og_runs *runs,
                        float min_score, struct og_runs *chained,
                        struct og_passages *out, og_error *err)
{
    const size_t n = runs->n;
    size_t n_ends = 0;
    chained->n = 0;
    if (!OG_GROW(chainer->allocator, chainer->links, chainer->links_cap, n) ||
        !OG_GROW(chainer->allocator, chainer->ends, chainer->ends_cap, n))
        return og_error_memory(err, n * sizeof(*chainer->links), "chains");
    for (size_t i = 0; i < n; i++) {
        link_run(chainer->links, runs->data, i);
        if (chainer->links[i].score < min_score) continue;
        chainer->ends[n_ends++] =
            (struct og_chain_end){chainer->links[i].score, (uint32_t)i};
    }
    if (n_ends > 0)
        qsort(chainer->ends, n_ends, sizeof(*chainer->ends), by_score);
    for (size_t i = 0; i < n_ends; i++) {
        const uint32_t last = chainer->ends[i].run;
        if (chainer->links[last].used) continue;
        TRY(take_chain(chainer->links, runs->data, last, min_score, chained,
                       out, err));
    }
    return OG_OK;
}
