/* The bins of one permutation, four features at a time (AVX2).
 *
 * Single instructions of AVX-512 are composed here: a 64-bit product of three
 * 32-bit products, and the compression of lanes by a table of 16 permutations,
 * one for each mask of four. */

#include "lib/sketch/family.h"

#if defined(OG_X86)
#include <immintrin.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* ---- words ---- */

OG_TARGET_AVX2 static ALWAYS_INLINE __m256i load4(const uint64_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

OG_TARGET_AVX2 static ALWAYS_INLINE void store4(uint64_t *p, __m256i v)
{
    _mm256_storeu_si256((__m256i *)(void *)p, v);
}

/* a times b: the full product of the low halves, and both products of a low
 * half and a high one. */
OG_TARGET_AVX2 static ALWAYS_INLINE __m256i times(__m256i a, uint64_t b)
{
    const __m256i low = _mm256_set1_epi64x((long long)b);
    const __m256i high = _mm256_set1_epi64x((long long)(b >> 32));
    const __m256i cross =
        _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(a, 32), low),
                         _mm256_mul_epu32(a, high));
    return _mm256_add_epi64(_mm256_mul_epu32(a, low),
                            _mm256_slli_epi64(cross, 32));
}

OG_TARGET_AVX2 static ALWAYS_INLINE __m256i fold(__m256i v, const int shift)
{
    return _mm256_xor_si256(v, _mm256_srli_epi64(v, shift));
}

/* og_mix64 */
OG_TARGET_AVX2 static ALWAYS_INLINE __m256i mix(__m256i v)
{
    v = times(fold(v, 30), 0xbf58476d1ce4e5b9u);
    v = times(fold(v, 27), 0x94d049bb133111ebu);
    return fold(v, 31);
}

/* The lanes of the mask first, in order; what follows them is unspecified. */
OG_TARGET_AVX2 static ALWAYS_INLINE __m256i pick(__m256i v, unsigned mask)
{
#define LANE(i) 2 * (i), 2 * (i) + 1
    static const uint32_t order[16][8] = {
        {LANE(0), LANE(0), LANE(0), LANE(0)},
        {LANE(0), LANE(0), LANE(0), LANE(0)},
        {LANE(1), LANE(0), LANE(0), LANE(0)},
        {LANE(0), LANE(1), LANE(0), LANE(0)},
        {LANE(2), LANE(0), LANE(0), LANE(0)},
        {LANE(0), LANE(2), LANE(0), LANE(0)},
        {LANE(1), LANE(2), LANE(0), LANE(0)},
        {LANE(0), LANE(1), LANE(2), LANE(0)},
        {LANE(3), LANE(0), LANE(0), LANE(0)},
        {LANE(0), LANE(3), LANE(0), LANE(0)},
        {LANE(1), LANE(3), LANE(0), LANE(0)},
        {LANE(0), LANE(1), LANE(3), LANE(0)},
        {LANE(2), LANE(3), LANE(0), LANE(0)},
        {LANE(0), LANE(2), LANE(3), LANE(0)},
        {LANE(1), LANE(2), LANE(3), LANE(0)},
        {LANE(0), LANE(1), LANE(2), LANE(3)},
    };
#undef LANE
    return _mm256_permutevar8x32_epi32(
        v, _mm256_loadu_si256((const __m256i *)(const void *)order[mask]));
}

/* One bit per lane whose highest bit is set. */
OG_TARGET_AVX2 static ALWAYS_INLINE unsigned high_bits(__m256i v)
{
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(v));
}

/* Whole groups of four are processed in place; the rest through a buffer padded
 * with zeros. */
static ALWAYS_INLINE void copy_rest(const uint64_t *from, size_t n,
                                    uint64_t to[4])
{
    memset(to, 0, 4 * sizeof(*to));
    memcpy(to, from, n * sizeof(*to));
}

/* ---- hashes ---- */

OG_TARGET_AVX2 void og_mix_many_avx2(uint64_t seed, const uint64_t *x, size_t n,
                                     uint64_t *out)
{
    const __m256i seeds = _mm256_set1_epi64x((long long)seed);
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        store4(out + i, mix(_mm256_xor_si256(load4(x + i), seeds)));
    for (; i < n; i++)
        out[i] = og_mix64(x[i] ^ seed);
}

/* ---- the first round ---- */

/* The high half of each hash selects the bin, the low half is kept. */
OG_TARGET_AVX2 static ALWAYS_INLINE __m256i place(__m256i base, __m256i bins)
{
    const __m256i bin = _mm256_mul_epu32(_mm256_srli_epi64(base, 32), bins);
    return _mm256_blend_epi32(base, bin, 0xaa);
}

OG_TARGET_AVX2 void og_bins_place_avx2(const uint64_t *base, size_t n,
                                       uint32_t n_bins, uint64_t *out)
{
    const __m256i bins = _mm256_set1_epi64x(n_bins);
    size_t j = 0;
    for (; j + 4 <= n; j += 4)
        store4(out + j, place(load4(base + j), bins));
    og_bins_place_plain(base + j, n - j, n_bins, out + j);
}

