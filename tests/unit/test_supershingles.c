/* Supershingles: the curve against the book's figures and a plain count, the
 * tables against comparing all pairs. */

#include <math.h>

#include "tests/unit/stage_support.h"

#include "lib/sketch/minhash.h"

static void test_curve_of_the_book(void **state)
{
    (void)state;
    const og_bands altavista = OG_BANDS_ALTAVISTA;
    /* "At similarity 0.95, at least 2 of the 6 values should agree at least
     * 87% of the time"; "less than 0.75 ... smaller than 1 1/2 %"; figure 3.2:
     * "0.7 are near-duplicates is just under one in a thousand". */
    assert_true(og_bands_probability(&altavista, 0.95) > 0.87);
    assert_true(og_bands_probability(&altavista, 0.75) < 0.015);
    assert_true(og_bands_probability(&altavista, 0.70) < 0.001);
    assert_true(og_bands_probability(&altavista, 0.70) > 0.0005);
    assert_true(og_bands_probability(&altavista, 1) == 1);
    assert_true(og_bands_probability(&altavista, 0) < 1e-30);
}

/* By all 2^bands outcomes. */
static double by_counting(const og_bands *b, double j)
{
    const double all = pow(j, b->n_rows);
    const double p = all + (1 - all) * ldexp(1, -(int)b->n_bits);
    double sum = 0;
    for (unsigned outcome = 0; outcome < 1u << b->n_bands; outcome++) {
        const unsigned n = (unsigned)__builtin_popcount(outcome);
        if (n >= b->n_needed) sum += pow(p, n) * pow(1 - p, b->n_bands - n);
    }
    return sum;
}

static void test_curve_is_the_definition(void **state)
{
    (void)state;
    const og_bands designs[] = {OG_BANDS_ALTAVISTA,
                                OG_BANDS_SHORT,
                                {1, 1, 1, 64},
                                {8, 14, 1, 64},
                                {3, 10, 10, 8}};
    for (size_t d = 0; d < LENGTH(designs); d++)
        for (int i = 0; i <= 20; i++) {
            const double j = i / 20.0;
            const double p = og_bands_probability(&designs[d], j);
            assert_true(fabs(p - by_counting(&designs[d], j)) < 1e-9);
        }
}

static void refuse(og_bands bands)
{
    og_error err;
    og_band_tables *tables = NULL;
    assert_int_equal(og_bands_check(&bands, &err), OG_ERR_USAGE);
    assert_int_equal(og_band_tables_new(&bands, &tables, &err), OG_ERR_USAGE);
    assert_null(tables);
}

static void test_designs_are_checked(void **state)
{
    (void)state;
    refuse((og_bands){0, 6, 2, 64});
    refuse((og_bands){14, 0, 2, 64});
    refuse((og_bands){14, 65, 2, 64});
    refuse((og_bands){14, 6, 0, 64});
    refuse((og_bands){14, 6, 7, 64});
    refuse((og_bands){14, 6, 2, 0});
    refuse((og_bands){14, 6, 2, 65});
    refuse((og_bands){1000, 6, 2, 64});
    const og_bands many = {1, 64, 32, 64};
    og_band_tables *tables = NULL;
    assert_int_equal(og_band_tables_new(&many, &tables, NULL), OG_ERR_LIMIT);
}

static void test_values_follow_their_rows(void **state)
{
    (void)state;
    const og_bands bands = OG_BANDS_ALTAVISTA;
    uint32_t samples[84];
    uint64_t a[6], b[6], seed = 1;
    for (int i = 0; i < 84; i++)
        samples[i] = (uint32_t)og_random_next(&seed);
    og_supershingles(&bands, samples, a);
    for (int i = 0; i < 84; i++) {
        samples[i] ^= 1;
        og_supershingles(&bands, samples, b);
        for (int v = 0; v < 6; v++)
            assert_int_equal(a[v] == b[v], v != i / 14);
        samples[i] ^= 1;
    }
}

/* Values out of a few, so that many agree by chance. */
static void check_tables(og_bands bands, size_t n_tables)
{
    enum { N = 600 };
    static uint64_t values[N][64];
    uint64_t seed = bands.n_needed;
    og_band_tables *tables;
    assert_int_equal(og_band_tables_new(&bands, &tables, NULL), OG_OK);
    assert_int_equal(og_band_tables_count(tables), n_tables);
    for (uint32_t doc = 0; doc < N; doc++) {
        const uint32_t *met;
        size_t n_met, at = 0;
        for (uint32_t b = 0; b < bands.n_bands; b++)
            values[doc][b] = og_random_next(&seed) % 12;
        assert_int_equal(
            og_band_tables_meet(tables, values[doc], 0, &met, &n_met, NULL),
            OG_OK);
        for (uint32_t other = 0; other < doc; other++) {
            unsigned n_equal = 0;
            for (uint32_t b = 0; b < bands.n_bands; b++)
                n_equal += values[doc][b] == values[other][b];
            if (n_equal < bands.n_needed) continue;
            assert_true(at < n_met);
            assert_int_equal(met[at++], other);
        }
        assert_int_equal(at, n_met);
    }
    og_band_tables_free(tables);
}

static void test_tables_find_all(void **state)
{
    (void)state;
    check_tables((og_bands)OG_BANDS_ALTAVISTA, 15);
    check_tables((og_bands)OG_BANDS_SHORT, 15);
    check_tables((og_bands){1, 5, 1, 64}, 5);
    check_tables((og_bands){1, 4, 4, 64}, 1);
}

/* A bucket of many copies: bounded by the limit, the oldest first. */
static void test_copies_by_the_thousand(void **state)
{
    (void)state;
    const og_bands bands = OG_BANDS_ALTAVISTA;
    const uint64_t values[6] = {1, 2, 3, 4, 5, 6};
    og_band_tables *tables;
    const uint32_t *met;
    size_t n_met;
    assert_int_equal(og_band_tables_new(&bands, &tables, NULL), OG_OK);
    for (uint32_t i = 0; i < 100000; i++) {
        assert_int_equal(
            og_band_tables_meet(tables, values, 3, &met, &n_met, NULL), OG_OK);
        assert_int_equal(n_met, i < 3 ? i : 3);
        for (uint32_t k = 0; k < n_met; k++)
            assert_int_equal(met[k], k);
    }
    og_band_tables_free(tables);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curve_of_the_book),
        cmocka_unit_test(test_curve_is_the_definition),
        cmocka_unit_test(test_designs_are_checked),
        cmocka_unit_test(test_values_follow_their_rows),
        cmocka_unit_test(test_tables_find_all),
        cmocka_unit_test(test_copies_by_the_thousand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
