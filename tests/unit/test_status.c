#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

static void test_the_place_is_beside_the_story(void **state)
{
    og_error err, other = {0};
    char name[400];
    (void)state;
    og_error_set(&err, OG_ERR_INPUT, "bad");
    assert_int_equal(og_error_place(&err, OG_ERR_INPUT, "a.jsonl", 3, 70),
                     OG_ERR_INPUT);
    assert_int_equal(og_error_pass(&other, &err), OG_ERR_INPUT);
    assert_string_equal(other.message, "bad");
    assert_string_equal(other.file, "a.jsonl");
    assert_int_equal(other.line, 3);
    assert_int_equal(other.byte, 70);
    memset(name, 'x', sizeof(name));
    memcpy(name + sizeof(name) - 4, "end", 4);
    og_error_place(&err, OG_ERR_INPUT, name, 0, 0);
    assert_int_equal(strlen(err.file), sizeof(err.file) - 1);
    assert_string_equal(err.file + strlen(err.file) - 4, "xend");
    og_error_set(&err, OG_ERR_IO, "another"); /* of no file */
    assert_string_equal(err.file, "");
    assert_int_equal(err.line + err.byte, 0);
    assert_int_equal(og_error_place(NULL, OG_ERR_IO, "a", 0, 0), OG_ERR_IO);
    assert_int_equal(og_error_pass(NULL, &err), OG_ERR_IO);
}

/* The headers and the library say the same, in both forms. */
static void test_versions_agree(void **state)
{
    char text[40];
    (void)state;
    snprintf(text, sizeof(text), "%d.%d.%d", OG_VERSION_NUMBER / 10000,
             OG_VERSION_NUMBER / 100 % 100, OG_VERSION_NUMBER % 100);
    assert_string_equal(og_version(), text);
    assert_int_equal(og_version_number(), OG_VERSION_NUMBER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_status_has_its_own_name),
        cmocka_unit_test(test_the_story_is_beside_the_status),
        cmocka_unit_test(test_nobody_need_listen),
        cmocka_unit_test(test_a_long_story_is_cut),
        cmocka_unit_test(test_the_place_is_beside_the_story),
        cmocka_unit_test(test_versions_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
