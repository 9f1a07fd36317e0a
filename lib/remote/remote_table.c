/* A look-up is distributed to the partitions, each of which is queried once,
 * for all documents of a batch; a batch of additions likewise, document by
 * document. The formats are those of <origo/partition.h>. */

#include "lib/remote/remote_table.h"

#include <stdlib.h>

#include "lib/remote/remote_caller.h"

#define HIT_LEN 8
#define FP_LEN  8

static og_bytes packed(const struct og_pack *pack)
{
    return (og_bytes){pack->data != NULL ? (const char *)pack->data : "",
                      pack->len};
}

/* ---- looking up ---- */

static uint32_t partition_of(const struct og_remote_table *t, uint64_t fp)
{
    return og_partition_of(fp, t->options.n_bits);
}

static og_status deal_out_questions(const struct og_remote_table *t,
                                    struct og_remote_caller *c,
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
    struct og_remote_caller *caller;
};

static og_status take_hits(void *ctx, size_t number,
                           const struct og_resp *reply, og_error *err)
{
    const struct looking_up *l = ctx;
    const struct og_remote_caller *c = l->caller;
    const struct og_resp_item *item = &reply->items[0];
    const uint32_t p = c->asked[number];
    const size_t len = (c->ends[p] - c->starts[p]) * HIT_LEN;
    if (item->kind != OG_RESP_BYTES || item->bytes.len != len)
        return og_remote_no_answer(l->table, "ORIGO.LOOKUP", err);
    memcpy(c->out.data + c->starts[p] * HIT_LEN, item->bytes.data, len);
    return OG_OK;
}

static og_status ask_partitions(const struct og_remote_table *t,
                                struct og_remote_caller *c, og_error *err)
{
    struct looking_up l = {t, c};
    size_t n = 0;
    for (uint32_t p = 0; p < t->n_partitions; p++) {
        const size_t begin = c->starts[p], end = c->ends[p];
        if (begin == end) continue;
        og_redis_add_word(og_remote_ask_partition(t, c, n++, "ORIGO.LOOKUP", p),
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
static void collect_hits(const struct og_remote_table *t,
                         struct og_remote_caller *c,
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

static og_status find_in_partitions(struct og_remote_table *t,
                                    struct og_remote_caller *c,
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

static og_status find_in_keys(struct og_remote_table *t,
                              struct og_remote_caller *c,
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
    struct og_remote_caller *c;
    TRY(og_remote_caller_take(t, &c, err));
    const og_status status =
        t->is_plain ? find_in_keys(t, c, questions, n, n_documents, err)
                    : find_in_partitions(t, c, questions, n, n_documents, err);
    og_remote_caller_give(t, c);
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
                                   struct og_remote_caller *c,
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
    const struct og_remote_caller *caller;
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
        return og_remote_no_answer(o->table, "ORIGO.OBSERVE", err);
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
        return og_remote_no_answer(o->table, "ORIGO.OBSERVE", err);
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

static og_status send_batches(const struct og_remote_table *t,
                              struct og_remote_caller *c,
                              struct og_remote_document *documents,
                              og_error *err)
{
    struct observing o = {t, c, documents};
    const bool for_hits = documents[0].before != NULL;
    size_t n = 0;
    for (uint32_t p = 0; p < t->n_partitions; p++) {
        if (c->batches[p].len == 0) continue;
        struct og_redis_request *request =
            og_remote_ask_partition(t, c, n++, "ORIGO.OBSERVE", p);
        og_redis_add_word(request, packed(&c->batches[p]));
        if (!for_hits) og_redis_add_word(request, og_redis_word("COUNT"));
    }
    return og_redis_client_write(c->client, c->requests, n,
                                 for_hits ? take_before : take_counts, &o, err);
}

static og_status observe_in_partitions(struct og_remote_table *t,
                                       struct og_remote_caller *c,
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

static og_status observe_in_keys(struct og_remote_table *t,
                                 struct og_remote_caller *c,
                                 struct og_remote_document *documents, size_t n,
                                 og_error *err)
{
    if (c->plain == NULL) TRY(og_plain_room_new(&t->plain, &c->plain, err));
    TRY(og_plain_observe(&t->plain, c->plain, c->client, documents, n, err));
    for (size_t i = 0; i < n; i++) {
        t->n_unnoted += documents[i].n_new;
        t->n_unchecked += documents[i].n_new;
    }
    /* A front end that adds alone notes them with its documents. */
    return n > 0 && documents[0].before != NULL ? og_remote_note_keys(t, err)
                                                : OG_OK;
}

og_status og_remote_table_observe(struct og_remote_table *t,
                                  struct og_remote_document *documents,
                                  size_t n, og_error *err)
{
    struct og_remote_caller *c;
    TRY(og_remote_caller_take(t, &c, err));
    const og_status status =
        t->is_plain ? observe_in_keys(t, c, documents, n, err)
                    : observe_in_partitions(t, c, documents, n, err);
    og_remote_caller_give(t, c);
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
