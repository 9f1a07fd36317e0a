/* Traits: the book's figures, the plain definition beside them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/similar/file_sketch.h"

static const struct og_file_sketch_options book =
    OG_FILE_SKETCH_OPTIONS_DEFAULT;

static void test_the_book_has_12_samples_of_6_bits(void **state)
{
    (void)state;
    uint64_t keys[100], random = 1;
    uint16_t traits[12];
    assert_int_equal(book.n_samples, 12);
    assert_int_equal(book.n_bits, 6);
    for (size_t i = 0; i < 100; i++)
        keys[i] = og_random_next(&random);
    og_file_sketch_make(keys, 100, &book, traits);
    for (size_t t = 0; t < 12; t++)
        assert_true(traits[t] < 64);
}

static void test_order_and_repetition_do_not_matter(void **state)
{
    (void)state;
    uint64_t keys[64], other[128], random = 2;
    uint16_t a[12], b[12];
    for (size_t i = 0; i < 64; i++)
        keys[i] = og_random_next(&random);
    for (size_t i = 0; i < 128; i++)
        other[i] = keys[(i * 37 + 11) % 64];
    og_file_sketch_make(keys, 64, &book, a);
    og_file_sketch_make(other, 128, &book, b);
    assert_memory_equal(a, b, sizeof(a));
}

/* Two sets of n keys with `common` of them in both. */
static double agreement(size_t n, size_t common, uint64_t seed, size_t rounds)
{
    size_t agreed = 0;
    uint64_t random = seed, a[256], b[256];
    uint16_t x[12], y[12];
    for (size_t r = 0; r < rounds; r++) {
        for (size_t i = 0; i < n; i++) {
            a[i] = og_random_next(&random);
            b[i] = i < common ? a[i] : og_random_next(&random);
        }
        og_file_sketch_make(a, n, &book, x);
        og_file_sketch_make(b, n, &book, y);
        agreed += og_file_sketch_matches(x, y, 12);
    }
    return (double)agreed / (12.0 * (double)rounds);
}

static void test_samples_agree_as_the_book_says(void **state)
{
    (void)state;
    /* p + (1 - p) / 64; three standard deviations of 12,000 draws are less
     * than 0.014. */
    for (size_t common = 0; common <= 60; common += 20) {
        const double p = (double)common / (double)(120 - common);
        const double expected = p + (1 - p) / 64;
        const double seen = agreement(60, common, 7 + common, 1000);
        assert_true(seen > expected - 0.014 && seen < expected + 0.014);
    }
}

static void test_estimate_turns_the_expectation_round(void **state)
{
    (void)state;
    assert_true(og_file_sketch_jaccard(12, &book) == 1.0);
    assert_true(og_file_sketch_jaccard(0, &book) == 0.0);
    const double p = og_file_sketch_jaccard(6, &book);
    const double expected = (0.5 - 1 / 64.0) / (1 - 1 / 64.0);
    assert_true(p > expected - 1e-12 && p < expected + 1e-12);
}

static void test_values_are_part_of_the_format(void **state)
{
    (void)state;
    const uint64_t keys[] = {1, 2, 3, 4, 5};
    uint16_t traits[12];
    og_file_sketch_make(keys, 5, &book, traits);
    uint64_t sum = 0;
    for (size_t t = 0; t < 12; t++)
        sum = og_mix64(sum ^ traits[t]);
    /* An index on disk keeps keys alone, so this may change with a version of
     * the index and not before. */
    assert_int_equal(sum, 0x2f30a0d7d3163fb6u);
}

static void test_wrong_sizes_are_named(void **state)
{
    (void)state;
    og_error err;
    struct og_file_sketch_options o = {.n_samples = 0, .n_bits = 6};
    assert_int_equal(og_file_sketch_check(&o, &err), OG_ERR_USAGE);
    assert_non_null(strstr(err.message, "samples"));
    o = (struct og_file_sketch_options){.n_samples = 12, .n_bits = 17};
    assert_int_equal(og_file_sketch_check(&o, &err), OG_ERR_USAGE);
    assert_non_null(strstr(err.message, "bits"));
    o = (struct og_file_sketch_options){.n_samples = 64, .n_bits = 16};
    assert_int_equal(og_file_sketch_check(&o, &err), OG_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_book_has_12_samples_of_6_bits),
        cmocka_unit_test(test_order_and_repetition_do_not_matter),
        cmocka_unit_test(test_samples_agree_as_the_book_says),
        cmocka_unit_test(test_estimate_turns_the_expectation_round),
        cmocka_unit_test(test_values_are_part_of_the_format),
        cmocka_unit_test(test_wrong_sizes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
