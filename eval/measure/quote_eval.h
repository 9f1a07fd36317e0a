#ifndef OG_EVAL_MEASURE_QUOTE_EVAL_H
#define OG_EVAL_MEASURE_QUOTE_EVAL_H

/* The internals of og_quote_eval: quote_open.c reads and computes the truth,
 * quote_time.c measures, quote_recall.c counts. */

#include "eval/evaluation.h"
#include "lib/sentence/index/sentences.h"

struct og_truth_pair {
    uint32_t question, wordset;
    uint32_t n_places, n_shared;
    double similarity;
};

struct og_quote_eval {
    og_quote_eval_options options;
    og_sentences *sentences; /* one segment */
    og_quote_eval_facts facts;
    /* Queries: the words of all, and where those of each begin. */
    uint64_t *words;
    size_t n_words, words_cap;
    size_t *starts;
    size_t n_all, starts_cap;
    /* Those that follow each step of growth; those of the current one, the last
     * of which are the queries of everything else. */
    size_t growth_first[OG_QUOTE_GROWTH], growth_n[OG_QUOTE_GROWTH];
    size_t first, n_questions;
    struct og_truth_pair *pairs;
    size_t n_pairs, pairs_cap;
    /* The signatures that were last added to the segment. */
    uint32_t n_bits, word_bits;
    uint8_t *signatures;
    uint32_t *parts;
    size_t signatures_cap, parts_cap;
    struct og_sentence_segment bare; /* the segment without them */
    /* The inverted index's sums. */
    float *sums;
    size_t sums_cap;
    uint32_t *touched;
    size_t touched_cap;
    double *best; /* seconds of groups of queries */
    size_t best_cap;
};

static inline const uint64_t *og_eval_question(const struct og_quote_eval *e,
                                               size_t i, size_t *out_n)
{
    const size_t *start = e->starts + e->first + i;
    *out_n = start[1] - start[0];
    return e->words + start[0];
}

/* Adds these signatures to the segment, for queries of qSign. */
og_status og_eval_lay_signatures(struct og_quote_eval *e, uint32_t n_bits,
                                 uint32_t word_bits, og_error *err);
void og_eval_take_signatures(struct og_quote_eval *e);

/* The share of the truth within a distance of the current signatures: what a
 * search finds, without the search. */
void og_eval_count_near(const struct og_quote_eval *e, unsigned distance,
                        double *out_recall, double *out_recall_70);

/* Measures over the first `most` queries. */
og_status og_eval_time(struct og_quote_eval *e, const og_quote_way *way,
                       size_t most, og_quote_timing *out, og_error *err);

#endif
