/* Marks that never move, an order that follows (time, arrival). */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/store/catalogue/catalogue.h"

static void append(struct og_catalogue *c, bool has_time, int64_t time)
{
    const og_document doc = {.has_time = has_time, .time = time};
    const struct og_mark mark = {
        .time = og_catalogue_place(c, &doc).time,
        .flags = has_time ? OG_MARK_HAS_TIME : 0,
    };
    assert_int_equal(og_catalogue_reserve(c, NULL), OG_OK);
    const uint32_t number = og_catalogue_append(c, &mark);
    assert_int_equal(number, c->n - 1);
}

/* Over several levels, whose borders are at 1024, 3072 and 7168 after the
 * base. */
static void check_marks_stay(const struct og_mark *base, uint32_t n_base)
{
    enum { N = 10000 };
    static const struct og_mark *marks[N];
    struct og_catalogue c;
    og_catalogue_init(&c, base, n_base, n_base > 0 ? 0 : INT64_MIN, NULL);
    for (uint32_t i = 0; i < N; i++) {
        append(&c, i % 2 == 0, i);
        assert_int_equal(c.n, n_base + i + 1);
        marks[i] = og_catalogue_get(&c, n_base + i);
    }
    for (uint32_t i = 0; i < N; i++) {
        assert_ptr_equal(og_catalogue_get(&c, n_base + i), marks[i]);
        assert_int_equal(marks[i]->flags, i % 2 == 0 ? OG_MARK_HAS_TIME : 0);
        assert_int_equal(marks[i]->time, i / 2 * 2);
    }
    for (uint32_t i = 0; i < n_base; i++)
        assert_ptr_equal(og_catalogue_get(&c, i), base + i);
    og_catalogue_release(&c);
}

static void test_marks_stay(void **state)
{
    (void)state;
    static const struct og_mark base[7];
    check_marks_stay(NULL, 0);
    check_marks_stay(base, 7);
}

/* What was removed is later than everything. */
static void test_removed(void **state)
{
    (void)state;
    struct og_catalogue c;
    og_catalogue_init(&c, NULL, 0, INT64_MIN, NULL);
    append(&c, true, 1);
    append(&c, true, 2);
    assert_false(og_catalogue_earlier(&c, 1, 0));
    og_catalogue_remove(&c, 0);
    assert_true(og_catalogue_is_removed(&c, 0));
    assert_false(og_catalogue_is_removed(&c, 1));
    assert_true(og_catalogue_earlier(&c, 1, 0));
    og_catalogue_release(&c);
}

static void test_order(void **state)
{
    (void)state;
    struct og_catalogue c;
    og_catalogue_init(&c, NULL, 0, INT64_MIN, NULL);
    append(&c, false, 7); /* before all: its time is not one */
    append(&c, true, 10);
    append(&c, false, 0); /* takes 10 */
    append(&c, true, 5);
    append(&c, true, 10);
    static const uint32_t order[] = {0, 3, 1, 2, 4};
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++)
            assert_int_equal(og_catalogue_earlier(&c, order[i], order[j]),
                             i < j);
    og_catalogue_release(&c);
}

static void test_place(void **state)
{
    (void)state;
    struct og_catalogue c;
    const og_document untimed = {.has_time = false};
    const og_document at_9 = {.has_time = true, .time = 9};
    const og_document at_10 = {.has_time = true, .time = 10};
    og_catalogue_init(&c, NULL, 0, INT64_MIN, NULL);
    assert_true(og_catalogue_is_last(&c, og_catalogue_place(&c, &untimed)));
    append(&c, true, 10);
    assert_true(og_catalogue_is_last(&c, og_catalogue_place(&c, &untimed)));
    assert_true(og_catalogue_is_last(&c, og_catalogue_place(&c, &at_10)));
    assert_false(og_catalogue_is_last(&c, og_catalogue_place(&c, &at_9)));
    assert_true(
        og_catalogue_is_before(&c, 0, og_catalogue_place(&c, &untimed)));
    assert_false(og_catalogue_is_before(&c, 0, og_catalogue_place(&c, &at_9)));
    og_catalogue_release(&c);
}

/* To other threads a document is there when it was published, not before;
 * but one that is older than what they know takes over at once. */
static void test_others_see_what_is_published(void **state)
{
    (void)state;
    struct og_catalogue c;
    const og_document doc = {.has_time = false};
    og_catalogue_init(&c, NULL, 0, INT64_MIN, NULL);
    append(&c, true, 10);
    assert_false(
        og_catalogue_is_before(&c, 0, og_catalogue_place_shared(&c, &doc)));
    og_catalogue_publish(&c);
    assert_true(
        og_catalogue_is_before(&c, 0, og_catalogue_place_shared(&c, &doc)));
    append(&c, true, 10);
    assert_false(
        og_catalogue_is_before(&c, 1, og_catalogue_place_shared(&c, &doc)));
    append(&c, true, 5);
    assert_true(
        og_catalogue_is_before(&c, 2, og_catalogue_place_shared(&c, &doc)));
    og_catalogue_publish(&c);
    assert_true(
        og_catalogue_is_before(&c, 1, og_catalogue_place_shared(&c, &doc)));
    og_catalogue_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks_stay),
        cmocka_unit_test(test_removed),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_others_see_what_is_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
