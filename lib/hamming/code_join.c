/* Many queries against a file that is larger than memory: tables over the
 * queries, the file read once, sequentially (section 3.3 of the paper).
 *
 *     queries -> tables            file, shard i of n -> look up -> part i
 *     part 1 .. part n -> merge -> all pairs
 *
 * A part reports its pairs in the order of the file, so the concatenated parts
 * are the answer: the same bytes for every n, and no pair twice. Each step
 * reads files and writes one, which appears when it is complete, so it can run
 * anywhere, be stopped and be repeated. A part begins with a line that
 * identifies its inputs and ends with one that gives its size; merge verifies
 * both. */

#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/hamming/code_index.h"
#include "lib/hamming/code_join.h"
#include "lib/hamming/code_lines.h"
#include "lib/hamming/code_plan.h"
#include "lib/hamming/hamming.h"

og_hamming_join_options og_hamming_join_options_default(void)
{
    const og_hamming_options h = og_hamming_options_default();
    return (og_hamming_join_options){.max_distance = h.max_distance,
                                     .n_tables = h.n_tables,
                                     .memory = h.memory,
                                     .n_shards = 1};
}

/* ---- the questions ----
 *
 * They are put in order: by code, then as they came. The tables hold halves of
 * 64 bits: of a code of 64 bits it is itself; of one of 128 bits both, one of
 * which is near when the code is (hamming_wide.c has the reason). A half knows
 * the question that it is of, and which half of it. */

struct half {
    uint64_t code;
    uint32_t question; /* position in the order */
    bool is_high;
};

struct question {
    og_wide_code code;
    uint64_t id_off;
    uint32_t id_len;
    uint32_t arrival;
};

