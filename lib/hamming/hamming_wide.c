/* Codes of 128 bits, as two codes of 64.
 *
 * Codes that differ in at most k bits differ in at most k/2 bits in one half:
 * if the upper halves were further apart than floor(k/2) and the lower ones
 * further than ceil(k/2) - 1, there would be k + 1 differences. So an index of
 * such codes is an index of halves. Each entry is added twice, by its upper
 * half and by its lower one, with the side and the other half before its id:
 *
 *     code: upper half    id: 'h' lower half (8 bytes, the highest first) id
 *     code: lower half    id: 'l' upper half                              id
 *
 * A query looks up its two halves, compares the whole codes of what it finds,
 * and reports the remaining ones in order. Everything else, the tables for
 * small distances, runs, merges, removals, files and their checks, is that of
 * 64 bits. Both entries of a code are buffered, and written to disk, together.
 *
 * The price is two entries per code; tables over all 128 bits would need as
 * many. A half that a million distinct codes share is a bucket of a million
 * entries, as a part would be in every design. */

#define _GNU_SOURCE
#include <stdlib.h>

#include "lib/base/bits.h"
#include "lib/hamming/hamming.h"

static const char HIGH = 'h', LOW = 'l';

/* ---- entries ---- */

static void put_side(char out[OG_CODE_SIDE_LEN], char side, uint64_t other)
{
    out[0] = side;
    for (unsigned i = 0; i < 8; i++)
        out[1 + i] = (char)(other >> (56 - 8 * i));
}

/* The other half, and the id of the entry; false if it is of the other side. */
static bool take_side(og_bytes half_id, char side, uint64_t *out_other,
                      og_bytes *out_id)
{
    if (half_id.len <= OG_CODE_SIDE_LEN || half_id.data[0] != side)
        return false;
    uint64_t other = 0;
    for (unsigned i = 0; i < 8; i++)
        other = other << 8 | (uint8_t)half_id.data[1 + i];
    *out_other = other;
    *out_id = (og_bytes){half_id.data + OG_CODE_SIDE_LEN,
                         half_id.len - OG_CODE_SIDE_LEN};
    return true;
}

static og_status add_halves(og_hamming *h, og_wide_code code, og_bytes id,
                            bool removed, og_error *err)
{
    char side[OG_CODE_SIDE_LEN];
    TRY(og_hamming_check_entry(h, OG_CODE_BITS_WIDE, id, err));
    TRY(og_hamming_reserve(h, 2, 2 * (id.len + sizeof(side)), err));
    put_side(side, HIGH, code.low);
    og_hamming_append(h, code.high, (og_bytes){side, sizeof(side)}, id,
                      removed);
    put_side(side, LOW, code.high);
    og_hamming_append(h, code.low, (og_bytes){side, sizeof(side)}, id, removed);
    return OG_OK;
}

og_status og_hamming_add_wide(og_hamming *h, og_wide_code code, og_bytes id,
                              og_error *err)
{
    if (h->n_bits == OG_CODE_BITS && code.high == 0)
        return og_hamming_add(h, code.low, id, err);
    return add_halves(h, code, id, false, err);
}

og_status og_hamming_remove_wide(og_hamming *h, og_wide_code code, og_bytes id,
                                 og_error *err)
{
    if (h->n_bits == OG_CODE_BITS && code.high == 0)
        return og_hamming_remove(h, code.low, id, err);
    return add_halves(h, code, id, true, err);
}

/* ---- near codes ---- */

struct search {
    struct og_hamming *h;
    og_wide_code asked;
    unsigned max_distance;
    char side; /* the current one */
};

/* Whether the upper half is near enough to find it. */
static bool found_by_high(const struct search *s, og_wide_code code)
{
    return __builtin_popcountll(code.high ^ s->asked.high) <=
           og_half_distance(s->max_distance, false);
}

static bool same_code(og_wide_code a, og_wide_code b)
{
    return a.high == b.high && a.low == b.low;
}

