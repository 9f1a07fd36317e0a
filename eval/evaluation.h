#ifndef OG_EVAL_EVALUATION_H
#define OG_EVAL_EVALUATION_H

/* Evaluation: the experiments of the papers on any stream.
 *
 *   in:  streams, corpora and the parameters to try          (its commands)
 *   out: the measures of the papers                          (its tables)
 *
 * It uses internals of the library, as tests do: a selection or an eviction is
 * measured apart from the store that would use it. */

#include <origo/origo.h>

/* ---- evaluation: the paper's experiments on any stream ---- */

typedef struct og_eval og_eval;

/* The order in which the documents before the first query arrive; their times
 * still tell the order in which they were written. */
typedef enum og_order {
    OG_ORDER_RIGHT = 0, /* by time */
    OG_ORDER_REVERSE,
    OG_ORDER_RANDOM, /* the same at every run */
} og_order;

typedef struct og_eval_options {
    uint32_t shingle_len;
    uint32_t min_tokens; /* shorter documents are dropped */
    uint64_t n_queries;  /* the last documents with a dominant origin are
                            queried; 0: a fifth of all documents */
    og_order order;
    unsigned n_threads; /* of the runs; 0: one per core */
    void *ctx;
    /* `done` of `total` steps; `what` names them. */
    void (*on_progress)(void *ctx, const char *what, uint64_t done,
                        uint64_t total);
} og_eval_options;
og_eval_options og_eval_options_default(void);

/* Reads the whole stream into memory and computes the truth. */
og_status og_eval_open(const og_input *input, const og_eval_options *options,
                       og_eval **out, og_error *err);
void og_eval_close(og_eval *eval); /* NULL is fine */

typedef struct og_eval_facts {
    uint64_t n_documents;
    uint64_t n_shingles;
    uint64_t n_queries;
    double with_dominant; /* share of the documents that have one */
    double own_dominant;  /* share of the queries that are their own */
    double copied;        /* share of shingles that are copied */
    double block_tokens;  /* average length of a copied block */
    double fresh;         /* share of the queries' tokens that are fresh */
} og_eval_facts;
void og_eval_facts_get(const og_eval *eval, og_eval_facts *out);

typedef struct og_eval_run {
    og_select_options select;
    og_evict_kind evict;
    og_estimate_kind estimate;
    og_layout_kind layout;
    uint32_t bridge_limit;
    uint32_t bucket_slots;
    bool verify; /* hits are verified against the texts, as in a store with
                    texts; only with OG_ESTIMATE_CONTEXT */
    double memory_percent; /* of all shingles at 18 bytes each; 0: bytes */
    uint64_t memory_bytes;
} og_eval_run;

#define OG_EVAL_LENGTHS 512

typedef struct og_eval_result {
    uint64_t table_bytes; /* 0: the memory has no room for one bucket, and there
                             is no result */
    double entries_pct;   /* slots, in percent of all shingles */
    double ssr, dominant, freshness, overall;
    double seconds;
    /* Labels that the estimation added to the hits, and how many of them name
     * the true origin. */
    uint64_t n_extra, n_extra_right;
    /* Queries by their number of shingles (longer ones in the last entry), and
     * those whose dominant origin was found. */
    uint32_t length_n[OG_EVAL_LENGTHS], length_right[OG_EVAL_LENGTHS];
} og_eval_result;

/* All runs, several at a time; results in the order of the runs. OG_ERR_USAGE
 * if the memory of none is enough. */
og_status og_eval_origin(og_eval *eval, const og_eval_run *runs, size_t n_runs,
                         og_eval_result *results, og_error *err);

/* ---- evaluation of reused sentences: the paper's experiments ---- */

typedef struct og_quote_eval og_quote_eval;

enum { OG_QUOTE_BANDS = 5, OG_QUOTE_GROWTH = 5, OG_QUOTE_GROWN_WAYS = 7 };

typedef struct og_quote_eval_options {
    uint64_t n_sentences; /* of the collection, at most nine tenths of all */
    uint32_t n_questions; /* sentences that follow the collection */
    uint32_t min_words;   /* of a query */
    double threshold;     /* lowest similarity that counts as reuse */
    const char *stop;     /* NULL: no stop words are left out */
    void *ctx;
    void (*on_progress)(void *ctx, const char *what, uint64_t done,
                        uint64_t total);
} og_quote_eval_options;
og_quote_eval_options og_quote_eval_options_default(void);

/* Reads the stream, adds the first sentences, measures meanwhile how the time
 * of a query grows, and computes the truth. */
og_status og_quote_eval_open(const og_input *input,
                             const og_quote_eval_options *options,
                             og_quote_eval **out, og_error *err);
