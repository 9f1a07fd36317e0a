#include "lib/source/web/page_judge.h"

#include <assert.h>
#include <string.h>

enum { N_BITS = 256 };

static int leaf_of(const struct og_page_tree *tree, const bool *is_set)
{
    int at = 0;
    while (at >= 0)
        at = tree->next[at][is_set[tree->bit[at]]];
    return tree->leaf[-at - 1];
}

/* In thousandths of log odds; above 0: more likely text than not. */
static int weigh(const struct og_page_features *f)
{
    bool is_set[N_BITS] = {false};
    int sum = og_page_trees_bias;
    assert(f->base <= N_BITS);
    for (int i = 0; i < f->n; i++)
        is_set[f->bits[i]] = true;
    for (size_t i = 0; i < og_page_n_trees; i++)
        sum += leaf_of(&og_page_trees[i], is_set);
    return sum;
}

static void weigh_all(const struct og_page_facts *x, struct og_page_main *m)
{
    struct og_page_features features;
    uint32_t prose_before = 0;
    for (size_t i = 0; i < m->n_blocks; i++) {
        og_page_features_of(x, i, prose_before, &features);
        m->blocks[i].score = weigh(&features);
        if (m->blocks[i].is_prose) prose_before += m->blocks[i].len;
    }
}

/* On a page where no block is likely to be text, the least unlikely ones are
 * chosen: among the prose, if there is any. */
static int threshold_of(const struct og_page_main *m)
{
    enum { BELOW_BEST = 700 };
    int best = INT32_MIN, best_prose = INT32_MIN;
    for (size_t i = 0; i < m->n_blocks; i++) {
        const struct og_page_block *const b = &m->blocks[i];
        if (b->is_prose && b->score > best_prose) best_prose = b->score;
        if (b->score > best) best = b->score;
    }
    if (best_prose != INT32_MIN) best = best_prose;
    return best > 0 || best == INT32_MIN ? 0 : best - BELOW_BEST;
}

og_status og_page_judge(struct og_page_main *m, const struct og_page *page,
                        og_error *err)
{
    struct og_page_survey survey;
    const struct og_page_facts facts = {
        .m = m, .page = page, .survey = &survey};
    if (!og_page_find_blocks(m, page))
        return og_error_memory(err, m->n_blocks * sizeof(*m->blocks),
                               "the blocks of a page");
    og_page_survey(m, page, &survey);
    og_page_count_all(page, m->stats);
    weigh_all(&facts, m);
    const int threshold = threshold_of(m);
    for (size_t i = 0; i < m->n_blocks; i++)
        m->stats[m->blocks[i].node].is_kept = m->blocks[i].score > threshold;
    return OG_OK;
}
