/* Words of phrases that a book repeats count a quarter. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/trace/formulae.h"

enum { N = 24000, FORMULA = 12, REPORT = 20, EACH = FORMULA + REPORT };

static uint64_t hashes[N];

/* Reports: a formula out of `n_formulae`, then words that are not repeated. */
static void make_book(uint64_t n_formulae)
{
    for (uint64_t i = 0; i < N; i++) {
        const uint64_t number = i / EACH, at = i % EACH;
        hashes[i] = og_mix64(
            at < FORMULA ? 1000 * (number % n_formulae) + at + 1 : 1000000 + i);
    }
}

static uint32_t weight(size_t n, uint32_t begin, uint32_t end)
{
    const struct og_tokens tokens = {.hash = hashes, .n = n};
    struct og_formulae f;
    og_formulae_init(&f, NULL);
    assert_int_equal(
        og_formulae_find(&f, (struct og_align_side){.tokens = &tokens}, NULL),
        OG_OK);
    const uint32_t out = og_formulae_weight(&f, begin, end);
    og_formulae_release(&f);
    return out;
}

static void test_a_book_of_reports(void **state)
{
    (void)state;
    make_book(30);
    assert_int_equal(weight(N, 0, FORMULA), FORMULA / 4);
    assert_int_equal(weight(N, FORMULA, EACH), REPORT);
    assert_int_equal(weight(N, 0, EACH), FORMULA / 4 + REPORT);
    assert_int_equal(weight(N, 5, 5), 0);
}

/* A short text has no formulae, nor are phrases that it repeats only a few
 * times. */
static void test_not_a_formula(void **state)
{
    (void)state;
    make_book(30);
    assert_int_equal(weight(2000, 0, FORMULA), FORMULA);
    make_book(N / EACH / 4);
    assert_int_equal(weight(N, 0, FORMULA), FORMULA);
    assert_int_equal(weight(0, 0, 0), 0);
}

/* The head of a page is repeated, but the text is not made of it. */
static void test_heads_of_pages(void **state)
{
    (void)state;
    make_book(30);
    for (uint64_t i = 0; i < N; i++)
        if (i / EACH % 4 != 0) hashes[i] = og_mix64(2000000 + i);
    assert_int_equal(weight(N, 0, FORMULA), FORMULA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_book_of_reports),
        cmocka_unit_test(test_not_a_formula),
        cmocka_unit_test(test_heads_of_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
