#ifndef OG_HAMMING_CODE_SCAN_H
#define OG_HAMMING_CODE_SCAN_H

/* Codes compared one after the other: no table, the speed of memory. The
 * reference for every table, the best method for large distances, and the last
 * step inside a bucket. */

#include <stddef.h>
#include <stdint.h>

#include "lib/base/bits.h"

/* Writes the indices of the codes within `max_distance` bits of `code`, from
 * *from on, in order. Stops at the end or when fewer than OG_CODE_SCAN_ROOM
 * entries are free; *from is then where to continue. Returns the number
 * written; `cap` is at least OG_CODE_SCAN_ROOM, n below 2^32. */
enum { OG_CODE_SCAN_ROOM = 32 };
size_t og_code_scan(const uint64_t *codes, size_t n, uint64_t code,
                    unsigned max_distance, size_t *from, uint32_t *out_places,
                    size_t cap);

#if defined(OG_NEON)
/* Whole steps of 16 codes only. */
size_t og_code_scan_neon(const uint64_t *codes, size_t n, uint64_t code,
                         unsigned max_distance, size_t *from,
                         uint32_t *out_places, size_t cap);
#endif

#endif
