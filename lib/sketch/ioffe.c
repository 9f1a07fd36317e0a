/* Ioffe's consistent weighted sampling (2010; the book, 5.2): constant time.
 *
 * For each feature and sample r and c are Gamma(2, 1) and b is uniform. Active
 * indices around the weight are y = exp(r (t - b)) and z = y e^r, where t is
 * the largest whole number for which y <= w; the value is a = c / z, and the
 * smallest wins. The sample is (feature, t). In logarithms:
 *
 *     t = floor(ln w / r + b)        ln a = ln c - r (t - b + 1)
 *
 * (The book's code has q = v v' where its text has 1 / q, and a logarithm to
 * that base with the wrong sign; this is Ioffe's own form, which the tests
 * compare with the definition of generalized Jaccard.)
 *
 * With only the feature kept ("0 bit", Li 2015): two sets that choose the same
 * feature nearly always agree in t as well, so t may be dropped at the price of
 * a small upward bias if weights differ much. */

#include "lib/sketch/ioffe.h"

#include <math.h>

#include "lib/os/cpu.h"

void og_ioffe_lanes_plain(const uint64_t *hash, const float *log_w, size_t n,
                          const uint32_t *mul, float *best, uint32_t *winner)
{
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < OG_LANES; s++) {
            const struct og_ioffe_draw d = og_ioffe_draw_of(hash[i], mul[s]);
            const float rank = og_ioffe_rank(&d, og_ioffe_step(&d, log_w[i]));
            if (rank >= best[s]) continue;
            best[s] = rank;
            winner[s] = (uint32_t)i;
        }
}

static og_ioffe_lanes_fn *choose(void)
{
#if defined(OG_X86)
    if (og_cpu_level() >= OG_CPU_AVX512) return og_ioffe_lanes_avx512;
    if (og_cpu_level() >= OG_CPU_AVX2) return og_ioffe_lanes_avx2;
#endif
    return og_ioffe_lanes_plain;
}

static uint32_t sample_of_winner(const struct og_minhash *m, uint64_t hash,
                                 float log_w, uint32_t mul, size_t sample)
{
    uint64_t choice = hash + sample;
    if (m->options.method == OG_MINHASH_IOFFE) {
        const struct og_ioffe_draw d = og_ioffe_draw_of(hash, mul);
        choice ^= og_mix64((uint64_t)(int64_t)og_ioffe_step(&d, log_w));
    }
    return og_sample_of(choice);
}

/* Features are replaced by hashes and weights by logarithms: both arrays are
 * scratch space of `m` (og_minhash_samples). */
void og_minhash_ioffe(struct og_minhash *m, const uint64_t *x, const float *w,
                      size_t n, uint32_t *out)
{
    og_ioffe_lanes_fn *lanes = choose();
    uint64_t state = m->family.seed ^ 0x696f666665000000u;
    og_family_hash_many(&m->family, x, n, m->feature);
    for (size_t i = 0; i < n; i++)
        m->weight[i] = og_ln_weight(w[i]);
    for (size_t s = 0; s < m->options.n_samples; s += OG_LANES) {
        uint32_t mul[OG_LANES], winner[OG_LANES];
        float best[OG_LANES];
        for (size_t i = 0; i < OG_LANES; i++) {
            mul[i] = (uint32_t)(og_random_next(&state) >> 32) | 1;
            best[i] = INFINITY;
            winner[i] = 0;
        }
        lanes(m->feature, m->weight, n, mul, best, winner);
        for (size_t i = 0; i < OG_LANES && s + i < m->options.n_samples; i++)
            out[s + i] = sample_of_winner(m, m->feature[winner[i]],
                                          m->weight[winner[i]], mul[i], s + i);
    }
    m->n_bits_used += 96 * (uint64_t)n * m->options.n_samples;
}
