/* Observing: lanes (lane.h), then the lines of common fingerprints, which
 * depend on other bits and have lanes of their own; between the two a byte
 * tells which fingerprints to count. */

#include "lib/table/table_batch.h"

#include <string.h>

#include "lib/base/bits.h"
#include "lib/table/bucket.h"
#include "lib/table/common_fps.h"
#include "lib/table/lane.h"

/* Pieces and lanes per thread, so that none waits long for the others; but none
 * with so few fingerprints that waking a thread takes longer. */
enum {
    PIECES_EACH = 4,
    LANES_EACH = 2,
    MOST_LANE_BITS = 8,
    LEAST_FPS = 1536,
};

void og_table_batch_init(struct og_table_batch *b, struct og_table *table,
                         const og_allocator *allocator)
{
    *b = (struct og_table_batch){.allocator = allocator, .table = table};
    og_settling_init(&b->settling, table, allocator);
}

void og_table_batch_release(struct og_table_batch *b)
{
    const og_allocator *a = b->allocator;
    for (size_t i = 0; i < b->lanes_cap; i++)
        og_learning_free(b->lanes[i].learning, a);
    OG_UNGROW(a, b->hits, b->hits_cap);
    og_settling_release(&b->settling);
    OG_UNGROW(a, b->order, b->order_cap);
    OG_UNGROW(a, b->starts, b->starts_cap);
    OG_UNGROW(a, b->n_new, b->n_new_cap);
    OG_UNGROW(a, b->is_counted, b->counted_cap);
    OG_UNGROW(a, b->lanes, b->lanes_cap);
    OG_UNGROW(a, b->pieces, b->pieces_cap);
}

/* ---- room ---- */

static unsigned lane_bits(const struct og_phases *phases, size_t n_fps)
{
    unsigned bits = 0;
    if (phases->n_threads == 1) return 0;
    while ((1u << bits) < LANES_EACH * phases->n_threads &&
           n_fps >> bits >= 2 * LEAST_FPS && bits < MOST_LANE_BITS)
        bits++;
    return bits;
}

static og_status reserve_lanes(struct og_table_batch *b, og_error *err)
{
    const size_t had = b->lanes_cap;
    if (!OG_GROW(b->allocator, b->lanes, b->lanes_cap, b->n_lanes))
        return og_error_memory(err, b->n_lanes * sizeof(*b->lanes), "lanes");
    if (b->lanes_cap > had)
        memset(b->lanes + had, 0, (b->lanes_cap - had) * sizeof(*b->lanes));
    for (size_t i = 0; i < b->n_lanes; i++)
        if (b->table->learning != NULL && b->lanes[i].learning == NULL)
            TRY(og_learning_new(b->allocator, &b->lanes[i].learning, err));
    return OG_OK;
}

/* Pieces of about the same number of fingerprints. */
static og_status cut_pieces(struct og_table_batch *b,
                            const struct og_phases *phases,
                            const struct og_table_part *parts, size_t n,
                            size_t n_fps, og_error *err)
{
    const size_t most =
        phases->n_threads == 1 ? 1 : (size_t)PIECES_EACH * phases->n_threads;
    const size_t even = (n_fps + n) / most + 1;
    const size_t share = even > LEAST_FPS ? even : LEAST_FPS;
    size_t filled = share;
    if (!OG_GROW(b->allocator, b->pieces, b->pieces_cap, n + 1))
        return og_error_memory(err, n * sizeof(*b->pieces), "a batch");
    b->n_pieces = 0;
    for (size_t i = 0; i < n; i++) {
        if (filled >= share) {
            b->pieces[b->n_pieces++] = i;
            filled = 0;
        }
        filled += parts[i].sel->n + 1;
    }
    b->pieces[b->n_pieces] = n;
    return OG_OK;
}

