/* Each function is one round of requests, to all servers at once: what belongs
 * to a batch of documents is asked for together. Threads ask at the same time,
 * each with a caller of its own (catalogue_caller.h). */

#include "lib/remote/catalogue_caller.h"

#include <inttypes.h>

#include "lib/base/c_locale.h"
#include "lib/base/packing.h"

#define NO_NUMBER UINT32_MAX
/* Numbers of blobs are fetched so many at a time. */
#define TEXTS_EACH 64

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
                          unsigned *out_state)
{
    const struct og_resp_item *items = reply->items;
    *out_entry = (og_bytes){"", 0};
    *out_state = 0;
    if (reply->n != 4 || items[0].kind != OG_RESP_LIST) return false;
    for (size_t i = 1; i < 4; i++)
        if (items[i].kind != OG_RESP_BYTES && items[i].kind != OG_RESP_NULL)
            return false;
    if (items[1].kind == OG_RESP_BYTES) *out_entry = items[1].bytes;
    if (items[2].kind == OG_RESP_BYTES) *out_state |= OG_REMOTE_COMMITTED;
    if (items[3].kind == OG_RESP_BYTES) *out_state |= OG_REMOTE_REMOVED;
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
        return og_catalogue_no_answer(reader->catalogue, "HGET", err);
    reader->out->len = 0;
    if (item->kind == OG_RESP_BYTES)
        og_pack_bytes(reader->out, item->bytes.data, item->bytes.len);
    return reader->out->failed ? og_error_memory(err, item->bytes.len, "a conf")
                               : OG_OK;
}

/* Both go to one server, which answers them in this order. */
og_status og_remote_catalogue_field(struct og_remote_catalogue *r,
                                    const char *field, og_bytes offered,
                                    struct og_pack *out, og_error *err)
{
    struct conf_reader reader = {r, out};
    struct og_catalogue_caller *c;
    TRY(og_catalogue_caller_take(r, 2, 2 * OG_CATALOGUE_KEY, &c, err));
    if (offered.len > 0) {
        struct og_redis_request *request =
            og_catalogue_ask_head(r, c, "HSETNX", "");
        og_redis_add_word(request, og_redis_word(field));
        og_redis_add_word(request, offered);
    }
    og_redis_add_word(og_catalogue_ask_head(r, c, "HGET", ""),
                      og_redis_word(field));
    return og_catalogue_ask(r, c, take_conf, &reader, err);
}

og_status og_remote_catalogue_conf(struct og_remote_catalogue *r,
                                   og_bytes offered, struct og_pack *out,
                                   og_error *err)
{
    return og_remote_catalogue_field(r, "conf", offered, out, err);
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
    struct og_catalogue_caller *c;
    TRY(og_catalogue_caller_take(r, 1, OG_CATALOGUE_KEY, &c, err));
    struct og_redis_request *request = og_catalogue_ask_head(r, c, "HMGET", "");
    og_redis_add_word(request, og_redis_word("conf"));
    og_redis_add_word(request, og_redis_word("catalogue"));
    TRY(og_catalogue_ask(r, c, take_owner, &is_taken, err));
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
        return og_catalogue_no_answer(reader->catalogue, "HINCRBY", err);
    reader->end = (uint64_t)item->number;
    return OG_OK;
}

static og_status reserve(struct og_remote_catalogue *r, const char *field,
                         uint32_t n, struct numbers_reader *out, og_error *err)
{
    struct og_catalogue_caller *c;
    *out = (struct numbers_reader){r, n, 0, INT64_MIN};
    TRY(og_catalogue_caller_take(
        r, 2, 2 * OG_CATALOGUE_KEY + OG_CATALOGUE_NUMBER, &c, err));
    struct og_redis_request *request =
        og_catalogue_ask_head(r, c, "HINCRBY", "");
    og_redis_add_word(request, og_redis_word(field));
    og_catalogue_add_number(c, request, n);
    og_redis_add_word(og_catalogue_ask_head(r, c, "ZSCORE", ":{l}"),
                      og_redis_word("t"));
    TRY(og_catalogue_ask(r, c, take_numbers, out, err));
    /* The last number is nobody's. */
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
        return og_catalogue_no_answer(reader->catalogue, "HMGET", err);
    reader->out->n_documents = n;
    return OG_OK;
}

og_status og_remote_catalogue_count(struct og_remote_catalogue *r,
                                    struct og_remote_tally *out, og_error *err)
{
    struct tally_reader reader = {r, out};
    struct og_catalogue_caller *c;
    TRY(og_catalogue_caller_take(r, 1, OG_CATALOGUE_KEY, &c, err));
    struct og_redis_request *request = og_catalogue_ask_head(r, c, "HMGET", "");
    og_redis_add_word(request, og_redis_word("next"));
    og_redis_add_word(request, og_redis_word("count"));
    return og_catalogue_ask(r, c, take_tally, &reader, err);
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
        return og_catalogue_no_answer(reader->catalogue, "SET", err);
    if (id->found == id->number) id->found = NO_NUMBER;
    return OG_OK;
}

