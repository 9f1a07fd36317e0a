/* Runs of one origin that follow each other closely in both texts form a block.
 * Blocks are assigned in rounds. In a round each block consists of its free
 * tokens, in pieces, and the origins are visited in order of time. A piece is
 * taken if it is SOLID tokens long; or if it is half as long as the longest
 * piece of any origin around it; or if its origin has half of that one, in
 * several pieces. A piece that was shortened in this round waits for the next,
 * because another may then be the longest. The longest piece of all is always
 * taken, unless shorter runs and the edits between them make it up. A round
 * that took nothing would be repeated in vain, so the last one follows. */

#include "lib/align/claims.h"

#include <string.h>

#include "lib/align/nearly_sorted.h"

enum {
    JOIN_GAP = 6,     /* tokens between two runs of a block, on either side */
    SOLID = 48,       /* tokens that are a passage in any case */
    MOST_ROUNDS = 16, /* the last one takes everything */
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
    OG_UNGROW(a, claims->runs, claims->runs_cap);
    OG_UNGROW(a, claims->claimants, claims->claimants_cap);
    OG_UNGROW(a, claims->pieces, claims->pieces_cap);
    OG_UNGROW(a, claims->longest, claims->longest_cap);
    OG_UNGROW(a, claims->side, claims->side_cap);
    og_claims_init(claims, a);
}

