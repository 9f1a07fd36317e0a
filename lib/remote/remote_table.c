/* A question is dealt out to the partitions, each of which is asked once, for
 * all documents of a batch; a batch of additions likewise, document after
 * document. The bytes are those of <origo/partition.h>.
 *
 * Threads ask at the same time: each takes one of the callers, which has
 * connections and buffers of its own, and puts it back. */

#include "lib/remote/remote_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/packing.h"
#include "lib/partition/partition.h"
#include "lib/remote/plain_table.h"
#include "lib/remote/redis_client.h"

#define HIT_LEN 8
#define FP_LEN  8
/* A partition moves from server to server in one piece. */
#define PARTITION_LEN ((uint64_t)16 << 20)
/* The mode of a plain table, in its head. */
#define PLAIN "plain"
/* After so many new fingerprints a plain table asks for evictions. */
#define CHECK_EACH 100000

/* What one thread asks with. */
struct caller {
    struct caller *next;
    struct og_redis_client *client;
    struct og_redis_request *requests; /* one for each partition */
    uint32_t *asked;                   /* the partition of each request */
    struct og_pack *batches;           /* of each partition */
    struct og_pack *members;           /* likewise: who is in the batch */
    size_t *starts, *ends;             /* likewise: places in `in` */
    struct og_pack in, out;            /* fingerprints, hits */
    uint64_t *order;
    size_t order_cap;
    struct og_plain_room *plain; /* of a plain table, when it was needed */
};

struct og_remote_table {
    const og_allocator *allocator;
    struct og_table_address address;
    og_partition_options options;
    struct og_table shape;
    uint32_t n_documents;
    size_t n_partitions;
    char (*keys)[OG_PARTITION_KEY_LEN]; /* of the partitions */
    char head_key[OG_PARTITION_KEY_LEN];
    pthread_mutex_t lock;
    struct caller *idle;
    char catalogue[40]; /* whose it is */
    bool is_plain;
    struct og_plain_table plain;
    atomic_bool has_evicted; /* the servers of a plain table */
    bool is_eviction_noted;  /* and its head says so */
    uint64_t n_unnoted;   /* fingerprints that were set since the last note */
    uint64_t n_unchecked; /* since evictions were asked for */
};

/* ---- callers ---- */

static void free_caller(struct og_remote_table *t, struct caller *c)
{
    const og_allocator *a = t->allocator;
    const size_t n = t->n_partitions;
    og_redis_client_free(c->client);
    og_plain_room_free(c->plain);
    for (size_t i = 0; i < n && c->batches != NULL; i++)
        og_pack_release(&c->batches[i]);
    for (size_t i = 0; i < n && c->members != NULL; i++)
        og_pack_release(&c->members[i]);
    og_release(a, c->requests, n * sizeof(*c->requests));
    og_release(a, c->asked, n * sizeof(*c->asked));
    og_release(a, c->batches, n * sizeof(*c->batches));
    og_release(a, c->members, n * sizeof(*c->members));
    og_release(a, c->starts, n * sizeof(*c->starts));
    og_release(a, c->ends, n * sizeof(*c->ends));
    og_pack_release(&c->in);
    og_pack_release(&c->out);
    OG_UNGROW(a, c->order, c->order_cap);
    og_release(a, c, sizeof(*c));
}

static og_status new_caller(struct og_remote_table *t, struct caller **out,
                            og_error *err)
{
    const og_allocator *a = t->allocator;
    const size_t n = t->n_partitions;
    struct caller *c = og_allocate_zero(a, sizeof(*c));
    if (c == NULL) return og_error_memory(err, sizeof(*c), "a client");
    c->in.allocator = c->out.allocator = a;
    c->requests = og_allocate_zero(a, n * sizeof(*c->requests));
    c->asked = og_allocate_zero(a, n * sizeof(*c->asked));
    c->batches = og_allocate_zero(a, n * sizeof(*c->batches));
    c->members = og_allocate_zero(a, n * sizeof(*c->members));
    c->starts = og_allocate_zero(a, n * sizeof(*c->starts));
    c->ends = og_allocate_zero(a, n * sizeof(*c->ends));
    og_status status = OG_OK;
    if (c->requests == NULL || c->asked == NULL || c->batches == NULL ||
        c->members == NULL || c->starts == NULL || c->ends == NULL)
        status = og_error_memory(err, n * sizeof(*c->requests), "a client");
    for (size_t i = 0; i < n && status == OG_OK; i++)
        c->batches[i].allocator = c->members[i].allocator = a;
    if (status == OG_OK)
        status = og_redis_client_new(&t->address, a, &c->client, err);
    if (status != OG_OK) {
        free_caller(t, c);
        return status;
    }
    *out = c;
    return OG_OK;
}

