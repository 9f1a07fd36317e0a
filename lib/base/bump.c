/* Pieces of 256 KiB, or as long as one request needs. */

#include "lib/base/bump.h"

#include <string.h>

#define PIECE_LEN ((size_t)256 << 10)
#define ALIGNMENT _Alignof(max_align_t)

static size_t round_up(size_t len)
{
    return (len + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void og_bump_init(struct og_bump *bump, const og_allocator *allocator)
{
    memset(bump, 0, sizeof(*bump));
    bump->allocator = allocator;
}

static void drop_newest(struct og_bump *bump)
{
    struct og_bump_piece *const piece = bump->first;
    bump->first = piece->next;
    bump->total -= piece->len;
    og_release(bump->allocator, piece, piece->len);
}

void og_bump_release(struct og_bump *bump)
{
    while (bump->first != NULL)
        drop_newest(bump);
    og_bump_init(bump, bump->allocator);
}

void og_bump_clear(struct og_bump *bump, size_t limit)
{
    while (bump->first != NULL &&
           (bump->first->next != NULL || bump->first->len > PIECE_LEN))
        drop_newest(bump);
    bump->used = round_up(sizeof(struct og_bump_piece));
    bump->limit = limit;
    bump->is_over = false;
}

static bool add_piece(struct og_bump *bump, size_t len)
{
    const size_t header_len = round_up(sizeof(struct og_bump_piece));
    const size_t piece_len =
        len > PIECE_LEN - header_len ? len + header_len : PIECE_LEN;
    if (piece_len > bump->limit || bump->total > bump->limit - piece_len) {
        bump->is_over = true;
        return false;
    }
    struct og_bump_piece *const piece = og_allocate(bump->allocator, piece_len);
    if (piece == NULL) return false;
    piece->next = bump->first;
    piece->len = piece_len;
    bump->first = piece;
    bump->total += piece_len;
    bump->used = header_len;
    return true;
}

void *og_bump_take(struct og_bump *bump, size_t len)
{
    if (len > SIZE_MAX / 2) return NULL;
    len = round_up(len == 0 ? 1 : len);
    if ((bump->first == NULL || len > bump->first->len - bump->used) &&
        !add_piece(bump, len))
        return NULL;
    char *const at = (char *)bump->first + bump->used;
    bump->used += len;
    return at;
}
