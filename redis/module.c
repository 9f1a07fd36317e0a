/* origo.so: the partitions of a table as values of Redis 7 or Valkey.
 *
 *     ORIGO.RESERVE key memory [LAYOUT l] [EVICT e] [SLOTS n] [OFFSET n]
 *                              [NEAR n] [BITS n]     makes a partition
 *     ORIGO.LOOKUP key fingerprints                  hits
 *     ORIGO.OBSERVE key batch [COUNT]                hits, or how many are new
 *     ORIGO.INFO key                                 names and numbers
 *     ORIGO.LOADCHUNK key chunk                      of a rewritten log
 *
 * The formats are those of <origo/partition.h>, which does the work; this file
 * translates. Sharding, replication, failover, persistence and resharding are
 * the server's. A partition allocates all its memory when it is reserved, so
 * only ORIGO.RESERVE is refused when the server is at its memory limit. */

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "partition_type.h"

#define EXPORTED __attribute__((visibility("default")))

static RedisModuleType *partition_type;
static og_partition_bytes answer; /* reused: commands run one at a time */

static struct {
    uint64_t lookups, fps_looked_up, fps_found;
    uint64_t batches, documents, fps_observed, fps_new, fps_evicted;
    uint64_t refused;
} metrics;

/* ---- replies ---- */

/* The first word of an error is its kind. */
static int reply_with_error(RedisModuleCtx *ctx, const char *kind,
                            const char *message)
{
    char text[600];
    metrics.refused++;
    snprintf(text, sizeof(text), "%s %s", kind, message);
    return RedisModule_ReplyWithError(ctx, text);
}

static int reply_with_status(RedisModuleCtx *ctx, const og_error *err)
{
    const char *kind = err->status == OG_ERR_MEMORY ? "OOM"
                       : err->status == OG_ERR_BUSY ? "UNFINISHED"
                                                    : "ERR";
    return reply_with_error(ctx, kind, err->message);
}

static og_bytes bytes_of(const RedisModuleString *string)
{
    og_bytes bytes;
    bytes.data = RedisModule_StringPtrLen(string, &bytes.len);
    return bytes;
}

/* ---- keys ---- */

/* The partition under a key. NULL: the error has been sent. */
static og_partition *open_partition(RedisModuleCtx *ctx,
                                    RedisModuleString *name, int mode)
{
    RedisModuleKey *key = RedisModule_OpenKey(ctx, name, mode);
    if (RedisModule_KeyType(key) == KEY_TYPE_EMPTY) {
        reply_with_error(ctx, "NOPARTITION",
                         "there is no partition at this key");
        return NULL;
    }
    if (RedisModule_ModuleTypeGetType(key) != partition_type) {
        reply_with_error(ctx, "WRONGTYPE",
                         "the key holds a value that is not a partition");
        return NULL;
    }
    return RedisModule_ModuleTypeGetValue(key);
}

/* ---- ORIGO.RESERVE ---- */

static bool parse_number(const RedisModuleString *text, uint64_t max,
                         uint64_t *out)
{
    long long number;
    if (RedisModule_StringToLongLong(text, &number) != MODULE_OK) return false;
    if (number < 0 || (uint64_t)number > max) return false;
    *out = (uint64_t)number;
    return true;
}

static bool is_word(og_bytes text, const char *word)
{
    return text.len == strlen(word) &&
           strncasecmp(text.data, word, text.len) == 0;
}

/* An option and its value. */
static bool parse_option(og_bytes name, const RedisModuleString *value,
                         og_partition_options *out)
{
    uint64_t number = 0;
    if (is_word(name, "LAYOUT"))
        return og_layout_parse(bytes_of(value), &out->layout);
    if (is_word(name, "EVICT"))
        return og_evict_parse(bytes_of(value), &out->evict);
    if (!parse_number(value, UINT16_MAX, &number)) return false;
    const uint8_t byte = number > UINT8_MAX ? UINT8_MAX : (uint8_t)number;
    if (is_word(name, "SLOTS"))
        out->bucket_slots = (uint32_t)number;
    else if (is_word(name, "OFFSET"))
        out->offset_len = byte;
    else if (is_word(name, "NEAR"))
        out->near_len = byte;
    else if (is_word(name, "BITS"))
        out->n_bits = byte;
    else
        return false;
    return true;
}

/* False: the error has been sent. */
static bool parse_options(RedisModuleCtx *ctx, RedisModuleString **argv,
                          int argc, og_partition_options *out)
{
    *out = og_partition_options_default();
    if (!parse_number(argv[2], INT64_MAX, &out->memory)) {
        reply_with_error(ctx, "ERR", "the memory is not a number of bytes");
        return false;
    }
    for (int i = 3; i < argc; i += 2) {
        const og_bytes name = bytes_of(argv[i]);
        if (i + 1 < argc && parse_option(name, argv[i + 1], out)) continue;
        char message[128];
        snprintf(message, sizeof(message),
                 "unknown option '%.*s', or invalid value",
                 name.len < 32 ? (int)name.len : 32, name.data);
        for (char *c = message; *c != 0; c++)
            if ((unsigned char)*c < ' ') *c = '?';
        reply_with_error(ctx, "ERR", message);
        return false;
    }
    return true;
}