static og_status take_caller(struct og_remote_table *t, struct caller **out,
                             og_error *err)
{
    pthread_mutex_lock(&t->lock);
    *out = t->idle;
    if (t->idle != NULL) t->idle = t->idle->next;
    pthread_mutex_unlock(&t->lock);
    return *out != NULL ? OG_OK : new_caller(t, out, err);
}

static void give_caller(struct og_remote_table *t, struct caller *c)
{
    pthread_mutex_lock(&t->lock);
    c->next = t->idle;
    t->idle = c;
    pthread_mutex_unlock(&t->lock);
}

/* ---- requests ---- */

static og_bytes view(const char *text)
{
    return (og_bytes){text, strlen(text)};
}

static og_bytes packed(const struct og_pack *pack)
{
    return (og_bytes){pack->data != NULL ? (const char *)pack->data : "",
                      pack->len};
}

static void add_word(struct og_redis_request *request, og_bytes word)
{
    request->words[request->n_words++] = word;
}

static void begin_request(struct og_redis_request *request, unsigned slot,
                          const char *command, const char *key)
{
    request->slot = slot;
    request->n_words = 0;
    add_word(request, view(command));
    add_word(request, view(key));
}

/* About a partition: request `number` of the caller. */
static struct og_redis_request *ask_partition(const struct og_remote_table *t,
                                              struct caller *c, size_t number,
                                              const char *command, uint32_t p)
{
    struct og_redis_request *request = &c->requests[number];
    c->asked[number] = p;
    begin_request(request, og_partition_slot(p, t->options.n_bits), command,
                  t->keys[p]);
    return request;
}

static og_status no_answer(const struct og_remote_table *t, const char *command,
                           og_error *err)
{
    return og_error_set(err, OG_ERR_IO,
                        "table '%s': the answer to %s makes no sense",
                        t->address.table, command);
}

/* One request about the whole table. Its key is that of a table in one part,
 * without the number: so it is known before anything is known of the table. */
static og_status ask_head(struct og_remote_table *t, const char *command,
                          const og_bytes *words, size_t n_words,
                          og_redis_reply_fn *on_reply, void *ctx, og_error *err)
{
    struct caller *c;
    TRY(take_caller(t, &c, err));
    struct og_redis_request request;
    begin_request(&request, og_partition_slot(0, 0), command, t->head_key);
    for (size_t i = 0; i < n_words; i++)
        add_word(&request, words[i]);
    const og_status status =
        og_redis_client_run(c->client, &request, 1, on_reply, ctx, err);
    give_caller(t, c);
    return status;
}

/* ---- looking up ---- */

static uint32_t partition_of(const struct og_remote_table *t, uint64_t fp)
{
    return og_partition_of(fp, t->options.n_bits);
}

static og_status deal_out_questions(const struct og_remote_table *t,
                                    struct caller *c,
                                    const struct og_remote_question *questions,
                                    size_t n, size_t *out_n, og_error *err)
{
    size_t total = 0;
    memset(c->ends, 0, t->n_partitions * sizeof(*c->ends));
    for (size_t q = 0; q < n; q++)
        for (size_t i = 0; i < questions[q].n; i++)
            c->ends[partition_of(t, questions[q].fps[i])]++;
    for (size_t p = 0; p < t->n_partitions; p++) {
        const size_t some = c->ends[p];
        c->starts[p] = c->ends[p] = total;
        total += some;
    }
    if (!OG_GROW(t->allocator, c->in.data, c->in.cap, total * FP_LEN + 1) ||
        !OG_GROW(t->allocator, c->out.data, c->out.cap, total * HIT_LEN + 1))
        return og_error_memory(err, total * FP_LEN, "a question");
    for (size_t q = 0; q < n; q++)
        for (size_t i = 0; i < questions[q].n; i++) {
            const uint64_t fp = questions[q].fps[i];
            og_store64(c->in.data + c->ends[partition_of(t, fp)]++ * FP_LEN,
                       fp);
        }
    *out_n = total;
    return OG_OK;
}

