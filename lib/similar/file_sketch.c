/* Samples of files: see file_sketch.h.
 *
 * The t-th random order is mix(key ^ secret_t), a bijection of the key with
 * good avalanche; ties are ties of the key itself and hence harmless. The inner
 * loop runs over the samples and keeps their minima in an array, so that the
 * compiler can vectorise it. The kept bits come from a second mix of the winner
 * with another constant: they must not be bits of the winning value, which is
 * small and therefore has little information. */

#include "lib/similar/file_sketch.h"

#include "lib/base/bits.h"

static const uint64_t bits_secret = 0x6a09e667f3bcc909u; /* frac(sqrt 2) */

og_status og_file_sketch_check(const struct og_file_sketch_options *options,
                               og_error *err)
{
    if (options->n_samples < 1 ||
        options->n_samples > OG_FILE_SKETCH_MAX_SAMPLES)
        return og_error_set(err, OG_ERR_USAGE,
                            "samples must be 1 to %d, not %u",
                            OG_FILE_SKETCH_MAX_SAMPLES, options->n_samples);
    if (options->n_bits < 1 || options->n_bits > OG_FILE_SKETCH_MAX_BITS)
        return og_error_set(err, OG_ERR_USAGE,
                            "bits of a sample must be 1 to %d, not %u",
                            OG_FILE_SKETCH_MAX_BITS, options->n_bits);
    return OG_OK;
}

static void make_secrets(uint64_t *out, uint32_t n)
{
    uint64_t state = 0x7472616974730001u; /* part of the format: never
                                             changes */
    for (uint32_t t = 0; t < n; t++)
        out[t] = og_random_next(&state);
}

void og_file_sketch_make(const uint64_t *keys, size_t n,
                         const struct og_file_sketch_options *options,
                         uint16_t *out)
{
    uint64_t secret[OG_FILE_SKETCH_MAX_SAMPLES];
    uint64_t least[OG_FILE_SKETCH_MAX_SAMPLES],
        winner[OG_FILE_SKETCH_MAX_SAMPLES];
    const uint32_t n_samples = options->n_samples;
    const uint64_t mask = ((uint64_t)1 << options->n_bits) - 1;
    make_secrets(secret, n_samples);
    for (uint32_t t = 0; t < n_samples; t++)
        least[t] = UINT64_MAX, winner[t] = 0;
    for (size_t i = 0; i < n; i++)
        for (uint32_t t = 0; t < n_samples; t++) {
            const uint64_t value = og_mix64(keys[i] ^ secret[t]);
            winner[t] = value <= least[t] ? keys[i] : winner[t];
            least[t] = value <= least[t] ? value : least[t];
        }
    for (uint32_t t = 0; t < n_samples; t++) {
        const uint64_t drawn = og_mix64((winner[t] ^ bits_secret) + secret[t]);
        out[t] = n == 0 ? 0 : (uint16_t)(drawn & mask);
    }
}

uint32_t og_file_sketch_matches(const uint16_t *a, const uint16_t *b,
                                uint32_t n_samples)
{
    uint32_t n = 0;
    for (uint32_t t = 0; t < n_samples; t++)
        n += a[t] == b[t];
    return n;
}

double og_file_sketch_jaccard(uint32_t n_matches,
                              const struct og_file_sketch_options *options)
{
    const double chance = 1.0 / (double)((uint64_t)1 << options->n_bits);
    const double share = (double)n_matches / (double)options->n_samples;
    const double p = (share - chance) / (1 - chance);
    return p < 0 ? 0 : p;
}
