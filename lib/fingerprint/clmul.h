#ifndef OG_FINGERPRINT_CLMUL_H
#define OG_FINGERPRINT_CLMUL_H

/* Products in GF(2^64) by the carry-less multiply instruction.
 *
 * Elements are stored backwards (field.h), so the 128-bit carry-less product
 * of a and b, read backwards too, is a * b * x: the high word is its residue
 * part, the low word holds the powers x^64 and up. Factors that we multiply by
 * are therefore stored with one power of x less.
 *
 * Reduction: add the multiple of the modulus that clears the low word. With
 * the modulus written as an odd number (x^64 in bit 0) that multiple is
 * low * odd^-1 modulo 2^64: Montgomery's trick without carries. Its top bit
 * x^0, the 65th, is left out of `odd` and added by hand. */

#include "lib/base/bits.h"
#include "lib/fingerprint/rabin.h"

#if defined(OG_X86)
#include <immintrin.h>

OG_TARGET_SSE42 static inline uint64_t
og_clmul_reduce(const struct og_rabin *rabin, __m128i product)
{
    const __m128i key =
        _mm_set_epi64x((long long)rabin->odd, (long long)rabin->inverse);
    const __m128i multiple = _mm_clmulepi64_si128(product, key, 0x00);
    const __m128i cleared = _mm_clmulepi64_si128(multiple, key, 0x10);
    return (uint64_t)_mm_extract_epi64(product, 1) ^
           (uint64_t)_mm_extract_epi64(cleared, 1) ^
           (uint64_t)_mm_cvtsi128_si64(multiple);
}

OG_TARGET_SSE42 static inline __m128i og_clmul(uint64_t a, uint64_t b)
{
    return _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)a),
                                _mm_cvtsi64_si128((long long)b), 0x00);
}
#endif

#endif
