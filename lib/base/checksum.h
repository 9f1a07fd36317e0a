#ifndef OG_BASE_CHECKSUM_H
#define OG_BASE_CHECKSUM_H

/* The checksum of everything that a store keeps: XXH3 of 64 bits, which costs
 * less than reading the bytes from memory. It finds accidents, not opponents.
 */

#define XXH_INLINE_ALL
#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>

static inline uint64_t og_checksum(const void *data, size_t len)
{
    return XXH3_64bits(data, len);
}

/* Of two pieces that do not lie side by side: `before` is the checksum of the
 * first. */
static inline uint64_t og_checksum_after(uint64_t before, const void *data,
                                         size_t len)
{
    return XXH3_64bits_withSeed(data, len, before);
}

#endif
