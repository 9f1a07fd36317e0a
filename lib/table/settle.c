/* A table of the batch's own, from fingerprints to the first that contains
 * them. A slot is one word,
 *
 *     [ part + 1: 21 bits ][ fingerprint of its selection: 27 ][ tag: 16 ]
 *
 * so that of two words of one fingerprint the smaller is the earlier one, and
 * threads can insert theirs at any time: the smallest is kept. Fingerprints are
 * equal if the table cannot distinguish them: the same bucket at the cap, the
 * same 24 or 48 bits. Only where a full bucket may have lost one does a hit
 * depend on the label of a previous document, which is then awaited. */

#include "lib/table/settle.h"

#include <sched.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/base/hash_table.h"
#include "lib/table/bucket.h"

enum { TAG_BITS = 16, FP_BITS = 27 };
#define NO_PLACE UINT32_MAX
_Static_assert(OG_BATCH_FPS < (size_t)1 << FP_BITS, "");
_Static_assert(OG_BATCH_FPS < NO_PLACE / 16, "slots have numbers of 32 bits");
_Static_assert(OG_BATCH_PARTS < (size_t)1 << (64 - TAG_BITS - FP_BITS), "");

void og_settling_init(struct og_settling *b, const struct og_table *table,
                      const og_allocator *allocator)
{
    *b = (struct og_settling){.allocator = allocator, .table = table};
}

void og_settling_release(struct og_settling *b)
{
    OG_UNGROW(b->allocator, b->firsts, b->firsts_cap);
    OG_UNGROW(b->allocator, b->spare, b->spare_cap);
    OG_UNGROW(b->allocator, b->places, b->places_cap);
    OG_UNGROW(b->allocator, b->before, b->before_cap);
}

static og_status begin_late(struct og_settling *b, struct og_table_part *parts,
                            size_t n, size_t n_fps, og_error *err)
{
    size_t at = 0;
    if (!OG_GROW(b->allocator, b->before, b->before_cap, n_fps + 1))
        return og_error_memory(err, n_fps * sizeof(*b->before), "a batch");
    for (size_t i = 0; i < n; i++) {
        parts[i].before = b->before + at;
        at += parts[i].sel->n;
    }
    return OG_OK;
}

/* Slots that are kept twice: those of a batch that is no longer than a block.
 */
enum { MOST_SPARE = 1 << 16, CLEAR_EACH = 1 << 13 };

static void swap_spare(struct og_settling *b)
{
    uint64_t *const firsts = b->firsts;
    const size_t cap = b->firsts_cap;
    b->firsts = b->spare;
    b->firsts_cap = b->spare_cap;
    b->spare = firsts;
    b->spare_cap = cap;
}

size_t og_settling_reserve_spare(struct og_settling *b)
{
    if (b->n_firsts > MOST_SPARE ||
        !OG_GROW(b->allocator, b->spare, b->spare_cap, b->n_firsts))
        return 0;
    return (b->n_firsts + CLEAR_EACH - 1) / CLEAR_EACH;
}

void og_settling_clear_spare(struct og_settling *b, size_t piece)
{
    const size_t begin = piece * CLEAR_EACH;
    const size_t left = b->n_firsts - begin;
    memset(b->spare + begin, 0,
           (left < CLEAR_EACH ? left : CLEAR_EACH) * sizeof(*b->spare));
}

void og_settling_has_cleared(struct og_settling *b)
{
    b->n_clear = b->n_firsts;
}

og_status og_settling_begin(struct og_settling *b, struct og_table_part *parts,
                            size_t n, size_t n_fps, bool has_late,
                            og_error *err)
{
    const og_allocator *a = b->allocator;
    b->has_late = has_late;
    b->n_firsts = n > 1 || has_late ? og_hash_slots_for(n_fps, 16) : 0;
    const bool is_clear = b->n_firsts > 0 && b->n_firsts <= b->n_clear;
    if (is_clear) swap_spare(b);
    b->n_clear = 0;
    if (!OG_GROW(a, b->places, b->places_cap, n_fps + 1) ||
        !OG_GROW(a, b->firsts, b->firsts_cap, b->n_firsts))
        return og_error_memory(err, n_fps * sizeof(*b->firsts), "a batch");
    if (!is_clear && b->n_firsts > 0)
        memset(b->firsts, 0, b->n_firsts * sizeof(uint64_t));
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        parts[i].places = b->places + at;
        at += parts[i].sel->n;
    }
    return has_late ? begin_late(b, parts, n, n_fps, err) : OG_OK;
}

