/* Shingles in common, against two loops; and sketches that agree as often as
 * the sets do. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/sketch/band_sketch.h"
#include "lib/sketch/shingle_set.h"

enum { MOST = 400 };

static size_t plain_distinct(const uint64_t *x, size_t n, uint64_t *out)
{
    size_t n_out = 0;
    for (size_t i = 0; i < n; i++) {
        size_t j = 0;
        while (j < n_out && out[j] != x[i])
            j++;
        if (j == n_out) out[n_out++] = x[i];
    }
    return n_out;
}

static void test_common_is_what_two_loops_count(void **state)
{
    (void)state;
    uint64_t random = 3, a[MOST], b[MOST], da[MOST], db[MOST], distinct[MOST];
    uint16_t tags[MOST];
    struct og_shingle_set set;
    og_shingle_set_init(&set, NULL);
    for (int round = 0; round < 300; round++) {
        const size_t na = og_random_next(&random) % MOST;
        const size_t nb = og_random_next(&random) % MOST;
        const uint64_t range = 1 + og_random_next(&random) % 600;
        for (size_t i = 0; i < na; i++) /* 0 is a fingerprint like any other */
            a[i] = (og_random_next(&random) % range) * 0xbf58476d1ce4e5b9u;
        for (size_t i = 0; i < nb; i++)
            b[i] = (og_random_next(&random) % range) * 0xbf58476d1ce4e5b9u;
        const size_t n_da = plain_distinct(a, na, da);
        const size_t n_db = plain_distinct(b, nb, db);
        size_t common = 0;
        for (size_t i = 0; i < n_da; i++)
            for (size_t j = 0; j < n_db; j++)
                common += da[i] == db[j];
        assert_int_equal(og_shingle_set_fill(&set, a, na, distinct, NULL),
                         OG_OK);
        assert_int_equal(set.n, n_da);
        assert_int_equal(og_shingle_set_common(&set, db, n_db, 0), common);
        assert_int_equal(og_shingle_set_common(&set, db, n_db, common), common);
        assert_true(og_shingle_set_common(&set, db, n_db, common + 1) <=
                    common);
        assert_int_equal(og_shingle_set_mark(&set, a, na, NULL), OG_OK);
        og_shingle_tags(db, n_db, tags);
        assert_true(og_shingle_set_at_most(&set, tags, n_db, common) >= common);
        for (double t = 0.05; t <= 1; t += 0.05) {
            const bool alike = og_jaccard(n_da, n_db, common) >= t;
            assert_true(!alike || common >= og_jaccard_least(n_da, n_db, t));
            const bool inside = og_containment(n_da, n_db, common) >= t;
            assert_true(!inside ||
                        common >= og_containment_least(n_da, n_db, t));
        }
    }
    og_shingle_set_release(&set);
}

static void test_samples_agree_as_often_as_sets_do(void **state)
{
    (void)state;
    enum { N = 500, ROUNDS = 60 };
    const struct og_band_design design = {14, 8};
    struct og_band_sketcher sketcher;
    uint64_t random = 4, a[N], b[N];
    uint8_t x[112], y[112];
    assert_int_equal(og_band_sketcher_init(&sketcher, &design, NULL, NULL),
                     OG_OK);
    for (size_t n_same = 0; n_same <= N; n_same += N / 4) {
        double sum = 0;
        for (int round = 0; round < ROUNDS; round++) {
            for (size_t i = 0; i < N; i++) {
                a[i] = og_random_next(&random);
                b[i] = i < n_same ? a[i] : og_random_next(&random);
            }
            og_band_sketch(&sketcher, a, N, x);
            og_band_sketch(&sketcher, b, N, y);
            sum += (double)og_band_agreement(x, y, sizeof(x)) / sizeof(x);
        }
        const double j = (double)n_same / (2.0 * N - (double)n_same);
        const double expected = j + (1 - j) / 256;
        const double error =
            sqrt(expected * (1 - expected) / (112.0 * ROUNDS)) + 1e-9;
        assert_true(fabs(sum / ROUNDS - expected) < 5 * error);
    }
    og_band_sketcher_release(&sketcher);
}

/* Two features whose low bytes are equal are two features. */
static void test_single_features_do_not_agree(void **state)
{
    (void)state;
    const struct og_band_design design = {14, 8};
    struct og_band_sketcher sketcher;
    uint8_t x[112], y[112];
    size_t n_agree = 0;
    assert_int_equal(og_band_sketcher_init(&sketcher, &design, NULL, NULL),
                     OG_OK);
    for (uint64_t i = 1; i < 3000; i++) {
        const uint64_t a = i << 8, b = (i + 1) << 8;
        og_band_sketch(&sketcher, &a, 1, x);
        og_band_sketch(&sketcher, &b, 1, y);
        n_agree += og_band_agreement(x, y, sizeof(x));
    }
    assert_true(n_agree < 3000 * 112 / 256 * 2);
    og_band_sketcher_release(&sketcher);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_common_is_what_two_loops_count),
        cmocka_unit_test(test_samples_agree_as_often_as_sets_do),
        cmocka_unit_test(test_single_features_do_not_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
