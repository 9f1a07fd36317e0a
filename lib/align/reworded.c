/* Passages with the same meaning in other words.
 *
 *     both texts as bags of stems   bags.c
 *     -> similar sentences          pairings.c
 *     -> groups of them             groups.c
 *     -> and summaries of the whole summaries.c
 *
 * Words are replaced, moved, translated back and forth: what remains is most of
 * the rare words, in sentences that follow each other on both sides. The unit
 * is the sentence, so such a passage begins and ends with sentences. Copies
 * have more precise ends, so where copies are most of a group they are kept and
 * the group is dropped; where they are phrases that survived, they are
 * dropped. */

#include "lib/align/reworded.h"

void og_reworder_init(struct og_reworder *r, const og_allocator *allocator)
{
    *r = (struct og_reworder){.allocator = allocator,
                              .thresholds = OG_ALIGN_THRESHOLDS_DEFAULT};
    og_bags_init(&r->document, allocator);
    og_bags_init(&r->origin, allocator);
    og_stems_init(&r->stems, allocator);
    og_pairings_init(&r->pairings, allocator);
    og_groups_init(&r->groups, allocator);
    og_groups_init(&r->summaries, allocator);
}

void og_reworder_release(struct og_reworder *r)
{
    OG_UNGROW(r->allocator, r->shared, r->shared_cap);
    OG_UNGROW(r->allocator, r->all, r->all_cap);
    og_groups_release(&r->summaries);
    og_groups_release(&r->groups);
    og_pairings_release(&r->pairings);
    og_stems_release(&r->stems);
    og_bags_release(&r->origin);
    og_bags_release(&r->document);
}

static uint32_t common_len(uint32_t begin, uint32_t end, uint32_t other_begin,
                           uint32_t other_end)
{
    const uint32_t from = begin > other_begin ? begin : other_begin;
    const uint32_t to = end < other_end ? end : other_end;
    return to > from ? to - from : 0;
}

/* The first of the copies, which are in order, that ends after `begin`. */
static size_t first_after(const struct og_passage *copies, size_t n,
                          uint32_t begin)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (copies[middle].end <= begin)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t og_copied_tokens(const struct og_passages *copies, uint32_t begin,
                          uint32_t end)
{
    uint32_t n = 0;
    size_t i = first_after(copies->data, copies->n, begin);
    for (; i < copies->n && copies->data[i].begin < end; i++)
        n += common_len(begin, end, copies->data[i].begin, copies->data[i].end);
    return n;
}

/* A passage that contains copies needs evidence beyond them: as much as the
 * longest of them is worth, and no more than max_rest. */
static float rest_needed(const struct og_passages *copies,
                         const struct og_passage *p, float max_rest)
{
    float most = 0;
    size_t i = first_after(copies->data, copies->n, p->begin);
    for (; i < copies->n && copies->data[i].begin < p->end; i++)
        if (copies->data[i].weight > most) most = copies->data[i].weight;
    return most < max_rest ? most : max_rest;
}

/* Drops copies that are mostly inside a reworded passage. */
static void drop_copies(struct og_passages *passages, size_t n_copies,
                        const struct og_passage *p, float mostly)
{
    size_t i = first_after(passages->data, n_copies, p->begin);
    for (; i < n_copies && passages->data[i].begin < p->end; i++) {
        struct og_passage *copy = &passages->data[i];
        const uint32_t len = copy->end - copy->begin;
        const uint32_t inside =
            common_len(p->begin, p->end, copy->begin, copy->end);
        if (inside > 0 && (float)inside >= mostly * (float)len)
            copy->n_runs = 0; /* marks it as dropped */
    }
}

static og_status take_group(struct og_reworder *r, const struct og_group *g,
                            uint32_t min_tokens, struct og_passages *passages,
                            size_t n_copies, og_error *err)
{
    const struct og_passage p = {
        .begin = r->document.data[g->first].begin,
        .end = r->document.data[g->last].end,
        .origin_begin = r->origin.data[g->origin_first].begin,
        .origin_end = r->origin.data[g->origin_last].end,
        .kind = OG_PASSAGE_REWORDED,
        .weight = g->weight,
    };
    const struct og_passages copies = {.data = passages->data, .n = n_copies};
    const uint32_t len = p.end - p.begin;
    const uint32_t copied = og_copied_tokens(&copies, p.begin, p.end);
    if (len < min_tokens || p.origin_end - p.origin_begin < min_tokens ||
        (float)copied >= r->thresholds.mostly * (float)len)
        return OG_OK;
    if (copied > 0 &&
        og_group_rest(g, &copies, &r->document, &r->origin, &r->stems) <
            rest_needed(&copies, &p, r->thresholds.max_rest))
        return OG_OK;
    TRY(og_passages_add(passages, p, err));
    drop_copies(passages, n_copies, &p, r->thresholds.mostly);
    return OG_OK;
}

static bool is_in_summary(const struct og_reworder *r, const struct og_group *g)
{
    for (size_t i = 0; i < r->summaries.n; i++)
        if (g->first <= r->summaries.data[i].last &&
            g->last >= r->summaries.data[i].first)
            return true;
    return false;
}

static void remove_gone(struct og_passages *passages, size_t n_copies)
{
    size_t n = 0;
    for (size_t i = 0; i < passages->n; i++)
        if (i >= n_copies || passages->data[i].n_runs > 0)
            passages->data[n++] = passages->data[i];
    passages->n = n;
}

og_status og_reworded_find(struct og_reworder *r, struct og_align_side document,
                           struct og_align_side origin, uint32_t min_tokens,
                           struct og_passages *passages, og_error *err)
{
    const size_t n_copies = passages->n;
    if (document.tokens->n == 0 || origin.tokens->n == 0) return OG_OK;
    TRY(og_bags_make(&r->document, &r->origin, &r->stems, document, origin,
                     err));
    TRY(og_pairings_find(&r->pairings, &r->document, &r->origin, &r->stems,
                         &r->thresholds, err));
    TRY(og_groups_weigh(&r->groups, &r->pairings, &r->document, &r->origin,
                        &r->stems, r->thresholds.min_weight, err));
    TRY(og_summaries_find(r, passages, err));
    for (size_t i = 0; i < r->summaries.n; i++)
        TRY(take_group(r, &r->summaries.data[i], min_tokens, passages, n_copies,
                       err));
    for (size_t i = 0; i < r->groups.n; i++)
        if (!is_in_summary(r, &r->groups.data[i]))
            TRY(take_group(r, &r->groups.data[i], min_tokens, passages,
                           n_copies, err));
    remove_gone(passages, n_copies);
    return OG_OK;
}
