/* Numbers for ids: the same id gets the same number, whatever its bytes. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/report/names.h"

static uint32_t add(struct og_names *names, const char *id, size_t len)
{
    uint32_t number = UINT32_MAX;
    assert_int_equal(og_names_add(names, (og_bytes){id, len}, &number, NULL),
                     OG_OK);
    return number;
}

static void test_equal_ids_have_one_number(void **state)
{
    (void)state;
    struct og_names names = {0};
    assert_int_equal(og_names_find(&names, (og_bytes){"a", 1}), UINT32_MAX);
    assert_int_equal(add(&names, "a", 1), 0);
    assert_int_equal(add(&names, "b", 1), 1);
    assert_int_equal(add(&names, "a", 1), 0);
    assert_int_equal(names.n, 2);
    assert_int_equal(og_names_find(&names, (og_bytes){"b", 1}), 1);
    assert_int_equal(og_names_find(&names, (og_bytes){"c", 1}), UINT32_MAX);
    og_names_release(&names);
}

/* One id is the beginning of another, holds a zero, or is empty. */
static void test_ids_are_bytes(void **state)
{
    (void)state;
    struct og_names names = {0};
    const struct {
        const char *data;
        size_t len;
    } ids[] = {{"", 0},  {"\0", 1},  {"\0\0", 2},
               {"a", 1}, {"a\0", 2}, {"ab", 2}};
    enum { N = sizeof(ids) / sizeof(ids[0]) };
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(add(&names, ids[i].data, ids[i].len), i);
    for (uint32_t i = 0; i < N; i++) {
        const og_bytes id = og_names_get(&names, i);
        assert_int_equal(id.len, ids[i].len);
        assert_memory_equal(id.data, ids[i].data, id.len);
        assert_int_equal(add(&names, ids[i].data, ids[i].len), i);
    }
    og_names_release(&names);
}

static void test_many(void **state)
{
    (void)state;
    struct og_names names = {0};
    char id[16];
    for (uint32_t i = 0; i < 20000; i++)
        assert_int_equal(add(&names, id, (size_t)sprintf(id, "id-%u", i)), i);
    for (uint32_t i = 0; i < 20000; i += 7) {
        const og_bytes name = {id, (size_t)sprintf(id, "id-%u", i)};
        assert_int_equal(og_names_find(&names, name), i);
    }
    og_names_release(&names);
    og_names_release(&names);
    assert_int_equal(add(&names, "again", 5), 0); /* empty, and of use */
    og_names_release(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_ids_have_one_number),
        cmocka_unit_test(test_ids_are_bytes),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
