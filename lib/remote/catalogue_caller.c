#include "lib/remote/catalogue_caller.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/checksum.h"
#include "lib/partition/partition.h"

/* Keys are in so many places, evenly apart: 2^10 of 2^14 slots. */
#define TAG_BITS 10

/* ---- callers ---- */

static void free_caller(const struct og_remote_catalogue *r,
                        struct og_catalogue_caller *c)
{
    og_redis_client_free(c->client);
    OG_UNGROW(r->allocator, c->requests, c->requests_cap);
    OG_UNGROW(r->allocator, c->bytes, c->bytes_cap);
    og_release(r->allocator, c, sizeof(*c));
}

static og_status new_caller(const struct og_remote_catalogue *r,
                            struct og_catalogue_caller **out, og_error *err)
{
    struct og_catalogue_caller *c = og_allocate_zero(r->allocator, sizeof(*c));
    if (c == NULL) return og_error_memory(err, sizeof(*c), "a client");
    const og_status status =
        og_redis_client_new(&r->address, r->allocator, &c->client, err);
    if (status != OG_OK) {
        free_caller(r, c);
        return status;
    }
    *out = c;
    return OG_OK;
}

/* With room for n requests, whose keys and numbers take n_bytes. */
og_status og_catalogue_caller_take(struct og_remote_catalogue *r, size_t n,
                                   size_t n_bytes,
                                   struct og_catalogue_caller **out,
                                   og_error *err)
{
    pthread_mutex_lock(&r->lock);
    struct og_catalogue_caller *c = r->idle;
    if (c != NULL) r->idle = c->next;
    pthread_mutex_unlock(&r->lock);
    if (c == NULL) TRY(new_caller(r, &c, err));
    c->n = c->n_bytes = 0;
    *out = c;
    if (OG_GROW(r->allocator, c->requests, c->requests_cap, n) &&
        OG_GROW(r->allocator, c->bytes, c->bytes_cap, n_bytes))
        return OG_OK;
    free_caller(r, c);
    return og_error_memory(err, n * sizeof(*c->requests) + n_bytes, "requests");
}

static void give_caller(struct og_remote_catalogue *r,
                        struct og_catalogue_caller *c)
{
    pthread_mutex_lock(&r->lock);
    c->next = r->idle;
    r->idle = c;
    pthread_mutex_unlock(&r->lock);
}

og_status og_remote_catalogue_open(const char *address,
                                   const og_allocator *allocator,
                                   struct og_remote_catalogue **out,
                                   og_error *err)
{
    struct og_remote_catalogue *r = og_allocate_zero(allocator, sizeof(*r));
    *out = NULL;
    if (r == NULL) return og_error_memory(err, sizeof(*r), "a catalogue");
    r->allocator = allocator;
    pthread_mutex_init(&r->lock, NULL);
    const og_status status = og_table_address_parse(address, &r->address, err);
    if (status != OG_OK) {
        og_remote_catalogue_close(r);
        return status;
    }
    *out = r;
    return OG_OK;
}

void og_remote_catalogue_close(struct og_remote_catalogue *r)
{
    if (r == NULL) return;
    while (r->idle != NULL) {
        struct og_catalogue_caller *c = r->idle;
        r->idle = c->next;
        free_caller(r, c);
    }
    pthread_mutex_destroy(&r->lock);
    memset(&r->address, 0, sizeof(r->address)); /* it has a password */
    og_release(r->allocator, r, sizeof(*r));
}

const char *og_remote_catalogue_name(const struct og_remote_catalogue *r)
{
    return r->address.table;
}

/* ---- requests ---- */

void og_catalogue_add_number(struct og_catalogue_caller *c,
                             struct og_redis_request *request, int64_t number)
{
    char *text = c->bytes + c->n_bytes;
    const int len = snprintf(text, OG_CATALOGUE_NUMBER, "%" PRId64, number);
    c->n_bytes += (size_t)len + 1;
    og_redis_add_word(request, (og_bytes){text, (size_t)len});
}

