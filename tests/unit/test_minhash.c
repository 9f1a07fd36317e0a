/* The entry point of min-hash: options, empty sets, single features,
 * repetitions, invalid weights, exhausted memory; the exact form compared with
 * its definition, word for word. */

#include <math.h>

#include "tests/unit/stage_support.h"

#include "lib/sketch/minhash.h"

static og_minhash *make(og_minhash_method method, uint32_t n_samples)
{
    og_minhash_options o = og_minhash_options_default();
    og_minhash *m = NULL;
    o.method = method;
    o.n_samples = n_samples;
    assert_int_equal(og_minhash_new(&o, &m, NULL), OG_OK);
    return m;
}

static bool makes_rows(int method)
{
    return !og_minhash_is_set((og_minhash_method)method);
}

static void test_names(void **state)
{
    (void)state;
    for (int i = 0; i < OG_MINHASH_METHOD_END; i++) {
        const char *name = og_minhash_method_name((og_minhash_method)i);
        og_minhash_method parsed = OG_MINHASH_METHOD_END;
        assert_true(
            og_minhash_method_parse((og_bytes){name, strlen(name)}, &parsed));
        assert_int_equal(parsed, i);
    }
    og_minhash_method kept = OG_MINHASH_ONE;
    assert_false(og_minhash_method_parse((og_bytes){"", 0}, &kept));
    assert_int_equal(kept, OG_MINHASH_ONE);
}

static void refuse(og_minhash_options o, const char *word)
{
    og_error err;
    og_minhash *m = NULL;
    assert_int_equal(og_minhash_new(&o, &m, &err), OG_ERR_USAGE);
    assert_null(m);
    assert_non_null(strstr(err.message, word));
}

static void test_options_are_checked(void **state)
{
    (void)state;
    og_minhash_options o = og_minhash_options_default();
    assert_int_equal(og_minhash_options_check(&o, NULL), OG_OK);
    o.n_samples = 0;
    refuse(o, "samples");
    o.n_samples = OG_SAMPLES_MAX + 1;
    refuse(o, "samples");
    o = og_minhash_options_default();
    o.n_bits = 17;
    refuse(o, "bits");
    o.n_bits = 0;
    refuse(o, "bits");
    o.n_bits = 2;
    o.method = OG_MINHASH_SMALLEST;
    refuse(o, "smallest");
    o = og_minhash_options_default();
    o.modulus = 0;
    refuse(o, "modulus");
    o = og_minhash_options_default();
    o.method = OG_MINHASH_METHOD_END;
    refuse(o, "method");
    o = og_minhash_options_default();
    o.family = OG_FAMILY_END;
    refuse(o, "family");
}

static void test_empty_set(void **state)
{
    (void)state;
    for (int method = 0; method < OG_MINHASH_METHOD_END; method++) {
        og_minhash *m = make((og_minhash_method)method, 20);
        if (makes_rows(method)) {
            uint32_t a[20], b[20];
            const uint64_t x = 7;
            const float w = 1;
            assert_int_equal(og_minhash_samples(m, NULL, NULL, 0, a, NULL),
                             OG_OK);
            assert_int_equal(og_minhash_samples(m, &x, &w, 1, b, NULL), OG_OK);
            for (int i = 0; i < 20; i++) {
                assert_int_equal(a[i], OG_SAMPLE_NONE);
                assert_int_not_equal(b[i], OG_SAMPLE_NONE);
            }
            assert_true(og_samples_similarity(a, a, 20) == 0);
            assert_true(og_samples_similarity(a, b, 20) == 0);
            assert_true(og_samples_similarity(b, b, 20) == 1);
        } else {
            const uint64_t *set;
            size_t n = 1;
            assert_int_equal(og_minhash_sample_set(m, NULL, 0, &set, &n, NULL),
                             OG_OK);
            assert_int_equal(n, 0);
        }
        og_minhash_free(m);
    }
}

/* Neither order nor repetition of features matters. */
static void test_order_and_repetition(void **state)
{
    (void)state;
    enum { N = 150 };
    uint64_t x[N], y[2 * N], seed = 3;
    uint32_t a[84], b[84];
    for (size_t i = 0; i < N; i++)
        x[i] = og_random_next(&seed);
    for (size_t i = 0; i < N; i++)
        y[i] = y[2 * N - 1 - i] = x[(i * 7 + 5) % N];
    for (int method = 0; method < OG_MINHASH_SMALLEST; method++) {
        og_minhash *m = make((og_minhash_method)method, 84);
        assert_int_equal(og_minhash_samples(m, x, NULL, N, a, NULL), OG_OK);
        assert_int_equal(og_minhash_samples(m, y, NULL, 2 * N, b, NULL), OG_OK);
        assert_memory_equal(a, b, sizeof(a));
        og_minhash_free(m);
    }
}

