/* SuperMinHash (Ertl 2017): less variance than independent samples for short
 * sets.
 *
 * Every feature deals the numbers 0 to n - 1 to the samples by a random
 * permutation of its own, plus a random fraction: sample p[j] gets
 * j + r. A sample keeps the smallest number it was dealt. So a feature that did
 * not win one sample is more likely to win another: samples repel each other.
 * Dealing starts with the small numbers and stops once all samples hold less
 * than j: for long sets a feature costs a step or two. */

#include <string.h>

#include "lib/sketch/minhash.h"

struct deal {
    uint64_t *value;  /* (j << 32) + fraction; UINT64_MAX: none yet */
    uint32_t *place;  /* the permutation, as far as it is shuffled */
    uint32_t *owner;  /* the feature for which place[] was set, from 1 */
    uint32_t *n_at;   /* how many samples hold j; the last entry: all larger
                         values */
    uint32_t n, last; /* no sample holds more than `last` */
};

static uint32_t level_of(const struct deal *d, uint64_t value)
{
    const uint64_t level = value >> 32;
    return level < d->n - 1 ? (uint32_t)level : d->n - 1;
}

static void own(struct deal *d, uint32_t i, uint32_t feature)
{
    if (d->owner[i] == feature) return;
    d->owner[i] = feature;
    d->place[i] = i;
}

static void lower(struct deal *d, uint32_t sample, uint32_t j, uint64_t value)
{
    const uint32_t before = level_of(d, d->value[sample]);
    d->value[sample] = value;
    if (j >= before) return;
    d->n_at[before]--;
    d->n_at[j]++;
    while (d->n_at[d->last] == 0)
        d->last--;
}

static uint64_t deal_feature(struct deal *d, uint64_t hash, uint32_t feature)
{
    uint32_t j = 0;
    for (; j <= d->last; j++) {
        const uint64_t random = og_random_next(&hash);
        const uint32_t k = j + (uint32_t)((random >> 32) * (d->n - j) >> 32);
        own(d, j, feature);
        own(d, k, feature);
        const uint32_t sample = d->place[k];
        d->place[k] = d->place[j];
        d->place[j] = sample;
        const uint64_t value = (uint64_t)j << 32 | (uint32_t)random;
        if (value < d->value[sample]) lower(d, sample, j, value);
    }
    return 64 * (uint64_t)j;
}

void og_minhash_super(struct og_minhash *m, const uint64_t *x, size_t n,
                      uint32_t *out)
{
    const uint32_t n_samples = m->options.n_samples;
    struct deal d = {.value = m->super_value,
                     .place = m->super_order,
                     .owner = m->super_order + n_samples,
                     .n_at = m->super_order + 2 * n_samples,
                     .n = n_samples,
                     .last = n_samples - 1};
    memset(d.value, 0xff, n_samples * sizeof(*d.value));
    memset(d.owner, 0, 2 * n_samples * sizeof(*d.owner));
    d.n_at[n_samples - 1] = n_samples;
    for (size_t i = 0; i < n; i++)
        m->n_bits_used +=
            deal_feature(&d, og_family_hash(&m->family, x[i]), (uint32_t)i + 1);
    for (uint32_t i = 0; i < n_samples; i++)
        out[i] = og_sample_of(d.value[i]);
}
