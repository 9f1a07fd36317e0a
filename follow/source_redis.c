/* A stream of Redis: redis://HOST[:PORT]/STREAM, read as a consumer of a group.
 *
 * An entry is a document: the fields have the names of those of JSON, or one
 * field holds an object of JSON. Entries that were delivered to this consumer
 * and never acknowledged are read again first. XACK follows once the documents
 * are durable. The stored position is where a group begins that Redis does not
 * know (any more). */

#include "following.h"

#include <errno.h>
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 256, PORT = 6379, SECONDS = 30, RETRY_MS = 1000 };

typedef char entry_id[48]; /* "1526919030474-55" */

struct redis {
    struct follow_source base;
    char *host, *stream, *key;
    int port;
    redisContext *connection;
    entry_id *taken; /* and not acknowledged */
    size_t n_taken, cap;
    entry_id last;     /* of those read again; "": new ones */
    uint64_t next_try; /* ms */
    bool is_failing;   /* and it was reported */
    unsigned n_failed;
};

/* ---- the connection ---- */

static void hang_up(struct redis *r, const char *why)
{
    if (!r->is_failing)
        follow_problem(r->base.following, r->base.name, 0, false,
                       "%s; trying again", why);
    r->is_failing = true;
    r->n_failed++;
    r->next_try = follow_now_ms() + RETRY_MS;
    if (r->connection != NULL) redisFree(r->connection);
    r->connection = NULL;
    /* They are delivered again after reconnecting. */
    r->n_taken = 0;
}

/* The reply, for freeReplyObject(). NULL: the connection is gone, or Redis
 * refused. */
static redisReply *ask(struct redis *r, int n, const char **words)
{
    redisReply *const reply = redisCommandArgv(r->connection, n, words, NULL);
    if (reply == NULL) {
        hang_up(r, r->connection->errstr);
        return NULL;
    }
    if (reply->type != REDIS_REPLY_ERROR) return reply;
    char why[200];
    snprintf(why, sizeof(why), "%.*s", (int)reply->len, reply->str);
    const bool is_there = strncmp(why, "BUSYGROUP", 9) == 0;
    if (is_there) return reply;
    freeReplyObject(reply);
    hang_up(r, why);
    return NULL;
}

static bool ask_and_forget(struct redis *r, int n, const char **words)
{
    redisReply *const reply = ask(r, n, words);
    if (reply != NULL) freeReplyObject(reply);
    return reply != NULL;
}

/* As in redis-cli: a secret is not part of an address. */
static bool log_in(struct redis *r)
{
    const char *words[] = {"AUTH", getenv("REDISCLI_AUTH")};
    return words[1] == NULL || ask_and_forget(r, 2, words);
}

static bool make_group(struct redis *r)
{
    const char *kept = positions_get(&r->base.following->positions, r->key);
    const char *words[] = {"XGROUP",
                           "CREATE",
                           r->stream,
                           r->base.following->options->group,
                           kept != NULL ? kept : "0",
                           "MKSTREAM"};
    return ask_and_forget(r, 6, words);
}

static bool dial(struct redis *r)
{
    const struct timeval limit = {.tv_sec = SECONDS};
    char why[200];
    r->connection = redisConnectWithTimeout(r->host, r->port, limit);
    if (r->connection == NULL || r->connection->err != 0) {
        snprintf(why, sizeof(why), "cannot connect: %.150s",
                 r->connection != NULL ? r->connection->errstr
                                       : "out of memory");
        hang_up(r, why);
        return false;
    }
    redisSetTimeout(r->connection, limit);
    if (!log_in(r) || !make_group(r)) return false;
    snprintf(r->last, sizeof(r->last), "0");
    r->is_failing = false;
    r->n_failed = 0;
    return true;
}

/* ---- entries ---- */

static og_bytes view_of(const redisReply *reply)
{
    const bool is_text = reply->type == REDIS_REPLY_STRING;
    return (og_bytes){is_text ? reply->str : "",
                      is_text ? (size_t)reply->len : 0};
}

static bool is_named(og_bytes s, const char *name)
{
    return name != NULL && s.len == strlen(name) &&
           memcmp(s.data, name, s.len) == 0;
}

