#ifndef OG_BASE_MEMORY_H
#define OG_BASE_MEMORY_H

/* One allocator per context: every object that owns memory keeps a pointer to
 * the allocator it was made with. NULL stands for the C library's. */

#include "lib/base/status.h"

void *og_allocate(const og_allocator *a, size_t len);
void *og_allocate_zero(const og_allocator *a, size_t len);
void *og_reallocate(const og_allocator *a, void *ptr, size_t old_len,
                    size_t new_len);
void og_release(const og_allocator *a, void *ptr, size_t len);

/* Makes room for `need` elements of `size` bytes in a growing array: doubles,
 * so that n appends cost O(n). `ptr` is the address of the pointer to the
 * array, which may be of any type: it is read and written as bytes. Returns
 * false and changes nothing when there is no memory or the length overflows. */
bool og_grow(const og_allocator *a, void *ptr, size_t *cap, size_t need,
             size_t size);

#define OG_GROW(a, ptr, cap, need)                                             \
    ((need) <= (cap) || og_grow((a), &(ptr), &(cap), (need), sizeof(*(ptr))))

/* Frees an array that OG_GROW made and sets it to NULL. */
#define OG_UNGROW(a, ptr, cap)                                                 \
    do {                                                                       \
        og_release((a), (ptr), (cap) * sizeof(*(ptr)));                        \
        (ptr) = NULL;                                                          \
        (cap) = 0;                                                             \
    } while (0)

#endif
