/* Simhash in vectors.
 *
 * Counting: the planes of slices.h, 4 or 8 words wide. A full adder is two
 * ternary instructions with AVX-512, five without.
 *
 * Weighing: 64 sums of 32 bits are four AVX-512 registers, and the hash of a
 * feature, split into four, is the masks of its additions. The sums are flushed
 * to 64 bits before they can overflow, which the largest weight predicts. Small
 * whole weights can be counted instead of added: a pass over the planes for
 * every bit of the weight.
 *
 * The masks kernel counts by adding, too: 64 sums of 8 bits are one register,
 * the whole hash is one mask, one instruction a feature. It is simpler and
 * slower; the benchmark shows by how much. */

#include "lib/sketch/simhash.h"

#if defined(OG_X86)

#include <immintrin.h>
#include <string.h>

#include "lib/sketch/columns.h"

/* ---- counting: AVX2 ---- */

#define SLICES(name)  name##_avx2
#define SLICES_TARGET OG_TARGET_AVX2
#define VEC           __m256i
#define LANES         4
#define LOAD(p)       _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define SUM(a, b, c)  _mm256_xor_si256(_mm256_xor_si256(a, b), c)
#define CARRY(a, b, c)                                                         \
    _mm256_or_si256(_mm256_and_si256(a, b),                                    \
                    _mm256_and_si256(c, _mm256_xor_si256(a, b)))
#define SWAP(v, half)                                                          \
    ((half) == 2 ? _mm256_permute4x64_epi64(v, 0x4e)                           \
                 : _mm256_permute4x64_epi64(v, 0xb1))
#include "lib/sketch/slices.h"

/* ---- counting: AVX-512 ---- */

#define SLICES(name)   name##_avx512
#define SLICES_TARGET  OG_TARGET_AVX512
#define VEC            __m512i
#define LANES          8
#define LOAD(p)        _mm512_loadu_si512((const void *)(p))
#define SUM(a, b, c)   _mm512_ternarylogic_epi64(a, b, c, 0x96)
#define CARRY(a, b, c) _mm512_ternarylogic_epi64(a, b, c, 0xe8)
#define SWAP(v, half)                                                          \
    ((half) == 4   ? _mm512_shuffle_i64x2(v, v, 0x4e)                          \
     : (half) == 2 ? _mm512_permutex_epi64(v, 0x4e)                            \
                   : _mm512_permutex_epi64(v, 0xb1))
#include "lib/sketch/slices.h"

/* ---- signs of short lists ----
 *
 * What follows the counting costs more than it when there is little to count.
 * With a fixed number of planes all of it stays in registers. */

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define MOST_PLANES   9

/* Adds `b` to the planes of `a`, n each; the result has n + 1 planes. */
OG_TARGET_AVX512 static ALWAYS_INLINE void
add_planes(__m256i *a, const __m256i *b, const unsigned n)
{
    __m256i carry = _mm256_setzero_si256();
    for (unsigned i = 0; i < n; i++) {
        const __m256i sum = _mm256_ternarylogic_epi64(a[i], b[i], carry, 0x96);
        carry = _mm256_ternarylogic_epi64(a[i], b[i], carry, 0xe8);
        a[i] = sum;
    }
    a[n] = carry;
}

/* The sum over all lanes in each lane of `out`, n + 3 planes. */
OG_TARGET_AVX512 static ALWAYS_INLINE void
add_lanes(const __m512i *plane, const unsigned n, __m256i *out)
{
    __m256i other[MOST_PLANES + 2];
    for (unsigned i = 0; i < n; i++) {
        out[i] = _mm512_castsi512_si256(plane[i]);
        other[i] = _mm512_extracti64x4_epi64(plane[i], 1);
    }
    add_planes(out, other, n);
    for (unsigned i = 0; i < n + 1; i++)
        other[i] = _mm256_permute4x64_epi64(out[i], 0x4e);
    add_planes(out, other, n + 1);
    for (unsigned i = 0; i < n + 2; i++)
        other[i] = _mm256_permute4x64_epi64(out[i], 0xb1);
    add_planes(out, other, n + 2);
}

/* og_slices_above without a branch. */
OG_TARGET_AVX512 static ALWAYS_INLINE uint64_t
above_limit(const __m256i *column, const unsigned n, uint64_t limit)
{
    __m256i above = _mm256_setzero_si256(), equal = _mm256_set1_epi64x(-1);
    for (unsigned i = n; i-- > 0;) {
        const __m256i digit = _mm256_set1_epi64x(-(long long)(limit >> i & 1));
        const __m256i more = _mm256_andnot_si256(digit, column[i]);
        above = _mm256_ternarylogic_epi64(above, equal, more, 0xf8);
        equal = _mm256_ternarylogic_epi64(equal, column[i], digit, 0x90);
    }
    return (uint64_t)_mm256_extract_epi64(above, 0);
}

