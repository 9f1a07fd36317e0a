#include "lib/partition/partition.h"

#include "lib/table/bucket.h"

og_partition_options og_partition_options_default(void)
{
    return (og_partition_options){.memory = (uint64_t)16 << 20,
                                  .layout = OG_LAYOUT_PACKED,
                                  .evict = OG_EVICT_LEARN,
                                  .bucket_slots = 64,
                                  .offset_len = 2,
                                  .near_len = 2};
}

struct og_table_options
og_partition_table_options(const og_partition_options *options)
{
    return (struct og_table_options){
        .layout = options->layout,
        .evict = options->evict,
        .fields = {options->offset_len, options->near_len},
        .bucket_slots = options->bucket_slots,
        .memory = options->memory,
        .start = OG_TABLE_FIXED,
        .partition_bits = options->n_bits};
}

bool og_partition_options_equal(const og_partition_options *a,
                                const og_partition_options *b)
{
    return a->memory == b->memory && a->layout == b->layout &&
           a->evict == b->evict && a->bucket_slots == b->bucket_slots &&
           a->offset_len == b->offset_len && a->near_len == b->near_len &&
           a->n_bits == b->n_bits;
}

static og_status check_options(const og_partition_options *o, og_error *err)
{
    if (o->layout != OG_LAYOUT_PACKED && o->layout != OG_LAYOUT_PAPER)
        return og_error_set(err, OG_ERR_USAGE, "there is no such layout");
    if ((unsigned)o->evict > OG_EVICT_LEARN)
        return og_error_set(err, OG_ERR_USAGE, "there is no such eviction");
    if (o->bucket_slots < 4 || o->bucket_slots > 256 ||
        (o->bucket_slots & (o->bucket_slots - 1)) != 0)
        return og_error_set(err, OG_ERR_USAGE,
                            "a bucket has 4 to 256 slots, a power of two, not "
                            "%u",
                            o->bucket_slots);
    if (o->offset_len > 2)
        return og_error_set(err, OG_ERR_USAGE,
                            "an offset has 0 to 2 bytes, not %u",
                            o->offset_len);
    if (o->near_len != 0 && o->near_len != 2)
        return og_error_set(err, OG_ERR_USAGE,
                            "the words around a shingle have 0 or 2 bytes, not "
                            "%u",
                            o->near_len);
    if (o->n_bits > OG_PARTITION_BITS_MAX)
        return og_error_set(err, OG_ERR_USAGE,
                            "a table has 2^0 to 2^%d partitions, not 2^%u",
                            OG_PARTITION_BITS_MAX, o->n_bits);
    if (o->memory > OG_PARTITION_MEMORY_MAX)
        return og_error_set(err, OG_ERR_USAGE,
                            "a partition has at most %llu bytes, not %llu",
                            (unsigned long long)OG_PARTITION_MEMORY_MAX,
                            (unsigned long long)o->memory);
    return OG_OK;
}

og_status og_partition_new(const og_partition_options *options,
                           og_partition **out, og_error *err)
{
    TRY(check_options(options, err));
    og_partition *partition = og_allocate_zero(NULL, sizeof(*partition));
    if (partition == NULL)
        return og_error_memory(err, sizeof(*partition), "a partition");
    const struct og_table_options table = og_partition_table_options(options);
    const og_status status =
        og_table_init(&partition->table, &table, NULL, err);
    if (status != OG_OK) {
        og_release(NULL, partition, sizeof(*partition));
        return status;
    }
    partition->options = *options;
    partition->n_loaded = og_table_len(&partition->table);
    *out = partition;
    return OG_OK;
}

void og_partition_free(og_partition *partition)
{
    if (partition == NULL) return;
    og_table_release(&partition->table);
    og_release(NULL, partition, sizeof(*partition));
}

og_partition *og_partition_move(og_partition *partition,
                                og_partition_move_fn *move, void *ctx)
{
    og_partition *moved = move(ctx, partition);
    if (moved != NULL) partition = moved;
    og_table_move_blocks(&partition->table, move, ctx);
    return partition;
}

og_partition_info og_partition_get_info(const og_partition *partition)
{
    const struct og_table *t = &partition->table;
    return (og_partition_info){
        .options = partition->options,
        .memory = sizeof(*partition) + t->pages.block_len +
                  OG_TABLE_STRIPES * sizeof(*t->stripes) +
                  (t->learning != NULL ? og_learning_len() : 0),
        .n_slots = og_table_slots(t),
        .n_used = t->n_used,
        .n_evicted = t->n_evicted,
        .n_added = t->n_added,
        .is_loading = partition->n_loaded < og_table_len(t)};
}

og_status og_partition_check_loaded(const og_partition *partition,
                                    og_error *err)
{
    const size_t len = og_table_len(&partition->table);
    if (partition->n_loaded == len) return OG_OK;
    return og_error_set(err, OG_ERR_BUSY,
                        "the partition is being loaded: %zu of %zu bytes are "
                        "there",
                        partition->n_loaded, len);
}

og_status og_partition_bytes_reserve(og_partition_bytes *bytes, size_t len,
                                     og_error *err)
{
    bytes->len = 0;
    if (OG_GROW(NULL, bytes->data, bytes->cap, len)) return OG_OK;
    return og_error_memory(err, len, "an answer of a partition");
}

void og_partition_bytes_release(og_partition_bytes *bytes)
{
    OG_UNGROW(NULL, bytes->data, bytes->cap);
    bytes->len = 0;
}
