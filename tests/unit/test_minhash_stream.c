/* Min-hash in files: a head is read back as written, and an impossible one is
 * refused; similarities from bytes equal those from samples. */

#include <math.h>
#include <stdio.h>

#include "tests/unit/input_support.h"
#include "tests/unit/stage_support.h"

#include "lib/sketch/minhash.h"
#include "lib/sketch/minhash_stream.h"

static void test_head_comes_back(void **state)
{
    (void)state;
    for (int method = 0; method < OG_MINHASH_METHOD_END; method++)
        for (uint32_t n_bits = 4; n_bits <= 32; n_bits += 28) {
            og_minhash_options o = og_minhash_options_default(), seen;
            struct og_sketch_head head;
            o.method = (og_minhash_method)method;
            o.family = OG_FAMILY_TABULATION;
            o.n_samples = 33;
            o.n_bits = n_bits;
            o.seed = UINT64_MAX;
            if (og_minhash_options_check(&o, NULL) != OG_OK) continue;
            og_minhash_file_head(&o, "tokens=words", &head);
            assert_int_equal(og_minhash_file_options(&head, "f", &seen, NULL),
                             OG_OK);
            assert_int_equal(seen.method, o.method);
            assert_int_equal(seen.family, o.family);
            assert_int_equal(seen.n_samples, 33);
            assert_int_equal(seen.n_bits, n_bits);
            assert_true(seen.seed == o.seed);
        }
}

static void refuse(const char *params, size_t len)
{
    struct og_sketch_head head = {.kind = OG_SKETCH_MINHASH, .sketch_len = len};
    og_minhash_options seen;
    og_error err;
    snprintf(head.params, sizeof(head.params), "%s", params);
    assert_int_equal(og_minhash_file_options(&head, "x.sk", &seen, &err),
                     OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "'x.sk'"));
}

static void test_foreign_heads(void **state)
{
    (void)state;
    refuse("", 4);
    refuse("bits=64 tokens=words", 8);
    refuse("method=magic family=mix samples=1 bits=32 seed=0", 4);
    refuse("method=auto family=magic samples=1 bits=32 seed=0", 4);
    refuse("method=auto family=mix samples=0 bits=32 seed=0", 4);
    refuse("method=auto family=mix samples=4097 bits=32 seed=0", 16388);
    refuse("method=auto family=mix samples=2 bits=32 seed=0", 4);
    refuse("method=auto family=mix samples=2 bits=31 seed=0", 8);
}

static void test_similarity_of_bytes(void **state)
{
    (void)state;
    og_minhash_options o = og_minhash_options_default();
    const uint8_t a[8] = {1, 0, 0, 0, 2, 0, 0, 0};
    const uint8_t b[8] = {1, 0, 0, 0, 3, 0, 0, 0};
    const uint8_t none[8] = {255, 255, 255, 255, 255, 255, 255, 255};
    double x, y;
    o.n_samples = 2;
    assert_true(og_minhash_file_similarity(&o, a, b, &x, &y) == 0.5);
    assert_true(og_minhash_file_similarity(&o, a, none, &x, &y) == 0);
    assert_true(og_minhash_file_similarity(&o, none, none, &x, &y) == 0);
    /* A number of samples that cannot be is cut, not followed. */
    uint8_t wild[24];
    memset(wild, 255, sizeof(wild));
    o.method = OG_MINHASH_SMALLEST;
    assert_true(og_minhash_file_similarity(&o, wild, wild, &x, &y) <= 1);
}

/* ---- files and texts ---- */

struct seen {
    size_t n;
    double similarity[4], distance[4];
};

static bool on_distance(void *ctx, const og_distance *d)
{
    struct seen *s = ctx;
    if (s->n < 4) {
        s->similarity[s->n] = d->similarity;
        s->distance[s->n] = d->distance;
    }
    s->n++;
    return true;
}

static const char *write_text(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    return name;
}

static void test_estimate_is_near_the_truth(void **state)
{
    (void)state;
    char dir[] = "/tmp/origo-test-XXXXXX", a[64], b[64], sk_a[64], sk_b[64];
    assert_non_null(mkdtemp(dir));
    snprintf(a, sizeof(a), "%s/a.txt", dir);
    snprintf(b, sizeof(b), "%s/b.txt", dir);
    snprintf(sk_a, sizeof(sk_a), "%s/a.sk", dir);
    snprintf(sk_b, sizeof(sk_b), "%s/b.sk", dir);
    const char *path_a = write_text(a, "one two two three four five six seven");
    const char *path_b = write_text(b, "two two two three four nine ten");
    og_feature_options options = og_feature_options_default();
    options.kind = OG_FEATURE_TOKENS;
    const og_minhash_method methods[] = {OG_MINHASH_AUTO, OG_MINHASH_IOFFE};
    for (size_t i = 0; i < 2; i++) {
        og_minhash_options o = og_minhash_options_default();
        struct seen exact = {0}, estimate = {0};
        o.method = methods[i];
        o.n_samples = 1024;
        assert_int_equal(
            og_minhash_save(FILES(&path_a, 1), &o, &options, sk_a, NULL, NULL),
            OG_OK);
        assert_int_equal(
            og_minhash_save(FILES(&path_b, 1), &o, &options, sk_b, NULL, NULL),
            OG_OK);
        assert_true(og_sketch_file_is(sk_a));
        assert_false(og_sketch_file_is(path_a));
        assert_int_equal(og_texts_compare(FILES(&path_a, 1), FILES(&path_b, 1),
                                          i == 1, &options, &exact, on_distance,
                                          NULL, NULL),
                         OG_OK);
        assert_int_equal(
            og_sketch_files_compare(sk_a, sk_b, &estimate, on_distance, NULL),
            OG_OK);
        assert_int_equal(exact.n, 1);
        assert_int_equal(estimate.n, 1);
        /* Sets: 3 of 9. Bags: 2 + 1 + 1 of 3 + 1 + 1 + 4 + 2. */
        assert_true(fabs(exact.similarity[0] - (i == 0 ? 3 / 9.0 : 4 / 11.0)) <
                    1e-9);
        assert_true(fabs(estimate.similarity[0] - exact.similarity[0]) <
                    4.5 * sqrt(0.25 / 1024));
        assert_true(fabs(estimate.distance[0] - exact.distance[0]) < 1.2);
    }
    remove(a), remove(b), remove(sk_a), remove(sk_b), remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head_comes_back),
        cmocka_unit_test(test_foreign_heads),
        cmocka_unit_test(test_similarity_of_bytes),
        cmocka_unit_test(test_estimate_is_near_the_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
