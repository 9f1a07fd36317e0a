#define _GNU_SOURCE
#include "lib/os/pages.h"

#include <stdint.h>
#include <sys/mman.h>

#define LINE 64
/* From here on a page that is touched costs less than many small ones. */
#define MANY ((size_t)16 << 20)

static og_status from_allocator(struct og_pages *pages, og_error *err)
{
    pages->block_len = pages->len + LINE - 1;
    pages->block = og_allocate_zero(pages->allocator, pages->block_len);
    if (pages->block == NULL)
        return og_error_memory(err, pages->block_len, "a table");
    const uintptr_t line = (uintptr_t)pages->block + LINE - 1;
    pages->data = (void *)(line / LINE * LINE);
    return OG_OK;
}

static og_status from_system(struct og_pages *pages, og_error *err)
{
    pages->block_len = pages->len;
    pages->block = mmap(NULL, pages->len, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages->block == MAP_FAILED) {
        pages->block = NULL;
        return og_error_memory(err, pages->len, "a table");
    }
    pages->data = pages->block;
    return OG_OK;
}

og_status og_pages_init(struct og_pages *pages, size_t len,
                        const og_allocator *allocator, og_error *err)
{
    *pages = (struct og_pages){.len = len, .allocator = allocator};
    pages->is_mapped = allocator == NULL && !og_allocator_is_set();
    return pages->is_mapped ? from_system(pages, err)
                            : from_allocator(pages, err);
}

void og_pages_enlarge(struct og_pages *pages, size_t len)
{
    if (pages->is_mapped && len >= MANY)
        madvise(pages->block, len, MADV_HUGEPAGE); /* a wish, no more */
}

void og_pages_release(struct og_pages *pages)
{
    if (pages->block != NULL && pages->is_mapped)
        munmap(pages->block, pages->block_len);
    else
        og_release(pages->allocator, pages->block, pages->block_len);
    *pages = (struct og_pages){0};
}

/* Any page size is a multiple of this one. */
#define SMALLEST_PAGE 4096

void og_pages_touch(struct og_pages *pages)
{
    volatile uint8_t *byte = pages->data;
    for (size_t i = 0; i < pages->len; i += SMALLEST_PAGE)
        byte[i] = byte[i];
}
