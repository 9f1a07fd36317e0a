#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/status.h"

static void test_every_status_has_its_own_name(void **state)
{
    (void)state;
    for (int i = OG_OK; i <= OG_ERR_STOPPED; i++) {
        assert_string_not_equal(og_status_name((og_status)i), "unknown");
        for (int j = OG_OK; j < i; j++)
            assert_string_not_equal(og_status_name((og_status)i),
                                    og_status_name((og_status)j));
    }
    assert_string_equal(og_status_name((og_status)999), "unknown");
}

static void test_the_story_is_beside_the_status(void **state)
{
    (void)state;
    og_error err;
    assert_int_equal(og_error_set(&err, OG_ERR_IO, "cannot open '%s'", "x"),
                     OG_ERR_IO);
    assert_int_equal(err.status, OG_ERR_IO);
    assert_string_equal(err.message, "cannot open 'x'");
    assert_int_equal(og_error_memory(&err, 4096, "tokens"), OG_ERR_MEMORY);
    assert_string_equal(err.message, "out of memory (4096 bytes for tokens)");
}

static void test_nobody_need_listen(void **state)
{
    (void)state;
    assert_int_equal(og_error_set(NULL, OG_ERR_USAGE, "no"), OG_ERR_USAGE);
}

static void test_a_long_story_is_cut(void **state)
{
    (void)state;
    og_error err;
    char subject[2000];
    memset(subject, 'x', sizeof(subject) - 1);
    subject[sizeof(subject) - 1] = '\0';
    og_error_set(&err, OG_ERR_INPUT, "'%s'", subject);
    assert_int_equal(strlen(err.message), sizeof(err.message) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_status_has_its_own_name),
        cmocka_unit_test(test_the_story_is_beside_the_status),
        cmocka_unit_test(test_nobody_need_listen),
        cmocka_unit_test(test_a_long_story_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
