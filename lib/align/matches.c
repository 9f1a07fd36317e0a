/* The equal words of a passage, for display.
 *
 * For a reworded passage these are the runs inside it, the longest first, and
 * then single words that occur once or twice on either side. For a copy these
 * are the runs of its chain. Where two runs overlap, the words belong to the
 * first. Between them are the changed words; there
 * are equal ones among those too, too few in a row to be a run: a longest
 * common subsequence of the two sides of the gap finds them, if both are short.
 * That costs at most 32 comparisons per token. */

#include <stdlib.h>
#include <string.h>

#include "lib/align/aligner.h"

#define MAX_GAP 32

struct matching {
    struct og_matcher *matcher;
    struct og_hashes document, origin;
    const struct og_runs *runs;
    struct og_runs *out;
    og_error *err;
};

void og_matcher_init(struct og_matcher *matcher, const og_allocator *allocator)
{
    *matcher = (struct og_matcher){.allocator = allocator};
    og_runs_init(&matcher->inside, allocator);
}

void og_matcher_release(struct og_matcher *matcher)
{
    og_runs_release(&matcher->inside);
    OG_UNGROW(matcher->allocator, matcher->taken, matcher->taken_cap);
    OG_UNGROW(matcher->allocator, matcher->words, matcher->words_cap);
}

/* Merges a match into the previous one if they touch on both sides. */
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

/* The part of a run inside the passage and after `from` and `origin_from`. */
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

/* ---- of a reworded passage ---- */

static int longest_first(const void *a, const void *b)
{
    const struct og_run *x = a, *y = b;
    if (x->len != y->len) return x->len > y->len ? -1 : 1;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return (x->origin_begin > y->origin_begin) -
           (x->origin_begin < y->origin_begin);
}

static int by_begin(const void *a, const void *b)
{
    const struct og_run *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static int by_word(const void *a, const void *b)
{
    const struct og_word *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return (x->pos > y->pos) - (x->pos < y->pos);
}

/* Which tokens have a match: those of the document, then the origin's. */
struct taken {
    uint8_t *here, *there;
};

static og_status start_taken(const struct matching *m,
                             const struct og_passage *p, struct taken *out)
{
    struct og_matcher *matcher = m->matcher;
    const size_t n = p->end - p->begin;
    const size_t all = n + (p->origin_end - p->origin_begin);
    if (!OG_GROW(matcher->allocator, matcher->taken, matcher->taken_cap, all) ||
        !OG_GROW(matcher->allocator, matcher->words, matcher->words_cap, all))
        return og_error_memory(m->err, all * sizeof(*matcher->words),
                               "matches");
    memset(matcher->taken, 0, all);
    *out = (struct taken){matcher->taken, matcher->taken + n};
    return OG_OK;
}

static og_status find_inside(const struct matching *m,
                             const struct og_passage *p)
{
    struct og_runs *inside = &m->matcher->inside;
    size_t low = 0, high = m->runs->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (m->runs->data[middle].begin < p->begin)
            low = middle + 1;
        else
            high = middle;
    }
    inside->n = 0;
    for (; low < m->runs->n && m->runs->data[low].begin < p->end; low++) {
        const struct og_run run =
            clip(m->runs->data[low], p, p->begin, p->origin_begin);
        if (run.len > 0) TRY(og_runs_add(inside, run, m->err));
    }
    if (inside->n > 0)
        qsort(inside->data, inside->n, sizeof(*inside->data), longest_first);
    return OG_OK;
}

/* The parts of a run, of two tokens or more, that are not taken. */
static og_status take_run(const struct matching *m, const struct og_passage *p,
                          const struct taken *taken, struct og_run run)
{
    uint8_t *here = taken->here + (run.begin - p->begin);
    uint8_t *there = taken->there + (run.origin_begin - p->origin_begin);
    for (uint32_t i = 0; i < run.len;) {
        uint32_t end = i;
        while (end < run.len && here[end] == 0 && there[end] == 0)
            end++;
        if (end - i >= 2) {
            const struct og_run part = {run.begin + i, run.origin_begin + i,
                                        end - i};
            memset(here + i, 1, end - i);
            memset(there + i, 1, end - i);
            TRY(og_runs_add(m->out, part, m->err));
        }
        i = end + 1;
    }
    return OG_OK;
}

/* Words of one side without a match, by hash. */
static size_t sort_words(struct og_word *words, const uint64_t *hash,
                         const uint8_t *taken, uint32_t begin, uint32_t end)
{
    size_t n = 0;
    for (uint32_t i = begin; i < end; i++)
        if (taken[i - begin] == 0) words[n++] = (struct og_word){hash[i], i};
    if (n > 0) qsort(words, n, sizeof(*words), by_word);
    return n;
}

static size_t equal_words(const struct og_word *words, size_t n)
{
    size_t k = 1;
    while (k < n && words[k].hash == words[0].hash)
        k++;
    return k;
}

static og_status take_words(const struct matching *m,
                            const struct og_passage *p,
                            const struct taken *taken)
{
    enum { MOST = 2 }; /* more frequent words could be paired arbitrarily */
    struct og_word *a = m->matcher->words;
    const size_t n_a =
        sort_words(a, m->document.data, taken->here, p->begin, p->end);
    struct og_word *b = a + n_a;
    const size_t n_b = sort_words(b, m->origin.data, taken->there,
                                  p->origin_begin, p->origin_end);
    for (size_t i = 0, j = 0; i < n_a && j < n_b;) {
        const size_t k_a = equal_words(a + i, n_a - i);
        const size_t k_b = equal_words(b + j, n_b - j);
        const bool equal = a[i].hash == b[j].hash;
        if (equal && k_a <= MOST && k_b <= MOST)
            for (size_t k = 0; k < k_a && k < k_b; k++)
                TRY(og_runs_add(m->out,
                                (struct og_run){a[i + k].pos, b[j + k].pos, 1},
                                m->err));
        const bool skip_a = a[i].hash <= b[j].hash;
        const bool skip_b = b[j].hash <= a[i].hash;
        if (skip_a) i += k_a;
        if (skip_b) j += k_b;
    }
    return OG_OK;
}

