/* Frequent shingles, and the runs that they make in a document. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/phrases/phrase_runs.h"

/* ---- shingles ---- */

static void test_a_counter_with_room_is_exact(void **state)
{
    (void)state;
    struct og_phrase_counter counter;
    struct og_phrase_shingles shingles;
    uint32_t left;
    og_error err;
    assert_int_equal(og_phrase_counter_init(&counter, 1 << 16, &err), OG_OK);
    for (uint32_t doc = 1; doc <= 9; doc++)
        for (uint64_t fp = doc; fp <= 9; fp++) {
            og_phrase_counter_add(&counter, fp, doc);
            og_phrase_counter_add(&counter, fp, doc); /* counts once */
        }
    assert_int_equal(counter.complete_above, 0);
    assert_int_equal(
        og_phrase_shingles_init(&shingles, &counter, 3, 1 << 16, &left, &err),
        OG_OK);
    assert_int_equal(left, 0);
    assert_int_equal(shingles.n, 7);
    for (uint64_t fp = 1; fp <= 10; fp++)
        assert_int_equal(og_phrase_shingles_get(&shingles, fp),
                         fp >= 3 && fp <= 9 ? fp : 0);
    og_phrase_shingles_reset(&shingles);
    og_phrase_shingles_add(&shingles, 5, 1);
    og_phrase_shingles_add(&shingles, 5, 2);
    og_phrase_shingles_add(&shingles, 1, 2); /* is none of them */
    assert_int_equal(og_phrase_shingles_get(&shingles, 5), 2);
    assert_int_equal(og_phrase_shingles_get(&shingles, 1), 0);
    og_phrase_shingles_release(&shingles);
    /* Room for one alone: what is in fewer documents is left out, and said. */
    assert_int_equal(
        og_phrase_shingles_init(&shingles, &counter, 3, 64, &left, &err),
        OG_OK);
    assert_int_equal(shingles.n, 1);
    assert_int_equal(left, 8);
    og_phrase_shingles_release(&shingles);
    og_phrase_counter_release(&counter);
}

/* ---- runs ---- */

static void test_runs_go_on_for_four_fifths(void **state)
{
    (void)state;
    static const uint32_t counts[] = {2, 10, 10, 9, 8, 7, 3, 3, 3, 3, 3, 1};
    enum { N = sizeof(counts) / sizeof(counts[0]), LEN = 3 };
    struct og_phrase_counter counter;
    struct og_phrase_shingles shingles;
    struct og_phrase_runs runs = {0};
    uint64_t fps[N];
    uint32_t left;
    og_error err;
    assert_int_equal(og_phrase_counter_init(&counter, 1 << 16, &err), OG_OK);
    for (size_t i = 0; i < N; i++) {
        fps[i] = 100 + i;
        for (uint32_t doc = 1; doc <= counts[i]; doc++)
            og_phrase_counter_add(&counter, fps[i], doc);
    }
    assert_int_equal(
        og_phrase_shingles_init(&shingles, &counter, 2, 1 << 16, &left, &err),
        OG_OK);
    assert_int_equal(
        og_phrase_runs_find(&runs, &shingles, fps, N, LEN, 2, &err), OG_OK);
    /* 10 10 9 8 make a run of 6 tokens, 1 to 6; of the next shingles those
     * that begin with token 7 or later are free: 3 3 3 3. */
    assert_int_equal(runs.n, 2);
    assert_int_equal(runs.runs[0].first, 1);
    assert_int_equal(runs.runs[0].n_tokens, 6);
    assert_int_equal(runs.runs[0].most, 8);
    assert_int_equal(runs.runs[0].seed, 101);
    assert_int_equal(runs.runs[1].first, 7);
    assert_int_equal(runs.runs[1].n_tokens, 6);
    assert_int_equal(runs.runs[1].most, 3);
    og_phrase_runs_release(&runs);
    og_phrase_shingles_release(&shingles);
    og_phrase_counter_release(&counter);
}

/* Counts of the shingles 100, 101 ..., and the runs of a document of them. */
static void find_runs(struct og_phrase_runs *runs, const uint32_t *counts,
                      size_t n, uint32_t len, uint32_t least)
{
    struct og_phrase_counter counter;
    struct og_phrase_shingles shingles;
    uint64_t *fps = malloc((n + 1) * sizeof(*fps));
    uint32_t left;
    assert_non_null(fps);
    assert_int_equal(og_phrase_counter_init(&counter, 8 << 20, NULL), OG_OK);
    for (size_t i = 0; i < n; i++) {
        fps[i] = 100 + i;
        for (uint32_t doc = 1; doc <= counts[i]; doc++)
            og_phrase_counter_add(&counter, fps[i], doc);
    }
    assert_int_equal(counter.complete_above, 0);
    assert_int_equal(og_phrase_shingles_init(&shingles, &counter, least,
                                             32 << 20, &left, NULL),
                     OG_OK);
    assert_int_equal(
        og_phrase_runs_find(runs, &shingles, fps, n, len, least, NULL), OG_OK);
    og_phrase_shingles_release(&shingles);
    og_phrase_counter_release(&counter);
    free(fps);
}

/* Nothing frequent, nothing at all, and one that is just frequent enough. */
static void test_the_least_is_enough(void **state)
{
    (void)state;
    struct og_phrase_runs runs = {0};
    static const uint32_t counts[] = {1, 1, 2, 1};
    find_runs(&runs, counts, 0, 3, 2);
    assert_int_equal(runs.n, 0);
    find_runs(&runs, counts, 2, 3, 2);
    assert_int_equal(runs.n, 0);
    find_runs(&runs, counts, 4, 3, 2);
    assert_int_equal(runs.n, 1);
    assert_int_equal(runs.runs[0].first, 2);
    assert_int_equal(runs.runs[0].n_tokens, 3);
    assert_int_equal(runs.runs[0].most, 2);
    /* Four fifths of 5 are 4, which is not frequent. */
    static const uint32_t five[] = {5, 4, 5};
    find_runs(&runs, five, 3, 1, 5);
    assert_int_equal(runs.n, 2);
    /* Four fifths of 20 are 16, and not 15. */
    static const uint32_t twenty[] = {15, 16, 20, 16, 15, 15};
    find_runs(&runs, twenty, 6, 1, 2);
    assert_int_equal(runs.n, 3);
    assert_int_equal(runs.runs[0].first, 1);
    assert_int_equal(runs.runs[0].n_tokens, 3);
    assert_int_equal(runs.runs[0].most, 16);
    og_phrase_runs_release(&runs);
}

/* A run is not longer than a passage may be; the rest is another one. */
static void test_long_runs_are_cut(void **state)
{
    (void)state;
    enum { N = 20000, LEN = 8 };
    struct og_phrase_runs runs = {0};
    uint32_t *counts = malloc(N * sizeof(*counts));
    assert_non_null(counts);
    for (size_t i = 0; i < N; i++)
        counts[i] = 2;
    find_runs(&runs, counts, N, LEN, 2);
    assert_int_equal(runs.n, 2);
    assert_int_equal(runs.runs[0].n_tokens, OG_PHRASE_TOKENS_MAX);
    assert_int_equal(runs.runs[1].first, OG_PHRASE_TOKENS_MAX);
    assert_int_equal(runs.runs[1].n_tokens, N + LEN - 1 - OG_PHRASE_TOKENS_MAX);
    og_phrase_runs_release(&runs);
    free(counts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_counter_with_room_is_exact),
        cmocka_unit_test(test_runs_go_on_for_four_fifths),
        cmocka_unit_test(test_the_least_is_enough),
        cmocka_unit_test(test_long_runs_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
