#ifndef OG_ALIGN_REWORDED_H
#define OG_ALIGN_REWORDED_H

/* Reworded passages, see reworded.c: its steps and the data passed between
 * them. */

#include "lib/align/aligner.h"
#include "lib/align/near_seeds.h"
#include "lib/align/thresholds.h"
#include "lib/base/hash_table.h"

/* A sentence is a bag of stems: items[first .. first + n_items). */
struct og_bag_item {
    uint32_t stem;
    uint32_t n; /* number of occurrences */
};

struct og_bag {
    uint32_t begin, end; /* tokens */
    uint32_t first, n_items;
    float norm; /* of the weighted bag as a vector */
};

/* One text. */
struct og_bags {
    const og_allocator *allocator;
    struct og_bag *data;
    size_t n, cap;
    struct og_bag_item *items;
    size_t n_items, items_cap;
    uint32_t *stems; /* of each token */
    size_t stems_cap;
};

void og_bags_init(struct og_bags *bags, const og_allocator *allocator);
void og_bags_release(struct og_bags *bags);

/* The stems of both texts, numbered. */
struct og_stems {
    const og_allocator *allocator;
    struct og_hash_table numbers; /* from 1 */
    uint32_t n;
    float *weight; /* its significance: the rarer, the more */
    size_t weight_cap;
    uint32_t *n_bags; /* of both texts, that contain it */
    size_t n_bags_cap;
    uint32_t *mark; /* scratch of the steps, 0 in between */
    size_t mark_cap;
};

void og_stems_init(struct og_stems *stems, const og_allocator *allocator);
void og_stems_release(struct og_stems *stems);

/* Both texts as bags with weights and norms (bags.c). */
og_status og_bags_make(struct og_bags *document, struct og_bags *origin,
                       struct og_stems *stems, struct og_align_side here,
                       struct og_align_side there, og_error *err);

/* ---- pairings.c: sentences that say the same ---- */

struct og_pairing {
    uint32_t bag, origin_bag;
    float cosine;
    uint32_t group;
};

struct og_pairings {
    const og_allocator *allocator;
    struct og_pairing *data;
    size_t n, cap;
    /* The bags of the origin that contain a stem: posts[first[stem] ..]. */
    uint32_t *first;
    size_t first_cap;
    struct og_bag_item *posts; /* .stem is the number of a bag here */
    size_t posts_cap;
    float *sum; /* of each bag of the origin; 0 between two queries */
    size_t sum_cap;
    uint32_t *shared;
    size_t shared_cap;
    uint32_t *touched;
    size_t touched_cap;
};

void og_pairings_init(struct og_pairings *pairings,
                      const og_allocator *allocator);
void og_pairings_release(struct og_pairings *pairings);

/* Indexes the origin; reserves room for everything below. */
og_status og_pairings_index(struct og_pairings *pairings,
                            const struct og_bags *document,
                            const struct og_bags *origin,
                            const struct og_stems *stems, og_error *err);

/* All pairs of sufficiently similar bags, in groups: pairs of one group have
 * the same number and are adjacent. */
og_status
og_pairings_find(struct og_pairings *pairings, const struct og_bags *document,
                 const struct og_bags *origin, const struct og_stems *stems,
                 const struct og_align_thresholds *thresholds, og_error *err);

/* The bag of the origin most similar to `bag`; returns the cosine. */
float og_pairings_best(struct og_pairings *pairings,
                       const struct og_bags *document,
                       const struct og_bags *origin,
                       const struct og_stems *stems, uint32_t bag,
                       uint32_t *out_origin_bag);

/* ---- groups.c: from pairings to passages of sentences ---- */

/* Bags first .. last of both texts, inclusive. */
struct og_group {
    uint32_t first, last;
    uint32_t origin_first, origin_last;
    float weight;
};

struct og_groups {
    const og_allocator *allocator;
    struct og_group *data;
    size_t n, cap;
};

void og_groups_init(struct og_groups *groups, const og_allocator *allocator);
void og_groups_release(struct og_groups *groups);
og_status og_groups_add(struct og_groups *groups, struct og_group group,
                        og_error *err);

/* The groups of pairings whose weight is at least `min_weight`. */
og_status
og_groups_weigh(struct og_groups *groups, const struct og_pairings *pairings,
                const struct og_bags *document, const struct og_bags *origin,
                const struct og_stems *stems, float min_weight, og_error *err);

/* The evidence for a group beyond the copies inside it: the same weight, for
 * the tokens of the document that no copy has. */
float og_group_rest(const struct og_group *group,
                    const struct og_passages *copies,
                    const struct og_bags *document,
                    const struct og_bags *origin, const struct og_stems *stems);

/* ---- summaries.c ---- */

struct og_reworder {
    const og_allocator *allocator;
    struct og_align_thresholds thresholds;
    struct og_bags document, origin;
    struct og_stems stems;
    struct og_pairings pairings;
    struct og_groups groups, summaries;
    float *shared, *all; /* summaries.c: weights of each bag */
    size_t shared_cap, all_cap;
};

void og_reworder_init(struct og_reworder *reworder,
                      const og_allocator *allocator);
void og_reworder_release(struct og_reworder *reworder);

/* Passages of the document that draw on sentences all over the origin, written
 * to reworder->summaries; groups and copies that explain a passage better take
 * precedence. */
og_status og_summaries_find(struct og_reworder *reworder,
                            const struct og_passages *copies, og_error *err);

/* Tokens of begin .. end that the copies cover. */
uint32_t og_copied_tokens(const struct og_passages *copies, uint32_t begin,
                          uint32_t end);

/* Adds reworded passages to `passages`, which contains the copies, in order; a
 * copy that is a minor part of a reworded passage is dropped. */
og_status og_reworded_find(struct og_reworder *reworder,
                           struct og_align_side document,
                           struct og_align_side origin, uint32_t min_tokens,
                           struct og_passages *passages, og_error *err);

/* All memory that a thread reuses. */
struct og_aligner {
    const og_allocator *allocator;
    struct og_run_finder finder;
    struct og_chainer chainer;
    struct og_matcher matcher;
    struct og_reworder reworder;
    struct og_near_seeds near;
    struct og_runs runs, chained, matches;
    struct og_passages passages;
};

#endif