/* ---- the firsts ---- */

static uint64_t identity(const struct og_table *t, uint64_t mixed)
{
    return og_fp_rest(t, mixed) << 8 | og_fp_tag(mixed);
}

static bool is_same_fp(const struct og_table *t, uint64_t a, uint64_t b)
{
    return identity(t, a) == identity(t, b) &&
           og_home_of(t, a) == og_home_of(t, b);
}

/* Both are bits of a mixed number: no further mixing is needed. */
static size_t first_place(const struct og_settling *b, uint64_t mixed)
{
    const uint64_t key =
        og_home_of(b->table, mixed) << 16 ^ identity(b->table, mixed);
    return key & (b->n_firsts - 1);
}

static uint64_t first_word(size_t part, size_t i, uint64_t tag)
{
    return ((uint64_t)part + 1) << (FP_BITS + TAG_BITS) |
           (uint64_t)i << TAG_BITS | tag;
}

static size_t part_of(uint64_t word)
{
    return (size_t)(word >> (FP_BITS + TAG_BITS)) - 1;
}

static size_t fp_of(uint64_t word)
{
    return word >> TAG_BITS & (((uint64_t)1 << FP_BITS) - 1);
}

static uint64_t mixed_of(const struct og_table_part *parts, uint64_t word)
{
    return og_mix64(parts[part_of(word)].sel->fp[fp_of(word)]);
}

static bool holds_word(const struct og_settling *b,
                       const struct og_table_part *parts, uint64_t word,
                       uint64_t tag, uint64_t mixed)
{
    return (word & (((uint64_t)1 << TAG_BITS) - 1)) == tag &&
           is_same_fp(b->table, mixed_of(parts, word), mixed);
}

/* Slots are filled once and their fingerprint never changes: the returned one
 * holds the first of these in the end. */
