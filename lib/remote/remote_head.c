/* The head of a table: the hash that says what the table is like and whose it
 * is. Tables are opened, made and counted here. */

#include <stdio.h>
#include <stdlib.h>

#include "lib/remote/remote_caller.h"

/* A partition moves from server to server in one piece. */
#define PARTITION_LEN ((uint64_t)16 << 20)
/* The mode of a plain table, in its head. */
#define PLAIN "plain"
/* After this many new fingerprints a plain table checks for evictions. */
#define CHECK_EACH 100000

/* ---- the head ---- */

/* What the hash says; a field that is missing leaves its place empty. */
struct head {
    const struct og_remote_table *table;
    char catalogue[40], documents[24], bits[8], memory[24], layout[16],
        evict[16], slots[8], offset[8], near[8], mode[16], fingerprints[24],
        evicted[8], ttl[16];
};

static void take_field(og_bytes name, og_bytes value, const char *wanted,
                       char *out, size_t cap)
{
    if (name.len != strlen(wanted) ||
        memcmp(name.data, wanted, name.len) != 0 || value.len >= cap)
        return;
    memcpy(out, value.data, value.len);
    out[value.len] = 0;
}

static og_status take_head(void *ctx, size_t number,
                           const struct og_resp *reply, og_error *err)
{
    struct head *h = ctx;
    (void)number;
    if (reply->items[0].kind != OG_RESP_LIST)
        return og_remote_no_answer(h->table, "HGETALL", err);
    for (size_t i = 1; i + 1 < reply->n; i += 2) {
        const og_bytes name = reply->items[i].bytes;
        const og_bytes value = reply->items[i + 1].bytes;
#define TAKE(field) take_field(name, value, #field, h->field, sizeof(h->field))
        TAKE(catalogue);
        TAKE(documents);
        TAKE(bits);
        TAKE(memory);
        TAKE(layout);
        TAKE(evict);
        TAKE(slots);
        TAKE(offset);
        TAKE(near);
        TAKE(mode);
        TAKE(fingerprints);
        TAKE(evicted);
        TAKE(ttl);
#undef TAKE
    }
    return OG_OK;
}

static og_status take_nothing(void *ctx, size_t number,
                              const struct og_resp *reply, og_error *err)
{
    (void)ctx, (void)number, (void)reply, (void)err;
    return OG_OK;
}

/* -1: it is not a number. */
static int64_t number_of(const char *text)
{
    char *end;
    if (text[0] < '0' || text[0] > '9') return -1;
    const unsigned long long value = strtoull(text, &end, 10);
    return *end == 0 && value <= INT64_MAX ? (int64_t)value : -1;
}

static og_status read_head(struct og_remote_table *t, struct head *h,
                           og_error *err)
{
    *h = (struct head){.table = t};
    return og_remote_ask_head(t, "HGETALL", NULL, 0, take_head, h, err);
}

static void name_catalogue(const uint8_t uuid[16], char out[40])
{
    for (size_t i = 0; i < 16; i++)
        snprintf(out + 2 * i, 3, "%02x", uuid[i]);
}

static og_status is_damaged(const struct og_remote_table *t, og_error *err)
{
    return og_error_set(err, OG_ERR_STORE,
                        "table '%s' is damaged: what is under key '%s'",
                        t->address.table, t->head_key);
}

static og_status read_options(struct og_remote_table *t, const struct head *h,
                              og_error *err)
{
    og_partition_options *o = &t->options;
    const int64_t bits = number_of(h->bits), memory = number_of(h->memory);
    const int64_t slots = number_of(h->slots);
    const int64_t offset = number_of(h->offset), near = number_of(h->near);
    const int64_t documents = number_of(h->documents);
    if (bits < 0 || bits > OG_PARTITION_BITS_MAX || memory <= 0 ||
        memory > (int64_t)OG_PARTITION_MEMORY_MAX || slots < 4 || slots > 256 ||
        offset < 0 || offset > 2 || near < 0 || near > 2 || documents < 0 ||
        documents > UINT32_MAX ||
        (h->mode[0] != 0 && strcmp(h->mode, PLAIN) != 0) ||
        (h->ttl[0] != 0 && number_of(h->ttl) <= 0) ||
        !og_layout_parse(og_redis_word(h->layout), &o->layout) ||
        !og_evict_parse(og_redis_word(h->evict), &o->evict))
        return is_damaged(t, err);
    o->n_bits = (uint8_t)bits;
    o->memory = (uint64_t)memory;
    o->bucket_slots = (uint32_t)slots;
    o->offset_len = (uint8_t)offset;
    o->near_len = (uint8_t)near;
    t->n_documents = (uint32_t)documents;
    t->is_plain = h->mode[0] != 0;
    memcpy(t->plain.ttl, h->ttl, sizeof(t->plain.ttl));
    t->is_eviction_noted = h->evicted[0] != 0;
    atomic_store(&t->has_evicted, t->is_eviction_noted);
    return OG_OK;
}

