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

#include "lib/base/neon.h"
#include "lib/fingerprint/rabin.h"

#if defined(OG_X86)
#include <immintrin.h>

typedef __m128i og_wide; /* a product */

OG_TARGET_CLMUL static inline og_wide og_wide_add(og_wide a, og_wide b)
{
    return _mm_xor_si128(a, b);
}

OG_TARGET_CLMUL static inline uint64_t
og_clmul_reduce(const struct og_rabin *rabin, og_wide product)
{
    const __m128i key =
        _mm_set_epi64x((long long)rabin->odd, (long long)rabin->inverse);
    const __m128i multiple = _mm_clmulepi64_si128(product, key, 0x00);
    const __m128i cleared = _mm_clmulepi64_si128(multiple, key, 0x10);
    return (uint64_t)_mm_extract_epi64(product, 1) ^
           (uint64_t)_mm_extract_epi64(cleared, 1) ^
           (uint64_t)_mm_cvtsi128_si64(multiple);
}

OG_TARGET_CLMUL static inline og_wide og_clmul(uint64_t a, uint64_t b)
{
    return _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)a),
                                _mm_cvtsi64_si128((long long)b), 0x00);
}
#endif

#if defined(OG_NEON)

typedef uint64x2_t og_wide;

OG_TARGET_CLMUL static inline og_wide og_wide_add(og_wide a, og_wide b)
{
    return veorq_u64(a, b);
}

/* The low words of both, multiplied. */
OG_TARGET_CLMUL static inline og_wide og_clmul_low(og_wide a, og_wide b)
{
    return vreinterpretq_u64_p128(vmull_p64((poly64_t)vgetq_lane_u64(a, 0),
                                            (poly64_t)vgetq_lane_u64(b, 0)));
}

OG_TARGET_CLMUL static inline og_wide og_clmul(uint64_t a, uint64_t b)
{
    return og_clmul_low(vdupq_n_u64(a), vdupq_n_u64(b));
}

/* Without leaving the vector unit; both factors in both words. */
OG_TARGET_CLMUL static inline uint64x1_t
og_clmul_reduce_by(og_wide inverse, og_wide odd, og_wide product)
{
    const og_wide multiple = og_clmul_low(product, inverse);
    const og_wide cleared = og_clmul_low(multiple, odd);
    return veor_u64(vget_high_u64(veorq_u64(product, cleared)),
                    vget_low_u64(multiple));
}

OG_TARGET_CLMUL static inline uint64_t
og_clmul_reduce(const struct og_rabin *rabin, og_wide product)
{
    return vget_lane_u64(og_clmul_reduce_by(vdupq_n_u64(rabin->inverse),
                                            vdupq_n_u64(rabin->odd), product),
                         0);
}

#endif

#endif
