/* Folding runs of ASCII, a vector at a time.
 *
 * Each form does the same: load a block, find bytes with the top bit set (not
 * ASCII: stop there), add 0x20 to those in 'A'..'Z', store the whole block.
 * Bytes stored after the stop are overwritten by whatever comes
 * next, so the output needs no tail handling. The source has no padding, so the
 * last partial block is loaded under a mask (AVX-512) or taken by the plain
 * form.
 *
 * 'A'..'Z' in one signed comparison: c + (127 - 'Z') wraps so that exactly
 * these 26 are the largest numbers. */

#include "lib/text/ascii.h"

#include "lib/base/bits.h"
#include "lib/os/cpu.h"

#if defined(OG_X86)
#include <immintrin.h>
#endif

size_t og_ascii_fold_plain(char *dst, const char *src, size_t len)
{
    size_t i = 0;
    for (; i + 8 <= len; i += 8) {
        uint64_t w;
        memcpy(&w, src + i, 8);
        if (w & OG_ASCII_TOP_BITS) break;
        w = og_ascii_fold_word(w);
        memcpy(dst + i, &w, 8);
    }
    for (; i < len; i++) {
        const unsigned char c = (unsigned char)src[i];
        if (c >= 0x80) break;
        dst[i] = (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    }
    return i;
}

#if defined(OG_X86)

OG_TARGET_SSE42
static size_t fold_sse42(char *dst, const char *src, size_t len)
{
    const __m128i shift = _mm_set1_epi8(127 - 'Z');
    const __m128i limit = _mm_set1_epi8(127 - 26);
    const __m128i bit = _mm_set1_epi8(0x20);
    size_t i = 0;
    for (; i + 16 <= len; i += 16) {
        const __m128i v = _mm_loadu_si128((const __m128i *)(src + i));
        const __m128i upper = _mm_cmpgt_epi8(_mm_add_epi8(v, shift), limit);
        const __m128i folded = _mm_or_si128(v, _mm_and_si128(upper, bit));
        _mm_storeu_si128((__m128i *)(dst + i), folded);
        const unsigned high = (unsigned)_mm_movemask_epi8(v);
        if (high != 0) return i + (size_t)__builtin_ctz(high);
    }
    return i + og_ascii_fold_plain(dst + i, src + i, len - i);
}

OG_TARGET_AVX2
static size_t fold_avx2(char *dst, const char *src, size_t len)
{
    const __m256i shift = _mm256_set1_epi8(127 - 'Z');
    const __m256i limit = _mm256_set1_epi8(127 - 26);
    const __m256i bit = _mm256_set1_epi8(0x20);
    size_t i = 0;
    for (; i + 32 <= len; i += 32) {
        const __m256i v = _mm256_loadu_si256((const __m256i *)(src + i));
        const __m256i upper =
            _mm256_cmpgt_epi8(_mm256_add_epi8(v, shift), limit);
        const __m256i folded = _mm256_or_si256(v, _mm256_and_si256(upper, bit));
        _mm256_storeu_si256((__m256i *)(dst + i), folded);
        const unsigned high = (unsigned)_mm256_movemask_epi8(v);
        if (high != 0) return i + (size_t)__builtin_ctz(high);
    }
    return i + og_ascii_fold_plain(dst + i, src + i, len - i);
}

OG_TARGET_AVX512
static inline uint64_t fold_block_avx512(char *dst, __m512i v)
{
    const __mmask64 upper = _mm512_cmplt_epu8_mask(
        _mm512_sub_epi8(v, _mm512_set1_epi8('A')), _mm512_set1_epi8(26));
    _mm512_storeu_si512(
        dst, _mm512_mask_add_epi8(v, upper, v, _mm512_set1_epi8(0x20)));
    return _mm512_movepi8_mask(v);
}

OG_TARGET_AVX512
static size_t fold_avx512(char *dst, const char *src, size_t len)
{
    size_t i = 0;
    for (; i + 64 <= len; i += 64) {
        const uint64_t high =
            fold_block_avx512(dst + i, _mm512_loadu_si512(src + i));
        if (high != 0) return i + (size_t)__builtin_ctzll(high);
    }
    const __mmask64 rest = _bzhi_u64(UINT64_MAX, (unsigned)(len - i));
    const uint64_t high =
        fold_block_avx512(dst + i, _mm512_maskz_loadu_epi8(rest, src + i));
    return high != 0 ? i + (size_t)__builtin_ctzll(high) : len;
}

#endif

og_ascii_fold_fn *og_ascii_fold_choose(void)
{
    switch (og_cpu_level()) {
#if defined(OG_X86)
    case OG_CPU_AVX512: return fold_avx512;
    case OG_CPU_AVX2: return fold_avx2;
    case OG_CPU_SSE42: return fold_sse42;
#endif
#if defined(OG_NEON)
    case OG_CPU_PMULL:
    case OG_CPU_NEON: return og_ascii_fold_neon;
#endif
    default: return og_ascii_fold_plain;
    }
}