struct looking_up {
    const struct og_remote_table *table;
    struct caller *caller;
};

static og_status take_hits(void *ctx, size_t number,
                           const struct og_resp *reply, og_error *err)
{
    const struct looking_up *l = ctx;
    const struct caller *c = l->caller;
    const struct og_resp_item *item = &reply->items[0];
    const uint32_t p = c->asked[number];
    const size_t len = (c->ends[p] - c->starts[p]) * HIT_LEN;
    if (item->kind != OG_RESP_BYTES || item->bytes.len != len)
        return no_answer(l->table, "ORIGO.LOOKUP", err);
    memcpy(c->out.data + c->starts[p] * HIT_LEN, item->bytes.data, len);
    return OG_OK;
}

static og_status ask_partitions(const struct og_remote_table *t,
                                struct caller *c, og_error *err)
{
    struct looking_up l = {t, c};
    size_t n = 0;
    for (uint32_t p = 0; p < t->n_partitions; p++) {
        const size_t begin = c->starts[p], end = c->ends[p];
        if (begin == end) continue;
        add_word(ask_partition(t, c, n++, "ORIGO.LOOKUP", p),
                 (og_bytes){(const char *)c->in.data + begin * FP_LEN,
                            (end - begin) * FP_LEN});
    }
    return og_redis_client_run(c->client, c->requests, n, take_hits, &l, err);
}

static struct og_hit read_hit(const uint8_t *from, uint32_t n_documents,
                              uint8_t *out_lost)
{
    struct og_hit hit = {.doc = og_load32(from),
                         .offset = (uint16_t)(from[4] | from[5] << 8),
                         .near = (uint16_t)(from[6] | from[7] << 8)};
    *out_lost = hit.doc == OG_NO_DOC && hit.offset != 0;
    if (hit.doc >= n_documents) hit = (struct og_hit){.doc = OG_NO_DOC};
    return hit;
}

/* In the order in which they were dealt out. */
static void collect_hits(const struct og_remote_table *t, struct caller *c,
                         const struct og_remote_question *questions, size_t n,
                         uint32_t n_documents)
{
    for (size_t q = 0; q < n; q++)
        for (size_t i = 0; i < questions[q].n; i++) {
            const uint32_t p = partition_of(t, questions[q].fps[i]);
            uint8_t lost;
            questions[q].hits[i] = read_hit(
                c->out.data + c->starts[p]++ * HIT_LEN, n_documents, &lost);
            if (questions[q].lost != NULL) questions[q].lost[i] = lost;
        }
}

static og_status find_in_partitions(struct og_remote_table *t, struct caller *c,
                                    const struct og_remote_question *questions,
                                    size_t n, uint32_t n_documents,
                                    og_error *err)
{
    size_t total = 0;
    TRY(deal_out_questions(t, c, questions, n, &total, err));
    if (total == 0) return OG_OK;
    TRY(ask_partitions(t, c, err));
    collect_hits(t, c, questions, n, n_documents);
    return OG_OK;
}

static og_status find_in_keys(struct og_remote_table *t, struct caller *c,
                              const struct og_remote_question *questions,
                              size_t n, uint32_t n_documents, og_error *err)
{
    if (c->plain == NULL) TRY(og_plain_room_new(&t->plain, &c->plain, err));
    return og_plain_find(&t->plain, c->plain, c->client, questions, n,
                         n_documents, atomic_load(&t->has_evicted), err);
}

