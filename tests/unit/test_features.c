/* The list of features: weights that begin late, merging, and its errors. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "lib/base/bits.h"
#include "lib/sketch/features/features.h"

static void add(struct og_features *f, uint64_t hash, float weight)
{
    assert_int_equal(og_features_add(f, hash, weight, NULL), OG_OK);
}

static void test_weights_begin_late(void **state)
{
    (void)state;
    struct og_features f;
    og_features_init(&f, NULL);
    add(&f, 1, 1);
    add(&f, 2, 1);
    assert_false(f.is_weighted);
    add(&f, 3, 2.5f);
    add(&f, 4, 1);
    assert_true(f.is_weighted);
    assert_int_equal(f.n, 4);
    assert_true(f.weight[0] == 1 && f.weight[1] == 1);
    assert_true(f.weight[2] == 2.5f && f.weight[3] == 1);
    og_features_clear(&f);
    assert_int_equal(f.n, 0);
    assert_false(f.is_weighted);
    add(&f, 9, 1);
    assert_false(f.is_weighted);
    og_features_release(&f);
    og_features_release(&f);
}

static void test_merging(void **state)
{
    (void)state;
    struct og_features f;
    og_features_init(&f, NULL);
    assert_int_equal(og_features_merge(&f, NULL), OG_OK); /* nothing at all */
    assert_int_equal(f.n, 0);
    f.is_merged = false;
    add(&f, 7, 1);
    add(&f, 0, 1); /* a hash of 0 is a hash */
    add(&f, 7, 1);
    add(&f, 0, 1);
    add(&f, 7, 1);
    add(&f, 8, 1);
    assert_int_equal(og_features_merge(&f, NULL), OG_OK);
    assert_true(f.is_merged && f.is_weighted);
    assert_int_equal(f.n, 3); /* in the order of their first places */
    assert_true(f.hash[0] == 7 && f.weight[0] == 3);
    assert_true(f.hash[1] == 0 && f.weight[1] == 2);
    assert_true(f.hash[2] == 8 && f.weight[2] == 1);
    assert_int_equal(og_features_merge(&f, NULL), OG_OK); /* changes nothing */
    assert_int_equal(f.n, 3);
    add(&f, 8, 0.5f);
    assert_false(f.is_merged);
    assert_int_equal(og_features_merge(&f, NULL), OG_OK);
    assert_true(f.n == 3 && f.weight[2] == 1.5f);
    og_features_release(&f);
}

/* Against the definition, with many that come again. */
static void test_merging_many(void **state)
{
    (void)state;
    enum { N = 3000, N_DIFFERENT = 400 };
    uint64_t seed = 5;
    uint32_t counts[N_DIFFERENT] = {0}, order[N_DIFFERENT];
    size_t n_order = 0;
    struct og_features f;
    og_features_init(&f, NULL);
    for (int i = 0; i < N; i++) {
        const uint32_t which = (uint32_t)(og_random_next(&seed) % N_DIFFERENT);
        if (counts[which]++ == 0) order[n_order++] = which;
        add(&f, (uint64_t)which << 40, 1); /* low bits are all equal */
    }
    assert_int_equal(og_features_merge(&f, NULL), OG_OK);
    assert_int_equal(f.n, n_order);
    for (size_t i = 0; i < n_order; i++) {
        assert_true(f.hash[i] == (uint64_t)order[i] << 40);
        assert_true(f.weight[i] == (float)counts[order[i]]);
    }
    og_features_release(&f);
}

static void check_refused(float weight, const char *why)
{
    struct og_features f;
    og_error err;
    og_features_init(&f, NULL);
    add(&f, 1, 2);
    add(&f, 2, weight);
    add(&f, 3, -1); /* the first one is named */
    assert_int_equal(og_features_check(&f, &err), OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "feature 1 "));
    assert_non_null(strstr(err.message, why));
    og_features_release(&f);
}

static void test_checking(void **state)
{
    (void)state;
    struct og_features f;
    check_refused(NAN, "not a number");
    check_refused(INFINITY, "infinite");
    check_refused(-INFINITY, "infinite");
    check_refused(-0.5f, "negative");
    check_refused(0, "zero");
    og_features_init(&f, NULL);
    assert_int_equal(og_features_check(&f, NULL), OG_OK);
    add(&f, 1, 1e-38f);
    add(&f, 1, 3.4e38f); /* the largest numbers are fine */
    assert_int_equal(og_features_check(&f, NULL), OG_OK);
    og_features_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_begin_late),
        cmocka_unit_test(test_merging),
        cmocka_unit_test(test_merging_many),
        cmocka_unit_test(test_checking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
