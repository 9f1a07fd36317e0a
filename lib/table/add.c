/* Adds the fingerprints of documents. Like look-ups (find.c) they are processed
 * in groups, so that the cache lines are prefetched in time: first the tags,
 * then the state and the payload that will be read or written. */

#include <assert.h>
#include <string.h>

#include "lib/table/bucket.h"
#include "lib/table/common_fps.h"
#include "lib/table/lane.h"

/* A stripe is odd from here ... */
static uint32_t *begin_change(struct og_table *t, uint64_t bucket)
{
    uint32_t *stripe =
        &t->stripes[(bucket >> (t->first_level - t->level)) % OG_TABLE_STRIPES];
    __atomic_store_n(stripe, *stripe + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    return stripe;
}

/* ... to here. */
static void end_change(uint32_t *stripe)
{
    __atomic_store_n(stripe, *stripe + 1, __ATOMIC_RELEASE);
}

static inline void store16(uint8_t *p, uint16_t v)
{
    v = og_le16(v);
    memcpy(p, &v, sizeof(v));
}

static inline uint64_t low_bits(uint64_t v, unsigned n)
{
    return v & (((uint64_t)1 << n) - 1);
}

/* What follows the document in a packed slot: at most 8 bytes. */
static inline uint64_t packed_fields(struct og_table_fields fields,
                                     uint32_t home,
                                     const struct og_additions *add, size_t i)
{
    const unsigned offset_bits = 8u * fields.offset_len;
    const unsigned near_bits = 8u * fields.near_len;
    uint64_t more = (uint64_t)home << (offset_bits + near_bits);
    if (near_bits > 0) more |= (uint64_t)add->near[i] << offset_bits;
    if (offset_bits > 0) more |= low_bits(add->offset[i], offset_bits);
    return more;
}

/* The packed layout, as a number: 2 bytes of the fingerprint, 4 of the document
 * and the fields. */
static inline unsigned __int128 packed_slot(const struct og_table *t,
                                            uint64_t mixed,
                                            const struct og_additions *add,
                                            size_t i, uint32_t doc)
{
    static const struct og_table_fields usual = {2, 2};
    const struct og_table_fields fields = t->options.fields;
    const uint32_t home = t->level > 0 ? (uint32_t)og_home_of(t, mixed) : 0;
    const bool is_usual = fields.offset_len == usual.offset_len &&
                          fields.near_len == usual.near_len;
    /* All shifts of the usual one are known to the compiler. */
    const uint64_t more = OG_LIKELY(is_usual)
                              ? packed_fields(usual, home, add, i)
                              : packed_fields(fields, home, add, i);
    const uint64_t number = (uint64_t)doc + 1;
    return og_fp_rest(t, mixed) | number << 16 | (unsigned __int128)more << 48;
}

/* Each part may write too far: the next one overwrites that. */
static void write_long_slot(struct og_table *t, uint8_t *payload,
                            uint64_t mixed, const struct og_additions *add,
                            size_t i, uint32_t doc)
{
    uint8_t bytes[32];
    og_store64(bytes, og_fp_rest(t, mixed));
    og_store64(bytes + t->doc_off, (uint64_t)doc + 1);
    if (t->options.fields.offset_len > 0)
        store16(bytes + t->offset_off, add->offset[i]);
    if (t->options.fields.near_len > 0)
        store16(bytes + t->near_off, add->near[i]);
    if (t->level > 0)
        og_store32(bytes + t->home_off, (uint32_t)og_home_of(t, mixed));
    og_put_piece(payload, bytes, t->payload_len);
}

/* The whole payload, assembled outside the table so that two stores write it;
 * in registers where possible, because bytes just written one by one cannot be
 * read as a word before they reach the cache. */
static void write_slot(struct og_table *t, uint8_t *payload, uint64_t mixed,
                       const struct og_additions *add, size_t i, uint32_t doc)
{
    if (OG_LIKELY(t->options.layout == OG_LAYOUT_PACKED))
        og_put_number(payload, packed_slot(t, mixed, add, i, doc),
                      t->payload_len);
    else
        write_long_slot(t, payload, mixed, add, i, doc);
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

/* ---- one fingerprint ---- */

/* Of a lane: fingerprint i of a document. */
struct op {
    uint32_t part, at; /* where to resume from */
    uint32_t i;
};

static void renew(struct og_lane *lane, uint8_t *bucket, uint32_t slot,
                  uint64_t mixed, const struct op *op, uint8_t weight)
{
    struct og_table *t = lane->t;
    const struct og_table_part *part = &lane->parts[op->part];
    const struct og_additions *add = &part->additions;
    uint8_t *payload = og_bucket_payload(t, bucket, slot);
    const uint32_t holder = og_own_doc(t, payload) - 1;
    const bool repeats_itself = holder == add->doc;
    if (!repeats_itself && t->n_common_lines > 0) {
        if (lane->is_alone)
            og_common_fps_count(t->common, t->n_common_lines, mixed, add->doc);
        else
            part->is_counted[op->i] = 1;
    }
    if (!repeats_itself && takes_over(add, holder))
        write_slot(t, payload, mixed, add, op->i, origin_of(add, op->i));
    /* Repetitions within a document do not predict copies. The paper's policies
     * count them all the same. */
    if (!repeats_itself || t->options.evict != OG_EVICT_LEARN)
        og_evict_found(t, bucket, slot, weight);
}

/* The random choices of an eviction depend on the fingerprint that is added,
 * not on earlier ones. */
static uint64_t seed_of(uint64_t seed, uint32_t doc, uint32_t i)
{
    return seed + og_mix64((uint64_t)doc << 32 | i);
}

static void insert(struct og_lane *lane, uint8_t *bucket, uint32_t used,
                   uint64_t mixed, const struct op *op, uint8_t weight)
{
    struct og_table *t = lane->t;
    const struct og_additions *add = &lane->parts[op->part].additions;
    const bool full = used == t->options.bucket_slots;
    if (full && add->spare != NULL && add->spare[op->i]) return;
    t->n_used += !full;
    t->n_evicted += full;
    lane->n_new[op->part]++;
    const uint64_t seed = t->random;
    if (full) t->random = seed_of(seed, add->doc, op->i);
    const uint32_t slot = og_evict_make_room(t, bucket, used, mixed);
    t->random = seed;
    og_put8(bucket + slot, og_fp_tag(mixed));
    write_slot(t, og_bucket_payload(t, bucket, slot), mixed, add, op->i,
               origin_of(add, op->i));
    /* A slot that was never used already has state 0: its cache line need not
     * be touched. */
    if (full || !og_evict_starts_at_0(t->options.evict))
        og_evict_inserted(t, bucket, slot, weight);
}

/* False: the table must grow first. */
static bool add_one(struct og_lane *lane, const struct op *op, uint64_t mixed,
                    uint64_t number, uint8_t *bucket, struct og_look look)
{
    struct og_table *t = lane->t;
    const struct og_additions *add = &lane->parts[op->part].additions;
    const uint32_t none = t->options.bucket_slots;
    const uint8_t weight = add->weight != NULL ? add->weight[op->i] : 1;
    uint32_t slot = look.slot;
    if (slot < none && !og_slot_holds(t, bucket, slot, mixed))
        slot = og_bucket_find(t, bucket, mixed);
    while (slot == none && look.used == none && t->level > 0) {
        if (!lane->is_alone) return false;
        const struct og_phases alone = og_phases_alone(NULL);
        og_table_grow(t, &alone);
        number = og_bucket_of(t, mixed);
        bucket = og_bucket_at(t, number);
        look.used = og_bucket_used(t, bucket);
    }
    uint32_t *stripe = begin_change(t, number);
    if (slot < none)
        renew(lane, bucket, slot, mixed, op, weight);
    else
        insert(lane, bucket, look.used, mixed, op, weight);
    end_change(stripe);
    return true;
}

/* ---- groups of them ---- */

/* Enough to hide a miss behind the work of a group, and few enough for the
 * line fill buffers of a core. */
#define GROUP 16
/* One group is added, the payloads of the next are being fetched, and the tags
 * of the one after it. */
#define GROUPS        3
#define CHANGED_WORDS 4

struct group {
    size_t n;
    struct op op[GROUP];
    uint64_t mixed[GROUP];
    uint64_t number[GROUP]; /* of the bucket */
    uint8_t *bucket[GROUP];
    struct og_look look[GROUP];
    /* Changes since the look-up: a bit for each bucket number, modulo 256. */
    uint64_t changed[CHANGED_WORDS];
    unsigned level; /* of the table, when the buckets were numbered */
};

static uint32_t ops_begin(const struct og_lane *lane,
                          const struct og_table_part *part)
{
    return part->order == NULL ? 0 : part->starts[lane->number];
}

static uint32_t ops_end(const struct og_lane *lane,
                        const struct og_table_part *part)
{
    if (part->order == NULL)
        return part->is_added ? (uint32_t)part->additions.n : 0;
    return part->is_added ? part->starts[lane->number + 1]
                          : ops_begin(lane, part);
}

/* The next part that has operations in this lane; false: none. */
static bool find_part(struct og_lane *lane)
{
    while (lane->part < lane->end &&
           lane->at >= ops_end(lane, &lane->parts[lane->part])) {
        lane->part++;
        if (lane->part < lane->end)
            lane->at = ops_begin(lane, &lane->parts[lane->part]);
    }
    return lane->part < lane->end;
}

static void ask_for_tags(struct og_lane *lane, struct group *g)
{
    const struct og_table *t = lane->t;
    size_t n = 0;
    g->level = t->level;
    while (n < GROUP && find_part(lane)) {
        const struct og_table_part *part = &lane->parts[lane->part];
        const uint64_t *fps = part->additions.fp;
        const uint32_t *order = part->order;
        const uint32_t left = ops_end(lane, part) - lane->at;
        const uint32_t here = left < GROUP - n ? left : (uint32_t)(GROUP - n);
        const uint32_t first = lane->at;
        for (uint32_t at = first; at < first + here; at++, n++) {
            const uint32_t i = order != NULL ? order[at] : at;
            const uint64_t mixed = og_mix64(fps[i]);
            const uint64_t number = og_bucket_of(t, mixed);
            g->op[n] = (struct op){(uint32_t)lane->part, at, i};
            g->mixed[n] = mixed;
            g->number[n] = number;
            g->bucket[n] = og_bucket_at(t, number);
            __builtin_prefetch(g->bucket[n], 1);
        }
        lane->at = first + here;
    }
    g->n = n;
}

/* The table has grown meanwhile: all look-ups are invalid. */
static void number_again(const struct og_table *t, struct group *g)
{
    for (size_t i = 0; i < g->n; i++) {
        g->number[i] = og_bucket_of(t, g->mixed[i]);
        g->bucket[i] = og_bucket_at(t, g->number[i]);
    }
    memset(g->changed, 0xff, sizeof(g->changed));
    g->level = t->level;
}

/* The payload that will be accessed: that of the fingerprint, or the first
 * empty one; in a full bucket it is not known yet. */
static void ask_for_payloads(const struct og_lane *lane, struct group *g)
{
    const struct og_table *t = lane->t;
    const uint32_t none = t->options.bucket_slots;
    const bool counts = lane->is_alone && t->n_common_lines > 0;
    if (g->level != t->level) number_again(t, g);
    memset(g->changed, 0, sizeof(g->changed));
    og_buckets_look(t, g->bucket, g->mixed, g->n, g->look);
    for (size_t i = 0; i < g->n; i++) {
        uint8_t *bucket = g->bucket[i];
        const bool known = g->look[i].slot < none;
        const uint32_t slot = known ? g->look[i].slot : g->look[i].used;
        if (slot < none)
            __builtin_prefetch(og_bucket_payload(t, bucket, slot), 1);
        if (known || slot == none) __builtin_prefetch(bucket + t->state_off, 1);
        if (known && counts)
            __builtin_prefetch(
                t->common + og_common_fps_off(t->n_common_lines, g->mixed[i]),
                1);
    }
}

/* Fingerprints looked up before another one was added to the same bucket are
 * looked up again; `next` was looked up before this group was added. */
static bool add_group(struct og_lane *lane, struct group *g, struct group *next)
{
    const struct og_table *t = lane->t;
    for (size_t i = 0; i < g->n; i++) {
        if (g->level != t->level) number_again(t, g);
        const size_t word = g->number[i] / 64 % CHANGED_WORDS;
        const uint64_t bit = (uint64_t)1 << g->number[i] % 64;
        if ((g->changed[word] & bit) != 0)
            g->look[i] = og_bucket_look(t, g->bucket[i], g->mixed[i]);
        g->changed[word] |= bit;
        next->changed[word] |= bit;
        if (add_one(lane, &g->op[i], g->mixed[i], g->number[i], g->bucket[i],
                    g->look[i]))
            continue;
        lane->is_blocked = true;
        lane->part = g->op[i].part;
        lane->at = g->op[i].at;
        return false;
    }
    return true;
}

unsigned og_lane_of(const struct og_table *t, uint64_t mixed, unsigned bits)
{
    const uint64_t stripe =
        (og_home_of(t, mixed) >> t->first_level) % OG_TABLE_STRIPES;
    return (unsigned)(stripe << bits) / OG_TABLE_STRIPES;
}

void og_lane_run(struct og_lane *lane)
{
    struct group groups[GROUPS];
    lane->is_blocked = false;
    ask_for_tags(lane, &groups[0]);
    ask_for_tags(lane, &groups[1]);
    ask_for_payloads(lane, &groups[0]);
    for (unsigned turn = 0; groups[turn].n > 0; turn = (turn + 1) % GROUPS) {
        struct group *next = &groups[(turn + 1) % GROUPS];
        ask_for_tags(lane, &groups[(turn + 2) % GROUPS]);
        ask_for_payloads(lane, next);
        if (!add_group(lane, &groups[turn], next)) return;
    }
}

void og_table_add_many(struct og_table *table, const struct og_additions *add)
{
    assert(add->doc < OG_NO_DOC);
    uint32_t n_new = 0;
    struct og_table_part part = {
        .doc = add->doc, .is_added = true, .additions = *add};
    struct og_lane lane = {.t = table,
                           .parts = &part,
                           .end = 1,
                           .is_alone = true,
                           .n_new = &n_new};
    const uint64_t due = og_learning_next(table->n_added);
    og_lane_run(&lane);
    table->n_added += add->n;
    og_table_set_kept(table);
    if (table->learning != NULL && table->n_added >= due)
        og_learning_lesson(table->learning);
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
        uint32_t *stripe = begin_change(table, number);
        og_evict_found(table, bucket, slot, weights[i]);
        end_change(stripe);
    }
}