static void take_field(struct redis *r, const char *place, og_bytes name,
                       og_bytes value, og_document *doc)
{
    const og_fields *const fields = r->base.following->options->fields;
    if (is_named(name, fields->id)) doc->id = value;
    if (is_named(name, fields->title)) doc->title = value;
    if (is_named(name, fields->url)) doc->url = value;
    if (is_named(name, fields->text)) doc->text = value;
    if (!is_named(name, fields->time)) return;
    doc->has_time = og_time_parse(value, &doc->time) ||
                    og_time_parse_seconds(value, &doc->time);
    if (doc->has_time) {
        doc->time_source = OG_TIME_RECORD;
        return;
    }
    r->base.following->counts.n_bad_times++;
    follow_problem(r->base.following, place, 0, false,
                   "the time is not valid; added without a time");
}

static og_status take_fields(struct redis *r, const char *place,
                             const redisReply *fields, og_error *err)
{
    struct following *const f = r->base.following;
    og_document doc = {.id = {"", 0}, .text = {"", 0}};
    if (fields->elements == 2) {
        const og_bytes only = view_of(fields->element[1]);
        if (only.len > 0 && only.data[0] == '{')
            return follow_take_json(f, place, 0, only, err);
    }
    for (size_t i = 0; i + 1 < fields->elements; i += 2)
        take_field(r, place, view_of(fields->element[i]),
                   view_of(fields->element[i + 1]), &doc);
    if (doc.text.len > 0) return follow_take(f, &doc, err);
    follow_problem(f, place, 0, true, "the entry has no field '%s'",
                   f->options->fields->text);
    return OG_OK;
}

static og_status note_taken(struct redis *r, const char *id, og_error *err)
{
    if (r->n_taken == r->cap) {
        const size_t cap = r->cap == 0 ? AT_ONCE : 2 * r->cap;
        entry_id *const more = realloc(r->taken, cap * sizeof(*more));
        if (more == NULL)
            return follow_fail(err, OG_ERR_MEMORY, "cannot record an entry");
        r->taken = more;
        r->cap = cap;
    }
    snprintf(r->taken[r->n_taken++], sizeof(entry_id), "%.47s", id);
    return follow_mark(r->base.following, r->key, id, err);
}

static og_status take_entry(struct redis *r, const redisReply *entry,
                            og_error *err)
{
    char place[400], id[48];
    og_status status = OG_OK;
    if (entry->type != REDIS_REPLY_ARRAY || entry->elements != 2) return OG_OK;
    const og_bytes name = view_of(entry->element[0]);
    if (name.len == 0 || name.len >= sizeof(id)) return OG_OK;
    memcpy(id, name.data, name.len);
    id[name.len] = 0;
    snprintf(place, sizeof(place), "%.300s, entry %s", r->base.name, id);
    if (r->last[0] != 0) memcpy(r->last, id, sizeof(id));
    /* An entry that was deleted since has no fields. */
    if (entry->element[1]->type == REDIS_REPLY_ARRAY)
        status = take_fields(r, place, entry->element[1], err);
    return status == OG_OK ? note_taken(r, id, err) : status;
}

/* [[stream, [entry, ...]]], or nothing. */
static og_status take_reply(struct redis *r, const redisReply *reply,
                            size_t *out_n, og_error *err)
{
    og_status status = OG_OK;
    *out_n = 0;
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 1 ||
        reply->element[0]->type != REDIS_REPLY_ARRAY ||
        reply->element[0]->elements != 2 ||
        reply->element[0]->element[1]->type != REDIS_REPLY_ARRAY)
        return OG_OK;
    const redisReply *const entries = reply->element[0]->element[1];
    *out_n = entries->elements;
    for (size_t i = 0; i < entries->elements && status == OG_OK; i++)
        status = take_entry(r, entries->element[i], err);
    return status;
}

