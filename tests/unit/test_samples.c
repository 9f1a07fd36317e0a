/* Bits of samples, sets of samples, distances: by hand and by definition. */

#include <math.h>

#include "tests/unit/stage_support.h"

#include "lib/sketch/minhash.h"

static void test_packed_bits(void **state)
{
    (void)state;
    uint32_t a[101], b[101];
    uint8_t packed_a[202 + 1], packed_b[202 + 1];
    uint64_t seed = 4;
    for (int i = 0; i < 101; i++)
        a[i] = b[i] = (uint32_t)(og_random_next(&seed) >> 33);
    for (uint32_t n_bits = 1; n_bits <= 16; n_bits++) {
        const size_t len = (101 * n_bits + 7) / 8;
        packed_a[len] = 0xa5;
        og_samples_pack(a, 101, n_bits, packed_a);
        assert_int_equal(packed_a[len], 0xa5);
        og_samples_pack(b, 101, n_bits, packed_b);
        assert_true(og_packed_similarity(packed_a, packed_b, 101, n_bits) == 1);
    }
    /* 16 bits of different samples are nearly always different. */
    for (int i = 0; i < 101; i += 2)
        b[i] ^= 1u << (i % 31);
    og_samples_pack(a, 101, 16, packed_a);
    og_samples_pack(b, 101, 16, packed_b);
    const double j = og_packed_similarity(packed_a, packed_b, 101, 16);
    assert_true(fabs(j - 50 / 101.0) < 1e-3);
}

static void test_packed_correction(void **state)
{
    (void)state;
    /* 3 of 4 values of one bit are equal: (3/4 - 1/2) / (1/2) = 1/2. */
    const uint8_t a = 0xf, b = 0xe;
    assert_true(fabs(og_packed_similarity(&a, &b, 4, 1) - 0.5) < 1e-12);
}

static void test_sample_sets(void **state)
{
    (void)state;
    const uint64_t a[] = {1, 3, 5, 7}, b[] = {3, 4, 7, 9};
    /* All: {3, 7} of {1 3 4 5 7 9}. The 4 smallest of the union: 1 3 4 5. */
    assert_true(og_sample_sets_similarity(a, 4, b, 4, 0) == 2 / 6.0);
    assert_true(og_sample_sets_similarity(a, 4, b, 4, 4) == 1 / 4.0);
    assert_true(og_sample_sets_similarity(a, 4, a, 4, 4) == 1);
    assert_true(og_sample_sets_similarity(a, 4, b, 0, 4) == 0);
    assert_true(isnan(og_sample_sets_similarity(a, 0, b, 0, 4)));
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void test_smallest_is_the_definition(void **state)
{
    (void)state;
    enum { N = 5000 };
    static uint64_t x[N], hash[N];
    uint64_t seed = 8;
    og_minhash_options o = og_minhash_options_default();
    og_minhash *m;
    o.method = OG_MINHASH_SMALLEST;
    assert_int_equal(og_minhash_new(&o, &m, NULL), OG_OK);
    for (size_t n = 1; n <= N; n = n * 3 + 1) {
        const uint64_t *set;
        size_t n_set;
        for (size_t i = 0; i < n; i++) { /* every third comes twice */
            x[i] = i % 3 == 2 ? x[i - 1] : og_random_next(&seed);
            hash[i] = og_family_hash(&m->family, x[i]);
        }
        qsort(hash, n, sizeof(*hash), by_value);
        assert_int_equal(og_minhash_sample_set(m, x, n, &set, &n_set, NULL),
                         OG_OK);
        size_t k = 0;
        for (size_t i = 0; i < n && k < o.n_samples; i++) {
            if (i > 0 && hash[i] == hash[i - 1]) continue;
            assert_true(k < n_set);
            assert_int_equal(set[k++], hash[i]);
        }
        assert_int_equal(n_set, k);
    }
    og_minhash_free(m);
}

static void test_modulo_is_the_definition(void **state)
{
    (void)state;
    enum { N = 3000 };
    static uint64_t x[N];
    uint64_t seed = 9;
    size_t n_set, n_expected = 0;
    const uint64_t *set;
    og_minhash_options o = og_minhash_options_default();
    og_minhash *m;
    o.method = OG_MINHASH_MODULO;
    o.modulus = 10;
    assert_int_equal(og_minhash_new(&o, &m, NULL), OG_OK);
    for (size_t i = 0; i < N; i++) {
        x[i] = og_random_next(&seed);
        n_expected += og_family_hash(&m->family, x[i]) % 10 == 0;
    }
    assert_int_equal(og_minhash_sample_set(m, x, N, &set, &n_set, NULL), OG_OK);
    assert_int_equal(n_set, n_expected);
    for (size_t i = 0; i < n_set; i++) {
        assert_int_equal(set[i] % 10, 0);
        assert_true(i == 0 || set[i] > set[i - 1]);
    }
    og_minhash_free(m);
}

/* Sets that differ in one place have the groups of all other places in
 * common, and there are about as many groups as the book says. */
static void test_groups_are_in_step_again(void **state)
{
    (void)state;
    enum { N = 2000 };
    static uint64_t a[N], b[N], groups_a[N], groups_b[N];
    uint64_t seed = 10;
    for (size_t i = 0; i < N; i++)
        a[i] = b[i] = (uint64_t)i << 40 | og_random_next(&seed) >> 30;
    b[N / 2]++;
    const size_t n_a = og_sample_groups(a, N, 10, groups_a);
    const size_t n_b = og_sample_groups(b, N, 10, groups_b);
    assert_true(n_a > N / 10 - 50 && n_a < N / 10 + 50);
    size_t n_front = 0, n_back = 0;
    while (n_front < n_a && groups_a[n_front] == groups_b[n_front])
        n_front++;
    while (n_back < n_a &&
           groups_a[n_a - 1 - n_back] == groups_b[n_b - 1 - n_back])
        n_back++;
    assert_true(n_front + n_back < n_a);
    assert_true(n_front + n_back + 2 >= n_a);
    assert_int_equal(og_sample_groups(a, 0, 10, groups_a), 0);
    assert_int_equal(og_sample_groups(a, 7, 1, groups_a), 7);
}

/* u = (3, 0, 2), v = (1, 4, 2): |u - v| = 6, J = 3 / 9, norms 5 and 7. */
static void test_l1(void **state)
{
    (void)state;
    assert_true(fabs(og_l1_distance(3 / 9.0, 5, 7) - 6) < 1e-12);
    assert_true(og_l1_distance(1, 5, 5) == 0);
    assert_true(og_l1_distance(0, 5, 7) == 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packed_bits),
        cmocka_unit_test(test_packed_correction),
        cmocka_unit_test(test_sample_sets),
        cmocka_unit_test(test_smallest_is_the_definition),
        cmocka_unit_test(test_modulo_is_the_definition),
        cmocka_unit_test(test_groups_are_in_step_again),
        cmocka_unit_test(test_l1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