/* Merges matches that touch on both sides. */
static void join_matches(struct og_runs *out, size_t first)
{
    size_t n = first;
    if (out->n == first) return;
    qsort(out->data + first, out->n - first, sizeof(*out->data), by_begin);
    for (size_t i = first + 1; i < out->n; i++) {
        struct og_run *last = &out->data[n];
        const struct og_run *run = &out->data[i];
        if (last->begin + last->len == run->begin &&
            last->origin_begin + last->len == run->origin_begin)
            last->len += run->len;
        else
            out->data[++n] = *run;
    }
    out->n = n + 1;
}

static og_status match_reworded(const struct matching *m, struct og_passage *p)
{
    const size_t first = m->out->n;
    struct taken taken = {NULL, NULL};
    TRY(start_taken(m, p, &taken));
    TRY(find_inside(m, p));
    for (size_t i = 0; i < m->matcher->inside.n; i++)
        TRY(take_run(m, p, &taken, m->matcher->inside.data[i]));
    TRY(take_words(m, p, &taken));
    join_matches(m->out, first);
    p->first_run = (uint32_t)first;
    p->n_runs = (uint32_t)(m->out->n - first);
    return OG_OK;
}

static uint64_t n_matched(const struct og_passage *p,
                          const struct og_run *matches)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < p->n_runs; i++)
        n += matches[p->first_run + i].len;
    return n;
}

static float share_matched(const struct og_passage *p,
                           const struct og_run *matches)
{
    const uint64_t n = n_matched(p, matches);
    const uint64_t all =
        (uint64_t)(p->end - p->begin) + (p->origin_end - p->origin_begin);
    return all == 0 ? 0 : (float)(2 * n) / (float)all;
}

og_status og_passages_match(struct og_matcher *matcher,
                            struct og_passages *passages,
                            const struct og_runs *chained,
                            const struct og_runs *runs,
                            struct og_hashes document, struct og_hashes origin,
                            struct og_runs *out, og_error *err)
{
    const struct matching m = {matcher, document, origin, runs, out, err};
    size_t n = 0;
    out->n = 0;
    for (size_t i = 0; i < passages->n; i++) {
        struct og_passage p = passages->data[i];
        if (p.kind == OG_PASSAGE_REWORDED)
            TRY(match_reworded(&m, &p));
        else
            TRY(match_copy(&m, &p, chained->data + p.first_run));
        p.score = share_matched(&p, out->data);
        if (p.n_runs > 0) passages->data[n++] = p;
    }
    passages->n = n;
    return OG_OK;
}

/* ---- the words themselves ---- */

/* The number of equal words at the front of a match. */
static uint32_t n_read(struct og_align_side document,
                       struct og_align_side origin, const struct og_run *run)
{
    uint32_t n = 0;
    while (n < run->len &&
           og_tokens_same(document.text, document.tokens, run->begin + n,
                          origin.text, origin.tokens, run->origin_begin + n))
        n++;
    return n;
}

static bool is_read(const struct og_passage *p, struct og_align_side document,
                    struct og_align_side origin, const struct og_run *matches)
{
    for (uint32_t i = 0; i < p->n_runs; i++) {
        const struct og_run *run = &matches[p->first_run + i];
        if (n_read(document, origin, run) < run->len) return false;
    }
    return true;
}

/* The equal parts of the matches of a passage, after all others. */
static og_status keep_equal_parts(struct og_passage *p,
                                  struct og_align_side document,
                                  struct og_align_side origin,
                                  struct og_runs *matches, og_error *err)
{
    const uint32_t first = p->first_run, end = first + p->n_runs;
    p->first_run = (uint32_t)matches->n;
    for (uint32_t i = first; i < end; i++) {
        struct og_run run = matches->data[i];
        while (run.len > 0) {
            const uint32_t n = n_read(document, origin, &run);
            const uint32_t passed = n < run.len ? n + 1 : n;
            const struct og_run equal = {run.begin, run.origin_begin, n};
            if (n > 0) TRY(og_runs_add(matches, equal, err));
            run.begin += passed;
            run.origin_begin += passed;
            run.len -= passed;
        }
    }
    p->n_runs = (uint32_t)matches->n - p->first_run;
    return OG_OK;
}

/* Sets its ends to those of its matches. */
static void fit_copy(struct og_passage *p, const struct og_run *matches)
{
    if (p->n_runs == 0 || p->kind != OG_PASSAGE_COPY) return;
    const struct og_run *first = &matches[p->first_run];
    const struct og_run *last = &first[p->n_runs - 1];
    p->begin = first->begin;
    p->origin_begin = first->origin_begin;
    p->end = last->begin + last->len;
    p->origin_end = last->origin_begin + last->len;
}

og_status og_passages_read(struct og_passages *passages,
                           struct og_align_side document,
                           struct og_align_side origin, uint32_t min_copy,
                           struct og_runs *matches, og_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < passages->n; i++) {
        struct og_passage p = passages->data[i];
        if (!is_read(&p, document, origin, matches->data)) {
            TRY(keep_equal_parts(&p, document, origin, matches, err));
            if (n_matched(&p, matches->data) < min_copy) continue;
            fit_copy(&p, matches->data);
            p.score = share_matched(&p, matches->data);
        }
        passages->data[n++] = p;
    }
    passages->n = n;
    return OG_OK;
}
