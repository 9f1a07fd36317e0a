/* Many questions against a file that is larger than memory: tables over the
 * questions, the file read once, front to back (section 3.3 of the paper).
 *
 *     questions -> tables          file, shard i of n -> look up -> part i
 *     part 1 .. part n -> merge -> all pairs
 *
 * A part tells its pairs in the order of the file, so the parts one after the
 * other are the answer: the same bytes for every n, and no pair twice. Each
 * step reads files and writes one, which appears when it is whole, so it can
 * run anywhere, be stopped and be repeated. A part opens with a line that says
 * what it was made from and ends with one that says how much it holds; merge
 * believes neither before it has compared both. */

#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/neighbour/code_index.h"
#include "lib/neighbour/code_join.h"
#include "lib/neighbour/code_lines.h"
#include "lib/neighbour/code_plan.h"

og_hamming_join_options og_hamming_join_options_default(void)
{
    const og_hamming_options h = og_hamming_options_default();
    return (og_hamming_join_options){.max_distance = h.max_distance,
                                     .n_tables = h.n_tables,
                                     .memory = h.memory,
                                     .n_shards = 1};
}

/* ---- the questions ---- */

struct questions {
    const og_allocator *allocator;
    uint64_t *codes; /* of each question; then different ones, ascending */
    uint64_t *all;   /* of each question, in the order of `order` */
    uint32_t *order; /* questions by code, then as they came */
    uint64_t *id_end;
    char *ids;
    size_t codes_cap, all_cap, order_cap, end_cap, ids_cap;
    size_t n, n_different, ids_len;
    uint64_t sum; /* of all ids and codes, in order */
    struct og_code_index index;
    bool no_memory;
};

static uint64_t sum_bytes(uint64_t sum, const void *data, size_t len)
{
    const char *at = data;
    for (; len >= 8; at += 8, len -= 8)
        sum = og_mix64(sum ^ og_load64(at));
    char rest[8] = {0};
    memcpy(rest, at, len);
    return og_mix64(sum ^ og_load64(rest) ^ (uint64_t)len << 56);
}

static bool keep_question(void *ctx, og_bytes id, uint64_t code)
{
    struct questions *q = ctx;
    const og_allocator *a = q->allocator;
    if (q->n == UINT32_MAX || !OG_GROW(a, q->codes, q->codes_cap, q->n + 1) ||
        !OG_GROW(a, q->id_end, q->end_cap, q->n + 1) ||
        !OG_GROW(a, q->ids, q->ids_cap, q->ids_len + id.len)) {
        q->no_memory = true;
        return false;
    }
    memcpy(q->ids + q->ids_len, id.data, id.len);
    q->ids_len += id.len;
    q->codes[q->n] = code;
    q->id_end[q->n++] = q->ids_len;
    q->sum = sum_bytes(og_mix64(q->sum ^ code), id.data, id.len);
    return true;
}

static og_bytes question_id(const struct questions *q, uint32_t i)
{
    const uint64_t begin = i == 0 ? 0 : q->id_end[i - 1];
    return (og_bytes){q->ids + begin, q->id_end[i] - begin};
}

