#ifndef OG_OS_PAGES_H
#define OG_OS_PAGES_H

/* Large zeroed memory for tables: mapped, so that untouched parts cost
 * nothing, and in huge pages where the system has them, so that a random
 * access costs one cache miss and not two. */

#include <stddef.h>

#include "lib/base/memory.h"

struct og_pages {
    void *data; /* zeroed, on a cache line of its own */
    size_t len;
    void *block; /* what was really taken */
    size_t block_len;
    const og_allocator *allocator; /* NULL: from the system */
};

/* With an allocator the memory comes from there. */
og_status og_pages_init(struct og_pages *pages, size_t len,
                        const og_allocator *allocator, og_error *err);
void og_pages_release(struct og_pages *pages);

/* Makes the system provide all of it now and not at the first use. */
void og_pages_touch(struct og_pages *pages);

#endif
