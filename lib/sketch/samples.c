/* From samples to similarity, for whole samples and for a few bits of each.
 *
 * b bits of a sample agree by chance once in 2^b, so the share Q of equal
 * values is J + (1 - J) / 2^b; solved for J that is the corrected estimate (the
 * book, 2.4). Before a sample is cut, it is mixed with its index: smallest
 * values have small upper halves, and a coincidence must not repeat in the next
 * sample. */

#include <assert.h>
#include <math.h>
#include <string.h>

#include "lib/sketch/minhash.h"

double og_samples_similarity(const uint32_t *a, const uint32_t *b, size_t n)
{
    size_t n_equal = 0;
    if (n == 0 || a[0] == OG_SAMPLE_NONE || b[0] == OG_SAMPLE_NONE) return 0;
    for (size_t i = 0; i < n; i++)
        n_equal += a[i] == b[i];
    return (double)n_equal / (double)n;
}

void og_samples_pack(const uint32_t *samples, size_t n, uint32_t n_bits,
                     uint8_t *out)
{
    assert(n_bits >= 1 && n_bits <= 16);
    memset(out, 0, (n * n_bits + 7) / 8);
    if (n == 0 || samples[0] == OG_SAMPLE_NONE) return;
    for (size_t i = 0; i < n; i++) {
        const uint64_t kept =
            og_mix64((uint64_t)i << 32 | samples[i]) >> (64 - n_bits);
        for (uint32_t bit = 0; bit < n_bits; bit++) {
            const size_t at = i * n_bits + bit;
            out[at / 8] |= (uint8_t)((kept >> bit & 1) << (at % 8));
        }
    }
}

/* n_bits from bit `at` on. */
static uint32_t bits_at(const uint8_t *packed, size_t len, size_t at,
                        uint32_t n_bits)
{
    uint32_t word = 0;
    for (size_t i = 0; i < 4 && at / 8 + i < len; i++)
        word |= (uint32_t)packed[at / 8 + i] << (8 * i);
    return word >> (at % 8) & ((1u << n_bits) - 1);
}

double og_packed_similarity(const uint8_t *a, const uint8_t *b, size_t n,
                            uint32_t n_bits)
{
    assert(n_bits >= 1 && n_bits <= 16);
    const size_t len = (n * n_bits + 7) / 8;
    const double luck = 1 / (double)(1u << n_bits);
    size_t n_equal = 0;
    if (n == 0) return 0;
    for (size_t i = 0; i < n; i++)
        n_equal += bits_at(a, len, i * n_bits, n_bits) ==
                   bits_at(b, len, i * n_bits, n_bits);
    return ((double)n_equal / (double)n - luck) / (1 - luck);
}

double og_l1_distance(double similarity, double norm_a, double norm_b)
{
    return (1 - similarity) / (1 + similarity) * (norm_a + norm_b);
}
