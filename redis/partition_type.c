/* A partition as a value of the server.
 *
 * Snapshots, rewritten logs, copies and digests all consist of the same chunks
 * (<origo/partition.h>), which have a version and a checksum of their own and
 * are verified when they are loaded. Saving allocates nothing: the buffer
 * exists from the start, since a snapshot cannot report a failure. */

#include "partition_type.h"

/* For the order and number of chunks in a snapshot; chunks have their own. */
enum { RDB_VERSION = 1 };
/* More than any partition has. */
enum { MAX_CHUNKS = 1 << 20 };

static struct partition_totals totals;
static og_partition_bytes chunk_buffer;

/* A deleted value may be freed by another thread of the server. */
static void count_partition(const og_partition *partition, int sign)
{
    const uint64_t memory = og_partition_get_info(partition).memory;
    __atomic_fetch_add(&totals.n, (uint64_t)sign, __ATOMIC_RELAXED);
    __atomic_fetch_add(&totals.memory, (uint64_t)sign * memory,
                       __ATOMIC_RELAXED);
}

struct partition_totals partition_type_totals(void)
{
    return (struct partition_totals){
        __atomic_load_n(&totals.n, __ATOMIC_RELAXED),
        __atomic_load_n(&totals.memory, __ATOMIC_RELAXED), totals.n_moved};
}

og_status partition_type_new(const og_partition_options *options,
                             og_partition **out, og_error *err)
{
    const og_status status = og_partition_new(options, out, err);
    if (status == OG_OK) count_partition(*out, 1);
    return status;
}

void partition_type_free(void *value)
{
    count_partition(value, -1);
    og_partition_free(value);
}

/* ---- saving ---- */

typedef void chunk_fn(void *ctx, const og_partition_bytes *chunk);

/* The buffer has the length of the longest chunk: this does not fail. */
static void for_each_chunk(const og_partition *partition, chunk_fn *use,
                           void *ctx)
{
    const size_t n = og_partition_n_chunks(partition);
    for (size_t i = 0; i < n; i++)
        if (og_partition_save_chunk(partition, i, &chunk_buffer, NULL) == OG_OK)
            use(ctx, &chunk_buffer);
}

static void save_to_rdb(void *ctx, const og_partition_bytes *chunk)
{
    RedisModule_SaveStringBuffer(ctx, chunk->data, chunk->len);
}

static void save_rdb(RedisModuleIO *rdb, void *value)
{
    RedisModule_SaveUnsigned(rdb, og_partition_n_chunks(value));
    for_each_chunk(value, save_to_rdb, rdb);
}

struct aof_target {
    RedisModuleIO *aof;
    RedisModuleString *key;
};

static void emit_chunk(void *ctx, const og_partition_bytes *chunk)
{
    const struct aof_target *to = ctx;
    RedisModule_EmitAOF(to->aof, "ORIGO.LOADCHUNK", "sb", to->key, chunk->data,
                        chunk->len);
}

static void rewrite_aof(RedisModuleIO *aof, RedisModuleString *key, void *value)
{
    const og_partition_options o = og_partition_get_info(value).options;
    struct aof_target to = {aof, key};
    RedisModule_EmitAOF(
        aof, "ORIGO.RESERVE", "slccccclclclcl", key, (long long)o.memory,
        "LAYOUT", og_layout_name(o.layout), "EVICT", og_evict_name(o.evict),
        "SLOTS", (long long)o.bucket_slots, "OFFSET", (long long)o.offset_len,
        "NEAR", (long long)o.near_len, "BITS", (long long)o.n_bits);
    for_each_chunk(value, emit_chunk, &to);
}

static void add_to_digest(void *ctx, const og_partition_bytes *chunk)
{
    RedisModule_DigestAddStringBuffer(ctx, chunk->data, chunk->len);
}

static void digest(RedisModuleDigest *to, void *value)
{
    for_each_chunk(value, add_to_digest, to);
    RedisModule_DigestEndSequence(to);
}

/* ---- loading ---- */

/* Loads a chunk of a snapshot into *partition, which the first one creates. */
static og_status load_chunk(og_bytes chunk, og_partition **partition,
                            og_error *err)
{
    if (*partition == NULL) {
        const og_status status = og_partition_new_for(chunk, partition, err);
        if (status != OG_OK) return status;
        count_partition(*partition, 1);
    }
    return og_partition_load_chunk(*partition, chunk, err);
}

