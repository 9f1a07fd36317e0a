#ifndef OG_TABLE_LANE_H
#define OG_TABLE_LANE_H

/* Additions to a table, by one of several threads. Each has a lane: the buckets
 * of some stripes, which no other thread accesses. The content of a bucket
 * follows from the additions to it, in the order of their documents, and from
 * nothing else: random choices depend on the number of the document and of the
 * fingerprint, and what evictions have learned stays unchanged between two
 * lessons. So the table is the same for any number of lanes. */

#include "lib/table/table_batch.h"

struct og_lane {
    struct og_table *t; /* the table, or `own` if there are other lanes */
    struct og_table own;
    struct og_learning *learning; /* of `own` */
    struct og_table_part *parts;
    size_t part, end; /* the current one, and the end */
    uint32_t at;      /* the next of its operations */
    unsigned number;
    bool is_alone;   /* it may grow the table, and count common fingerprints */
    bool is_blocked; /* the table must grow first */
    uint32_t *n_new; /* of each part */
};

/* Which of 2^bits lanes a fingerprint belongs to. */
unsigned og_lane_of(const struct og_table *t, uint64_t mixed, unsigned bits);

/* Runs until the end of the last part, or until the table must grow. */
void og_lane_run(struct og_lane *lane);

#endif
