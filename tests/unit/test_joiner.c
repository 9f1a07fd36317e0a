/* Components of documents, from pairs of similar ones. */

#include "tests/unit/stage_support.h"

#include "lib/dedup/joiner.h"

static struct og_joiner joined;
static struct og_decider decider; /* nothing of it but the callbacks */

static int begin(void **state)
{
    (void)state;
    memset(&decider, 0, sizeof(decider));
    return og_joiner_start(&joined, &decider, "/tmp", NULL) == OG_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    og_joiner_release(&joined);
    return 0;
}

static struct og_dedup_place place_of(uint64_t number)
{
    return (struct og_dedup_place){.offset = 1000 + number,
                                   .file = (uint32_t)number % 3,
                                   .len = 7 + (uint32_t)number,
                                   .line = 1 + number};
}

static void note(uint64_t number)
{
    const struct og_dedup_place place = place_of(number);
    assert_int_equal(og_joiner_note(&joined, number, &place, NULL), OG_OK);
}

static void join(uint64_t number, uint64_t of)
{
    const struct og_dedup_entry entry = {.number = of};
    assert_int_equal(decider.on_pair(decider.ctx, number, &entry, 1, NULL),
                     OG_OK);
}

static bool is_joined(uint64_t number, uint64_t other)
{
    return decider.is_joined(decider.ctx, number, other);
}

static void expect_entry(const struct og_dedup_entry *entry, uint64_t number)
{
    const struct og_dedup_place place = place_of(number);
    assert_int_equal(entry->number, number);
    assert_int_equal(entry->place.offset, place.offset);
    assert_int_equal(entry->place.file, place.file);
    assert_int_equal(entry->place.len, place.len);
    assert_int_equal(entry->place.line, place.line);
}

static void expect_first(uint64_t number, uint64_t expected)
{
    struct og_dedup_entry self = {0}, first = {0};
    assert_int_equal(og_joined_first(&joined, number, &self, &first, NULL),
                     OG_OK);
    assert_int_equal(first.number, expected);
    if (number == expected) return;
    expect_entry(&self, number);
    expect_entry(&first, expected);
}

/* The first is the one recorded first, not the one with the smallest number. */
static void test_order_of_noting(void **state)
{
    (void)state;
    const uint64_t order[] = {5, 0, 9, 2};
    for (size_t i = 0; i < LENGTH(order); i++)
        note(order[i]);
    for (size_t i = 0; i < LENGTH(order); i++)
        expect_first(order[i], order[i]);
    assert_false(is_joined(0, 5));
    join(0, 9);
    expect_first(9, 0);
    expect_first(0, 0);
    join(9, 5);
    expect_first(0, 5);
    expect_first(9, 5);
    expect_first(2, 2);
    assert_true(is_joined(0, 5));
    assert_true(is_joined(9, 0));
    assert_false(is_joined(2, 5));
}

/* A second time does nothing: neither the order nor the place changes. */
static void test_noted_twice(void **state)
{
    const struct og_dedup_place other = {.offset = 1};
    (void)state;
    note(1);
    note(0);
    assert_int_equal(og_joiner_note(&joined, 0, &other, NULL), OG_OK);
    assert_int_equal(og_joiner_note(&joined, 1, &other, NULL), OG_OK);
    assert_int_equal(joined.n, 2);
    join(0, 1);
    expect_first(0, 1);
}

/* Numbers far apart, and a long chain joined from its end. */
static void test_many(void **state)
{
    enum { N = 3000, STEP = 7 };
    (void)state;
    for (uint64_t i = 0; i < N; i++)
        note((N - 1 - i) * STEP);
    for (uint64_t i = 0; i + 2 < N; i++)
        join(i * STEP, (i + 2) * STEP);
    for (uint64_t i = 0; i < N; i++)
        expect_first(i * STEP, (N - 1 - (N - 1 - i) % 2) * STEP);
    assert_false(is_joined(0, STEP));
}

static void test_no_folder(void **state)
{
    struct og_joiner none;
    struct og_decider unused;
    og_error err = {0};
    (void)state;
    memset(&unused, 0, sizeof(unused));
    assert_int_equal(
        og_joiner_start(&none, &unused, "/nonexistent/folder", &err),
        OG_ERR_IO);
    assert_non_null(strstr(err.message, "/nonexistent/folder"));
    og_joiner_release(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order_of_noting, begin, end),
        cmocka_unit_test_setup_teardown(test_noted_twice, begin, end),
        cmocka_unit_test_setup_teardown(test_many, begin, end),
        cmocka_unit_test(test_no_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