/* n hashes or the first 128 of them, padded with zeros. */
OG_TARGET_AVX512 static ALWAYS_INLINE void
take_block(const uint64_t *hash, size_t n, uint64_t block[128])
{
    for (size_t i = 0; i < 128; i += 8) {
        const uint32_t n_here = n > i ? (uint32_t)(n - i) : 0;
        const __mmask8 here = (__mmask8)_bzhi_u32(0xff, n_here);
        _mm512_storeu_si512(block + i,
                            _mm512_maskz_loadu_epi64(here, hash + i));
    }
}

/* Up to 128 << (n_planes - 5) hashes. */
OG_TARGET_AVX512 static ALWAYS_INLINE uint64_t sign_few(const uint64_t *hash,
                                                        size_t n,
                                                        const unsigned n_planes)
{
    __m512i plane[MOST_PLANES];
    __m256i column[MOST_PLANES + 3];
    uint64_t block[128];
    for (unsigned i = 0; i < n_planes; i++)
        plane[i] = _mm512_setzero_si512();
    for (size_t at = 0; at < n; at += 128) {
        const uint64_t *from = hash + at;
        if (n - at < 128) {
            take_block(from, n - at, block);
            from = block;
        }
        __m512i carry = add16_avx512(from, plane);
        for (unsigned i = 4; i < n_planes; i++) {
            const __m512i both = _mm512_and_si512(plane[i], carry);
            plane[i] = _mm512_xor_si512(plane[i], carry);
            carry = both;
        }
    }
    add_lanes(plane, n_planes, column);
    return above_limit(column, n_planes + 3, n / 2);
}

OG_TARGET_AVX512 static uint64_t sign_any_avx512(const uint64_t *hash, size_t n)
{
    if (n <= 128) return sign_few(hash, n, 5);
    if (n <= 2048) return sign_few(hash, n, MOST_PLANES);
    return sign_avx512(hash, n);
}

/* ---- counting with masks ---- */

/* ones[16 q + j] += the 32-bit sums of register q. */
OG_TARGET_AVX512 static void empty_sums(const __m512i sum[4], uint64_t ones[64])
{
    uint32_t narrow[64];
    for (unsigned q = 0; q < 4; q++)
        _mm512_storeu_si512(narrow + 16 * q, sum[q]);
    for (unsigned j = 0; j < 64; j++)
        ones[j] += narrow[j];
}

OG_TARGET_AVX512 static void count_masks(const uint64_t *hash, size_t n,
                                         uint64_t ones[64])
{
    enum { MOST = 255 }; /* the maximum of an 8-bit sum */
    const __m512i minus_one = _mm512_set1_epi8(-1);
    memset(ones, 0, 64 * sizeof(*ones));
    for (size_t i = 0; i < n; i += 2 * MOST) {
        const size_t end = n - i < 2 * MOST ? n : i + 2 * MOST;
        __m512i a = _mm512_setzero_si512(), b = a;
        size_t at = i;
        for (; at + 2 <= end; at += 2) {
            a = _mm512_mask_sub_epi8(a, hash[at], a, minus_one);
            b = _mm512_mask_sub_epi8(b, hash[at + 1], b, minus_one);
        }
        if (at < end) a = _mm512_mask_sub_epi8(a, hash[at], a, minus_one);
        uint8_t sum[2][64];
        _mm512_storeu_si512(sum[0], a);
        _mm512_storeu_si512(sum[1], b);
        for (unsigned j = 0; j < 64; j++)
            ones[j] += (uint64_t)sum[0][j] + sum[1][j];
    }
}

static uint64_t sign_masks(const uint64_t *hash, size_t n)
{
    uint64_t ones[64];
    count_masks(hash, n, ones);
    return og_simhash_signs(ones, n);
}

/* ---- weighing ---- */

/* The most features whose sum fits into 32 bits. */
static size_t most_at_once(uint32_t largest)
{
    return largest == 0 ? SIZE_MAX : UINT32_MAX / largest;
}

/* Bits 16 q to 16 q + 15 of a hash. Loading a mask from memory is faster than
 * shifting and moving it from a register. */
OG_TARGET_AVX512 static inline __mmask16 quarter(const uint64_t *hash,
                                                 unsigned q)
{
    typedef __mmask16 __attribute__((may_alias)) mask;
    return _load_mask16((mask *)(uintptr_t)hash + q);
}

OG_TARGET_AVX512 static void weigh_masks(const uint64_t *hash,
                                         const uint32_t *weight, size_t n,
                                         uint32_t largest, uint64_t ones[64])
{
    const size_t most = most_at_once(largest);
    memset(ones, 0, 64 * sizeof(*ones));
    for (size_t begin = 0, end; begin < n; begin = end) {
        end = n - begin < most ? n : begin + most;
        __m512i sum[4];
        for (unsigned q = 0; q < 4; q++)
            sum[q] = _mm512_setzero_si512();
        for (size_t i = begin; i < end; i++) {
            const __m512i w = _mm512_set1_epi32((int)weight[i]);
            sum[0] =
                _mm512_mask_add_epi32(sum[0], quarter(hash + i, 0), sum[0], w);
            sum[1] =
                _mm512_mask_add_epi32(sum[1], quarter(hash + i, 1), sum[1], w);
            sum[2] =
                _mm512_mask_add_epi32(sum[2], quarter(hash + i, 2), sum[2], w);
            sum[3] =
                _mm512_mask_add_epi32(sum[3], quarter(hash + i, 3), sum[3], w);
        }
        empty_sums(sum, ones);
    }
}

