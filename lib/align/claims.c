/* Runs of one origin that follow each other closely in both texts are a block.
 * Blocks are settled in rounds. In a round each block is what of it is still
 * free, in pieces, and the origins are asked in the order of time. A piece is
 * taken when it is SOLID tokens long; or when it is half of the longest piece
 * of any origin around it; or when its origin has half of that one, in several
 * pieces. A piece that has become shorter in this round waits for the next: it
 * may be another that is the longest then. The longest piece of all is always
 * taken, so every round makes progress. */

#include "lib/align/claims.h"

#include <stdlib.h>
#include <string.h>

enum {
    JOIN_GAP = 6,     /* tokens between two runs of a block, on either side */
    SOLID = 48,       /* tokens that are a passage, whatever stands around */
    MOST_ROUNDS = 16, /* the last one takes everything */
    LOOK_BACK = 256,  /* blocks that may hold another one */
};

/* Marks a token that was taken in this round. */
#define FRESH UINT32_C(0x80000000)

void og_claims_init(struct og_claims *claims, const og_allocator *allocator)
{
    *claims = (struct og_claims){.allocator = allocator};
}

void og_claims_release(struct og_claims *claims)
{
    const og_allocator *a = claims->allocator;
    OG_UNGROW(a, claims->blocks, claims->cap);
    OG_UNGROW(a, claims->pieces, claims->pieces_cap);
    OG_UNGROW(a, claims->longest, claims->longest_cap);
    OG_UNGROW(a, claims->side, claims->side_cap);
    og_claims_init(claims, a);
}

void og_claims_clear(struct og_claims *claims)
{
    claims->n = 0;
}

/* ---- blocks ---- */

static int by_place(const void *a, const void *b)
{
    const struct og_run *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->origin_begin != y->origin_begin)
        return x->origin_begin < y->origin_begin ? -1 : 1;
    return (x->len < y->len) - (x->len > y->len);
}

/* Whether `run` goes on where `last` ends. */
static bool follows(const struct og_run *last, const struct og_run *run)
{
    const int64_t gap = (int64_t)run->begin - last->begin - last->len;
    const int64_t origin_gap =
        (int64_t)run->origin_begin - last->origin_begin - last->len;
    if (gap < -JOIN_GAP || origin_gap < -JOIN_GAP) return gap == origin_gap;
    return gap <= JOIN_GAP && origin_gap <= JOIN_GAP;
}

/* Whether an earlier origin, or this one, holds all of the block. */
static bool is_held(const struct og_claims *claims,
                    const struct og_claim *block)
{
    const size_t n = claims->n;
    const size_t first = n > LOOK_BACK ? n - LOOK_BACK : 0;
    for (size_t i = first; i < n; i++)
        if (claims->blocks[i].begin <= block->begin &&
            claims->blocks[i].end >= block->end)
            return true;
    return false;
}

static og_status add_block(struct og_claims *claims, struct og_claim block,
                           og_error *err)
{
    if (is_held(claims, &block)) return OG_OK;
    if (!OG_GROW(claims->allocator, claims->blocks, claims->cap, claims->n + 1))
        return og_error_memory(err, sizeof(block), "blocks");
    claims->blocks[claims->n++] = block;
    return OG_OK;
}

og_status og_claims_add(struct og_claims *claims, uint32_t side,
                        struct og_run *runs, size_t n_runs, og_error *err)
{
    struct og_claim block = {.side = side};
    struct og_run last = {0, 0, 0};
    if (n_runs > 1) qsort(runs, n_runs, sizeof(*runs), by_place);
    for (size_t i = 0; i < n_runs; i++) {
        const uint32_t end = runs[i].begin + runs[i].len;
        const bool goes_on = i > 0 && follows(&last, &runs[i]);
        if (goes_on && end <= block.end) continue;
        if (i > 0 && !goes_on) TRY(add_block(claims, block, err));
        if (!goes_on) block.begin = runs[i].begin;
        block.end = end;
        last = runs[i];
    }
    return n_runs > 0 ? add_block(claims, block, err) : OG_OK;
}

