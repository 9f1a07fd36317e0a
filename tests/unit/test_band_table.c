/* Sketches with an equal band, against a look at all pairs. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/neighbour/band_table.h"

static const struct og_band_design design = {6, 3};
#define N_SAMPLES 18

static bool share_a_band(const uint8_t *a, const uint8_t *b)
{
    for (uint32_t i = 0; i < design.n_bands; i++)
        if (memcmp(a + 3 * i, b + 3 * i, 3) == 0) return true;
    return false;
}

static void random_sketch(uint64_t *state, uint8_t *out)
{
    for (size_t i = 0; i < N_SAMPLES; i++)
        out[i] = (uint8_t)(og_random_next(state) % 5);
}

static void test_finds_what_a_scan_finds(void **state)
{
    (void)state;
    enum { N = 2000 };
    static uint8_t sketches[N][N_SAMPLES];
    uint64_t random = 1;
    struct og_band_table table;
    struct og_band_hits hits = {0};
    assert_int_equal(og_band_table_init(&table, &design, 0, NULL, NULL), OG_OK);
    for (uint32_t i = 0; i < N; i++) {
        random_sketch(&random, sketches[i]);
        assert_int_equal(
            og_band_table_find(&table, sketches[i], NULL, 0, &hits, NULL),
            OG_OK);
        size_t at = 0;
        for (uint32_t j = 0; j < i; j++) {
            if (!share_a_band(sketches[i], sketches[j])) continue;
            assert_true(at < hits.n);
            assert_int_equal(hits.hits[at].entry, j);
            assert_int_equal(
                hits.hits[at].n_equal,
                og_band_agreement(sketches[i], sketches[j], N_SAMPLES));
            at++;
        }
        assert_int_equal(at, hits.n);
        assert_int_equal(
            og_band_table_add(&table, sketches[i], NULL, &hits, NULL), OG_OK);
    }
    og_band_hits_release(&table, &hits);
    og_band_table_release(&table);
}

static void test_a_bucket_has_an_end(void **state)
{
    (void)state;
    uint8_t sketch[N_SAMPLES] = {0};
    struct og_band_table table;
    struct og_band_hits hits = {0};
    assert_int_equal(og_band_table_init(&table, &design, 0, NULL, NULL), OG_OK);
    for (int i = 0; i < OG_BAND_BUCKET_MOST + 100; i++) {
        assert_int_equal(
            og_band_table_find(&table, sketch, NULL, 0, &hits, NULL), OG_OK);
        assert_true(hits.n <= OG_BAND_BUCKET_MOST);
        assert_int_equal(og_band_table_add(&table, sketch, NULL, &hits, NULL),
                         OG_OK);
    }
    assert_int_equal(hits.n, OG_BAND_BUCKET_MOST);
    og_band_hits_release(&table, &hits);
    og_band_table_release(&table);
}

static void test_the_cap_holds(void **state)
{
    (void)state;
    uint64_t random = 2;
    uint8_t sketch[N_SAMPLES];
    struct og_band_table table;
    struct og_band_hits hits = {0};
    const uint64_t memory = 100000;
    assert_int_equal(og_band_table_init(&table, &design, memory, NULL, NULL),
                     OG_OK);
    while (og_band_table_has_room(&table)) {
        random_sketch(&random, sketch);
        og_band_table_find(&table, sketch, NULL, 0, &hits, NULL);
        og_band_table_add(&table, sketch, NULL, &hits, NULL);
        assert_true(og_band_table_bytes(&table) <= memory);
    }
    assert_true(og_band_table_bytes(&table) > memory / 4);
    og_band_table_clear(&table);
    assert_true(og_band_table_has_room(&table));
    og_band_table_find(&table, sketch, NULL, 0, &hits, NULL);
    assert_int_equal(hits.n, 0);
    og_band_hits_release(&table, &hits);
    og_band_table_release(&table);
}

static void test_designs_are_checked(void **state)
{
    (void)state;
    struct og_band_table table;
    og_error err;
    const struct og_band_design wrong[] = {{0, 8}, {8, 0}, {257, 1}, {64, 17}};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(og_band_table_init(&table, &wrong[i], 0, NULL, &err),
                         OG_ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_what_a_scan_finds),
        cmocka_unit_test(test_a_bucket_has_an_end),
        cmocka_unit_test(test_the_cap_holds),
        cmocka_unit_test(test_designs_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
