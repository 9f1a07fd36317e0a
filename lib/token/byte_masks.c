/* The kernels of the tokenisers: bytes to masks, masks to positions.
 *
 * With AVX-512 a block is one register: a comparison gives the mask as it is,
 * and VPCOMPRESSB packs the numbers 0 to 63 under the mask, which are the
 * positions; they are widened to 32 bits, 16 at a time. (The form of
 * VPCOMPRESSB that writes to memory is microcoded on Zen 4 and some thirty
 * times slower: compress to a register, then store.) AVX2 and SSE4.2 make the
 * mask from 2 or 4 registers. Without a compress, bits are taken from the
 * mask one by one. No branch predictor can guess the number of tokens in a
 * block, so it should decide few branches: four are always taken at a time,
 * and with TZCNT and BLSR, where one is two instructions, a dozen, which is
 * more than most blocks of text have. */

#include "lib/token/byte_masks.h"

#include "lib/base/bits.h"
#include "lib/os/cpu.h"

#if defined(OG_X86)
#include <immintrin.h>
#endif

/* ---- plain ---- */

#define ONES     0x0101010101010101u
#define TOP_BITS 0x8080808080808080u

/* Eight bytes in a word: the top bit of each that is in first .. last. Sums of
 * seven-bit numbers do not overflow into the next byte. */
static inline uint64_t in_range_plain(uint64_t w, char first, char last)
{
    const uint64_t low = w & ~TOP_BITS;
    const uint64_t from_first = low + ONES * (uint64_t)(0x80 - first);
    const uint64_t past_last = low + ONES * (uint64_t)(0x7f - last);
    return from_first & ~past_last & ~w & TOP_BITS;
}

/* Gathers the top bits of the eight bytes into the lowest byte. */
static inline uint64_t bits_of_plain(uint64_t top_bits, unsigned eighth)
{
    return (top_bits >> 7) * 0x0102040810204080u >> 56 << 8 * eighth;
}

static inline uint64_t words_of_plain(uint64_t w)
{
    return in_range_plain(w, 'a', 'z') | in_range_plain(w, '0', '9');
}

static inline uint64_t bases_of_plain(uint64_t w)
{
    return in_range_plain(w, 'a', 'a') | in_range_plain(w, 'c', 'c') |
           in_range_plain(w, 'g', 'g') | in_range_plain(w, 't', 'u');
}

static void words_plain(const char *data, size_t n_blocks, struct og_masks *out)
{
    for (size_t b = 0; b < n_blocks; b++) {
        struct og_masks m = {0};
        for (unsigned i = 0; i < 8; i++, data += 8) {
            const uint64_t w = og_load64(data);
            m.member |= bits_of_plain(words_of_plain(w), i);
            m.lead |= bits_of_plain(w & w << 1 & TOP_BITS, i);
            m.tail |= bits_of_plain(w & ~(w << 1) & TOP_BITS, i);
        }
        out[b] = m;
    }
}

static void bases_plain(const char *data, size_t n_blocks, uint64_t *out)
{
    for (size_t b = 0; b < n_blocks; b++) {
        out[b] = 0;
        for (unsigned i = 0; i < 8; i++, data += 8)
            out[b] |= bits_of_plain(bases_of_plain(og_load64(data)), i);
    }
}

static inline unsigned take_lowest(uint64_t *mask)
{
    const unsigned i = (unsigned)__builtin_ctzll(*mask | (uint64_t)1 << 63);
    *mask &= *mask - 1;
    return i;
}

/* The body of the forms without a compress, compiled for each of them. */
static inline __attribute__((always_inline)) size_t
positions_by_fours(const uint64_t *masks, size_t n_blocks, uint32_t base,
                   uint32_t *out)
{
    size_t n = 0;
    for (size_t b = 0; b < n_blocks; b++, base += OG_MASK_BLOCK) {
        uint64_t mask = masks[b];
        const size_t n_here = (size_t)__builtin_popcountll(mask);
        for (size_t i = 0; i < n_here; i += 4) {
            out[n + i + 0] = base + take_lowest(&mask);
            out[n + i + 1] = base + take_lowest(&mask);
            out[n + i + 2] = base + take_lowest(&mask);
            out[n + i + 3] = base + take_lowest(&mask);
        }
        n += n_here;
    }
    return n;
}

size_t og_mask_positions_plain(const uint64_t *masks, size_t n_blocks,
                               uint32_t base, uint32_t *out)
{
    return positions_by_fours(masks, n_blocks, base, out);
}

const struct og_mask_kernels og_mask_kernels_plain = {words_plain, bases_plain,
                                                      og_mask_positions_plain};

#if defined(OG_X86)

/* ---- SSE4.2 ---- */

/* c is in low .. low + n - 1: moved so that these are the smallest signed
 * numbers, one comparison decides. */
OG_TARGET_SSE42
static inline __m128i in_range_sse42(__m128i v, char low, char n)
{
    const __m128i moved = _mm_add_epi8(v, _mm_set1_epi8((char)(-128 - low)));
    return _mm_cmplt_epi8(moved, _mm_set1_epi8((char)(-128 + n)));
}

