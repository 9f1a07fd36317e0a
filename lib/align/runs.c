/* Equal tokens in a row.
 *
 * Without hints: every shingle of three tokens of the origin is entered into a
 * chained hash table; every shingle of the document is looked up, and each
 * occurrence is extended in both directions while tokens are equal. Three
 * tokens are few enough to find partly reworded text, and enough not to match
 * every "of the".
 *
 * Repetitive text is the expensive case. Two texts of one repeated token have n
 * * m equal shingles, and a run begins on each of n + m diagonals. So: a
 * look-up visits no more than MAX_PLACES places; a diagonal remembers where its
 * last run ended, so no run is compared twice; and inside a long run only runs
 * that extend beyond its end matter (as in LZ77 coders). A budget of
 * comparisons limits the search. Texts of very few distinct words have up to 24
 * runs for each token, most of them by chance: when there are too many, the
 * shortest are dropped. */

#include <string.h>

#include "lib/align/aligner.h"
#include "lib/align/nearly_sorted.h"
#include "lib/base/bits.h"
#include "lib/base/stopping.h"

#define NO_PLACE UINT32_MAX

/* Occurrences of one shingle in the origin. Only "of the" and the like have
 * more. */
#define MAX_PLACES 24

/* Inside a run of this many tokens others must extend beyond it. */
#define LONG_RUN 128

/* Runs of two texts that are kept, at least, and one for this many tokens. In
 * texts that people wrote, two of 100,000 Thai characters had most, 0.9
 * million; elsewhere they were a tenth of that. A run takes 52 bytes until the
 * chains are found. */
#define LEAST_RUNS   ((size_t)1 << 20)
#define TOKENS_A_RUN 2

/* ---- arrays ---- */

void og_runs_init(struct og_runs *runs, const og_allocator *allocator)
{
    *runs = (struct og_runs){.allocator = allocator};
}

void og_runs_release(struct og_runs *runs)
{
    OG_UNGROW(runs->allocator, runs->data, runs->cap);
    runs->n = 0;
}

og_status og_runs_add(struct og_runs *runs, struct og_run run, og_error *err)
{
    if (!OG_GROW(runs->allocator, runs->data, runs->cap, runs->n + 1))
        return og_error_memory(err, (runs->n + 1) * sizeof(run), "runs");
    runs->data[runs->n++] = run;
    return OG_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct og_run *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->origin_begin != y->origin_begin)
        return x->origin_begin < y->origin_begin ? -1 : 1;
    return (x->len < y->len) - (x->len > y->len);
}

OG_SORT_NEARLY(sort_by_place, struct og_run, by_place)

void og_runs_sort(struct og_runs *runs)
{
    size_t n = 0;
    if (runs->n == 0) return;
    sort_by_place(runs->data, runs->n);
    for (size_t i = 1; i < runs->n; i++) {
        const struct og_run *last = &runs->data[n], *run = &runs->data[i];
        if (run->begin != last->begin ||
            run->origin_begin != last->origin_begin)
            runs->data[++n] = *run;
    }
    runs->n = n + 1;
}

/* Drops those of fewer tokens. */
static void drop_shorter(struct og_runs *runs, uint32_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < runs->n; i++)
        if (runs->data[i].len >= len) runs->data[n++] = runs->data[i];
    runs->n = n;
}

void og_run_finder_init(struct og_run_finder *finder,
                        const og_allocator *allocator)
{
    *finder = (struct og_run_finder){.allocator = allocator};
}

void og_run_finder_release(struct og_run_finder *finder)
{
    const og_allocator *a = finder->allocator;
    OG_UNGROW(a, finder->heads, finder->heads_cap);
    OG_UNGROW(a, finder->next, finder->next_cap);
    OG_UNGROW(a, finder->alone, finder->alone_cap);
    OG_UNGROW(a, finder->diagonals, finder->diagonals_cap);
}

/* ---- the index of the origin ---- */

static uint64_t shingle_at(const uint64_t *hash)
{
    return og_mix64(hash[0] + 3 * hash[1] + 5 * hash[2]);
}

struct search {
    struct og_run_finder *finder;
    struct og_hashes document, origin;
    struct og_align_window window; /* where runs are looked for */
    size_t mask;                   /* of heads and of diagonals */
    struct og_runs *out;
    struct og_run last; /* the run found last */
    uint32_t cover_end; /* of the long run that extends farthest */
    uint64_t budget;    /* remaining comparisons */
    size_t most;        /* runs in out */
    uint32_t least;     /* tokens of a run */
    og_error *err;
};

static og_status make_index(struct search *s)
{
    struct og_run_finder *f = s->finder;
    const uint32_t first = s->window.origin_begin;
    const uint32_t n = s->window.origin_end - first;
    const size_t size = og_power_above((size_t)n * 2);
    if (!OG_GROW(f->allocator, f->heads, f->heads_cap, size) ||
        !OG_GROW(f->allocator, f->next, f->next_cap, n) ||
        !OG_GROW(f->allocator, f->alone, f->alone_cap, n) ||
        !OG_GROW(f->allocator, f->diagonals, f->diagonals_cap, size))
        return og_error_memory(s->err, size * sizeof(*f->heads), "an index");
    s->mask = size - 1;
    memset(f->heads, 0xff, size * sizeof(*f->heads));
    memset(f->diagonals, 0, size * sizeof(*f->diagonals));
    for (uint32_t i = n - OG_RUN_MIN + 1; i-- > 0;) {
        const uint64_t shingle = shingle_at(s->origin.data + first + i);
        uint32_t *head = &f->heads[shingle & s->mask];
        f->next[i] = *head;
        f->alone[i] = *head == NO_PLACE;
        if (*head != NO_PLACE) f->alone[*head] = 0;
        *head = i;
    }
    return OG_OK;
}