/* ---- pieces ---- */

/* The next tokens of the block from `at` on that nobody has. */
static bool next_piece(const struct og_claims *claims,
                       const struct og_claim *block, uint32_t at,
                       struct og_claim *out)
{
    const uint32_t *side = claims->side;
    while (at < block->end && side[at] != 0)
        at++;
    out->begin = at;
    while (at < block->end && side[at] == 0)
        at++;
    out->end = at;
    return out->begin < out->end;
}

static uint32_t len_of(const struct og_claim *piece)
{
    return piece->end - piece->begin;
}

/* Finds the longest piece around each token. */
static og_status measure(struct og_claims *claims, size_t n_tokens,
                         og_error *err)
{
    struct og_claim piece = {.begin = 0};
    claims->n_pieces = 0;
    memset(claims->longest, 0, n_tokens * sizeof(*claims->longest));
    for (size_t i = 0; i < claims->n; i++) {
        const struct og_claim *block = &claims->blocks[i];
        for (uint32_t at = block->begin; next_piece(claims, block, at, &piece);
             at = piece.end) {
            if (!OG_GROW(claims->allocator, claims->pieces, claims->pieces_cap,
                         claims->n_pieces + 1))
                return og_error_memory(err, sizeof(piece), "pieces");
            claims->pieces[claims->n_pieces++] = piece;
            for (uint32_t t = piece.begin; t < piece.end; t++) {
                const uint32_t other = claims->longest[t];
                if (other == 0 ||
                    len_of(&claims->pieces[other - 1]) < len_of(&piece))
                    claims->longest[t] = (uint32_t)claims->n_pieces;
            }
        }
    }
    return OG_OK;
}

/* The first block of the same side. */
static size_t first_of_side(const struct og_claims *claims, size_t i)
{
    while (i > 0 && claims->blocks[i - 1].side == claims->blocks[i].side)
        i--;
    return i;
}

/* Shingles in so many tokens. */
static uint32_t n_shingles(const struct og_claims *claims, uint32_t len)
{
    return len >= claims->shingle_len ? len - claims->shingle_len + 1 : 0;
}

/* Shingles of free tokens of `around` that the blocks of one side have, from
 * block `first` on; blocks of a side stand together and are in order. */
static uint32_t n_held(const struct og_claims *claims, size_t first,
                       const struct og_claim *around)
{
    const uint32_t side = claims->blocks[first].side;
    struct og_claim part = {.begin = 0};
    uint32_t n = 0;
    for (size_t i = first; i < claims->n && claims->blocks[i].side == side;
         i++) {
        struct og_claim block = claims->blocks[i];
        if (block.begin < around->begin) block.begin = around->begin;
        if (block.end > around->end) block.end = around->end;
        for (uint32_t at = block.begin; next_piece(claims, &block, at, &part);
             at = part.end)
            n += n_shingles(claims, len_of(&part));
    }
    return n;
}

static bool is_half(const struct og_claims *claims, uint32_t n,
                    const struct og_claim *around)
{
    return 2 * n >= n_shingles(claims, len_of(around));
}

static bool is_a_passage(const struct og_claims *claims, size_t first,
                         const struct og_claim *piece)
{
    const uint32_t n = n_shingles(claims, len_of(piece));
    const struct og_claim *last = NULL;
    if (len_of(piece) >= SOLID) return true;
    for (uint32_t t = piece->begin; t < piece->end; t++) {
        const struct og_claim *longest =
            &claims->pieces[claims->longest[t] - 1];
        if (longest == last || is_half(claims, n, longest)) continue;
        if (!is_half(claims, n_held(claims, first, longest), longest))
            return false;
        last = longest;
    }
    return true;
}

