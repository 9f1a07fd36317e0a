#include "lib/table/table.h"

#include <assert.h>
#include <string.h>

#include "lib/base/limits.h"
#include "lib/table/bucket.h"
#include "lib/table/common_fps.h"

/* The writer's loads of 8 bytes may reach past the last payload. */
#define TABLE_SLACK 8
/* The initial number of buckets: as many as there are stripes. */
#define START        OG_LIMIT((uint64_t)OG_TABLE_STRIPES, (uint64_t)4)
#define FIRST_RANDOM 1
/* A slot has 32 bits of the number that its bucket will have. */
#define MOST_LEVELS 32

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
    t->home_off = t->near_off + o->fields.near_len;
    t->state_off = slots;
    t->ring_off = t->state_off + slots * og_evict_state_len(o->evict);
    t->payload_off = t->ring_off + og_evict_ring_len(o->evict, (uint32_t)slots);
}

/* At the cap. */
static size_t bucket_len_of(const struct og_table *t)
{
    return t->payload_off + t->options.bucket_slots * t->home_off;
}

size_t og_table_bucket_len(const struct og_table_options *options)
{
    struct og_table t = {.options = *options};
    lay_out(&t);
    return bucket_len_of(&t);
}

/* The room left for buckets; 0: not even for one. */
static uint64_t buckets_of(const struct og_table_options *o, size_t bucket_len)
{
    const uint64_t other = o->common_len + TABLE_SLACK + OG_COMMON_LINE;
    const uint64_t all = o->common_len > 0 ? other : TABLE_SLACK;
    return o->memory < all ? 0 : (o->memory - all) / bucket_len;
}

/* Lines begin at a cache line. */
static uint64_t common_off_of(const struct og_table_options *o,
                              size_t bucket_len)
{
    const uint64_t len = buckets_of(o, bucket_len) * bucket_len + TABLE_SLACK;
    if (o->common_len == 0) return len;
    return (len + OG_COMMON_LINE - 1) / OG_COMMON_LINE * OG_COMMON_LINE;
}

size_t og_table_bytes(const struct og_table_options *options)
{
    const size_t bucket_len = og_table_bucket_len(options);
    if (buckets_of(options, bucket_len) == 0) return 0;
    return common_off_of(options, bucket_len) + options->common_len;
}

/* The initial level: the highest with as many buckets as requested. In place a
 * table of level 1, whose slots are longer, needs the room of at least a few
 * buckets. */
static unsigned first_level(const struct og_table *t)
{
    enum { FEWEST = 8 };
    const uint64_t asked = t->options.start;
    const uint64_t start = asked > 0 ? asked : START;
    unsigned level = 0;
    while (level < MOST_LEVELS && t->n_full >= FEWEST &&
           og_level_buckets(t->n_full, level) > 1 &&
           og_level_buckets(t->n_full, level + 1) >= start)
        level++;
    return level;
}

void og_table_shape(struct og_table *table,
                    const struct og_table_options *options)
{
    *table = (struct og_table){.options = *options};
    lay_out(table);
    table->n_full = buckets_of(options, bucket_len_of(table));
}

/* Everything but the buckets themselves. */
static og_status prepare(struct og_table *table,
                         const struct og_table_options *options,
                         const og_allocator *allocator, og_error *err)
{
    *table = (struct og_table){
        .options = *options, .random = FIRST_RANDOM, .allocator = allocator};
    lay_out(table);
    const size_t bucket_len = bucket_len_of(table);
    table->n_full = buckets_of(options, bucket_len);
    table->common_off = common_off_of(options, bucket_len);
    table->n_common_lines = options->common_len / OG_COMMON_LINE;
    if (table->n_full == 0)
        return og_error_set(err, OG_ERR_USAGE,
                            "a table of %llu bytes has no room for one bucket "
                            "(%zu bytes)",
                            (unsigned long long)options->memory,
                            bucket_len + TABLE_SLACK);
    table->first_level = first_level(table);
    og_table_set_level(table, table->first_level);
    const size_t stripes_len = OG_TABLE_STRIPES * sizeof(*table->stripes);
    table->stripes = og_allocate_zero(allocator, stripes_len);
    if (table->stripes == NULL)
        return og_error_memory(err, stripes_len, "a table's stripes");
    if (options->evict != OG_EVICT_LEARN) return OG_OK;
    return og_learning_new(allocator, &table->learning, err);
}

/* Room for the full size, of which the current level will be used. */
static og_status reserve(struct og_table *t, og_error *err)
{
    if (t->pages.data != NULL) return OG_OK;
    TRY(og_pages_init(&t->pages, og_table_bytes(&t->options), t->allocator,
                      err));
    if (t->level == 0) og_pages_enlarge(&t->pages, t->pages.len);
    return OG_OK;
}

static void set_base(struct og_table *t, uint8_t *base)
{
    __atomic_store_n(&t->base, base, __ATOMIC_RELAXED);
    t->common =
        (t->level > 0 ? (uint8_t *)t->pages.data : base) + t->common_off;
}

og_status og_table_init(struct og_table *table,
                        const struct og_table_options *options,
                        const og_allocator *allocator, og_error *err)
{
    og_status status = prepare(table, options, allocator, err);
    if (status == OG_OK) status = reserve(table, err);
    if (status != OG_OK)
        og_table_release(table);
    else
        set_base(table, table->pages.data);
    return status;
}

void og_table_clear(struct og_table *table)
{
    assert(table->first_level == 0 && table->base == table->pages.data);
    memset(table->base, 0, og_table_len(table));
    table->n_used = table->n_evicted = table->n_added = 0;
    table->random = FIRST_RANDOM;
    if (table->learning != NULL) og_learning_clear(table->learning);
}

size_t og_table_len(const struct og_table *table)
{
    if (table->level == 0) return og_table_bytes(&table->options);
    return table->n_buckets * table->bucket_len + TABLE_SLACK;
}

static og_status set_level_by_len(struct og_table *t, size_t len, og_error *err)
{
    for (unsigned level = 0; level <= t->first_level; level++) {
        og_table_set_level(t, level);
        if (og_table_len(t) == len) return OG_OK;
    }
    return og_error_set(err, OG_ERR_STORE, "the table has another size");
}

og_status og_table_init_over(struct og_table *table,
                             const struct og_table_options *options, void *base,
                             size_t len, const og_allocator *allocator,
                             og_error *err)
{
    og_status status = prepare(table, options, allocator, err);
    if (status == OG_OK) status = set_level_by_len(table, len, err);
    if (status == OG_OK && table->level > 0) status = reserve(table, err);
    if (status != OG_OK)
        og_table_release(table);
    else
        set_base(table, base);
    return status;
}

og_status og_table_take_over(struct og_table *table, og_error *err)
{
    if (table->base == table->pages.data) return OG_OK;
    TRY(reserve(table, err));
    og_move_bytes(table->pages.data, table->base, og_table_len(table));
    set_base(table, table->pages.data);
    return OG_OK;
}

void og_table_move_blocks(struct og_table *table,
                          void *(*move)(void *ctx, void *block), void *ctx)
{
    void *moved = move(ctx, table->stripes);
    if (moved != NULL) table->stripes = moved;
    moved = table->learning != NULL ? move(ctx, table->learning) : NULL;
    if (moved != NULL) table->learning = moved;
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
    return table->n_full * table->options.bucket_slots;
}