static og_status reserve(struct og_table_batch *b,
                         const struct og_phases *phases,
                         struct og_table_part *parts, size_t n, bool has_late,
                         og_error *err)
{
    const og_allocator *a = b->allocator;
    size_t n_fps = 0;
    for (size_t i = 0; i < n; i++)
        n_fps += parts[i].sel->n;
    b->n_lanes = (size_t)1 << lane_bits(phases, n_fps);
    const bool dealt = b->n_lanes > 1;
    if (!OG_GROW(a, b->hits, b->hits_cap, n_fps + 1) ||
        !OG_GROW(a, b->n_new, b->n_new_cap, b->n_lanes * n) ||
        (dealt &&
         (!OG_GROW(a, b->order, b->order_cap, 2 * n_fps + 1) ||
          !OG_GROW(a, b->is_counted, b->counted_cap, n_fps + 1) ||
          !OG_GROW(a, b->starts, b->starts_cap, 2 * n * (b->n_lanes + 1)))))
        return og_error_memory(err, n_fps * sizeof(*b->hits), "a batch");
    TRY(reserve_lanes(b, err));
    TRY(cut_pieces(b, phases, parts, n, n_fps, err));
    TRY(og_settling_begin(&b->settling, parts, n, n_fps, has_late, err));
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        struct og_table_part *part = &parts[i];
        const size_t first = 2 * i * (b->n_lanes + 1);
        part->hits = b->hits + at;
        part->order = dealt ? b->order + 2 * at : NULL;
        part->line_order = dealt ? part->order + part->sel->n : NULL;
        part->starts = dealt ? b->starts + first : NULL;
        part->line_starts = dealt ? part->starts + b->n_lanes + 1 : NULL;
        part->is_counted = dealt ? b->is_counted + at : NULL;
        at += part->sel->n;
    }
    return OG_OK;
}

/* ---- dealing out ---- */

/* By their lanes, in order inside each; `lane` has one for each. */
static void sort_by_lane(const uint8_t *lane, size_t n, size_t n_lanes,
                         uint32_t *order, uint32_t *starts)
{
    uint32_t next[(1 << MOST_LANE_BITS) + 1] = {0};
    for (size_t i = 0; i < n; i++)
        next[lane[i] + 1]++;
    for (size_t i = 0; i < n_lanes; i++)
        next[i + 1] += next[i];
    memcpy(starts, next, (n_lanes + 1) * sizeof(*starts));
    for (size_t i = 0; i < n; i++)
        order[next[lane[i]]++] = (uint32_t)i;
}

static unsigned line_lane(const struct og_table *t, uint64_t mixed,
                          unsigned bits)
{
    const uint64_t line =
        og_common_fps_off(t->n_common_lines, mixed) / OG_COMMON_LINE;
    return (unsigned)((line << bits) / t->n_common_lines);
}

/* is_counted holds the lanes meanwhile. */
static void deal_out(const struct og_table_batch *b, struct og_table_part *part)
{
    const struct og_table *t = b->table;
    const size_t n = part->sel->n;
    const unsigned bits = (unsigned)__builtin_ctzll(b->n_lanes);
    uint8_t *lane = part->is_counted;
    for (size_t i = 0; i < n; i++)
        lane[i] = (uint8_t)og_lane_of(t, og_mix64(part->sel->fp[i]), bits);
    sort_by_lane(lane, n, b->n_lanes, part->order, part->starts);
    if (t->n_common_lines > 0) {
        for (size_t i = 0; i < n; i++)
            lane[i] = (uint8_t)line_lane(t, og_mix64(part->sel->fp[i]), bits);
        sort_by_lane(lane, n, b->n_lanes, part->line_order, part->line_starts);
    }
    memset(part->is_counted, 0, n);
}

/* ---- the steps ---- */

struct step {
    struct og_table_batch *batch;
    struct og_table_part *parts;
    const struct og_table_part_steps *steps;
};

static og_status look_up_part(const struct step *s, void *worker, size_t number,
                              og_error *err)
{
    struct og_table_batch *b = s->batch;
    struct og_table_part *part = &s->parts[number];
    const struct og_selection *sel = part->sel;
    if (!part->is_added && !part->is_asked) return OG_OK;
    if ((part->is_added || s->steps->compare != NULL) && b->n_lanes > 1)
        deal_out(b, part);
    TRY(og_table_part_step(s->steps, s->steps->before, worker, part, err));
    if (!part->is_asked) return OG_OK;
    og_table_find_many(b->table, sel->fp, sel->n, part->hits);
    TRY(og_table_part_step(s->steps, s->steps->found, worker, part, err));
    og_settling_put(&b->settling, s->parts, number);
    return OG_OK;
}

