#ifndef OG_REMOTE_REMOTE_CALLER_H
#define OG_REMOTE_REMOTE_CALLER_H

/*   in:  a command about a partition or about the whole table
 *   out: the request that a server receives
 *
 * Shared by remote_table.c, which queries partitions, and remote_head.c, which
 * opens and creates tables: the table, and its callers. Threads query at the
 * same time: each takes a caller, which has connections and buffers of its own,
 * and returns it. */

#include "lib/remote/remote_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "lib/base/packing.h"
#include "lib/partition/partition.h"
#include "lib/remote/plain_table.h"
#include "lib/remote/redis_client.h"

/* The connections and buffers of one thread. */
struct og_remote_caller {
    struct og_remote_caller *next;
    struct og_redis_client *client;
    struct og_redis_request *requests; /* one for each partition */
    uint32_t *asked;                   /* the partition of each request */
    struct og_pack *batches;           /* of each partition */
    struct og_pack *members;           /* likewise: the members of the batch */
    size_t *starts, *ends;             /* likewise: places in `in` */
    struct og_pack in, out;            /* fingerprints, hits */
    uint64_t *order;
    size_t order_cap;
    struct og_plain_room *plain; /* of a plain table, when it was needed */
};

struct og_remote_table {
    const og_allocator *allocator;
    struct og_table_address address;
    og_partition_options options;
    struct og_table shape;
    uint32_t n_documents;
    size_t n_partitions;
    char (*keys)[OG_PARTITION_KEY_LEN]; /* of the partitions */
    char head_key[OG_PARTITION_KEY_LEN];
    pthread_mutex_t lock;
    struct og_remote_caller *idle;
    char catalogue[40]; /* the catalogue it belongs to */
    bool is_plain;
    struct og_plain_table plain;
    atomic_bool has_evicted; /* the servers of a plain table */
    bool is_eviction_noted;  /* and its head records it */
    uint64_t n_unnoted;      /* fingerprints that were set since they were last
                                recorded */
    uint64_t n_unchecked;    /* since evictions were last checked */
};

/* An idle one, or a new one. */
og_status og_remote_caller_take(struct og_remote_table *t,
                                struct og_remote_caller **out, og_error *err);
void og_remote_caller_give(struct og_remote_table *t,
                           struct og_remote_caller *c);
void og_remote_callers_free(struct og_remote_table *t);

/* Begins request `number` of the caller, about partition `p`. */
struct og_redis_request *
og_remote_ask_partition(const struct og_remote_table *t,
                        struct og_remote_caller *c, size_t number,
                        const char *command, uint32_t p);

/* Runs one request about the whole table. Its key is that of an undivided
 * table, without the number: so it is known before anything about the table is
 * known. */
og_status og_remote_ask_head(struct og_remote_table *t, const char *command,
                             const og_bytes *words, size_t n_words,
                             og_redis_reply_fn *on_reply, void *ctx,
                             og_error *err);

/* Records how many fingerprints a plain table was given, and, now and then,
 * whether its servers have evicted any. */
og_status og_remote_note_keys(struct og_remote_table *t, og_error *err);

/* The error for a reply that does not have the form of the command's. */
og_status og_remote_no_answer(const struct og_remote_table *t,
                              const char *command, og_error *err);

#endif
