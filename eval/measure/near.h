#ifndef OG_EVAL_MEASURE_NEAR_H
#define OG_EVAL_MEASURE_NEAR_H

/* Near-duplicates, sketches against the truth, in three steps: read a stream
 * and sample documents (near_read.c), compute the similarity of every two of
 * them (near_truth.c), sketch them and score (near_run.c, near_score.c). */

#include "eval/evaluation.h"
#include "lib/sketch/features/features.h"

struct og_near_doc {
    char *bytes; /* title, then text */
    size_t title_len, text_len;
    uint64_t *shingles; /* ascending, distinct */
    size_t n_shingles;
    uint64_t arrival, lot; /* those with the smallest lots are in the sample */
};

struct og_near_eval {
    og_near_eval_options options;
    struct og_near_doc *docs; /* in order of arrival */
    size_t n_docs, docs_cap;
    uint64_t n_read;
    /* similarity[i * (i - 1) / 2 + j], j < i */
    float *similarity;
    size_t n_pairs;
    og_near_facts facts;
};

og_status og_near_read(struct og_near_eval *eval, const og_input *input,
                       og_error *err);
og_status og_near_find_truth(struct og_near_eval *eval, og_error *err);

static inline og_document og_near_document(const struct og_near_doc *d)
{
    return (og_document){.title = {d->bytes, d->title_len},
                         .text = {d->bytes + d->title_len, d->text_len}};
}

static inline bool og_near_is_duplicate(const struct og_near_eval *eval,
                                        size_t pair)
{
    return eval->similarity[pair] >= (float)eval->options.duplicate;
}

/* ---- scoring ---- */

/* Pairs by (distance of simhash, equal samples of min-hash), duplicates
 * separately. */
struct og_near_counts {
    uint64_t all[OG_NEAR_LEVELS][OG_NEAR_LEVELS];
    uint64_t duplicates[OG_NEAR_LEVELS][OG_NEAR_LEVELS];
};

/* Chooses on the first, scores on the second. */
og_status og_near_score_rules(const struct og_near_counts *choose,
                              const struct og_near_counts *score,
                              og_near_result *out, og_error *err);

#endif
