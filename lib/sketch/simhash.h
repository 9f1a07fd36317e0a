#ifndef OG_SKETCH_SIMHASH_H
#define OG_SKETCH_SIMHASH_H

/*   in:  the features of a document                         (lib/sketch)
 *   out: 64 or 128 bits; similar documents differ in few of them
 *                                                            (lib/hamming)
 *
 * Bit j is 1 if the features whose hash has bit j set weigh more than half of
 * all: the sign of the j-th sum of the paper, to which each feature adds, or
 * from which it subtracts, its weight. A sum of exactly 0 gives 0, hence no
 * features at all give 0, as in the paper.
 *
 * Two documents whose feature vectors are at an angle t are expected to differ
 * in a share t / pi of the bits. */

#include "lib/sketch/features/features.h"

#include <origo/sketch.h>

/* Weights are counted in steps of 2^-16, so that sums are whole numbers and
 * independent of the order. A weight is never rounded to 0. */
#define OG_WEIGHT_BITS 16
/* The largest weight of one feature. With it 2^31 features fit a sum. */
#define OG_WEIGHT_MAX 65535.0f

struct og_simhash_scratch {
    const og_allocator *allocator;
    uint64_t *second; /* the hashes of bits 64 to 127 */
    size_t second_cap;
    uint32_t *fixed; /* weights */
    size_t fixed_cap;
};
void og_simhash_scratch_init(struct og_simhash_scratch *scratch,
                             const og_allocator *allocator);
void og_simhash_scratch_release(struct og_simhash_scratch *scratch);

/* `n_bits` is 64 (out->word[1] is then 0) or 128, whose first half equals that
 * of 64. OG_ERR_INPUT: an invalid weight, or one over OG_WEIGHT_MAX;
 * OG_ERR_USAGE: another number of bits; OG_ERR_MEMORY. */
og_status og_simhash_make(const struct og_features *features, unsigned n_bits,
                          struct og_simhash_scratch *scratch, og_simhash *out,
                          og_error *err);

/* The hash of a feature for bits 64 to 127. */
uint64_t og_simhash_second(uint64_t hash);

/* ---- the kernels, equal bit for bit ---- */

struct og_simhash_kernel {
    const char *name;
    /* All weights are 1. */
    uint64_t (*sign)(const uint64_t *hash, size_t n);
    /* ones[j] is the sum of the weights of the features with bit j. */
    void (*count)(const uint64_t *hash, size_t n, uint64_t ones[64]);
    /* `largest` is at least as large as any weight. */
    void (*weigh)(const uint64_t *hash, const uint32_t *weight, size_t n,
                  uint32_t largest, uint64_t ones[64]);
};

/* The best for this machine. */
const struct og_simhash_kernel *og_simhash_choose(void);
/* All that this machine can run, the plain one first; ends with NULL. */
const struct og_simhash_kernel *const *og_simhash_kernels(void);

/* Bit j of the result: 2 ones[j] > total. */
uint64_t og_simhash_signs(const uint64_t ones[64], uint64_t total);

/* The plain twin: word for word what the paper says. */
extern const struct og_simhash_kernel og_simhash_plain;
/* Bit-sliced in 64-bit words: runs everywhere. */
extern const struct og_simhash_kernel og_simhash_sliced;
#if defined(OG_X86)
extern const struct og_simhash_kernel og_simhash_avx2;
extern const struct og_simhash_kernel og_simhash_avx512;       /* sliced */
extern const struct og_simhash_kernel og_simhash_avx512_masks; /* mask adds */
#endif
#if defined(OG_NEON)
extern const struct og_simhash_kernel og_simhash_neon;
#endif

#endif
