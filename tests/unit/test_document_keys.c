/* Keys of documents: similar ones share a band, copies share fingerprints at
 * the positions of the copy, and the number of threads makes no difference. */

#include <origo/origo.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/given_texts.h"

#define MAX_KEYS 4096

struct noted {
    uint64_t key[MAX_KEYS];
    uint32_t token[MAX_KEYS];
    size_t begin[GIVEN_TEXTS + 1], n_tokens[GIVEN_TEXTS];
    size_t n, stop_at;
    bool has_tokens;
};

static bool note(void *ctx, const og_document_keys *keys)
{
    struct noted *n = ctx;
    const size_t at = n->begin[n->n];
    assert_int_equal(keys->number, n->n);
    assert_true(at + keys->n <= MAX_KEYS);
    memcpy(n->key + at, keys->key, keys->n * sizeof(*keys->key));
    n->has_tokens = keys->token != NULL;
    if (keys->token != NULL)
        memcpy(n->token + at, keys->token, keys->n * sizeof(*keys->token));
    n->n_tokens[n->n] = keys->n_tokens;
    n->begin[++n->n] = at + keys->n;
    return n->n != n->stop_at;
}

static size_t n_shared(const struct noted *n, size_t a, size_t b)
{
    size_t count = 0;
    for (size_t i = n->begin[a]; i < n->begin[a + 1]; i++)
        for (size_t j = n->begin[b]; j < n->begin[b + 1]; j++)
            count += n->key[i] == n->key[j];
    return count;
}

static struct noted *bands_of(struct given *g, unsigned n_threads)
{
    const og_dedup_options options = og_dedup_options_default();
    const og_input input = input_of_texts(g, n_threads);
    struct noted *n = calloc(1, sizeof(*n));
    og_stream_counts counts;
    og_error err;
    assert_non_null(n);
    assert_int_equal(og_band_keys(&input, &options, note, n, &counts, &err),
                     OG_OK);
    assert_int_equal(counts.n_documents, g->n);
    return n;
}

static struct noted *fingerprints_of(struct given *g, const char *select,
                                     unsigned n_threads)
{
    og_params params = og_params_default();
    const og_input input = input_of_texts(g, n_threads);
    struct noted *n = calloc(1, sizeof(*n));
    og_error err;
    assert_non_null(n);
    assert_true(
        og_select_parse((og_bytes){select, strlen(select)}, &params.select));
    assert_int_equal(og_fingerprint_keys(&input, &params, note, n, NULL, &err),
                     OG_OK);
    return n;
}

static struct given *three_texts(void)
{
    struct given *g = calloc(1, sizeof(*g));
    assert_non_null(g);
    put_words(g->text[0], 0, 120);
    put_words(g->text[1], 0, 119); /* alike */
    put_words(g->text[2], 500, 120);
    g->n = 3;
    return g;
}

static void test_alike_documents_share_a_band(void **state)
{
    struct given *g = three_texts();
    struct noted *n = bands_of(g, 1);
    (void)state;
    assert_int_equal(n->begin[3], 3 * og_dedup_options_default().n_bands);
    assert_false(n->has_tokens);
    assert_true(n_shared(n, 0, 1) > 0);
    assert_int_equal(n_shared(n, 0, 2), 0);
    assert_int_equal(n->n_tokens[1], 119);
    free(n);
    free(g);
}

static void test_equal_samples_in_other_bands_are_other_keys(void **state)
{
    /* One shingle: every sample is of it, and bands of one row may agree. */
    struct given *g = calloc(1, sizeof(*g));
    (void)state;
    assert_non_null(g);
    strcpy(g->text[0], "one");
    g->n = 1;
    struct noted *n = bands_of(g, 1);
    for (size_t i = 0; i < n->begin[1]; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(n->key[i] != n->key[j]);
    free(n);
    free(g);
}

static void test_a_copy_has_its_fingerprints_in_place(void **state)
{
    struct given *g = calloc(1, sizeof(*g));
    (void)state;
    assert_non_null(g);
    put_words(g->text[0], 0, 100);
    put_words(g->text[1], 900, 30);
    put_words(g->text[1] + strlen(g->text[1]), 40, 40); /* tokens 30 to 70 */
    g->n = 2;
    struct noted *n = fingerprints_of(g, "All", 1);
    const size_t shingle = og_params_default().shingle_len;
    assert_true(n->has_tokens);
    assert_int_equal(n->begin[1], 100 - shingle + 1);
    size_t found = 0;
    for (size_t i = n->begin[1]; i < n->begin[2]; i++)
        for (size_t j = 0; j < n->begin[1]; j++)
            if (n->key[i] == n->key[j]) {
                assert_int_equal(n->token[i] - 30, n->token[j] - 40);
                found++;
            }
    assert_int_equal(found, 40 - shingle + 1);
    free(n);
    free(g);
}

static void test_short_ones_have_no_fingerprint(void **state)
{
    struct given *g = calloc(1, sizeof(*g));
    (void)state;
    assert_non_null(g);
    strcpy(g->text[0], "two words");
    g->n = 2; /* the second is empty */
    struct noted *n = fingerprints_of(g, "All", 1);
    assert_int_equal(n->n, 2);
    assert_int_equal(n->begin[2], 0);
    assert_int_equal(n->n_tokens[0], 2);
    free(n);
    free(g);
}

static void test_threads_do_not_show(void **state)
{
    struct given *g = calloc(1, sizeof(*g));
    (void)state;
    assert_non_null(g);
    g->n = GIVEN_TEXTS;
    for (size_t i = 0; i < g->n; i++)
        put_words(g->text[i], (unsigned)(i / 2) * 7, (unsigned)(i % 40));
    struct noted *one = bands_of(g, 1), *four = bands_of(g, 4);
    assert_memory_equal(one, four, sizeof(*one));
    free(one);
    free(four);
    one = fingerprints_of(g, "4th", 1);
    four = fingerprints_of(g, "4th", 4);
    assert_memory_equal(one, four, sizeof(*one));
    free(one);
    free(four);
    free(g);
}

static void test_the_caller_may_stop(void **state)
{
    struct given *g = three_texts();
    const og_input input = input_of_texts(g, 1);
    const og_params params = og_params_default();
    struct noted *n = calloc(1, sizeof(*n));
    og_error err;
    (void)state;
    assert_non_null(n);
    n->stop_at = 2;
    assert_int_equal(og_fingerprint_keys(&input, &params, note, n, NULL, &err),
                     OG_ERR_STOPPED);
    assert_int_equal(n->n, 2);
    free(n);
    free(g);
}

static void test_options_are_checked(void **state)
{
    struct given *g = three_texts();
    const og_input input = input_of_texts(g, 1);
    og_dedup_options options = og_dedup_options_default();
    og_params params = og_params_default();
    og_error err;
    (void)state;
    options.n_bands = 0;
    assert_int_equal(og_band_keys(&input, &options, note, NULL, NULL, &err),
                     OG_ERR_USAGE);
    params.shingle_len = 99;
    assert_int_equal(
        og_fingerprint_keys(&input, &params, note, NULL, NULL, &err),
        OG_ERR_USAGE);
    free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alike_documents_share_a_band),
        cmocka_unit_test(test_equal_samples_in_other_bands_are_other_keys),
        cmocka_unit_test(test_a_copy_has_its_fingerprints_in_place),
        cmocka_unit_test(test_short_ones_have_no_fingerprint),
        cmocka_unit_test(test_threads_do_not_show),
        cmocka_unit_test(test_the_caller_may_stop),
        cmocka_unit_test(test_options_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
