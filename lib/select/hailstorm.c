/* Hailstorm, the paper's own rule: a shingle is chosen when the smallest of
 * its token hashes is first or last in it (and perhaps elsewhere too).
 *
 * Why it works (Lemma 1): look at the 2k - 1 tokens around a token; wherever
 * their smallest is, the shingle that ends or begins there, on the far
 * side, contains the token and is chosen. So the chosen shingles cover the text
 * although each is chosen by itself, about 2 in k of them.
 *
 * Genomics knows it as the closed syncmer with s = 1. The open syncmer wants
 * the smallest token at one fixed place: half as many, not covering, but more
 * robust against edits. There a tie goes to the leftmost. */

#include "lib/select/rules.h"

#include <string.h>

#include "lib/os/cpu.h"

#if defined(OG_X86)
#include <immintrin.h>
#endif

static uint64_t smallest(const uint64_t *hash, uint32_t n)
{
    uint64_t min = hash[0];
    for (uint32_t i = 1; i < n; i++)
        if (hash[i] < min) min = hash[i];
    return min;
}

void og_select_hailstorm_plain(const uint64_t *hash, size_t n_shingles,
                               uint32_t shingle_len, struct og_selection *sel)
{
    for (size_t i = 0; i < n_shingles; i++) {
        const uint64_t min = smallest(hash + i, shingle_len);
        sel->pos[sel->n] = (uint32_t)i;
        sel->n += hash[i] == min || hash[i + shingle_len - 1] == min;
    }
}

#if defined(OG_X86)
/* The smallest of each 8 hashes in a row, for eight shingles side by side: of
 * 2 in a row, then of 4, then of 8. `next` holds the hashes that follow. */
OG_TARGET_AVX512 static inline __m512i smallest_of_8(__m512i now, __m512i next)
{
    const __m512i a = _mm512_min_epu64(now, _mm512_alignr_epi64(next, now, 1));
    /* Of `next` only 7 pairs are whole, and 7 are needed. */
    const __m512i b =
        _mm512_min_epu64(next, _mm512_alignr_epi64(next, next, 1));
    const __m512i c = _mm512_min_epu64(a, _mm512_alignr_epi64(b, a, 2));
    const __m512i d = _mm512_min_epu64(b, _mm512_alignr_epi64(b, b, 2));
    return _mm512_min_epu64(c, _mm512_alignr_epi64(d, c, 4));
}

OG_TARGET_AVX512 static inline __m512i
smallest_of(const uint64_t *hash, uint32_t n, __m512i first, __m512i last)
{
    __m512i min = _mm512_min_epu64(first, last);
    for (uint32_t j = 1; j + 1 < n; j++)
        min = _mm512_min_epu64(min, _mm512_loadu_si512(hash + j));
    return min;
}

/* Eight shingles at a time: the smallest hash of each; a mask of the chosen;
 * their positions packed to the left. */
OG_TARGET_AVX512 static size_t hailstorm_avx512(const uint64_t *hash,
                                                size_t n_shingles,
                                                uint32_t shingle_len,
                                                struct og_selection *sel)
{
    const __m256i step = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    size_t i = 0;
    size_t n = sel->n;
    for (; i + 8 < n_shingles; i += 8) {
        const __m512i first = _mm512_loadu_si512(hash + i);
        const __m512i last = _mm512_loadu_si512(hash + i + shingle_len - 1);
        const __m512i min =
            shingle_len == 8
                ? smallest_of_8(first, _mm512_loadu_si512(hash + i + 8))
                : smallest_of(hash + i, shingle_len, first, last);
        const __mmask8 chosen = _mm512_cmpeq_epu64_mask(first, min) |
                                _mm512_cmpeq_epu64_mask(last, min);
        const __m256i pos = _mm256_add_epi32(_mm256_set1_epi32((int)i), step);
        _mm256_storeu_si256((__m256i *)(sel->pos + n),
                            _mm256_maskz_compress_epi32(chosen, pos));
        n += (size_t)__builtin_popcount(chosen);
    }
    sel->n = n;
    return i;
}
#endif

/* Without wide vectors: the smallest of 2 in a row, from those of 4, and so on,
 * for a piece of the document at a time. About log2(k) steps a token instead
 * of k - 1, and none of them branches. */
#define PIECE 256

static inline uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* out[i] = the smallest of hash[i] .. hash[i + shingle_len - 1] for i < n. */
static inline __attribute__((always_inline)) void
smallest_in_row(const uint64_t *hash, size_t n, uint32_t shingle_len,
                uint64_t *out)
{
    size_t n_left = n + shingle_len - 1;
    memcpy(out, hash, n_left * sizeof(*out));
    for (uint32_t row = 1; row < shingle_len;) {
        /* From rows of `row` to rows of at most twice that. */
        const uint32_t step = 2 * row <= shingle_len ? row : shingle_len - row;
        n_left -= step;
        for (size_t i = 0; i < n_left; i++)
            out[i] = smaller(out[i], out[i + step]);
        row += step;
    }
}