/* ---- making ---- */

static void choose_options(struct og_remote_table *t,
                           const struct og_table_options *table)
{
    og_partition_options *o = &t->options;
    *o = (og_partition_options){.memory = table->memory,
                                .layout = table->layout,
                                .evict = table->evict,
                                .bucket_slots = table->bucket_slots,
                                .offset_len = table->fields.offset_len,
                                .near_len = table->fields.near_len};
    while (o->memory > PARTITION_LEN && o->n_bits < OG_PARTITION_BITS_MAX) {
        o->memory /= 2;
        o->n_bits++;
    }
}

/* Callers have room for each partition, so there must be others now. */
static og_status set_partitions(struct og_remote_table *t, og_error *err)
{
    const og_bytes name = og_redis_word(t->address.table);
    og_remote_callers_free(t);
    t->n_partitions = (size_t)1 << t->options.n_bits;
    t->keys = og_allocate(t->allocator, t->n_partitions * sizeof(*t->keys));
    if (t->keys == NULL)
        return og_error_memory(err, t->n_partitions * sizeof(*t->keys), "keys");
    for (uint32_t p = 0; p < t->n_partitions; p++)
        TRY(og_partition_key(name, p, t->options.n_bits, t->keys[p], err));
    struct og_table_options whole = og_partition_table_options(&t->options);
    og_table_shape(&t->shape, &whole);
    t->shape.n_full <<= t->options.n_bits;
    t->shape.options.partition_bits = 0;
    t->plain.allocator = t->allocator;
    t->plain.shape = &t->shape;
    t->plain.name = t->address.table;
    return OG_OK;
}

struct numbers {
    char memory[24], slots[8], offset[8], near[8], bits[8];
};

static void print_numbers(const og_partition_options *o, struct numbers *out)
{
    snprintf(out->memory, sizeof(out->memory), "%llu",
             (unsigned long long)o->memory);
    snprintf(out->slots, sizeof(out->slots), "%u", o->bucket_slots);
    snprintf(out->offset, sizeof(out->offset), "%u", o->offset_len);
    snprintf(out->near, sizeof(out->near), "%u", o->near_len);
    snprintf(out->bits, sizeof(out->bits), "%u", o->n_bits);
}

static og_status reserve_partitions(struct og_remote_table *t, og_error *err)
{
    const og_partition_options *o = &t->options;
    struct numbers n;
    struct og_remote_caller *c;
    TRY(og_remote_caller_take(t, &c, err));
    print_numbers(o, &n);
    for (uint32_t p = 0; p < t->n_partitions; p++) {
        const char *const words[] = {n.memory,
                                     "LAYOUT",
                                     og_layout_name(o->layout),
                                     "EVICT",
                                     og_evict_name(o->evict),
                                     "SLOTS",
                                     n.slots,
                                     "OFFSET",
                                     n.offset,
                                     "NEAR",
                                     n.near,
                                     "BITS",
                                     n.bits};
        struct og_redis_request *request =
            og_remote_ask_partition(t, c, p, "ORIGO.RESERVE", p);
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
            og_redis_add_word(request, og_redis_word(words[i]));
    }
    const og_status status = og_redis_client_run(
        c->client, c->requests, t->n_partitions, take_nothing, NULL, err);
    og_remote_caller_give(t, c);
    return status;
}

