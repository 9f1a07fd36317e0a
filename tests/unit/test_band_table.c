/* Sketches with an equal band, against a look at all pairs. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/dedup/band_table.h"

static const struct og_band_design design = {6, 3};
#define N_SAMPLES    18
#define MOST_SAMPLES 32

static bool share_a_band(const struct og_band_design *d, const uint8_t *a,
                         const uint8_t *b)
{
    for (uint32_t i = 0; i < d->n_bands; i++)
        if (memcmp(a + d->n_rows * i, b + d->n_rows * i, d->n_rows) == 0)
            return true;
    return false;
}

static void random_sketch(uint64_t *state, size_t n, unsigned n_values,
                          uint8_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(og_random_next(state) % n_values);
}

enum { N = 2000 };
static uint8_t sketches[N][MOST_SAMPLES];
static struct og_set_parity parities[N];

/* Whether entry j is to be told when i asks. */
static bool is_wanted(const struct og_band_design *d,
                      const struct og_band_filter *filter, uint32_t i,
                      uint32_t j)
{
    if (!share_a_band(d, sketches[i], sketches[j])) return false;
    if (filter == NULL) return true;
    if (og_band_agreement(sketches[i], sketches[j],
                          (size_t)d->n_bands * d->n_rows) < filter->least_equal)
        return false;
    return filter->limits == NULL ||
           og_set_parity_filter(parities, &parities[i], filter->limits, &j,
                                1) == 1;
}

static void check_all(const struct og_band_design *d, unsigned n_values,
                      const struct og_band_filter *filter)
{
    const size_t n_samples = (size_t)d->n_bands * d->n_rows;
    uint64_t random = 1;
    size_t n_reported = 0;
    struct og_band_table table;
    struct og_band_hits hits = {0};
    assert_int_equal(og_band_table_init(&table, d, 0, NULL, NULL), OG_OK);
    for (uint32_t i = 0; i < N; i++) {
        random_sketch(&random, n_samples, n_values, sketches[i]);
        const uint64_t fp = og_random_next(&random) % 3;
        parities[i] = og_set_parity_of(&fp, i % 5 != 0);
        const struct og_band_item item = {.sketch = sketches[i],
                                          .parity = parities[i]};
        assert_int_equal(og_band_table_find(&table, &item, filter, &hits, NULL),
                         OG_OK);
        size_t at = 0, n_met = 0;
        for (uint32_t j = 0; j < i; j++) {
            for (uint32_t b = 0; b < d->n_bands; b++)
                n_met += memcmp(sketches[i] + b * d->n_rows,
                                sketches[j] + b * d->n_rows, d->n_rows) == 0;
            if (!is_wanted(d, filter, i, j)) continue;
            assert_true(at < hits.n);
            assert_int_equal(hits.hits[at].entry, j);
            assert_int_equal(
                hits.hits[at].n_equal,
                og_band_agreement(sketches[i], sketches[j], n_samples));
            at++;
        }
        assert_int_equal(at, hits.n);
        assert_int_equal(n_met, hits.n_met); /* filtered or not */
        for (size_t k = 0; k < hits.n; k++)
            assert_int_equal(
                og_band_table_equals(&table, sketches[i], hits.hits[k].entry),
                hits.hits[k].n_equal == n_samples);
        n_reported += at;
        assert_int_equal(og_band_table_add(&table, &item, &hits, NULL), OG_OK);
        assert_true(og_band_table_equals(&table, sketches[i], i));
    }
    assert_true(n_reported > 100);
    og_band_hits_release(NULL, &hits);
    og_band_table_release(&table);
}

static void test_finds_what_a_scan_finds(void **state)
{
    (void)state;
    const struct og_band_design words = {4, 8}; /* compared at once */
    struct og_parity_limits limits;
    og_parity_limits_init(&limits, 0.8);
    const struct og_band_filter filters[] = {
        {8, NULL}, {0, &limits}, {9, &limits}};
    check_all(&design, 7, NULL);
    check_all(&words, 3, NULL);
    for (size_t i = 0; i < 3; i++) {
        check_all(&design, 7, &filters[i]);
        check_all(&words, 3, &filters[i]);
    }
}

static void test_a_bucket_has_an_end(void **state)
{
    (void)state;
    uint8_t sketch[N_SAMPLES] = {0};
    const struct og_band_item item = {.sketch = sketch};
    struct og_band_table table;
    struct og_band_hits hits = {0};
    assert_int_equal(og_band_table_init(&table, &design, 0, NULL, NULL), OG_OK);
    for (int i = 0; i < OG_BAND_BUCKET_MOST + 100; i++) {
        assert_int_equal(og_band_table_find(&table, &item, NULL, &hits, NULL),
                         OG_OK);
        assert_true(hits.n <= OG_BAND_BUCKET_MOST);
        assert_int_equal(og_band_table_add(&table, &item, &hits, NULL), OG_OK);
    }
    assert_int_equal(hits.n, OG_BAND_BUCKET_MOST);
    og_band_hits_release(NULL, &hits);
    og_band_table_release(&table);
}

static void test_the_cap_holds(void **state)
{
    (void)state;
    uint64_t random = 2;
    uint8_t sketch[N_SAMPLES];
    const struct og_band_item item = {.sketch = sketch};
    struct og_band_table table;
    struct og_band_hits hits = {0};
    const uint64_t memory = 100000;
    assert_int_equal(og_band_table_init(&table, &design, memory, NULL, NULL),
                     OG_OK);
    while (og_band_table_has_room(&table, 0)) {
        random_sketch(&random, N_SAMPLES, 5, sketch);
        og_band_table_find(&table, &item, NULL, &hits, NULL);
        og_band_table_add(&table, &item, &hits, NULL);
        assert_true(og_band_table_bytes(&table) <= memory);
    }
    assert_true(og_band_table_bytes(&table) > memory / 4);
    og_band_table_clear(&table);
    assert_true(og_band_table_has_room(&table, 0));
    og_band_table_find(&table, &item, NULL, &hits, NULL);
    assert_int_equal(hits.n, 0);
    og_band_hits_release(NULL, &hits);
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
