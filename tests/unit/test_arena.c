/* Copies that stay where they are, and chunks that are used again. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/arena.h"

enum { N = 200, MOST = 40000 };

static char data[MOST];

static size_t len_of(size_t i)
{
    return i * i % MOST;
}

static size_t n_allocated;

static void *counting_resize(void *ctx, void *ptr, size_t old_len,
                             size_t new_len)
{
    (void)ctx;
    (void)old_len;
    if (new_len == 0) {
        free(ptr);
        return NULL;
    }
    n_allocated++;
    return realloc(ptr, new_len);
}

static void fill(struct og_arena *arena)
{
    char *copies[N];
    for (size_t i = 0; i < N; i++) {
        const size_t align = (size_t)1 << i % 5;
        memset(data, (int)i, len_of(i));
        copies[i] = og_arena_copy(arena, data, len_of(i), align);
        assert_non_null(copies[i]);
        assert_int_equal((uintptr_t)copies[i] % align, 0);
    }
    for (size_t i = 0; i < N; i++) {
        memset(data, (int)i, len_of(i));
        assert_memory_equal(copies[i], data, len_of(i));
    }
}

static void test_steady_state_allocates_nothing(void **state)
{
    (void)state;
    const og_allocator allocator = {NULL, counting_resize};
    struct og_arena arena;
    og_arena_init(&arena, &allocator);
    fill(&arena);
    const size_t n = n_allocated;
    assert_true(n > 1);
    for (int round = 0; round < 3; round++) {
        og_arena_clear(&arena, SIZE_MAX);
        fill(&arena);
        assert_int_equal(n_allocated, n);
    }
    og_arena_clear(&arena, 1 << 20); /* it had more: all is given back */
    assert_int_equal(arena.total, 0);
    fill(&arena);
    assert_int_equal(n_allocated, 2 * n);
    og_arena_release(&arena);
}

static void test_large_and_empty(void **state)
{
    (void)state;
    struct og_arena arena;
    const size_t len = (size_t)3 << 20;
    char *large = calloc(1, len);
    og_arena_init(&arena, NULL);
    assert_non_null(large);
    assert_non_null(og_arena_copy(&arena, NULL, 0, 8));
    assert_non_null(og_arena_copy(&arena, "a", 1, 1));
    char *copy = og_arena_copy(&arena, large, len, 8);
    assert_non_null(copy);
    assert_memory_equal(copy, large, len);
    assert_true(arena.total >= len);
    og_arena_clear(&arena, SIZE_MAX);
    assert_non_null(og_arena_copy(&arena, large, len, 8));
    free(large);
    og_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steady_state_allocates_nothing),
        cmocka_unit_test(test_large_and_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