/* All fields at once: with the number of documents the table exists. */
static og_status write_head(struct og_remote_table *t, uint32_t n_documents,
                            og_error *err)
{
    const og_partition_options *o = &t->options;
    struct numbers n;
    char documents[16];
    print_numbers(o, &n);
    snprintf(documents, sizeof(documents), "%u", n_documents);
    const og_bytes words[] = {
        og_redis_word("catalogue"), og_redis_word(t->catalogue),
        og_redis_word("bits"),      og_redis_word(n.bits),
        og_redis_word("memory"),    og_redis_word(n.memory),
        og_redis_word("layout"),    og_redis_word(og_layout_name(o->layout)),
        og_redis_word("evict"),     og_redis_word(og_evict_name(o->evict)),
        og_redis_word("slots"),     og_redis_word(n.slots),
        og_redis_word("offset"),    og_redis_word(n.offset),
        og_redis_word("near"),      og_redis_word(n.near),
        og_redis_word("documents"), og_redis_word(documents),
        og_redis_word("mode"),      og_redis_word(PLAIN),
        og_redis_word("ttl"),       og_redis_word(t->plain.ttl)};
    const size_t n_words =
        sizeof(words) / sizeof(words[0]) - (t->is_plain ? 0 : 4);
    return og_remote_ask_head(t, "HSET", words, n_words, take_nothing, NULL,
                              err);
}

/* Two catalogues may want it at once: one of them has it. */
static og_status claim(struct og_remote_table *t, og_error *err)
{
    const og_bytes words[] = {og_redis_word("catalogue"),
                              og_redis_word(t->catalogue)};
    return og_remote_ask_head(t, "HSETNX", words, 2, take_nothing, NULL, err);
}

/* Removes what exists of a table that could not be created completely: nobody
 * has used it, and a smaller one may be requested next. */
static void unmake_table(struct og_remote_table *t)
{
    struct og_remote_caller *c;
    if (og_remote_caller_take(t, &c, NULL) != OG_OK) return;
    for (uint32_t p = 0; p < t->n_partitions; p++)
        (void)og_remote_ask_partition(t, c, p, "UNLINK", p);
    (void)og_redis_client_run(c->client, c->requests, t->n_partitions,
                              take_nothing, NULL, NULL);
    og_remote_caller_give(t, c);
    (void)og_remote_ask_head(t, "UNLINK", NULL, 0, take_nothing, NULL, NULL);
}

static og_status make_table(struct og_remote_table *t,
                            const struct og_table_options *table, og_error *err)
{
    choose_options(t, table);
    t->is_plain = t->address.mode == OG_TABLE_PLAIN;
    if (t->is_plain && t->address.ttl > 0)
        snprintf(t->plain.ttl, sizeof(t->plain.ttl), "%u", t->address.ttl);
    TRY(set_partitions(t, err));
    if (t->is_plain) return write_head(t, 0, err);
    const og_status status = reserve_partitions(t, err);
    if (status == OG_OK) return write_head(t, 0, err);
    if (status == OG_ERR_MEMORY) unmake_table(t);
    return status;
}

/* ---- counting ---- */

struct counting {
    const struct og_remote_table *table;
    struct og_remote_counts *out;
    size_t n; /* partitions that have answered */
};

static void add_count(og_bytes name, const struct og_resp_item *value,
                      const char *wanted, uint64_t *out)
{
    if (name.len == strlen(wanted) &&
        memcmp(name.data, wanted, name.len) == 0 &&
        value->kind == OG_RESP_NUMBER && value->number > 0)
        *out += (uint64_t)value->number;
}

static void count_fill(struct counting *c,
                       const struct og_remote_counts *before)
{
    struct og_remote_counts *out = c->out;
    const uint64_t n_slots = out->n_slots - before->n_slots;
    const uint64_t n_used = out->n_used - before->n_used;
    const double fill = n_slots > 0 ? (double)n_used / (double)n_slots : 0;
    if (c->n == 0 || fill < out->least_full) out->least_full = fill;
    if (c->n == 0 || fill > out->most_full) out->most_full = fill;
    c->n++;
}

/* Each request was answered by the server that has its partition. */
static uint64_t count_servers(const struct og_redis_request *requests, size_t n)
{
    uint64_t n_servers = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < i && requests[k].node != requests[i].node)
            k++;
        n_servers += k == i;
    }
    return n_servers;
}

