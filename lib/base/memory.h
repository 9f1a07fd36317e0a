#ifndef OG_BASE_MEMORY_H
#define OG_BASE_MEMORY_H

/* All memory is allocated here, except names of files and what functions of the
 * C library return (asprintf(), getline(), open_memstream()).
 *
 * Every object that owns memory keeps a pointer to its allocator. NULL is that
 * of the whole library, og_allocator_set(); the objects of the public interface
 * use it, others are for tests that watch one object. */

#include "lib/base/status.h"

/* Whether og_allocator_set() has set one. */
bool og_allocator_is_set(void);

void *og_allocate(const og_allocator *a, size_t len);
void *og_allocate_zero(const og_allocator *a, size_t len);
void *og_reallocate(const og_allocator *a, void *ptr, size_t old_len,
                    size_t new_len);
void og_release(const og_allocator *a, void *ptr, size_t len);

/* Makes room for `need` elements of `size` bytes in a growing array: doubles,
 * so that n appends cost O(n). `ptr` is the address of the pointer to the
 * array, which may be of any type: it is read and written as bytes. Returns
 * false and changes nothing if memory runs out or the length overflows. */
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