static og_status look_up_piece(void *ctx, void *worker, size_t piece,
                               og_error *err)
{
    const struct step *s = ctx;
    const size_t *pieces = s->batch->pieces;
    if (piece >= s->batch->n_pieces) {
        og_settling_clear_spare(&s->batch->settling,
                                piece - s->batch->n_pieces);
        return OG_OK;
    }
    for (size_t i = pieces[piece]; i < pieces[piece + 1]; i++)
        TRY(look_up_part(s, worker, i, err));
    return OG_OK;
}

static og_status look_up(void *ctx, const struct og_phases *phases,
                         struct og_table_part *parts, size_t n,
                         const struct og_table_part_steps *steps, og_error *err)
{
    struct og_table_batch *b = ctx;
    struct step s = {b, parts, steps};
    TRY(reserve(b, phases, parts, n, steps->compare != NULL, err));
    const size_t n_clear = phases->n_threads > 1 && b->n_pieces > 1
                               ? og_settling_reserve_spare(&b->settling)
                               : 0;
    TRY(og_phases_step(phases, "look up", b->n_pieces + n_clear, look_up_piece,
                       &s, err));
    if (n_clear > 0) og_settling_has_cleared(&b->settling);
    return OG_OK;
}

/* ---- settling ---- */

struct following {
    struct og_table_batch *batch;
    struct og_table_part *parts;
    size_t n;
    const struct og_table_part_steps *steps;
};

static og_status follow_lane(void *ctx, void *worker, size_t number,
                             og_error *err)
{
    const struct following *f = ctx;
    (void)worker, (void)err;
    og_settling_follow(&f->batch->settling, f->parts, f->n, (unsigned)number,
                       f->steps);
    return OG_OK;
}

static og_status settle(void *ctx, const struct og_phases *phases,
                        struct og_table_part *parts, size_t n,
                        const struct og_table_part_steps *steps, og_error *err)
{
    struct og_table_batch *b = ctx;
    struct following f = {b, parts, n, steps};
    if (steps->compare != NULL)
        TRY(og_phases_step(phases, "follow", b->n_lanes, follow_lane, &f, err));
    return og_settling_run(&b->settling, phases, parts, n, steps, err);
}

/* ---- observing ---- */

struct observing {
    struct og_table_batch *batch;
    struct og_table_part *parts;
    size_t n_parts, begin, end;
    bool has_begun; /* the lanes: they go on after the table has grown */
};

static void begin_lane(const struct observing *o, size_t number)
{
    struct og_table_batch *b = o->batch;
    struct og_lane *lane = &b->lanes[number];
    lane->own = *b->table;
    lane->own.n_used = lane->own.n_evicted = 0;
    lane->own.learning = lane->learning;
    if (lane->learning != NULL)
        og_learning_part(lane->learning, b->table->learning);
    lane->t = &lane->own;
    lane->parts = o->parts;
    lane->part = o->begin;
    lane->end = o->end;
    lane->number = (unsigned)number;
    lane->at = o->parts[o->begin].starts[number];
    lane->n_new = b->n_new + number * o->n_parts;
    lane->is_alone = lane->is_blocked = false;
}

static og_status run_lane(void *ctx, void *worker, size_t number, og_error *err)
{
    const struct observing *o = ctx;
    (void)worker, (void)err;
    if (!o->has_begun) begin_lane(o, number);
    og_lane_run(&o->batch->lanes[number]);
    return OG_OK;
}

/* Each lane's copy is updated after the table has grown. */
static bool grow_when_blocked(struct og_table_batch *b,
                              const struct og_phases *phases)
{
    bool is_blocked = false;
    for (size_t i = 0; i < b->n_lanes; i++)
        is_blocked |= b->lanes[i].is_blocked;
    if (!is_blocked) return false;
    og_table_grow(b->table, phases);
    for (size_t i = 0; i < b->n_lanes; i++) {
        struct og_lane *lane = &b->lanes[i];
        const uint64_t n_used = lane->own.n_used;
        const uint64_t n_evicted = lane->own.n_evicted;
        lane->own = *b->table;
        lane->own.n_used = n_used;
        lane->own.n_evicted = n_evicted;
        lane->own.learning = lane->learning;
    }
    return true;
}

