/* Folds runs of ASCII with NEON, as explained in ascii.c. One check for
 * non-ASCII bytes covers 64 bytes; a block that has one is repeated in steps of
 * 16. */

#include "lib/base/neon.h"
#include "lib/text/ascii.h"

#if defined(OG_NEON)

static inline void fold_16(char *dst, uint8x16_t v)
{
    const uint8x16_t is_upper =
        vcltq_u8(vsubq_u8(v, vdupq_n_u8('A')), vdupq_n_u8(26));
    vst1q_u8((uint8_t *)dst, vorrq_u8(v, vandq_u8(is_upper, vdupq_n_u8(0x20))));
}

size_t og_ascii_fold_neon(char *dst, const char *src, size_t len)
{
    size_t i = 0;
    for (; i + 64 <= len; i += 64) {
        const uint8x16x4_t v = vld1q_u8_x4((const uint8_t *)src + i);
        const uint8x16_t any = vorrq_u8(vorrq_u8(v.val[0], v.val[1]),
                                        vorrq_u8(v.val[2], v.val[3]));
        if (vmaxvq_u8(any) >= 0x80) break;
        for (unsigned k = 0; k < 4; k++)
            fold_16(dst + i + 16 * (size_t)k, v.val[k]);
    }
    for (; i + 16 <= len; i += 16) {
        const uint8x16_t v = og_neon_load(src + i);
        const uint64_t high = og_neon_nibbles(vcgeq_u8(v, vdupq_n_u8(0x80)));
        fold_16(dst + i, v);
        if (high != 0) return i + (size_t)__builtin_ctzll(high) / 4;
    }
    return i + og_ascii_fold_plain(dst + i, src + i, len - i);
}

#endif