/* Entries of one code are adjacent: it is kept once. */
static bool keep_code(void *ctx, const og_hamming_match *half)
{
    const struct search *s = ctx;
    struct og_hamming *h = s->h;
    uint64_t other;
    og_bytes id;
    if (!take_side(half->id, s->side, &other, &id)) return true;
    const og_wide_code code = s->side == HIGH
                                  ? (og_wide_code){half->code, other}
                                  : (og_wide_code){other, half->code};
    if (og_wide_distance(code, s->asked) > s->max_distance ||
        (s->side == LOW && found_by_high(s, code)) ||
        (h->n_near != 0 && same_code(h->near[h->n_near - 1], code)))
        return true;
    if (!OG_GROW(h->allocator, h->near, h->near_cap, h->n_near + 1)) {
        h->no_memory = true;
        return false;
    }
    h->near[h->n_near++] = code;
    return true;
}

static og_status search_side(struct search *s, char side, og_error *err)
{
    const int distance = og_half_distance(s->max_distance, side == LOW);
    if (distance < 0) return OG_OK;
    s->side = side;
    TRY(og_hamming_ask_runs(s->h, side == HIGH ? s->asked.high : s->asked.low,
                            (unsigned)distance, s, keep_code, err));
    return s->h->no_memory
               ? og_error_memory(err, s->h->n_near * sizeof(og_wide_code),
                                 "an answer")
               : OG_OK;
}

static int compare_wide(const void *a, const void *b)
{
    const og_wide_code *x = a, *y = b;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return x->low < y->low ? -1 : x->low > y->low;
}

/* ---- their entries ---- */

struct wide_report {
    const struct search *search;
    const og_wide_code *at, *end; /* codes with one upper half, ascending */
    bool more;
    void *ctx;
    bool (*on_match)(void *ctx, const og_hamming_match *match);
};

/* Entries of one upper half are ordered by lower half, then by id. */
static bool report_entry(void *ctx, const og_hamming_match *half)
{
    struct wide_report *t = ctx;
    uint64_t low;
    og_bytes id;
    if (!take_side(half->id, HIGH, &low, &id)) return true;
    while (t->at != t->end && t->at->low < low)
        t->at++;
    if (t->at == t->end) return false;
    if (t->at->low != low) return true;
    const og_hamming_match match = {
        id, low, og_wide_distance(*t->at, t->search->asked), half->code};
    return t->more = t->on_match(t->ctx, &match);
}

static og_status report_all(struct wide_report *t, og_error *err)
{
    struct og_hamming *h = t->search->h;
    const og_wide_code *end = h->near + h->n_near;
    for (t->at = h->near; t->at != end && t->more; t->at = t->end) {
        const uint64_t high = t->at->high;
        for (t->end = t->at; t->end != end && t->end->high == high; t->end++)
            ;
        TRY(og_hamming_ask_runs(h, high, 0, t, report_entry, err));
    }
    return OG_OK;
}

og_status og_hamming_ask_wide(
    og_hamming *h, og_wide_code code, unsigned max_distance, void *ctx,
    bool (*on_match)(void *ctx, const og_hamming_match *match), og_error *err)
{
    struct search s = {.h = h, .asked = code, .max_distance = max_distance};
    struct wide_report t = {
        .search = &s, .more = true, .ctx = ctx, .on_match = on_match};
    if (h->n_bits == OG_CODE_BITS && code.high == 0)
        return og_hamming_ask(h, code.low, max_distance, ctx, on_match, err);
    TRY(og_hamming_check_ask(h, OG_CODE_BITS_WIDE, max_distance, err));
    h->n_near = 0;
    TRY(search_side(&s, HIGH, err));
    TRY(search_side(&s, LOW, err));
    if (h->n_near == 0) return OG_OK;
    qsort(h->near, h->n_near, sizeof(*h->near), compare_wide);
    return report_all(&t, err);
}