static og_status take_info(void *ctx, size_t number,
                           const struct og_resp *reply, og_error *err)
{
    struct counting *c = ctx;
    const struct og_remote_counts before = *c->out;
    (void)number;
    if (reply->items[0].kind != OG_RESP_LIST)
        return og_remote_no_answer(c->table, "ORIGO.INFO", err);
    for (size_t i = 1; i + 1 < reply->n; i += 2) {
        const og_bytes name = reply->items[i].bytes;
        const struct og_resp_item *value = &reply->items[i + 1];
        add_count(name, value, "slots", &c->out->n_slots);
        add_count(name, value, "used", &c->out->n_used);
        add_count(name, value, "evicted", &c->out->n_evicted);
        add_count(name, value, "bytes", &c->out->n_bytes);
    }
    count_fill(c, &before);
    return OG_OK;
}

static og_status ask_evictions(struct og_remote_table *t, uint64_t *out,
                               og_error *err)
{
    struct og_remote_caller *c;
    TRY(og_remote_caller_take(t, &c, err));
    const og_status status = og_plain_evictions(&t->plain, c->client, out, err);
    og_remote_caller_give(t, c);
    t->n_unchecked = 0;
    if (status == OG_OK && *out > 0) atomic_store(&t->has_evicted, true);
    return status;
}

/* A server has no number of the keys of one table, so those that were set are
 * counted beside it; room is what a table in partitions would have. */
static og_status count_keys(struct og_remote_table *t,
                            struct og_remote_counts *out, og_error *err)
{
    struct head h;
    TRY(read_head(t, &h, err));
    const int64_t n = number_of(h.fingerprints);
    out->n_used = (n > 0 ? (uint64_t)n : 0) + t->n_unnoted;
    out->n_slots = t->shape.n_full * t->options.bucket_slots;
    if (out->n_slots < out->n_used) out->n_slots = out->n_used;
    return ask_evictions(t, &out->n_evicted, err);
}

og_status og_remote_table_count(struct og_remote_table *t,
                                struct og_remote_counts *out, og_error *err)
{
    struct counting counting = {.table = t, .out = out};
    struct og_remote_caller *c;
    *out = (struct og_remote_counts){0};
    if (t->is_plain) return count_keys(t, out, err);
    TRY(og_remote_caller_take(t, &c, err));
    for (uint32_t p = 0; p < t->n_partitions; p++)
        (void)og_remote_ask_partition(t, c, p, "ORIGO.INFO", p);
    const og_status status = og_redis_client_run(
        c->client, c->requests, t->n_partitions, take_info, &counting, err);
    out->n_partitions = t->n_partitions;
    out->n_servers = count_servers(c->requests, t->n_partitions);
    og_remote_caller_give(t, c);
    return status;
}

og_status og_remote_note_keys(struct og_remote_table *t, og_error *err)
{
    const og_bytes evicted[] = {og_redis_word("evicted"), og_redis_word("1")};
    char number[24];
    uint64_t n_evicted;
    snprintf(number, sizeof(number), "%llu", (unsigned long long)t->n_unnoted);
    const og_bytes words[] = {og_redis_word("fingerprints"),
                              og_redis_word(number)};
    if (t->n_unnoted > 0)
        TRY(og_remote_ask_head(t, "HINCRBY", words, 2, take_nothing, NULL,
                               err));
    t->n_unnoted = 0;
    if (t->n_unchecked >= CHECK_EACH) TRY(ask_evictions(t, &n_evicted, err));
    if (t->is_eviction_noted || !atomic_load(&t->has_evicted)) return OG_OK;
    TRY(og_remote_ask_head(t, "HSET", evicted, 2, take_nothing, NULL, err));
    t->is_eviction_noted = true;
    return OG_OK;
}

/* The head of a plain table is written whole each time: where the server may
 * evict all keys, it may have evicted that one, too. */
og_status og_remote_table_note(struct og_remote_table *t, uint32_t n,
                               og_error *err)
{
    char number[16];
    snprintf(number, sizeof(number), "%u", n);
    const og_bytes words[] = {og_redis_word("documents"),
                              og_redis_word(number)};
    if (t->is_plain)
        TRY(write_head(t, n, err));
    else
        TRY(og_remote_ask_head(t, "HSET", words, 2, take_nothing, NULL, err));
    t->n_documents = n;
    return t->is_plain ? og_remote_note_keys(t, err) : OG_OK;
}

/* ---- opening ---- */

static og_status is_anothers(const struct og_remote_table *t, og_error *err)
{
    return og_error_set(
        err, OG_ERR_USAGE, "table '%s' on %s:%u belongs to another catalogue",
        t->address.table, t->address.hosts[0].name, t->address.hosts[0].port);
}

