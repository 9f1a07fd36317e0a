/* The index of near-duplicates of a store on servers: options that another
 * process wrote; two indexes with one log; documents that are in it twice. */

#include "tests/unit/stage_support.h"

#include <stdio.h>

#include "lib/index/near_shared.h"
#include "lib/near/near_batch.h"

enum { N = 30, N_RUN = 3 };

static char texts[N][2000];
static struct og_pack log_bytes;

static void make_texts(void)
{
    for (int i = 0; i < N; i++) {
        char *at = texts[i];
        for (int w = 0; w < 150; w++)
            at += sprintf(at, "k%dw%d ", i % 3, w == i ? 1000 + i : w);
    }
}

/* ---- options ---- */

static void test_options(void **state)
{
    static const char good[] =
        "method=2 tokens=1 shingle=5 bands=14 rows=8 memory=67108864";
    static const char *const bad[] = {
        "",
        "method=2 tokens=1 shingle=5 bands=14 rows=8 memory=",
        "method=3 tokens=1 shingle=5 bands=14 rows=8 memory=1",
        "method=2 tokens=9 shingle=5 bands=14 rows=8 memory=1",
        "method=2 tokens=1 shingle=05 bands=14 rows=8 memory=1",
        "method=2 tokens=1 shingle=-5 bands=14 rows=8 memory=1",
        "method=2 tokens=1 shingle=5 bands=14 rows=8 memory=1 more",
        " method=2 tokens=1 shingle=5 bands=14 rows=8 memory=1"};
    og_near_options options;
    (void)state;
    assert_true(
        og_near_shared_parse((og_bytes){good, sizeof(good) - 1}, &options));
    assert_int_equal(options.method, OG_NEAR_BOTH);
    assert_int_equal(options.n_rows, 8);
    assert_int_equal(options.memory, 64 << 20);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(
            og_near_shared_parse((og_bytes){bad[i], strlen(bad[i])}, &options));
    assert_false(
        og_near_shared_parse((og_bytes){good, sizeof(good)}, &options));
    static char many[400];
    memset(many, '1', sizeof(many));
    assert_false(og_near_shared_parse((og_bytes){many, 400}, &options));
}

/* ---- one log ---- */

static og_status append(void *ctx, og_bytes records, struct og_pack *before,
                        og_error *err)
{
    size_t *read = ctx;
    (void)err;
    if (log_bytes.len > *read)
        og_pack_bytes(before, log_bytes.data + *read, log_bytes.len - *read);
    og_pack_bytes(&log_bytes, records.data, records.len);
    *read = log_bytes.len;
    return OG_OK;
}

static og_near *open_near(size_t *read)
{
    const struct og_near_place place = {.is_writable = true, .is_new = true};
    og_near_options options = og_near_options_default();
    og_near *near;
    options.memory = 1 << 20;
    assert_int_equal(og_near_open(&place, &options, &near, NULL), OG_OK);
    if (read != NULL) near->log = (struct og_near_log){read, append};
    return near;
}

static og_status name_it(void *ctx, uint32_t number, og_near_match *match,
                         bool *out_is_reported, og_error *err)
{
    (void)ctx, (void)err;
    match->time = number;
    *out_is_reported = true;
    return OG_OK;
}

static og_status expect(void *ctx, const uint32_t *numbers, size_t n,
                        og_error *err)
{
    size_t *n_expected = ctx;
    (void)numbers, (void)err;
    *n_expected += n;
    return OG_OK;
}

static og_status thread_of(void *ctx, void *worker, size_t i,
                           struct og_near_thread *out, og_error *err)
{
    (void)ctx, (void)i, (void)err;
    *out = *(struct og_near_thread *)worker;
    return OG_OK;
}

static og_bytes text_of(uint32_t number)
{
    return (og_bytes){texts[number], strlen(texts[number])};
}

/* Documents first, first + 1, ...; how many matches each has. */
static void take_run(og_near *near, uint32_t first, size_t *out_n)
{
    const og_near_query query = {.threshold = 0.5};
    size_t n_expected = 0;
    struct og_near_asker asker;
    struct og_arena arena;
    og_arena_init(&arena, NULL);
    assert_int_equal(og_near_asker_init(&asker, near, NULL, 1 << 20, NULL),
                     OG_OK);
    struct og_near_thread thread = {
        &asker, &arena, {&n_expected, name_it, expect}};
    const struct og_phases phases = og_phases_alone(&thread);
    struct og_near_batch run = {
        .phases = &phases, .thread_of = thread_of, .query = &query};
    assert_int_equal(og_near_batch_begin(&run, N_RUN, NULL), OG_OK);
    for (uint32_t i = 0; i < N_RUN; i++)
        run.docs[i] = (struct og_near_batch_doc){.text = text_of(first + i),
                                                 .number = first + i};
    assert_int_equal(og_near_batch_take(&run, near, NULL), OG_OK);
    for (uint32_t i = 0; i < N_RUN; i++)
        out_n[i] = run.docs[i].n_matches;
    assert_true(first == 0 || n_expected > 0);
    og_near_batch_release(&run);
    og_near_asker_release(&asker);
    og_arena_release(&arena);
}

static size_t count_near(og_near *near, uint32_t number)
{
    const og_near_query query = {.threshold = 0.5};
    const struct og_near_scope scope = {.name = name_it};
    const og_near_match *found;
    size_t n;
    assert_int_equal(og_near_catch_up(near, NULL), OG_OK);
    assert_int_equal(og_near_find(near, NULL, text_of(number), &query, &scope,
                                  &found, &n, NULL),
                     OG_OK);
    return n;
}

static void test_one_log(void **state)
{
    size_t a_read = 0, b_read = 0, c_read = 0;
    (void)state;
    make_texts();
    og_near *own = open_near(NULL);
    og_near *a = open_near(&a_read), *b = open_near(&b_read);
    for (uint32_t first = 0; first < N; first += N_RUN) {
        size_t expected[N_RUN], seen[N_RUN];
        take_run(own, first, expected);
        take_run(first / N_RUN % 2 == 0 ? a : b, first, seen);
        assert_memory_equal(seen, expected, sizeof(seen));
    }
    og_near *c = open_near(&c_read);
    for (uint32_t i = 0; i < N; i++) {
        const size_t n = count_near(own, i);
        assert_int_equal(count_near(a, i), n);
        assert_int_equal(count_near(b, i), n);
        assert_int_equal(count_near(c, i), n);
    }
    assert_int_equal(count_near(own, 0), N / 3);
    og_near_close(own), og_near_close(a), og_near_close(b), og_near_close(c);
    log_bytes.len = 0;
}

/* As when a front end sent a batch again. */
static void test_twice(void **state)
{
    size_t a_read = 0, b_read = 0, n[N_RUN];
    (void)state;
    make_texts();
    og_near *a = open_near(&a_read);
    take_run(a, 0, n);
    const size_t len = log_bytes.len;
    struct og_pack again = {0};
    og_pack_bytes(&again, log_bytes.data, len);
    og_pack_bytes(&log_bytes, again.data, len);
    og_near *b = open_near(&b_read);
    assert_int_equal(count_near(a, 0), 1);
    assert_int_equal(count_near(b, 0), 1);
    take_run(b, 3, n);
    for (size_t i = 0; i < N_RUN; i++)
        assert_int_equal(n[i], 1);
    og_near_close(a), og_near_close(b);
    og_pack_release(&again);
    og_pack_release(&log_bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_one_log),
        cmocka_unit_test(test_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