/* From shingle `first` on. */
static inline __attribute__((always_inline)) void
hailstorm_by_pieces(const uint64_t *hash, size_t first, size_t n_shingles,
                    uint32_t shingle_len, struct og_selection *sel)
{
    uint64_t min[PIECE + OG_SHINGLE_MAX];
    size_t n_chosen = sel->n;
    for (; first < n_shingles; first += PIECE) {
        const size_t n =
            n_shingles - first < PIECE ? n_shingles - first : PIECE;
        const uint64_t *here = hash + first;
        smallest_in_row(here, n, shingle_len, min);
        for (size_t i = 0; i < n; i++) {
            sel->pos[n_chosen] = (uint32_t)(first + i);
            n_chosen +=
                (here[i] == min[i]) | (here[i + shingle_len - 1] == min[i]);
        }
    }
    sel->n = n_chosen;
}

#if defined(OG_X86)
/* AVX2 compares 64 bits as signed numbers only, so the hashes that are compared
 * have their top bit turned. */
OG_TARGET_AVX2 static inline __m256i turned(__m256i v)
{
    return _mm256_xor_si256(v, _mm256_set1_epi64x(INT64_MIN));
}

OG_TARGET_AVX2 static inline __m256i load_4(const uint64_t *hash)
{
    return _mm256_loadu_si256((const __m256i *)hash);
}

OG_TARGET_AVX2 static inline __m256i smaller_4(__m256i a, __m256i b)
{
    return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}

/* The smallest of each 2 in a row, of four that begin at `hash`. */
OG_TARGET_AVX2 static inline __m256i smallest_of_2(const uint64_t *hash)
{
    return smaller_4(turned(load_4(hash)), turned(load_4(hash + 1)));
}

/* Of each 4 in a row, from those of 2 here and four further on. */
OG_TARGET_AVX2 static inline __m256i smallest_of_4(__m256i now, __m256i next)
{
    return smaller_4(now, _mm256_permute2x128_si256(now, next, 0x21));
}

OG_TARGET_AVX2 static inline unsigned equal_4(__m256i a, __m256i b, __m256i c)
{
    const __m256i equal =
        _mm256_or_si256(_mm256_cmpeq_epi64(a, c), _mm256_cmpeq_epi64(b, c));
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(equal));
}

/* chosen_of[mask] has the numbers of the bits that are set, to the left. */
_Alignas(16) static const uint32_t chosen_of[16][4] = {
    {0}, {0},    {1},    {0, 1},    {2},    {0, 2},    {1, 2},    {0, 1, 2},
    {3}, {0, 3}, {1, 3}, {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3},
};

/* Four shingles of 8 at a time. The smallest of 2 and of 4 that follow are
 * those of the next round. Returns how many shingles are done. */
OG_TARGET_AVX2 static size_t hailstorm_of_8_avx2(const uint64_t *hash,
                                                 size_t n_shingles,
                                                 struct og_selection *sel)
{
    uint32_t *const pos = sel->pos;
    size_t i = 0, n = sel->n;
    /* The hashes of the last shingle end 7 after it; 13 are read. */
    if (n_shingles < 6) return 0;
    __m256i two = smallest_of_2(hash + 4);
    __m256i four = smallest_of_4(smallest_of_2(hash), two);
    __m128i at = _mm_setzero_si128();
    for (; i + 6 <= n_shingles; i += 4) {
        const __m256i next_two = smallest_of_2(hash + i + 8);
        const __m256i next_four = smallest_of_4(two, next_two);
        const __m256i min = turned(smaller_4(four, next_four));
        const unsigned chosen =
            equal_4(load_4(hash + i), load_4(hash + i + 7), min);
        const __m128i *numbers = (const __m128i *)chosen_of[chosen];
        _mm_storeu_si128((__m128i *)(pos + n),
                         _mm_add_epi32(_mm_load_si128(numbers), at));
        n += (size_t)__builtin_popcount(chosen);
        at = _mm_add_epi32(at, _mm_set1_epi32(4));
        two = next_two;
        four = next_four;
    }
    sel->n = n;
    return i;
}

OG_TARGET_AVX2 static void hailstorm_avx2(const uint64_t *hash,
                                          size_t n_shingles,
                                          uint32_t shingle_len,
                                          struct og_selection *sel)
{
    const size_t done =
        shingle_len == 8 ? hailstorm_of_8_avx2(hash, n_shingles, sel) : 0;
    hailstorm_by_pieces(hash, done, n_shingles, shingle_len, sel);
}
#endif

void og_select_hailstorm(const uint64_t *hash, size_t n_shingles,
                         uint32_t shingle_len, struct og_selection *sel)
{
    size_t done = 0;
#if defined(OG_X86)
    const og_cpu cpu = og_cpu_level();
    if (cpu == OG_CPU_AVX2) {
        hailstorm_avx2(hash, n_shingles, shingle_len, sel);
        return;
    }
    if (cpu >= OG_CPU_AVX512)
        done = hailstorm_avx512(hash, n_shingles, shingle_len, sel);
#endif
    hailstorm_by_pieces(hash, done, n_shingles, shingle_len, sel);
}

void og_select_syncmer(const uint64_t *hash, size_t n_shingles,
                       uint32_t shingle_len, uint32_t place,
                       struct og_selection *sel)
{
    for (size_t i = 0; i < n_shingles; i++) {
        uint32_t min = 0;
        for (uint32_t j = 1; j < shingle_len; j++)
            if (hash[i + j] < hash[i + min]) min = j;
        sel->pos[sel->n] = (uint32_t)i;
        sel->n += min == place;
    }
}