og_status og_remote_table_find(struct og_remote_table *t,
                               const struct og_remote_question *questions,
                               size_t n, uint32_t n_documents, og_error *err)
{
    struct caller *c;
    TRY(take_caller(t, &c, err));
    const og_status status =
        t->is_plain ? find_in_keys(t, c, questions, n, n_documents, err)
                    : find_in_partitions(t, c, questions, n, n_documents, err);
    give_caller(t, c);
    return status;
}

/* ---- observing ---- */

static int compare_words(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool has_any(const uint8_t *bytes, size_t n, uint8_t usual)
{
    for (size_t i = 0; bytes != NULL && i < n; i++)
        if (bytes[i] != usual) return true;
    return false;
}

static bool has_origin(const struct og_additions *add)
{
    for (size_t i = 0; add->origin != NULL && i < add->n; i++)
        if (add->origin[i] != OG_NO_DOC) return true;
    return false;
}

static uint32_t flags_of(const struct og_remote_document *d)
{
    const struct og_additions *add = d->additions;
    if (d->is_seen) return OG_BATCH_SEEN | OG_BATCH_WEIGHTS;
    return (d->before != NULL ? OG_BATCH_LISTED : 0u) |
           (has_origin(add) ? OG_BATCH_ORIGINS : 0u) |
           (has_any(add->weight, add->n, 1) ? OG_BATCH_WEIGHTS : 0u) |
           (has_any(add->spare, add->n, 0) ? OG_BATCH_SPARE : 0u);
}

static uint16_t short_of(const uint16_t *numbers, size_t i)
{
    return numbers != NULL ? numbers[i] : 0;
}

/* Those fingerprints of a document that one partition has: n numbers in the
 * lower halves of `order`. */
static void pack_document(const struct og_remote_table *t,
                          const struct og_remote_document *d, uint32_t flags,
                          const uint64_t *order, size_t n, struct og_pack *out)
{
    const struct og_additions *add = d->additions;
#define EACH(expr, len)                                                        \
    for (size_t j = 0; j < n; j++) {                                           \
        const uint32_t i = (uint32_t)order[j];                                 \
        og_pack_fixed(out, (expr), (len));                                     \
    }
    og_pack_fixed(out, add->doc, 4);
    og_pack_fixed(out, n, 4);
    og_pack_fixed(out, flags, 4);
    og_pack_fixed(out, d->n_reversed, 4);
    EACH(add->fp[i], 8)
    if ((flags & OG_BATCH_ORIGINS) != 0) EACH(add->origin[i], 4)
    for (size_t j = 0; j < d->n_reversed; j++)
        og_pack_fixed(out, d->reversed[j], 4);
    if (t->options.offset_len > 0) EACH(short_of(add->offset, i), 2)
    if (t->options.near_len > 0) EACH(short_of(add->near, i), 2)
    if ((flags & OG_BATCH_WEIGHTS) != 0)
        EACH(add->weight != NULL ? add->weight[i] : 1u, 1)
    if ((flags & OG_BATCH_SPARE) != 0) EACH(add->spare[i], 1)
#undef EACH
}

/* Whom an item of the answer is for: a count for each document, or a hit for
 * each fingerprint. */
static void note_members(struct og_pack *members,
                         const struct og_remote_document *d, uint32_t number,
                         const uint64_t *order, size_t n)
{
    if (d->before == NULL) {
        og_pack_fixed(members, number, 4);
        return;
    }
    for (size_t j = 0; j < n; j++) {
        og_pack_fixed(members, number, 4);
        og_pack_fixed(members, (uint32_t)order[j], 4);
    }
}

static og_status deal_out_document(const struct og_remote_table *t,
                                   struct caller *c,
                                   const struct og_remote_document *d,
                                   uint32_t number, og_error *err)
{
    const struct og_additions *add = d->additions;
    const uint32_t flags = flags_of(d);
    size_t end;
    if (!OG_GROW(t->allocator, c->order, c->order_cap, add->n))
        return og_error_memory(err, add->n * sizeof(*c->order), "a batch");
    for (size_t i = 0; i < add->n; i++)
        c->order[i] = (uint64_t)partition_of(t, add->fp[i]) << 32 | i;
    if (add->n > 1) qsort(c->order, add->n, sizeof(*c->order), compare_words);
    for (size_t begin = 0; begin < add->n; begin = end) {
        const uint64_t p = c->order[begin] >> 32;
        for (end = begin; end < add->n && c->order[end] >> 32 == p;)
            end++;
        pack_document(t, d, flags, c->order + begin, end - begin,
                      &c->batches[p]);
        note_members(&c->members[p], d, number, c->order + begin, end - begin);
        if (c->batches[p].failed || c->members[p].failed)
            return og_error_memory(err, c->batches[p].len, "a batch");
    }
    return OG_OK;
}

struct observing {
    const struct og_remote_table *table;
    const struct caller *caller;
    struct og_remote_document *documents;
};

static og_status take_counts(void *ctx, size_t number,
                             const struct og_resp *reply, og_error *err)
{
    const struct observing *o = ctx;
    const struct og_resp_item *item = &reply->items[0];
    const struct og_pack *members =
        &o->caller->members[o->caller->asked[number]];
    if (item->kind != OG_RESP_BYTES || item->bytes.len != members->len)
        return no_answer(o->table, "ORIGO.OBSERVE", err);
    for (size_t at = 0; at < members->len; at += 4)
        o->documents[og_load32(members->data + at)].n_new +=
            og_load32((const uint8_t *)item->bytes.data + at);
    return OG_OK;
}

static og_status take_before(void *ctx, size_t number,
                             const struct og_resp *reply, og_error *err)
{
    enum { MEMBER_LEN = 8 };
    const struct observing *o = ctx;
    const struct og_resp_item *item = &reply->items[0];
    const struct og_pack *members =
        &o->caller->members[o->caller->asked[number]];
    if (item->kind != OG_RESP_BYTES || item->bytes.len != members->len)
        return no_answer(o->table, "ORIGO.OBSERVE", err);
    _Static_assert(HIT_LEN == MEMBER_LEN, "one hit for each member");
    for (size_t at = 0; at < members->len; at += MEMBER_LEN) {
        struct og_remote_document *d =
            &o->documents[og_load32(members->data + at)];
        struct og_hit *hit = &d->before[og_load32(members->data + at + 4)];
        uint8_t lost;
        *hit =
            read_hit((const uint8_t *)item->bytes.data + at, OG_NO_DOC, &lost);
        d->n_new += hit->doc == OG_NO_DOC;
    }
    return OG_OK;
}

static og_status send_batches(const struct og_remote_table *t, struct caller *c,
                              struct og_remote_document *documents,
                              og_error *err)
{
    struct observing o = {t, c, documents};
    const bool for_hits = documents[0].before != NULL;
    size_t n = 0;
    for (uint32_t p = 0; p < t->n_partitions; p++) {
        if (c->batches[p].len == 0) continue;
        struct og_redis_request *request =
            ask_partition(t, c, n++, "ORIGO.OBSERVE", p);
        add_word(request, packed(&c->batches[p]));
        if (!for_hits) add_word(request, view("COUNT"));
    }
    return og_redis_client_write(c->client, c->requests, n,
                                 for_hits ? take_before : take_counts, &o, err);
}

static og_status observe_in_partitions(struct og_remote_table *t,
                                       struct caller *c,
                                       struct og_remote_document *documents,
                                       size_t n, og_error *err)
{
    for (size_t p = 0; p < t->n_partitions; p++) {
        c->batches[p].len = c->members[p].len = 0;
        c->batches[p].failed = c->members[p].failed = false;
    }
    for (size_t i = 0; i < n; i++) {
        documents[i].n_new = 0;
        TRY(deal_out_document(t, c, &documents[i], (uint32_t)i, err));
    }
    return n > 0 ? send_batches(t, c, documents, err) : OG_OK;
}

static og_status observe_in_keys(struct og_remote_table *t, struct caller *c,
                                 struct og_remote_document *documents, size_t n,
                                 og_error *err)
{
    if (c->plain == NULL) TRY(og_plain_room_new(&t->plain, &c->plain, err));
    TRY(og_plain_observe(&t->plain, c->plain, c->client, documents, n, err));
    for (size_t i = 0; i < n; i++) {
        t->n_unnoted += documents[i].n_new;
        t->n_unchecked += documents[i].n_new;
    }
    return OG_OK;
}

og_status og_remote_table_observe(struct og_remote_table *t,
                                  struct og_remote_document *documents,
                                  size_t n, og_error *err)
{
    struct caller *c;
    TRY(take_caller(t, &c, err));
    const og_status status =
        t->is_plain ? observe_in_keys(t, c, documents, n, err)
                    : observe_in_partitions(t, c, documents, n, err);
    give_caller(t, c);
    return status;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

size_t og_numbers_unique(uint32_t *numbers, size_t n)
{
    size_t n_kept = 0;
    if (n > 1) qsort(numbers, n, sizeof(*numbers), compare_numbers);
    for (size_t i = 0; i < n; i++)
        if (n_kept == 0 || numbers[n_kept - 1] != numbers[i])
            numbers[n_kept++] = numbers[i];
    return n_kept;
}

og_status og_remote_reversed(const uint32_t *holders, size_t n,
                             const struct og_additions *add,
                             struct og_pack *out, size_t *out_n, og_error *err)
{
    out->len = 0;
    out->failed = false;
    *out_n = 0;
    for (size_t i = 0; add->earlier != NULL && i < n; i++) {
        const uint32_t holder = holders[i];
        if (holder == OG_NO_DOC || holder == add->doc ||
            add->earlier(add->ctx, add->doc, holder) == (add->doc < holder))
            continue;
        og_pack_bytes(out, &holder, sizeof(holder));
    }
    if (out->failed) return og_error_memory(err, n * 4, "a list");
    *out_n =
        og_numbers_unique((uint32_t *)out->data, out->len / sizeof(uint32_t));
    return OG_OK;
}

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
        return no_answer(h->table, "HGETALL", err);
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

/* -1: it is none. */
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
    return ask_head(t, "HGETALL", NULL, 0, take_head, h, err);
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
        !og_layout_parse(view(h->layout), &o->layout) ||
        !og_evict_parse(view(h->evict), &o->evict))
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

static void free_callers(struct og_remote_table *t)
{
    while (t->idle != NULL) {
        struct caller *c = t->idle;
        t->idle = c->next;
        free_caller(t, c);
    }
}

/* Callers have room for each partition, so there must be others now. */
static og_status set_partitions(struct og_remote_table *t, og_error *err)
{
    const og_bytes name = view(t->address.table);
    free_callers(t);
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
    struct caller *c;
    TRY(take_caller(t, &c, err));
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
            ask_partition(t, c, p, "ORIGO.RESERVE", p);
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
            add_word(request, view(words[i]));
    }
    const og_status status = og_redis_client_run(
        c->client, c->requests, t->n_partitions, take_nothing, NULL, err);
    give_caller(t, c);
    return status;
}

