#define _GNU_SOURCE
#include "lib/os/pages.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define LINE 64
/* From this size on, page faults cost more than huge pages. */
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
    /* Only few of them may ever be touched. */
    madvise(pages->block, pages->len, MADV_NOHUGEPAGE);
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
        madvise(pages->block, len, MADV_HUGEPAGE); /* only a hint */
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

/* ---- mapped files ---- */

void og_mapped_forget(const void *data, size_t len)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t begin = ((uintptr_t)data + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)data + len) / page * page;
    if (begin < end)
        madvise((void *)begin, end - begin, MADV_DONTNEED); /* a hint */
}

uint64_t og_mapped_resident(void)
{
    /* "size resident shared ...", in pages */
    char line[128], *at = line;
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    const ssize_t n = read(fd, line, sizeof(line) - 1);
    close(fd);
    if (n <= 0) return 0;
    line[n] = '\0';
    strtoull(at, &at, 10);
    strtoull(at, &at, 10);
    return strtoull(at, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}