og_status og_remote_catalogue_claim(struct og_remote_catalogue *r,
                                    struct og_remote_id *ids, size_t n,
                                    og_error *err)
{
    struct ids_reader reader = {r, ids};
    struct og_catalogue_caller *c;
    size_t n_bytes = n * (OG_CATALOGUE_KEY + OG_CATALOGUE_NUMBER);
    for (size_t i = 0; i < n; i++)
        n_bytes += ids[i].id.len;
    if (n == 0) return OG_OK;
    TRY(og_catalogue_caller_take(r, n, n_bytes, &c, err));
    for (size_t i = 0; i < n; i++) {
        const bool is_claimed = ids[i].number != NO_NUMBER;
        struct og_redis_request *request =
            og_catalogue_ask_id(r, c, is_claimed ? "SET" : "GET", ids[i].id);
        if (!is_claimed) continue;
        og_catalogue_add_number(c, request, ids[i].number);
        og_redis_add_word(request, og_redis_word("NX"));
        og_redis_add_word(request, og_redis_word("GET"));
    }
    return og_catalogue_ask(r, c, take_id, &reader, err);
}

/* ---- documents ---- */

static void put_member(const struct og_remote_catalogue *r,
                       struct og_catalogue_caller *c, char kind,
                       uint32_t number, uint32_t member)
{
    struct og_redis_request *request =
        og_catalogue_ask_number(r, c, "ZADD", kind, number);
    og_catalogue_add_number(c, request, member);
    og_catalogue_add_number(c, request, member);
}

static void put_entry(const struct og_remote_catalogue *r,
                      struct og_catalogue_caller *c,
                      const struct og_remote_entry *e)
{
    struct og_redis_request *request;
    if (e->entry.len > 0) {
        request = og_catalogue_ask_number(r, c, "HSET", 'd', e->number);
        og_redis_add_word(request, og_redis_word("e"));
        og_redis_add_word(request, e->entry);
    }
    for (size_t i = 0; i < e->n_origins; i++)
        put_member(r, c, 'c', e->origins[i], e->number);
    if (e->is_version) put_member(r, c, 'v', e->series, e->number);
    if (e->sets_id)
        og_catalogue_add_number(c, og_catalogue_ask_id(r, c, "SET", e->id),
                                e->number);
}

og_status og_remote_catalogue_put(struct og_remote_catalogue *r,
                                  const struct og_remote_entry *entries,
                                  size_t n, og_error *err)
{
    struct og_catalogue_caller *c;
    size_t n_requests = 0, n_bytes = 0;
    for (size_t i = 0; i < n; i++) {
        n_requests += 3 + entries[i].n_origins;
        n_bytes += entries[i].id.len;
    }
    n_bytes += n_requests * (OG_CATALOGUE_KEY + 2 * OG_CATALOGUE_NUMBER);
    if (n == 0) return OG_OK;
    TRY(og_catalogue_caller_take(r, n_requests, n_bytes, &c, err));
    for (size_t i = 0; i < n; i++)
        put_entry(r, c, &entries[i]);
    return og_catalogue_write(r, c, og_catalogue_take_nothing, NULL, err);
}

/* If it is lost, the document is observed once more and nothing worse: replicas
 * are not awaited. */
og_status og_remote_catalogue_commit(struct og_remote_catalogue *r,
                                     const uint32_t *numbers, size_t n,
                                     int64_t latest, og_error *err)
{
    struct og_catalogue_caller *c;
    if (n == 0) return OG_OK;
    TRY(og_catalogue_caller_take(
        r, n + 2, (n + 2) * (OG_CATALOGUE_KEY + OG_CATALOGUE_NUMBER), &c, err));
    for (size_t i = 0; i < n; i++) {
        struct og_redis_request *request =
            og_catalogue_ask_number(r, c, "HSET", 'd', numbers[i]);
        og_redis_add_word(request, og_redis_word("s"));
        og_redis_add_word(request, og_redis_word("1"));
    }
    struct og_redis_request *count = og_catalogue_ask_head(r, c, "HINCRBY", "");
    og_redis_add_word(count, og_redis_word("count"));
    og_catalogue_add_number(c, count, (int64_t)n);
    if (latest > INT64_MIN) {
        struct og_redis_request *request =
            og_catalogue_ask_head(r, c, "ZADD", ":{l}");
        og_redis_add_word(request, og_redis_word("GT"));
        og_catalogue_add_number(c, request, latest);
        og_redis_add_word(request, og_redis_word("t"));
    }
    return og_catalogue_ask(r, c, og_catalogue_take_nothing, NULL, err);
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
    unsigned state;
    if (!og_remote_read_entry(reply, &entry, &state))
        return og_catalogue_no_answer(reader->catalogue, "HMGET", err);
    return reader->fn(reader->ctx, number, entry, state, err);
}

