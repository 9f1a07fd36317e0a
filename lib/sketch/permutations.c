/* The exact form, one permutation, and both together.
 *
 * exact: one function per sample; the sample is its smallest value.
 *
 * one: a single function; its high half chooses one of n_samples bins, its low
 * half is the value, each bin keeps the smallest. So a feature costs one hash
 * instead of 84, and samples are drawn without replacement, hence with less
 * variance. Empty bins are filled by optimal densification (Shrivastava 2017):
 * each borrows from a bin found by a random walk of its own, so that different
 * empty bins borrow independently.
 *
 * auto: bins as above; then further rounds, each with a function of its own,
 * fill bins that are still empty (Dahlgaard, Knudsen and Thorup 2017); a bin
 * that a few rounds leave empty takes the smallest value of its exact function.
 * This defines one order of features for every sample: first those that the
 * first round puts into the bin, by value, then those of the second, and so on,
 * then all by the exact value. It is uniform and consistent, so the estimate
 * has no bias, whatever the sizes of the sets; nothing is borrowed, and samples
 * of a round are drawn without replacement, so the variance is less than that
 * of exact samples, for short sets too. A round costs a third of a nanosecond
 * per feature, since few features hit an empty bin. */

#include <string.h>

#include "lib/sketch/minhash.h"

/* ---- exact ---- */

#define VECTORS_MAX (OG_SAMPLES_MAX / OG_LANES)

/* Computes the vectors of lanes that are wanted; NULL: all. */
static void least_lanes(struct og_minhash *m, const uint64_t *x, size_t n,
                        const bool *wanted)
{
    const size_t n_vectors = m->family.n_lanes / OG_LANES;
    uint64_t base[OG_PIECE];
    memset(m->least, 0xff, m->family.n_lanes * sizeof(*m->least));
    for (size_t i = 0; i < n; i += OG_PIECE) {
        const size_t n_piece = n - i < OG_PIECE ? n - i : OG_PIECE;
        og_family_hash_many(&m->family, x + i, n_piece, base);
        for (size_t begin = 0, end; begin < n_vectors; begin = end + 1) {
            end = begin;
            while (end < n_vectors && (wanted == NULL || wanted[end]))
                end++;
            if (end == begin) continue;
            og_family_least(&m->family, x + i, base, n_piece, begin * OG_LANES,
                            end * OG_LANES, m->least);
        }
    }
}

/* A value is any 32 bits; the one that denotes an empty set is replaced. */
static uint32_t sample_of_value(uint32_t value)
{
    return value == OG_SAMPLE_NONE ? OG_SAMPLE_NONE - 1 : value;
}

void og_minhash_exact(struct og_minhash *m, const uint64_t *x, size_t n,
                      uint32_t *out)
{
    least_lanes(m, x, n, NULL);
    for (size_t i = 0; i < m->options.n_samples; i++)
        out[i] = sample_of_value(m->least[i]);
    m->n_bits_used += 32 * (uint64_t)n * m->options.n_samples;
}

/* ---- bins ---- */

/* A bin whose only value is OG_SAMPLE_NONE counts as empty. `placed` are bins
 * (high half) and values (low half). */
static void keep_least(uint32_t *bin, const uint64_t *placed, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        uint32_t *least = &bin[placed[j] >> 32];
        const uint32_t value = (uint32_t)placed[j];
        *least = value < *least ? value : *least;
    }
}

/* The base hashes are also written to `base` if it is not NULL. */
static void fill_bins(struct og_minhash *m, const uint64_t *x, size_t n,
                      uint32_t *bin, uint64_t *base)
{
    const uint32_t n_bins = m->options.n_samples;
    uint64_t placed[OG_PIECE];
    memset(bin, 0xff, n_bins * sizeof(*bin));
    for (size_t i = 0; i < n; i += OG_PIECE) {
        const size_t n_piece = n - i < OG_PIECE ? n - i : OG_PIECE;
        uint64_t *hashes = base == NULL ? placed : base + i;
        og_family_hash_many(&m->family, x + i, n_piece, hashes);
        og_bins_place(hashes, n_piece, n_bins, placed);
        keep_least(bin, placed, n_piece);
    }
    m->n_bits_used += 64 * (uint64_t)n;
}

/* Of a long set only the smallest values matter. Those below a limit that
 * leaves some for every bin are found eight at a time, and only they are put
 * into bins, which is the slower part. If a bin stays empty, about once in
 * twenty sets, the caller starts again: false. */