void og_quote_eval_close(og_quote_eval *eval); /* NULL is fine */

/* A way to find reused sentences. */
typedef enum og_quote_way_kind {
    OG_WAY_SCAN,     /* the paper's naive one: every sentence */
    OG_WAY_INVERTED, /* its rival: an inverted index with sums of weights,
                        candidates from `threshold` on */
    OG_WAY_QSIGN,
    OG_WAY_EXACT, /* queried with `threshold` */
} og_quote_way_kind;
typedef struct og_quote_way {
    og_quote_way_kind kind;
    uint32_t n_bits, word_bits; /* of qSign; word_bits 0: by the rule */
    uint32_t distance;
    double threshold;
} og_quote_way;

typedef struct og_quote_timing {
    double seconds, select_seconds; /* per query, the fastest run */
    double recall;       /* of sentences that reach the threshold of the eval */
    double recall_70;    /* of those that reach 0.7 */
    double n_candidates; /* sentences compared per query */
} og_quote_timing;
og_status og_quote_eval_time(og_quote_eval *eval, const og_quote_way *way,
                             og_quote_timing *out, og_error *err);

typedef struct og_quote_growth {
    uint64_t n_sentences;
    double add_seconds; /* to add everything up to here */
    double seconds[OG_QUOTE_GROWN_WAYS];
    double select_seconds[OG_QUOTE_GROWN_WAYS];
    /* The queries of the last step, repeated at every step: seconds of the
     * first two ways, and for the first way how much a query reads, compares
     * and finds, in sets of words. */
    double same_seconds[2];
    double n_postings, n_compared, n_found;
} og_quote_growth;

typedef struct og_quote_eval_facts {
    uint64_t n_documents, n_sentences, n_wordsets, n_words, n_bytes;
    double mean_words, mean_question_words;
    uint64_t n_questions;
    uint64_t n_checked; /* queries that were also scanned, with the same
                           answers */
    uint64_t n_pairs[OG_QUOTE_BANDS]; /* reused sentences with a similarity of
                                         0.5 to 0.6, ... 0.9 to 1 */
    og_quote_growth growth[OG_QUOTE_GROWTH];
    og_quote_way grown[OG_QUOTE_GROWN_WAYS];
} og_quote_eval_facts;
void og_quote_eval_facts_get(const og_quote_eval *eval,
                             og_quote_eval_facts *out);

/* Table 2 and figure 7. */
typedef struct og_quote_recall {
    uint32_t n_bits, word_bits;
    double recall[OG_QUOTE_BANDS][17]; /* within 0 to 16 bits */
    double total[129];                 /* within 0 to 128 bits */
    double n_matches[17]; /* sentences within the distance, per query */
    /* Predicted for a similarity of exactly 0.6, 0.7, 0.8, 0.9: by the paper's
     * model, which adds words, and with the words that only the other sentence
     * has, too. */
    double predicted[4][17], predicted_both[4][17];
} og_quote_recall;
og_status og_quote_eval_recall(og_quote_eval *eval, uint32_t n_bits,
                               uint32_t word_bits, og_quote_recall *out,
                               og_error *err);

/* Every record of A is queried as one sentence against those of B; the record
 * with the same id is the true match. */
typedef struct og_aligned_result {
    uint64_t n_pairs; /* records of A whose id is in B */
    uint64_t n_found; /* the true match reaches the threshold */
    uint64_t n_first; /* and no other is more similar */
    double seconds;   /* per query */
} og_aligned_result;
og_status og_quote_eval_aligned(const char *path_a, const char *path_b,
                                double threshold, og_aligned_result *out,
                                og_error *err);

/* ---- evaluation of near-duplicates: sketches against exact Jaccard ---- */

typedef struct og_near_eval og_near_eval;

typedef struct og_near_eval_options {
    uint32_t max_documents; /* of a larger number, this many are drawn at
                               random */
    uint32_t shingle_len;   /* of the truth, 1 to 32 */
    uint32_t min_tokens;    /* shorter documents are dropped */
    double duplicate;       /* a pair is a duplicate if its Jaccard similarity
                               is at least this */
    void *ctx;
    void (*on_progress)(void *ctx, const char *what, uint64_t done,
                        uint64_t total);
} og_near_eval_options;
og_near_eval_options og_near_eval_options_default(void);

/* Reads the documents and computes the exact Jaccard similarity of the sets of
 * shingles of every pair. */
og_status og_near_eval_open(const og_input *input,
                            const og_near_eval_options *options,
                            og_near_eval **out, og_error *err);
void og_near_eval_close(og_near_eval *eval); /* NULL is fine */

