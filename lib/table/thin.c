/* Thin: an eviction of our own. It evicts the slot with the largest
 *
 *     (1 + age) * u / (1 + hits)^2
 *
 * where age counts ticks of the bucket's clock since the fingerprint was last
 * seen, hits counts the copied passages that it was the first hit of, and u is
 * a random byte that belongs to the fingerprint: its tag. Fingerprints of one
 * passage that were added together and are never seen again differ only in u,
 * so a passage loses its fingerprints one by one, over a long time, instead of
 * all at once; and one or two are enough for bridges.
 *
 * State: age in the upper 5 bits, hits in the lower 3. The product is compared
 * by its logarithm in steps of 1/12 octave, small enough for a byte:
 * worth = level_of_state[state] + level_of_tag[tag]. */

#include "lib/table/bucket.h"

#include "lib/os/cpu.h"
#include "lib/table/byte_vectors.h"
#include "lib/table/thin_levels.h"

#define HITS_MASK 7
#define AGE_ONE   8

void og_thin_tick(uint8_t *state, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (state[i] < 256 - AGE_ONE) og_put8(state + i, state[i] + AGE_ONE);
}

/* Seen again: young, and the first hit of a passage counts one hit more. */
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
OG_TARGET_AVX512 static uint32_t worst_avx512(const uint8_t *tag,
                                              const uint8_t *state, uint32_t n)
{
    uint32_t worst = 0;
    int level = -1;
    for (uint32_t first = 0; first < n; first += 64) {
        const __m512i sum = _mm512_add_epi8(
            og_bytes_look_up(og_level_of_state,
                             _mm512_loadu_si512(state + first)),
            og_bytes_look_up(og_level_of_tag, _mm512_loadu_si512(tag + first)));
        const uint8_t here = og_bytes_largest(sum);
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