OG_TARGET_SSE42
static inline __m128i words_of_sse42(__m128i v)
{
    return _mm_or_si128(in_range_sse42(v, 'a', 26), in_range_sse42(v, '0', 10));
}

OG_TARGET_SSE42
static inline __m128i bases_of_sse42(__m128i v)
{
    const __m128i a = _mm_cmpeq_epi8(v, _mm_set1_epi8('a'));
    const __m128i c = _mm_cmpeq_epi8(v, _mm_set1_epi8('c'));
    const __m128i g = _mm_cmpeq_epi8(v, _mm_set1_epi8('g'));
    const __m128i t = in_range_sse42(v, 't', 2); /* and u */
    return _mm_or_si128(_mm_or_si128(a, c), _mm_or_si128(g, t));
}

OG_TARGET_SSE42
static inline uint64_t bits_of_sse42(__m128i v, unsigned quarter)
{
    return (uint64_t)(unsigned)_mm_movemask_epi8(v) << (16 * quarter);
}

OG_TARGET_SSE42
static void words_sse42(const char *data, size_t n_blocks, struct og_masks *out)
{
    const __m128i *p = (const __m128i *)data;
    const __m128i first_lead = _mm_set1_epi8((char)0xc0);
    for (size_t b = 0; b < n_blocks; b++) {
        uint64_t member = 0, high = 0, tail = 0;
        for (unsigned q = 0; q < 4; q++) {
            const __m128i v = _mm_loadu_si128(p++);
            member |= bits_of_sse42(words_of_sse42(v), q);
            high |= bits_of_sse42(v, q);
            tail |= bits_of_sse42(_mm_cmplt_epi8(v, first_lead), q);
        }
        out[b] = (struct og_masks){member, high & ~tail, tail};
    }
}

OG_TARGET_SSE42
static void bases_sse42(const char *data, size_t n_blocks, uint64_t *out)
{
    const __m128i *p = (const __m128i *)data;
    for (size_t b = 0; b < n_blocks; b++) {
        out[b] = 0;
        for (unsigned q = 0; q < 4; q++)
            out[b] |= bits_of_sse42(bases_of_sse42(_mm_loadu_si128(p++)), q);
    }
}

OG_TARGET_SSE42
static size_t positions_sse42(const uint64_t *masks, size_t n_blocks,
                              uint32_t base, uint32_t *out)
{
    return positions_by_fours(masks, n_blocks, base, out);
}

static const struct og_mask_kernels kernels_sse42 = {words_sse42, bases_sse42,
                                                     positions_sse42};

/* ---- AVX2 ---- */

OG_TARGET_AVX2
static inline __m256i in_range_avx2(__m256i v, char low, char n)
{
    const __m256i moved =
        _mm256_add_epi8(v, _mm256_set1_epi8((char)(-128 - low)));
    return _mm256_cmpgt_epi8(_mm256_set1_epi8((char)(-128 + n)), moved);
}

OG_TARGET_AVX2
static inline __m256i words_of_avx2(__m256i v)
{
    return _mm256_or_si256(in_range_avx2(v, 'a', 26),
                           in_range_avx2(v, '0', 10));
}

OG_TARGET_AVX2
static inline __m256i bases_of_avx2(__m256i v)
{
    const __m256i a = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('a'));
    const __m256i c = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('c'));
    const __m256i g = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('g'));
    const __m256i t = in_range_avx2(v, 't', 2); /* and u */
    return _mm256_or_si256(_mm256_or_si256(a, c), _mm256_or_si256(g, t));
}

OG_TARGET_AVX2
static inline uint64_t bits_of_avx2(__m256i low, __m256i high)
{
    return (uint64_t)(unsigned)_mm256_movemask_epi8(low) |
           (uint64_t)(unsigned)_mm256_movemask_epi8(high) << 32;
}

OG_TARGET_AVX2
static void words_avx2(const char *data, size_t n_blocks, struct og_masks *out)
{
    const __m256i *p = (const __m256i *)data;
    const __m256i first_lead = _mm256_set1_epi8((char)0xc0);
    for (size_t b = 0; b < n_blocks; b++, p += 2) {
        const __m256i v0 = _mm256_loadu_si256(p);
        const __m256i v1 = _mm256_loadu_si256(p + 1);
        const uint64_t tail = bits_of_avx2(_mm256_cmpgt_epi8(first_lead, v0),
                                           _mm256_cmpgt_epi8(first_lead, v1));
        out[b].member = bits_of_avx2(words_of_avx2(v0), words_of_avx2(v1));
        out[b].lead = bits_of_avx2(v0, v1) & ~tail;
        out[b].tail = tail;
    }
}

OG_TARGET_AVX2
static void bases_avx2(const char *data, size_t n_blocks, uint64_t *out)
{
    const __m256i *p = (const __m256i *)data;
    for (size_t b = 0; b < n_blocks; b++, p += 2)
        out[b] = bits_of_avx2(bases_of_avx2(_mm256_loadu_si256(p)),
                              bases_of_avx2(_mm256_loadu_si256(p + 1)));
}