typedef struct og_near_facts {
    uint64_t n_documents; /* in the sample */
    uint64_t n_read;      /* in the stream, long enough */
    uint64_t n_pairs;
    uint64_t n_duplicates;
    uint64_t at_least[10]; /* pairs of similarity >= 0.1, 0.2, ... 1.0 */
} og_near_facts;
void og_near_facts_get(const og_near_eval *eval, og_near_facts *out);

typedef struct og_near_run {
    og_feature_options features;
    bool with_idf;         /* counted over the documents of the sample */
    unsigned simhash_bits; /* 0: none; 64 or 128 */
    uint32_t n_samples;    /* of min-hash, up to 128; 0: none */
    uint32_t sample_bits;  /* kept of each: 1 to 16, or 32 */
} og_near_run;

/* The score of a rule whose thresholds were chosen for the best F1 on one half
 * of the pairs, measured on the other. */
typedef struct og_near_score {
    double precision, recall, f1;
    uint32_t distance; /* the largest of simhash */
    uint32_t n_equal;  /* the fewest samples of min-hash */
} og_near_score;

#define OG_NEAR_LEVELS 129

typedef struct og_near_result {
    /* By the distance of their simhashes: pairs, and how many are
     * duplicates. */
    uint64_t pairs_at[OG_NEAR_LEVELS], duplicates_at[OG_NEAR_LEVELS];
    og_near_score simhash, minhash;
    og_near_score both; /* distance and samples must both be near enough */
    og_near_score sum;  /* a weighted sum of the two must be large enough;
                           thresholds are not reported */
    /* Figure 2 of the simhash paper, of the first 64 bits: the position of the
     * leading 1 in the exclusive or of successive sorted sketches (0 to 63, 64
     * for equal ones), and sketches by their 7 highest bits. */
    uint64_t leading[65], buckets[128];
    double features_mean; /* per document */
    double seconds;       /* to make the sketches, including features */
} og_near_result;
og_status og_near_eval_run(og_near_eval *eval, const og_near_run *run,
                           og_near_result *out, og_error *err);

/* ---- evaluation of the estimators of similarity ---- */

/* The behaviour of one estimator on pairs of sets of known similarity. */
typedef struct og_estimator_cell {
    const char *estimator; /* a method's name, also with "/b" for b bits kept,
                              or "l1" for the distance from ioffe and norms */
    const char *family;
    const char *features; /* "random", or "sequence": 0, 1, 2, ... */
    uint64_t n_features;  /* of each of the two sets */
    double similarity;    /* the true one, on average */
    uint32_t n_trials;
    double bias;       /* average error */
    double bias_error; /* standard error of that */
    double variance;   /* average squared error */
    double theory;     /* the variance that theory predicts */
    double bits;       /* random bits per feature and sample */
    double ns;         /* nanoseconds per feature for all samples, in the
                          fastest trial */
} og_estimator_cell;

typedef struct og_estimator_options {
    uint32_t n_samples;
    double seconds;      /* to spend on each cell */
    uint32_t min_trials; /* even if that takes longer */
    uint64_t max_features;
    uint64_t seed;
    void *ctx;
    /* Return false to stop (OG_ERR_STOPPED). */
    bool (*on_cell)(void *ctx, const og_estimator_cell *cell);
} og_estimator_options;
og_estimator_options og_estimator_options_default(void);

/* Every estimator on sets of 10 to max_features features with similarities of
 * 0.1 to 0.99; then the hash families on random and on consecutive features. */
og_status og_eval_estimators(const og_estimator_options *options,
                             og_error *err);

/* ---- evaluation: PAN text alignment ---- */

/* One subset of the corpus, or "all" of it. */
typedef struct og_pan_row {
    const char *subset;
    uint64_t n_pairs, n_cases, n_found;
    double plagdet, precision, recall, granularity;
    double seconds; /* for all its comparisons; 0: others made them */
    double slowest; /* of one pair */
} og_pan_row;

typedef struct og_pan_options {
    og_compare_options compare;
    const char *detections; /* a folder of XML to score; NULL: compare */
    const char *write_to; /* a folder for the XML of the detections, or NULL */
    const char *pairs;    /* a file for the sums of each pair, or NULL */
    const char *thresholds; /* "name=value,..." instead of the defaults, or
                               NULL */
    unsigned half;          /* 1 or 2: every other pair; 0: all */
    void *ctx;
    bool (*on_row)(void *ctx, const og_pan_row *row); /* false: stop */
} og_pan_options;
og_pan_options og_pan_options_default(void);

/* Compares the pairs of a corpus in PAN's format (folders susp, src and 01-...
 * with `pairs` and the XML of the true passages) and scores: one row per
 * subset, then one for all. */
og_status og_eval_pan(const char *corpus, const og_pan_options *options,
                      og_error *err);

#endif
