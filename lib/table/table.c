#include "lib/table/table.h"

#include <assert.h>

#include "lib/table/bucket.h"

/* How many buckets ahead to ask the memory for. Enough to hide a miss of about
 * 100 ns behind look-ups of 6 to 8 ns; more would evict each other from the
 * line fill buffers. */
#define LOOK_AHEAD 16

/* The writer's loads of 8 bytes may reach past the last payload. */
#define TABLE_SLACK 8

static size_t rest_len_of(og_layout_kind layout)
{
    return layout == OG_LAYOUT_PAPER ? 5 : 2;
}

static size_t doc_len_of(og_layout_kind layout)
{
    return layout == OG_LAYOUT_PAPER ? 8 : 4;
}

size_t og_table_slot_len(const struct og_table_options *options)
{
    return 1 + rest_len_of(options->layout) + doc_len_of(options->layout) +
           options->fields.offset_len + options->fields.near_len +
           og_evict_state_len(options->evict);
}

static void lay_out(struct og_table *t)
{
    const struct og_table_options *o = &t->options;
    const size_t slots = o->bucket_slots;
    t->rest_len = rest_len_of(o->layout);
    t->doc_len = doc_len_of(o->layout);
    t->rest_mask = ((uint64_t)1 << 8 * t->rest_len) - 1;
    t->doc_off = t->rest_len;
    t->offset_off = t->doc_off + t->doc_len;
    t->near_off = t->offset_off + o->fields.offset_len;
    t->payload_len = t->near_off + o->fields.near_len;
    t->state_off = slots;
    t->ring_off = t->state_off + slots * og_evict_state_len(o->evict);
    t->payload_off = t->ring_off + og_evict_ring_len(o->evict, (uint32_t)slots);
    t->bucket_len = t->payload_off + slots * t->payload_len;
}

og_status og_table_init(struct og_table *table,
                        const struct og_table_options *options,
                        const og_allocator *allocator, og_error *err)
{
    *table = (struct og_table){
        .options = *options, .random = 1, .allocator = allocator};
    lay_out(table);
    if (options->memory < table->bucket_len + TABLE_SLACK)
        return og_error_set(err, OG_ERR_USAGE,
                            "a table of %llu bytes has no room for one bucket "
                            "(%zu bytes)",
                            (unsigned long long)options->memory,
                            table->bucket_len + TABLE_SLACK);
    table->n_buckets = (options->memory - TABLE_SLACK) / table->bucket_len;
    const size_t stripes_len = OG_TABLE_STRIPES * sizeof(*table->stripes);
    table->stripes = og_allocate_zero(allocator, stripes_len);
    if (table->stripes == NULL)
        return og_error_memory(err, stripes_len, "a table's stripes");
    const size_t len = table->n_buckets * table->bucket_len + TABLE_SLACK;
    og_status status = og_pages_init(&table->pages, len, allocator, err);
    if (status == OG_OK && options->evict == OG_EVICT_LEARN)
        status = og_learning_new(allocator, &table->learning, err);
    if (status != OG_OK) {
        og_table_release(table);
        return status;
    }
    table->base = table->pages.data;
    return OG_OK;
}

void og_table_release(struct og_table *table)
{
    og_pages_release(&table->pages);
    og_learning_free(table->learning, table->allocator);
    og_release(table->allocator, table->stripes,
               OG_TABLE_STRIPES * sizeof(*table->stripes));
    *table = (struct og_table){0};
}

uint64_t og_table_slots(const struct og_table *table)
{
    return table->n_buckets * table->options.bucket_slots;
}

/* ---- the writer -----------------------------------------------------------
 */

