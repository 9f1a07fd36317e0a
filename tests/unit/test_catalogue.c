/* Ids that never move, an order that follows (time, arrival). */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/catalogue.h"

static void append(struct og_catalogue *c, const char *id, bool has_time,
                   int64_t time)
{
    const og_document doc = {
        .id = {id, strlen(id)}, .has_time = has_time, .time = time};
    assert_int_equal(og_catalogue_append(c, &doc, NULL), OG_OK);
}

static bool has(const struct og_catalogue *c, const char *id)
{
    return og_catalogue_has(c, (og_bytes){id, strlen(id)});
}

/* Over several levels, whose borders are at 1024, 3072 and 7168. */
static void test_entries_stay(void **state)
{
    (void)state;
    enum { N = 10000 };
    static const struct og_catalogue_entry *entries[N];
    struct og_catalogue c;
    char id[32];
    og_catalogue_init(&c, NULL);
    for (uint32_t i = 0; i < N; i++) {
        sprintf(id, "id %u", i);
        assert_false(has(&c, id));
        append(&c, id, i % 2 == 0, i);
        assert_true(has(&c, id));
        assert_int_equal(c.n, i + 1);
        entries[i] = og_catalogue_get(&c, i);
    }
    for (uint32_t i = 0; i < N; i++) {
        const int len = sprintf(id, "id %u", i);
        assert_ptr_equal(og_catalogue_get(&c, i), entries[i]);
        assert_int_equal(entries[i]->id_len, len);
        assert_memory_equal(entries[i]->id, id, (size_t)len);
        assert_int_equal(entries[i]->has_time, i % 2 == 0);
        assert_int_equal(entries[i]->time, i / 2 * 2);
        assert_true(has(&c, id));
    }
    assert_false(has(&c, "id"));
    og_catalogue_release(&c);
}

static void test_order(void **state)
{
    (void)state;
    struct og_catalogue c;
    og_catalogue_init(&c, NULL);
    append(&c, "0", false, 7); /* before all: its time is not one */
    append(&c, "1", true, 10);
    append(&c, "2", false, 0); /* takes 10 */
    append(&c, "3", true, 5);
    append(&c, "4", true, 10);
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
    og_catalogue_init(&c, NULL);
    assert_true(og_catalogue_is_last(&c, og_catalogue_place(&c, &untimed)));
    append(&c, "a", true, 10);
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
    og_catalogue_init(&c, NULL);
    append(&c, "a", true, 10);
    assert_false(
        og_catalogue_is_before(&c, 0, og_catalogue_place_shared(&c, &doc)));
    og_catalogue_publish(&c);
    assert_true(
        og_catalogue_is_before(&c, 0, og_catalogue_place_shared(&c, &doc)));
    append(&c, "same time", true, 10);
    assert_false(
        og_catalogue_is_before(&c, 1, og_catalogue_place_shared(&c, &doc)));
    append(&c, "older", true, 5);
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
        cmocka_unit_test(test_entries_stay),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_others_see_what_is_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