/* All at once: with the number of documents the table is there. */
static og_status write_head(struct og_remote_table *t, uint32_t n_documents,
                            og_error *err)
{
    const og_partition_options *o = &t->options;
    struct numbers n;
    char documents[16];
    print_numbers(o, &n);
    snprintf(documents, sizeof(documents), "%u", n_documents);
    const og_bytes words[] = {
        view("catalogue"), view(t->catalogue),
        view("bits"),      view(n.bits),
        view("memory"),    view(n.memory),
        view("layout"),    view(og_layout_name(o->layout)),
        view("evict"),     view(og_evict_name(o->evict)),
        view("slots"),     view(n.slots),
        view("offset"),    view(n.offset),
        view("near"),      view(n.near),
        view("documents"), view(documents),
        view("mode"),      view(PLAIN),
        view("ttl"),       view(t->plain.ttl)};
    const size_t n_words =
        sizeof(words) / sizeof(words[0]) - (t->is_plain ? 0 : 4);
    return ask_head(t, "HSET", words, n_words, take_nothing, NULL, err);
}

/* Two catalogues may want it at once: one of them has it. */
static og_status claim(struct og_remote_table *t, og_error *err)
{
    const og_bytes words[] = {view("catalogue"), view(t->catalogue)};
    return ask_head(t, "HSETNX", words, 2, take_nothing, NULL, err);
}

