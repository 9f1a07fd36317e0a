#ifndef OG_REDIS_PARTITION_TYPE_H
#define OG_REDIS_PARTITION_TYPE_H

/* The data type of the module: a value is an og_partition, which can be saved,
 * loaded, rewritten, copied, digested and freed. */

#include <origo/origo.h>

#include "module_api.h"

/* Registers it; NULL: the server refused. */
RedisModuleType *partition_type_register(RedisModuleCtx *ctx);

/* A new value, counted. */
og_status partition_type_new(const og_partition_options *options,
                             og_partition **out, og_error *err);
void partition_type_free(void *value);

/* The number of partitions, and their memory; the blocks that the server has
 * moved to defragment its memory. */
struct partition_totals {
    uint64_t n, memory, n_moved;
};
struct partition_totals partition_type_totals(void);

#endif
