/* Superimposed signatures. The bits of a word are drawn from its key by a
 * mixing function, for which the paper uses MD5. */

#include "lib/sentence/index/signature.h"

#include <math.h>

#include "lib/base/bits.h"

bool og_signature_bits_are(uint32_t m)
{
    return m == 16 || m == 32 || m == 64 || m == 128;
}

void og_signature_add(struct og_signature *s, uint32_t key, uint32_t m,
                      uint32_t l)
{
    struct og_signature own = {{0, 0}};
    uint64_t random = key;
    for (uint32_t n = 0; n < l;) {
        const uint32_t bit = (uint32_t)(og_random_next(&random) >> 40) % m;
        const uint64_t mask = (uint64_t)1 << bit % 64;
        if (own.half[bit / 64] & mask) continue;
        own.half[bit / 64] |= mask;
        n++;
    }
    s->half[0] |= own.half[0];
    s->half[1] |= own.half[1];
}

uint32_t og_signature_word_bits(uint32_t m, double n_dictionary,
                                double mean_words)
{
    double choices = 1;
    uint32_t l = 0;
    const uint32_t half_full =
        (uint32_t)(m * log(2) / (mean_words < 1 ? 1 : mean_words));
    while (choices < n_dictionary && l < m / 2) {
        l++;
        choices = choices * (m - l + 1) / l;
    }
    if (l > half_full) l = half_full;
    return l < 1 ? 1 : l;
}

double og_bit_switch(uint32_t m, uint32_t l, double n_shared, double n_added,
                     double n_removed)
{
    const double zero = 1 - 1.0 / m; /* a bit that was drawn is another one */
    const double shared_zero = pow(zero, n_shared * l);
    const double added_zero = pow(zero, n_added * l);
    const double removed_zero = pow(zero, n_removed * l);
    return shared_zero *
           ((1 - added_zero) * removed_zero + added_zero * (1 - removed_zero));
}

double og_exact_bit_diff(uint32_t m, double p, uint32_t t)
{
    if (t > m) return 0;
    if (p <= 0) return t == 0;
    if (p >= 1) return t == m;
    double probability = pow(1 - p, m);
    for (uint32_t i = 0; i < t; i++)
        probability *= (double)(m - i) / (i + 1) * p / (1 - p);
    return probability;
}

double og_max_bit_diff(uint32_t m, double p, uint32_t d)
{
    double sum = 0;
    for (uint32_t t = 0; t <= d && t <= m; t++)
        sum += og_exact_bit_diff(m, p, t);
    return sum > 1 ? 1 : sum;
}

int og_signature_radius(uint32_t m, uint32_t l, double n, double k,
                        double max_false)
{
    const double p = og_bit_switch(m, l, n, k + 1, 0);
    int d = -1;
    while (d + 1 <= (int)m &&
           og_max_bit_diff(m, p, (uint32_t)(d + 1)) <= max_false)
        d++;
    return d;
}
