#ifndef OG_DISK_MERGE_POLICY_H
#define OG_DISK_MERGE_POLICY_H

/*   in:  the sizes of segments, oldest first
 *   out: which of them should become one
 *
 * A segment is merged with the one before it unless that one is at least
 * OG_MERGE_GROWTH times larger. So the sizes of the remaining ones fall by that
 * factor: there are few of them (logarithm of the total, to that base), and
 * every entry is copied at most that many times. */

#include <stddef.h>
#include <stdint.h>

enum { OG_MERGE_GROWTH = 3 };

/* Segments [last, n) become one in any case; returns the first one to be merged
 * with them, not before `from`. from <= last < n. */
size_t og_merge_first(const uint64_t *sizes, size_t n, size_t last,
                      size_t from);

/* How many of the oldest segments are files: a segment has the number of its
 * file, or 0 if it is in memory, and files come first. */
size_t og_segments_on_disk(const uint64_t *numbers, size_t n);

#endif
