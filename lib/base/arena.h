#ifndef OG_BASE_ARENA_H
#define OG_BASE_ARENA_H

/* Memory for many small objects that are freed together. Allocations never
 * move, so that views of them are valid until _clear or _release. */

#include "lib/base/memory.h"

struct og_arena_chunk;

struct og_arena {
    const og_allocator *allocator;
    struct og_arena_chunk *first, *current;
    size_t used;  /* of the current chunk */
    size_t total; /* bytes of all chunks */
};

void og_arena_init(struct og_arena *arena, const og_allocator *allocator);
void og_arena_release(struct og_arena *arena);

/* Empties it. Its chunks are kept for the next round, unless they are more than
 * `keep_len` bytes in all. */
void og_arena_clear(struct og_arena *arena, size_t keep_len);

/* `len` bytes, not initialised, at an address that is a multiple of `align` (a
 * power of two, up to 16). NULL: no memory. Not NULL for a `len` of 0. */
void *og_arena_get(struct og_arena *arena, size_t len, size_t align);
/* A copy of `len` bytes, in the same way. */
void *og_arena_copy(struct og_arena *arena, const void *data, size_t len,
                    size_t align);

#endif
