#ifndef OG_DISK_OLD_SUM_H
#define OG_DISK_OLD_SUM_H

/* The checksum of files written before all files used that of
 * lib/base/checksum.h: only read, never written. Eight lanes of x = rotate((x ^
 * word) * odd). */

#include <string.h>

#include "lib/base/bits.h"

struct og_old_sum {
    uint64_t lane[8];
};

static inline void og_old_sum_add(struct og_old_sum *sum, const void *data,
                                  size_t len)
{
    const uint8_t *p = data;
    struct og_old_sum s = *sum;
    for (size_t i = 0; i + 64 <= len; i += 64) {
        for (unsigned j = 0; j < 8; j++) {
            const uint64_t x = (s.lane[j] ^ og_load64(p + i + 8 * (size_t)j)) *
                               UINT64_C(0x9e3779b97f4a7c15);
            s.lane[j] = x << 29 | x >> 35;
        }
    }
    *sum = s;
}

static inline void og_old_sum_init(struct og_old_sum *sum)
{
    for (unsigned i = 0; i < 8; i++)
        sum->lane[i] = og_mix64(i + 1);
}

static inline uint64_t og_old_sum_end(const struct og_old_sum *sum)
{
    uint64_t x = 0;
    for (unsigned i = 0; i < 8; i++)
        x = og_mix64(x ^ sum->lane[i]);
    return x;
}

/* `len` is a multiple of 64. */
static inline uint64_t og_old_sum(const void *data, size_t len)
{
    struct og_old_sum sum;
    og_old_sum_init(&sum);
    og_old_sum_add(&sum, data, len);
    return og_old_sum_end(&sum);
}

/* Any length: the end is padded, and the length is part of the sum. */
static inline uint64_t og_old_sum_text(const char *text, size_t len)
{
    struct og_old_sum sum;
    char line[64] = {0};
    og_old_sum_init(&sum);
    og_old_sum_add(&sum, text, len / 64 * 64);
    memcpy(line, text + len / 64 * 64, len % 64);
    og_old_sum_add(&sum, line, 64);
    return og_old_sum_end(&sum) ^ len;
}

#endif
