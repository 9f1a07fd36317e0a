/* Sentences of two texts with the same meaning.
 *
 * Two sentences are paired if their weighted bags of stems have similar
 * directions (cosine) and share many stems (Dice's coefficient): the former
 * alone is misled by a single rare name, the latter by function words. The sums
 * for all sentences of the origin come from the lists of where each stem
 * occurs; a stem that occurs in more than MAX_POSTS sentences of the origin is
 * insignificant and omitted, which bounds the work.
 *
 * Pairs that are near each other in both texts belong together, whatever
 * their order: they are split where one text has a gap of more than max_gap
 * sentences, then where the other has one, until no part can be split any
 * more. */

#include <stdlib.h>
#include <string.h>

#include "lib/align/reworded.h"

#define MAX_POSTS  64
#define MAX_PAIRS  16 /* of one sentence of the document */
#define MAX_ROUNDS 8

void og_pairings_init(struct og_pairings *pairings,
                      const og_allocator *allocator)
{
    *pairings = (struct og_pairings){.allocator = allocator};
}

void og_pairings_release(struct og_pairings *p)
{
    OG_UNGROW(p->allocator, p->data, p->cap);
    OG_UNGROW(p->allocator, p->first, p->first_cap);
    OG_UNGROW(p->allocator, p->posts, p->posts_cap);
    OG_UNGROW(p->allocator, p->sum, p->sum_cap);
    OG_UNGROW(p->allocator, p->shared, p->shared_cap);
    OG_UNGROW(p->allocator, p->touched, p->touched_cap);
    p->n = 0;
}

/* ---- the index ---- */

static og_status reserve(struct og_pairings *p, const struct og_bags *document,
                         const struct og_bags *origin, uint32_t n_stems,
                         og_error *err)
{
    const og_allocator *a = p->allocator;
    const size_t n_pairs = document->n * MAX_PAIRS;
    if (!OG_GROW(a, p->first, p->first_cap, (size_t)n_stems + 1) ||
        !OG_GROW(a, p->posts, p->posts_cap, origin->n_items) ||
        !OG_GROW(a, p->sum, p->sum_cap, origin->n) ||
        !OG_GROW(a, p->shared, p->shared_cap, origin->n) ||
        !OG_GROW(a, p->touched, p->touched_cap, origin->n) ||
        !OG_GROW(a, p->data, p->cap, n_pairs))
        return og_error_memory(err, n_pairs * sizeof(*p->data),
                               "pairs of sentences");
    return OG_OK;
}

/* A counting sort of the items by stem; first[stem] ends up as the start of its
 * list because each is filled backwards. */
og_status og_pairings_index(struct og_pairings *p,
                            const struct og_bags *document,
                            const struct og_bags *origin,
                            const struct og_stems *stems, og_error *err)
{
    TRY(reserve(p, document, origin, stems->n, err));
    memset(p->first, 0, ((size_t)stems->n + 1) * sizeof(*p->first));
    memset(p->sum, 0, origin->n * sizeof(*p->sum));
    memset(p->shared, 0, origin->n * sizeof(*p->shared));
    for (size_t i = 0; i < origin->n_items; i++)
        p->first[origin->items[i].stem]++;
    for (uint32_t i = 1; i <= stems->n; i++)
        p->first[i] += p->first[i - 1];
    for (size_t b = origin->n; b-- > 0;) {
        const struct og_bag *bag = &origin->data[b];
        for (uint32_t k = 0; k < bag->n_items; k++) {
            const struct og_bag_item *item = &origin->items[bag->first + k];
            p->posts[--p->first[item->stem]] =
                (struct og_bag_item){(uint32_t)b, item->n};
        }
    }
    return OG_OK;
}

/* ---- one sentence with all of the origin ---- */

/* Sums over all bags of the origin that share a stem with `bag`; returns how
 * many were touched. clear_sums() must follow. */
static size_t sum_products(struct og_pairings *p,
                           const struct og_bags *document,
                           const struct og_stems *stems,
                           const struct og_bag *bag)
{
    size_t n = 0;
    for (uint32_t k = 0; k < bag->n_items; k++) {
        const struct og_bag_item *item = &document->items[bag->first + k];
        const uint32_t begin = p->first[item->stem];
        const uint32_t end = p->first[item->stem + 1];
        const float w = stems->weight[item->stem];
        if (end - begin > MAX_POSTS) continue;
        for (uint32_t i = begin; i < end; i++) {
            const uint32_t b = p->posts[i].stem;
            if (p->shared[b]++ == 0) p->touched[n++] = b;
            p->sum[b] += w * w * (float)item->n * (float)p->posts[i].n;
        }
    }
    return n;
}

