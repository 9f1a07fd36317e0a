/* Ioffe's scheme, 16 samples at a time: the same numbers as the plain form.
 *
 * A feature needs three logarithms per sample; two of them only give c, and
 * most features lose whatever their c is. So features are processed in blocks,
 * in two passes. The first computes everything but c, without a branch, with
 * lower and upper bounds of the rank, for which a subtraction and the bits of
 * two floats suffice. Then the smallest upper bound is known, and c is computed
 * where the lower bound is below it, in any of the 16 samples: for few
 * features, and the test that finds them waits for nothing but a load. */

#include "lib/sketch/ioffe.h"

#if defined(OG_X86)
#include <immintrin.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* ---- the numbers of ioffe.h ---- */

OG_TARGET_AVX512 static ALWAYS_INLINE __m512 step_of(__m512 p, __m512 f,
                                                     float add)
{
    return _mm512_add_ps(_mm512_mul_ps(p, f), _mm512_set1_ps(add));
}

/* ln of the float x / 2^scale. */
OG_TARGET_AVX512 static ALWAYS_INLINE __m512 ln_of(__m512 x, int scale)
{
    const __m512i bits = _mm512_sub_epi32(_mm512_castps_si512(x),
                                          _mm512_set1_epi32(scale << 23));
    /* The exponent in place, scaled by 2^23: a power of two that the factor of
     * the last product removes. */
    const __m512i e =
        _mm512_and_si512(_mm512_sub_epi32(bits, _mm512_set1_epi32(OG_LN_ROOT)),
                         _mm512_set1_epi32(-0x800000));
    const __m512 f = _mm512_sub_ps(
        _mm512_castsi512_ps(_mm512_sub_epi32(bits, e)), _mm512_set1_ps(1.0f));
    __m512 p = step_of(_mm512_set1_ps(OG_LN_5), f, OG_LN_4);
    p = step_of(p, f, OG_LN_3);
    p = step_of(p, f, OG_LN_2);
    p = step_of(p, f, OG_LN_1);
    p = step_of(p, f, OG_LN_0);
    return _mm512_add_ps(_mm512_mul_ps(p, f),
                         _mm512_mul_ps(_mm512_cvtepi32_ps(e),
                                       _mm512_set1_ps(OG_LN_TWO * 0x1p-23f)));
}

OG_TARGET_AVX512 static ALWAYS_INLINE __m512i fold(__m512i v, const int shift)
{
    return _mm512_xor_si512(v, _mm512_srli_epi32(v, (unsigned)shift));
}

OG_TARGET_AVX512 static ALWAYS_INLINE __m512i times(__m512i v, uint32_t m)
{
    return _mm512_mullo_epi32(v, _mm512_set1_epi32((int)m));
}

OG_TARGET_AVX512 static ALWAYS_INLINE __m512i plus_times(__m512i v, uint32_t a,
                                                         uint32_t m)
{
    return times(_mm512_add_epi32(v, _mm512_set1_epi32((int)a)), m);
}

/* (v >> n) + 0.5, scaled by 2^n: the half replaces all bits below n. */
OG_TARGET_AVX512 static ALWAYS_INLINE __m512 half_up(__m512i v, const int n)
{
    return _mm512_cvtepu32_ps(
        _mm512_ternarylogic_epi32(v, _mm512_set1_epi32((int)(UINT32_MAX << n)),
                                  _mm512_set1_epi32(1 << (n - 1)), 0xea));
}

/* The low 9 bits of b and of c as 18 bits, plus a half. */
OG_TARGET_AVX512 static ALWAYS_INLINE __m512 offset_of(__m512i b, __m512i c)
{
    const __m512i bits = _mm512_ternarylogic_epi32(
        _mm512_slli_epi32(c, 14), _mm512_set1_epi32(511 << 14),
        _mm512_slli_epi32(b, 23), 0xea);
    return _mm512_mul_ps(
        _mm512_cvtepu32_ps(_mm512_or_si512(bits, _mm512_set1_epi32(1 << 13))),
        _mm512_set1_ps(0x1p-32f));
}

/* ---- the two passes ---- */

/* What is known about a feature without c: the product p with c = -ln p, scaled
 * by 2^64; -ln z; a lower bound of the rank. */
struct half_done {
    __m512 p, minus_log_z, below;
};

/* The bits of a positive float, as a number, are 2^23 (127 + log2 x) less 0 to
 * 0.0861 * 2^23. */
#define LN_OF_BITS (OG_LN_TWO * 0x1p-23f)
#define HAIR       0.001f /* more than all rounding errors */

/* c is between 1 - p and (1 - p) / sqrt(p). In logarithms both need the bits of
 * 1 - p, and the upper bound also one half of those of p. Constants are
 * omitted: above() adds them. */
