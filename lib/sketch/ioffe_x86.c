/* Ioffe's scheme, 16 samples at a time: the same numbers as the plain form.
 *
 * A feature needs three logarithms for each sample; two of them only tell c,
 * and most features are beaten whatever their c is. As -ln p >= 1 - p, and the
 * bits of a float, read as a number, lie below its logarithm to base 2, a
 * bound of ln c from below costs one subtraction and one conversion. Where it
 * is above what would win, in all 16 samples, the rest is left out. */

#include "lib/sketch/ioffe.h"

#if defined(OG_X86)
#include <immintrin.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))

OG_TARGET_AVX512 static ALWAYS_INLINE __m512 step_of(__m512 p, __m512 f,
                                                     float add)
{
    return _mm512_add_ps(_mm512_mul_ps(p, f), _mm512_set1_ps(add));
}

OG_TARGET_AVX512 static ALWAYS_INLINE __m512 ln_bits(__m512i bits)
{
    const __m512i e = _mm512_srai_epi32(
        _mm512_sub_epi32(bits, _mm512_set1_epi32(OG_LN_ROOT)), 23);
    const __m512 f = _mm512_sub_ps(
        _mm512_castsi512_ps(_mm512_sub_epi32(bits, _mm512_slli_epi32(e, 23))),
        _mm512_set1_ps(1.0f));
    __m512 p = step_of(_mm512_set1_ps(OG_LN_5), f, OG_LN_4);
    p = step_of(p, f, OG_LN_3);
    p = step_of(p, f, OG_LN_2);
    p = step_of(p, f, OG_LN_1);
    p = step_of(p, f, OG_LN_0);
    return _mm512_add_ps(
        _mm512_mul_ps(p, f),
        _mm512_mul_ps(_mm512_cvtepi32_ps(e), _mm512_set1_ps(OG_LN_TWO)));
}

OG_TARGET_AVX512 static ALWAYS_INLINE __m512i fold(__m512i v, const int shift)
{
    return _mm512_xor_si512(v, _mm512_srli_epi32(v, (unsigned)shift));
}

OG_TARGET_AVX512 static ALWAYS_INLINE __m512i times(__m512i v, uint32_t m)
{
    return _mm512_mullo_epi32(v, _mm512_set1_epi32((int)m));
}

OG_TARGET_AVX512 static ALWAYS_INLINE __m512 half_up(__m512i v)
{
    return _mm512_add_ps(_mm512_cvtepi32_ps(v), _mm512_set1_ps(0.5f));
}

OG_TARGET_AVX512 static ALWAYS_INLINE __m512 negated(__m512 v)
{
    return _mm512_castsi512_ps(
        _mm512_xor_si512(_mm512_castps_si512(v), _mm512_set1_epi32(INT32_MIN)));
}

/* ln of what c must stay below to win, and -ln of what it is: see above. */
OG_TARGET_AVX512 static ALWAYS_INLINE __mmask16 may_win(__m512 v, __m512 limit)
{
    const __m512 rest = _mm512_sub_ps(
        _mm512_set1_ps(1.0f), _mm512_mul_ps(v, _mm512_set1_ps(0x1p-46f)));
    const __m512 about = _mm512_mul_ps(
        _mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_castps_si512(rest),
                                            _mm512_set1_epi32(0x3f800000))),
        _mm512_set1_ps(OG_LN_TWO * 0x1p-23f));
    /* A hair of room for the roundings on both sides. */
    return _mm512_cmp_ps_mask(
        about, _mm512_add_ps(limit, _mm512_set1_ps(0.001f)), _CMP_LT_OQ);
}

OG_TARGET_AVX512 void og_ioffe_lanes_avx512(const uint64_t *hash,
                                            const float *log_w, size_t n,
                                            const uint32_t *mul, float *best,
                                            uint32_t *winner)
{
    const __m512i m = _mm512_loadu_si512(mul);
    __m512 low = _mm512_loadu_ps(best);
    __m512i who = _mm512_loadu_si512(winner);
    for (size_t i = 0; i < n; i++) {
        __m512i a =
            _mm512_mullo_epi32(_mm512_set1_epi32((int)(uint32_t)hash[i]), m);
        a = _mm512_add_epi32(fold(a, 16),
                             _mm512_set1_epi32((int)(hash[i] >> 32)));
        a = fold(times(a, OG_IOFFE_M1), 15);
        a = fold(times(a, OG_IOFFE_M2), 16);
        const __m512i b =
            fold(times(_mm512_add_epi32(a, _mm512_set1_epi32((int)OG_IOFFE_A1)),
                       OG_IOFFE_M3),
                 15);
        const __m512i c =
            fold(times(_mm512_add_epi32(b, _mm512_set1_epi32((int)OG_IOFFE_A2)),
                       OG_IOFFE_M4),
                 16);
        const __m512 u = _mm512_mul_ps(
            half_up(_mm512_srli_epi32(a, 16)),
            half_up(_mm512_and_si512(a, _mm512_set1_epi32(0xffff))));
        const __m512 v = _mm512_mul_ps(half_up(_mm512_srli_epi32(b, 9)),
                                       half_up(_mm512_srli_epi32(c, 9)));
        const __m512 r = negated(ln_bits(_mm512_sub_epi32(
            _mm512_castps_si512(u), _mm512_set1_epi32(32 << 23))));
        const __m512i low_bits = _mm512_set1_epi32(511);
        const __m512 offset = _mm512_mul_ps(
            half_up(_mm512_or_si512(
                _mm512_slli_epi32(_mm512_and_si512(b, low_bits), 9),
                _mm512_and_si512(c, low_bits))),
            _mm512_set1_ps(0x1p-18f));
        const __m512 t = _mm512_roundscale_ps(
            _mm512_add_ps(_mm512_div_ps(_mm512_set1_ps(log_w[i]), r), offset),
            _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
        const __m512 log_z = _mm512_mul_ps(
            r, _mm512_add_ps(_mm512_sub_ps(t, offset), _mm512_set1_ps(1.0f)));
        if (may_win(v, _mm512_add_ps(low, log_z)) == 0) continue;
        const __m512 gamma = negated(ln_bits(_mm512_sub_epi32(
            _mm512_castps_si512(v), _mm512_set1_epi32(46 << 23))));
        const __m512 rank =
            _mm512_sub_ps(ln_bits(_mm512_castps_si512(gamma)), log_z);
        const __mmask16 wins = _mm512_cmp_ps_mask(rank, low, _CMP_LT_OQ);
        low = _mm512_mask_mov_ps(low, wins, rank);
        who = _mm512_mask_set1_epi32(who, wins, (int)(uint32_t)i);
    }
    _mm512_storeu_ps(best, low);
    _mm512_storeu_si512(winner, who);
}
#endif
