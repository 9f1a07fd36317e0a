/* A table in plain keys:
 *
 *     origo:NAME:FINGERPRINT = HIT      SET key value NX GET, and GET
 *
 * FINGERPRINT are the bits by which a table of the same size in buckets
 * distinguishes fingerprints, so that answers are the same to the byte; in
 * digits of 6 bits. HIT is document, offset and near in one signed number.
 *
 * A new fingerprint is set by SET NX; otherwise GET returns its holder. If the
 * new document is the earlier one, it takes over the key, by a script that sets
 * the value only if it is still the one that was returned. If another front end
 * took the key over meanwhile, the script returns its value, and the two are
 * compared again: so the earliest remains, and a reader never finds a later
 * one. SET GET, which exchanges two values, would need no script, but whoever
 * dies between two exchanges leaves the later document. Only late documents
 * take keys over, so few scripts are run.
 *
 * The server decides how long a key is kept (its LRU): a look-up renews it.
 * With allkeys-lru it may evict any key, with volatile-lru those with an
 * expiry, which a table can set. Weights and spare slots are not used here. */

#include "lib/remote/plain_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/partition/partition.h"
#include "lib/table/bucket.h"

/* So many commands are on their way at once: enough that neither side waits for
 * the other most of the time, and a megabyte of requests. */
#define MOST_OPS 2048
/* Digits of 64 bits. */
#define DIGITS_MAX 11
#define PREFIX_MAX (6 + OG_PARTITION_NAME_MAX + 1)

/* A fingerprint that is looked up, or of a document that is added. */
struct plain_op {
    uint32_t part, i; /* of the query, or the document */
    bool is_again;    /* the document takes the key over from `seen` */
    char key[PREFIX_MAX + DIGITS_MAX];
    char value[OG_PLAIN_VALUE_LEN], seen[OG_PLAIN_VALUE_LEN];
};

struct og_plain_room {
    const og_allocator *allocator;
    struct plain_op *ops;
    struct og_redis_request *requests;
    size_t n;
    char prefix[PREFIX_MAX + 1];
    size_t prefix_len, n_digits;
};

/* ---- keys ---- */

static unsigned bits_of(uint64_t number)
{
    unsigned n = 0;
    for (; number != 0; number >>= 1)
        n++;
    return n;
}

/* Bits of tag and rest. */
static unsigned identity_bits(const struct og_table *t)
{
    return 8 + 8 * (unsigned)t->rest_len;
}

static bool has_home(const struct og_table *t)
{
    return identity_bits(t) + bits_of(t->n_full - 1) <= 64;
}

/* What distinguishes a fingerprint from others: its bucket and what is kept of
 * it there. If that does not fit into 64 bits, the bucket is a part of the bits
 * that the rest omits, and the mixed fingerprint is equivalent. */
static uint64_t key_number(const struct og_table *t, uint64_t fp)
{
    const uint64_t mixed = og_mix64(fp);
    const uint64_t tag = og_fp_tag(mixed);
    if (!has_home(t)) return (mixed & ~(uint64_t)0xff) | tag;
    return og_home_of(t, mixed) << identity_bits(t) |
           og_fp_rest(t, mixed) << 8 | tag;
}

static void write_key(const struct og_plain_table *t,
                      const struct og_plain_room *room, uint64_t fp,
                      char out[PREFIX_MAX + DIGITS_MAX])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrs"
                                 "tuvwxyz0123456789-_";
    uint64_t number = key_number(t->shape, fp);
    memcpy(out, room->prefix, room->prefix_len);
    for (size_t i = room->n_digits; i-- > 0; number >>= 6)
        out[room->prefix_len + i] = digits[number & 63];
}

/* ---- values ---- */

void og_plain_write_value(struct og_hit hit, char out[OG_PLAIN_VALUE_LEN])
{
    const uint64_t number =
        (uint64_t)hit.doc << 32 | (uint64_t)hit.offset << 16 | hit.near;
    snprintf(out, OG_PLAIN_VALUE_LEN, "%" PRId64, (int64_t)number);
}

bool og_plain_read_value(og_bytes text, struct og_hit *out)
{
    const bool is_negative = text.len > 0 && text.data[0] == '-';
    uint64_t number = 0;
    if (text.len <= is_negative || text.len > 20) return false;
    for (size_t i = is_negative; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') return false;
        if (number > UINT64_MAX / 10 - 1) return false;
        number = number * 10 + (uint64_t)(text.data[i] - '0');
        if (number > (uint64_t)INT64_MAX + is_negative) return false;
    }
    if (is_negative) number = -number;
    *out = (struct og_hit){.doc = (uint32_t)(number >> 32),
                           .offset = (uint16_t)(number >> 16),
                           .near = (uint16_t)number};
    return out->doc != OG_NO_DOC;
}