struct below {
    __m256i seeds, bins, limits;
};

/* Writes those of four features that are below the limit; returns how many of
 * the lanes in `here`. */
OG_TARGET_AVX2 static ALWAYS_INLINE size_t place_below(const struct below *b,
                                                       __m256i x, unsigned here,
                                                       uint64_t *out)
{
    const __m256i v = mix(_mm256_xor_si256(x, b->seeds));
    const __m256i low =
        _mm256_and_si256(v, _mm256_set1_epi64x((long long)UINT32_MAX));
    const unsigned kept = high_bits(_mm256_cmpgt_epi64(b->limits, low)) & here;
    store4(out, pick(place(v, b->bins), kept));
    return (size_t)__builtin_popcount(kept);
}

OG_TARGET_AVX2 size_t og_bins_place_below_avx2(uint64_t seed, const uint64_t *x,
                                               size_t n, uint32_t n_bins,
                                               uint32_t limit, uint64_t *out)
{
    const struct below b = {_mm256_set1_epi64x((long long)seed),
                            _mm256_set1_epi64x(n_bins),
                            _mm256_set1_epi64x(limit)};
    uint64_t rest[4];
    size_t n_out = 0, j = 0;
    for (; j + 4 <= n; j += 4)
        n_out += place_below(&b, load4(x + j), 0xf, out + n_out);
    if (j == n) return n_out;
    copy_rest(x + j, n - j, rest);
    return n_out +
           place_below(&b, load4(rest), (1u << (n - j)) - 1, out + n_out);
}

/* ---- empty bins ---- */

OG_TARGET_AVX2 size_t og_bins_empty_avx2(const uint32_t *bin, size_t n,
                                         uint32_t *marks)
{
    const __m256i none = _mm256_set1_epi32(-1);
    size_t n_empty = 0, i = 0;
    for (; i + 32 <= n; i += 32) {
        uint32_t word = 0;
        for (unsigned k = 0; k < 4; k++) {
            const __m256i v = _mm256_loadu_si256(
                (const __m256i *)(const void *)(bin + i + 8 * k));
            word |= (uint32_t)_mm256_movemask_ps(
                        _mm256_castsi256_ps(_mm256_cmpeq_epi32(v, none)))
                    << 8 * k;
        }
        marks[i / 32] = word;
        n_empty += (unsigned)__builtin_popcount(word);
    }
    return n_empty + og_bins_empty_plain(bin + i, n - i, marks + i / 32);
}

/* ---- further rounds ---- */

struct bin_round {
    __m256i muls, bins, words;
};

/* Writes those of four features whose bin is marked; returns how many of the
 * lanes in `here`. The marks of all bins are one vector: a permutation fetches
 * the word of each bin, a shift moves its bit to the top. */
OG_TARGET_AVX2 static ALWAYS_INLINE size_t place_marked(
    const struct bin_round *r, __m256i base, unsigned here, uint64_t *out)
{
    const __m256i zero = _mm256_setzero_si256();
    const __m256i zero_is = _mm256_set1_epi64x(0x9e3779b9); /* og_mix_short */
    __m256i v = _mm256_blend_epi32(base, zero, 0xaa);
    v = _mm256_or_si256(v,
                        _mm256_and_si256(_mm256_cmpeq_epi64(v, zero), zero_is));
    const __m256i placed =
        _mm256_mul_epu32(_mm256_mullo_epi32(v, r->muls), r->bins);
    const __m256i bin = _mm256_srli_epi64(placed, 32);
    const __m256i word =
        _mm256_permutevar8x32_epi32(r->words, _mm256_srli_epi64(bin, 5));
    const __m256i top = _mm256_sub_epi64(
        _mm256_set1_epi64x(63), _mm256_and_si256(bin, _mm256_set1_epi64x(31)));
    const unsigned kept = high_bits(_mm256_sllv_epi64(word, top)) & here;
    store4(out, pick(placed, kept));
    return (size_t)__builtin_popcount(kept);
}

OG_TARGET_AVX2 size_t og_bins_round_avx2(uint32_t mul, const uint64_t *base,
                                         size_t n, uint32_t n_bins,
                                         const uint32_t *marks, uint64_t *out)
{
    uint32_t words[8] = {0};
    uint64_t rest[4];
    memcpy(words, marks, (n_bins + 31) / 32 * sizeof(*words));
    const struct bin_round r = {
        _mm256_set1_epi64x(mul), _mm256_set1_epi64x(n_bins),
        _mm256_loadu_si256((const __m256i *)(const void *)words)};
    size_t n_out = 0, j = 0;
    for (; j + 4 <= n; j += 4)
        n_out += place_marked(&r, load4(base + j), 0xf, out + n_out);
    if (j == n) return n_out;
    copy_rest(base + j, n - j, rest);
    return n_out +
           place_marked(&r, load4(rest), (1u << (n - j)) - 1, out + n_out);
}
#endif
