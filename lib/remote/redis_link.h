#ifndef OG_REMOTE_REDIS_LINK_H
#define OG_REMOTE_REDIS_LINK_H

/* One connection to one server: commands out, replies in, in order. Every wait
 * ends at a deadline of the caller (og_clock_seconds()). While sending it also
 * receives, so that neither side waits for the other. */

#include <string.h>

#include "lib/base/packing.h"
#include "lib/remote/resp.h"
#include "lib/remote/table_address.h"

struct og_redis_link;

/* Connects and logs in. OG_ERR_IO: a temporary failure. OG_ERR_USAGE: a
 * permanent one; password, certificate. Messages begin with "HOST:PORT: ". */
og_status og_redis_link_open(const struct og_redis_host *host,
                             const struct og_table_address *address,
                             double until, const og_allocator *allocator,
                             struct og_redis_link **out, og_error *err);
void og_redis_link_close(struct og_redis_link *link); /* NULL is fine */

/* Appends a command to the output. */
og_status og_redis_link_put(struct og_redis_link *link, const og_bytes *words,
                            size_t n_words, og_error *err);
/* Sends everything. */
og_status og_redis_link_flush(struct og_redis_link *link, double until,
                              og_error *err);
/* The next reply; a view until the next call. */
og_status og_redis_link_get(struct og_redis_link *link, double until,
                            const struct og_resp **out, og_error *err);

/* A word of a request. */
static inline og_bytes og_redis_word(const char *text)
{
    return (og_bytes){text, strlen(text)};
}

#endif