/* ---- room ---- */

og_status og_plain_room_new(const struct og_plain_table *table,
                            struct og_plain_room **out, og_error *err)
{
    const og_allocator *a = table->allocator;
    struct og_plain_room *room = og_allocate_zero(a, sizeof(*room));
    *out = NULL;
    if (room == NULL) return og_error_memory(err, sizeof(*room), "a client");
    room->allocator = a;
    room->ops = og_allocate_zero(a, MOST_OPS * sizeof(*room->ops));
    room->requests = og_allocate_zero(a, MOST_OPS * sizeof(*room->requests));
    if (room->ops == NULL || room->requests == NULL) {
        og_plain_room_free(room);
        return og_error_memory(err, MOST_OPS * sizeof(*room->requests),
                               "a client");
    }
    const struct og_table *shape = table->shape;
    const unsigned n_bits =
        has_home(shape) ? identity_bits(shape) + bits_of(shape->n_full - 1)
                        : 64;
    room->n_digits = (n_bits + 5) / 6;
    room->prefix_len = (size_t)snprintf(room->prefix, sizeof(room->prefix),
                                        "origo:%s:", table->name);
    *out = room;
    return OG_OK;
}

void og_plain_room_free(struct og_plain_room *room)
{
    if (room == NULL) return;
    og_release(room->allocator, room->ops, MOST_OPS * sizeof(*room->ops));
    og_release(room->allocator, room->requests,
               MOST_OPS * sizeof(*room->requests));
    og_release(room->allocator, room, sizeof(*room));
}

static struct plain_op *add_op(const struct og_plain_table *t,
                               struct og_plain_room *room, size_t part,
                               size_t i, uint64_t fp)
{
    struct plain_op *op = &room->ops[room->n++];
    op->part = (uint32_t)part;
    op->i = (uint32_t)i;
    write_key(t, room, fp, op->key);
    return op;
}

/* A command about the key of op `number`. */
static struct og_redis_request *put_request(struct og_plain_room *room,
                                            size_t number, const char *command)
{
    struct og_redis_request *request = &room->requests[number];
    const og_bytes key = {room->ops[number].key,
                          room->prefix_len + room->n_digits};
    request->slot = og_partition_key_slot(key);
    request->words[0] = og_redis_word(command);
    request->words[1] = key;
    request->n_words = 2;
    return request;
}

/* What an answer says: false in *out_is_there for no such key. */
static og_status read_answer(const struct og_plain_table *t,
                             const struct og_plain_room *room,
                             const struct plain_op *op,
                             const struct og_resp *reply, bool *out_is_there,
                             struct og_hit *out, og_error *err)
{
    const struct og_resp_item *item = &reply->items[0];
    *out_is_there = item->kind != OG_RESP_NULL;
    if (!*out_is_there) return OG_OK;
    if (item->kind == OG_RESP_BYTES && og_plain_read_value(item->bytes, out))
        return OG_OK;
    return og_error_set(
        err, OG_ERR_STORE, "table '%s' is damaged: what is under key '%.*s'",
        t->name, (int)(room->prefix_len + room->n_digits), op->key);
}

/* ---- looking up ---- */

struct plain_finding {
    const struct og_plain_table *table;
    struct og_plain_room *room;
    struct og_redis_client *client;
    const struct og_remote_question *questions;
    uint32_t n_documents;
    bool has_evicted;
};

static og_status take_hit(void *ctx, size_t number, const struct og_resp *reply,
                          og_error *err)
{
    const struct plain_finding *f = ctx;
    const struct plain_op *op = &f->room->ops[number];
    const struct og_remote_question *q = &f->questions[op->part];
    struct og_hit hit;
    bool is_there;
    TRY(read_answer(f->table, f->room, op, reply, &is_there, &hit, err));
    if (q->lost != NULL) q->lost[op->i] = !is_there && f->has_evicted;
    if (!is_there || hit.doc >= f->n_documents)
        hit = (struct og_hit){.doc = OG_NO_DOC};
    q->hits[op->i] = hit;
    return OG_OK;
}

static og_status run_finding(struct plain_finding *f, og_error *err)
{
    struct og_plain_room *room = f->room;
    for (size_t i = 0; i < room->n; i++)
        (void)put_request(room, i, "GET");
    TRY(og_redis_client_run(f->client, room->requests, room->n, take_hit, f,
                            err));
    room->n = 0;
    return OG_OK;
}

og_status og_plain_find(const struct og_plain_table *t,
                        struct og_plain_room *room,
                        struct og_redis_client *client,
                        const struct og_remote_question *questions, size_t n,
                        uint32_t n_documents, bool has_evicted, og_error *err)
{
    struct plain_finding f = {t,         room,        client,
                              questions, n_documents, has_evicted};
    room->n = 0;
    for (size_t q = 0; q < n; q++)
        for (size_t i = 0; i < questions[q].n; i++) {
            (void)add_op(t, room, q, i, questions[q].fps[i]);
            if (room->n == MOST_OPS) TRY(run_finding(&f, err));
        }
    return room->n > 0 ? run_finding(&f, err) : OG_OK;
}

