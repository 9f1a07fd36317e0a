#ifndef OG_PHRASES_PHRASE_COUNTER_H
#define OG_PHRASES_PHRASE_COUNTER_H

/*   in:  the fingerprints of all shingles, document by document
 *   out: those that many documents contain        (lib/phrases/phrase_runs.h)
 *
 * Space-saving counters (Metwally and others, 2005) in buckets: a fingerprint
 * without a counter takes over the smallest one of its bucket, with its count.
 * So a count is never too small, and too large by at most the count that was
 * taken over. The largest count ever taken over is recorded: every shingle in
 * more documents than that has a counter. */

#include "lib/base/memory.h"

struct og_phrase_count {
    uint64_t fp;
    uint32_t n;    /* 0: free */
    uint32_t last; /* the last document counted */
};

struct og_phrase_counter {
    struct og_phrase_count *counts;
    size_t n_buckets;
    uint32_t complete_above;
};

#define OG_PHRASE_BUCKET 8

og_status og_phrase_counter_init(struct og_phrase_counter *c, uint64_t memory,
                                 og_error *err);
void og_phrase_counter_release(struct og_phrase_counter *c);

/* `document` contains the shingle; documents come in order. */
void og_phrase_counter_add(struct og_phrase_counter *c, uint64_t fp,
                           uint32_t document);

#endif
