#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/base/memory.h"

/* Counts allocated bytes; refuses once `n_left` calls were served. */
struct counter {
    size_t n_held;
    size_t n_left;
};

static void *count_resize(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    struct counter *c = ctx;
    if (new_len > 0 && c->n_left == 0) return NULL;
    if (new_len > 0) c->n_left--;
    c->n_held += new_len - old_len;
    if (new_len > 0) return realloc(ptr, new_len);
    free(ptr);
    return NULL;
}

static void test_grow_keeps_what_was_there(void **state)
{
    (void)state;
    struct counter c = {0, SIZE_MAX};
    const og_allocator a = {&c, count_resize};
    uint32_t *data = NULL;
    size_t cap = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(OG_GROW(&a, data, cap, i + 1));
        data[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(data[i], i);
    assert_int_equal(c.n_held, cap * sizeof(*data));
    OG_UNGROW(&a, data, cap);
    assert_null(data);
    assert_int_equal(cap, 0);
    assert_int_equal(c.n_held, 0);
}

static void test_grow_doubles(void **state)
{
    (void)state;
    struct counter c = {0, SIZE_MAX};
    const og_allocator a = {&c, count_resize};
    char *data = NULL;
    size_t cap = 0;
    for (size_t i = 0; i < 1 << 16; i++)
        assert_true(OG_GROW(&a, data, cap, i + 1));
    assert_in_range(SIZE_MAX - c.n_left, 1, 16);
    OG_UNGROW(&a, data, cap);
}

static void test_grow_fails_without_harm(void **state)
{
    (void)state;
    struct counter c = {0, 1};
    const og_allocator a = {&c, count_resize};
    uint64_t *data = NULL;
    size_t cap = 0;
    assert_true(OG_GROW(&a, data, cap, 4));
    const size_t old_cap = cap;
    data[3] = 7;
    assert_false(OG_GROW(&a, data, cap, 100));
    assert_int_equal(cap, old_cap);
    assert_int_equal(data[3], 7);
    assert_false(OG_GROW(&a, data, cap, SIZE_MAX));
    assert_false(OG_GROW(&a, data, cap, SIZE_MAX / 8 + 1));
    OG_UNGROW(&a, data, cap);
    assert_int_equal(c.n_held, 0);
}

static void test_nothing_is_something(void **state)
{
    (void)state;
    struct counter c = {0, SIZE_MAX};
    const og_allocator a = {&c, count_resize};
    void *none = og_allocate(&a, 0);
    assert_non_null(none);
    og_release(&a, none, 0);
    og_release(&a, NULL, 0);
    assert_int_equal(c.n_held, 0);
}

static void test_zero_and_the_c_library(void **state)
{
    (void)state;
    unsigned char *data = og_allocate_zero(NULL, 100);
    assert_non_null(data);
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(data[i], 0);
    data = og_reallocate(NULL, data, 100, 200);
    assert_non_null(data);
    og_release(NULL, data, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grow_keeps_what_was_there),
        cmocka_unit_test(test_grow_doubles),
        cmocka_unit_test(test_grow_fails_without_harm),
        cmocka_unit_test(test_nothing_is_something),
        cmocka_unit_test(test_zero_and_the_c_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
