#ifndef OG_BASE_NEON_H
#define OG_BASE_NEON_H

/* Comparisons as bit masks, for which AArch64 has no instruction.
 *
 * A comparison leaves 0 or 255 in each byte. To get one bit per byte for 64 of
 * them, each byte keeps the bit of its position in a group of eight, and three
 * rounds of pairwise additions combine the eight: four comparisons share the
 * rounds. Where only the first match counts, a narrowing shift that leaves four
 * bits per byte is shorter. */

#include "lib/base/bits.h"

#if defined(OG_NEON)
#include <arm_neon.h>

/* Bit i: byte i of the four vectors is 255; all others are 0. */
static inline uint64_t og_neon_mask64(uint8x16_t a, uint8x16_t b, uint8x16_t c,
                                      uint8x16_t d)
{
    const uint8x16_t place = {1, 2, 4, 8, 16, 32, 64, 128,
                              1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t ab = vpaddq_u8(vandq_u8(a, place), vandq_u8(b, place));
    const uint8x16_t cd = vpaddq_u8(vandq_u8(c, place), vandq_u8(d, place));
    const uint8x16_t pairs = vpaddq_u8(ab, cd);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(pairs, pairs)), 0);
}

/* Four bits for each byte of a comparison: the lowest that is set, divided by
 * 4, is the first byte of 255. */
static inline uint64_t og_neon_nibbles(uint8x16_t equal)
{
    const uint8x8_t narrow = vshrn_n_u16(vreinterpretq_u16_u8(equal), 4);
    return vget_lane_u64(vreinterpret_u64_u8(narrow), 0);
}

/* One of the four bits. */
#define OG_NEON_ONE_EACH 0x1111111111111111u

static inline uint8x16_t og_neon_load(const void *p)
{
    return vld1q_u8(p);
}

#endif

#endif
