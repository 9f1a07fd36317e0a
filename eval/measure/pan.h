#ifndef OG_EVAL_MEASURE_PAN_H
#define OG_EVAL_MEASURE_PAN_H

/* Text alignment as the PAN competition measures it, in three steps: read a
 * corpus (pan_read.c), compare its pairs (pan_run.c), score the detections
 * (pan_score.c). */

#include "lib/align/thresholds.h"
#include "lib/base/hash_table.h"
#include "lib/base/memory.h"

/* Distinct names; a name's number is its index. */
struct og_pan_names {
    char **data;
    size_t n, cap;
    struct og_hash_table by_name; /* number + 1 */
};

/* A passage in a document and its source; offsets count code points. */
struct og_pan_case {
    uint32_t document, source; /* names */
    uint64_t begin, len;
    uint64_t source_begin, source_len;
};

struct og_pan_cases {
    struct og_pan_case *data;
    size_t n, cap;
};

struct og_pan_pair {
    uint32_t document, source;
};

struct og_pan_subset {
    char *name; /* of its folder */
    struct og_pan_pair *pairs;
    size_t n_pairs, pairs_cap;
    struct og_pan_cases cases;
};

struct og_pan_corpus {
    char *folder;
    struct og_pan_names names;
    struct og_pan_subset *subsets; /* in the order of their names */
    size_t n_subsets, subsets_cap;
};

/* The subsets of a corpus: folders "01-..." to "99-..." with a file `pairs` and
 * an XML file of true passages per pair. `half` 1 or 2 takes every other pair,
 * 0 all. OG_ERR_INPUT names the file and its fault. */
og_status og_pan_corpus_read(struct og_pan_corpus *corpus, const char *folder,
                             unsigned half, og_error *err);
void og_pan_corpus_release(struct og_pan_corpus *corpus);

/* Adds the passages of all XML files of a folder: features with the name
 * `name`, or `other_name` if that is not NULL. */
og_status og_pan_cases_read(struct og_pan_cases *cases,
                            struct og_pan_names *names, const char *folder,
                            const char *name, const char *other_name,
                            og_error *err);
void og_pan_cases_release(struct og_pan_cases *cases);

/* The whole file folder/name, followed by a zero byte; free() it. */
og_status og_pan_file_read(const char *folder, const char *name, og_bytes *out,
                           og_error *err);

/* Scores `found` against `truth`; sorts both. */
struct og_pan_score {
    double precision, recall, granularity, plagdet;
};
struct og_pan_score og_pan_score(struct og_pan_cases *truth,
                                 struct og_pan_cases *found);

/* The components of the score: summed over any set of pairs they give the score
 * of that set. */
struct og_pan_sums {
    uint64_t n_cases, n_found;
    double recall, precision; /* summed over the cases, the detections */
    uint64_t n_hit, n_met;    /* cases that were found, and how often */
};
/* Of one pair; both sorted, as og_pan_score() leaves them. */
struct og_pan_sums og_pan_sums(const struct og_pan_cases *truth,
                               const struct og_pan_cases *found,
                               struct og_pan_pair pair);

/* Replaces thresholds by name: "min_weight=36,join_gap=40". OG_ERR_USAGE. */
og_status og_pan_thresholds_set(struct og_align_thresholds *thresholds,
                                const char *list, og_error *err);

#endif
