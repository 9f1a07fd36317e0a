/* Band sketches: designs, samples that depend on the set alone, keys. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/sketch/band_sketch.h"

static og_status check(uint32_t n_bands, uint32_t n_rows, og_error *err)
{
    const struct og_band_design design = {n_bands, n_rows};
    return og_band_design_check(&design, err);
}

static void test_designs(void **state)
{
    (void)state;
    og_error err;
    assert_int_equal(check(1, 1, NULL), OG_OK);
    assert_int_equal(check(1, 1024, NULL), OG_OK);
    assert_int_equal(check(256, 4, NULL), OG_OK);
    assert_int_equal(check(0, 1, &err), OG_ERR_USAGE);
    assert_non_null(strstr(err.message, "0 bands"));
    assert_int_equal(check(257, 1, &err), OG_ERR_USAGE);
    assert_int_equal(check(1, 0, &err), OG_ERR_USAGE);
    assert_int_equal(check(1, 1025, &err), OG_ERR_USAGE);
    assert_non_null(strstr(err.message, "1025 rows"));
    assert_int_equal(check(256, 5, &err), OG_ERR_USAGE);
    assert_int_equal(check(256, UINT32_MAX, &err), OG_ERR_USAGE);
}

/* Neither the order nor the repetition of fingerprints matters, also for
 * lengths around a run of 512. */
static void test_a_sketch_is_of_a_set(void **state)
{
    (void)state;
    static const size_t lens[] = {1, 2, 511, 512, 513, 1030};
    const struct og_band_design design = {14, 8};
    struct og_band_sketcher sketcher;
    uint64_t fps[1030], turned[2060];
    uint8_t a[112], b[112];
    uint64_t seed = 3;
    for (size_t i = 0; i < 1030; i++)
        fps[i] = og_random_next(&seed);
    assert_int_equal(og_band_sketcher_init(&sketcher, &design, NULL, NULL),
                     OG_OK);
    assert_int_equal(sketcher.n_samples, 112);
    for (size_t k = 0; k < sizeof(lens) / sizeof(lens[0]); k++) {
        const size_t n = lens[k];
        for (size_t i = 0; i < n; i++)
            turned[i] = turned[2 * n - 1 - i] = fps[n - 1 - i];
        og_band_sketch(&sketcher, fps, n, a);
        og_band_sketch(&sketcher, turned, 2 * n, b);
        assert_memory_equal(a, b, sizeof(a));
    }
    og_band_sketcher_release(&sketcher);
}

/* The share of equal samples estimates the similarity; an unequal one agrees
 * once in 256 all the same. */
static void test_agreement_estimates(void **state)
{
    (void)state;
    enum { N = 900, N_SAMPLES = 1024 };
    const struct og_band_design design = {128, 8};
    struct og_band_sketcher sketcher;
    static uint64_t fps[N + N / 2];
    static uint8_t a[N_SAMPLES], b[N_SAMPLES];
    uint64_t seed = 11;
    for (size_t i = 0; i < N + N / 2; i++)
        fps[i] = og_random_next(&seed);
    assert_int_equal(og_band_sketcher_init(&sketcher, &design, NULL, NULL),
                     OG_OK);
    og_band_sketch(&sketcher, fps, N, a);
    og_band_sketch(&sketcher, fps + N / 2, N, b); /* a third in common */
    const double share = (double)og_band_agreement(a, b, N_SAMPLES) / N_SAMPLES;
    const double expected = 1.0 / 3 + 2.0 / 3 / 256;
    assert_true(share > expected - 0.06 && share < expected + 0.06);
    og_band_sketcher_release(&sketcher);
}

static void test_agreement_counts(void **state)
{
    (void)state;
    static uint8_t a[700], b[700];
    for (size_t i = 0; i < 700; i++)
        b[i] = i % 3 == 0;
    for (size_t n = 0; n <= 700; n += n < 300 ? 1 : 100) {
        size_t plain = 0;
        for (size_t i = 0; i < n; i++)
            plain += a[i] == b[i];
        assert_int_equal(og_band_agreement(a, b, n), plain);
        assert_int_equal(og_band_agreement(a, a, n), n);
    }
}

/* Every sample of a band counts, and so does the number of rows. */
static void test_keys(void **state)
{
    (void)state;
    uint8_t samples[24] = {0};
    for (uint32_t n = 1; n <= 20; n++) {
        const uint64_t key = og_band_key(samples, n);
        assert_true(key != og_band_key(samples, n + 1));
        for (uint32_t i = 0; i < n; i++) {
            samples[i] = 1;
            assert_true(og_band_key(samples, n) != key);
            samples[i] = 0;
        }
        samples[n] = 1; /* what follows does not */
        assert_true(og_band_key(samples, n) == key);
        samples[n] = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_designs),
        cmocka_unit_test(test_a_sketch_is_of_a_set),
        cmocka_unit_test(test_agreement_estimates),
        cmocka_unit_test(test_agreement_counts),
        cmocka_unit_test(test_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
