/* Sorted tables, plain and packed, against the definition. */

#include "tests/unit/code_support.h"

#include "lib/hamming/code_permuted.h"

enum { MOST = 2500, QUESTIONS = 60 };
static uint64_t codes[MOST], questions[QUESTIONS];

static void ask_questions(size_t n, uint64_t *seed)
{
    for (size_t i = 0; i < QUESTIONS; i++)
        questions[i] = n == 0 ? og_random_next(seed)
                              : flip_lots(codes[og_random_next(seed) % n],
                                          (unsigned)i % 12, seed);
}

static void sorted_tables_find_all(void **state)
{
    (void)state;
    uint64_t seed = 13;
    static struct og_code_permuted permuted;
    static const unsigned paper[] = {4, 10, 16, 20};
    for (size_t round = 0; round < 24; round++) {
        static const size_t sizes[] = {0, 1, 1000, MOST};
        struct og_code_design d;
        const size_t n =
            lot_of_codes(codes, sizes[round / 2 % 4], round % 2 == 0, &seed);
        ask_questions(n, &seed);
        assert_true(og_code_design_paper(&d, paper[round % 4]));
        for (int packed = 0; packed <= 1; packed++) {
            struct matches seen = {0};
            assert_int_equal(og_code_permuted_init(&permuted, &d, codes, n,
                                                   packed != 0, NULL, NULL),
                             OG_OK);
            assert_true(og_code_permuted_ask(&permuted, questions, QUESTIONS, 3,
                                             &seen, add_match));
            const struct matches truth =
                true_matches(codes, n, questions, QUESTIONS, 3);
            assert_int_equal(seen.n, truth.n);
            assert_true(seen.sum == truth.sum);
            og_code_permuted_release(&permuted);
        }
    }
}

static void sorted_tables_have_no_radius(void **state)
{
    (void)state;
    static struct og_code_permuted permuted;
    struct og_code_design d;
    og_error err;
    assert_true(og_code_design_parts(&d, 3, 2));
    assert_int_equal(
        og_code_permuted_init(&permuted, &d, codes, 0, false, NULL, &err),
        OG_ERR_USAGE);
}

static bool stop(void *ctx, size_t question, uint64_t code)
{
    (void)question, (void)code;
    ++*(size_t *)ctx;
    return false;
}

static void asking_stops_when_told(void **state)
{
    (void)state;
    static struct og_code_permuted permuted;
    struct og_code_design d;
    for (size_t i = 0; i < 1000; i++)
        codes[i] = i;
    questions[0] = questions[1] = 5;
    assert_true(og_code_design_paper(&d, 4));
    for (int packed = 0; packed <= 1; packed++) {
        size_t n = 0;
        assert_int_equal(og_code_permuted_init(&permuted, &d, codes, 1000,
                                               packed != 0, NULL, NULL),
                         OG_OK);
        assert_false(
            og_code_permuted_ask(&permuted, questions, 2, 3, &n, stop));
        assert_int_equal(n, 1);
        og_code_permuted_release(&permuted);
        og_code_permuted_release(&permuted); /* once more is nothing */
    }
}

/* The first and the last value that a mask leaves. */
static void the_ends_of_a_range(void **state)
{
    (void)state;
    static struct og_code_permuted permuted;
    struct og_code_design d;
    codes[0] = 0;
    codes[1] = UINT64_MAX;
    assert_true(og_code_design_paper(&d, 16));
    for (int packed = 0; packed <= 1; packed++) {
        assert_int_equal(og_code_permuted_init(&permuted, &d, codes, 2,
                                               packed != 0, NULL, NULL),
                         OG_OK);
        for (unsigned k = 0; k <= 3; k++) {
            struct matches seen = {0};
            const uint64_t asked[] = {7, UINT64_MAX >> 2};
            assert_true(
                og_code_permuted_ask(&permuted, asked, 2, k, &seen, add_match));
            assert_int_equal(seen.n, k < 2 ? 0 : k < 3 ? 1 : 2);
            assert_true(
                og_code_permuted_ask(&permuted, codes, 2, k, &seen, add_match));
            assert_int_equal(seen.n, (k < 2 ? 0 : k < 3 ? 1 : 2) + 2);
        }
        og_code_permuted_release(&permuted);
    }
}

/* 8 bytes a code and table; packed ones take less. */
static void what_they_take(void **state)
{
    (void)state;
    uint64_t seed = 3;
    static struct og_code_permuted plain, packed;
    struct og_code_design d;
    assert_true(og_code_design_paper(&d, 4));
    const size_t n = lot_of_codes(codes, MOST, false, &seed);
    assert_int_equal(
        og_code_permuted_init(&plain, &d, codes, n, false, NULL, NULL), OG_OK);
    assert_int_equal(
        og_code_permuted_init(&packed, &d, codes, n, true, NULL, NULL), OG_OK);
    assert_int_equal(og_code_permuted_bytes(&plain), 4 * n * 8);
    assert_true(og_code_permuted_bytes(&packed) < 4 * n * 8);
    uint64_t len = 0;
    for (unsigned t = 0; t < 4; t++)
        len += og_code_packed_bytes(&packed.table[t].packed);
    assert_int_equal(og_code_permuted_bytes(&packed), len);
    og_code_permuted_release(&plain);
    og_code_permuted_release(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorted_tables_find_all),
        cmocka_unit_test(sorted_tables_have_no_radius),
        cmocka_unit_test(asking_stops_when_told),
        cmocka_unit_test(the_ends_of_a_range),
        cmocka_unit_test(what_they_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
