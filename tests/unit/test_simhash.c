/* Simhash: the definition on small sets, bad weights, kernels. */

#include <math.h>

#include "lib/os/cpu.h"
#include "lib/sketch/simhash.h"
#include "tests/unit/stage_support.h"

static og_simhash make(const uint64_t *hash, const float *weight, size_t n,
                       unsigned n_bits)
{
    og_simhash out;
    og_error err;
    assert_int_equal(og_simhash_features(hash, weight, n, n_bits, &out, &err),
                     OG_OK);
    return out;
}

static void an_empty_set_is_0(void **state)
{
    (void)state;
    const og_simhash h = make(NULL, NULL, 0, 128);
    assert_int_equal(h.word[0], 0);
    assert_int_equal(h.word[1], 0);
}

static void one_feature_is_its_hash(void **state)
{
    (void)state;
    const uint64_t hash = 0x0123456789abcdefu;
    const float weight = 0.001f;
    assert_int_equal(make(&hash, NULL, 1, 64).word[0], hash);
    assert_int_equal(make(&hash, NULL, 1, 64).word[1], 0);
    assert_int_equal(make(&hash, &weight, 1, 64).word[0], hash);
    assert_int_equal(make(&hash, NULL, 1, 128).word[0], hash);
    assert_int_equal(make(&hash, NULL, 1, 128).word[1],
                     og_simhash_second(hash));
}

/* Three features, by hand: 0b0111, 0b0011, 0b0101 with weights 1, 2, 4.
 * Sums: bit 0: 7; bit 1: 1 + 2 - 4 = -1; bit 2: 1 - 2 + 4 = 3; others -7. */
static void the_paper_by_hand(void **state)
{
    (void)state;
    const uint64_t hash[] = {7, 3, 5};
    const float weight[] = {1, 2, 4};
    assert_int_equal(make(hash, weight, 3, 64).word[0], 5);
    /* Without weights: bit 0: 3, bit 1: 1, bit 2: 1. */
    assert_int_equal(make(hash, NULL, 3, 64).word[0], 7);
}

static void a_tie_is_0(void **state)
{
    (void)state;
    const uint64_t hash[] = {1, 2};
    const float weight[] = {1.5f, 1.5f};
    assert_int_equal(make(hash, NULL, 2, 64).word[0], 0);
    assert_int_equal(make(hash, weight, 2, 64).word[0], 0);
}

static void tiny_weights_still_count(void **state)
{
    (void)state;
    const uint64_t hash[] = {1, 2, 2};
    const float weight[] = {1e-30f, 1e-30f, 1e-30f};
    assert_int_equal(make(hash, weight, 3, 64).word[0], 2);
}

static void check_refused(float bad, const char *words)
{
    const uint64_t hash[] = {1, 2, 3};
    const float weight[] = {1, bad, 1};
    og_simhash out = {{42, 43}};
    og_error err;
    assert_int_equal(og_simhash_features(hash, weight, 3, 64, &out, &err),
                     OG_ERR_INPUT);
    assert_non_null(strstr(err.message, words));
    assert_non_null(strstr(err.message, "feature 1"));
    assert_int_equal(out.word[0], 42);
}

static void bad_weights_are_refused(void **state)
{
    (void)state;
    check_refused(-1, "is negative");
    check_refused(0, "is zero");
    check_refused(-0.0f, "is zero");
    check_refused(INFINITY, "is infinite");
    check_refused(-INFINITY, "is infinite");
    check_refused(NAN, "is not a number");
    check_refused(65536, "is over");
}

static void other_bits_are_refused(void **state)
{
    (void)state;
    og_simhash out;
    og_error err;
    const unsigned bad[] = {0, 1, 32, 63, 65, 127, 256};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(og_simhash_features(NULL, NULL, 0, bad[i], &out, &err),
                         OG_ERR_USAGE);
}

static void distances(void **state)
{
    (void)state;
    const og_simhash a = {{0, 0}}, b = {{UINT64_MAX, 1}};
    assert_int_equal(og_simhash_distance(&a, &a), 0);
    assert_int_equal(og_simhash_distance(&a, &b), 65);
}

/* Every kernel of this machine, for every length around the sizes of blocks,
 * against the plain one; weights small and whole, and any. */
