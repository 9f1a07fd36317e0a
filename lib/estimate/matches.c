/* The equal words of a passage, for a reader to see.
 *
 * Of a copy these are the runs of its chain. Where two runs meet, the words
 * that both claim stay with the first. Between them stand the words that were
 * changed; there are equal ones among those too, too few in a row to be a run:
 * a longest common subsequence of the two sides of the gap finds them, when
 * both are short. That costs 32 comparisons for each token at most. */

#include <string.h>

#include "lib/estimate/aligner.h"

#define MAX_GAP 32

struct matching {
    struct og_hashes document, origin;
    struct og_runs *out;
    og_error *err;
};

/* Joins a match to the one before it when they touch on both sides. */
static og_status add_match(const struct matching *m, size_t first,
                           struct og_run run)
{
    struct og_runs *out = m->out;
    if (out->n > first) {
        struct og_run *last = &out->data[out->n - 1];
        if (last->begin + last->len == run.begin &&
            last->origin_begin + last->len == run.origin_begin) {
            last->len += run.len;
            return OG_OK;
        }
    }
    return og_runs_add(out, run, m->err);
}

/* The common subsequence of n tokens from i and origin_n from j. */
static og_status match_gap(const struct matching *m, size_t first, uint32_t i,
                           uint32_t n, uint32_t j, uint32_t origin_n)
{
    uint8_t longest[MAX_GAP + 1][MAX_GAP + 1] = {{0}};
    const uint64_t *a = m->document.data + i, *b = m->origin.data + j;
    if (n == 0 || origin_n == 0 || n > MAX_GAP || origin_n > MAX_GAP)
        return OG_OK;
    for (uint32_t x = n; x-- > 0;)
        for (uint32_t y = origin_n; y-- > 0;) {
            const uint8_t skip = longest[x + 1][y] > longest[x][y + 1]
                                     ? longest[x + 1][y]
                                     : longest[x][y + 1];
            const uint8_t take = (uint8_t)(longest[x + 1][y + 1] + 1);
            longest[x][y] = a[x] == b[y] ? take : skip;
        }
    for (uint32_t x = 0, y = 0; x < n && y < origin_n;) {
        if (a[x] == b[y]) {
            TRY(add_match(m, first, (struct og_run){i + x, j + y, 1}));
            x++, y++;
        } else if (longest[x + 1][y] >= longest[x][y + 1])
            x++;
        else
            y++;
    }
    return OG_OK;
}

/* The part of a run inside the passage and behind `from` and `origin_from`. */
static struct og_run clip(struct og_run run, const struct og_passage *p,
                          uint32_t from, uint32_t origin_from)
{
    uint32_t skip = 0, len = run.len;
    if (run.begin < from) skip = from - run.begin;
    if (run.origin_begin < origin_from && origin_from - run.origin_begin > skip)
        skip = origin_from - run.origin_begin;
    if (skip >= len) return (struct og_run){0, 0, 0};
    run.begin += skip;
    run.origin_begin += skip;
    len -= skip;
    if (run.begin >= p->end || run.origin_begin >= p->origin_end)
        return (struct og_run){0, 0, 0};
    if (len > p->end - run.begin) len = p->end - run.begin;
    if (len > p->origin_end - run.origin_begin)
        len = p->origin_end - run.origin_begin;
    run.len = len;
    return run;
}

static og_status match_copy(const struct matching *m, struct og_passage *p,
                            const struct og_run *chain)
{
    const size_t first = m->out->n;
    uint32_t from = p->begin, origin_from = p->origin_begin;
    for (uint32_t i = 0; i < p->n_runs; i++) {
        const struct og_run run = clip(chain[i], p, from, origin_from);
        if (run.len == 0) continue;
        if (m->out->n > first)
            TRY(match_gap(m, first, from, run.begin - from, origin_from,
                          run.origin_begin - origin_from));
        TRY(add_match(m, first, run));
        from = run.begin + run.len;
        origin_from = run.origin_begin + run.len;
    }
    p->first_run = (uint32_t)first;
    p->n_runs = (uint32_t)(m->out->n - first);
    if (p->n_runs == 0) return OG_OK;
    p->begin = m->out->data[first].begin;
    p->origin_begin = m->out->data[first].origin_begin;
    p->end = from;
    p->origin_end = origin_from;
    return OG_OK;
}

static float share_matched(const struct og_passage *p,
                           const struct og_run *matches)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < p->n_runs; i++)
        n += matches[p->first_run + i].len;
    const uint64_t all =
        (uint64_t)(p->end - p->begin) + (p->origin_end - p->origin_begin);
    return all == 0 ? 0 : (float)(2 * n) / (float)all;
}

og_status og_passages_match(struct og_passages *passages,
                            const struct og_runs *chained,
                            struct og_hashes document, struct og_hashes origin,
                            struct og_runs *out, og_error *err)
{
    const struct matching m = {document, origin, out, err};
    size_t n = 0;
    out->n = 0;
    for (size_t i = 0; i < passages->n; i++) {
        struct og_passage p = passages->data[i];
        TRY(match_copy(&m, &p, chained->data + p.first_run));
        p.score = share_matched(&p, out->data);
        if (p.n_runs > 0) passages->data[n++] = p;
    }
    passages->n = n;
    return OG_OK;
}