/* TZCNT of a mask without bits is 64: that position is never used. */
OG_TARGET_AVX2
static inline uint32_t take_lowest_avx2(uint64_t *mask)
{
    const uint32_t at = (uint32_t)_tzcnt_u64(*mask);
    *mask = _blsr_u64(*mask);
    return at;
}

#define AT_ONCE 12

OG_TARGET_AVX2
static size_t positions_avx2(const uint64_t *masks, size_t n_blocks,
                             uint32_t base, uint32_t *out)
{
    const uint32_t *const begin = out;
    for (size_t b = 0; b < n_blocks; b++, base += OG_MASK_BLOCK) {
        uint64_t mask = masks[b];
        const size_t n_here = (size_t)__builtin_popcountll(mask);
        for (size_t i = 0; i < AT_ONCE; i++)
            out[i] = base + take_lowest_avx2(&mask);
        if (OG_UNLIKELY(n_here > AT_ONCE))
            for (size_t i = AT_ONCE; i < n_here; i++)
                out[i] = base + take_lowest_avx2(&mask);
        out += n_here;
    }
    return (size_t)(out - begin);
}

static const struct og_mask_kernels kernels_avx2 = {words_avx2, bases_avx2,
                                                    positions_avx2};

/* ---- AVX-512 ---- */

OG_TARGET_AVX512
static inline uint64_t in_range_avx512(__m512i v, char low, char n)
{
    return _mm512_cmplt_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8(low)),
                                  _mm512_set1_epi8(n));
}

OG_TARGET_AVX512
static void words_avx512(const char *data, size_t n_blocks,
                         struct og_masks *out)
{
    const __m512i first_lead = _mm512_set1_epi8((char)0xc0);
    for (size_t b = 0; b < n_blocks; b++, data += OG_MASK_BLOCK) {
        const __m512i v = _mm512_loadu_si512(data);
        out[b].member =
            in_range_avx512(v, 'a', 26) | in_range_avx512(v, '0', 10);
        out[b].lead = _mm512_cmpge_epu8_mask(v, first_lead);
        out[b].tail = _mm512_cmplt_epi8_mask(v, first_lead);
    }
}

OG_TARGET_AVX512
static void bases_avx512(const char *data, size_t n_blocks, uint64_t *out)
{
    for (size_t b = 0; b < n_blocks; b++, data += OG_MASK_BLOCK) {
        const __m512i v = _mm512_loadu_si512(data);
        out[b] = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('a')) |
                 _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('c')) |
                 _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('g')) |
                 in_range_avx512(v, 't', 2); /* and u */
    }
}

OG_TARGET_AVX512
static inline void widen_16(uint32_t *out, __m128i bytes, __m512i base)
{
    _mm512_storeu_si512(out,
                        _mm512_add_epi32(base, _mm512_cvtepu8_epi32(bytes)));
}

/* 0, 1, 2 ... 63 */
OG_TARGET_AVX512
static inline __m512i count_up(void)
{
    static const uint8_t numbers[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
        32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
        48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
    };
    return _mm512_loadu_si512(numbers);
}

OG_TARGET_AVX512
static size_t positions_avx512(const uint64_t *masks, size_t n_blocks,
                               uint32_t base, uint32_t *out)
{
    const __m512i numbers = count_up();
    const uint32_t *const begin = out;
    for (size_t b = 0; b < n_blocks; b++, base += OG_MASK_BLOCK) {
        const size_t n_here = (size_t)__builtin_popcountll(masks[b]);
        const __m512i at = _mm512_maskz_compress_epi8(masks[b], numbers);
        const __m512i from = _mm512_set1_epi32((int)base);
        widen_16(out, _mm512_castsi512_si128(at), from);
        if (OG_UNLIKELY(n_here > 16)) {
            widen_16(out + 16, _mm512_extracti32x4_epi32(at, 1), from);
            if (n_here > 32) {
                widen_16(out + 32, _mm512_extracti32x4_epi32(at, 2), from);
                widen_16(out + 48, _mm512_extracti32x4_epi32(at, 3), from);
            }
        }
        out += n_here;
    }
    return (size_t)(out - begin);
}

static const struct og_mask_kernels kernels_avx512 = {
    words_avx512, bases_avx512, positions_avx512};

#endif

const struct og_mask_kernels *og_mask_kernels_choose(void)
{
    switch (og_cpu_level()) {
#if defined(OG_X86)
    case OG_CPU_AVX512: return &kernels_avx512;
    case OG_CPU_AVX2: return &kernels_avx2;
    case OG_CPU_SSE42: return &kernels_sse42;
#endif
#if defined(OG_NEON)
    case OG_CPU_PMULL:
    case OG_CPU_NEON: return &og_mask_kernels_neon;
#endif
    default: return &og_mask_kernels_plain;
    }
}
