/* Which numbers hang together: the forest against labels that are painted over
 * one by one. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/dedup/components.h"

enum { N = 200 };

/* The definition: the smallest number of all that are joined, directly or
 * not. */
static void paint(uint32_t *label, uint32_t a, uint32_t b)
{
    const uint32_t x = label[a], y = label[b];
    for (size_t i = 0; i < N; i++)
        if (label[i] == x || label[i] == y) label[i] = x < y ? x : y;
}

static void check_labels(struct og_forest *f, const uint32_t *label)
{
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(og_forest_root(f, i), label[i]);
    for (uint32_t i = 0; i < N; i++)
        assert_true(f->parent[i] <= i);
}

static void joins_are_the_definition(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint64_t random = seed;
        uint32_t label[N];
        struct og_forest f;
        og_forest_init(&f, NULL);
        assert_int_equal(og_forest_reach(&f, N, NULL), OG_OK);
        for (uint32_t i = 0; i < N; i++)
            label[i] = i;
        check_labels(&f, label);
        for (int i = 0; i < 150; i++) {
            const uint32_t a = (uint32_t)(og_random_next(&random) % N);
            const uint32_t b = (uint32_t)(og_random_next(&random) % N);
            og_forest_join(&f, a, b);
            paint(label, a, b);
            if (i % 10 == 0) check_labels(&f, label);
        }
        check_labels(&f, label);
        og_forest_release(&f);
    }
}

/* A long chain, joined from its end: still the smallest, and found again. */
static void chains_have_one_root(void **state)
{
    (void)state;
    struct og_forest f;
    og_forest_init(&f, NULL);
    assert_int_equal(og_forest_reach(&f, 100000, NULL), OG_OK);
    for (uint32_t i = 99999; i > 0; i--)
        og_forest_join(&f, i, i - 1);
    assert_int_equal(og_forest_root(&f, 99999), 0);
    assert_int_equal(og_forest_root(&f, 50000), 0);
    og_forest_join(&f, 5, 5);
    assert_int_equal(og_forest_root(&f, 5), 0);
    og_forest_release(&f);
}

static void new_numbers_are_alone(void **state)
{
    (void)state;
    struct og_forest f;
    og_forest_init(&f, NULL);
    assert_int_equal(og_forest_reach(&f, 0, NULL), OG_OK);
    assert_int_equal(og_forest_reach(&f, 3, NULL), OG_OK);
    og_forest_join(&f, 2, 1);
    assert_int_equal(og_forest_reach(&f, 2, NULL), OG_OK); /* never fewer */
    assert_int_equal(f.n, 3);
    assert_int_equal(og_forest_reach(&f, 6, NULL), OG_OK);
    const uint32_t expected[] = {0, 1, 1, 3, 4, 5};
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(og_forest_root(&f, i), expected[i]);
    og_forest_release(&f);
}

/* A forest that is merged into a shorter one, a longer one, and itself. */
static void merging_reaches_as_far(void **state)
{
    (void)state;
    struct og_forest a, b;
    og_forest_init(&a, NULL);
    og_forest_init(&b, NULL);
    og_forest_reach(&a, 3, NULL);
    og_forest_reach(&b, 8, NULL);
    og_forest_join(&a, 0, 2);
    og_forest_join(&b, 2, 7);
    og_forest_join(&b, 4, 5);
    assert_int_equal(og_forest_merge(&a, &b, NULL), OG_OK);
    const uint32_t expected[] = {0, 1, 0, 3, 4, 4, 6, 0};
    assert_int_equal(a.n, 8);
    for (int again = 0; again < 2; again++) {
        for (uint32_t i = 0; i < 8; i++)
            assert_int_equal(og_forest_root(&a, i), expected[i]);
        assert_int_equal(og_forest_merge(&a, &a, NULL), OG_OK);
    }
    assert_int_equal(og_forest_root(&b, 7), 2); /* read only */
    og_forest_release(&a);
    og_forest_release(&b);
}

static void forests_merge_in_any_order(void **state)
{
    (void)state;
    enum { PARTS = 4 };
    uint64_t random = 5;
    struct og_forest whole, parts[PARTS], merged[2];
    og_forest_init(&whole, NULL);
    og_forest_reach(&whole, N, NULL);
    for (int p = 0; p < PARTS; p++) {
        og_forest_init(&parts[p], NULL);
        og_forest_reach(&parts[p], N, NULL);
    }
    for (int i = 0; i < 250; i++) {
        const uint32_t a = (uint32_t)(og_random_next(&random) % N);
        const uint32_t b = (uint32_t)(og_random_next(&random) % N);
        og_forest_join(&whole, a, b);
        og_forest_join(&parts[og_random_next(&random) % PARTS], a, b);
    }
    og_forest_init(&merged[0], NULL);
    og_forest_init(&merged[1], NULL);
    for (int p = 0; p < PARTS; p++) {
        og_forest_merge(&merged[0], &parts[p], NULL);
        og_forest_merge(&merged[1], &parts[PARTS - 1 - p], NULL);
    }
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t root = og_forest_root(&whole, i);
        assert_true(root <= i);
        assert_int_equal(og_forest_root(&merged[0], i), root);
        assert_int_equal(og_forest_root(&merged[1], i), root);
    }
    og_forest_release(&whole);
    og_forest_release(&merged[0]);
    og_forest_release(&merged[1]);
    for (int p = 0; p < PARTS; p++)
        og_forest_release(&parts[p]);
}

static void *refuse(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    (void)ctx, (void)ptr, (void)old_len, (void)new_len;
    return NULL;
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    const og_allocator none = {NULL, refuse};
    struct og_forest f;
    og_error err;
    og_forest_init(&f, &none);
    assert_int_equal(og_forest_reach(&f, 10, &err), OG_ERR_MEMORY);
    assert_int_equal(f.n, 0);
    assert_int_equal(og_forest_reach(&f, (size_t)UINT32_MAX + 1, &err),
                     OG_ERR_LIMIT);
    assert_string_equal(err.message, "more than 2^32 documents");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_are_the_definition),
        cmocka_unit_test(chains_have_one_root),
        cmocka_unit_test(new_numbers_are_alone),
        cmocka_unit_test(merging_reaches_as_far),
        cmocka_unit_test(forests_merge_in_any_order),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
