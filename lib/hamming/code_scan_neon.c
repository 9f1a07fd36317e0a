/* Codes compared 16 at a time. Bit counts fit into a byte, so three rounds of
 * pairwise additions put those of 16 codes, in order, into one vector. */

#include "lib/base/neon.h"
#include "lib/hamming/code_scan.h"

#if defined(OG_NEON)

enum { STEP = 16 };

/* The number of bits in which two codes at p differ from `asked`, byte by
 * byte. */
static inline uint8x16_t count_two(const uint64_t *p, uint64x2_t asked)
{
    return vcntq_u8(vreinterpretq_u8_u64(veorq_u64(vld1q_u64(p), asked)));
}

static inline uint8x16_t count_four(const uint64_t *p, uint64x2_t asked)
{
    return vpaddq_u8(count_two(p, asked), count_two(p + 2, asked));
}

static inline uint8x16_t count_eight(const uint64_t *p, uint64x2_t asked)
{
    return vpaddq_u8(count_four(p, asked), count_four(p + 4, asked));
}

size_t og_code_scan_neon(const uint64_t *codes, size_t n, uint64_t code,
                         unsigned max_distance, size_t *from,
                         uint32_t *out_places, size_t cap)
{
    const uint64x2_t asked = vdupq_n_u64(code);
    const uint8x16_t limit = vdupq_n_u8((uint8_t)max_distance);
    size_t n_out = 0, i = *from;
    for (; i + STEP <= n && n_out + OG_CODE_SCAN_ROOM <= cap; i += STEP) {
        const uint8x16_t apart = vpaddq_u8(count_eight(codes + i, asked),
                                           count_eight(codes + i + 8, asked));
        uint64_t near =
            og_neon_nibbles(vcleq_u8(apart, limit)) & OG_NEON_ONE_EACH;
        for (; OG_UNLIKELY(near != 0); near &= near - 1)
            out_places[n_out++] =
                (uint32_t)i + (uint32_t)__builtin_ctzll(near) / 4;
    }
    *from = i;
    return n_out;
}

#endif
