/* UTF-16 and UTF-32 become UTF-8, wherever the input is cut. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/source/recode.h"

/* "aé汉😀" */
static const char utf8[] = "a\xc3\xa9\xe6\xb1\x89\xf0\x9f\x98\x80";
static const char le16[] = "a\0\xe9\0\x49\x6c\x3d\xd8\x00\xde";
static const char be16[] = "\0a\0\xe9\x6c\x49\xd8\x3d\xde\x00";
static const char le32[] = "a\0\0\0\xe9\0\0\0\x49\x6c\0\0\x00\xf6\x01\0";
static const char be32[] = "\0\0\0a\0\0\0\xe9\0\0\x6c\x49\0\x01\xf6\x00";

static og_bytes bytes_of(const char *data, size_t len)
{
    return (og_bytes){data, len};
}

static void check_mark(const char *data, size_t len, const char *charset,
                       size_t mark_len)
{
    size_t out_len = 99;
    const char *found = og_recode_of_mark(bytes_of(data, len), &out_len);
    if (charset == NULL)
        assert_null(found);
    else
        assert_string_equal(found, charset);
    assert_int_equal(out_len, mark_len);
}

static void test_marks(void **state)
{
    (void)state;
    check_mark("\xff\xfe\0\0", 4, "UTF-32LE", 4);
    check_mark("\0\0\xfe\xff", 4, "UTF-32BE", 4);
    check_mark("\xff\xfe"
               "a\0",
               4, "UTF-16LE", 2);
    check_mark("\xfe\xff\0a", 4, "UTF-16BE", 2);
    check_mark("\xff\xfe\0", 3, "UTF-16LE", 2); /* too short for 32 bits */
    check_mark("\xef\xbb\xbf", 3, NULL, 0);     /* UTF-8 is not reported */
    check_mark("\xff", 1, NULL, 0);
    check_mark("", 0, NULL, 0);
}

static void test_guesses(void **state)
{
    (void)state;
    const char little[] = "T\0h\0e\0 \0l\0a\0m\0p\0\n\0";
    const char big[] = "\0T\0h\0e\0 \0l\0a\0m\0p\0\n";
    assert_string_equal(og_recode_guess(bytes_of(little, 18)), "UTF-16LE");
    assert_string_equal(og_recode_guess(bytes_of(big, 18)), "UTF-16BE");
    assert_null(og_recode_guess(bytes_of("The lamp, lit", 13)));
    assert_null(og_recode_guess(bytes_of("T\0h", 3)));
    assert_null(og_recode_guess(bytes_of("", 0)));
}

/* `in` in two pieces, cut at `cut`, gives `expected`. */
static void check_cut(const char *charset, og_bytes in, size_t cut,
                      const char *expected)
{
    struct og_recode recode = {.charset = NULL};
    char out[256];
    assert_int_equal(og_recode_open(&recode, charset, NULL), OG_OK);
    assert_true(og_recode_room(in.len) <= sizeof(out) / 2);
    size_t len = og_recode_run(&recode, bytes_of(in.data, cut), false, out);
    assert_true(len <= og_recode_room(cut));
    len += og_recode_run(&recode, bytes_of(in.data + cut, in.len - cut), true,
                         out + len);
    assert_int_equal(len, strlen(expected));
    assert_memory_equal(out, expected, len);
    og_recode_close(&recode);
    og_recode_close(&recode); /* a second time is fine */
}

static void check_all_cuts(const char *charset, og_bytes in,
                           const char *expected)
{
    for (size_t cut = 0; cut <= in.len; cut++)
        check_cut(charset, in, cut, expected);
}

static void test_every_cut_gives_the_same(void **state)
{
    (void)state;
    check_all_cuts("UTF-16LE", bytes_of(le16, sizeof(le16) - 1), utf8);
    check_all_cuts("UTF-16BE", bytes_of(be16, sizeof(be16) - 1), utf8);
    check_all_cuts("UTF-32LE", bytes_of(le32, sizeof(le32) - 1), utf8);
    check_all_cuts("UTF-32BE", bytes_of(be32, sizeof(be32) - 1), utf8);
}

#define UNKNOWN "\xef\xbf\xbd"

static void test_broken_characters(void **state)
{
    (void)state;
    /* The second half of a pair alone; a number beyond Unicode. */
    check_all_cuts("UTF-16LE",
                   bytes_of("a\0\x00\xde"
                            "b\0",
                            6),
                   "a" UNKNOWN "b");
    check_all_cuts("UTF-32LE",
                   bytes_of("\0\0\x11\0"
                            "b\0\0\0",
                            8),
                   UNKNOWN "b");
    /* The input ends inside of a character. */
    check_all_cuts("UTF-16LE", bytes_of("a\0b", 3), "a" UNKNOWN);
    check_all_cuts("UTF-16LE", bytes_of("a\0\x3d\xd8", 4), "a" UNKNOWN);
    check_all_cuts("UTF-32BE", bytes_of("\0\0\0a\0\0", 6), "a" UNKNOWN);
}

static void test_unknown_charset(void **state)
{
    (void)state;
    struct og_recode recode = {.charset = NULL};
    og_error err;
    assert_int_equal(og_recode_open(&recode, "UTF-17", &err), OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "UTF-17"));
    og_recode_close(&recode);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_guesses),
        cmocka_unit_test(test_every_cut_gives_the_same),
        cmocka_unit_test(test_broken_characters),
        cmocka_unit_test(test_unknown_charset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