static struct og_hit own_hit(const struct og_table *t, const uint8_t *payload)
{
    struct og_hit hit = {.doc = og_own_doc(t, payload) - 1};
    if (t->options.fields.offset_len > 0)
        hit.offset = t->options.fields.offset_len == 2
                         ? (uint16_t)(payload[t->offset_off] |
                                      payload[t->offset_off + 1] << 8)
                         : payload[t->offset_off];
    if (t->options.fields.near_len > 0)
        hit.near =
            (uint16_t)(payload[t->near_off] | payload[t->near_off + 1] << 8);
    return hit;
}

static void prefetch_bucket(const struct og_table *t, uint64_t print)
{
    const uint64_t bucket = og_bucket_of(t, og_mix64(print));
    __builtin_prefetch(og_bucket_at(t, bucket));
}

void og_table_find_many(const struct og_table *table, const uint64_t *prints,
                        size_t n, struct og_hit *out)
{
    for (size_t i = 0; i < LOOK_AHEAD && i < n; i++)
        prefetch_bucket(table, prints[i]);
    for (size_t i = 0; i < n; i++) {
        if (i + LOOK_AHEAD < n) prefetch_bucket(table, prints[i + LOOK_AHEAD]);
        const uint64_t mixed = og_mix64(prints[i]);
        uint8_t *bucket = og_bucket_at(table, og_bucket_of(table, mixed));
        const uint32_t slot = og_bucket_find(table, bucket, mixed);
        if (slot < table->options.bucket_slots)
            out[i] = own_hit(table, og_bucket_payload(table, bucket, slot));
        else
            out[i] = (struct og_hit){.doc = OG_NO_DOC};
    }
}