/* The definition, after the book's naive loop. */
static void test_exact_is_the_definition(void **state)
{
    (void)state;
    enum { N = 700, SAMPLES = 84 };
    uint64_t x[N], seed = 11;
    uint32_t samples[SAMPLES];
    for (size_t i = 0; i < N; i++)
        x[i] = og_random_next(&seed);
    og_minhash *m = make(OG_MINHASH_EXACT, SAMPLES);
    assert_int_equal(og_minhash_samples(m, x, NULL, N, samples, NULL), OG_OK);
    for (size_t s = 0; s < SAMPLES; s++) {
        uint32_t least = UINT32_MAX;
        for (size_t i = 0; i < N; i++) {
            const uint32_t value = og_family_lane(
                &m->family, x[i], og_family_hash(&m->family, x[i]), s);
            if (value < least) least = value;
        }
        assert_int_equal(samples[s], least);
    }
    og_minhash_free(m);
}

/* auto, by its order: features that the first round puts into the bin, by
 * their low half; those of 16 further rounds; all by the exact value. */
static void test_auto_is_the_definition(void **state)
{
    (void)state;
    enum { N = 130, SAMPLES = 100 };
    uint64_t x[N], seed = 12;
    uint32_t samples[SAMPLES];
    for (size_t i = 0; i < N; i++)
        x[i] = og_random_next(&seed);
    og_minhash *m = make(OG_MINHASH_AUTO, SAMPLES);
    for (size_t n = 1; n <= N; n++) {
        assert_int_equal(og_minhash_samples(m, x, NULL, n, samples, NULL),
                         OG_OK);
        for (size_t s = 0; s < SAMPLES; s++) {
            uint64_t least = UINT64_MAX;
            for (size_t i = 0; i < n; i++) {
                const uint64_t base = og_family_hash(&m->family, x[i]);
                uint64_t value = (uint64_t)17 << 32 |
                                 og_family_lane(&m->family, x[i], base, s);
                for (size_t round = 16; round-- > 0;) {
                    const uint64_t placed =
                        SAMPLES *
                        (uint64_t)og_family_lane(&m->family, x[i], base, round);
                    if (placed >> 32 == s)
                        value = (round + 1) << 32 | (uint32_t)placed;
                }
                if ((base >> 32) * SAMPLES >> 32 == s) value = (uint32_t)base;
                if (value < least) least = value;
            }
            assert_int_equal(samples[s], (uint32_t)least);
        }
    }
    og_minhash_free(m);
}

/* A long set: every bin has features, so `auto` and `one` are the least of each
 * bin, whatever short way leads there. Few bins and many, sizes around those
 * from which the short way is taken, every family. */
static void test_long_sets_are_the_definition(void **state)
{
    (void)state;
    enum { N = 30000, MOST = 300 };
    static uint64_t x[N];
    uint64_t seed = 14;
    uint32_t samples[MOST], least[MOST];
    const uint32_t n_samples[] = {1, 2, 84, 128, MOST};
    const size_t sizes[] = {3000, 4096, 4097, N};
    for (size_t i = 0; i < N; i++)
        x[i] = og_random_next(&seed);
    for (size_t k = 0; k < LENGTH(n_samples) * OG_FAMILY_END * 2; k++) {
        og_minhash_options options = og_minhash_options_default();
        og_minhash *m;
        options.n_samples = n_samples[k % LENGTH(n_samples)];
        options.family = (og_hash_family)(k / LENGTH(n_samples) / 2);
        options.method =
            k / LENGTH(n_samples) % 2 ? OG_MINHASH_ONE : OG_MINHASH_AUTO;
        assert_int_equal(og_minhash_new(&options, &m, NULL), OG_OK);
        for (size_t s = 0; s < LENGTH(sizes); s++) {
            memset(least, 0xff, sizeof(least));
            for (size_t i = 0; i < sizes[s]; i++) {
                const uint64_t hash = og_family_hash(&m->family, x[i]);
                uint32_t *bin = &least[(hash >> 32) * options.n_samples >> 32];
                if ((uint32_t)hash < *bin) *bin = (uint32_t)hash;
            }
            assert_int_equal(
                og_minhash_samples(m, x, NULL, sizes[s], samples, NULL), OG_OK);
            for (size_t i = 0; i < options.n_samples; i++)
                if (least[i] != UINT32_MAX) /* else a further round */
                    assert_int_equal(samples[i], least[i]);
        }
        og_minhash_free(m);
    }
}

/* ---- weights ---- */

static void test_bad_weights(void **state)
{
    (void)state;
    const float bad[] = {-1, -0.5f, INFINITY, -INFINITY, NAN};
    const uint64_t x[3] = {1, 2, 3};
    uint32_t out[16];
    og_error err;
    for (int method = OG_MINHASH_COPIES; method < OG_MINHASH_METHOD_END;
         method++)
        for (size_t i = 0; i < LENGTH(bad); i++) {
            og_minhash *m = make((og_minhash_method)method, 16);
            const float w[3] = {1, bad[i], 1};
            assert_int_equal(og_minhash_samples(m, x, w, 3, out, &err),
                             OG_ERR_INPUT);
            assert_non_null(strstr(err.message, "feature 2 of 3"));
            og_minhash_free(m);
        }
}

