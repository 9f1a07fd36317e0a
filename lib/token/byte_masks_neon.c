/* The masks of the tokenisers with NEON: four vectors are a block. Blocks that
 * are ASCII throughout, nearly all of them, need one mask of three. */

#include "lib/base/neon.h"
#include "lib/token/byte_masks.h"

#if defined(OG_NEON)

static inline uint8x16_t in_range(uint8x16_t v, uint8_t first, uint8_t n)
{
    return vcltq_u8(vsubq_u8(v, vdupq_n_u8(first)), vdupq_n_u8(n));
}

static inline uint8x16_t words_of(uint8x16_t v)
{
    return vorrq_u8(in_range(v, 'a', 26), in_range(v, '0', 10));
}

static inline uint8x16_t bases_of(uint8x16_t v)
{
    const uint8x16_t a = vceqq_u8(v, vdupq_n_u8('a'));
    const uint8x16_t c = vceqq_u8(v, vdupq_n_u8('c'));
    const uint8x16_t g = vceqq_u8(v, vdupq_n_u8('g'));
    return vorrq_u8(vorrq_u8(a, c), vorrq_u8(g, in_range(v, 't', 2)));
}

static inline uint64_t mask_of(uint8x16x4_t v, uint8x16_t is_one(uint8x16_t))
{
    return og_neon_mask64(is_one(v.val[0]), is_one(v.val[1]), is_one(v.val[2]),
                          is_one(v.val[3]));
}

static inline uint8x16_t leads_of(uint8x16_t v)
{
    return vcgeq_u8(v, vdupq_n_u8(0xc0));
}

static inline uint8x16_t tails_of(uint8x16_t v)
{
    return in_range(v, 0x80, 0x40);
}

static inline uint8x16_t any_of(uint8x16x4_t v)
{
    return vorrq_u8(vorrq_u8(v.val[0], v.val[1]), vorrq_u8(v.val[2], v.val[3]));
}

static void words_neon(const char *data, size_t n_blocks, struct og_masks *out)
{
    for (size_t b = 0; b < n_blocks; b++, data += OG_MASK_BLOCK) {
        const uint8x16x4_t v = vld1q_u8_x4((const uint8_t *)data);
        struct og_masks m = {mask_of(v, words_of), 0, 0};
        if (vmaxvq_u8(any_of(v)) >= 0x80) {
            m.lead = mask_of(v, leads_of);
            m.tail = mask_of(v, tails_of);
        }
        out[b] = m;
    }
}

static void bases_neon(const char *data, size_t n_blocks, uint64_t *out)
{
    for (size_t b = 0; b < n_blocks; b++, data += OG_MASK_BLOCK)
        out[b] = mask_of(vld1q_u8_x4((const uint8_t *)data), bases_of);
}

const struct og_mask_kernels og_mask_kernels_neon = {words_neon, bases_neon,
                                                     og_mask_positions_plain};

#endif
