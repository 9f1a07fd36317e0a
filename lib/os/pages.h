#ifndef OG_OS_PAGES_H
#define OG_OS_PAGES_H

/* Large zeroed memory for tables: mapped, so that untouched parts cost
 * nothing, and where much of it is used in huge pages, if the system has them,
 * so that a random access costs one cache miss and not two. */

#include <stddef.h>

#include "lib/base/memory.h"

struct og_pages {
    void *data; /* zeroed, on a cache line of its own */
    size_t len;
    void *block; /* what was really taken */
    size_t block_len;
    const og_allocator *allocator;
    bool is_mapped; /* from the system, not from the allocator */
};

/* Addresses, in the first place. With an allocator, this one or that of the
 * library, the memory comes from there, all of it. */
og_status og_pages_init(struct og_pages *pages, size_t len,
                        const og_allocator *allocator, og_error *err);
void og_pages_release(struct og_pages *pages);

/* The first `len` bytes will be used from now on. */
void og_pages_enlarge(struct og_pages *pages, size_t len);

/* Makes the system provide all of it now and not at the first use. */
void og_pages_touch(struct og_pages *pages);

/* Files that are mapped for reading count as memory of the process once they
 * were read. Releases the whole pages in these bytes, which must belong to such
 * a file; later reads find them in the system's cache, or on disk. */
void og_mapped_forget(const void *data, size_t len);

/* Bytes of mapped files that count as memory now; 0 if the system does not say.
 * Takes a microsecond or two. */
uint64_t og_mapped_resident(void);

#endif