/* What there is of a table that could not be made whole: nobody has used it,
 * and a smaller one may be asked for next. */
static void unmake_table(struct og_remote_table *t)
{
    struct caller *c;
    if (take_caller(t, &c, NULL) != OG_OK) return;
    for (uint32_t p = 0; p < t->n_partitions; p++)
        (void)ask_partition(t, c, p, "UNLINK", p);
    (void)og_redis_client_run(c->client, c->requests, t->n_partitions,
                              take_nothing, NULL, NULL);
    give_caller(t, c);
    (void)ask_head(t, "UNLINK", NULL, 0, take_nothing, NULL, NULL);
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
};

static void add_count(og_bytes name, const struct og_resp_item *value,
                      const char *wanted, uint64_t *out)
{
    if (name.len == strlen(wanted) &&
        memcmp(name.data, wanted, name.len) == 0 &&
        value->kind == OG_RESP_NUMBER && value->number > 0)
        *out += (uint64_t)value->number;
}

static og_status take_info(void *ctx, size_t number,
                           const struct og_resp *reply, og_error *err)
{
    const struct counting *c = ctx;
    (void)number;
    if (reply->items[0].kind != OG_RESP_LIST)
        return no_answer(c->table, "ORIGO.INFO", err);
    for (size_t i = 1; i + 1 < reply->n; i += 2) {
        const og_bytes name = reply->items[i].bytes;
        const struct og_resp_item *value = &reply->items[i + 1];
        add_count(name, value, "slots", &c->out->n_slots);
        add_count(name, value, "used", &c->out->n_used);
        add_count(name, value, "evicted", &c->out->n_evicted);
        add_count(name, value, "bytes", &c->out->n_bytes);
    }
    return OG_OK;
}