OG_TARGET_AVX512 static ALWAYS_INLINE struct half_done
bound(__m512 p, __m512 minus_log_z, __m512 *least)
{
    const __m512 factor = _mm512_set1_ps(LN_OF_BITS);
    const __m512 rest =
        _mm512_fnmadd_ps(p, _mm512_set1_ps(0x1p-64f), _mm512_set1_ps(1.0f));
    const __m512 below = _mm512_fmadd_ps(
        _mm512_cvtepi32_ps(_mm512_castps_si512(rest)), factor,
        _mm512_sub_ps(minus_log_z, _mm512_set1_ps(127 * OG_LN_TWO + HAIR)));
    const __m512 above =
        _mm512_fnmadd_ps(_mm512_cvtepi32_ps(_mm512_castps_si512(p)),
                         _mm512_set1_ps(LN_OF_BITS / 2), below);
    *least = _mm512_min_ps(*least, above);
    return (struct half_done){p, minus_log_z, below};
}

/* What bound() omits: the error of the bits of 1 - p, the exponent of p. */
#define ABOVE ((0.0861f + (127 + 64) / 2.0f) * OG_LN_TWO + 3 * HAIR)

/* The first pass over one feature; lowers `least`, the smallest upper bound. */
OG_TARGET_AVX512 static ALWAYS_INLINE struct half_done
begin_feature(uint64_t hash, float log_w, __m512i mul, __m512 *least)
{
    __m512i a = _mm512_mullo_epi32(_mm512_set1_epi32((int)(uint32_t)hash), mul);
    a = _mm512_add_epi32(fold(a, 16), _mm512_set1_epi32((int)(hash >> 32)));
    a = fold(times(a, OG_IOFFE_M1), 15);
    a = fold(times(a, OG_IOFFE_M2), 16);
    const __m512i b = fold(plus_times(a, OG_IOFFE_A1, OG_IOFFE_M3), 15);
    const __m512i c = fold(plus_times(b, OG_IOFFE_A2, OG_IOFFE_M4), 16);
    const __m512 u =
        _mm512_mul_ps(half_up(a, 16), half_up(_mm512_slli_epi32(a, 16), 16));
    const __m512 p = _mm512_mul_ps(half_up(b, 9), half_up(c, 9));
    const __m512 minus_r = ln_of(u, 64);
    const __m512 offset = offset_of(b, c);
    const __m512 step = _mm512_roundscale_ps(
        _mm512_add_ps(_mm512_div_ps(_mm512_set1_ps(-log_w), minus_r), offset),
        _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    const __m512 minus_log_z =
        _mm512_mul_ps(minus_r, _mm512_add_ps(_mm512_sub_ps(step, offset),
                                             _mm512_set1_ps(1.0f)));
    return bound(p, minus_log_z, least);
}

OG_TARGET_AVX512 static ALWAYS_INLINE __m512
rank_of(const struct half_done *feature)
{
    const __m512 minus_c = ln_of(feature->p, 64);
    const __m512 c = _mm512_castsi512_ps(_mm512_xor_si512(
        _mm512_castps_si512(minus_c), _mm512_set1_epi32(INT32_MIN)));
    return _mm512_add_ps(ln_of(c, 0), feature->minus_log_z);
}

OG_TARGET_AVX512 void og_ioffe_lanes_avx512(const uint64_t *hash,
                                            const float *log_w, size_t n,
                                            const uint32_t *mul, float *best,
                                            uint32_t *winner)
{
    enum { BLOCK = 64 };
    const __m512i m = _mm512_loadu_si512(mul);
    __m512 low = _mm512_loadu_ps(best), least = low;
    __m512i who = _mm512_loadu_si512(winner);
    for (size_t begin = 0; begin < n; begin += BLOCK) {
        struct half_done feature[BLOCK];
        const size_t n_here = n - begin < BLOCK ? n - begin : BLOCK;
        for (size_t i = 0; i < n_here; i++)
            feature[i] =
                begin_feature(hash[begin + i], log_w[begin + i], m, &least);
        const __m512 above =
            _mm512_min_ps(low, _mm512_add_ps(least, _mm512_set1_ps(ABOVE)));
        for (size_t i = 0; i < n_here; i++) {
            if (_mm512_cmp_ps_mask(feature[i].below, above, _CMP_LE_OQ) == 0)
                continue;
            const __m512 rank = rank_of(&feature[i]);
            const __mmask16 wins = _mm512_cmp_ps_mask(rank, low, _CMP_LT_OQ);
            low = _mm512_mask_mov_ps(low, wins, rank);
            who = _mm512_mask_set1_epi32(who, wins, (int)(begin + i));
        }
    }
    _mm512_storeu_ps(best, low);
    _mm512_storeu_si512(winner, who);
}
#endif
