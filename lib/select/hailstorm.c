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

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* out[i] = the smallest of hash[i] .. hash[i + shingle_len - 1] for i < n. */
static void smallest_in_row(const uint64_t *hash, size_t n,
                            uint32_t shingle_len, uint64_t *out)
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

static void hailstorm_by_pieces(const uint64_t *hash, size_t n_shingles,
                                uint32_t shingle_len, struct og_selection *sel)
{
    uint64_t min[PIECE + OG_SHINGLE_MAX];
    for (size_t first = 0; first < n_shingles; first += PIECE) {
        const size_t n =
            n_shingles - first < PIECE ? n_shingles - first : PIECE;
        const uint64_t *here = hash + first;
        smallest_in_row(here, n, shingle_len, min);
        for (size_t i = 0; i < n; i++) {
            sel->pos[sel->n] = (uint32_t)(first + i);
            sel->n +=
                (here[i] == min[i]) | (here[i + shingle_len - 1] == min[i]);
        }
    }
}

void og_select_hailstorm(const uint64_t *hash, size_t n_shingles,
                         uint32_t shingle_len, struct og_selection *sel)
{
#if defined(OG_X86)
    if (og_cpu_level() >= OG_CPU_AVX512) {
        const size_t done =
            hailstorm_avx512(hash, n_shingles, shingle_len, sel);
        const size_t n_before = sel->n;
        og_select_hailstorm_plain(hash + done, n_shingles - done, shingle_len,
                                  sel);
        for (size_t i = n_before; i < sel->n; i++)
            sel->pos[i] += (uint32_t)done;
        return;
    }
#endif
    hailstorm_by_pieces(hash, n_shingles, shingle_len, sel);
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