struct questions {
    const og_allocator *allocator;
    unsigned n_bits; /* 0: unknown yet */
    struct question *each;
    struct half *halves; /* by code, then by query */
    uint64_t *all;       /* their codes */
    uint64_t *different; /* and those without repetitions */
    char *ids;
    size_t each_cap, halves_cap, all_cap, different_cap, ids_cap;
    size_t n, n_halves, n_different, ids_len;
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

static bool keep_question(void *ctx, og_bytes id, og_wide_code code,
                          unsigned n_bits)
{
    struct questions *q = ctx;
    const og_allocator *a = q->allocator;
    if (q->n == UINT32_MAX || !OG_GROW(a, q->each, q->each_cap, q->n + 1) ||
        !OG_GROW(a, q->ids, q->ids_cap, q->ids_len + id.len)) {
        q->no_memory = true;
        return false;
    }
    q->n_bits = n_bits;
    q->each[q->n] =
        (struct question){code, q->ids_len, (uint32_t)id.len, (uint32_t)q->n};
    q->n++;
    memcpy(q->ids + q->ids_len, id.data, id.len);
    q->ids_len += id.len;
    if (n_bits == OG_CODE_BITS_WIDE) q->sum = og_mix64(q->sum ^ code.high);
    q->sum = sum_bytes(og_mix64(q->sum ^ code.low), id.data, id.len);
    return true;
}

static int compare_questions(const void *a, const void *b)
{
    const struct question *x = a, *y = b;
    if (x->code.high != y->code.high)
        return x->code.high < y->code.high ? -1 : 1;
    if (x->code.low != y->code.low) return x->code.low < y->code.low ? -1 : 1;
    return x->arrival < y->arrival ? -1 : x->arrival > y->arrival;
}

static int compare_halves(const void *a, const void *b)
{
    const struct half *x = a, *y = b;
    if (x->code != y->code) return x->code < y->code ? -1 : 1;
    return x->question < y->question ? -1 : x->question > y->question;
}

static bool is_wide(const struct questions *q)
{
    return q->n_bits == OG_CODE_BITS_WIDE;
}

/* Room for at least one, so that no pointer is NULL. */
static og_status grow_halves(struct questions *q, og_error *err)
{
    const og_allocator *a = q->allocator;
    q->n_halves = is_wide(q) ? 2 * q->n : q->n;
    if (OG_GROW(a, q->halves, q->halves_cap, q->n_halves + 1) &&
        OG_GROW(a, q->all, q->all_cap, q->n_halves + 1) &&
        OG_GROW(a, q->different, q->different_cap, q->n_halves + 1))
        return OG_OK;
    return og_error_memory(err, 32 * q->n_halves, "questions");
}

static og_status sort_questions(struct questions *q, og_error *err)
{
    size_t n = 0;
    TRY(grow_halves(q, err));
    if (q->n == 0) return OG_OK;
    qsort(q->each, q->n, sizeof(*q->each), compare_questions);
    for (uint32_t i = 0; i < q->n; i++) {
        const og_wide_code code = q->each[i].code;
        if (is_wide(q)) q->halves[n++] = (struct half){code.high, i, true};
        q->halves[n++] = (struct half){code.low, i, false};
    }
    qsort(q->halves, n, sizeof(*q->halves), compare_halves);
    for (size_t i = 0; i < n; i++) {
        q->all[i] = q->halves[i].code;
        if (i == 0 || q->all[i] != q->all[i - 1])
            q->different[q->n_different++] = q->all[i];
    }
    return OG_OK;
}

static og_status read_questions(struct questions *q,
                                const og_hamming_join_options *o, og_error *err)
{
    struct og_code_plan plan;
    const og_status status =
        og_code_lines_read(o->questions, (struct og_code_part){0, 1}, 0, q,
                           keep_question, NULL, q->allocator, err);
    if (q->no_memory)
        return og_error_memory(err, q->ids_len + sizeof(*q->each) * q->n,
                               "questions");
    if (status != OG_OK) return status;
    if (q->n_bits != 0 && o->max_distance > q->n_bits)
        return og_error_set(err, OG_ERR_USAGE,
                            "distance %u is more than the %u bits of a code",
                            o->max_distance, q->n_bits);
    TRY(sort_questions(q, err));
    const unsigned distance =
        is_wide(q) ? (unsigned)og_half_distance(o->max_distance, false)
        : o->max_distance < OG_CODE_BITS ? o->max_distance
                                         : OG_CODE_BITS;
    const struct og_code_choice choice = {o->memory, o->n_tables,
                                          OG_CODE_DIRECTORY};
    TRY(og_code_plan(&plan, q->n_different, distance, &choice, err));
    return og_code_index_init(&q->index, &plan.design, q->different,
                              q->n_different, q->allocator, err);
}

static void release_questions(struct questions *q)
{
    const og_allocator *a = q->allocator;
    og_code_index_release(&q->index);
    OG_UNGROW(a, q->each, q->each_cap);
    OG_UNGROW(a, q->halves, q->halves_cap);
    OG_UNGROW(a, q->all, q->all_cap);
    OG_UNGROW(a, q->different, q->different_cap);
    OG_UNGROW(a, q->ids, q->ids_cap);
}

/* ---- the file ---- */

enum {
    BATCH = 64
}; /* codes looked up together, so that their misses
      overlap */

struct join {
    const og_hamming_join_options *options;
    struct questions questions;
    struct og_part_writer out;
    og_wide_code code[BATCH];
    uint64_t half[2][BATCH]; /* of these: the lower, the upper */
    char *ids;
    size_t ids_cap, ids_len, id_end[BATCH], n;
    bool asks_high; /* the current half */
    struct near {   /* halves of queries that are near a code */
        uint64_t half;
        uint32_t place; /* of the code in the batch */
        bool is_high;
    } * near;
    uint32_t *found; /* queries that are near one code */
    size_t near_cap, n_near, found_cap, n_found;
    og_hamming_join_counts counts;
    og_status status;
    og_error *err;
};

static bool keep_near(void *ctx, size_t place, uint64_t half)
{
    struct join *j = ctx;
    if (!OG_GROW(j->questions.allocator, j->near, j->near_cap, j->n_near + 1)) {
        j->status = og_error_memory(j->err, 16 * j->n_near, "pairs");
        return false;
    }
    j->near[j->n_near++] = (struct near){half, (uint32_t)place, j->asks_high};
    return true;
}

static int compare_places(const void *a, const void *b)
{
    const struct near *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int compare_found(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Whether the query is near, and no other half of it reports it. */
static bool is_near(const struct join *j, const struct near *near,
                    const struct half *half)
{
    const struct questions *q = &j->questions;
    const unsigned most = j->options->max_distance;
    if (!is_wide(q)) return true; /* the half is the code */
    const og_wide_code code = j->code[near->place];
    const og_wide_code asked = q->each[half->question].code;
    if (half->is_high != near->is_high || og_wide_distance(code, asked) > most)
        return false;
    return half->is_high || __builtin_popcountll(code.high ^ asked.high) >
                                og_half_distance(most, false);
}

/* Every query that has the half. */
static og_status find_questions(struct join *j, const struct near *near)
{
    const struct questions *q = &j->questions;
    for (size_t i = og_code_search(q->all, q->n_halves, near->half);
         i < q->n_halves && q->all[i] == near->half; i++) {
        if (!is_near(j, near, &q->halves[i])) continue;
        if (!OG_GROW(q->allocator, j->found, j->found_cap, j->n_found + 1))
            return og_error_memory(j->err, 4 * j->n_found, "pairs");
        j->found[j->n_found++] = q->halves[i].question;
    }
    return OG_OK;
}

/* The queries near the code at `place`, in order. */
static og_status report_found(struct join *j, uint32_t place)
{
    const size_t begin = place == 0 ? 0 : j->id_end[place - 1];
    const og_bytes id = {j->ids + begin, j->id_end[place] - begin};
    if (j->n_found == 0) return OG_OK;
    qsort(j->found, j->n_found, sizeof(*j->found), compare_found);
    for (size_t i = 0; i < j->n_found; i++) {
        const struct question *asked = &j->questions.each[j->found[i]];
        const og_bytes asked_id = {j->questions.ids + asked->id_off,
                                   asked->id_len};
        TRY(og_part_writer_pair(&j->out, asked_id, id,
                                og_wide_distance(asked->code, j->code[place]),
                                j->err));
    }
    j->counts.n_pairs += j->n_found;
    j->n_found = 0;
    return OG_OK;
}

/* Code by code: memory for the queries near one of them is enough. */
static og_status report_batch(struct join *j)
{
    if (j->n_near == 0) return OG_OK;
    qsort(j->near, j->n_near, sizeof(*j->near), compare_places);
    for (size_t i = 0; i < j->n_near; i++) {
        TRY(find_questions(j, &j->near[i]));
        if (i + 1 == j->n_near || j->near[i + 1].place != j->near[i].place)
            TRY(report_found(j, j->near[i].place));
    }
    j->n_near = 0;
    return OG_OK;
}

static bool ask_halves(struct join *j, bool asks_high, int distance)
{
    j->asks_high = asks_high;
    return distance < 0 ||
           og_code_index_ask(&j->questions.index, j->half[asks_high], j->n,
                             (unsigned)distance, j, keep_near);
}

static bool look_up(struct join *j)
{
    const unsigned most = j->options->max_distance;
    const bool more =
        !is_wide(&j->questions)
            ? ask_halves(j, false, (int)most)
            : ask_halves(j, true, og_half_distance(most, false)) &&
                  ask_halves(j, false, og_half_distance(most, true));
    if (more) j->status = report_batch(j);
    j->n = 0;
    j->ids_len = 0;
    return j->status == OG_OK;
}

static bool take_code(void *ctx, og_bytes id, og_wide_code code,
                      unsigned n_bits)
{
    struct join *j = ctx;
    (void)n_bits;
    if (!OG_GROW(j->questions.allocator, j->ids, j->ids_cap,
                 j->ids_len + id.len)) {
        j->status = og_error_memory(j->err, j->ids_len + id.len, "ids");
        return false;
    }
    memcpy(j->ids + j->ids_len, id.data, id.len);
    j->ids_len += id.len;
    j->id_end[j->n] = j->ids_len;
    j->half[false][j->n] = code.low;
    j->half[true][j->n] = code.high;
    j->code[j->n++] = code;
    j->counts.n_codes++;
    return j->n < BATCH || look_up(j);
}

static og_status join_file(struct join *j, og_error *err)
{
    const og_hamming_join_options *o = j->options;
    uint64_t identity;
    og_status status = og_code_lines_read(
        o->file, (struct og_code_part){o->shard, o->n_shards},
        j->questions.n_bits, j, take_code, &identity, j->questions.allocator,
        err);
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
    const struct og_part_head head = {
        .n_bits = is_wide(&j->questions) ? OG_CODE_BITS_WIDE : OG_CODE_BITS,
        .max_distance = o->max_distance,
        .questions = j->questions.sum,
        .shard = o->shard,
        .n_shards = o->n_shards,
        .is_part = o->as_part || o->n_shards > 1};
    TRY(og_part_writer_open(&j->out, o->output, &head, err));
    const og_status status = join_file(j, err);
    if (status != OG_OK) og_part_writer_drop(&j->out);
    return status;
}

og_status og_hamming_join(const og_hamming_join_options *options,
                          og_hamming_join_counts *out_counts, og_error *err)
{
    if (options->max_distance > OG_CODE_BITS_WIDE)
        return og_error_set(err, OG_ERR_USAGE,
                            "distance %u is more than the %d bits of a code",
                            options->max_distance, OG_CODE_BITS_WIDE);
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
    OG_UNGROW(NULL, j->found, j->found_cap);
    og_release(NULL, j, sizeof(*j));
    return status;
}
