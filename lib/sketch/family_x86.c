/* The vector forms of the hash families.
 *
 * For the mix family a lane costs one 32-bit multiplication and one minimum.
 * The multipliers and the minima of up to 8 vectors of lanes stay in registers
 * while the features stream past, so the only load is the feature itself. Hence
 * 84 samples of a feature cost 12 instructions. */

#include "lib/sketch/family.h"

#if defined(OG_X86)
#include <immintrin.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))

OG_TARGET_AVX512 static ALWAYS_INLINE __m512i mix(__m512i v)
{
    const __m512i m1 = _mm512_set1_epi64((long long)0xbf58476d1ce4e5b9u);
    const __m512i m2 = _mm512_set1_epi64((long long)0x94d049bb133111ebu);
    v = _mm512_xor_si512(v, _mm512_srli_epi64(v, 30));
    v = _mm512_mullo_epi64(v, m1);
    v = _mm512_xor_si512(v, _mm512_srli_epi64(v, 27));
    v = _mm512_mullo_epi64(v, m2);
    return _mm512_xor_si512(v, _mm512_srli_epi64(v, 31));
}

OG_TARGET_AVX512 void og_mix_many_avx512(uint64_t seed, const uint64_t *x,
                                         size_t n, uint64_t *out)
{
    const __m512i seeds = _mm512_set1_epi64((long long)seed);
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm512_storeu_si512(
            out + i, mix(_mm512_xor_si512(_mm512_loadu_si512(x + i), seeds)));
    const __mmask8 rest = (__mmask8)((1u << (n - i)) - 1);
    if (rest == 0) return;
    _mm512_mask_storeu_epi64(
        out + i, rest,
        mix(_mm512_xor_si512(_mm512_maskz_loadu_epi64(rest, x + i), seeds)));
}

/* ---- lanes of the mix family ---- */

OG_TARGET_AVX512 static ALWAYS_INLINE void
least_512(const uint32_t *mul, const uint64_t *base, size_t n,
          const int n_vectors, uint32_t *least)
{
    __m512i m[8], low[8];
    for (int v = 0; v < n_vectors; v++) {
        m[v] = _mm512_loadu_si512(mul + 16 * v);
        low[v] = _mm512_loadu_si512(least + 16 * v);
    }
    for (size_t j = 0; j < n; j++) {
        const __m512i x = _mm512_set1_epi32((int)og_mix_short(base[j]));
        for (int v = 0; v < n_vectors; v++)
            low[v] = _mm512_min_epu32(low[v], _mm512_mullo_epi32(x, m[v]));
    }
    for (int v = 0; v < n_vectors; v++)
        _mm512_storeu_si512(least + 16 * v, low[v]);
}

OG_TARGET_AVX512 void og_mix_least_avx512(const uint32_t *mul,
                                          const uint64_t *base, size_t n,
                                          size_t n_lanes, uint32_t *least)
{
    for (; n_lanes >= 128; n_lanes -= 128, mul += 128, least += 128)
        least_512(mul, base, n, 8, least);
    switch (n_lanes / 16) {
    case 7: least_512(mul, base, n, 7, least); break;
    case 6: least_512(mul, base, n, 6, least); break;
    case 5: least_512(mul, base, n, 5, least); break;
    case 4: least_512(mul, base, n, 4, least); break;
    case 3: least_512(mul, base, n, 3, least); break;
    case 2: least_512(mul, base, n, 2, least); break;
    case 1: least_512(mul, base, n, 1, least); break;
    default: break;
    }
}

OG_TARGET_AVX2 static ALWAYS_INLINE void
least_256(const uint32_t *mul, const uint64_t *base, size_t n,
          const int n_vectors, uint32_t *least)
{
    __m256i m[7], low[7];
    for (int v = 0; v < n_vectors; v++) {
        m[v] = _mm256_loadu_si256((const __m256i *)(mul + 8 * v));
        low[v] = _mm256_loadu_si256((const __m256i *)(least + 8 * v));
    }
    for (size_t j = 0; j < n; j++) {
        const __m256i x = _mm256_set1_epi32((int)og_mix_short(base[j]));
        for (int v = 0; v < n_vectors; v++)
            low[v] = _mm256_min_epu32(low[v], _mm256_mullo_epi32(x, m[v]));
    }
    for (int v = 0; v < n_vectors; v++)
        _mm256_storeu_si256((__m256i *)(least + 8 * v), low[v]);
}

