#ifndef OG_SKETCH_MINHASH_H
#define OG_SKETCH_MINHASH_H

/*   in:  the features of a document, as a set               (lib/sketch)
 *   out: samples: equal in two sketches as often as the sets are similar
 *
 * Every method is a consistent uniform choice (the book, chapter 3): each
 * sample is one feature of the set, all features are equally likely, and a
 * feature chosen for a set is also chosen for every subset that contains it. It
 * follows that two sets agree in a sample with a probability equal to their
 * Jaccard similarity.
 *
 * minhash.c has the names, the checks and the entry point; each method has a
 * file. */

#include "lib/sketch/family.h"

#include <origo/sketch.h>

#define OG_SAMPLES_MAX 4096

/* Base hashes are computed in pieces of this many features. */
#define OG_PIECE 256

struct og_contest; /* lazy_bits.h */

struct og_minhash {
    const og_allocator *allocator;
    og_minhash_options options;
    struct og_family family;
    uint64_t n_bits_used;
    uint32_t *least; /* n_lanes of them: minima of lanes */
    /* SuperMinHash: see super_minhash.c. */
    uint64_t *super_value;
    uint32_t *super_order;
    /* The book's lazy forms: the features still in contention, per sample. */
    struct og_contest *contest;
    /* Sets of samples; copies of features. */
    uint64_t *set;
    size_t set_cap;
    /* Weighted methods: features of positive weight only. */
    uint64_t *feature;
    size_t feature_cap;
    float *weight;
    size_t weight_cap;
};

/* The allocator must outlive the sampler; NULL is the C library's. */
og_status og_minhash_new_with(const og_minhash_options *options,
                              const og_allocator *allocator, og_minhash **out,
                              og_error *err);

/* Random bits that all calls so far have consumed. */
static inline uint64_t og_minhash_bits_used(const struct og_minhash *m)
{
    return m->n_bits_used;
}

/* ---- the methods; n > 0 ---- */

void og_minhash_auto(struct og_minhash *m, const uint64_t *x, size_t n,
                     uint32_t *out);
void og_minhash_exact(struct og_minhash *m, const uint64_t *x, size_t n,
                      uint32_t *out);
void og_minhash_one(struct og_minhash *m, const uint64_t *x, size_t n,
                    uint32_t *out);
void og_minhash_super(struct og_minhash *m, const uint64_t *x, size_t n,
                      uint32_t *out);
void og_minhash_byte(struct og_minhash *m, const uint64_t *x, size_t n,
                     uint32_t *out);
void og_minhash_zeros(struct og_minhash *m, const uint64_t *x, size_t n,
                      uint32_t *out);
void og_minhash_biased(struct og_minhash *m, const uint64_t *x, size_t n,
                       uint32_t *out);
og_status og_minhash_smallest(struct og_minhash *m, const uint64_t *x, size_t n,
                              size_t *out_n, og_error *err);
og_status og_minhash_modulo(struct og_minhash *m, const uint64_t *x, size_t n,
                            size_t *out_n, og_error *err);

/* The weighted ones: weights are positive and finite. */
og_status og_minhash_copies(struct og_minhash *m, const uint64_t *x,
                            const float *w, size_t n, uint32_t *out,
                            og_error *err);
og_status og_minhash_active(struct og_minhash *m, const uint64_t *x,
                            const float *w, size_t n, uint32_t *out,
                            og_error *err);
void og_minhash_interval(struct og_minhash *m, const uint64_t *x,
                         const float *w, size_t n, uint32_t *out);
void og_minhash_ioffe(struct og_minhash *m, const uint64_t *x, const float *w,
                      size_t n, uint32_t *out);
og_status og_minhash_coarse(struct og_minhash *m, const uint64_t *x,
                            const float *w, size_t n, uint32_t *out,
                            og_error *err);

/* Scratch space of a lazy method, allocated by og_minhash_new. */
size_t og_contest_size(void);

/* The sample for a choice: any 32 bits but OG_SAMPLE_NONE. */
static inline uint32_t og_sample_of(uint64_t choice)
{
    const uint32_t sample = (uint32_t)(og_mix64(choice) >> 32);
    return sample == OG_SAMPLE_NONE ? 0 : sample;
}

#endif