/* Several front ends may reserve the same one. */
static int reserve_again(RedisModuleCtx *ctx, RedisModuleKey *key,
                         const og_partition_options *options)
{
    if (RedisModule_ModuleTypeGetType(key) != partition_type)
        return reply_with_error(ctx, "WRONGTYPE",
                                "the key holds a value that is not a "
                                "partition");
    const og_partition_info info =
        og_partition_get_info(RedisModule_ModuleTypeGetValue(key));
    if (!og_partition_options_equal(&info.options, options))
        return reply_with_error(ctx, "ERR",
                                "a partition with other options exists");
    return RedisModule_ReplyWithSimpleString(ctx, "OK");
}

static int command_reserve(RedisModuleCtx *ctx, RedisModuleString **argv,
                           int argc)
{
    og_partition_options options;
    og_partition *partition;
    og_error err = {0};
    if (argc < 3) return RedisModule_WrongArity(ctx);
    RedisModule_AutoMemory(ctx);
    if (!parse_options(ctx, argv, argc, &options)) return MODULE_OK;
    RedisModuleKey *key =
        RedisModule_OpenKey(ctx, argv[1], KEY_READ | KEY_WRITE);
    if (RedisModule_KeyType(key) != KEY_TYPE_EMPTY)
        return reserve_again(ctx, key, &options);
    if (partition_type_new(&options, &partition, &err) != OG_OK)
        return reply_with_status(ctx, &err);
    RedisModule_ModuleTypeSetValue(key, partition_type, partition);
    RedisModule_ReplicateVerbatim(ctx);
    return RedisModule_ReplyWithSimpleString(ctx, "OK");
}

/* ---- queries and additions ---- */

static int command_lookup(RedisModuleCtx *ctx, RedisModuleString **argv,
                          int argc)
{
    og_partition_counts counts;
    og_error err = {0};
    if (argc != 3) return RedisModule_WrongArity(ctx);
    RedisModule_AutoMemory(ctx);
    const og_partition *partition = open_partition(ctx, argv[1], KEY_READ);
    if (partition == NULL) return MODULE_OK;
    if (og_partition_look_up(partition, bytes_of(argv[2]), &answer, &counts,
                             &err) != OG_OK)
        return reply_with_status(ctx, &err);
    metrics.lookups++;
    metrics.fps_looked_up += counts.n_fps;
    metrics.fps_found += counts.n_found;
    return RedisModule_ReplyWithStringBuffer(ctx, answer.data, answer.len);
}

static int command_observe(RedisModuleCtx *ctx, RedisModuleString **argv,
                           int argc)
{
    og_partition_counts counts;
    og_error err = {0};
    if (argc != 3 && argc != 4) return RedisModule_WrongArity(ctx);
    const bool only_counts = argc == 4;
    RedisModule_AutoMemory(ctx);
    if (only_counts && !is_word(bytes_of(argv[3]), "COUNT"))
        return reply_with_error(ctx, "ERR", "COUNT is the only option");
    og_partition *partition =
        open_partition(ctx, argv[1], KEY_READ | KEY_WRITE);
    if (partition == NULL) return MODULE_OK;
    if (og_partition_observe(partition, bytes_of(argv[2]), only_counts, &answer,
                             &counts, &err) != OG_OK)
        return reply_with_status(ctx, &err);
    metrics.batches++;
    metrics.documents += counts.n_documents;
    metrics.fps_observed += counts.n_fps;
    metrics.fps_new += counts.n_new;
    metrics.fps_evicted += counts.n_evicted;
    RedisModule_ReplicateVerbatim(ctx);
    return RedisModule_ReplyWithStringBuffer(ctx, answer.data, answer.len);
}

static int command_loadchunk(RedisModuleCtx *ctx, RedisModuleString **argv,
                             int argc)
{
    og_error err = {0};
    if (argc != 3) return RedisModule_WrongArity(ctx);
    RedisModule_AutoMemory(ctx);
    og_partition *partition =
        open_partition(ctx, argv[1], KEY_READ | KEY_WRITE);
    if (partition == NULL) return MODULE_OK;
    if (og_partition_load_chunk(partition, bytes_of(argv[2]), &err) != OG_OK)
        return reply_with_status(ctx, &err);
    RedisModule_ReplicateVerbatim(ctx);
    return RedisModule_ReplyWithSimpleString(ctx, "OK");
}

/* ---- ORIGO.INFO ---- */