/* Whether an earlier origin took a part of it just now. */
static bool was_cut(const struct og_claims *claims,
                    const struct og_claim *block, const struct og_claim *piece)
{
    return (piece->begin > block->begin &&
            (claims->side[piece->begin - 1] & FRESH) != 0) ||
           (piece->end < block->end && (claims->side[piece->end] & FRESH) != 0);
}

/* The first block before number `end` whose side has half of the piece. */
static size_t find_earlier(const struct og_claims *claims, size_t end,
                           const struct og_claim *piece)
{
    uint32_t seen = UINT32_MAX; /* blocks of one side stand together */
    for (size_t i = 0; i < end; i++) {
        const struct og_claim *block = &claims->blocks[i];
        if (block->side == seen || block->end <= piece->begin ||
            block->begin >= piece->end)
            continue;
        seen = block->side;
        const size_t first = first_of_side(claims, i);
        if (is_half(claims, n_held(claims, first, piece), piece)) return first;
    }
    return end;
}

static void take_piece(struct og_claims *claims, size_t first_block,
                       struct og_claim piece, uint32_t least);

/* What the side of block `first` has of a piece. */
static void take_parts(struct og_claims *claims, size_t first,
                       const struct og_claim *piece, uint32_t least)
{
    const uint32_t side = claims->blocks[first].side;
    struct og_claim part = {.begin = 0};
    for (size_t i = first; i < claims->n && claims->blocks[i].side == side;
         i++) {
        struct og_claim block = claims->blocks[i];
        if (block.begin < piece->begin) block.begin = piece->begin;
        if (block.end > piece->end) block.end = piece->end;
        for (uint32_t at = block.begin; next_piece(claims, &block, at, &part);
             at = part.end)
            if (len_of(&part) >= least) take_piece(claims, first, part, least);
    }
}

/* For the side of block `first`, or for an earlier one that has half of it. */
static void take_piece(struct og_claims *claims, size_t first,
                       struct og_claim piece, uint32_t least)
{
    const size_t earlier = find_earlier(claims, first, &piece);
    if (earlier < first) {
        take_parts(claims, earlier, &piece, least);
        return;
    }
    for (uint32_t t = piece.begin; t < piece.end; t++)
        if (claims->side[t] == 0)
            claims->side[t] = (claims->blocks[first].side + 1) | FRESH;
}

/* Returns whether something is left for another round. */
static bool run_round(struct og_claims *claims, uint32_t least, bool is_last)
{
    struct og_claim piece = {.begin = 0};
    bool is_left = false;
    for (size_t i = 0; i < claims->n; i++) {
        const struct og_claim *block = &claims->blocks[i];
        const size_t first = first_of_side(claims, i);
        for (uint32_t at = block->begin; next_piece(claims, block, at, &piece);
             at = piece.end) {
            if (len_of(&piece) < least) continue;
            if (is_last || (!was_cut(claims, block, &piece) &&
                            is_a_passage(claims, first, &piece)))
                take_piece(claims, first, piece, least);
            is_left |= claims->side[piece.begin] == 0 ||
                       claims->side[piece.end - 1] == 0;
        }
    }
    return is_left;
}

og_status og_claims_settle(struct og_claims *claims, size_t n_tokens,
                           uint32_t least, og_error *err)
{
    if (!OG_GROW(claims->allocator, claims->side, claims->side_cap, n_tokens) ||
        !OG_GROW(claims->allocator, claims->longest, claims->longest_cap,
                 n_tokens))
        return og_error_memory(err, n_tokens * sizeof(*claims->side), "claims");
    if (n_tokens > 0) memset(claims->side, 0, n_tokens * sizeof(*claims->side));
    bool is_left = claims->n > 0;
    for (int i = 1; is_left && i <= MOST_ROUNDS; i++) {
        TRY(measure(claims, n_tokens, err));
        is_left = run_round(claims, least, i == MOST_ROUNDS);
        for (size_t t = 0; t < n_tokens; t++)
            claims->side[t] &= ~FRESH;
    }
    return OG_OK;
}
