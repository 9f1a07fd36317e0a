#ifndef OG_SOURCE_WEB_PAGE_JUDGE_H
#define OG_SOURCE_WEB_PAGE_JUDGE_H

/*   in:  the blocks of a page, and what is known about them
 *   out: which of them are its main text               (page_write.c)
 *
 * Some hundred small decision trees, each with at most three tests, vote on
 * every block. They were trained on pages whose text is known and are evaluated
 * on other pages (docs/evaluation.md). */

#include "lib/source/web/page_features.h"

/* Sets is_kept of the blocks' nodes. OG_ERR_MEMORY. */
og_status og_page_judge(struct og_page_main *m, const struct og_page *page,
                        og_error *err);

/* A tree: test `bit[0]`, then by its result (no, yes) the next node: 1 and 2
 * are tests, -1 to -4 are leaves. */
struct og_page_tree {
    uint8_t bit[3];
    int16_t next[3][2];
    int16_t leaf[4]; /* thousandths of log odds */
};

extern const struct og_page_tree og_page_trees[];
extern const size_t og_page_n_trees;
extern const int og_page_trees_bias;
extern const int og_page_trees_n_bits;

#endif
