#ifndef OG_REMOTE_CATALOGUE_CALLER_H
#define OG_REMOTE_CATALOGUE_CALLER_H

/*   in:  a command about documents of a table
 *   out: the request that a server gets
 *
 * What the files share that ask servers about documents
 * (remote_catalogue.c, remote_removal.c, remote_log.c): the catalogue and its
 * callers. Each thread takes one, fills in requests, and runs them, which gives
 * it back. */

#include "lib/partition/partition.h"
#include "lib/remote/redis_client.h"
#include "lib/remote/remote_catalogue.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Of a key without an id, of a number, with their zeros. */
#define OG_CATALOGUE_KEY    (OG_PARTITION_KEY_LEN + 32)
#define OG_CATALOGUE_NUMBER 24

/* What one thread asks with. */
struct og_catalogue_caller {
    struct og_catalogue_caller *next;
    struct og_redis_client *client;
    struct og_redis_request *requests;
    size_t n, requests_cap;
    char *bytes; /* of keys and numbers: reserved before, so it does not move */
    size_t n_bytes, bytes_cap;
};

struct og_remote_catalogue {
    const og_allocator *allocator;
    struct og_table_address address;
    pthread_mutex_t lock;
    struct og_catalogue_caller *idle;
    uint32_t next_text, end_text; /* numbers of blobs that are ours */
};

/* With room for n requests, whose keys and numbers take n_bytes. */
og_status og_catalogue_caller_take(struct og_remote_catalogue *catalogue,
                                   size_t n, size_t n_bytes,
                                   struct og_catalogue_caller **out,
                                   og_error *err);

/* ---- requests ---- */

/* About the whole catalogue: the head (kind ""), or what is beside it. */
struct og_redis_request *
og_catalogue_ask_head(const struct og_remote_catalogue *catalogue,
                      struct og_catalogue_caller *caller, const char *command,
                      const char *kind);
/* About document, blob or segment `number`. Those of a batch follow one
 * another, and are to be on all servers. */
struct og_redis_request *
og_catalogue_ask_number(const struct og_remote_catalogue *catalogue,
                        struct og_catalogue_caller *caller, const char *command,
                        char kind, uint32_t number);
struct og_redis_request *
og_catalogue_ask_id(const struct og_remote_catalogue *catalogue,
                    struct og_catalogue_caller *caller, const char *command,
                    og_bytes id);
/* One more word. */
void og_catalogue_add_number(struct og_catalogue_caller *caller,
                             struct og_redis_request *request, int64_t number);

/* ---- running them ---- */

/* Both send what was put, and give the caller back. A write counts when as many
 * replicas have it as the address asks for. */
og_status og_catalogue_ask(struct og_remote_catalogue *catalogue,
                           struct og_catalogue_caller *caller,
                           og_redis_reply_fn *on_reply, void *ctx,
                           og_error *err);
og_status og_catalogue_write(struct og_remote_catalogue *catalogue,
                             struct og_catalogue_caller *caller,
                             og_redis_reply_fn *on_reply, void *ctx,
                             og_error *err);
/* For replies that say nothing more. */
og_status og_catalogue_take_nothing(void *ctx, size_t number,
                                    const struct og_resp *reply, og_error *err);
/* The error for a reply that is not of the form that the command has. */
og_status og_catalogue_no_answer(const struct og_remote_catalogue *catalogue,
                                 const char *command, og_error *err);

#endif