static redisReply *read_entries(struct redis *r, unsigned wait_ms)
{
    const struct follow_options *const o = r->base.following->options;
    char count[16], wait[16];
    const char *words[16] = {"XREADGROUP", "GROUP", o->group,
                             o->consumer,  "COUNT", count};
    int n = 6;
    snprintf(count, sizeof(count), "%d", AT_ONCE);
    snprintf(wait, sizeof(wait), "%u", wait_ms);
    if (wait_ms > 0 && r->last[0] == 0) {
        words[n++] = "BLOCK";
        words[n++] = wait;
    }
    words[n++] = "STREAMS";
    words[n++] = r->stream;
    words[n++] = r->last[0] != 0 ? r->last : ">";
    return ask(r, n, words);
}

static og_status poll_redis(struct follow_source *source, unsigned wait_ms,
                            bool *out_any, og_error *err)
{
    enum { ONCE_TRIES = 5 };
    struct redis *const r = (struct redis *)source;
    const bool once = source->following->options->once;
    size_t n = 0;
    if (once && r->n_failed >= ONCE_TRIES)
        return follow_fail(err, OG_ERR_IO, "'%s' does not respond",
                           source->name);
    if (r->connection == NULL && (follow_now_ms() < r->next_try || !dial(r))) {
        *out_any = once; /* it is retried */
        if (once) (void)follow_wait(source->following, 100);
        return OG_OK;
    }
    redisReply *const reply = read_entries(r, wait_ms);
    if (reply == NULL) {
        *out_any = once;
        return OG_OK;
    }
    const bool came_again = r->last[0] != 0;
    const og_status status = take_reply(r, reply, &n, err);
    freeReplyObject(reply);
    if (came_again && n == 0) r->last[0] = 0; /* now the new ones */
    *out_any = n > 0 || came_again;
    return status;
}

static og_status acknowledge_redis(struct follow_source *source, og_error *err)
{
    struct redis *const r = (struct redis *)source;
    (void)err;
    for (size_t at = 0; at < r->n_taken && r->connection != NULL;) {
        const char *words[3 + AT_ONCE] = {"XACK", r->stream,
                                          source->following->options->group};
        int n = 3;
        for (; at < r->n_taken && n < 3 + AT_ONCE; at++)
            words[n++] = r->taken[at];
        /* Entries without an acknowledgement are delivered again, and are then
         * known. */
        (void)ask_and_forget(r, n, words);
    }
    r->n_taken = 0;
    return OG_OK;
}

/* ---- opening ---- */

/* "host:port/stream", "host/stream"; a stream may have slashes. */
static og_status split_name(struct redis *r, const char *place, og_error *err)
{
    const size_t len = strcspn(place, "/");
    const char *const colon = memchr(place, ':', len);
    const size_t host_len = colon != NULL ? (size_t)(colon - place) : len;
    r->port = colon != NULL ? atoi(colon + 1) : PORT;
    if (host_len == 0 || place[len] != '/' || place[len + 1] == 0 ||
        memchr(place, '@', len) != NULL || r->port < 1 || r->port > 65535)
        return follow_fail(err, OG_ERR_USAGE,
                           "'%s' is not redis://HOST:PORT/STREAM",
                           r->base.name);
    r->host = strndup(place, host_len);
    r->stream = strdup(place + len + 1);
    if (asprintf(&r->key, "redis:%s", place) < 0) r->key = NULL;
    if (r->host == NULL || r->stream == NULL || r->key == NULL)
        return follow_fail(err, OG_ERR_MEMORY, "out of memory");
    return OG_OK;
}

static void close_redis(struct follow_source *source)
{
    struct redis *const r = (struct redis *)source;
    if (r->connection != NULL) redisFree(r->connection);
    free(r->host);
    free(r->stream);
    free(r->key);
    free(r->taken);
    free(r);
}

og_status source_redis_open(struct following *f, const char *name,
                            struct follow_source **out, og_error *err)
{
    static const struct follow_source_kind kind = {.poll = poll_redis,
                                                   .acknowledge =
                                                       acknowledge_redis,
                                                   .close = close_redis};
    struct redis *r;
    const og_status status = follow_allocate(sizeof(*r), &r, err);
    if (status != OG_OK) return status;
    r->base = (struct follow_source){&kind, f, name};
    *out = &r->base;
    return split_name(r, name + strlen("redis://"), err);
}