/* ---- growing ---- */

static uint32_t equal_after(const struct search *s, uint32_t i, uint32_t j)
{
    const uint64_t *a = s->document.data + i, *b = s->origin.data + j;
    const uint32_t left = s->document.n - i, origin_left = s->origin.n - j;
    const uint32_t most = left < origin_left ? left : origin_left;
    uint32_t n = 0;
    while (n < most && a[n] == b[n])
        n++;
    return n;
}

static uint32_t equal_before(const struct search *s, uint32_t i, uint32_t j)
{
    const uint64_t *a = s->document.data + i, *b = s->origin.data + j;
    const uint32_t most = i < j ? i : j;
    uint32_t n = 0;
    while (n < most && a[-1 - (int64_t)n] == b[-1 - (int64_t)n])
        n++;
    return n;
}

static bool spend(struct search *s, uint64_t work)
{
    const bool enough = work < s->budget;
    s->budget = enough ? s->budget - work : 0;
    return enough;
}

static struct og_diagonal *diagonal_of(const struct search *s, uint32_t i,
                                       uint32_t j)
{
    return &s->finder->diagonals[(i - j) * 0x9e3779b1u & s->mask];
}

/* Whether a run through (i, j) could be new. */
static bool is_wanted(const struct search *s, uint32_t i, uint32_t j)
{
    const struct og_diagonal *d = diagonal_of(s, i, j);
    if (d->diagonal == i - j && d->end > i) return false;
    if (i >= s->cover_end) return true;
    const uint64_t at = (uint64_t)j + (s->cover_end - i);
    return s->cover_end < s->document.n && at < s->origin.n &&
           s->document.data[s->cover_end] == s->origin.data[at];
}

/* More than may be kept: half of the room is made free. */
static og_status keep_run(struct search *s, struct og_run run)
{
    while (s->out->n >= s->most) {
        do {
            s->least += 1 + s->least / 8;
            drop_shorter(s->out, s->least);
        } while (s->out->n > s->most / 2);
    }
    return run.len >= s->least ? og_runs_add(s->out, run, s->err) : OG_OK;
}

static og_status note_run(struct search *s, uint32_t i, uint32_t j)
{
    const uint32_t before = equal_before(s, i, j);
    const uint32_t after = equal_after(s, i, j);
    const struct og_run run = {i - before, j - before, before + after};
    spend(s, run.len);
    *diagonal_of(s, i, j) = (struct og_diagonal){i - j, i + after};
    if (run.len < OG_RUN_MIN) return OG_OK; /* equal by hash only */
    s->last = run;
    if (run.len >= LONG_RUN && i + after > s->cover_end)
        s->cover_end = i + after;
    return keep_run(s, run);
}

static og_status look_up(struct search *s, uint32_t i)
{
    const struct og_run_finder *f = s->finder;
    const uint32_t first = s->window.origin_begin;
    uint32_t place = f->heads[shingle_at(s->document.data + i) & s->mask];
    for (int n = 0; place != NO_PLACE && n < MAX_PLACES && spend(s, 1); n++) {
        const uint32_t j = first + place;
        if (s->document.data[i] == s->origin.data[j] && is_wanted(s, i, j))
            TRY(note_run(s, i, j));
        place = f->next[place];
    }
    return OG_OK;
}

/* Whether all that a look-up would find is the place in the run found last. */
static bool is_passed(const struct search *s, uint32_t i)
{
    const uint32_t n = s->window.origin_end - s->window.origin_begin;
    const uint32_t at = i - s->last.begin;
    const uint32_t place = s->last.origin_begin + at - s->window.origin_begin;
    if (i < s->last.begin || at + OG_RUN_MIN > s->last.len) return false;
    return place <= n - OG_RUN_MIN && s->finder->alone[place] != 0;
}

static size_t most_runs(size_t n, size_t origin_n)
{
    const size_t share = (n + origin_n) / TOKENS_A_RUN;
    return share > LEAST_RUNS ? share : LEAST_RUNS;
}

og_status og_runs_find(struct og_run_finder *finder, struct og_hashes document,
                       struct og_hashes origin, struct og_align_window window,
                       struct og_runs *out, og_error *err)
{
    struct search s = {.finder = finder,
                       .document = document,
                       .origin = origin,
                       .window = window,
                       .out = out,
                       .most = most_runs(document.n, origin.n),
                       .least = OG_RUN_MIN,
                       .err = err};
    const uint32_t n = window.end - window.begin;
    const uint32_t origin_n = window.origin_end - window.origin_begin;
    if (n < OG_RUN_MIN || origin_n < OG_RUN_MIN) return OG_OK;
    s.budget = OG_ALIGN_WORK * ((uint64_t)n + origin_n);
    TRY(make_index(&s));
    for (uint32_t i = window.begin; i + OG_RUN_MIN <= window.end; i++) {
        if (s.budget == 0) break;
        if (i % 4096 == 0) TRY(og_stop_check(err));
        if (is_passed(&s, i))
            spend(&s, 1);
        else
            TRY(look_up(&s, i));
    }
    return OG_OK;
}