static void kernels_are_equal(void **state)
{
    (void)state;
    enum { MOST = 2100 };
    static uint64_t hash[MOST + 8];
    static uint32_t any[MOST], whole[MOST];
    uint64_t random = 7;
    for (size_t i = 0; i < MOST; i++) {
        hash[i] = og_random_next(&random);
        any[i] = (uint32_t)og_random_next(&random);
        whole[i] = (uint32_t)(1 + og_random_next(&random) % 7) << 16;
        /* Runs of equal and extreme hashes, too. */
        if (i % 97 < 20) hash[i] = i % 2 == 0 ? UINT64_MAX : 0;
    }
    const struct og_simhash_kernel *const *all = og_simhash_kernels();
    for (size_t k = 0; all[k] != NULL; k++) {
        for (size_t n = 0; n <= MOST; n += n < 300 || n >= 2000 ? 1 : 41) {
            uint64_t a[64], b[64];
            all[0]->count(hash, n, a);
            all[k]->count(hash, n, b);
            assert_memory_equal(a, b, sizeof(a));
            assert_int_equal(all[k]->sign(hash, n), og_simhash_signs(a, n));
            all[0]->weigh(hash, any, n, UINT32_MAX, a);
            all[k]->weigh(hash, any, n, UINT32_MAX, b);
            assert_memory_equal(a, b, sizeof(a));
            all[0]->weigh(hash, whole, n, 7 << 16, a);
            all[k]->weigh(hash, whole, n, 7 << 16, b);
            assert_memory_equal(a, b, sizeof(a));
        }
    }
}

/* Equal hashes, up to 2^17 of them: every column counts to the same number. */
static void counters_carry_far(void **state)
{
    (void)state;
    enum { N = (1 << 17) + 5 };
    uint64_t *hash = malloc(N * sizeof(*hash));
    const struct og_simhash_kernel *const *all = og_simhash_kernels();
    assert_non_null(hash);
    for (size_t i = 0; i < N; i++)
        hash[i] = 0xf0f0f0f0f0f0f0f0u;
    const size_t sizes[] = {127, 128, 129, 2047, 2048, 2049, N};
    for (size_t k = 0; all[k] != NULL; k++)
        for (size_t s = 0; s < LENGTH(sizes); s++) {
            uint64_t ones[64];
            all[k]->count(hash, sizes[s], ones);
            for (unsigned j = 0; j < 64; j++)
                assert_int_equal(ones[j], j % 8 >= 4 ? sizes[s] : 0);
            assert_int_equal(all[k]->sign(hash, sizes[s]), hash[0]);
        }
    free(hash);
}

/* The same sketch at every level of the processor. */
static void levels_are_equal(void **state)
{
    (void)state;
    enum { N = 777 };
    static uint64_t hash[N];
    static float weight[N];
    uint64_t random = 3;
    const og_cpu before = og_cpu_level();
    for (size_t i = 0; i < N; i++) {
        hash[i] = og_random_next(&random);
        weight[i] = (float)(1 + og_random_next(&random) % 100000) / 777;
    }
    const og_simhash a = make(hash, weight, N, 128);
    const og_simhash b = make(hash, NULL, N, 128);
    for (int level = OG_CPU_PLAIN; level <= OG_CPU_AVX512; level++) {
        og_cpu_force((og_cpu)level);
        const og_simhash c = make(hash, weight, N, 128);
        const og_simhash d = make(hash, NULL, N, 128);
        assert_memory_equal(&a, &c, sizeof(a));
        assert_memory_equal(&b, &d, sizeof(b));
    }
    og_cpu_force(before);
}

/* Must never change: sketches are kept in files. */
static void golden(void **state)
{
    (void)state;
    uint64_t hash[100], random = 1;
    float weight[100];
    for (size_t i = 0; i < 100; i++) {
        hash[i] = og_random_next(&random);
        weight[i] = (float)(i + 1) / 8;
    }
    const og_simhash a = make(hash, NULL, 100, 128);
    const og_simhash b = make(hash, weight, 100, 128);
    assert_int_equal(a.word[0], 0x90e3146e104b43b1u);
    assert_int_equal(a.word[1], 0x0bc17dde8c4519b8u);
    assert_int_equal(b.word[0], 0x98c01b6f344943f3u);
    assert_int_equal(b.word[1], 0x0fc17fceef400df0u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_set_is_0),
        cmocka_unit_test(one_feature_is_its_hash),
        cmocka_unit_test(the_paper_by_hand),
        cmocka_unit_test(a_tie_is_0),
        cmocka_unit_test(tiny_weights_still_count),
        cmocka_unit_test(bad_weights_are_refused),
        cmocka_unit_test(other_bits_are_refused),
        cmocka_unit_test(distances),
        cmocka_unit_test(kernels_are_equal),
        cmocka_unit_test(counters_carry_far),
        cmocka_unit_test(levels_are_equal),
        cmocka_unit_test(golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
