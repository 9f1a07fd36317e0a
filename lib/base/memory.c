#include "lib/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* That of the program; resize NULL: the C library's. */
static og_allocator common;

void og_allocator_set(const og_allocator *allocator)
{
    common = allocator != NULL ? *allocator : (og_allocator){NULL, NULL};
}

bool og_allocator_is_set(void)
{
    return common.resize != NULL;
}

void *og_reallocate(const og_allocator *a, void *ptr, size_t old_len,
                    size_t new_len)
{
    if (a == NULL) a = &common;
    if (a->resize != NULL) return a->resize(a->ctx, ptr, old_len, new_len);
    if (new_len == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_len);
}

void *og_allocate(const og_allocator *a, size_t len)
{
    return og_reallocate(a, NULL, 0, len == 0 ? 1 : len);
}

void *og_allocate_zero(const og_allocator *a, size_t len)
{
    void *ptr = og_allocate(a, len);
    if (ptr != NULL) memset(ptr, 0, len);
    return ptr;
}

void og_release(const og_allocator *a, void *ptr, size_t len)
{
    if (ptr != NULL) og_reallocate(a, ptr, len == 0 ? 1 : len, 0);
}

/* A T * must not be read or written through a void **: a compiler that sees
 * both sides may take them for different objects. */
bool og_grow(const og_allocator *a, void *ptr, size_t *cap, size_t need,
             size_t size)
{
    void *old;
    size_t new_cap = *cap < 16 ? 16 : *cap;
    while (new_cap < need) {
        if (new_cap > SIZE_MAX / 2) return false;
        new_cap *= 2;
    }
    if (new_cap > SIZE_MAX / size) return false;
    memcpy(&old, ptr, sizeof(old));
    void *grown = og_reallocate(a, old, *cap * size, new_cap * size);
    if (grown == NULL) return false;
    memcpy(ptr, &grown, sizeof(grown));
    *cap = new_cap;
    return true;
}
