/* The measure and its bounds against the definition, signatures and their
 * probabilities against counting. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/sentence/index/measure.h"
#include "lib/sentence/index/signature.h"
#include "lib/sentence/split/sentence_words.h"

static og_error err;

enum { MOST = 600 };

struct set {
    uint64_t words[MOST];
    uint32_t keys[MOST];
    size_t n;
};

static void draw(uint64_t *random, struct set *s, size_t n, unsigned n_all)
{
    s->n = 0;
    for (size_t i = 0; i < n; i++)
        s->words[s->n++] = og_mix64(1 + og_random_next(random) % n_all);
    qsort(s->words, s->n, sizeof(*s->words), og_compare_words);
    size_t kept = 0;
    for (size_t i = 0; i < s->n; i++)
        if (kept == 0 || s->words[kept - 1] != s->words[i])
            s->words[kept++] = s->words[i];
    s->n = kept;
    for (size_t i = 0; i < kept; i++)
        s->keys[i] = og_word_key(s->words[i]);
}

static void a_sentence_is_itself(void **state)
{
    (void)state;
    const uint64_t q[] = {1, 2, 3, 4};
    const double weights[] = {1, 2, 3, 4};
    const uint64_t some[] = {2, 4, 9};
    assert_true(og_overlap(q, weights, 4, q, 4) == 1);
    assert_true(og_overlap(q, weights, 4, some, 0) == 0);
    /* Two of four words, six tenths of the weight. */
    assert_true(fabs(og_overlap(q, weights, 4, some, 3) - 0.5 * 0.6) < 1e-12);
    assert_true(og_overlap(q, weights, 0, some, 3) == 0);
    /* The paper's log(N / df), nearly, for rare words. */
    assert_true(fabs(og_word_weight(1000000, 10) - log(100000)) < 1e-4);
    assert_true(og_word_weight(5, 0) == og_word_weight(5, 1));
    assert_true(og_word_weight(5, 5) > 0);
}

/* No pair that reaches the threshold is excluded by the rarest words or by the
 * bitmaps, and some pair is excluded by each. */
static void bounds_hold(void **state)
{
    (void)state;
    uint64_t random = 11;
    struct og_question q;
    unsigned n_by_words = 0, n_by_bitmap = 0, n_by_mark = 0, n_by_bits = 0;
    unsigned n_reached = 0, n_tables = 0;
    og_question_init(&q, NULL);
    for (unsigned round = 0; round < 40000; round++) {
        struct set a, b;
        /* Every tenth query has more words than a table, every eighth sentence
         * is much longer than its query. */
        const unsigned n_all = 4 + (unsigned)(og_random_next(&random) % 40) +
                               (round % 10 == 0 || round % 8 == 0 ? 100 : 0);
        draw(&random, &a,
             1 + og_random_next(&random) % (round % 10 == 0 ? 200 : 20), n_all);
        draw(&random, &b,
             1 + og_random_next(&random) % (round % 8 == 0 ? MOST : 30), n_all);
        assert_int_equal(og_question_set(&q, a.words, a.n, &err), OG_OK);
        for (size_t i = 0; i < a.n; i++)
            q.df[i] = og_random_next(&random) % 1000;
        const double threshold = (1 + og_random_next(&random) % 100) / 100.0;
        og_question_weigh(&q, 1000, threshold);
        const double truth = og_overlap(a.words, q.weights, a.n, b.words, b.n);
        uint32_t n_shared;
        const double seen = og_question_overlap(&q, b.keys, b.n, &n_shared);
        if (truth >= threshold || seen != 0)
            assert_true(fabs(truth - seen) < 1e-9);
        assert_true(truth < threshold || truth == 0 || n_shared != 0);
        n_tables += q.factor != 0;
        struct og_word_bitmap bitmap = {{0, 0}};
        for (size_t i = 0; i < b.n; i++)
            og_word_bitmap_set(&bitmap, b.keys[i]);
        bool has_rare = false;
        for (size_t i = 0; i < q.n_prefix; i++)
            for (size_t k = 0; k < b.n; k++)
                has_rare = has_rare || q.words[q.rare[i]] == b.words[k];
        const bool passes =
            og_word_bitmap_missing(&q.bitmap, &bitmap) <= q.max_missing;
        n_by_words += !has_rare;
        const bool passes_mark = (unsigned)__builtin_popcount(
                                     og_word_mark(&q.bitmap) &
                                     ~og_word_mark(&bitmap)) <= q.max_missing;
        const bool is_allowed = og_question_allows(&q, &bitmap);
        n_by_bitmap += !passes;
        n_by_mark += !passes_mark;
        n_by_bits += passes && !is_allowed;
        if (truth < threshold) continue;
        n_reached++;
        assert_true(has_rare);
        assert_true(passes && passes_mark && is_allowed);
    }
    assert_true(n_by_words > 1000 && n_by_bitmap > 1000 && n_reached > 1000);
    assert_true(n_by_mark > 1000 && n_by_bits > 1000);
    assert_true(n_tables > 30000 && n_tables < 40000);
    og_question_release(&q);
}

