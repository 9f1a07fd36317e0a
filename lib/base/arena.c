/* A list of chunks, filled one after another. A chunk that is too small for a
 * request is left half empty: if chunks are much larger than usual requests,
 * little is wasted. */

#include "lib/base/arena.h"

#include <assert.h>
#include <string.h>

#define CHUNK_LEN ((size_t)256 << 10)

struct og_arena_chunk {
    struct og_arena_chunk *next;
    size_t len; /* of data */
    _Alignas(16) char data[];
};

void og_arena_init(struct og_arena *arena, const og_allocator *allocator)
{
    *arena = (struct og_arena){.allocator = allocator};
}

void og_arena_release(struct og_arena *arena)
{
    struct og_arena_chunk *chunk = arena->first;
    while (chunk != NULL) {
        struct og_arena_chunk *next = chunk->next;
        og_release(arena->allocator, chunk, sizeof(*chunk) + chunk->len);
        chunk = next;
    }
    og_arena_init(arena, arena->allocator);
}

void og_arena_clear(struct og_arena *arena, size_t keep_len)
{
    if (arena->total > keep_len) og_arena_release(arena);
    arena->current = arena->first;
    arena->used = 0;
}

static bool has_room(const struct og_arena_chunk *chunk, size_t used,
                     size_t len)
{
    return chunk != NULL && used <= chunk->len && chunk->len - used >= len;
}

/* Puts a new chunk after the current one. */
static bool add_chunk(struct og_arena *arena, size_t len)
{
    if (len < CHUNK_LEN) len = CHUNK_LEN;
    if (len > SIZE_MAX / 2) return false;
    struct og_arena_chunk *chunk =
        og_allocate(arena->allocator, sizeof(*chunk) + len);
    if (chunk == NULL) return false;
    chunk->len = len;
    if (arena->current == NULL) {
        chunk->next = arena->first;
        arena->first = chunk;
    } else {
        chunk->next = arena->current->next;
        arena->current->next = chunk;
    }
    arena->current = chunk;
    arena->used = 0;
    arena->total += len;
    return true;
}

/* Advances to a chunk of an earlier round, or allocates one. */
static bool make_room(struct og_arena *arena, size_t len)
{
    struct og_arena_chunk *next =
        arena->current != NULL ? arena->current->next : NULL;
    if (!has_room(next, 0, len)) return add_chunk(arena, len);
    arena->current = next;
    arena->used = 0;
    return true;
}

void *og_arena_get(struct og_arena *arena, size_t len, size_t align)
{
    assert(align > 0 && align <= 16 && (align & (align - 1)) == 0);
    size_t begin = (arena->used + align - 1) & ~(align - 1);
    if (!has_room(arena->current, begin, len)) {
        if (!make_room(arena, len)) return NULL;
        begin = 0;
    }
    arena->used = begin + len;
    return arena->current->data + begin;
}

void *og_arena_copy(struct og_arena *arena, const void *data, size_t len,
                    size_t align)
{
    void *copy = og_arena_get(arena, len, align);
    if (copy != NULL && len > 0) memcpy(copy, data, len);
    return copy;
}