static bool fill_bins_from_few(struct og_minhash *m, const uint64_t *x,
                               size_t n, uint32_t *bin)
{
    const uint32_t n_bins = m->options.n_samples;
    /* A bin is empty with probability e^-each; ln 2 times the bits of n_bins is
     * at least ln n_bins. */
    const unsigned each = 3 + 45u * (32 - (unsigned)__builtin_clz(n_bins)) / 64;
    const uint64_t n_few = (uint64_t)each * n_bins;
    if (n <= n_few + n_few / 4) return false; /* and the limit fits */
    const uint32_t limit = (uint32_t)((n_few << 32) / n);
    uint32_t marks[OG_SAMPLES_MAX / 32 + OG_LANES];
    uint64_t placed[OG_PIECE + 8];
    memset(bin, 0xff, n_bins * sizeof(*bin));
    for (size_t i = 0; i < n; i += OG_PIECE) {
        const size_t n_piece = n - i < OG_PIECE ? n - i : OG_PIECE;
        keep_least(bin, placed,
                   og_bins_place_below(&m->family, x + i, n_piece, n_bins,
                                       limit, placed));
    }
    if (og_bins_empty(bin, n_bins, marks) != 0) return false;
    m->n_bits_used += 64 * (uint64_t)n;
    return true;
}

/* ---- one permutation ---- */

static size_t next_lender(const struct og_minhash *m, size_t bin,
                          uint64_t attempt)
{
    const uint64_t walk =
        og_mix64(m->family.seed + 0x9e3779b97f4a7c15u * (attempt + 1) +
                 ((uint64_t)bin << 48));
    return og_mul_high(walk, m->options.n_samples);
}

static uint32_t borrowed(const struct og_minhash *m, const uint32_t *bin,
                         size_t i)
{
    for (uint64_t attempt = 0; attempt < 64u * OG_SAMPLES_MAX; attempt++) {
        const size_t lender = next_lender(m, i, attempt);
        if (bin[lender] != OG_SAMPLE_NONE) return bin[lender];
    }
    return 0; /* every value was OG_SAMPLE_NONE, or a chance of 1 in e^64 */
}

void og_minhash_one(struct og_minhash *m, const uint64_t *x, size_t n,
                    uint32_t *out)
{
    if (fill_bins_from_few(m, x, n, out)) return;
    fill_bins(m, x, n, m->least, NULL);
    for (size_t i = 0; i < m->options.n_samples; i++)
        out[i] = m->least[i] != OG_SAMPLE_NONE ? m->least[i]
                                               : borrowed(m, m->least, i);
}

/* ---- both ---- */

/* Rounds of bins before the exact form takes over. Only a set with fewer
 * features than an eighth of the samples then has empty bins, and it has few
 * features for exact samples. */
enum { ROUNDS = 16 };
_Static_assert(ROUNDS <= OG_LANES, "a round is a lane");

/* Features whose bin of this round is marked go there. */
static void fill_round(struct og_minhash *m, const uint64_t *x,
                       const uint64_t *base, size_t n, size_t round,
                       const uint32_t *marks, uint32_t *bin)
{
    uint64_t placed[OG_PIECE + 8];
    for (size_t i = 0; i < n; i += OG_PIECE) {
        const size_t n_piece = n - i < OG_PIECE ? n - i : OG_PIECE;
        keep_least(bin, placed,
                   og_bins_round(&m->family, x + i, base + i, n_piece, round,
                                 m->options.n_samples, marks, placed));
    }
    m->n_bits_used += 32 * (uint64_t)n;
}

/* Bins that are still empty take exact samples. The lanes of a vector are
 * computed together; vectors without an empty bin are skipped. */
static void fill_exactly(struct og_minhash *m, const uint64_t *x, size_t n,
                         const uint32_t *marks, uint32_t *bin)
{
    const size_t n_samples = m->options.n_samples;
    bool wanted[VECTORS_MAX] = {false};
    size_t n_wanted = 0;
    for (size_t i = 0; i < n_samples; i += OG_LANES) {
        wanted[i / OG_LANES] = (marks[i / 32] >> (i % 32) & 0xffff) != 0;
        n_wanted += wanted[i / OG_LANES];
    }
    least_lanes(m, x, n, wanted);
    for (size_t i = 0; i < n_samples; i++)
        bin[i] =
            bin[i] == OG_SAMPLE_NONE ? sample_of_value(m->least[i]) : bin[i];
    m->n_bits_used += 32 * (uint64_t)n * n_wanted * OG_LANES;
}

/* Sets with more features than this leave no bin empty, unless there are as
 * many samples; then they go straight to the exact form. */
enum { ROUND_MOST = 4096 };

void og_minhash_auto(struct og_minhash *m, const uint64_t *x, size_t n,
                     uint32_t *out)
{
    const size_t n_samples = m->options.n_samples;
    uint32_t marks[OG_SAMPLES_MAX / 32 + OG_LANES];
    uint64_t base[ROUND_MOST];
    const size_t n_rounds = n <= ROUND_MOST ? ROUNDS : 0;
    if (fill_bins_from_few(m, x, n, out)) return;
    fill_bins(m, x, n, out, n_rounds == 0 ? NULL : base);
    if (og_bins_empty(out, n_samples, marks) == 0) return;
    for (size_t round = 0; round < n_rounds; round++) {
        fill_round(m, x, base, n, round, marks, out);
        if (og_bins_empty(out, n_samples, marks) == 0) return;
    }
    fill_exactly(m, x, n, marks, out);
}
