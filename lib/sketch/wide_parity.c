/* The low bits of a hash select the bits that a large set flips, so folding a
 * row in half by xor gives the row of half the length: sets of different sizes
 * are compared in the shorter row. */

#include "lib/sketch/wide_parity.h"

#include <string.h>

#include "lib/base/bits.h"
#include "lib/os/cpu.h"

enum { N_ROWS = 4, ROW_WORDS = 4, SMALL_WORDS = N_ROWS * ROW_WORDS };

/* 8 KiB: enough for 40,000 fingerprints. */
#define WORDS_MOST ((size_t)1 << 10)

/* At a similarity of 0.8 sets of n fingerprints differ in 0.22 n; sets that
 * differ in 0.35 n (0.7) turn 0.27 n bits of a row of 1.5 n. */
static size_t words_for(size_t n)
{
    size_t n_words = SMALL_WORDS;
    while (n_words < WORDS_MOST && n_words * 64 < n + n / 2)
        n_words *= 2;
    return n_words;
}

size_t og_wide_parity_len(size_t n)
{
    return sizeof(struct og_wide_parity) + words_for(n) * sizeof(uint64_t);
}

static inline void turn(uint64_t *row, size_t bit)
{
    row[bit / 64] ^= UINT64_C(1) << bit % 64;
}

void og_wide_parity_make(const uint64_t *fps, size_t n_fps, size_t n,
                         struct og_wide_parity *out)
{
    const size_t n_words = words_for(n), mask = n_words * 64 - 1;
    const bool is_small = n <= OG_WIDE_SMALL;
    out->n = (uint32_t)n;
    out->n_words = (uint32_t)n_words;
    memset(out->words, 0, n_words * sizeof(*out->words));
    for (size_t i = 0; i < n_fps; i++) {
        if (fps[i] == 0) continue;
        const uint64_t mixed = fps[i] * 0x9e3779b97f4a7c15u >> 32;
        if (!is_small) {
            turn(out->words, mixed >> 8 & mask);
            continue;
        }
        for (size_t r = 0; r < N_ROWS; r++)
            turn(out->words + r * ROW_WORDS, mixed >> 8 * r & 255);
    }
}

/* Row by row: most dissimilar pairs are recognised in the first. */
__attribute__((always_inline)) static inline bool
rows_exceed(const uint64_t *a, const uint64_t *b, size_t most)
{
    for (size_t r = 0; r < N_ROWS; r++) {
        size_t n = 0;
        for (size_t i = r * ROW_WORDS; i < (r + 1) * ROW_WORDS; i++)
            n += (size_t)__builtin_popcountll(a[i] ^ b[i]);
        if (n > most) return true;
    }
    return false;
}

/* The longer of both, folded to the length of the shorter. */
__attribute__((always_inline)) static inline bool
folds_exceed(const struct og_wide_parity *small,
             const struct og_wide_parity *large, size_t most)
{
    size_t n = 0;
    for (size_t i = 0; i < small->n_words; i++) {
        uint64_t word = small->words[i];
        for (size_t j = i; j < large->n_words; j += small->n_words)
            word ^= large->words[j];
        n += (size_t)__builtin_popcountll(word);
    }
    return n > most;
}

__attribute__((always_inline)) static inline bool
exceeds(const struct og_wide_parity *a, const struct og_wide_parity *b,
        size_t most)
{
    const bool is_small = a->n <= OG_WIDE_SMALL;
    if ((a->n < b->n ? b->n - a->n : a->n - b->n) > most) return true;
    if (is_small != (b->n <= OG_WIDE_SMALL)) return false;
    if (is_small) return rows_exceed(a->words, b->words, most);
    return a->n_words < b->n_words ? folds_exceed(a, b, most)
                                   : folds_exceed(b, a, most);
}

bool og_wide_parity_exceeds_plain(const struct og_wide_parity *a,
                                  const struct og_wide_parity *b, size_t most)
{
    return exceeds(a, b, most);
}

#if defined(OG_X86)
/* The same with a hardware population count. */
OG_TARGET_AVX2
static bool exceeds_avx2(const struct og_wide_parity *a,
                         const struct og_wide_parity *b, size_t most)
{
    return exceeds(a, b, most);
}
#endif

bool og_wide_parity_exceeds(const struct og_wide_parity *a,
                            const struct og_wide_parity *b, size_t most)
{
#if defined(OG_X86)
    if (og_cpu_level() >= OG_CPU_AVX2) return exceeds_avx2(a, b, most);
#endif
    return og_wide_parity_exceeds_plain(a, b, most);
}
