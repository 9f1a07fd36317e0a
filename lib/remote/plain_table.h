#ifndef OG_REMOTE_PLAIN_TABLE_H
#define OG_REMOTE_PLAIN_TABLE_H

/*   in:  fingerprints of documents                          (lib/select)
 *   out: hits; and a key for each fingerprint, on a server  (lib/estimate)
 *
 * The plain mode of a table on servers (remote_table.h): every fingerprint is a
 * key of its own, for services that load no modules. Needs Redis 7.0 or any
 * Valkey, for SET with NX and GET together. */

#include "lib/remote/redis_client.h"
#include "lib/remote/remote_table.h"

struct og_plain_table {
    const og_allocator *allocator;
    const struct og_table *shape; /* defines which fingerprints are equal */
    const char *name;
    char ttl[16]; /* lifetime of a key in seconds; empty: until the server
                     evicts it */
};

/* The buffers of one thread. */
struct og_plain_room;
og_status og_plain_room_new(const struct og_plain_table *table,
                            struct og_plain_room **out, og_error *err);
void og_plain_room_free(struct og_plain_room *room); /* NULL is fine */

/* Like og_remote_table_find() and og_remote_table_observe(). has_evicted:
 * missing keys may have been there once. */
og_status og_plain_find(const struct og_plain_table *table,
                        struct og_plain_room *room,
                        struct og_redis_client *client,
                        const struct og_remote_question *questions, size_t n,
                        uint32_t n_documents, bool has_evicted, og_error *err);
og_status og_plain_observe(const struct og_plain_table *table,
                           struct og_plain_room *room,
                           struct og_redis_client *client,
                           struct og_remote_document *documents, size_t n,
                           og_error *err);

/* Keys that the servers have evicted since they were started, of any table; if
 * the table's keys expire, also the expired ones. */
og_status og_plain_evictions(const struct og_plain_table *table,
                             struct og_redis_client *client, uint64_t *out,
                             og_error *err);

/* The value of a key: the hit as one number, in decimal. A server stores such a
 * value in 16 bytes, as a string in 32. False: it is not a valid value. */
#define OG_PLAIN_VALUE_LEN 24
void og_plain_write_value(struct og_hit hit, char out[OG_PLAIN_VALUE_LEN]);
bool og_plain_read_value(og_bytes text, struct og_hit *out);

/* A number in an answer to INFO, from its line "name:number"; 0: not found. */
uint64_t og_plain_info_number(og_bytes text, const char *name);

#endif
