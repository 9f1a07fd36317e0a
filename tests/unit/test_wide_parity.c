/* Wide parities against two loops: never more than there are, and seldom much
 * less. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/sketch/wide_parity.h"

enum { ROOM = 60000 };

struct wide {
    uint64_t fps[ROOM];
    struct og_wide_parity *parity;
};

static void make(struct wide *w, size_t n)
{
    w->parity = malloc(og_wide_parity_len(n));
    assert_non_null(w->parity);
    og_wide_parity_make(w->fps, n, n, w->parity);
}

/* The largest bound that sets of a and b fingerprints exceed, which share the
 * first `common`, and one more. */
static size_t apart_of(uint64_t *random, size_t a, size_t b, size_t common)
{
    static struct wide x, y;
    for (size_t i = 0; i < a; i++)
        x.fps[i] = og_random_next(random) | 1;
    for (size_t i = 0; i < b; i++)
        y.fps[i] = i < common ? x.fps[i] : og_random_next(random) | 1;
    make(&x, a);
    make(&y, b);
    size_t begin = 0, end = a + b - 2 * common;
    assert_false(og_wide_parity_exceeds(x.parity, y.parity, end));
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        const bool is_more = og_wide_parity_exceeds(x.parity, y.parity, middle);
        assert_int_equal(
            is_more, og_wide_parity_exceeds_plain(y.parity, x.parity, middle));
        if (is_more)
            begin = middle + 1;
        else
            end = middle;
    }
    free(x.parity);
    free(y.parity);
    return end;
}

static void test_never_more_than_there_are(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (size_t a = 1; a < 20000; a += 1 + a / 2)
        for (size_t b = 1; b < 20000; b += 1 + b)
            for (size_t part = 0; part <= 4; part++)
                apart_of(&random, a, b, (a < b ? a : b) * part / 4);
}

static void test_equal_sets_are_not_apart(void **state)
{
    (void)state;
    uint64_t random = 8;
    for (size_t n = 0; n < ROOM; n += 1 + n)
        assert_int_equal(apart_of(&random, n, n, n), 0);
}

/* At 0.8 two sets of n may differ in 2 n / 9. */
static void test_what_is_below_the_threshold_shows(void **state)
{
    (void)state;
    uint64_t random = 9;
    size_t n_seen = 0;
    for (size_t i = 0; i < 200; i++) /* 36 shingles, of which 31 in common */
        n_seen += apart_of(&random, 36, 36, 31) > 8;
    assert_true(n_seen > 190);
    for (size_t n = 200; n <= 40000; n *= 2) /* 0.7 */
        assert_true(apart_of(&random, n, n, n * 14 / 17) > n * 2 / 9);
}

static void test_zeros_are_passed_over(void **state)
{
    (void)state;
    const uint64_t with[] = {0, 5, 0, 0, 9, 0}, without[] = {9, 5};
    struct og_wide_parity *a = malloc(og_wide_parity_len(2));
    struct og_wide_parity *b = malloc(og_wide_parity_len(2));
    assert_true(a != NULL && b != NULL);
    og_wide_parity_make(with, 6, 2, a);
    og_wide_parity_make(without, 2, 2, b);
    assert_memory_equal(a, b, og_wide_parity_len(2));
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_never_more_than_there_are),
        cmocka_unit_test(test_equal_sets_are_not_apart),
        cmocka_unit_test(test_what_is_below_the_threshold_shows),
        cmocka_unit_test(test_zeros_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