/* Words of a query with the same key: the other sentence has either both or
 * none, as far as keys can tell. */
static void equal_keys(void **state)
{
    (void)state;
    struct og_question q;
    const uint64_t words[] = {1, 2, (uint64_t)7 << 32, (uint64_t)9 << 32};
    const uint32_t keys[] = {0, 9};
    uint32_t n_shared;
    og_question_init(&q, NULL);
    assert_int_equal(og_question_set(&q, words, 4, &err), OG_OK);
    og_question_weigh(&q, 10, 0.5);
    assert_int_equal(q.factor, 0);
    og_question_overlap(&q, keys, 2, &n_shared);
    assert_int_equal(n_shared, 3);
    og_question_release(&q);
}

static void bits_of_a_word(void **state)
{
    (void)state;
    const uint32_t sizes[] = {16, 32, 64, 128};
    for (unsigned i = 0; i < 4; i++)
        for (uint32_t l = 1; l <= 5; l++)
            for (uint32_t key = 0; key < 50; key++) {
                struct og_signature s = {{0, 0}}, none = {{0, 0}};
                og_signature_add(&s, key, sizes[i], l);
                assert_int_equal(og_signature_distance(&s, &none), l);
                if (sizes[i] < 128) assert_int_equal(s.half[1], 0);
                if (sizes[i] < 64) assert_int_equal(s.half[0] >> sizes[i], 0);
            }
    /* What the paper took, and what its rule says where it is feasible. */
    assert_int_equal(og_signature_word_bits(16, 200000, 9.45), 1);
    assert_int_equal(og_signature_word_bits(32, 200000, 9.45), 2);
    assert_int_equal(og_signature_word_bits(64, 41664, 9), 3);
    assert_int_equal(og_signature_word_bits(64, 41665, 9), 4);
    assert_int_equal(og_signature_word_bits(128, 200000, 9), 3);
}

static void probabilities(void **state)
{
    (void)state;
    /* The paper's formula, word for word. */
    const double m = 32, l = 2, n = 9, k = 2;
    const double paper = pow(1 - 1 / m, n * l) * (1 - pow(1 - 1 / m, k * l));
    assert_true(fabs(og_bit_switch(32, 2, 9, 2, 0) - paper) < 1e-12);
    assert_true(fabs(og_bit_switch(32, 2, 9, 0, 2) - paper) < 1e-12);
    assert_true(og_bit_switch(32, 2, 9, 0, 0) == 0);
    double sum = 0;
    for (uint32_t t = 0; t <= 32; t++)
        sum += og_exact_bit_diff(32, paper, t);
    assert_true(fabs(sum - 1) < 1e-9);
    assert_true(fabs(og_exact_bit_diff(2, 0.25, 1) - 2 * 0.25 * 0.75) < 1e-12);
    assert_true(og_max_bit_diff(32, 0, 0) == 1);
    const int d = og_signature_radius(32, 2, 9, 2, 0.2);
    const double p = og_bit_switch(32, 2, 9, 3, 0);
    assert_true(d >= 0);
    assert_true(og_max_bit_diff(32, p, (uint32_t)d) <= 0.2);
    assert_true(og_max_bit_diff(32, p, (uint32_t)d + 1) > 0.2);
    assert_int_equal(og_signature_radius(32, 2, 9, 0, 1e-9), -1);
}

/* Signatures of random sentences differ as the formula says. */
static void formula_and_counting(void **state)
{
    (void)state;
    uint64_t random = 3;
    const unsigned rounds = 20000;
    double bits = 0;
    for (unsigned i = 0; i < rounds; i++) {
        struct og_signature a = {{0, 0}};
        for (unsigned w = 0; w < 9; w++)
            og_signature_add(&a, (uint32_t)og_random_next(&random), 64, 4);
        struct og_signature b = a;
        for (unsigned w = 0; w < 3; w++)
            og_signature_add(&b, (uint32_t)og_random_next(&random), 64, 4);
        bits += og_signature_distance(&a, &b);
    }
    /* A word's bits are different ones, which the formula lets be equal. */
    const double predicted = 64 * og_bit_switch(64, 4, 9, 3, 0);
    assert_true(fabs(bits / rounds - predicted) < 0.05 * predicted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sentence_is_itself),
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(equal_keys),
        cmocka_unit_test(bits_of_a_word),
        cmocka_unit_test(probabilities),
        cmocka_unit_test(formula_and_counting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
