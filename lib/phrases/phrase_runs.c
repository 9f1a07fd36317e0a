/* Frequent shingles, and the runs that they form in a document. */

#include "lib/phrases/phrase_runs.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/base/hash_table.h"

/* ---- shingles ---- */

static size_t slot_of(const struct og_phrase_shingles *s, uint64_t fp)
{
    size_t at;
    /* A free slot has `last` UINT32_MAX; its count may be 0 between passes. */
    OG_PROBE(at, og_mix64(fp), s->n_slots,
             s->slots[at].last == UINT32_MAX || s->slots[at].fp == fp)
    return at;
}

/* How many of the counter are in `least` documents or more. */
static size_t count_over(const struct og_phrase_counter *c, uint32_t least)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_buckets * OG_PHRASE_BUCKET; i++)
        n += c->counts[i].n >= least;
    return n;
}

og_status og_phrase_shingles_init(struct og_phrase_shingles *s,
                                  const struct og_phrase_counter *counter,
                                  uint32_t least, uint64_t memory,
                                  uint32_t *out_left, og_error *err)
{
    const size_t room = (size_t)(memory / (4 * sizeof(*s->slots)));
    uint32_t bound = least;
    size_t n = count_over(counter, bound);
    while (n > room && n > 0)
        n = count_over(counter, bound += bound / 16 + 1);
    *out_left = bound > least ? bound - 1 : 0;
    *s = (struct og_phrase_shingles){.n_slots = og_hash_slots_for(n, 16)};
    s->slots = og_allocate(NULL, s->n_slots * sizeof(*s->slots));
    if (s->slots == NULL)
        return og_error_memory(err, s->n_slots * sizeof(*s->slots), "shingles");
    for (size_t i = 0; i < s->n_slots; i++)
        s->slots[i] = (struct og_phrase_count){.last = UINT32_MAX};
    for (size_t i = 0; i < counter->n_buckets * OG_PHRASE_BUCKET; i++) {
        const struct og_phrase_count *count = &counter->counts[i];
        if (count->n < bound) continue;
        s->slots[slot_of(s, count->fp)] = *count;
        s->n++;
    }
    return OG_OK;
}

void og_phrase_shingles_release(struct og_phrase_shingles *s)
{
    og_release(NULL, s->slots, s->n_slots * sizeof(*s->slots));
    *s = (struct og_phrase_shingles){0};
}

void og_phrase_shingles_reset(struct og_phrase_shingles *s)
{
    for (size_t i = 0; i < s->n_slots; i++) {
        s->slots[i].n = 0;
        if (s->slots[i].last != UINT32_MAX) s->slots[i].last = 0;
    }
}

void og_phrase_shingles_add(struct og_phrase_shingles *s, uint64_t fp,
                            uint32_t document)
{
    struct og_phrase_count *slot = &s->slots[slot_of(s, fp)];
    if (slot->last == UINT32_MAX) return;
    slot->n += slot->last != document;
    slot->last = document;
}

uint32_t og_phrase_shingles_get(const struct og_phrase_shingles *s, uint64_t fp)
{
    return s->slots[slot_of(s, fp)].n;
}

/* ---- runs ---- */

void og_phrase_runs_release(struct og_phrase_runs *r)
{
    OG_UNGROW(NULL, r->runs, r->cap);
    OG_UNGROW(NULL, r->counts, r->counts_cap);
    OG_UNGROW(NULL, r->order, r->order_cap);
    OG_UNGROW(NULL, r->covered, r->covered_cap);
    *r = (struct og_phrase_runs){0};
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Fills r->counts, and r->order with the frequent ones, the most frequent
 * first; of equals the first. Returns their number. */
static size_t sort_shingles(struct og_phrase_runs *r,
                            const struct og_phrase_shingles *shingles,
                            const uint64_t *fps, size_t n, uint32_t least)
{
    size_t n_order = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t count = og_phrase_shingles_get(shingles, fps[i]);
        r->counts[i] = count >= least ? count : 0;
        if (r->counts[i] == 0) continue;
        r->order[n_order++] = (uint64_t)(UINT32_MAX - count) << 32 | i;
    }
    if (n_order > 1) qsort(r->order, n_order, sizeof(*r->order), by_value);
    return n_order;
}

/* Whether another run contains a token of the shingle at `at`. */
static bool is_taken(const struct og_phrase_runs *r, size_t at, uint32_t len)
{
    return memchr(r->covered + at, 1, len) != NULL;
}

static og_status take_run(struct og_phrase_runs *r, const uint64_t *fps,
                          size_t first, size_t last, uint32_t len,
                          og_error *err)
{
    struct og_phrase_run run = {.first = (uint32_t)first,
                                .n_tokens = (uint32_t)(last - first) + len,
                                .most = UINT32_MAX};
    uint32_t largest = 0;
    for (size_t i = first; i <= last; i++) {
        const uint32_t count = r->counts[i];
        if (count < run.most) run.most = count;
        if (count > largest || (count == largest && fps[i] < run.seed))
            run.seed = fps[i];
        if (count > largest) largest = count;
    }
    memset(r->covered + first, 1, run.n_tokens);
    if (!OG_GROW(NULL, r->runs, r->cap, r->n + 1))
        return og_error_memory(err, r->n * sizeof(run), "runs");
    r->runs[r->n++] = run;
    return OG_OK;
}

og_status og_phrase_runs_find(struct og_phrase_runs *r,
                              const struct og_phrase_shingles *shingles,
                              const uint64_t *fps, size_t n,
                              uint32_t shingle_len, uint32_t least,
                              og_error *err)
{
    const size_t most = OG_PHRASE_TOKENS_MAX - shingle_len;
    r->n = 0;
    if (!OG_GROW(NULL, r->counts, r->counts_cap, n) ||
        !OG_GROW(NULL, r->order, r->order_cap, n) ||
        !OG_GROW(NULL, r->covered, r->covered_cap, n + shingle_len))
        return og_error_memory(err, n * 8, "runs");
    const size_t n_order = sort_shingles(r, shingles, fps, n, least);
    if (n_order != 0) memset(r->covered, 0, n + shingle_len);
    for (size_t i = 0; i < n_order; i++) {
        const size_t at = (size_t)(r->order[i] & UINT32_MAX);
        uint32_t floor = r->counts[at] - r->counts[at] / 5;
        size_t first = at, last = at;
        if (is_taken(r, at, shingle_len)) continue;
        if (floor < least) floor = least;
        while (last + 1 < n && r->counts[last + 1] >= floor &&
               r->covered[last + shingle_len] == 0 && last - first < most)
            last++;
        while (first > 0 && r->counts[first - 1] >= floor &&
               r->covered[first - 1] == 0 && last - first < most)
            first--;
        TRY(take_run(r, fps, first, last, shingle_len, err));
    }
    return OG_OK;
}
