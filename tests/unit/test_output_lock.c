/* One writer for an output. */

#include "tests/unit/store_support.h"

#include "lib/os/output_lock.h"

static void test_second_one_is_refused(void **state)
{
    struct og_output_lock first, second;
    og_error err = {0};
    (void)state;
    assert_int_equal(symlink("out", in("link")), 0);
    ASSERT_OK(og_output_lock(&first, in("out"), &story));
    assert_true(exists(in(".out.origo-lock")));
    assert_int_equal(og_output_lock(&second, in("link"), &err), OG_ERR_BUSY);
    assert_non_null(strstr(err.message, "another process is writing"));
    og_output_unlock(&second);
    assert_true(exists(in(".out.origo-lock")));
    og_output_unlock(&first);
    og_output_unlock(&first);
    assert_false(exists(in(".out.origo-lock")));
    ASSERT_OK(og_output_lock(&second, in("link"), &story));
    og_output_unlock(&second);
    assert_false(exists(in(".out.origo-lock")));
    assert_false(exists(in("out")));
}

/* The remains of a killed run are taken over; foreign files are left alone. */
static void test_what_is_there(void **state)
{
    struct og_output_lock lock;
    og_error err = {0};
    (void)state;
    save(in(".out.origo-lock"), "", 0);
    ASSERT_OK(og_output_lock(&lock, in("out"), &story));
    og_output_unlock(&lock);
    assert_false(exists(in(".out.origo-lock")));
    save(in(".out.origo-lock"), "mine", 4);
    assert_int_equal(og_output_lock(&lock, in("out"), &err), OG_ERR_IO);
    assert_non_null(strstr(err.message, "in the way"));
    assert_true(exists(in(".out.origo-lock")));
}

static void test_nothing_to_lock(void **state)
{
    struct og_output_lock lock;
    (void)state;
    assert_int_equal(mkfifo(in("pipe"), 0600), 0);
    ASSERT_OK(og_output_lock(&lock, in("pipe"), &story));
    assert_int_equal(lock.fd, -1);
    og_output_unlock(&lock);
    ASSERT_OK(og_output_lock(&lock, "-", &story));
    assert_int_equal(lock.fd, -1);
    og_output_unlock(&lock);
    assert_false(exists(in(".pipe.origo-lock")));
}

#define CASE(name)                                                             \
    cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_second_one_is_refused),
        CASE(test_what_is_there),
        CASE(test_nothing_to_lock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
