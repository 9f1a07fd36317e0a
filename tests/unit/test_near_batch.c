/* A run of documents finds and adds what one after the other would. */

#include "tests/unit/stage_support.h"

#include <stdio.h>

#include "lib/near/near_batch.h"

enum { N = 40, N_RUN = 10 };

static char texts[N][2000];

/* Three kinds of documents, each like those of its kind before it. */
static void make_texts(void)
{
    for (int i = 0; i < N; i++) {
        char *at = texts[i];
        for (int w = 0; w < 150; w++)
            at += sprintf(at, "k%dw%d ", i % 3, w == i ? 1000 + i : w);
    }
}

static og_status name_it(void *ctx, uint32_t number, og_near_match *match,
                         bool *out_is_reported, og_error *err)
{
    (void)ctx, (void)err;
    match->time = number;
    *out_is_reported = true;
    return OG_OK;
}

static og_near *open_near(void)
{
    const struct og_near_place place = {.is_writable = true, .is_new = true};
    og_near_options options = og_near_options_default();
    og_near *near;
    options.memory = 1 << 20;
    assert_int_equal(og_near_open(&place, &options, &near, NULL), OG_OK);
    return near;
}

static og_status thread_of(void *ctx, void *worker, size_t i,
                           struct og_near_thread *out, og_error *err)
{
    (void)ctx, (void)i, (void)err;
    *out = *(struct og_near_thread *)worker;
    return OG_OK;
}

static void a_run_is_one_by_one(void **state)
{
    const og_near_query query = {.threshold = 0.5};
    const struct og_near_scope scope = {.name = name_it};
    struct og_near_asker asker = {.n_met = 0};
    struct og_arena arena;
    og_near *single = open_near(), *near = open_near();
    size_t n_found = 0;
    og_error err = {0};
    (void)state;
    make_texts();
    og_arena_init(&arena, NULL);
    assert_int_equal(og_near_asker_init(&asker, near, NULL, 1 << 20, NULL),
                     OG_OK);
    struct og_near_thread thread = {&asker, &arena, scope};
    const struct og_phases phases = og_phases_alone(&thread);
    struct og_near_batch run = {
        .phases = &phases, .thread_of = thread_of, .query = &query};
    for (uint32_t first = 0; first < N; first += N_RUN) {
        assert_int_equal(og_near_batch_begin(&run, N_RUN, NULL), OG_OK);
        for (uint32_t i = 0; i < N_RUN; i++)
            run.docs[i] = (struct og_near_batch_doc){
                .text = {texts[first + i], strlen(texts[first + i])},
                .number = first + i};
        if (og_near_batch_take(&run, near, &err) != OG_OK)
            fail_msg("%s", err.message);
        for (uint32_t i = 0; i < N_RUN; i++) {
            const og_bytes text = run.docs[i].text;
            const og_near_match *found;
            size_t n;
            assert_int_equal(og_near_find(single, NULL, text, &query, &scope,
                                          &found, &n, NULL),
                             OG_OK);
            assert_int_equal(run.docs[i].n_matches, n);
            for (size_t k = 0; k < n; k++) {
                assert_int_equal(run.docs[i].matches[k].time, found[k].time);
                assert_true(run.docs[i].matches[k].similarity ==
                            found[k].similarity);
            }
            n_found += n;
            assert_int_equal(og_near_add(single, first + i, text, NULL), OG_OK);
        }
    }
    assert_true(n_found > N);
    assert_int_equal(near->n_documents, single->n_documents);
    og_near_batch_release(&run);
    og_near_asker_release(&asker);
    og_arena_release(&arena);
    og_near_close(near);
    og_near_close(single);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