static int command_info(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    if (argc != 2) return RedisModule_WrongArity(ctx);
    RedisModule_AutoMemory(ctx);
    const og_partition *partition = open_partition(ctx, argv[1], KEY_READ);
    if (partition == NULL) return MODULE_OK;
    const og_partition_info i = og_partition_get_info(partition);
    const struct {
        const char *name;
        uint64_t number;
    } fields[] = {{"memory", i.options.memory},
                  {"bytes", i.memory},
                  {"slots", i.n_slots},
                  {"used", i.n_used},
                  {"evicted", i.n_evicted},
                  {"added", i.n_added},
                  {"loading", i.is_loading},
                  {"bucket_slots", i.options.bucket_slots},
                  {"offset_bytes", i.options.offset_len},
                  {"near_bytes", i.options.near_len},
                  {"partition_bits", i.options.n_bits}};
    const size_t n = sizeof(fields) / sizeof(*fields);
    const char *const layout = og_layout_name(i.options.layout);
    const char *const evict = og_evict_name(i.options.evict);
    RedisModule_ReplyWithArray(ctx, (long)(2 * n + 4));
    for (size_t f = 0; f < n; f++) {
        RedisModule_ReplyWithSimpleString(ctx, fields[f].name);
        RedisModule_ReplyWithLongLong(ctx, (long long)fields[f].number);
    }
    RedisModule_ReplyWithSimpleString(ctx, "layout");
    RedisModule_ReplyWithSimpleString(ctx, layout);
    RedisModule_ReplyWithSimpleString(ctx, "evict");
    return RedisModule_ReplyWithSimpleString(ctx, evict);
}

/* ---- the server's INFO ---- */

static void add_metrics(RedisModuleInfoCtx *ctx, int for_crash_report)
{
    const struct partition_totals totals = partition_type_totals();
    const struct {
        const char *name;
        uint64_t number;
    } fields[] = {{"partitions", totals.n},
                  {"partition_bytes", totals.memory},
                  {"blocks_moved", totals.n_moved},
                  {"lookups", metrics.lookups},
                  {"fingerprints_looked_up", metrics.fps_looked_up},
                  {"fingerprints_found", metrics.fps_found},
                  {"batches", metrics.batches},
                  {"documents", metrics.documents},
                  {"fingerprints_observed", metrics.fps_observed},
                  {"fingerprints_new", metrics.fps_new},
                  {"fingerprints_evicted", metrics.fps_evicted},
                  {"commands_refused", metrics.refused}};
    (void)for_crash_report;
    if (RedisModule_InfoAddSection(ctx, "table") != MODULE_OK) return;
    for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
        RedisModule_InfoAddFieldULongLong(ctx, fields[i].name,
                                          fields[i].number);
}

/* ---- loading ---- */

/* From the server, so that its memory limit covers partitions. */
static void *resize_memory(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    void *moved = NULL;
    (void)ctx;
    if (new_len > 0) {
        moved = RedisModule_TryAlloc != NULL ? RedisModule_TryAlloc(new_len)
                                             : RedisModule_Alloc(new_len);
        if (moved == NULL) return NULL;
        if (ptr != NULL)
            memcpy(moved, ptr, old_len < new_len ? old_len : new_len);
    }
    if (ptr != NULL) RedisModule_Free(ptr);
    return moved;
}

static bool create_commands(RedisModuleCtx *ctx)
{
    static const struct {
        const char *name;
        module_command_fn *run;
        const char *flags;
    } commands[] = {
        {"ORIGO.RESERVE", command_reserve, "write deny-oom"},
        {"ORIGO.LOOKUP", command_lookup, "readonly"},
        {"ORIGO.OBSERVE", command_observe, "write"},
        {"ORIGO.INFO", command_info, "readonly fast"},
        {"ORIGO.LOADCHUNK", command_loadchunk, "write"},
    };
    for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
        if (RedisModule_CreateCommand(ctx, commands[i].name, commands[i].run,
                                      commands[i].flags, 1, 1, 1) != MODULE_OK)
            return false;
    return true;
}

EXPORTED int RedisModule_OnLoad(RedisModuleCtx *ctx, RedisModuleString **argv,
                                int argc);

EXPORTED int RedisModule_OnLoad(RedisModuleCtx *ctx, RedisModuleString **argv,
                                int argc)
{
    const char *missing = module_api_load(ctx);
    const og_allocator allocator = {.resize = resize_memory};
    (void)argv;
    if (missing != NULL) {
        fprintf(stderr, "origo: the server has no %s\n", missing);
        return MODULE_ERR;
    }
    if (RedisModule_IsModuleNameBusy != NULL &&
        RedisModule_IsModuleNameBusy("origo"))
        return MODULE_ERR;
    RedisModule_SetModuleAttribs(ctx, "origo", og_version_number(),
                                 MODULE_API_VERSION);
    if (argc > 0) {
        RedisModule_Log(ctx, "warning", "the module has no options");
        return MODULE_ERR;
    }
    og_allocator_set(&allocator);
    RedisModule_SetModuleOptions(ctx, OPTION_HANDLES_IO_ERRORS |
                                          OPTION_HANDLES_ASYNC_LOAD |
                                          OPTION_HANDLES_SLOT_MIGRATION);
    partition_type = partition_type_register(ctx);
    if (partition_type == NULL || !create_commands(ctx) ||
        RedisModule_RegisterInfoFunc(ctx, add_metrics) != MODULE_OK)
        return MODULE_ERR;
    RedisModule_Log(ctx, "notice", "tables of origo %s", og_version());
    return MODULE_OK;
}