static void clear_sums(struct og_pairings *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        p->sum[p->touched[i]] = 0;
        p->shared[p->touched[i]] = 0;
    }
}

static float cosine_of(const struct og_pairings *p, const struct og_bag *bag,
                       const struct og_bags *origin, uint32_t b)
{
    const float norms = bag->norm * origin->data[b].norm;
    return norms > 0 ? p->sum[b] / norms : 0;
}

/* Keeps the MAX_PAIRS most similar of those from `first` on. */
static void keep_pair(struct og_pairings *p, size_t first,
                      struct og_pairing pair)
{
    if (p->n - first < MAX_PAIRS) {
        p->data[p->n++] = pair;
        return;
    }
    size_t least = first;
    for (size_t i = first + 1; i < p->n; i++)
        if (p->data[i].cosine < p->data[least].cosine) least = i;
    if (p->data[least].cosine < pair.cosine) p->data[least] = pair;
}

static void pair_bag(struct og_pairings *p, const struct og_bags *document,
                     const struct og_bags *origin, const struct og_stems *stems,
                     const struct og_align_thresholds *least, uint32_t number)
{
    const struct og_bag *bag = &document->data[number];
    const size_t n = sum_products(p, document, stems, bag);
    const size_t first = p->n;
    for (size_t i = 0; i < n; i++) {
        const uint32_t b = p->touched[i];
        const float cosine = cosine_of(p, bag, origin, b);
        const float dice = 2 * (float)p->shared[b] /
                           (float)(bag->n_items + origin->data[b].n_items);
        if (cosine > least->min_cosine && dice > least->min_dice)
            keep_pair(p, first, (struct og_pairing){number, b, cosine, 0});
    }
    clear_sums(p, n);
}

float og_pairings_best(struct og_pairings *p, const struct og_bags *document,
                       const struct og_bags *origin,
                       const struct og_stems *stems, uint32_t bag,
                       uint32_t *out_origin_bag)
{
    const size_t n = sum_products(p, document, stems, &document->data[bag]);
    float best = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t b = p->touched[i];
        const float cosine = cosine_of(p, &document->data[bag], origin, b);
        if (cosine < best || (cosine == best && b > *out_origin_bag)) continue;
        best = cosine;
        *out_origin_bag = b;
    }
    clear_sums(p, n);
    return best;
}

/* ---- groups ---- */

static int by_document(const void *a, const void *b)
{
    const struct og_pairing *x = a, *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    if (x->bag != y->bag) return x->bag < y->bag ? -1 : 1;
    return (x->origin_bag > y->origin_bag) - (x->origin_bag < y->origin_bag);
}

static int by_origin(const void *a, const void *b)
{
    const struct og_pairing *x = a, *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    if (x->origin_bag != y->origin_bag)
        return x->origin_bag < y->origin_bag ? -1 : 1;
    return (x->bag > y->bag) - (x->bag < y->bag);
}

/* Assigns new numbers to groups, split where neighbours in the current order
 * are far apart. Returns their number. */
static uint32_t split(struct og_pairings *p, bool in_origin, float max_gap)
{
    uint32_t group = 0;
    uint32_t last_group = p->data[0].group;
    uint32_t last = in_origin ? p->data[0].origin_bag : p->data[0].bag;
    for (size_t i = 0; i < p->n; i++) {
        struct og_pairing *pair = &p->data[i];
        const uint32_t place = in_origin ? pair->origin_bag : pair->bag;
        if (pair->group != last_group || (float)(place - last) > max_gap)
            group++;
        last_group = pair->group;
        last = place;
        pair->group = group;
    }
    return group + 1;
}

static void group_pairs(struct og_pairings *p, float max_gap)
{
    uint32_t n_groups = 0;
    if (p->n == 0) return;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        qsort(p->data, p->n, sizeof(*p->data), by_document);
        split(p, false, max_gap);
        qsort(p->data, p->n, sizeof(*p->data), by_origin);
        const uint32_t n = split(p, true, max_gap);
        if (n == n_groups) return;
        n_groups = n;
    }
}

og_status
og_pairings_find(struct og_pairings *p, const struct og_bags *document,
                 const struct og_bags *origin, const struct og_stems *stems,
                 const struct og_align_thresholds *thresholds, og_error *err)
{
    TRY(og_pairings_index(p, document, origin, stems, err));
    p->n = 0;
    for (size_t i = 0; i < document->n; i++)
        pair_bag(p, document, origin, stems, thresholds, (uint32_t)i);
    group_pairs(p, thresholds->max_gap);
    return OG_OK;
}
