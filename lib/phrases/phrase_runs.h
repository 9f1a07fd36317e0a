#ifndef OG_PHRASES_PHRASE_RUNS_H
#define OG_PHRASES_PHRASE_RUNS_H

/*   in:  counted shingles                      (lib/phrases/phrase_counter.h)
 *   out: runs of frequent ones in a document: passages that are worth
 *        considering                              (lib/phrases/phrase_set.h)
 *
 * A run begins with the most frequent shingle of a document and extends in both
 * directions as long as the next shingle is in at least four fifths as many
 * documents; then follows the most frequent of the remaining shingles. Runs of
 * a document do not overlap. */

#include "lib/phrases/phrase_counter.h"

/* The frequent shingles, each with the number of its documents. */
struct og_phrase_shingles {
    struct og_phrase_count *slots;
    size_t n_slots, n;
};

/* Those of the counter that are in `least` documents or more, at most as many
 * as fit into `memory`: then the rarest are left out, and *out_left is their
 * largest count; otherwise 0. */
og_status og_phrase_shingles_init(struct og_phrase_shingles *s,
                                  const struct og_phrase_counter *counter,
                                  uint32_t least, uint64_t memory,
                                  uint32_t *out_left, og_error *err);
void og_phrase_shingles_release(struct og_phrase_shingles *s);

/* Sets all counts to 0, to be counted again. */
void og_phrase_shingles_reset(struct og_phrase_shingles *s);
void og_phrase_shingles_add(struct og_phrase_shingles *s, uint64_t fp,
                            uint32_t document);
/* 0: it is not one of them. */
uint32_t og_phrase_shingles_get(const struct og_phrase_shingles *s,
                                uint64_t fp);

struct og_phrase_run {
    uint32_t first, n_tokens;
    uint32_t most; /* upper bound of the documents that contain all of it: those
                      with its rarest shingle */
    uint64_t seed; /* the fingerprint of its most frequent shingle; of several
                      always the same one */
};

#define OG_PHRASE_TOKENS_MAX 16384

/* One per thread; all zero is empty. */
struct og_phrase_runs {
    struct og_phrase_run *runs;
    size_t n, cap;
    uint32_t *counts;
    uint64_t *order;
    uint8_t *covered;
    size_t counts_cap, order_cap, covered_cap;
};
void og_phrase_runs_release(struct og_phrase_runs *r);

/* The runs of a document of n shingles, those in more documents first. */
og_status og_phrase_runs_find(struct og_phrase_runs *r,
                              const struct og_phrase_shingles *shingles,
                              const uint64_t *fps, size_t n,
                              uint32_t shingle_len, uint32_t least,
                              og_error *err);

#endif
