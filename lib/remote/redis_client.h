#ifndef OG_REMOTE_REDIS_CLIENT_H
#define OG_REMOTE_REDIS_CLIENT_H

/* A client of one server, or of all masters of a cluster.
 *
 * Requests are sent to the masters of their slots, all those of one master
 * together, and to all masters before waiting for the first answer. Requests
 * answered with MOVED or ASK are redirected; those that cannot be answered now
 * (TRYAGAIN, LOADING, CLUSTERDOWN, an unreachable master) are repeated, after a
 * pause and an update of the slot map, until the timeout. So a request may
 * reach a server twice; callers must make sure that this does no harm.
 *
 * One thread at a time. */

#include "lib/remote/redis_link.h"

#define OG_REDIS_SLOTS     16384
#define OG_REDIS_WORDS_MAX 24

struct og_redis_request {
    unsigned slot;
    og_bytes words[OG_REDIS_WORDS_MAX]; /* the caller's */
    size_t n_words;
    /* The client's own. */
    bool is_done;
    bool is_asked; /* the next time with ASKING, at node `node` */
    uint16_t node;
};

static inline void og_redis_add_word(struct og_redis_request *request,
                                     og_bytes word)
{
    request->words[request->n_words++] = word;
}

/* A reply that is not an error; a view. */
typedef og_status og_redis_reply_fn(void *ctx, size_t request,
                                    const struct og_resp *reply, og_error *err);

struct og_redis_client;

/* `address` belongs to the caller and must outlive the client. Nothing is
 * connected yet. */
og_status og_redis_client_new(const struct og_table_address *address,
                              const og_allocator *allocator,
                              struct og_redis_client **out, og_error *err);
void og_redis_client_free(struct og_redis_client *client); /* NULL is fine */

/* Each request is answered exactly once, in any order. The message of a failure
 * names the server and the table:
 *     OG_ERR_IO      none answered in time, or one with an error of its own
 *     OG_ERR_USAGE   password, rights, certificate; the module is missing
 *     OG_ERR_STORE   the key has no partition, or something else
 *     OG_ERR_MEMORY  there, or here */
og_status og_redis_client_run(struct og_redis_client *client,
                              struct og_redis_request *requests, size_t n,
                              og_redis_reply_fn *on_reply, void *ctx,
                              og_error *err);

/* The same for writes: they count once as many replicas have them as the
 * address requires. If a server is lost before that, all requests are
 * repeated. */
og_status og_redis_client_write(struct og_redis_client *client,
                                struct og_redis_request *requests, size_t n,
                                og_redis_reply_fn *on_reply, void *ctx,
                                og_error *err);

/* The result of CLUSTER SLOTS; NO_NODE (UINT16_MAX) for unassigned slots. For
 * tests. False: it is not such a reply. */
typedef bool og_redis_slots_fn(void *ctx, unsigned first, unsigned last,
                               og_bytes host, unsigned port);
bool og_redis_read_slots(const struct og_resp *reply, og_redis_slots_fn *fn,
                         void *ctx);

#endif