/* Eight sums of 32 bits per register: eight registers, one for each byte of the
 * hash, whose bits become masks by a comparison. */
OG_TARGET_AVX2 static void weigh_avx2(const uint64_t *hash,
                                      const uint32_t *weight, size_t n,
                                      uint32_t largest, uint64_t ones[64])
{
    const size_t most = most_at_once(largest);
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    memset(ones, 0, 64 * sizeof(*ones));
    for (size_t begin = 0, end; begin < n; begin = end) {
        end = n - begin < most ? n : begin + most;
        __m256i sum[8];
        for (unsigned q = 0; q < 8; q++)
            sum[q] = _mm256_setzero_si256();
        for (size_t i = begin; i < end; i++) {
            const __m256i w = _mm256_set1_epi32((int)weight[i]);
            for (unsigned q = 0; q < 8; q++) {
                const __m256i byte =
                    _mm256_set1_epi32((int)(hash[i] >> (8 * q) & 0xff));
                const __m256i is_set =
                    _mm256_cmpeq_epi32(_mm256_and_si256(byte, bit), bit);
                sum[q] = _mm256_add_epi32(sum[q], _mm256_and_si256(is_set, w));
            }
        }
        uint32_t narrow[64];
        memcpy(narrow, sum, sizeof(narrow));
        for (unsigned j = 0; j < 64; j++)
            ones[j] += narrow[j];
    }
}

/* ---- weighing by counting ---- */

/* Collects from `begin` on the hashes whose weight has bit `bit` set; returns
 * their number. */
OG_TARGET_AVX512 static size_t gather_bit(const uint64_t *hash,
                                          const uint32_t *weight, size_t n,
                                          unsigned bit, uint64_t *out)
{
    const __m256i probe = _mm256_set1_epi32((int)(1u << bit));
    size_t found = 0;
    for (size_t i = 0; i < n; i += 8) {
        const __mmask8 here =
            n - i < 8 ? (__mmask8)((1u << (n - i)) - 1) : (__mmask8)0xff;
        const __m256i w = _mm256_maskz_loadu_epi32(here, weight + i);
        const __m512i h = _mm512_maskz_loadu_epi64(here, hash + i);
        const __mmask8 take = _mm256_mask_test_epi32_mask(here, w, probe);
        _mm512_storeu_si512(out + found, _mm512_maskz_compress_epi64(take, h));
        found += (size_t)__builtin_popcount(take);
    }
    return found;
}

/* The low zero bits common to all weights: weights 1, 2, 3, as counts give
 * them, are whole multiples of 2^16. */
static unsigned common_zeros(const uint32_t *weight, size_t n)
{
    uint32_t any = 0;
    for (size_t i = 0; i < n; i++)
        any |= weight[i];
    return any == 0 ? 0 : (unsigned)__builtin_ctz(any);
}

/* A pass costs a gather and a count: cheaper than the masks up to this many
 * passes. */
#define MOST_PASSES 3

OG_TARGET_AVX512 static void weigh_avx512(const uint64_t *hash,
                                          const uint32_t *weight, size_t n,
                                          uint32_t largest, uint64_t ones[64])
{
    enum { PIECE = 1024 };
    uint64_t picked[PIECE + 8];
    const unsigned low = common_zeros(weight, n);
    const unsigned high =
        largest == 0 ? 0 : 32 - (unsigned)__builtin_clz(largest);
    if (n < PIECE || high <= low || high - low > MOST_PASSES) {
        weigh_masks(hash, weight, n, largest, ones);
        return;
    }
    memset(ones, 0, 64 * sizeof(*ones));
    for (size_t i = 0; i < n; i += PIECE) {
        const size_t len = n - i < PIECE ? n - i : PIECE;
        for (unsigned bit = low; bit < high; bit++) {
            uint64_t part[64];
            const size_t found =
                gather_bit(hash + i, weight + i, len, bit, picked);
            count_avx512(picked, found, part);
            for (unsigned j = 0; j < 64; j++)
                ones[j] += part[j] << bit;
        }
    }
}

const struct og_simhash_kernel og_simhash_avx2 = {"avx2 sliced", sign_avx2,
                                                  count_avx2, weigh_avx2};
const struct og_simhash_kernel og_simhash_avx512 = {
    "avx512 sliced", sign_any_avx512, count_avx512, weigh_avx512};
const struct og_simhash_kernel og_simhash_avx512_masks = {
    "avx512 masks", sign_masks, count_masks, weigh_masks};

#endif
