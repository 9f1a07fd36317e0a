/* Thin: origo's own eviction. It gives up the slot with the largest
 *
 *     (1 + age) * u / (1 + hits)^2
 *
 * where age counts ticks of the bucket's clock since the print was last seen,
 * hits counts the copied passages that it was the first hit of, and u is a
 * random byte that belongs to the print: its tag. Prints of one passage that
 * came together and are never seen again differ only in u, so a passage loses
 * its prints one by one, over a long time, instead of all at once; and bridges
 * need only one or two that are left.
 *
 * State: age in the upper 5 bits, hits in the lower 3. The product is compared
 * by its logarithm in steps of 1/12 octave, small enough for a byte:
 * worth = level_of_state[state] + level_of_tag[tag]. */

#include "lib/table/bucket.h"

#include "lib/os/cpu.h"
#include "lib/table/thin_levels.h"

#if defined(OG_X86)
#include <immintrin.h>
#endif

#define HITS_MASK 7
#define AGE_ONE   8

void og_thin_tick(uint8_t *state, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (state[i] < 256 - AGE_ONE) og_put8(state + i, state[i] + AGE_ONE);
}

/* Seen again: young, and for the first hit of a passage one hit more. */
uint8_t og_thin_renewed(uint8_t state, uint8_t weight)
{
    const uint8_t hits = state & HITS_MASK;
    return weight > 0 && hits < HITS_MASK ? hits + 1 : hits;
}

uint32_t og_thin_worst_plain(const uint8_t *tag, const uint8_t *state,
                             uint32_t n)
{
    uint32_t worst = 0;
    int level = -1;
    for (uint32_t i = 0; i < n; i++) {
        const int here = og_level_of_state[state[i]] + og_level_of_tag[tag[i]];
        if (here <= level) continue;
        level = here;
        worst = i;
    }
    return worst;
}

#if defined(OG_X86)
/* 64 look-ups in a table of 256 bytes held in four registers. */
OG_TARGET_AVX512 static inline __m512i look_up(const uint8_t table[256],
                                               __m512i index)
{
    const __m512i low = _mm512_permutex2var_epi8(
        _mm512_loadu_si512(table), index, _mm512_loadu_si512(table + 64));
    const __m512i high =
        _mm512_permutex2var_epi8(_mm512_loadu_si512(table + 128), index,
                                 _mm512_loadu_si512(table + 192));
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high);
}

OG_TARGET_AVX512 static inline uint8_t largest(__m512i v)
{
    const __m256i a = _mm256_max_epu8(_mm512_castsi512_si256(v),
                                      _mm512_extracti64x4_epi64(v, 1));
    const __m128i b =
        _mm_max_epu8(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    /* The smallest of eight 16-bit words, found by one instruction: pairs of
     * bytes are joined, and the largest becomes the smallest. */
    const __m128i c = _mm_max_epu8(b, _mm_srli_epi16(b, 8));
    const __m128i d = _mm_sub_epi16(_mm_set1_epi16(255),
                                    _mm_and_si128(c, _mm_set1_epi16(255)));
    return (uint8_t)(255 - _mm_cvtsi128_si32(_mm_minpos_epu16(d)));
}

OG_TARGET_AVX512 static uint32_t worst_avx512(const uint8_t *tag,
                                              const uint8_t *state, uint32_t n)
{
    uint32_t worst = 0;
    int level = -1;
    for (uint32_t first = 0; first < n; first += 64) {
        const __m512i sum = _mm512_add_epi8(
            look_up(og_level_of_state, _mm512_loadu_si512(state + first)),
            look_up(og_level_of_tag, _mm512_loadu_si512(tag + first)));
        const uint8_t here = largest(sum);
        if (here <= level) continue;
        level = here;
        worst = first + (uint32_t)__builtin_ctzll(_mm512_cmpeq_epi8_mask(
                            sum, _mm512_set1_epi8((char)here)));
    }
    return worst;
}
#endif

uint32_t og_thin_worst(const uint8_t *tag, const uint8_t *state, uint32_t n)
{
#if defined(OG_X86)
    if (n >= 64 && og_cpu_level() >= OG_CPU_AVX512)
        return worst_avx512(tag, state, n);
#endif
    return og_thin_worst_plain(tag, state, n);
}