static og_status ask_evictions(struct og_remote_table *t, uint64_t *out,
                               og_error *err)
{
    struct caller *c;
    TRY(take_caller(t, &c, err));
    const og_status status = og_plain_evictions(&t->plain, c->client, out, err);
    give_caller(t, c);
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
    struct counting counting = {t, out};
    struct caller *c;
    *out = (struct og_remote_counts){0};
    if (t->is_plain) return count_keys(t, out, err);
    TRY(take_caller(t, &c, err));
    for (uint32_t p = 0; p < t->n_partitions; p++)
        (void)ask_partition(t, c, p, "ORIGO.INFO", p);
    const og_status status = og_redis_client_run(
        c->client, c->requests, t->n_partitions, take_info, &counting, err);
    give_caller(t, c);
    return status;
}

/* The head of a plain table is written whole each time: where the server may
 * evict all keys, it may have evicted that one, too. */
static og_status note_keys(struct og_remote_table *t, og_error *err)
{
    const og_bytes evicted[] = {view("evicted"), view("1")};
    char number[24];
    uint64_t n_evicted;
    snprintf(number, sizeof(number), "%llu", (unsigned long long)t->n_unnoted);
    const og_bytes words[] = {view("fingerprints"), view(number)};
    if (t->n_unnoted > 0)
        TRY(ask_head(t, "HINCRBY", words, 2, take_nothing, NULL, err));
    t->n_unnoted = 0;
    if (t->n_unchecked >= CHECK_EACH) TRY(ask_evictions(t, &n_evicted, err));
    if (t->is_eviction_noted || !atomic_load(&t->has_evicted)) return OG_OK;
    TRY(ask_head(t, "HSET", evicted, 2, take_nothing, NULL, err));
    t->is_eviction_noted = true;
    return OG_OK;
}

og_status og_remote_table_note(struct og_remote_table *t, uint32_t n,
                               og_error *err)
{
    char number[16];
    snprintf(number, sizeof(number), "%u", n);
    const og_bytes words[] = {view("documents"), view(number)};
    if (t->is_plain)
        TRY(write_head(t, n, err));
    else
        TRY(ask_head(t, "HSET", words, 2, take_nothing, NULL, err));
    t->n_documents = n;
    return t->is_plain ? note_keys(t, err) : OG_OK;
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
    TRY(og_partition_key(view(t->address.table), 0, 0, t->head_key, err));
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
    free_callers(t);
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
