#ifndef CLI_PUBLISHED_H
#define CLI_PUBLISHED_H

/* The figures that the origin paper prints: O. Abdel-Hamid, B. Behzadi,
 * S. Christoph, M. Henzinger, "Detecting the Origin of Text Segments
 * Efficiently", WWW 2009. Its blogs data set, in percent, unless stated
 * otherwise; 0 where the paper has no figure. They are shown beside ours in
 * `origo eval origin --paper`: other data, so they are for comparison and not a
 * goal. */

#include <stdint.h>

enum {
    PUB_SIZES = 8,       /* of the table */
    PUB_BEST = 7,        /* All and the six best selections */
    PUB_SELECTIONS = 33, /* those of Table 3 */
    PUB_EVICTS = 4,
    PUB_ESTIMATES = 4,
};

/* The rows of tables 4 to 6 and 8 to 11: the eight sizes, then the average. */
typedef double pub_best[PUB_SIZES + 1][PUB_BEST];
typedef double pub_four[PUB_SIZES + 1][4];

extern const double pub_size_percent[PUB_SIZES]; /* Table 2, as we use it */
extern const double pub_size_mb[PUB_SIZES];      /* Table 2 */
extern const double pub_size_swiss[PUB_SIZES];   /* Table 2, Swiss, percent */
extern const char *const pub_best_names[PUB_BEST];
extern const char *const pub_evict_names[PUB_EVICTS];
extern const char *const pub_estimate_names[PUB_ESTIMATES];

struct pub_stream { /* Table 1 */
    const char *name;
    double n_documents, n_shingles; /* in units, not percent */
    double with_dominant;
    double shingles_per_document, block_tokens;
    double copied;       /* "shingle copy ratio", a fraction */
    double own_dominant; /* section 3.2 */
    double fresh;        /* section 3.2 */
};
extern const struct pub_stream pub_streams[2];

struct pub_ssr { /* Table 3 */
    const char *select;
    double ssr;
};
extern const struct pub_ssr pub_ssr[PUB_SELECTIONS];

extern const pub_best pub_do_a, pub_do_b;     /* tables 4 and 5 */
extern const pub_best pub_tf_a, pub_tf_b;     /* Table 6 */
extern const double pub_overall[4][PUB_BEST]; /* Table 7 */
extern const pub_four pub_evict_do[2];        /* Table 8: All, NHs */
extern const pub_four pub_evict_tf[2];        /* Table 8 */
extern const double pub_evict_overall[2][4];  /* Table 8 */
extern const pub_four pub_estimate_do[2][2];  /* tables 9, 10: CC, LS */
extern const pub_four pub_estimate_tf[2][2];  /* tables 9, 10 */
extern const double pub_estimate_overall[2][2][4];
extern const double pub_extra[PUB_SIZES];       /* Table 11, shingles */
extern const double pub_extra_right[PUB_SIZES]; /* Table 11 */

#endif
