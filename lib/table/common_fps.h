#ifndef OG_TABLE_COMMON_FPS_H
#define OG_TABLE_COMMON_FPS_H

/* The number of documents that contain a fingerprint, for frequent
 * fingerprints.
 *
 * Boilerplate is what occurs in more documents than a copy would. A slot of the
 * table has no room for such a number, and forgets; so fingerprints that are
 * seen again are counted beside it, in lines of one cache line each:
 *
 *     line: 5 x (tag 4 | last document 4 | count 4) | 0 4
 *
 * A document counts once for each fingerprint. When a line is full, a new
 * fingerprint decrements the smallest count instead, and takes its cell when
 * the count reaches 0: rare ones are evicted, common ones stay (the idea of
 * HeavyKeeper). A count is never too large, except if two fingerprints share a
 * tag; it may be too small. */

#include <stddef.h>
#include <stdint.h>

#define OG_COMMON_LINE  64
#define OG_COMMON_CELLS 5

/* `lines` is memory of n_lines lines, zeroed when the table is new. `mixed` is
 * the fingerprint as og_mix64() gives it. The writer's. */
void og_common_fps_count(uint8_t *lines, uint64_t n_lines, uint64_t mixed,
                         uint32_t doc);

/* Documents that contained it, except the first; any thread. */
uint32_t og_common_fps_get(const uint8_t *lines, uint64_t n_lines,
                           uint64_t mixed);

/* Fingerprints with a count of at least `least`. */
uint64_t og_common_fps_over(const uint8_t *lines, uint64_t n_lines,
                            uint32_t least);

/* Where the line of a fingerprint begins, in bytes. */
uint64_t og_common_fps_off(uint64_t n_lines, uint64_t mixed);

#endif