/* ---- observing ---- */

struct plain_observing {
    const struct og_plain_table *table;
    struct og_plain_room *room;
    struct og_redis_client *client;
    struct og_remote_document *documents;
    bool is_first; /* the first time that these are sent */
};

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Whether a holder keeps its key. By the numbers, unless the document knows
 * better; with other front ends, those that the document does not name. */
static bool must_stay(uint32_t holder, const struct og_remote_document *d)
{
    const uint32_t doc = d->additions->doc;
    const bool is_named =
        d->n_reversed > 0 && bsearch(&holder, d->reversed, d->n_reversed,
                                     sizeof(holder), compare_numbers) != NULL;
    if (holder == doc) return true; /* it was the first */
    if (d->before != NULL) return !is_named;
    return is_named ? holder > doc : holder < doc;
}

static void note_holder(struct og_remote_document *d, const struct plain_op *op,
                        struct og_hit holder)
{
    d->n_new += holder.doc == OG_NO_DOC;
    if (d->before != NULL) d->before[op->i] = holder;
}

/* The key was set if there was none, and when a script found what was seen. */
static og_status take_holder(void *ctx, size_t number,
                             const struct og_resp *reply, og_error *err)
{
    const struct plain_observing *o = ctx;
    const og_bytes value = reply->items[0].bytes;
    struct plain_op *op = &o->room->ops[number];
    struct og_remote_document *d = &o->documents[op->part];
    struct og_hit holder = {.doc = OG_NO_DOC};
    bool is_there;
    TRY(read_answer(o->table, o->room, op, reply, &is_there, &holder, err));
    note_holder(d, op, holder);
    const bool is_done = !is_there || must_stay(holder.doc, d) ||
                         (!o->is_first && strlen(op->seen) == value.len &&
                          memcmp(op->seen, value.data, value.len) == 0);
    op->is_again = !is_done;
    if (is_done) return OG_OK;
    memcpy(op->seen, value.data, value.len); /* at most 20, it was read */
    op->seen[value.len] = 0;
    return OG_OK;
}

/* SET key value [EX ttl] NX GET */
static void put_set(struct plain_observing *o, size_t number)
{
    struct og_redis_request *request = put_request(o->room, number, "SET");
    og_redis_add_word(request, og_redis_word(o->room->ops[number].value));
    if (o->table->ttl[0] != 0) {
        og_redis_add_word(request, og_redis_word("EX"));
        og_redis_add_word(request, og_redis_word(o->table->ttl));
    }
    og_redis_add_word(request, og_redis_word("NX"));
    og_redis_add_word(request, og_redis_word("GET"));
}

/* The value of a key, which is changed if it is the one given, or missing. */
#define TAKE_OVER                                                              \
    "local v=redis.call('get',KEYS[1]) if not v or v==ARGV[1] then "           \
    "if ARGV[3] then redis.call('set',KEYS[1],ARGV[2],'EX',ARGV[3]) else "     \
    "redis.call('set',KEYS[1],ARGV[2]) end end return v"

/* EVAL script 1 key seen value [ttl] */
static void put_script(struct plain_observing *o, size_t number)
{
    struct og_redis_request *request = put_request(o->room, number, "EVAL");
    const struct plain_op *op = &o->room->ops[number];
    const og_bytes key = request->words[1];
    request->n_words = 1;
    og_redis_add_word(request, og_redis_word(TAKE_OVER));
    og_redis_add_word(request, og_redis_word("1"));
    og_redis_add_word(request, key);
    og_redis_add_word(request, og_redis_word(op->seen));
    og_redis_add_word(request, og_redis_word(op->value));
    if (o->table->ttl[0] != 0)
        og_redis_add_word(request, og_redis_word(o->table->ttl));
}

static void keep_again(struct og_plain_room *room)
{
    size_t n = 0;
    for (size_t i = 0; i < room->n; i++)
        if (room->ops[i].is_again) room->ops[n++] = room->ops[i];
    room->n = n;
}

static og_status run_observing(struct plain_observing *o, og_error *err)
{
    struct og_plain_room *room = o->room;
    for (o->is_first = true; room->n > 0; o->is_first = false) {
        for (size_t i = 0; i < room->n; i++)
            (o->is_first ? put_set : put_script)(o, i);
        TRY(og_redis_client_write(o->client, room->requests, room->n,
                                  take_holder, o, err));
        keep_again(room);
    }
    return OG_OK;
}

