/* Taking in the fingerprints of one document. Like look-ups (find.c) they go in
 * groups, so that the lines they will touch are asked for in time: first the
 * tags, then the state and the payload that will be read or written. */

#include <assert.h>
#include <string.h>

#include "lib/table/bucket.h"
#include "lib/table/common_fps.h"

static uint32_t *stripe_of(struct og_table *t, uint64_t bucket)
{
    return &t->stripes[(bucket >> (t->first_level - t->level)) %
                       OG_TABLE_STRIPES];
}

/* A stripe is odd from here ... */
static void begin_change(struct og_table *t, uint64_t bucket)
{
    uint32_t *stripe = stripe_of(t, bucket);
    __atomic_store_n(stripe, *stripe + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

/* ... to here. */
static void end_change(struct og_table *t, uint64_t bucket)
{
    uint32_t *stripe = stripe_of(t, bucket);
    __atomic_store_n(stripe, *stripe + 1, __ATOMIC_RELEASE);
}

/* The whole payload, put together beside the table so that it goes in by two
 * stores. Each part may write too far: the next one writes over that. */
static void write_slot(struct og_table *t, uint8_t *payload, uint64_t mixed,
                       const struct og_additions *add, size_t i, uint32_t doc)
{
    uint8_t bytes[32];
    const uint64_t rest = og_fp_rest(t, mixed);
    const uint64_t number = (uint64_t)doc + 1;
    memcpy(bytes, &rest, 8);
    memcpy(bytes + t->doc_off, &number, 8);
    if (t->options.fields.offset_len > 0)
        memcpy(bytes + t->offset_off, &add->offset[i], 2);
    if (t->options.fields.near_len > 0)
        memcpy(bytes + t->near_off, &add->near[i], 2);
    if (t->level > 0) {
        const uint32_t home = (uint32_t)og_home_of(t, mixed);
        memcpy(bytes + t->home_off, &home, 4);
    }
    og_put_piece(payload, bytes, t->payload_len);
}

static bool takes_over(const struct og_additions *add, uint32_t holder)
{
    if (add->earlier != NULL) return add->earlier(add->ctx, add->doc, holder);
    return add->doc < holder;
}

static uint32_t origin_of(const struct og_additions *add, size_t i)
{
    const bool given = add->origin != NULL && add->origin[i] != OG_NO_DOC;
    return given ? add->origin[i] : add->doc;
}

static void renew(struct og_table *t, uint8_t *bucket, uint32_t slot,
                  uint64_t mixed, const struct og_additions *add, size_t i,
                  uint8_t weight)
{
    uint8_t *payload = og_bucket_payload(t, bucket, slot);
    const uint32_t holder = og_own_doc(t, payload) - 1;
    const bool repeats_itself = holder == add->doc;
    if (!repeats_itself && t->n_noise_lines > 0)
        og_common_fps_count(t->noise, t->n_noise_lines, mixed, add->doc);
    if (!repeats_itself && takes_over(add, holder))
        write_slot(t, payload, mixed, add, i, origin_of(add, i));
    /* A document that repeats itself says nothing of copies to come. The
     * paper's policies count that all the same. */
    if (!repeats_itself || t->options.evict != OG_EVICT_LEARN)
        og_evict_found(t, bucket, slot, weight);
}

static void insert(struct og_table *t, uint8_t *bucket, uint32_t used,
                   uint64_t mixed, const struct og_additions *add, size_t i,
                   uint8_t weight)
{
    const bool full = used == t->options.bucket_slots;
    if (full && add->spare != NULL && add->spare[i]) return;
    t->n_used += !full;
    t->n_evicted += full;
    const uint32_t slot = og_evict_make_room(t, bucket, used, mixed);
    og_put8(bucket + slot, og_fp_tag(mixed));
    write_slot(t, og_bucket_payload(t, bucket, slot), mixed, add, i,
               origin_of(add, i));
    /* A slot that was never used has the state 0 already: its line of the
     * bucket need not be touched. */
    if (full || !og_evict_starts_at_0(t->options.evict))
        og_evict_inserted(t, bucket, slot, weight);
}

/* Enough to hide a miss behind the work of a group, and few enough for the
 * line fill buffers of a core. */
#define GROUP 16

struct group {
    size_t n;
    uint64_t mixed[GROUP];
    uint64_t number[GROUP]; /* of the bucket */
    struct og_look look[GROUP];
    uint64_t changed; /* a bit for each bucket number, modulo 64 */
    unsigned level;   /* of the table, when the buckets were numbered */
};

static void ask_for_tags(const struct og_table *t,
                         const struct og_additions *add, size_t first,
                         struct group *g)
{
    g->n = add->n - first < GROUP ? add->n - first : GROUP;
    g->level = t->level;
    for (size_t i = 0; i < g->n; i++) {
        g->mixed[i] = og_mix64(add->fp[first + i]);
        g->number[i] = og_bucket_of(t, g->mixed[i]);
        const uint8_t *bucket = og_bucket_at(t, g->number[i]);
        __builtin_prefetch(bucket, 1);
    }
}

/* The table has grown meanwhile: nothing of what was looked up holds. */
static void number_again(const struct og_table *t, struct group *g)
{
    for (size_t i = 0; i < g->n; i++)
        g->number[i] = og_bucket_of(t, g->mixed[i]);
    g->changed = UINT64_MAX;
    g->level = t->level;
}

/* The payload that will be touched: that of the fingerprint, or the first empty
 * one; in a full bucket it is not known yet. */
static void ask_for_payloads(const struct og_table *t, struct group *g)
{
    const uint32_t none = t->options.bucket_slots;
    if (g->level != t->level) number_again(t, g);
    g->changed = 0;
    for (size_t i = 0; i < g->n; i++) {
        uint8_t *bucket = og_bucket_at(t, g->number[i]);
        g->look[i] = og_bucket_look(t, bucket, g->mixed[i]);
        const bool known = g->look[i].slot < none;
        const uint32_t slot = known ? g->look[i].slot : g->look[i].used;
        if (slot < none)
            __builtin_prefetch(og_bucket_payload(t, bucket, slot), 1);
        if (known || slot == none) __builtin_prefetch(bucket + t->state_off, 1);
        if (known && t->n_noise_lines > 0)
            __builtin_prefetch(
                t->noise + og_common_fps_off(t->n_noise_lines, g->mixed[i]), 1);
    }
}

static void add_one(struct og_table *t, const struct og_additions *add,
                    size_t i, uint64_t mixed, uint64_t number,
                    struct og_look look)
{
    const uint32_t none = t->options.bucket_slots;
    const uint8_t weight = add->weight != NULL ? add->weight[i] : 1;
    uint8_t *bucket = og_bucket_at(t, number);
    uint32_t slot = look.slot;
    if (slot < none && !og_slot_holds(t, bucket, slot, mixed))
        slot = og_bucket_find(t, bucket, mixed);
    while (slot == none && look.used == none && t->level > 0) {
        og_table_grow(t);
        number = og_bucket_of(t, mixed);
        bucket = og_bucket_at(t, number);
        look.used = og_bucket_used(t, bucket);
    }
    begin_change(t, number);
    if (slot < none)
        renew(t, bucket, slot, mixed, add, i, weight);
    else
        insert(t, bucket, look.used, mixed, add, i, weight);
    end_change(t, number);
}

/* What was looked up before another fingerprint of the group went into the same
 * bucket is looked up again. */
static void add_group(struct og_table *t, const struct og_additions *add,
                      size_t first, struct group *g)
{
    for (size_t i = 0; i < g->n; i++) {
        if (g->level != t->level) number_again(t, g);
        const uint64_t bit = (uint64_t)1 << g->number[i] % 64;
        if ((g->changed & bit) != 0)
            g->look[i] =
                og_bucket_look(t, og_bucket_at(t, g->number[i]), g->mixed[i]);
        g->changed |= bit;
        add_one(t, add, first + i, g->mixed[i], g->number[i], g->look[i]);
    }
}

void og_table_add_many(struct og_table *table, const struct og_additions *add)
{
    assert(add->doc < OG_NO_DOC);
    struct group groups[2];
    ask_for_tags(table, add, 0, &groups[0]);
    size_t done = 0;
    for (unsigned turn = 0; done < add->n; turn ^= 1) {
        struct group *now = &groups[turn];
        const size_t next = done + now->n;
        ask_for_tags(table, add, next, &groups[turn ^ 1]);
        ask_for_payloads(table, now);
        add_group(table, add, done, now);
        done = next;
    }
    table->n_added += add->n;
}

void og_table_see_many(struct og_table *table, const uint64_t *fps,
                       const uint8_t *weights, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t mixed = og_mix64(fps[i]);
        const uint64_t number = og_bucket_of(table, mixed);
        uint8_t *bucket = og_bucket_at(table, number);
        const uint32_t slot = og_bucket_find(table, bucket, mixed);
        if (slot >= table->options.bucket_slots) continue;
        begin_change(table, number);
        og_evict_found(table, bucket, slot, weights[i]);
        end_change(table, number);
    }
}
