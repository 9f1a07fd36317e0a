#ifndef OG_TABLE_TAGS_NEON_H
#define OG_TABLE_TAGS_NEON_H

/* The tags of a bucket, compared 16 at a time; the length of buckets is a
 * multiple of 16. */

#include "lib/base/neon.h"

#if defined(OG_NEON)

/* The first slot from `first` on with this tag; n if there is none. */
static inline uint32_t og_next_tag_neon(const uint8_t *tags, uint32_t first,
                                        uint32_t n, uint8_t tag)
{
    uint64_t wanted = UINT64_MAX << 4 * (first % 16);
    for (uint32_t base = first - first % 16; base < n; base += 16) {
        const uint64_t equal =
            og_neon_nibbles(
                vceqq_u8(og_neon_load(tags + base), vdupq_n_u8(tag))) &
            wanted;
        if (equal != 0) return base + (uint32_t)__builtin_ctzll(equal) / 4;
        wanted = UINT64_MAX;
    }
    return n;
}

static inline uint64_t og_tags_equal_neon(uint8x16x4_t tags, uint8_t tag)
{
    const uint8x16_t wanted = vdupq_n_u8(tag);
    return og_neon_mask64(
        vceqq_u8(tags.val[0], wanted), vceqq_u8(tags.val[1], wanted),
        vceqq_u8(tags.val[2], wanted), vceqq_u8(tags.val[3], wanted));
}

#endif

#endif