/* Of the fields as much as a slot would keep. */
static struct og_hit hit_of(const struct og_plain_table *t,
                            const struct og_additions *add, size_t i)
{
    const struct og_table_fields *fields = &t->shape->options.fields;
    const bool given = add->origin != NULL && add->origin[i] != OG_NO_DOC;
    struct og_hit hit = {.doc = given ? add->origin[i] : add->doc};
    if (fields->offset_len > 0)
        hit.offset =
            fields->offset_len == 1 ? add->offset[i] & 0xff : add->offset[i];
    if (fields->near_len > 0) hit.near = add->near[i];
    return hit;
}

/* The look-up has renewed those that were only seen. */
og_status og_plain_observe(const struct og_plain_table *t,
                           struct og_plain_room *room,
                           struct og_redis_client *client,
                           struct og_remote_document *documents, size_t n,
                           og_error *err)
{
    struct plain_observing o = {t, room, client, documents, true};
    room->n = 0;
    for (size_t d = 0; d < n; d++) {
        const struct og_additions *add = documents[d].additions;
        documents[d].n_new = 0;
        for (size_t i = 0; i < add->n && !documents[d].is_seen; i++) {
            struct plain_op *op = add_op(t, room, d, i, add->fp[i]);
            og_plain_write_value(hit_of(t, add, i), op->value);
            if (room->n == MOST_OPS) TRY(run_observing(&o, err));
        }
    }
    return run_observing(&o, err);
}

/* ---- evictions ---- */

/* The number of slots whose servers are asked: spread evenly, they cover all
 * masters, or so many that one that evicts is among them. */
#define ASKED_SLOTS 64

struct evictions {
    uint64_t servers[ASKED_SLOTS]; /* that have answered: their run ids */
    size_t n_servers;
    uint64_t n;
    bool has_ttl;
};

/* The value of a line "name:value"; empty: not found. */
static og_bytes info_value(og_bytes text, const char *name)
{
    const size_t name_len = strlen(name);
    const char *at = text.data, *const end = text.data + text.len;
    while (at < end) {
        const char *line_end = memchr(at, '\r', (size_t)(end - at));
        if (line_end == NULL) line_end = end;
        const size_t len = (size_t)(line_end - at);
        if (len > name_len && at[name_len] == ':' &&
            memcmp(at, name, name_len) == 0)
            return (og_bytes){at + name_len + 1, len - name_len - 1};
        at = line_end + (end - line_end < 2 ? end - line_end : 2);
    }
    return (og_bytes){"", 0};
}

uint64_t og_plain_info_number(og_bytes text, const char *name)
{
    const og_bytes value = info_value(text, name);
    uint64_t n = 0;
    for (size_t i = 0; i < value.len && value.data[i] >= '0' &&
                       value.data[i] <= '9' && n < UINT64_MAX / 16;
         i++)
        n = n * 10 + (uint64_t)(value.data[i] - '0');
    return n;
}

static uint64_t hash_of(og_bytes text)
{
    uint64_t hash = text.len;
    for (size_t i = 0; i < text.len; i++)
        hash = og_mix64(hash ^ (uint8_t)text.data[i]);
    return hash;
}

static og_status take_evictions(void *ctx, size_t number,
                                const struct og_resp *reply, og_error *err)
{
    struct evictions *e = ctx;
    const og_bytes text = reply->items[0].bytes;
    (void)number;
    if (reply->items[0].kind != OG_RESP_BYTES)
        return og_error_set(err, OG_ERR_IO,
                            "the answer to INFO makes no sense");
    const uint64_t server = hash_of(info_value(text, "run_id"));
    for (size_t i = 0; i < e->n_servers; i++)
        if (e->servers[i] == server) return OG_OK;
    e->servers[e->n_servers++] = server;
    e->n += og_plain_info_number(text, "evicted_keys");
    if (e->has_ttl) e->n += og_plain_info_number(text, "expired_keys");
    return OG_OK;
}

og_status og_plain_evictions(const struct og_plain_table *table,
                             struct og_redis_client *client, uint64_t *out,
                             og_error *err)
{
    struct og_redis_request requests[ASKED_SLOTS];
    struct evictions e = {.has_ttl = table->ttl[0] != 0};
    for (unsigned i = 0; i < ASKED_SLOTS; i++) {
        requests[i].slot = (2 * i + 1) * (OG_REDIS_SLOTS / ASKED_SLOTS / 2);
        requests[i].words[0] = og_redis_word("INFO");
        requests[i].words[1] = og_redis_word("server");
        requests[i].words[2] = og_redis_word("stats");
        requests[i].n_words = 3;
    }
    TRY(og_redis_client_run(client, requests, ASKED_SLOTS, take_evictions, &e,
                            err));
    *out = e.n;
    return OG_OK;
}
