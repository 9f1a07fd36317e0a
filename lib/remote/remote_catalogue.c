/* Each function is one round of requests, to all servers at once: everything
 * that a batch of documents needs is requested together. Threads query at the
 * same time, each with a caller of its own. */

#include "lib/remote/remote_catalogue.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/c_locale.h"
#include "lib/base/checksum.h"
#include "lib/base/packing.h"
#include "lib/partition/partition.h"
#include "lib/remote/redis_client.h"

#define NO_NUMBER UINT32_MAX
/* Keys are in this many places, evenly spaced: 2^10 of 2^14 slots. */
#define TAG_BITS 10
/* Of a key without an id, of a number, with their zeros. */
#define KEY_LEN    (OG_PARTITION_KEY_LEN + 32)
#define NUMBER_LEN 24
/* How many numbers of blobs are reserved at a time. */
#define TEXTS_EACH 64

/* The connections and buffers of one thread. */
struct catalogue_caller {
    struct catalogue_caller *next;
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
    struct catalogue_caller *idle;
    uint32_t next_text, end_text; /* numbers of blobs that are ours */
};

/* ---- callers ---- */

static void free_caller(const struct og_remote_catalogue *r,
                        struct catalogue_caller *c)
{
    og_redis_client_free(c->client);
    OG_UNGROW(r->allocator, c->requests, c->requests_cap);
    OG_UNGROW(r->allocator, c->bytes, c->bytes_cap);
    og_release(r->allocator, c, sizeof(*c));
}