static og_status check_mode(const struct og_remote_table *t, og_error *err)
{
    const enum og_table_mode wanted = t->address.mode;
    if (wanted == OG_TABLE_AS_FOUND ||
        t->is_plain == (wanted == OG_TABLE_PLAIN))
        return OG_OK;
    return og_error_set(err, OG_ERR_USAGE,
                        "table '%s' is kept in %s, not in %s", t->address.table,
                        t->is_plain ? "plain keys" : "partitions of the module",
                        t->is_plain ? "partitions of the module"
                                    : "plain keys");
}

/* Options that make another table of the same fingerprints. */
static og_status check_like(const struct og_remote_table *t,
                            const struct og_table_options *table, og_error *err)
{
    const og_partition_options *o = &t->options;
    if (o->layout == table->layout && o->evict == table->evict &&
        o->bucket_slots == table->bucket_slots &&
        o->offset_len == table->fields.offset_len &&
        o->near_len == table->fields.near_len)
        return OG_OK;
    return og_error_set(err, OG_ERR_USAGE,
                        "table '%s' keeps fingerprints in another way than its "
                        "catalogue says",
                        t->address.table);
}

/* A partition that is missing is missed now, and not in the middle. */
static og_status take_table(struct og_remote_table *t, const struct head *h,
                            const struct og_table_options *table, og_error *err)
{
    struct og_remote_counts counts;
    TRY(read_options(t, h, err));
    TRY(check_mode(t, err));
    TRY(check_like(t, table, err));
    TRY(set_partitions(t, err));
    return og_remote_table_count(t, &counts, err);
}

static og_status find_or_make(struct og_remote_table *t,
                              const struct og_remote_options *options,
                              og_error *err)
{
    struct head h;
    name_catalogue(options->catalogue, t->catalogue);
    TRY(read_head(t, &h, err));
    if (h.catalogue[0] == 0 && options->is_made) {
        TRY(claim(t, err));
        TRY(read_head(t, &h, err));
    }
    const bool is_whole = h.documents[0] != 0;
    if (h.catalogue[0] == 0 || (!is_whole && !options->is_made))
        return og_error_set(err, OG_ERR_NO_STORE,
                            "there is no table '%s' on %s:%u", t->address.table,
                            t->address.hosts[0].name, t->address.hosts[0].port);
    if (strcmp(h.catalogue, t->catalogue) != 0) return is_anothers(t, err);
    return is_whole ? take_table(t, &h, &options->table, err)
                    : make_table(t, &options->table, err);
}

static og_status name_head(struct og_remote_table *t, og_error *err)
{
    TRY(og_partition_key(og_redis_word(t->address.table), 0, 0, t->head_key,
                         err));
    t->head_key[strlen(t->head_key) - 2] = 0; /* ":0" */
    return OG_OK;
}

og_status og_remote_table_open(const struct og_remote_options *options,
                               const og_allocator *allocator,
                               struct og_remote_table **out, og_error *err)
{
    struct og_remote_table *t = og_allocate_zero(allocator, sizeof(*t));
    *out = NULL;
    if (t == NULL) return og_error_memory(err, sizeof(*t), "a table");
    t->allocator = allocator;
    pthread_mutex_init(&t->lock, NULL);
    og_status status =
        og_table_address_parse(options->address, &t->address, err);
    if (status == OG_OK) status = name_head(t, err);
    if (status == OG_OK) status = find_or_make(t, options, err);
    if (status != OG_OK) {
        og_remote_table_close(t);
        return status;
    }
    *out = t;
    return OG_OK;
}

void og_remote_table_close(struct og_remote_table *t)
{
    if (t == NULL) return;
    og_remote_callers_free(t);
    og_release(t->allocator, t->keys, t->n_partitions * sizeof(*t->keys));
    pthread_mutex_destroy(&t->lock);
    memset(&t->address, 0, sizeof(t->address)); /* it has a password */
    og_release(t->allocator, t, sizeof(*t));
}

uint32_t og_remote_table_documents(const struct og_remote_table *t)
{
    return t->n_documents;
}

uint64_t og_remote_table_memory(const struct og_remote_table *t)
{
    return t->options.memory << t->options.n_bits;
}

const char *og_remote_table_name(const struct og_remote_table *t)
{
    return t->address.table;
}

const struct og_table *og_remote_table_shape(const struct og_remote_table *t)
{
    return &t->shape;
}
