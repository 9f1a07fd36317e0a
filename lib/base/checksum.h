#ifndef OG_BASE_CHECKSUM_H
#define OG_BASE_CHECKSUM_H

/* The checksum of all files: XXH3 of 64 bits, which costs less than reading the
 * bytes from memory. It detects accidents, not attacks. */

#define XXH_INLINE_ALL
/* Read by memcpy: its other ways are loads of a foreign type, which a compiler
 * may move before the stores of the structure that is summed. */
#define XXH_FORCE_MEMORY_ACCESS 0
#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>

static inline uint64_t og_checksum(const void *data, size_t len)
{
    return XXH3_64bits(data, len);
}

/* Of two separate pieces: `before` is the checksum of the first. */
static inline uint64_t og_checksum_after(uint64_t before, const void *data,
                                         size_t len)
{
    return XXH3_64bits_withSeed(data, len, before);
}

/* Of bytes that come in pieces: the same as of all of them at once. On the
 * stack or in static memory: it must be aligned to 64 bytes. */
struct og_checksum {
    XXH3_state_t state;
};

static inline void og_checksum_init(struct og_checksum *sum)
{
    XXH3_64bits_reset(&sum->state);
}

static inline void og_checksum_add(struct og_checksum *sum, const void *data,
                                   size_t len)
{
    XXH3_64bits_update(&sum->state, data, len);
}

static inline uint64_t og_checksum_end(const struct og_checksum *sum)
{
    return XXH3_64bits_digest(&sum->state);
}

#endif