static int compare_questions(const void *a, const void *b, void *ctx)
{
    const uint64_t *codes = ctx;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (codes[x] != codes[y]) return codes[x] < codes[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

static og_status sort_questions(struct questions *q, og_error *err)
{
    if (!OG_GROW(q->allocator, q->order, q->order_cap, q->n + 1) ||
        !OG_GROW(q->allocator, q->all, q->all_cap, q->n + 1) ||
        !OG_GROW(q->allocator, q->codes, q->codes_cap, 1))
        return og_error_memory(err, 12 * q->n, "questions");
    for (size_t i = 0; i < q->n; i++)
        q->order[i] = (uint32_t)i;
    qsort_r(q->order, q->n, sizeof(*q->order), compare_questions, q->codes);
    for (size_t i = 0; i < q->n; i++)
        q->all[i] = q->codes[q->order[i]];
    for (size_t i = 0; i < q->n; i++)
        if (i == 0 || q->all[i] != q->all[i - 1])
            q->codes[q->n_different++] = q->all[i];
    return OG_OK;
}

static og_status read_questions(struct questions *q,
                                const og_hamming_join_options *o, og_error *err)
{
    struct og_code_plan plan;
    const og_status status =
        og_code_lines_read(o->questions, (struct og_code_part){0, 1}, q,
                           keep_question, NULL, q->allocator, err);
    if (q->no_memory)
        return og_error_memory(err, q->ids_len + 16 * q->n, "questions");
    if (status != OG_OK) return status;
    TRY(sort_questions(q, err));
    TRY(og_code_plan(&plan, q->n_different, o->max_distance, o->memory,
                     o->n_tables, err));
    return og_code_index_init(&q->index, &plan.design, q->codes, q->n_different,
                              q->allocator, err);
}

static void release_questions(struct questions *q)
{
    const og_allocator *a = q->allocator;
    og_code_index_release(&q->index);
    OG_UNGROW(a, q->codes, q->codes_cap);
    OG_UNGROW(a, q->all, q->all_cap);
    OG_UNGROW(a, q->order, q->order_cap);
    OG_UNGROW(a, q->id_end, q->end_cap);
    OG_UNGROW(a, q->ids, q->ids_cap);
}

/* ---- the file ---- */

enum { BATCH = 64 }; /* codes looked up together, their misses overlap */

struct join {
    const og_hamming_join_options *options;
    struct questions questions;
    struct og_part_writer out;
    uint64_t code[BATCH];
    char *ids;
    size_t ids_cap, ids_len, id_end[BATCH], n;
    uint64_t *near; /* question codes near the code under way */
    size_t near_cap, n_near, near_of;
    og_hamming_join_counts counts;
    og_status status;
    og_error *err;
};

static int compare_codes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Every question that has the code. */
static og_status tell_pairs(struct join *j, uint64_t near)
{
    const struct questions *q = &j->questions;
    const size_t begin = j->near_of == 0 ? 0 : j->id_end[j->near_of - 1];
    const og_bytes id = {j->ids + begin, j->id_end[j->near_of] - begin};
    const unsigned distance =
        (unsigned)__builtin_popcountll(near ^ j->code[j->near_of]);
    for (size_t i = og_code_search(q->all, q->n, near);
         i < q->n && q->all[i] == near; i++) {
        TRY(og_part_writer_pair(&j->out, question_id(q, q->order[i]), id,
                                distance, j->err));
        j->counts.n_pairs++;
    }
    return OG_OK;
}

/* The near codes of one code of the file, in order. */
static bool tell_near(struct join *j)
{
    qsort(j->near, j->n_near, sizeof(*j->near), compare_codes);
    for (size_t i = 0; i < j->n_near && j->status == OG_OK; i++)
        j->status = tell_pairs(j, j->near[i]);
    j->n_near = 0;
    return j->status == OG_OK;
}

static bool keep_near(void *ctx, size_t question, uint64_t code)
{
    struct join *j = ctx;
    if (question != j->near_of && j->n_near != 0 && !tell_near(j)) return false;
    j->near_of = question;
    if (!OG_GROW(j->questions.allocator, j->near, j->near_cap, j->n_near + 1)) {
        j->status = og_error_memory(j->err, 8 * j->n_near, "pairs");
        return false;
    }
    j->near[j->n_near++] = code;
    return true;
}

static bool look_up(struct join *j)
{
    const bool more = og_code_index_ask(&j->questions.index, j->code, j->n,
                                        j->options->max_distance, j, keep_near);
    if (more && j->n_near != 0) tell_near(j);
    j->n = 0;
    j->ids_len = 0;
    return j->status == OG_OK;
}

static bool take_code(void *ctx, og_bytes id, uint64_t code)
{
    struct join *j = ctx;
    if (!OG_GROW(j->questions.allocator, j->ids, j->ids_cap,
                 j->ids_len + id.len)) {
        j->status = og_error_memory(j->err, j->ids_len + id.len, "ids");
        return false;
    }
    memcpy(j->ids + j->ids_len, id.data, id.len);
    j->ids_len += id.len;
    j->id_end[j->n] = j->ids_len;
    j->code[j->n++] = code;
    j->counts.n_codes++;
    return j->n < BATCH || look_up(j);
}

static og_status join_file(struct join *j, og_error *err)
{
    const og_hamming_join_options *o = j->options;
    uint64_t identity;
    og_status status = og_code_lines_read(
        o->file, (struct og_code_part){o->shard, o->n_shards}, j, take_code,
        &identity, j->questions.allocator, err);
    if (j->status != OG_OK) return j->status;
    if (status != OG_OK) return status;
    if (j->n != 0 && !look_up(j)) return j->status;
    j->out.head.file = identity;
    return og_part_writer_end(&j->out, err);
}

static og_status run_join(struct join *j, og_error *err)
{
    const og_hamming_join_options *o = j->options;
    TRY(read_questions(&j->questions, o, err));
    j->counts.n_questions = j->questions.n;
    const struct og_part_head head = {.max_distance = o->max_distance,
                                      .questions = j->questions.sum,
                                      .shard = o->shard,
                                      .n_shards = o->n_shards};
    TRY(og_part_writer_open(&j->out, o->output, &head, err));
    const og_status status = join_file(j, err);
    if (status != OG_OK) og_part_writer_drop(&j->out);
    return status;
}

og_status og_hamming_join(const og_hamming_join_options *options,
                          og_hamming_join_counts *out_counts, og_error *err)
{
    if (options->max_distance > OG_CODE_BITS)
        return og_error_set(err, OG_ERR_USAGE,
                            "distance %u is more than the %d bits of a code",
                            options->max_distance, OG_CODE_BITS);
    if (options->n_shards == 0 || options->shard >= options->n_shards)
        return og_error_set(err, OG_ERR_USAGE, "there is no shard %u of %u",
                            options->shard + 1, options->n_shards);
    struct join *j = og_allocate_zero(NULL, sizeof(*j));
    if (j == NULL) return og_error_memory(err, sizeof(*j), "a join");
    j->options = options;
    j->err = err;
    const og_status status = run_join(j, err);
    if (out_counts != NULL) *out_counts = j->counts;
    release_questions(&j->questions);
    OG_UNGROW(NULL, j->ids, j->ids_cap);
    OG_UNGROW(NULL, j->near, j->near_cap);
    og_release(NULL, j, sizeof(*j));
    return status;
}