/* Fourteen of the sixteen registers, one for the base and one for products:
 * seven vectors at a time. The usual 112 lanes take two passes. */
OG_TARGET_AVX2 void og_mix_least_avx2(const uint32_t *mul, const uint64_t *base,
                                      size_t n, size_t n_lanes, uint32_t *least)
{
    for (; n_lanes >= 56; n_lanes -= 56, mul += 56, least += 56)
        least_256(mul, base, n, 7, least);
    switch (n_lanes / 8) {
    case 6: least_256(mul, base, n, 6, least); break;
    case 5: least_256(mul, base, n, 5, least); break;
    case 4: least_256(mul, base, n, 4, least); break;
    case 3: least_256(mul, base, n, 3, least); break;
    case 2: least_256(mul, base, n, 2, least); break;
    case 1: least_256(mul, base, n, 1, least); break;
    default: break;
    }
}

/* ---- bins ---- */

/* The high half of each hash selects the bin, the low half is kept. */
OG_TARGET_AVX512 static ALWAYS_INLINE __m512i place(__m512i base, __m512i bins)
{
    const __m512i high = _mm512_set1_epi64((long long)0xffffffff00000000u);
    const __m512i bin = _mm512_mul_epu32(_mm512_srli_epi64(base, 32), bins);
    return _mm512_ternarylogic_epi64(high, bin, base, 0xca);
}

OG_TARGET_AVX512 void og_bins_place_avx512(const uint64_t *base, size_t n,
                                           uint32_t n_bins, uint64_t *out)
{
    const __m512i bins = _mm512_set1_epi64(n_bins);
    for (size_t j = 0; j < n; j += 8) {
        const __mmask8 here =
            (__mmask8)(n - j < 8 ? (1u << (n - j)) - 1 : 0xff);
        const __m512i v = _mm512_maskz_loadu_epi64(here, base + j);
        _mm512_mask_storeu_epi64(out + j, here, place(v, bins));
    }
}

struct below {
    __m512i seeds, bins, limits;
};

/* Writes those of eight features that are below the limit; returns how many. */
OG_TARGET_AVX512 static ALWAYS_INLINE size_t place_below(const struct below *b,
                                                         __m512i x,
                                                         __mmask8 here,
                                                         uint64_t *out)
{
    const __m512i v = mix(_mm512_xor_si512(x, b->seeds));
    const __m512i low = _mm512_and_si512(v, _mm512_set1_epi64(0xffffffff));
    const __mmask8 kept = _mm512_mask_cmplt_epu64_mask(here, low, b->limits);
    _mm512_storeu_si512(out,
                        _mm512_maskz_compress_epi64(kept, place(v, b->bins)));
    return (size_t)__builtin_popcount(kept);
}

OG_TARGET_AVX512 size_t og_bins_place_below_avx512(uint64_t seed,
                                                   const uint64_t *x, size_t n,
                                                   uint32_t n_bins,
                                                   uint32_t limit,
                                                   uint64_t *out)
{
    const struct below b = {_mm512_set1_epi64((long long)seed),
                            _mm512_set1_epi64(n_bins),
                            _mm512_set1_epi64(limit)};
    size_t n_out = 0, j = 0;
    for (; j + 8 <= n; j += 8)
        n_out += place_below(&b, _mm512_loadu_si512(x + j), 0xff, out + n_out);
    const __mmask8 rest = (__mmask8)((1u << (n - j)) - 1);
    if (rest == 0) return n_out;
    return n_out + place_below(&b, _mm512_maskz_loadu_epi64(rest, x + j), rest,
                               out + n_out);
}

OG_TARGET_AVX512 static ALWAYS_INLINE uint32_t empty_512(const uint32_t *bin,
                                                         size_t n)
{
    const __mmask16 here = (__mmask16)(n < 16 ? (1u << n) - 1 : 0xffff);
    return _mm512_mask_cmpeq_epu32_mask(
        here, _mm512_maskz_loadu_epi32(here, bin), _mm512_set1_epi32(-1));
}

OG_TARGET_AVX512 size_t og_bins_empty_avx512(const uint32_t *bin, size_t n,
                                             uint32_t *marks)
{
    size_t n_empty = 0;
    for (size_t i = 0; i < n; i += 32) {
        uint32_t word = empty_512(bin + i, n - i);
        if (n - i > 16) word |= empty_512(bin + i + 16, n - i - 16) << 16;
        marks[i / 32] = word;
        n_empty += (unsigned)__builtin_popcount(word);
    }
    return n_empty;
}