static void end_lanes(struct og_table_batch *b)
{
    for (size_t i = 0; i < b->n_lanes; i++) {
        const struct og_lane *lane = &b->lanes[i];
        b->table->n_used += lane->own.n_used;
        b->table->n_evicted += lane->own.n_evicted;
        if (lane->learning != NULL)
            og_learning_join(b->table->learning, lane->learning);
    }
}

/* Counts common fingerprints of one lane of lines, a few at a time. */
static og_status count_lines(void *ctx, void *worker, size_t number,
                             og_error *err)
{
    enum { GROUP = 16 };
    const struct observing *o = ctx;
    const struct og_table *t = o->batch->table;
    uint64_t mixed[GROUP];
    (void)worker, (void)err;
    for (size_t p = o->begin; p < o->end; p++) {
        const struct og_table_part *part = &o->parts[p];
        uint32_t at = part->is_added ? part->line_starts[number] : 0;
        const uint32_t end = part->is_added ? part->line_starts[number + 1] : 0;
        while (at < end) {
            size_t n = 0;
            for (; at < end && n < GROUP; at++) {
                const uint32_t i = part->line_order[at];
                if (part->is_counted[i] == 0) continue;
                mixed[n] = og_mix64(part->sel->fp[i]);
                __builtin_prefetch(
                    t->common + og_common_fps_off(t->n_common_lines, mixed[n]),
                    1);
                n++;
            }
            for (size_t i = 0; i < n; i++)
                og_common_fps_count(t->common, t->n_common_lines, mixed[i],
                                    part->additions.doc);
        }
    }
    return OG_OK;
}

static og_status observe_lanes(struct observing *o,
                               const struct og_phases *phases, og_error *err)
{
    struct og_table_batch *b = o->batch;
    o->has_begun = false;
    do {
        TRY(og_phases_step(phases, "observe", b->n_lanes, run_lane, o, err));
        o->has_begun = true;
    } while (grow_when_blocked(b, phases));
    end_lanes(b);
    if (b->table->n_common_lines == 0) return OG_OK;
    return og_phases_step(phases, "count", b->n_lanes, count_lines, o, err);
}

/* A single lane, which may grow the table itself. */
static og_status observe_alone(void *ctx, void *worker, size_t number,
                               og_error *err)
{
    const struct observing *o = ctx;
    struct og_lane lane = {.t = o->batch->table,
                           .parts = o->parts,
                           .part = o->begin,
                           .end = o->end,
                           .is_alone = true,
                           .n_new = o->batch->n_new};
    (void)worker, (void)number, (void)err;
    og_lane_run(&lane);
    return OG_OK;
}

/* No lesson is due before the end of these. */
static og_status observe_until_lesson(struct observing *o,
                                      const struct og_phases *phases,
                                      og_error *err)
{
    if (o->batch->n_lanes > 1) return observe_lanes(o, phases, err);
    return og_phases_step(phases, "observe", 1, observe_alone, o, err);
}

static og_status observe(void *ctx, const struct og_phases *phases,
                         struct og_table_part *parts, size_t n, og_error *err)
{
    struct og_table_batch *b = ctx;
    struct og_table *t = b->table;
    struct observing o = {.batch = b, .parts = parts, .n_parts = n};
    memset(b->n_new, 0, b->n_lanes * n * sizeof(*b->n_new));
    while (o.begin < n) {
        const uint64_t due = og_learning_next(t->n_added);
        for (o.end = o.begin; o.end < n && t->n_added < due; o.end++)
            if (parts[o.end].is_added) t->n_added += parts[o.end].additions.n;
        TRY(observe_until_lesson(&o, phases, err));
        if (t->learning != NULL && t->n_added >= due)
            og_learning_lesson(t->learning);
        o.begin = o.end;
    }
    og_table_set_kept(t);
    for (size_t i = 0; i < n; i++)
        for (size_t lane = 0; lane < b->n_lanes; lane++)
            parts[i].n_new += b->n_new[lane * n + i];
    return OG_OK;
}

struct og_table_protocol og_table_batch_protocol(struct og_table_batch *batch)
{
    return (struct og_table_protocol){
        .ctx = batch, .look_up = look_up, .settle = settle, .observe = observe};
}
