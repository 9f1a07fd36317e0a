/* Which segments are merged: merge_policy.h says why. */

#include "lib/disk/merge_policy.h"

#include <assert.h>

size_t og_merge_first(const uint64_t *sizes, size_t n, size_t last, size_t from)
{
    uint64_t size = 0;
    size_t first = last;
    assert(from <= last && last < n);
    for (size_t i = last; i < n; i++)
        size += sizes[i];
    while (first > from && sizes[first - 1] / OG_MERGE_GROWTH < size) {
        /* sizes[first - 1] < GROWTH * size, without overflow */
        size += sizes[--first];
    }
    return first;
}

size_t og_segments_on_disk(const uint64_t *numbers, size_t n)
{
    size_t on_disk = 0;
    while (on_disk < n && numbers[on_disk] != 0)
        on_disk++;
    return on_disk;
}
