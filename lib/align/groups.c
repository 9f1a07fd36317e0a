/* From pairs of sentences to passages.
 *
 * The range of a group of pairs in both texts counts as a whole, including the
 * sentences between the paired ones. Its weight is
 *
 *     shared * dice,   dice = 2 * shared / (all here + all there)
 *
 * where `shared` is the weight of the stems that both sides have in common,
 * each as often as both have it. So both the amount of evidence and the
 * agreement count: a short passage must agree more than a long one. The
 * required weight is a little less than that of two sentences that agree by
 * half. Below it are sentences on the same subject that were not copied. */

#include "lib/align/reworded.h"

void og_groups_init(struct og_groups *groups, const og_allocator *allocator)
{
    *groups = (struct og_groups){.allocator = allocator};
}

void og_groups_release(struct og_groups *groups)
{
    OG_UNGROW(groups->allocator, groups->data, groups->cap);
    groups->n = 0;
}

og_status og_groups_add(struct og_groups *groups, struct og_group group,
                        og_error *err)
{
    const size_t n = groups->n;
    if (!OG_GROW(groups->allocator, groups->data, groups->cap, n + 1))
        return og_error_memory(err, (n + 1) * sizeof(group), "groups");
    groups->data[groups->n++] = group;
    return OG_OK;
}

/* stems->mark counts the stems of the origin's side that are not taken yet. */
static float weigh(const struct og_group *g, const struct og_passages *copies,
                   const struct og_bags *document, const struct og_bags *origin,
                   const struct og_stems *stems)
{
    const uint32_t begin = document->data[g->first].begin;
    const uint32_t end = document->data[g->last].end;
    const uint32_t origin_begin = origin->data[g->origin_first].begin;
    const uint32_t origin_end = origin->data[g->origin_last].end;
    float all = 0, shared = 0;
    for (uint32_t i = origin_begin; i < origin_end; i++) {
        stems->mark[origin->stems[i]]++;
        all += stems->weight[origin->stems[i]];
    }
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t stem = document->stems[i];
        if (copies != NULL && og_copied_tokens(copies, i, i + 1) > 0) continue;
        all += stems->weight[stem];
        if (stems->mark[stem] == 0) continue;
        stems->mark[stem]--;
        shared += stems->weight[stem];
    }
    for (uint32_t i = origin_begin; i < origin_end; i++)
        stems->mark[origin->stems[i]] = 0;
    return all > 0 ? 2 * shared * shared / all : 0;
}

/* The evidence for a group beyond the copies inside it: the same weight, for
 * the tokens of the document that no copy has. */
float og_group_rest(const struct og_group *g, const struct og_passages *copies,
                    const struct og_bags *document,
                    const struct og_bags *origin, const struct og_stems *stems)
{
    return weigh(g, copies, document, origin, stems);
}

static void include(struct og_group *g, const struct og_pairing *pair)
{
    if (pair->bag < g->first) g->first = pair->bag;
    if (pair->bag > g->last) g->last = pair->bag;
    if (pair->origin_bag < g->origin_first) g->origin_first = pair->origin_bag;
    if (pair->origin_bag > g->origin_last) g->origin_last = pair->origin_bag;
}

og_status
og_groups_weigh(struct og_groups *groups, const struct og_pairings *pairings,
                const struct og_bags *document, const struct og_bags *origin,
                const struct og_stems *stems, float min_weight, og_error *err)
{
    groups->n = 0;
    for (size_t i = 0; i < pairings->n;) {
        const struct og_pairing *pair = &pairings->data[i];
        const uint32_t number = pair->group;
        struct og_group g = {pair->bag, pair->bag, pair->origin_bag,
                             pair->origin_bag, 0};
        for (; i < pairings->n && pairings->data[i].group == number; i++)
            include(&g, &pairings->data[i]);
        g.weight = weigh(&g, NULL, document, origin, stems);
        if (g.weight >= min_weight) TRY(og_groups_add(groups, g, err));
    }
    return OG_OK;
}