struct bin_round {
    __m512i muls, bins, words;
};

/* Writes those of eight features whose bin is marked; returns how many. The
 * marks of all bins are one vector: a permutation fetches the word of each
 * bin, a shift its bit. */
OG_TARGET_AVX512 static ALWAYS_INLINE size_t place_marked(
    const struct bin_round *r, __m512i base, __mmask8 here, uint64_t *out)
{
    const __m512i zero_is = _mm512_set1_epi64(0x9e3779b9u); /* og_mix_short */
    __m512i v = _mm512_and_si512(base, _mm512_set1_epi64(0xffffffff));
    v = _mm512_mask_mov_epi64(v, _mm512_testn_epi64_mask(v, v), zero_is);
    const __m512i placed =
        _mm512_mul_epu32(_mm512_mullo_epi32(v, r->muls), r->bins);
    const __m512i bin = _mm512_srli_epi64(placed, 32);
    const __m512i word =
        _mm512_permutexvar_epi32(_mm512_srli_epi64(bin, 5), r->words);
    const __m512i bit =
        _mm512_srlv_epi32(word, _mm512_and_si512(bin, _mm512_set1_epi64(31)));
    const __mmask8 kept =
        _mm512_mask_test_epi64_mask(here, bit, _mm512_set1_epi64(1));
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi64(kept, placed));
    return (size_t)__builtin_popcount(kept);
}

OG_TARGET_AVX512 size_t og_bins_round_avx512(uint32_t mul, const uint64_t *base,
                                             size_t n, uint32_t n_bins,
                                             const uint32_t *marks,
                                             uint64_t *out)
{
    const struct bin_round r = {
        _mm512_set1_epi64(mul), _mm512_set1_epi64(n_bins),
        _mm512_maskz_loadu_epi32((__mmask16)((1u << (n_bins + 31) / 32) - 1),
                                 marks)};
    size_t n_out = 0, j = 0;
    for (; j + 8 <= n; j += 8)
        n_out +=
            place_marked(&r, _mm512_loadu_si512(base + j), 0xff, out + n_out);
    const __mmask8 rest = (__mmask8)((1u << (n - j)) - 1);
    if (rest == 0) return n_out;
    return n_out + place_marked(&r, _mm512_maskz_loadu_epi64(rest, base + j),
                                rest, out + n_out);
}

/* ---- lanes of the others ---- */

OG_TARGET_AVX512 void og_rows_least_avx512(const struct og_family *family,
                                           const uint64_t *x, size_t n,
                                           size_t begin, size_t end,
                                           uint32_t *least)
{
    const size_t width = family->n_lanes;
    for (size_t j = 0; j < n; j++)
        for (size_t i = begin; i < end; i += 16) {
            __m512i sum = _mm512_loadu_si512(family->lane_start + i);
            for (size_t b = 0; b < 8; b++)
                sum = _mm512_xor_si512(
                    sum, _mm512_loadu_si512(
                             family->lane_row +
                             (b * 256 + (x[j] >> (8 * b) & 0xff)) * width + i));
            _mm512_storeu_si512(
                least + i,
                _mm512_min_epu32(sum, _mm512_loadu_si512(least + i)));
        }
}

OG_TARGET_AVX512 void og_multiply_least_avx512(const struct og_family *family,
                                               const uint64_t *x, size_t n,
                                               size_t begin, size_t end,
                                               uint32_t *least)
{
    for (size_t i = begin; i < end; i += 8) {
        const __m512i mul = _mm512_loadu_si512(family->lane_mul64 + i);
        const __m512i add = _mm512_loadu_si512(family->lane_add64 + i);
        __m256i low = _mm256_loadu_si256((const __m256i *)(least + i));
        for (size_t j = 0; j < n; j++) {
            const __m512i v = _mm512_add_epi64(
                _mm512_mullo_epi64(_mm512_set1_epi64((long long)x[j]), mul),
                add);
            low = _mm256_min_epu32(
                low, _mm512_cvtepi64_epi32(_mm512_srli_epi64(v, 32)));
        }
        _mm256_storeu_si256((__m256i *)(least + i), low);
    }
}
#endif
