#ifndef OG_TABLE_BYTE_VECTORS_H
#define OG_TABLE_BYTE_VECTORS_H

/* 64 slots at a time: what thin.c and learn.c do with their states. */

#include "lib/base/bits.h"

#if defined(OG_X86)
#include <immintrin.h>

/* 64 look-ups in a table of 256 bytes held in four registers. */
OG_TARGET_AVX512 static inline __m512i og_bytes_look_up(const uint8_t *table,
                                                        __m512i index)
{
    const __m512i low = _mm512_permutex2var_epi8(
        _mm512_loadu_si512(table), index, _mm512_loadu_si512(table + 64));
    const __m512i high =
        _mm512_permutex2var_epi8(_mm512_loadu_si512(table + 128), index,
                                 _mm512_loadu_si512(table + 192));
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high);
}

/* The largest of 64 bytes. One instruction finds the smallest of eight words:
 * applied to the larger of each pair of bytes, inverted. */
OG_TARGET_AVX512 static inline uint8_t og_bytes_largest(__m512i bytes)
{
    const __m256i a = _mm256_max_epu8(_mm512_castsi512_si256(bytes),
                                      _mm512_extracti64x4_epi64(bytes, 1));
    const __m128i b =
        _mm_max_epu8(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    const __m128i c = _mm_max_epu8(b, _mm_srli_epi16(b, 8));
    const __m128i low = _mm_set1_epi16(255);
    const __m128i d = _mm_xor_si128(_mm_and_si128(c, low), low);
    return (uint8_t)(255 - _mm_cvtsi128_si32(_mm_minpos_epu16(d)));
}

#endif

#endif
