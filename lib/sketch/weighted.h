#ifndef OG_SKETCH_WEIGHTED_H
#define OG_SKETCH_WEIGHTED_H

/* Active indices: shared by all weighted methods except copies.
 *
 * Think of a feature of weight w as all points of (0, w], each with a random
 * value of its own. As w grows, the best value changes at some points, the
 * active indices: in (0, z] the last one is uniform. So for a weight w there is
 * a last active index y <= w and a first active index z > w. The sample is
 * (feature, y): equal weights give equal samples, and a weight that changes
 * within [y, z) changes nothing.
 *
 * The line is divided at the powers of two; in (2^i, 2^(i+1)] the last active
 * index is 2^(i+1) r, r uniform, unless that falls below 2^i; the one before an
 * index a is a r. Every interval has a random stream of its own, keyed by
 * feature, sample and i, so all weights see the same indices. */

#include <math.h>
#include <string.h>

#include "lib/sketch/minhash.h"

struct og_ioffe_chain {
    uint64_t key;     /* of feature and sample */
    uint64_t state;   /* of the current interval */
    int exponent;     /* the interval is (2^exponent, 2^(exponent + 1)] */
    uint64_t *n_bits; /* counter of random bits; 64 for each draw */
};

/* In (0, 1], so that its logarithm is finite. */
static inline double og_unit(uint64_t random)
{
    return (double)((random >> 11) + 1) * 0x1p-53;
}

static inline double og_ioffe_chain_draw(struct og_ioffe_chain *chain)
{
    *chain->n_bits += 64;
    return og_unit(og_random_next(&chain->state));
}

static inline struct og_ioffe_chain
og_ioffe_chain_of(uint64_t hash, size_t sample, uint64_t *n_bits)
{
    return (struct og_ioffe_chain){
        .key = og_mix64(hash + 0xd1342543de82ef95u * (sample + 1)),
        .n_bits = n_bits};
}

static inline void og_ioffe_chain_seek(struct og_ioffe_chain *chain,
                                       int exponent)
{
    chain->exponent = exponent;
    chain->state = og_mix64(chain->key ^
                            (uint64_t)(int64_t)exponent * 0xa24baed4963ee407u);
}

/* The last active index of the interval that was chosen, 0 if there is none;
 * then the one before `a`. */
static inline double og_ioffe_chain_last(struct og_ioffe_chain *chain)
{
    const double a = ldexp(og_ioffe_chain_draw(chain), chain->exponent + 1);
    return a > ldexp(1, chain->exponent) ? a : 0;
}

static inline double og_ioffe_chain_before(struct og_ioffe_chain *chain,
                                           double a)
{
    a *= og_ioffe_chain_draw(chain);
    return a > ldexp(1, chain->exponent) ? a : 0;
}

/* i such that 2^i < w <= 2^(i+1). */
static inline int og_interval_of(double w)
{
    int exponent;
    const double mantissa = frexp(w, &exponent); /* in [1/2, 1) */
    return mantissa == 0.5 ? exponent - 2 : exponent - 1;
}

/* The random number for the value: the same for all weights. */
static inline double
og_ioffe_chain_probability(const struct og_ioffe_chain *chain)
{
    return og_unit(og_mix64(chain->key ^ 0x70726f626162696cu));
}

/* y and z around w, in constant expected time. */
void og_ioffe_chain_bracket(struct og_ioffe_chain *chain, double w, double *y,
                            double *z);

/* t such that (1 + t) e^-t = p: the inverse of the distribution of the
 * second-largest value (5.1) on the scale t = -z ln x. */
double og_second_largest(double p);

/* The sample (feature, y): the bits of y are exact, drawn and not computed from
 * the weight. */
static inline uint32_t og_sample_at(uint64_t hash, double y)
{
    uint64_t bits;
    memcpy(&bits, &y, sizeof(bits));
    return og_sample_of(hash ^ og_mix64(bits));
}

#endif