og_status og_remote_catalogue_get(struct og_remote_catalogue *r,
                                  const uint32_t *numbers, size_t n,
                                  og_remote_entry_fn *fn, void *ctx,
                                  og_error *err)
{
    struct entries_reader reader = {r, fn, ctx};
    struct og_catalogue_caller *c;
    if (n == 0) return OG_OK;
    TRY(og_catalogue_caller_take(r, n, n * OG_CATALOGUE_KEY, &c, err));
    for (size_t i = 0; i < n; i++) {
        struct og_redis_request *request =
            og_catalogue_ask_number(r, c, "HMGET", 'd', numbers[i]);
        og_redis_add_word(request, og_redis_word("e"));
        og_redis_add_word(request, og_redis_word("s"));
        og_redis_add_word(request, og_redis_word("r"));
    }
    return og_catalogue_ask(r, c, take_entry, &reader, err);
}

struct members_reader {
    const struct og_remote_catalogue *catalogue;
    size_t max;
    uint32_t *out;
    size_t n;
};

static og_status take_members(void *ctx, size_t number,
                              const struct og_resp *reply, og_error *err)
{
    struct members_reader *reader = ctx;
    (void)number;
    reader->n = 0;
    if (reply->items[0].kind != OG_RESP_LIST || reply->n - 1 > reader->max)
        return og_catalogue_no_answer(reader->catalogue, "ZRANGE", err);
    for (size_t i = 1; i < reply->n; i++)
        if (!og_remote_read_number(&reply->items[i], &reader->out[reader->n++]))
            return og_catalogue_no_answer(reader->catalogue, "ZRANGE", err);
    return OG_OK;
}

static og_status read_members(struct og_remote_catalogue *r, char kind,
                              uint32_t number, size_t max, uint32_t *out,
                              size_t *out_n, og_error *err)
{
    struct members_reader reader = {r, max, out, 0};
    struct og_catalogue_caller *c;
    *out_n = 0;
    if (max == 0) return OG_OK;
    TRY(og_catalogue_caller_take(
        r, 1, OG_CATALOGUE_KEY + 2 * OG_CATALOGUE_NUMBER, &c, err));
    struct og_redis_request *request =
        og_catalogue_ask_number(r, c, "ZRANGE", kind, number);
    og_catalogue_add_number(c, request, 0);
    og_catalogue_add_number(c, request, (int64_t)max - 1);
    TRY(og_catalogue_ask(r, c, take_members, &reader, err));
    *out_n = reader.n;
    return OG_OK;
}

og_status og_remote_catalogue_copiers(struct og_remote_catalogue *r,
                                      uint32_t origin, size_t max,
                                      uint32_t *out, size_t *out_n,
                                      og_error *err)
{
    return read_members(r, 'c', origin, max, out, out_n, err);
}

og_status og_remote_catalogue_versions(struct og_remote_catalogue *r,
                                       uint32_t series, size_t max,
                                       uint32_t *out, size_t *out_n,
                                       og_error *err)
{
    return read_members(r, 'v', series, max, out, out_n, err);
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
    struct og_catalogue_caller *c;
    TRY(next_text(r, out_number, err));
    TRY(og_catalogue_caller_take(r, 1, OG_CATALOGUE_KEY, &c, err));
    og_redis_add_word(og_catalogue_ask_number(r, c, "SET", 't', *out_number),
                      bytes);
    return og_catalogue_write(r, c, og_catalogue_take_nothing, NULL, err);
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
        return og_catalogue_no_answer(call->catalogue, "GETRANGE", err);
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
    struct og_catalogue_caller *c;
    *out_len = 0;
    if (len == 0) return OG_OK;
    if (off > INT64_MAX - len) off = (uint64_t)INT64_MAX - len; /* after all */
    TRY(og_catalogue_caller_take(
        r, 1, OG_CATALOGUE_KEY + 2 * OG_CATALOGUE_NUMBER, &c, err));
    struct og_redis_request *request =
        og_catalogue_ask_number(r, c, "GETRANGE", 't', number);
    og_catalogue_add_number(c, request, (int64_t)off);
    og_catalogue_add_number(c, request, (int64_t)(off + len - 1));
    TRY(og_catalogue_ask(r, c, take_text, &call, err));
    *out_len = call.len;
    return OG_OK;
}
