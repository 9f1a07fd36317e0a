/* Weighted sampling with coarse bounds first (the book, 5.3).
 *
 * The scheme of 5.1 (active_indices.c) with its random numbers split in two.
 * One stream of a feature gives all samples two coarse facts: how many ones
 * precede the first zero of the probability p, which bounds it to a power of
 * two below 1; and, bit by bit, which of the intervals (2^i, 2^(i+1)] have an
 * active index, which bounds z. The value is best if p is near 1 and z is
 * large: if the upper ends of both bounds lose against the best so far, a few
 * bits settle the sample. Otherwise p and z are drawn exactly, within the
 * bounds. Large weights come first: their values are hard to beat.
 *
 * The bits of an interval are drawn for all samples at once, whether needed or
 * not, so that all weights see the same ones; they are counted as consumed only
 * where a sample used them. */

#include <stdlib.h>

#include "lib/sketch/lazy_bits.h"
#include "lib/sketch/weighted.h"

struct weighted {
    float weight;
    uint32_t index;
};

static int heavier_first(const void *a, const void *b)
{
    const struct weighted *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Whether (2^i, 2^(i+1)] has an active index for this sample: one bit. */
static bool is_occupied(uint64_t hash, int exponent, size_t sample,
                        uint64_t *n_bits)
{
    const uint64_t word = og_mix64(
        og_mix64(hash ^ (uint64_t)(int64_t)exponent * 0xa24baed4963ee407u) +
        0x9e3779b97f4a7c15u * (sample / 64 + 1));
    *n_bits += 1;
    return word >> (sample % 64) & 1;
}

/* The last active index of an interval that has one: uniform in the
 * interval. */
static double last_of(struct og_ioffe_chain *chain, int exponent)
{
    og_ioffe_chain_seek(chain, exponent);
    return ldexp(1 + og_ioffe_chain_draw(chain), exponent);
}

struct race {
    struct og_minhash *m;
    uint64_t hash;
    double w;
    int home;
    uint32_t run; /* ones before the first zero of p */
    size_t sample;
    double best; /* g: the smallest so far */
};

/* An upper bound of the interval that contains z. If the home interval is
 * occupied, z may be in it or after it. */
static double bound_of_z(const struct race *race)
{
    int i = race->home + 1;
    while (!is_occupied(race->hash, i, race->sample, &race->m->n_bits_used))
        i++;
    return ldexp(1, i + 1);
}

static void bracket(const struct race *race, struct og_ioffe_chain *chain,
                    double *y, double *z)
{
    uint64_t *n_bits = &race->m->n_bits_used;
    double a = 0;
    *y = *z = 0;
    if (is_occupied(race->hash, race->home, race->sample, n_bits)) {
        for (a = last_of(chain, race->home); a > race->w;
             a = og_ioffe_chain_before(chain, a))
            *z = a;
        *y = a;
    }
    for (int i = race->home - 1; *y == 0; i--)
        if (is_occupied(race->hash, i, race->sample, n_bits))
            *y = last_of(chain, i);
    for (int i = race->home + 1; *z == 0; i++)
        if (is_occupied(race->hash, i, race->sample, n_bits))
            for (a = last_of(chain, i); a != 0;
                 a = og_ioffe_chain_before(chain, a))
                *z = a;
}

/* p is in 1 - 2^-run .. 1 - 2^-(run + 1). t(p) falls as p grows. */
static bool may_win(const struct race *race)
{
    if (race->best == INFINITY) return true;
    const double t = race->best * bound_of_z(race);
    return (1 + t) * exp(-t) < 1 - ldexp(1, -(int)race->run - 1);
}

static void try_exactly(struct race *race, uint32_t *out)
{
    uint64_t *n_bits = &race->m->n_bits_used;
    struct og_ioffe_chain chain =
        og_ioffe_chain_of(race->hash, race->sample, n_bits);
    double y, z;
    bracket(race, &chain, &y, &z);
    const double fine = og_ioffe_chain_probability(&chain);
    const double p = 1 - ldexp(2 - fine, -(int)race->run - 1);
    *n_bits += 64;
    const double t = race->best * z;
    if (race->best != INFINITY && (1 + t) * exp(-t) >= p) return;
    race->best = og_second_largest(p > 0 ? p : 0x1p-60) / z;
    *out = og_sample_at(race->hash, y);
}

og_status og_minhash_coarse(struct og_minhash *m, const uint64_t *x,
                            const float *w, size_t n, uint32_t *out,
                            og_error *err)
{
    const size_t n_samples = m->options.n_samples;
    const size_t order_len = n * sizeof(struct weighted);
    const size_t best_len = n_samples * sizeof(double);
    struct weighted *order = og_allocate(m->allocator, order_len);
    double *best = og_allocate(m->allocator, best_len);
    if (order == NULL || best == NULL) {
        og_release(m->allocator, order, order_len);
        og_release(m->allocator, best, best_len);
        return og_error_memory(err, order_len + best_len, "weights in order");
    }
    for (size_t i = 0; i < n; i++)
        order[i] = (struct weighted){w[i], (uint32_t)i};
    qsort(order, n, sizeof(*order), heavier_first);
    for (size_t s = 0; s < n_samples; s++)
        best[s] = INFINITY;
    for (size_t i = 0; i < n; i++) {
        const uint64_t hash = og_family_hash(&m->family, x[order[i].index]);
        struct og_bit_stream stream = og_bits_start(hash);
        for (size_t s = 0; s < n_samples; s++) {
            struct race race = {.m = m,
                                .hash = hash,
                                .w = order[i].weight,
                                .home = og_interval_of(order[i].weight),
                                .run = og_bits_run(&stream),
                                .sample = s,
                                .best = best[s]};
            if (may_win(&race)) try_exactly(&race, &out[s]);
            best[s] = race.best;
        }
        m->n_bits_used += stream.n_used;
    }
    og_release(m->allocator, order, order_len);
    og_release(m->allocator, best, best_len);
    return OG_OK;
}