static size_t put_first(struct og_settling *b,
                        const struct og_table_part *parts, size_t part,
                        size_t i, uint64_t mixed)
{
    const uint64_t tag = identity(b->table, mixed) & 0xffff;
    const uint64_t mine = first_word(part, i, tag);
    size_t at = first_place(b, mixed);
    uint64_t word = __atomic_load_n(&b->firsts[at], __ATOMIC_RELAXED);
    for (;;) {
        if (word == 0) {
            if (__atomic_compare_exchange_n(&b->firsts[at], &word, mine, false,
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                return at;
        } else if (!holds_word(b, parts, word, tag, mixed)) {
            at = (at + 1) & (b->n_firsts - 1);
            word = __atomic_load_n(&b->firsts[at], __ATOMIC_RELAXED);
        } else if (word <= mine || __atomic_compare_exchange_n(
                                       &b->firsts[at], &word, mine, false,
                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            return at;
        }
    }
}

/* Where it is, or an empty place. */
static size_t find_place(const struct og_settling *b,
                         const struct og_table_part *parts, uint64_t mixed)
{
    const uint64_t tag = identity(b->table, mixed) & 0xffff;
    size_t at = first_place(b, mixed);
    while (b->firsts[at] != 0 &&
           !holds_word(b, parts, b->firsts[at], tag, mixed))
        at = (at + 1) & (b->n_firsts - 1);
    return at;
}

/* ---- the steps ---- */

struct step {
    struct og_settling *settling;
    struct og_table_part *parts;
    const struct og_table_part_steps *steps;
};

/* Whether fingerprint i, which is not there, may have been there once. */
static bool may_have_lost(const struct og_table *t,
                          const struct og_table_part *part, size_t i)
{
    if (part->lost != NULL) return part->lost[i] != 0;
    return t->level == 0 && og_table_may_have_lost(t, part->sel->fp[i]);
}

/* A spare one is added only to a bucket with room. */
static bool will_be_kept(const struct og_table *t,
                         const struct og_table_part *part, size_t i)
{
    const struct og_selection *sel = part->sel;
    return sel->spare == NULL || sel->spare[i] == 0 ||
           !may_have_lost(t, part, i);
}

void og_settling_put(struct og_settling *b, struct og_table_part *parts,
                     size_t number)
{
    struct og_table_part *part = &parts[number];
    const struct og_selection *sel = part->sel;
    part->is_settled = false;
    if (b->n_firsts == 0 || b->has_late || !part->is_added) return;
    for (size_t i = 0; i < sel->n; i++) {
        if (part->hits[i].doc != OG_NO_DOC) continue;
        part->places[i] = NO_PLACE;
        if (will_be_kept(b->table, part, i))
            part->places[i] =
                (uint32_t)put_first(b, parts, number, i, og_mix64(sel->fp[i]));
    }
}

/* ---- late documents ---- */

static bool is_in_batch(uint64_t holder)
{
    return holder >> (FP_BITS + TAG_BITS) != 0;
}

static bool comes_before(const struct og_table_part *a,
                         const struct og_table_part *b)
{
    return a->time != b->time ? a->time < b->time : a->doc < b->doc;
}

static bool is_earlier(const struct og_table_part *parts, uint64_t holder,
                       const struct og_table_part *part,
                       const struct og_table_part_steps *steps)
{
    if (is_in_batch(holder)) return comes_before(&parts[part_of(holder)], part);
    return steps->compare(steps->ctx, (uint32_t)(holder - 1), part) ==
           OG_HOLDING_EARLIER;
}

/* The fingerprint's place, or an empty one. Lanes have different fingerprints,
 * so nobody else changes it while it is looked at; an empty one may be gone. */
static size_t find_shared_place(struct og_settling *b,
                                const struct og_table_part *parts,
                                uint64_t mixed, uint64_t tag,
                                uint64_t *out_word)
{
    size_t at = first_place(b, mixed);
    uint64_t word = __atomic_load_n(&b->firsts[at], __ATOMIC_RELAXED);
    while (word != 0 && !holds_word(b, parts, word, tag, mixed)) {
        at = (at + 1) & (b->n_firsts - 1);
        word = __atomic_load_n(&b->firsts[at], __ATOMIC_RELAXED);
    }
    *out_word = word;
    return at;
}

/* From now on `word` holds its fingerprint, whose place was `at`. */
static void put_holder(struct og_settling *b, size_t at, uint64_t before,
                       uint64_t word)
{
    if (before != 0) {
        __atomic_store_n(&b->firsts[at], word, __ATOMIC_RELAXED);
        return;
    }
    uint64_t empty = 0;
    while (!__atomic_compare_exchange_n(&b->firsts[at], &empty, word, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        at = (at + 1) & (b->n_firsts - 1);
        empty = 0;
    }
}

/* Fingerprint i of a part. All of the part find what was there before it, also
 * where it has one twice. */
static void follow_one(struct og_settling *b, struct og_table_part *parts,
                       size_t number, size_t i,
                       const struct og_table_part_steps *steps)
{
    struct og_table_part *part = &parts[number];
    struct og_hit *hit = &part->hits[i];
    const uint64_t mixed = og_mix64(part->sel->fp[i]);
    const uint64_t tag = identity(b->table, mixed) & 0xffff;
    uint64_t word;
    const size_t at = find_shared_place(b, parts, mixed, tag, &word);
    if (word != 0 && part_of(word) == number) {
        part->before[i] = part->before[fp_of(word)];
        *hit = part->hits[fp_of(word)];
        return;
    }
    const uint64_t in_table =
        hit->doc != OG_NO_DOC ? (uint64_t)hit->doc + 1 : 0;
    const uint64_t holder = word != 0 ? word : in_table;
    part->before[i] = holder;
    const bool stays = holder != 0 ? is_earlier(parts, holder, part, steps)
                                   : !will_be_kept(b->table, part, i);
    if (holder != 0 && (!stays || word != 0))
        *hit = (struct og_hit){.doc = OG_NO_DOC};
    if (part->is_added && !stays)
        put_holder(b, at, word, first_word(number, i, tag));
}

void og_settling_follow(struct og_settling *b, struct og_table_part *parts,
                        size_t n, unsigned lane,
                        const struct og_table_part_steps *steps)
{
    for (size_t p = 0; p < n; p++) {
        const struct og_table_part *part = &parts[p];
        const uint32_t *order = part->order;
        const size_t begin = order != NULL ? part->starts[lane] : 0;
        const size_t end =
            order != NULL ? part->starts[lane + 1] : part->sel->n;
        if (!part->is_asked) continue;
        for (size_t at = begin; at < end; at++)
            follow_one(b, parts, p, order != NULL ? order[at] : at, steps);
    }
}

uint32_t og_settling_doc(const struct og_table_part *parts, uint64_t holder)
{
    if (is_in_batch(holder)) return parts[part_of(holder)].doc;
    return holder != 0 ? (uint32_t)(holder - 1) : OG_NO_DOC;
}

uint32_t og_settling_holder(const struct og_settling *b,
                            const struct og_table_part *parts, uint64_t fp,
                            uint32_t n_docs, uint32_t now)
{
    uint64_t holder = b->firsts[find_place(b, parts, og_mix64(fp))];
    if (holder == 0) return now;
    while (is_in_batch(holder) && parts[part_of(holder)].doc >= n_docs)
        holder = parts[part_of(holder)].before[fp_of(holder)];
    return og_settling_doc(parts, holder);
}

/* ---- settling ---- */

/* Threads take parts in order, so another thread is working on it, or on one
 * before it. */
static void wait_for(const struct step *s, const struct og_table_part *part)
{
    enum { SPINS = 200 };
    for (unsigned i = 0;; i++) {
        if (__atomic_load_n(&part->is_settled, __ATOMIC_ACQUIRE) ||
            __atomic_load_n(&s->settling->has_failed, __ATOMIC_RELAXED))
            return;
        if (i >= SPINS) sched_yield();
    }
}

/* What an earlier document will have in the table: itself, or the origin that
 * it restores where a full bucket has lost it. That is known once it has been
 * labelled. */
static struct og_hit hit_in_batch(const struct step *s, uint64_t word)
{
    const struct og_table *t = s->settling->table;
    const struct og_table_part *part = &s->parts[part_of(word)];
    const size_t i = fp_of(word);
    const struct og_selection *sel = part->sel;
    const struct og_additions *add = &part->additions;
    const struct og_table_fields *fields = &t->options.fields;
    struct og_hit hit = {.doc = part->doc,
                         .offset = sel->offset != NULL ? sel->offset[i] : 0,
                         .near = sel->near != NULL ? sel->near[i] : 0};
    if (may_have_lost(t, part, i)) {
        wait_for(s, part);
        if (add->origin != NULL && add->origin[i] != OG_NO_DOC) {
            hit.doc = add->origin[i];
            hit.offset = add->offset[i];
        }
    }
    /* As the table would keep it. */
    if (fields->offset_len < 2) hit.offset &= fields->offset_len == 0 ? 0 : 255;
    if (fields->near_len < 2) hit.near = 0;
    return hit;
}

/* The holders in the batch that come before it. */
static void settle_followed(const struct step *s, struct og_table_part *part)
{
    for (size_t i = 0; i < part->sel->n; i++) {
        const uint64_t holder = part->before[i];
        if (is_in_batch(holder) &&
            comes_before(&s->parts[part_of(holder)], part))
            part->hits[i] = hit_in_batch(s, holder);
    }
}

static void settle_part(const struct step *s, size_t number)
{
    const struct og_settling *b = s->settling;
    struct og_table_part *part = &s->parts[number];
    if (!part->is_asked || b->n_firsts == 0) return;
    if (b->has_late) {
        settle_followed(s, part);
        return;
    }
    if (part->is_apart) return;
    for (size_t i = 0; i < part->sel->n; i++) {
        if (part->hits[i].doc != OG_NO_DOC) continue;
        const uint64_t word =
            part->is_added && part->places[i] != NO_PLACE
                ? b->firsts[part->places[i]]
                : b->firsts[find_place(b, s->parts,
                                       og_mix64(part->sel->fp[i]))];
        if (word != 0 && part_of(word) < number)
            part->hits[i] = hit_in_batch(s, word);
    }
}

static og_status settle_piece(void *ctx, void *worker, size_t number,
                              og_error *err)
{
    const struct step *s = ctx;
    struct og_table_part *part = &s->parts[number];
    settle_part(s, number);
    const og_status status =
        og_table_part_step(s->steps, s->steps->settled, worker, part, err);
    if (status != OG_OK)
        __atomic_store_n(&s->settling->has_failed, true, __ATOMIC_RELAXED);
    __atomic_store_n(&part->is_settled, true, __ATOMIC_RELEASE);
    return status;
}

og_status og_settling_run(struct og_settling *b, const struct og_phases *phases,
                          struct og_table_part *parts, size_t n,
                          const struct og_table_part_steps *steps,
                          og_error *err)
{
    struct step s = {b, parts, steps};
    b->has_failed = false;
    return og_phases_step(phases, "settle", n, settle_piece, &s, err);
}