/* False: the reason is in the log of the server. */
static bool load_next(RedisModuleIO *rdb, og_partition **partition)
{
    og_error err = {0};
    size_t len = 0;
    char *data = RedisModule_LoadStringBuffer(rdb, &len);
    if (data == NULL || RedisModule_IsIOError(rdb)) {
        if (data != NULL) RedisModule_Free(data);
        RedisModule_LogIOError(rdb, "warning",
                               "origo: a partition is truncated");
        return false;
    }
    const og_status status = load_chunk((og_bytes){data, len}, partition, &err);
    RedisModule_Free(data);
    if (status == OG_OK) return true;
    RedisModule_LogIOError(rdb, "warning", "origo: %s", err.message);
    return false;
}

static void *load_rdb(RedisModuleIO *rdb, int version)
{
    og_partition *partition = NULL;
    if (version > RDB_VERSION) {
        RedisModule_LogIOError(rdb, "warning",
                               "origo: a partition has version %d; this module "
                               "supports versions up to %d",
                               version, RDB_VERSION);
        return NULL;
    }
    const uint64_t n = RedisModule_LoadUnsigned(rdb);
    bool is_good = !RedisModule_IsIOError(rdb) && n > 0 && n <= MAX_CHUNKS;
    if (!is_good)
        RedisModule_LogIOError(rdb, "warning",
                               "origo: a partition has no chunks");
    for (uint64_t i = 0; i < n && is_good; i++)
        is_good = load_next(rdb, &partition);
    if (is_good) return partition;
    if (partition != NULL) partition_type_free(partition);
    return NULL;
}

struct copying {
    og_partition *to;
    og_status status;
};

static void copy_chunk(void *ctx, const og_partition_bytes *chunk)
{
    struct copying *c = ctx;
    if (c->status == OG_OK)
        c->status =
            load_chunk((og_bytes){chunk->data, chunk->len}, &c->to, NULL);
}

static void *copy(RedisModuleString *from, RedisModuleString *to,
                  const void *value)
{
    struct copying c = {NULL, OG_OK};
    (void)from, (void)to;
    for_each_chunk(value, copy_chunk, &c);
    if (c.status == OG_OK) return c.to;
    if (c.to != NULL) partition_type_free(c.to);
    return NULL;
}

/* ---- memory ---- */

static size_t mem_usage(const void *value)
{
    return og_partition_get_info(value).memory;
}

/* Pages to free: from 64 on the server uses another thread. */
static size_t free_effort(RedisModuleString *key, const void *value)
{
    enum { PAGE = 4096 };
    (void)key;
    return mem_usage(value) / PAGE;
}

/* NULL if the block need not move. */
static void *move_block(void *ctx, void *block)
{
    void *moved = RedisModule_DefragAlloc(ctx, block);
    if (moved != NULL) totals.n_moved++;
    return moved;
}

/* Few enough blocks to be done at once: 0. */
static int defrag(RedisModuleDefragCtx *ctx, RedisModuleString *key,
                  void **value)
{
    (void)key;
    *value = og_partition_move(*value, move_block, ctx);
    return 0;
}

/* A buffer for the longest possible chunk: that of a small partition whose only
 * chunk of buckets is full. */
static og_status reserve_chunk_buffer(void)
{
    og_partition_options options = og_partition_options_default();
    og_partition *partition;
    options.memory = (uint64_t)1 << 20;
    og_status status = og_partition_new(&options, &partition, NULL);
    if (status != OG_OK) return status;
    for (size_t i = 0; i < 2 && status == OG_OK; i++)
        status = og_partition_save_chunk(partition, i, &chunk_buffer, NULL);
    og_partition_free(partition);
    return status;
}

RedisModuleType *partition_type_register(RedisModuleCtx *ctx)
{
    struct module_type_methods methods = {.version = TYPE_METHODS_VERSION,
                                          .rdb_load = load_rdb,
                                          .rdb_save = save_rdb,
                                          .aof_rewrite = rewrite_aof,
                                          .mem_usage = mem_usage,
                                          .digest = digest,
                                          .free = partition_type_free,
                                          .free_effort = free_effort,
                                          .copy = copy,
                                          .defrag = defrag};
    if (reserve_chunk_buffer() != OG_OK) return NULL;
    return RedisModule_CreateDataType(ctx, "origopart", RDB_VERSION, &methods);
}
