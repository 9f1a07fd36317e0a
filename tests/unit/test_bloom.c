/* What was added is never denied; of the rest, nearly all is. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/store/catalogue/bloom.h"

/* Several layers. */
enum { N_IDS = 500000 };

static uint64_t hash_of(uint64_t i)
{
    return og_mix64(i + 1);
}

static void test_what_was_added_is_there(void **state)
{
    struct og_bloom bloom;
    size_t n_wrong = 0;
    (void)state;
    og_bloom_init(&bloom, NULL);
    assert_false(og_bloom_may_have(&bloom, hash_of(0)));
    for (uint64_t i = 0; i < N_IDS; i++) {
        n_wrong += og_bloom_may_have(&bloom, hash_of(i));
        og_bloom_add(&bloom, hash_of(i));
    }
    for (uint64_t i = 0; i < N_IDS; i++)
        assert_true(og_bloom_may_have(&bloom, hash_of(i)));
    assert_true(bloom.n_layers > 2);
    assert_true(n_wrong < N_IDS / 50);
    og_bloom_release(&bloom);
}

static void test_one_that_is_off_denies_nothing(void **state)
{
    struct og_bloom bloom = {0};
    (void)state;
    assert_true(og_bloom_may_have(&bloom, hash_of(1)));
    og_bloom_add(&bloom, hash_of(1));
    assert_true(og_bloom_may_have(&bloom, hash_of(2)));
    assert_int_equal(bloom.n_layers, 0);
    og_bloom_release(&bloom);
}

/* Gives memory once. */
static void *resize(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    int *n_left = ctx;
    (void)old_len;
    if (new_len == 0) {
        free(ptr);
        return NULL;
    }
    return (*n_left)-- > 0 ? realloc(ptr, new_len) : NULL;
}

static void test_without_memory_it_is_off(void **state)
{
    int n_left = 1;
    const og_allocator allocator = {.ctx = &n_left, .resize = resize};
    struct og_bloom bloom;
    (void)state;
    og_bloom_init(&bloom, &allocator);
    for (uint64_t i = 0; i < N_IDS; i++)
        og_bloom_add(&bloom, hash_of(i));
    assert_false(bloom.is_on);
    assert_int_equal(bloom.n_layers, 0);
    assert_true(og_bloom_may_have(&bloom, hash_of(N_IDS)));
    og_bloom_release(&bloom);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_added_is_there),
        cmocka_unit_test(test_one_that_is_off_denies_nothing),
        cmocka_unit_test(test_without_memory_it_is_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
