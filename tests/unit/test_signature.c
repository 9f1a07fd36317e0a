/* Signatures of sentences, and the probabilities of qSign's section 2.1.2. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/sentence/index/signature.h"

static const uint32_t lengths[] = {16, 32, 64, 128};

static unsigned ones(const struct og_signature *s)
{
    const struct og_signature none = {{0, 0}};
    return og_signature_distance(s, &none);
}

static void test_lengths(void **state)
{
    (void)state;
    for (uint32_t m = 0; m < 300; m++)
        assert_int_equal(og_signature_bits_are(m),
                         m == 16 || m == 32 || m == 64 || m == 128);
}

/* Exactly l bits, all of them below m, and the same ones every time. */
static void test_a_word_sets_its_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const uint32_t m = lengths[i];
        for (uint32_t key = 0; key < 500; key++) {
            const uint32_t l = 1 + key % (m / 2);
            struct og_signature a = {{0, 0}}, b = {{0, 0}};
            og_signature_add(&a, key, m, l);
            assert_int_equal(ones(&a), l);
            if (m < 128) assert_true(a.half[1] == 0);
            if (m < 64) assert_true(a.half[0] >> m == 0);
            og_signature_add(&b, key, m, l);
            assert_int_equal(og_signature_distance(&a, &b), 0);
            og_signature_add(&a, key, m, l); /* a word again adds nothing */
            assert_int_equal(og_signature_distance(&a, &b), 0);
        }
    }
}

/* The order of words does not matter, and a word only sets bits. */
static void test_words_add_up(void **state)
{
    (void)state;
    struct og_signature ab = {{0, 0}}, ba = {{0, 0}}, a = {{0, 0}};
    og_signature_add(&ab, 1, 128, 3);
    og_signature_add(&ab, 2, 128, 3);
    og_signature_add(&ba, 2, 128, 3);
    og_signature_add(&ba, 1, 128, 3);
    og_signature_add(&a, 1, 128, 3);
    assert_int_equal(og_signature_distance(&ab, &ba), 0);
    assert_true((a.half[0] & ~ab.half[0]) == 0);
    assert_true((a.half[1] & ~ab.half[1]) == 0);
}

static void test_word_bits(void **state)
{
    (void)state;
    /* The values of the paper's experiments. */
    assert_int_equal(og_signature_word_bits(16, 10000, 9), 1);
    assert_int_equal(og_signature_word_bits(32, 10000, 9), 2);
    /* The smallest l with C(m, l) of at least the dictionary. */
    assert_int_equal(og_signature_word_bits(128, 128, 1), 1);
    assert_int_equal(og_signature_word_bits(128, 129, 1), 2);
    assert_int_equal(og_signature_word_bits(128, 8128, 1), 2);
    assert_int_equal(og_signature_word_bits(128, 8129, 1), 3);
    /* Never 0, never more than half of the bits. */
    assert_int_equal(og_signature_word_bits(16, 1, 1000), 1);
    assert_int_equal(og_signature_word_bits(16, 0, 0), 1);
    assert_true(og_signature_word_bits(16, 1e18, 0) <= 8);
}

static bool is_near(double a, double b)
{
    return a - b < 1e-9 && b - a < 1e-9;
}

static void test_probabilities(void **state)
{
    (void)state;
    /* Equal sentences have no bit that differs; with nothing in common and one
     * word of one bit, a bit of 16 does once in 16. */
    assert_true(is_near(og_bit_switch(64, 2, 10, 0, 0), 0));
    assert_true(is_near(og_bit_switch(16, 1, 0, 1, 0), 1.0 / 16));
    /* Whose words they are does not matter. */
    assert_true(
        is_near(og_bit_switch(32, 2, 5, 1, 3), og_bit_switch(32, 2, 5, 3, 1)));
    double sum = 0;
    for (uint32_t t = 0; t <= 32; t++) {
        sum += og_exact_bit_diff(32, 0.3, t);
        assert_true(is_near(og_max_bit_diff(32, 0.3, t), sum));
    }
    assert_true(is_near(sum, 1));
    assert_true(is_near(og_exact_bit_diff(16, 0.5, 8), 12870.0 / 65536));
    assert_true(og_exact_bit_diff(16, 0, 0) == 1);
    assert_true(og_exact_bit_diff(16, 0, 1) == 0);
    assert_true(og_exact_bit_diff(16, 1, 16) == 1);
    assert_true(og_exact_bit_diff(16, 0.5, 17) == 0);
}

/* The largest distance within the bound, by its definition. */
static void test_radius(void **state)
{
    (void)state;
    for (double most = 1e-6; most < 0.5; most *= 10) {
        const int d = og_signature_radius(64, 2, 8, 1, most);
        const double p = og_bit_switch(64, 2, 8, 2, 0);
        if (d >= 0) assert_true(og_max_bit_diff(64, p, (uint32_t)d) <= most);
        assert_true(og_max_bit_diff(64, p, (uint32_t)(d + 1)) > most);
    }
    assert_int_equal(og_signature_radius(16, 1, 8, 0, 0), -1);
    assert_int_equal(og_signature_radius(16, 1, 8, 0, 1), 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_a_word_sets_its_bits),
        cmocka_unit_test(test_words_add_up),
        cmocka_unit_test(test_word_bits),
        cmocka_unit_test(test_probabilities),
        cmocka_unit_test(test_radius),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