/* "origo:{TAG}:NAME": without the number of a partition. */
static size_t print_prefix(const struct og_remote_catalogue *r, uint32_t tag,
                           unsigned n_bits, char *out)
{
    /* The address was checked: this cannot fail. */
    (void)og_partition_key(og_redis_word(r->address.table), tag, n_bits, out,
                           NULL);
    return (size_t)(strrchr(out, ':') - out);
}

static struct og_redis_request *
begin_request(struct og_catalogue_caller *c, const char *command, unsigned slot)
{
    struct og_redis_request *request = &c->requests[c->n++];
    request->slot = slot;
    request->n_words = 0;
    og_redis_add_word(request, og_redis_word(command));
    return request;
}

/* About the whole catalogue: the head, or what is beside it. */
struct og_redis_request *
og_catalogue_ask_head(const struct og_remote_catalogue *r,
                      struct og_catalogue_caller *c, const char *command,
                      const char *kind)
{
    struct og_redis_request *request =
        begin_request(c, command, og_partition_slot(0, 0));
    char *key = c->bytes + c->n_bytes;
    size_t len = print_prefix(r, 0, 0, key);
    len += (size_t)snprintf(key + len, OG_CATALOGUE_KEY - len, "%s", kind);
    c->n_bytes += len + 1;
    og_redis_add_word(request, (og_bytes){key, len});
    return request;
}

/* About document or blob `number`. Those of a batch follow one another, and are
 * to be on all servers. */
struct og_redis_request *
og_catalogue_ask_number(const struct og_remote_catalogue *r,
                        struct og_catalogue_caller *c, const char *command,
                        char kind, uint32_t number)
{
    const uint32_t tag = (uint32_t)og_mix64(number) & ((1u << TAG_BITS) - 1);
    struct og_redis_request *request =
        begin_request(c, command, og_partition_slot(tag, TAG_BITS));
    char *key = c->bytes + c->n_bytes;
    size_t len = print_prefix(r, tag, TAG_BITS, key);
    len += (size_t)snprintf(key + len, OG_CATALOGUE_KEY - len, ":{%c}:%" PRIu32,
                            kind, number);
    c->n_bytes += len + 1;
    og_redis_add_word(request, (og_bytes){key, len});
    return request;
}

struct og_redis_request *
og_catalogue_ask_id(const struct og_remote_catalogue *r,
                    struct og_catalogue_caller *c, const char *command,
                    og_bytes id)
{
    const uint32_t tag = og_checksum(id.data, id.len) & ((1u << TAG_BITS) - 1);
    struct og_redis_request *request =
        begin_request(c, command, og_partition_slot(tag, TAG_BITS));
    char *key = c->bytes + c->n_bytes;
    size_t len = print_prefix(r, tag, TAG_BITS, key);
    len += (size_t)snprintf(key + len, OG_CATALOGUE_KEY - len, ":{i}:");
    if (id.len > 0) memcpy(key + len, id.data, id.len);
    len += id.len;
    c->n_bytes += len;
    og_redis_add_word(request, (og_bytes){key, len});
    return request;
}

og_status og_catalogue_no_answer(const struct og_remote_catalogue *r,
                                 const char *command, og_error *err)
{
    return og_error_set(err, OG_ERR_IO,
                        "table '%s': the answer to %s makes no sense",
                        r->address.table, command);
}

/* Sends what was put, and gives the caller back. */
og_status og_catalogue_ask(struct og_remote_catalogue *r,
                           struct og_catalogue_caller *c,
                           og_redis_reply_fn *on_reply, void *ctx,
                           og_error *err)
{
    const og_status status =
        og_redis_client_run(c->client, c->requests, c->n, on_reply, ctx, err);
    give_caller(r, c);
    return status;
}

og_status og_catalogue_take_nothing(void *ctx, size_t number,
                                    const struct og_resp *reply, og_error *err)
{
    (void)ctx, (void)number, (void)reply, (void)err;
    return OG_OK;
}

og_status og_catalogue_write(struct og_remote_catalogue *r,
                             struct og_catalogue_caller *c,
                             og_redis_reply_fn *on_reply, void *ctx,
                             og_error *err)
{
    const og_status status =
        og_redis_client_write(c->client, c->requests, c->n, on_reply, ctx, err);
    give_caller(r, c);
    return status;
}