/* A stripe is odd from here ... */
static void begin_change(struct og_table *t, uint64_t bucket)
{
    uint32_t *stripe = &t->stripes[bucket % OG_TABLE_STRIPES];
    __atomic_store_n(stripe, *stripe + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

/* ... to here. */
static void end_change(struct og_table *t, uint64_t bucket)
{
    uint32_t *stripe = &t->stripes[bucket % OG_TABLE_STRIPES];
    __atomic_store_n(stripe, *stripe + 1, __ATOMIC_RELEASE);
}

static void write_origin(struct og_table *t, uint8_t *payload,
                         const struct og_additions *add, size_t i, uint32_t doc)
{
    og_put_bytes(payload + t->doc_off, (uint64_t)doc + 1, t->doc_len);
    if (t->options.fields.offset_len > 0)
        og_put_bytes(payload + t->offset_off, add->offset[i],
                     t->options.fields.offset_len);
    if (t->options.fields.near_len > 0)
        og_put_bytes(payload + t->near_off, add->near[i],
                     t->options.fields.near_len);
}

static bool takes_over(const struct og_additions *add, uint32_t holder)
{
    if (add->earlier != NULL) return add->earlier(add->ctx, add->doc, holder);
    return add->doc < holder;
}

static void renew(struct og_table *t, uint8_t *bucket, uint32_t slot,
                  const struct og_additions *add, size_t i, uint8_t weight)
{
    uint8_t *payload = og_bucket_payload(t, bucket, slot);
    const uint32_t holder = og_own_doc(t, payload) - 1;
    const bool repeats_itself = holder == add->doc;
    if (!repeats_itself && takes_over(add, holder))
        write_origin(t, payload, add, i, add->doc);
    /* A document that repeats itself says nothing of copies to come. The
     * paper's policies count that all the same. */
    if (!repeats_itself || t->options.evict != OG_EVICT_LEARN)
        og_evict_found(t, bucket, slot, weight);
}

static uint32_t origin_of(const struct og_additions *add, size_t i)
{
    const bool given = add->origin != NULL && add->origin[i] != OG_NO_DOC;
    return given ? add->origin[i] : add->doc;
}

static void insert(struct og_table *t, uint8_t *bucket, uint64_t mixed,
                   const struct og_additions *add, size_t i, uint8_t weight)
{
    const uint32_t used = og_bucket_used(t, bucket);
    const bool full = used == t->options.bucket_slots;
    if (full && add->spare != NULL && add->spare[i]) return;
    t->n_used += !full;
    t->n_evicted += full;
    const uint32_t slot = og_evict_make_room(t, bucket, used, mixed);
    uint8_t *payload = og_bucket_payload(t, bucket, slot);
    og_put8(bucket + slot, og_print_tag(mixed));
    og_put_bytes(payload, og_print_rest(t, mixed), t->rest_len);
    write_origin(t, payload, add, i, origin_of(add, i));
    og_evict_inserted(t, bucket, slot, weight);
}

static void add_one(struct og_table *t, const struct og_additions *add,
                    size_t i)
{
    const uint64_t mixed = og_mix64(add->print[i]);
    const uint64_t number = og_bucket_of(t, mixed);
    const uint8_t weight = add->weight != NULL ? add->weight[i] : 1;
    uint8_t *bucket = og_bucket_at(t, number);
    begin_change(t, number);
    const uint32_t slot = og_bucket_find(t, bucket, mixed);
    if (slot < t->options.bucket_slots)
        renew(t, bucket, slot, add, i, weight);
    else
        insert(t, bucket, mixed, add, i, weight);
    end_change(t, number);
}

void og_table_add_many(struct og_table *table, const struct og_additions *add)
{
    assert(add->doc < OG_NO_DOC);
    for (size_t i = 0; i < LOOK_AHEAD && i < add->n; i++)
        prefetch_bucket(table, add->print[i]);
    for (size_t i = 0; i < add->n; i++) {
        if (i + LOOK_AHEAD < add->n)
            prefetch_bucket(table, add->print[i + LOOK_AHEAD]);
        add_one(table, add, i);
    }
    table->n_added += add->n;
}

/* ---- readers in other threads ----------------------------------------------
 */

static struct og_hit shared_hit(const struct og_table *t, uint8_t *bucket,
                                uint64_t mixed)
{
    const struct og_table_fields *fields = &t->options.fields;
    const uint64_t rest = og_print_rest(t, mixed);
    for (uint32_t slot = 0; slot < t->options.bucket_slots; slot++) {
        if (og_get8(bucket + slot) != og_print_tag(mixed)) continue;
        const uint8_t *payload = og_bucket_payload(t, bucket, slot);
        const uint64_t doc = og_get_bytes(payload + t->doc_off, 4);
        if (doc == 0 || og_get_bytes(payload, t->rest_len) != rest) continue;
        return (struct og_hit){.doc = (uint32_t)doc - 1,
                               .offset = (uint16_t)og_get_bytes(
                                   payload + t->offset_off, fields->offset_len),
                               .near = (uint16_t)og_get_bytes(
                                   payload + t->near_off, fields->near_len)};
    }
    return (struct og_hit){.doc = OG_NO_DOC};
}

/* Reads until the stripe was even and the same before and after. The writer
 * holds a stripe for well under a microsecond and never waits for readers. */
static struct og_hit find_shared(const struct og_table *t, uint64_t print)
{
    const uint64_t mixed = og_mix64(print);
    const uint64_t number = og_bucket_of(t, mixed);
    const uint32_t *stripe = &t->stripes[number % OG_TABLE_STRIPES];
    for (;;) {
        const uint32_t before = __atomic_load_n(stripe, __ATOMIC_ACQUIRE);
        if (before % 2 != 0) continue;
        const struct og_hit hit = shared_hit(t, og_bucket_at(t, number), mixed);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(stripe, __ATOMIC_RELAXED) == before) return hit;
    }
}

void og_table_find_shared(const struct og_table *table, const uint64_t *prints,
                          size_t n, struct og_hit *out)
{
    for (size_t i = 0; i < LOOK_AHEAD && i < n; i++)
        prefetch_bucket(table, prints[i]);
    for (size_t i = 0; i < n; i++) {
        if (i + LOOK_AHEAD < n) prefetch_bucket(table, prints[i + LOOK_AHEAD]);
        out[i] = find_shared(table, prints[i]);
    }
}
