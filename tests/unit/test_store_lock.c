/* One writer at a time, and who it is. */

#include "tests/unit/store_support.h"

#include <stdio.h>

#include "lib/disk/store_lock.h"

static void test_the_second_hears_of_the_first(void **state)
{
    int first, second;
    char who[40];
    og_error err = {0};
    (void)state;
    ASSERT_OK(og_store_lock(folder, &first, &story));
    assert_int_equal(og_store_lock(folder, &second, &err), OG_ERR_BUSY);
    snprintf(who, sizeof(who), "process %ld (", (long)getpid());
    assert_non_null(strstr(err.message, who));
    close(first);
    ASSERT_OK(og_store_lock(folder, &second, &story));
    close(second);
}

static void test_what_was_safe_is_remembered(void **state)
{
    int fd;
    size_t len;
    (void)state;
    assert_int_equal(og_store_lock_safe(folder), 0);
    ASSERT_OK(og_store_lock(folder, &fd, &story));
    assert_int_equal(og_store_lock_safe(folder), 0);
    og_store_lock_end(fd, 1234567);
    close(fd);
    assert_int_equal(og_store_lock_safe(folder), 1234567);
    ASSERT_OK(og_store_lock(folder, &fd, &story)); /* and dies */
    close(fd);
    assert_int_equal(og_store_lock_safe(folder), 1234567);
    /* No flip makes another number of it. */
    free(load(in("lock"), &len));
    for (long i = 0; i < (long)len; i++) {
        flip(in("lock"), i, 1);
        const uint64_t safe = og_store_lock_safe(folder);
        assert_true(safe == 0 || safe == 1234567);
        flip(in("lock"), i, 1);
    }
}

static void test_what_was_safe_is_forgotten(void **state)
{
    int fd;
    (void)state;
    ASSERT_OK(og_store_lock(folder, &fd, &story));
    og_store_lock_end(fd, 12);
    assert_int_equal(og_store_lock_safe(folder), 12);
    ASSERT_OK(og_store_lock_forget(fd, &story));
    assert_int_equal(og_store_lock_safe(folder), 0);
    close(fd);
    assert_int_equal(og_store_lock_forget(-1, &story), OG_ERR_IO);
}

static void test_a_folder_that_is_missing(void **state)
{
    int fd;
    (void)state;
    assert_int_equal(og_store_lock(in("nowhere"), &fd, &story), OG_ERR_IO);
    assert_int_equal(og_store_lock_safe(in("nowhere")), 0);
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_the_second_hears_of_the_first),
        TEST(test_what_was_safe_is_remembered),
        TEST(test_what_was_safe_is_forgotten),
        TEST(test_a_folder_that_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
