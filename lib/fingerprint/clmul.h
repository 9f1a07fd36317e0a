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
 * x^0, the 65th, is left out of `odd` and added by hand.
 *
 * A word stays in the vector unit from its load to its store: og_word. A
 * product is og_wide. Both machines have the same calls. */

#include "lib/base/neon.h"
#include "lib/fingerprint/rabin.h"

#if defined(OG_X86)
#include <immintrin.h>

typedef __m128i og_wide; /* a product */

OG_TARGET_CLMUL static inline og_wide og_wide_add(og_wide a, og_wide b)
{
    return _mm_xor_si128(a, b);
}

typedef __m128i og_word; /* the high word is 0 */

OG_TARGET_CLMUL static inline og_word og_word_of(uint64_t v)
{
    return _mm_cvtsi64_si128((long long)v);
}

OG_TARGET_CLMUL static inline og_word og_word_load(const uint64_t *word)
{
    return _mm_loadl_epi64((const __m128i *)word);
}

OG_TARGET_CLMUL static inline void og_word_store(uint64_t *out, og_word word)
{
    _mm_storel_epi64((__m128i *)out, word);
}

OG_TARGET_CLMUL static inline og_word og_word_add(og_word a, og_word b)
{
    return _mm_xor_si128(a, b);
}

OG_TARGET_CLMUL static inline og_wide og_word_product(og_word a, og_word b)
{
    return _mm_clmulepi64_si128(a, b, 0x00);
}

/* The word as the low half of a product. */
OG_TARGET_CLMUL static inline og_wide og_wide_of(og_word word)
{
    return word;
}

struct og_reducer {
    __m128i key; /* low: the inverse; high: the modulus */
};

OG_TARGET_CLMUL static inline struct og_reducer
og_reducer_of(const struct og_rabin *rabin)
{
    return (struct og_reducer){
        _mm_set_epi64x((long long)rabin->odd, (long long)rabin->inverse)};
}

OG_TARGET_CLMUL static inline og_word og_reduce(const struct og_reducer *by,
                                                og_wide product)
{
    const __m128i multiple = _mm_clmulepi64_si128(product, by->key, 0x00);
    const __m128i cleared = _mm_clmulepi64_si128(multiple, by->key, 0x10);
    const __m128i high = _mm_unpackhi_epi64(_mm_xor_si128(product, cleared),
                                            _mm_setzero_si128());
    return _mm_xor_si128(high, _mm_move_epi64(multiple));
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

typedef uint64x1_t og_word;

OG_TARGET_CLMUL static inline og_word og_word_of(uint64_t v)
{
    return vdup_n_u64(v);
}

OG_TARGET_CLMUL static inline og_word og_word_load(const uint64_t *word)
{
    return vld1_u64(word);
}

OG_TARGET_CLMUL static inline void og_word_store(uint64_t *out, og_word word)
{
    vst1_u64(out, word);
}

OG_TARGET_CLMUL static inline og_word og_word_add(og_word a, og_word b)
{
    return veor_u64(a, b);
}

OG_TARGET_CLMUL static inline og_wide og_word_product(og_word a, og_word b)
{
    return vreinterpretq_u64_p128(vmull_p64((poly64_t)vget_lane_u64(a, 0),
                                            (poly64_t)vget_lane_u64(b, 0)));
}

/* The word as the low half of a product. */
OG_TARGET_CLMUL static inline og_wide og_wide_of(og_word word)
{
    return vcombine_u64(word, vdup_n_u64(0));
}

OG_TARGET_CLMUL static inline og_wide og_clmul(uint64_t a, uint64_t b)
{
    return og_word_product(og_word_of(a), og_word_of(b));
}

struct og_reducer {
    og_word inverse, odd;
};

OG_TARGET_CLMUL static inline struct og_reducer
og_reducer_of(const struct og_rabin *rabin)
{
    return (struct og_reducer){og_word_of(rabin->inverse),
                               og_word_of(rabin->odd)};
}

OG_TARGET_CLMUL static inline og_word og_reduce(const struct og_reducer *by,
                                                og_wide product)
{
    const og_wide multiple =
        og_word_product(vget_low_u64(product), by->inverse);
    const og_wide cleared = og_word_product(vget_low_u64(multiple), by->odd);
    return veor_u64(vget_high_u64(veorq_u64(product, cleared)),
                    vget_low_u64(multiple));
}

OG_TARGET_CLMUL static inline uint64_t
og_clmul_reduce(const struct og_rabin *rabin, og_wide product)
{
    const struct og_reducer reducer = og_reducer_of(rabin);
    return vget_lane_u64(og_reduce(&reducer, product), 0);
}

#endif

#endif