void og_claims_clear(struct og_claims *claims)
{
    claims->n = claims->n_runs = claims->n_claimants = 0;
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

OG_SORT_NEARLY(sort_runs, struct og_run, by_place)

/* Whether `run` continues where `last` ends. */
static bool follows(const struct og_run *last, const struct og_run *run)
{
    const int64_t gap = (int64_t)run->begin - last->begin - last->len;
    const int64_t origin_gap =
        (int64_t)run->origin_begin - last->origin_begin - last->len;
    if (gap < -JOIN_GAP || origin_gap < -JOIN_GAP) return gap == origin_gap;
    return gap <= JOIN_GAP && origin_gap <= JOIN_GAP;
}

/* They come in order of their beginnings: one that does not extend beyond the
 * last of its origin is inside it. */
static og_status add_block(struct og_claims *claims,
                           struct og_claimant *claimant, struct og_claim block,
                           og_error *err)
{
    if (claimant->end > claimant->first &&
        claims->blocks[claimant->end - 1].end >= block.end)
        return OG_OK;
    if (!OG_GROW(claims->allocator, claims->blocks, claims->cap, claims->n + 1))
        return og_error_memory(err, sizeof(block), "blocks");
    claims->blocks[claims->n++] = block;
    claimant->end = claims->n;
    return OG_OK;
}

static og_status add_run(struct og_claims *claims, struct og_claimant *claimant,
                         const struct og_run *run, og_error *err)
{
    const struct og_claim held = {run->begin, run->begin + run->len,
                                  claimant->side};
    if (claimant->run_end > claimant->first_run &&
        claims->runs[claimant->run_end - 1].end >= held.end)
        return OG_OK;
    if (!OG_GROW(claims->allocator, claims->runs, claims->runs_cap,
                 claims->n_runs + 1))
        return og_error_memory(err, sizeof(held), "runs");
    claims->runs[claims->n_runs++] = held;
    claimant->run_end = claims->n_runs;
    return OG_OK;
}

og_status og_claims_add(struct og_claims *claims, uint32_t side,
                        struct og_run *runs, size_t n_runs, og_error *err)
{
    struct og_claim block = {.side = side};
    struct og_run last = {0, 0, 0};
    if (n_runs == 0) return OG_OK;
    if (!OG_GROW(claims->allocator, claims->claimants, claims->claimants_cap,
                 claims->n_claimants + 1))
        return og_error_memory(err, sizeof(*claims->claimants), "origins");
    struct og_claimant *claimant = &claims->claimants[claims->n_claimants++];
    *claimant = (struct og_claimant){side, claims->n, claims->n, claims->n_runs,
                                     claims->n_runs};
    sort_runs(runs, n_runs);
    for (size_t i = 0; i < n_runs; i++) {
        const uint32_t end = runs[i].begin + runs[i].len;
        const bool continues = i > 0 && follows(&last, &runs[i]);
        TRY(add_run(claims, claimant, &runs[i], err));
        if (continues && end <= block.end) continue;
        if (i > 0 && !continues) TRY(add_block(claims, claimant, block, err));
        if (!continues) block.begin = runs[i].begin;
        block.end = end;
        last = runs[i];
    }
    return add_block(claims, claimant, block, err);
}

/* ---- pieces ---- */

/* The next free tokens of the block from `at` on. */
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

/* The first of them, from index `low` on, that ends after token `begin`; `high`
 * if none before that does. */
static size_t first_after(const struct og_claim *list, size_t low, size_t high,
                          uint32_t begin)
{
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list[middle].end <= begin)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The part of `claim` inside `around`, which it intersects. */
static struct og_claim clipped(struct og_claim claim,
                               const struct og_claim *around)
{
    if (claim.begin < around->begin) claim.begin = around->begin;
    if (claim.end > around->end) claim.end = around->end;
    return claim;
}

/* The number of shingles in `len` tokens. */
static uint32_t n_shingles(const struct og_claims *claims, uint32_t len)
{
    return len >= claims->shingle_len ? len - claims->shingle_len + 1 : 0;
}

/* The shingles of free tokens of `around` that the claimant has. Runs may
 * overlap: shared ones count once. */
static uint32_t n_held(const struct og_claims *claims,
                       const struct og_claimant *claimant,
                       const struct og_claim *around)
{
    struct og_claim part = {.begin = 0};
    uint32_t n = 0;
    uint32_t counted = around->begin; /* end of the shingles counted so far */
    for (size_t i = first_after(claims->runs, claimant->first_run,
                                claimant->run_end, around->begin);
         i < claimant->run_end && claims->runs[i].begin < around->end; i++) {
        struct og_claim run = clipped(claims->runs[i], around);
        if (run.begin < counted) run.begin = counted;
        for (uint32_t at = run.begin; next_piece(claims, &run, at, &part);
             at = part.end)
            n += n_shingles(claims, len_of(&part));
        if (run.end + 1 >= counted + claims->shingle_len)
            counted = run.end + 1 - claims->shingle_len;
    }
    return n;
}

static bool is_half(const struct og_claims *claims, uint32_t n,
                    const struct og_claim *around)
{
    return 2 * n >= n_shingles(claims, len_of(around));
}

static bool is_a_passage(const struct og_claims *claims,
                         const struct og_claimant *claimant,
                         const struct og_claim *piece)
{
    const uint32_t n = n_held(claims, claimant, piece);
    const struct og_claim *last = NULL;
    if (len_of(piece) >= SOLID) return true;
    for (uint32_t t = piece->begin; t < piece->end; t++) {
        const struct og_claim *longest =
            &claims->pieces[claims->longest[t] - 1];
        if (longest == last || is_half(claims, n, longest)) continue;
        if (!is_half(claims, n_held(claims, claimant, longest), longest))
            return false;
        last = longest;
    }
    return true;
}

/* Whether an earlier origin took a part of it in this round. */
static bool was_cut(const struct og_claims *claims,
                    const struct og_claim *block, const struct og_claim *piece)
{
    return (piece->begin > block->begin &&
            (claims->side[piece->begin - 1] & FRESH) != 0) ||
           (piece->end < block->end && (claims->side[piece->end] & FRESH) != 0);
}

/* The earliest one that has half of the piece; `end` if none before that
 * does. */
static size_t find_earlier(const struct og_claims *claims, size_t end,
                           const struct og_claim *piece)
{
    for (size_t i = 0; i < end; i++)
        if (is_half(claims, n_held(claims, &claims->claimants[i], piece),
                    piece))
            return i;
    return end;
}

static void take_piece(struct og_claims *claims, size_t number,
                       struct og_claim piece, uint32_t least);

/* Takes the parts of a piece that claimant `number` has. */
static void take_parts(struct og_claims *claims, size_t number,
                       const struct og_claim *piece, uint32_t least)
{
    const struct og_claimant *claimant = &claims->claimants[number];
    struct og_claim part = {.begin = 0};
    for (size_t i = first_after(claims->blocks, claimant->first, claimant->end,
                                piece->begin);
         i < claimant->end && claims->blocks[i].begin < piece->end; i++) {
        const struct og_claim block = clipped(claims->blocks[i], piece);
        for (uint32_t at = block.begin; next_piece(claims, &block, at, &part);
             at = part.end)
            if (len_of(&part) >= least) take_piece(claims, number, part, least);
    }
}

/* For claimant `number`, or for an earlier one that has half of it. */
static void take_piece(struct og_claims *claims, size_t number,
                       struct og_claim piece, uint32_t least)
{
    const size_t earlier = find_earlier(claims, number, &piece);
    if (earlier < number) {
        take_parts(claims, earlier, &piece, least);
        return;
    }
    for (uint32_t t = piece.begin; t < piece.end; t++)
        if (claims->side[t] == 0)
            claims->side[t] = (claims->claimants[number].side + 1) | FRESH;
}

/* Returns whether anything is left for another round. */
static bool run_round(struct og_claims *claims, uint32_t least, bool is_last)
{
    struct og_claim piece = {.begin = 0};
    bool is_left = false;
    size_t number = 0;
    for (size_t i = 0; i < claims->n; i++) {
        const struct og_claim *block = &claims->blocks[i];
        while (claims->claimants[number].end <= i)
            number++;
        for (uint32_t at = block->begin; next_piece(claims, block, at, &piece);
             at = piece.end) {
            if (len_of(&piece) < least) continue;
            if (is_last ||
                (!was_cut(claims, block, &piece) &&
                 is_a_passage(claims, &claims->claimants[number], &piece)))
                take_piece(claims, number, piece, least);
            is_left |= claims->side[piece.begin] == 0 ||
                       claims->side[piece.end - 1] == 0;
        }
    }
    return is_left;
}

/* Whether anything was taken in it. */
static bool end_round(struct og_claims *claims, size_t n_tokens)
{
    uint32_t *side = claims->side;
    uint32_t any = 0;
    for (size_t t = 0; t < n_tokens; t++) {
        any |= side[t];
        side[t] &= ~FRESH;
    }
    return (any & FRESH) != 0;
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
        if (i < MOST_ROUNDS) TRY(measure(claims, n_tokens, err));
        is_left = run_round(claims, least, i == MOST_ROUNDS);
        const bool is_any = end_round(claims, n_tokens);
        if (!is_any && i < MOST_ROUNDS) i = MOST_ROUNDS - 1;
    }
    return OG_OK;
}