static void test_zero_weight_is_absent(void **state)
{
    (void)state;
    const uint64_t x[3] = {1, 2, 3}, y[2] = {1, 3};
    const float w[3] = {2, 0, 5}, v[2] = {2, 5}, zero[3] = {0, 0, 0};
    uint32_t a[16], b[16];
    for (int method = OG_MINHASH_COPIES; method < OG_MINHASH_METHOD_END;
         method++) {
        og_minhash *m = make((og_minhash_method)method, 16);
        assert_int_equal(og_minhash_samples(m, x, w, 3, a, NULL), OG_OK);
        assert_int_equal(og_minhash_samples(m, y, v, 2, b, NULL), OG_OK);
        assert_memory_equal(a, b, sizeof(a));
        assert_int_equal(og_minhash_samples(m, x, zero, 3, a, NULL), OG_OK);
        assert_int_equal(a[0], OG_SAMPLE_NONE);
        og_minhash_free(m);
    }
}

static void test_weights_of_a_method(void **state)
{
    (void)state;
    const uint64_t x = 1;
    const float half = 0.5f, tiny = 0x1p-140f, huge = 3e38f, small = 0x1p-11f;
    uint32_t out[16];
    og_error err;
    og_minhash *m = make(OG_MINHASH_COPIES, 16);
    assert_int_equal(og_minhash_samples(m, &x, &half, 1, out, &err),
                     OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "whole numbers"));
    assert_int_equal(og_minhash_samples(m, &x, &huge, 1, out, &err),
                     OG_ERR_LIMIT);
    og_minhash_free(m);
    m = make(OG_MINHASH_ACTIVE, 16);
    assert_int_equal(og_minhash_samples(m, &x, &small, 1, out, &err),
                     OG_ERR_INPUT);
    og_minhash_free(m);
    const og_minhash_method any[] = {OG_MINHASH_INTERVAL, OG_MINHASH_IOFFE,
                                     OG_MINHASH_COARSE};
    for (size_t i = 0; i < LENGTH(any); i++) { /* of any size */
        m = make(any[i], 16);
        assert_int_equal(og_minhash_samples(m, &x, &tiny, 1, out, NULL), OG_OK);
        assert_int_equal(og_minhash_samples(m, &x, &huge, 1, out, NULL), OG_OK);
        og_minhash_free(m);
    }
}

static void test_wrong_door(void **state)
{
    (void)state;
    const uint64_t *set, x = 1;
    uint32_t out[84];
    size_t n;
    og_minhash *m = make(OG_MINHASH_SMALLEST, 84);
    assert_int_equal(og_minhash_samples(m, &x, NULL, 1, out, NULL),
                     OG_ERR_USAGE);
    og_minhash_free(m);
    m = make(OG_MINHASH_EXACT, 84);
    assert_int_equal(og_minhash_sample_set(m, &x, 1, &set, &n, NULL),
                     OG_ERR_USAGE);
    og_minhash_free(m);
}

/* ---- memory ---- */

struct failing {
    size_t n_left;
};

static void *fail_later(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    struct failing *f = ctx;
    (void)old_len;
    if (new_len == 0) {
        free(ptr);
        return NULL;
    }
    if (f->n_left == 0) return NULL;
    f->n_left--;
    return realloc(ptr, new_len);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    const uint64_t x[2] = {1, 2};
    uint32_t out[40];
    for (int method = 0; method < OG_MINHASH_METHOD_END; method++)
        for (size_t n = 0; n < 20; n++) {
            struct failing failing = {n};
            const og_allocator allocator = {&failing, fail_later};
            og_minhash_options o = og_minhash_options_default();
            og_minhash *m = NULL;
            o.method = (og_minhash_method)method;
            o.family = OG_FAMILY_RABIN;
            o.n_samples = 40;
            og_status status = og_minhash_new_with(&o, &allocator, &m, NULL);
            const uint64_t *set;
            size_t n_set;
            if (status == OG_OK)
                status =
                    makes_rows(method)
                        ? og_minhash_samples(m, x, NULL, 2, out, NULL)
                        : og_minhash_sample_set(m, x, 2, &set, &n_set, NULL);
            assert_true(status == OG_OK || status == OG_ERR_MEMORY);
            if (n == 0) assert_int_equal(status, OG_ERR_MEMORY);
            if (n == 19) assert_int_equal(status, OG_OK);
            og_minhash_free(m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_options_are_checked),
        cmocka_unit_test(test_empty_set),
        cmocka_unit_test(test_order_and_repetition),
        cmocka_unit_test(test_exact_is_the_definition),
        cmocka_unit_test(test_auto_is_the_definition),
        cmocka_unit_test(test_long_sets_are_the_definition),
        cmocka_unit_test(test_bad_weights),
        cmocka_unit_test(test_zero_weight_is_absent),
        cmocka_unit_test(test_weights_of_a_method),
        cmocka_unit_test(test_wrong_door),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
