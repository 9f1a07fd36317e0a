/* Pairs that are compared: what deduplication finds of them, for any number of
 * threads, and wrong numbers. */

#include <origo/origo.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/given_texts.h"

enum { N_TEXTS = 60, N_PAIRS = N_TEXTS * (N_TEXTS - 1) / 2 };

/* Three in a row are alike, the third less. */
static struct given *families(void)
{
    struct given *g = calloc(1, sizeof(*g));
    assert_non_null(g);
    for (unsigned i = 0; i < N_TEXTS; i++) {
        const unsigned first = i / 3 * 1000;
        const size_t len = put_words(g->text[i], first, 100);
        put_words(g->text[i] + len, 90000 + i * 50, i % 3 * 8);
    }
    g->n = N_TEXTS;
    return g;
}

/* Each with all before it, in order. */
static void all_pairs(og_document_pair *pairs)
{
    size_t n = 0;
    for (uint64_t a = 0; a < N_TEXTS; a++)
        for (uint64_t b = 0; b < a; b++)
            pairs[n++] = (og_document_pair){a, b};
}

static void compare(const og_dedup_options *options, unsigned n_threads,
                    double *out)
{
    struct given *g = families();
    const og_input input = input_of_texts(g, n_threads);
    og_document_pair pairs[N_PAIRS];
    og_stream_counts counts;
    og_error err;
    all_pairs(pairs);
    assert_int_equal(
        og_dedup_compare(&input, options, pairs, N_PAIRS, out, &counts, &err),
        OG_OK);
    assert_int_equal(counts.n_documents, N_TEXTS);
    free(g);
}

struct expected {
    double similarity[N_TEXTS];
    uint64_t of[N_TEXTS];
};

static bool note(void *ctx, const og_dedup_decision *d)
{
    struct expected *e = ctx;
    e->similarity[d->number] = d->is_kept ? 0 : d->similarity;
    e->of[d->number] = d->of_number;
    return true;
}

static struct expected *decide(og_dedup_options options)
{
    struct given *g = families();
    const og_input input = input_of_texts(g, 1);
    struct expected *e = calloc(1, sizeof(*e));
    og_error err;
    assert_non_null(e);
    options.ctx = e;
    options.output = NULL;
    options.on_decision = note;
    assert_int_equal(og_dedup_run(&input, &options, NULL, &err), OG_OK);
    free(g);
    return e;
}

/* Of each document, the first that stays and is alike. */
static void check(const og_dedup_options *options)
{
    double found[N_PAIRS], on_four[N_PAIRS];
    struct expected *e = decide(*options);
    size_t n = 0, n_gone = 0;
    compare(options, 1, found);
    compare(options, 4, on_four);
    assert_memory_equal(found, on_four, sizeof(found));
    for (size_t a = 0; a < N_TEXTS; a++) {
        double similarity = 0;
        uint64_t of = 0;
        for (size_t b = 0; b < a; b++, n++)
            if (similarity == 0 && found[n] > 0 && e->similarity[b] == 0) {
                similarity = found[n];
                of = b;
            }
        assert_true(similarity == e->similarity[a]);
        if (similarity > 0) assert_int_equal(of, e->of[a]);
        n_gone += similarity > 0;
    }
    assert_true(n_gone >= N_TEXTS / 3 && n_gone < N_TEXTS);
    free(e);
}

static void test_pairs_are_compared_as_in_a_run(void **state)
{
    og_dedup_options options = og_dedup_options_default();
    (void)state;
    check(&options);
    options.threshold = 0.9;
    check(&options);
    options.measure = OG_MEASURE_CONTAINMENT;
    options.threshold = 0.95;
    check(&options);
}

static void test_samples_that_must_agree(void **state)
{
    og_dedup_options options = og_dedup_options_default();
    (void)state;
    assert_int_equal(og_dedup_least_equal(&options), 72);
    options.threshold = 1;
    assert_int_equal(og_dedup_least_equal(&options), 112);
    options.measure = OG_MEASURE_CONTAINMENT;
    assert_int_equal(og_dedup_least_equal(&options), 0);
}

static void test_numbers_that_no_document_has(void **state)
{
    const og_document_pair pair = {1, N_TEXTS};
    const og_dedup_options options = og_dedup_options_default();
    struct given *g = families();
    const og_input input = input_of_texts(g, 1);
    double similarity;
    og_error err;
    (void)state;
    assert_int_equal(
        og_dedup_compare(&input, &options, &pair, 1, &similarity, NULL, &err),
        OG_ERR_USAGE);
    assert_string_equal(err.message, "pair 0 names document 60 of 60");
    free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_are_compared_as_in_a_run),
        cmocka_unit_test(test_samples_that_must_agree),
        cmocka_unit_test(test_numbers_that_no_document_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