static og_status new_caller(const struct og_remote_catalogue *r,
                            struct catalogue_caller **out, og_error *err)
{
    struct catalogue_caller *c = og_allocate_zero(r->allocator, sizeof(*c));
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
static og_status take_caller(struct og_remote_catalogue *r, size_t n,
                             size_t n_bytes, struct catalogue_caller **out,
                             og_error *err)
{
    pthread_mutex_lock(&r->lock);
    struct catalogue_caller *c = r->idle;
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
                        struct catalogue_caller *c)
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
        struct catalogue_caller *c = r->idle;
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

static void add_number(struct catalogue_caller *c,
                       struct og_redis_request *request, int64_t number)
{
    char *text = c->bytes + c->n_bytes;
    const int len = snprintf(text, NUMBER_LEN, "%" PRId64, number);
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
begin_request(struct catalogue_caller *c, const char *command, unsigned slot)
{
    struct og_redis_request *request = &c->requests[c->n++];
    request->slot = slot;
    request->n_words = 0;
    og_redis_add_word(request, og_redis_word(command));
    return request;
}

/* For the whole catalogue: the head, or the keys beside it. */
static struct og_redis_request *ask_head(const struct og_remote_catalogue *r,
                                         struct catalogue_caller *c,
                                         const char *command, const char *kind)
{
    struct og_redis_request *request =
        begin_request(c, command, og_partition_slot(0, 0));
    char *key = c->bytes + c->n_bytes;
    size_t len = print_prefix(r, 0, 0, key);
    len += (size_t)snprintf(key + len, KEY_LEN - len, "%s", kind);
    c->n_bytes += len + 1;
    og_redis_add_word(request, (og_bytes){key, len});
    return request;
}

/* About document or blob `number`. Those of a batch follow one another, and are
 * to be on all servers. */
static struct og_redis_request *ask_number(const struct og_remote_catalogue *r,
                                           struct catalogue_caller *c,
                                           const char *command, char kind,
                                           uint32_t number)
{
    const uint32_t tag = (uint32_t)og_mix64(number) & ((1u << TAG_BITS) - 1);
    struct og_redis_request *request =
        begin_request(c, command, og_partition_slot(tag, TAG_BITS));
    char *key = c->bytes + c->n_bytes;
    size_t len = print_prefix(r, tag, TAG_BITS, key);
    len += (size_t)snprintf(key + len, KEY_LEN - len, ":{%c}:%" PRIu32, kind,
                            number);
    c->n_bytes += len + 1;
    og_redis_add_word(request, (og_bytes){key, len});
    return request;
}

static struct og_redis_request *ask_id(const struct og_remote_catalogue *r,
                                       struct catalogue_caller *c,
                                       const char *command, og_bytes id)
{
    const uint32_t tag = og_checksum(id.data, id.len) & ((1u << TAG_BITS) - 1);
    struct og_redis_request *request =
        begin_request(c, command, og_partition_slot(tag, TAG_BITS));
    char *key = c->bytes + c->n_bytes;
    size_t len = print_prefix(r, tag, TAG_BITS, key);
    len += (size_t)snprintf(key + len, KEY_LEN - len, ":{i}:");
    if (id.len > 0) memcpy(key + len, id.data, id.len);
    len += id.len;
    c->n_bytes += len;
    og_redis_add_word(request, (og_bytes){key, len});
    return request;
}

static og_status no_answer(const struct og_remote_catalogue *r,
                           const char *command, og_error *err)
{
    return og_error_set(err, OG_ERR_IO,
                        "table '%s': the answer to %s makes no sense",
                        r->address.table, command);
}

/* Sends the queued requests, and returns the caller. */
static og_status ask_all(struct og_remote_catalogue *r,
                         struct catalogue_caller *c,
                         og_redis_reply_fn *on_reply, void *ctx, og_error *err)
{
    const og_status status =
        og_redis_client_run(c->client, c->requests, c->n, on_reply, ctx, err);
    give_caller(r, c);
    return status;
}

static og_status take_nothing(void *ctx, size_t number,
                              const struct og_resp *reply, og_error *err)
{
    (void)ctx, (void)number, (void)reply, (void)err;
    return OG_OK;
}

static og_status write_all(struct og_remote_catalogue *r,
                           struct catalogue_caller *c, og_error *err)
{
    const og_status status = og_redis_client_write(c->client, c->requests, c->n,
                                                   take_nothing, NULL, err);
    give_caller(r, c);
    return status;
}

/* ---- replies ---- */

bool og_remote_read_number(const struct og_resp_item *item, uint32_t *out)
{
    uint64_t value = 0;
    if (item->kind != OG_RESP_BYTES || item->bytes.len == 0 ||
        item->bytes.len > 10)
        return false;
    for (size_t i = 0; i < item->bytes.len; i++) {
        const unsigned digit = (unsigned)(item->bytes.data[i] - '0');
        if (digit > 9) return false;
        value = value * 10 + digit;
    }
    *out = (uint32_t)value;
    return value < NO_NUMBER;
}

bool og_remote_read_entry(const struct og_resp *reply, og_bytes *out_entry,
                          bool *out_is_committed)
{
    const struct og_resp_item *i = reply->items;
    *out_entry = (og_bytes){"", 0};
    *out_is_committed = false;
    if (reply->n != 3 || i[0].kind != OG_RESP_LIST ||
        (i[1].kind != OG_RESP_BYTES && i[1].kind != OG_RESP_NULL) ||
        (i[2].kind != OG_RESP_BYTES && i[2].kind != OG_RESP_NULL))
        return false;
    if (i[1].kind == OG_RESP_BYTES) *out_entry = i[1].bytes;
    *out_is_committed = i[2].kind == OG_RESP_BYTES;
    return true;
}

/* ---- the head ---- */

struct conf_reader {
    const struct og_remote_catalogue *catalogue;
    struct og_pack *out;
};

static og_status take_conf(void *ctx, size_t number,
                           const struct og_resp *reply, og_error *err)
{
    const struct conf_reader *reader = ctx;
    const struct og_resp_item *item = &reply->items[0];
    (void)number;
    if (item->kind == OG_RESP_NUMBER) return OG_OK; /* of HSETNX */
    if (item->kind != OG_RESP_BYTES && item->kind != OG_RESP_NULL)
        return no_answer(reader->catalogue, "HGET", err);
    reader->out->len = 0;
    if (item->kind == OG_RESP_BYTES)
        og_pack_bytes(reader->out, item->bytes.data, item->bytes.len);
    return reader->out->failed ? og_error_memory(err, item->bytes.len, "a conf")
                               : OG_OK;
}

/* Both go to one server, which answers them in this order. */
og_status og_remote_catalogue_conf(struct og_remote_catalogue *r,
                                   og_bytes offered, struct og_pack *out,
                                   og_error *err)
{
    struct conf_reader reader = {r, out};
    struct catalogue_caller *c;
    TRY(take_caller(r, 2, 2 * KEY_LEN, &c, err));
    if (offered.len > 0) {
        struct og_redis_request *request = ask_head(r, c, "HSETNX", "");
        og_redis_add_word(request, og_redis_word("conf"));
        og_redis_add_word(request, offered);
    }
    og_redis_add_word(ask_head(r, c, "HGET", ""), og_redis_word("conf"));
    return ask_all(r, c, take_conf, &reader, err);
}

/* A catalogue in a folder has no conf; in ours it comes first. */
static og_status take_owner(void *ctx, size_t number,
                            const struct og_resp *reply, og_error *err)
{
    bool *is_taken = ctx;
    (void)number, (void)err;
    *is_taken = reply->n == 3 && reply->items[1].kind == OG_RESP_NULL &&
                reply->items[2].kind == OG_RESP_BYTES;
    return OG_OK;
}

og_status og_remote_catalogue_check_free(struct og_remote_catalogue *r,
                                         og_error *err)
{
    bool is_taken = false;
    struct catalogue_caller *c;
    TRY(take_caller(r, 1, KEY_LEN, &c, err));
    struct og_redis_request *request = ask_head(r, c, "HMGET", "");
    og_redis_add_word(request, og_redis_word("conf"));
    og_redis_add_word(request, og_redis_word("catalogue"));
    TRY(ask_all(r, c, take_owner, &is_taken, err));
    if (!is_taken) return OG_OK;
    return og_error_set(err, OG_ERR_USAGE,
                        "table '%s' on %s:%u belongs to a catalogue in a "
                        "folder",
                        r->address.table, r->address.hosts[0].name,
                        r->address.hosts[0].port);
}

/* ---- numbers ---- */

struct numbers_reader {
    const struct og_remote_catalogue *catalogue;
    uint64_t n;
    uint64_t end;
    int64_t latest;
};

/* A score is a number with a fraction, or one in the notation of powers. */
static int64_t read_time(og_bytes text)
{
    char digits[64];
    char *end;
    if (text.len == 0 || text.len >= sizeof(digits)) return INT64_MIN;
    memcpy(digits, text.data, text.len);
    digits[text.len] = 0;
    const double value = og_parse_number(digits, &end);
    if (*end != 0 || !(value > -9.2e18 && value < 9.2e18)) return INT64_MIN;
    return (int64_t)value;
}

static og_status take_numbers(void *ctx, size_t number,
                              const struct og_resp *reply, og_error *err)
{
    struct numbers_reader *reader = ctx;
    const struct og_resp_item *item = &reply->items[0];
    if (number == 1) {
        if (item->kind == OG_RESP_BYTES)
            reader->latest = read_time(item->bytes);
        return OG_OK;
    }
    if (item->kind != OG_RESP_NUMBER || item->number < (int64_t)reader->n)
        return no_answer(reader->catalogue, "HINCRBY", err);
    reader->end = (uint64_t)item->number;
    return OG_OK;
}

static og_status reserve(struct og_remote_catalogue *r, const char *field,
                         uint32_t n, struct numbers_reader *out, og_error *err)
{
    struct catalogue_caller *c;
    *out = (struct numbers_reader){r, n, 0, INT64_MIN};
    TRY(take_caller(r, 2, 2 * KEY_LEN + NUMBER_LEN, &c, err));
    struct og_redis_request *request = ask_head(r, c, "HINCRBY", "");
    og_redis_add_word(request, og_redis_word(field));
    add_number(c, request, n);
    og_redis_add_word(ask_head(r, c, "ZSCORE", ":{l}"), og_redis_word("t"));
    TRY(ask_all(r, c, take_numbers, out, err));
    /* The last number is never assigned. */
    if (out->end < NO_NUMBER) return OG_OK;
    return og_error_set(err, OG_ERR_LIMIT,
                        "table '%s' has no more numbers for documents",
                        r->address.table);
}

og_status og_remote_catalogue_reserve(struct og_remote_catalogue *r, uint32_t n,
                                      struct og_remote_numbers *out,
                                      og_error *err)
{
    struct numbers_reader reader;
    TRY(reserve(r, "next", n, &reader, err));
    *out =
        (struct og_remote_numbers){(uint32_t)(reader.end - n), reader.latest};
    return OG_OK;
}

struct tally_reader {
    const struct og_remote_catalogue *catalogue;
    struct og_remote_tally *out;
};

static og_status take_tally(void *ctx, size_t number,
                            const struct og_resp *reply, og_error *err)
{
    const struct tally_reader *reader = ctx;
    const struct og_resp_item *i = reply->items;
    uint32_t n = 0;
    (void)number;
    *reader->out = (struct og_remote_tally){0};
    if (reply->n != 3 || i[0].kind != OG_RESP_LIST ||
        (i[1].kind != OG_RESP_NULL &&
         !og_remote_read_number(&i[1], &reader->out->n_numbers)) ||
        (i[2].kind != OG_RESP_NULL && !og_remote_read_number(&i[2], &n)))
        return no_answer(reader->catalogue, "HMGET", err);
    reader->out->n_documents = n;
    return OG_OK;
}

og_status og_remote_catalogue_count(struct og_remote_catalogue *r,
                                    struct og_remote_tally *out, og_error *err)
{
    struct tally_reader reader = {r, out};
    struct catalogue_caller *c;
    TRY(take_caller(r, 1, KEY_LEN, &c, err));
    struct og_redis_request *request = ask_head(r, c, "HMGET", "");
    og_redis_add_word(request, og_redis_word("next"));
    og_redis_add_word(request, og_redis_word("count"));
    return ask_all(r, c, take_tally, &reader, err);
}

/* ---- ids ---- */

struct ids_reader {
    const struct og_remote_catalogue *catalogue;
    struct og_remote_id *ids;
};

/* A claim that was sent twice finds itself. */
static og_status take_id(void *ctx, size_t number, const struct og_resp *reply,
                         og_error *err)
{
    const struct ids_reader *reader = ctx;
    struct og_remote_id *id = &reader->ids[number];
    const struct og_resp_item *item = &reply->items[0];
    id->found = NO_NUMBER;
    if (item->kind == OG_RESP_NULL) return OG_OK;
    if (!og_remote_read_number(item, &id->found))
        return no_answer(reader->catalogue, "SET", err);
    if (id->found == id->number) id->found = NO_NUMBER;
    return OG_OK;
}

og_status og_remote_catalogue_claim(struct og_remote_catalogue *r,
                                    struct og_remote_id *ids, size_t n,
                                    og_error *err)
{
    struct ids_reader reader = {r, ids};
    struct catalogue_caller *c;
    size_t n_bytes = n * (KEY_LEN + NUMBER_LEN);
    for (size_t i = 0; i < n; i++)
        n_bytes += ids[i].id.len;
    if (n == 0) return OG_OK;
    TRY(take_caller(r, n, n_bytes, &c, err));
    for (size_t i = 0; i < n; i++) {
        const bool is_claimed = ids[i].number != NO_NUMBER;
        struct og_redis_request *request =
            ask_id(r, c, is_claimed ? "SET" : "GET", ids[i].id);
        if (!is_claimed) continue;
        add_number(c, request, ids[i].number);
        og_redis_add_word(request, og_redis_word("NX"));
        og_redis_add_word(request, og_redis_word("GET"));
    }
    return ask_all(r, c, take_id, &reader, err);
}

/* ---- documents ---- */

static void put_entry(const struct og_remote_catalogue *r,
                      struct catalogue_caller *c,
                      const struct og_remote_entry *e)
{
    struct og_redis_request *request;
    if (e->entry.len > 0) {
        request = ask_number(r, c, "HSET", 'd', e->number);
        og_redis_add_word(request, og_redis_word("e"));
        og_redis_add_word(request, e->entry);
    }
    for (size_t i = 0; i < e->n_origins; i++) {
        request = ask_number(r, c, "ZADD", 'c', e->origins[i]);
        add_number(c, request, e->number);
        add_number(c, request, e->number);
    }
    if (e->sets_id) add_number(c, ask_id(r, c, "SET", e->id), e->number);
}

og_status og_remote_catalogue_put(struct og_remote_catalogue *r,
                                  const struct og_remote_entry *entries,
                                  size_t n, og_error *err)
{
    struct catalogue_caller *c;
    size_t n_requests = 0, n_bytes = 0;
    for (size_t i = 0; i < n; i++) {
        n_requests += 2 + entries[i].n_origins;
        n_bytes += entries[i].id.len;
    }
    n_bytes += n_requests * (KEY_LEN + 2 * NUMBER_LEN);
    if (n == 0) return OG_OK;
    TRY(take_caller(r, n_requests, n_bytes, &c, err));
    for (size_t i = 0; i < n; i++)
        put_entry(r, c, &entries[i]);
    return write_all(r, c, err);
}

/* If it is lost, the document is observed once more and nothing worse: replicas
 * are not awaited. */
og_status og_remote_catalogue_commit(struct og_remote_catalogue *r,
                                     const uint32_t *numbers, size_t n,
                                     int64_t latest, og_error *err)
{
    struct catalogue_caller *c;
    if (n == 0) return OG_OK;
    TRY(take_caller(r, n + 2, (n + 2) * (KEY_LEN + NUMBER_LEN), &c, err));
    for (size_t i = 0; i < n; i++) {
        struct og_redis_request *request =
            ask_number(r, c, "HSET", 'd', numbers[i]);
        og_redis_add_word(request, og_redis_word("s"));
        og_redis_add_word(request, og_redis_word("1"));
    }
    struct og_redis_request *count = ask_head(r, c, "HINCRBY", "");
    og_redis_add_word(count, og_redis_word("count"));
    add_number(c, count, (int64_t)n);
    if (latest > INT64_MIN) {
        struct og_redis_request *request = ask_head(r, c, "ZADD", ":{l}");
        og_redis_add_word(request, og_redis_word("GT"));
        add_number(c, request, latest);
        og_redis_add_word(request, og_redis_word("t"));
    }
    return ask_all(r, c, take_nothing, NULL, err);
}

struct entries_reader {
    const struct og_remote_catalogue *catalogue;
    og_remote_entry_fn *fn;
    void *ctx;
};

static og_status take_entry(void *ctx, size_t number,
                            const struct og_resp *reply, og_error *err)
{
    const struct entries_reader *reader = ctx;
    og_bytes entry;
    bool is_committed;
    if (!og_remote_read_entry(reply, &entry, &is_committed))
        return no_answer(reader->catalogue, "HMGET", err);
    return reader->fn(reader->ctx, number, entry, is_committed, err);
}

og_status og_remote_catalogue_get(struct og_remote_catalogue *r,
                                  const uint32_t *numbers, size_t n,
                                  og_remote_entry_fn *fn, void *ctx,
                                  og_error *err)
{
    struct entries_reader reader = {r, fn, ctx};
    struct catalogue_caller *c;
    if (n == 0) return OG_OK;
    TRY(take_caller(r, n, n * KEY_LEN, &c, err));
    for (size_t i = 0; i < n; i++) {
        struct og_redis_request *request =
            ask_number(r, c, "HMGET", 'd', numbers[i]);
        og_redis_add_word(request, og_redis_word("e"));
        og_redis_add_word(request, og_redis_word("s"));
    }
    return ask_all(r, c, take_entry, &reader, err);
}

struct copiers_reader {
    const struct og_remote_catalogue *catalogue;
    size_t max;
    uint32_t *out;
    size_t n;
};

static og_status take_copiers(void *ctx, size_t number,
                              const struct og_resp *reply, og_error *err)
{
    struct copiers_reader *reader = ctx;
    (void)number;
    reader->n = 0;
    if (reply->items[0].kind != OG_RESP_LIST || reply->n - 1 > reader->max)
        return no_answer(reader->catalogue, "ZRANGE", err);
    for (size_t i = 1; i < reply->n; i++)
        if (!og_remote_read_number(&reply->items[i], &reader->out[reader->n++]))
            return no_answer(reader->catalogue, "ZRANGE", err);
    return OG_OK;
}

og_status og_remote_catalogue_copiers(struct og_remote_catalogue *r,
                                      uint32_t origin, size_t max,
                                      uint32_t *out, size_t *out_n,
                                      og_error *err)
{
    struct copiers_reader reader = {r, max, out, 0};
    struct catalogue_caller *c;
    *out_n = 0;
    if (max == 0) return OG_OK;
    TRY(take_caller(r, 1, KEY_LEN + 2 * NUMBER_LEN, &c, err));
    struct og_redis_request *request = ask_number(r, c, "ZRANGE", 'c', origin);
    add_number(c, request, 0);
    add_number(c, request, (int64_t)max - 1);
    TRY(ask_all(r, c, take_copiers, &reader, err));
    *out_n = reader.n;
    return OG_OK;
}

/* ---- texts ---- */

static og_status next_text(struct og_remote_catalogue *r, uint32_t *out,
                           og_error *err)
{
    struct numbers_reader reader;
    pthread_mutex_lock(&r->lock);
    const bool has_one = r->next_text < r->end_text;
    if (has_one) *out = r->next_text++;
    pthread_mutex_unlock(&r->lock);
    if (has_one) return OG_OK;
    TRY(reserve(r, "texts", TEXTS_EACH, &reader, err));
    const uint32_t first = (uint32_t)(reader.end - TEXTS_EACH) + 1;
    *out = first;
    pthread_mutex_lock(&r->lock);
    r->next_text = first + 1;
    r->end_text = first + TEXTS_EACH;
    pthread_mutex_unlock(&r->lock);
    return OG_OK;
}

og_status og_remote_catalogue_put_text(struct og_remote_catalogue *r,
                                       og_bytes bytes, uint32_t *out_number,
                                       og_error *err)
{
    struct catalogue_caller *c;
    TRY(next_text(r, out_number, err));
    TRY(take_caller(r, 1, KEY_LEN, &c, err));
    og_redis_add_word(ask_number(r, c, "SET", 't', *out_number), bytes);
    return write_all(r, c, err);
}

struct text_reader_call {
    const struct og_remote_catalogue *catalogue;
    uint8_t *out;
    size_t cap, len;
};

static og_status take_text(void *ctx, size_t number,
                           const struct og_resp *reply, og_error *err)
{
    struct text_reader_call *call = ctx;
    const struct og_resp_item *item = &reply->items[0];
    (void)number;
    if (item->kind != OG_RESP_BYTES || item->bytes.len > call->cap)
        return no_answer(call->catalogue, "GETRANGE", err);
    call->len = item->bytes.len;
    if (call->len > 0) memcpy(call->out, item->bytes.data, call->len);
    return OG_OK;
}

og_status og_remote_catalogue_get_text(struct og_remote_catalogue *r,
                                       uint32_t number, uint64_t off, void *out,
                                       size_t len, size_t *out_len,
                                       og_error *err)
{
    struct text_reader_call call = {r, out, len, 0};
    struct catalogue_caller *c;
    *out_len = 0;
    if (len == 0) return OG_OK;
    if (off > INT64_MAX - len) off = (uint64_t)INT64_MAX - len; /* after all */
    TRY(take_caller(r, 1, KEY_LEN + 2 * NUMBER_LEN, &c, err));
    struct og_redis_request *request =
        ask_number(r, c, "GETRANGE", 't', number);
    add_number(c, request, (int64_t)off);
    add_number(c, request, (int64_t)(off + len - 1));
    TRY(ask_all(r, c, take_text, &call, err));
    *out_len = call.len;
    return OG_OK;
}
