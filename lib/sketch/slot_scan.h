#ifndef OG_SKETCH_SLOT_SCAN_H
#define OG_SKETCH_SLOT_SCAN_H

/*   in:  a run of slots, tags and entries in separate arrays
 *                                                     (lib/dedup/band_table.c)
 *   out: the entries with one tag, in their order */

#include "lib/base/status.h"

/* Entries that may be written past the last one. */
#define OG_SLOTS_PADDING 16

/* How many of `n` slots have `tag`; their entries are written to `out`, which
 * has room for n + OG_SLOTS_PADDING. */
size_t og_slots_with_tag(const uint8_t *tags, const uint32_t *entries, size_t n,
                         uint8_t tag, uint32_t *out);
/* Its plain twin. */
size_t og_slots_with_tag_plain(const uint8_t *tags, const uint32_t *entries,
                               size_t n, uint8_t tag, uint32_t *out);

#endif
