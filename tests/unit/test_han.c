/* Traditional Chinese characters become simplified ones, in place. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/text/han.h"

static void test_pairs(void **state)
{
    (void)state;
    assert_int_equal(og_han_simplified(0x5b78), 0x5b66); /* 學 */
    assert_int_equal(og_han_simplified(0x570b), 0x56fd); /* 國 */
    assert_int_equal(og_han_simplified(0x767c), 0x53d1); /* 發 */
    assert_int_equal(og_han_simplified(0x9aee), 0x53d1); /* 髮 */
    assert_int_equal(og_han_simplified(0x5b66), 0x5b66); /* 学 */
    assert_int_equal(og_han_simplified('a'), 'a');
    assert_int_equal(og_han_simplified(0), 0);
    assert_int_equal(og_han_simplified(0x10ffff), 0x10ffff);
}

/* The table is sorted, and a simplified form is not folded again: otherwise
 * folding twice would give another text than folding once. */
static void test_folding_twice_is_folding_once(void **state)
{
    (void)state;
    size_t n = 0;
    for (uint32_t c = 0; c < 0x10000; c++) {
        const uint32_t s = og_han_simplified(c);
        n += s != c;
        assert_int_equal(og_han_simplified(s), s);
        /* Three bytes of UTF-8 before and after. */
        if (s != c) assert_true(c >= 0x4000 && c < 0xa000 && s >= 0x800);
    }
    assert_true(n > 700 && n < 1000);
}

static void check_folds(const char *from, const char *to)
{
    char text[64];
    const size_t len = strlen(from);
    assert_int_equal(len, strlen(to));
    memcpy(text, from, len + 1);
    og_fold_han(text, len);
    assert_string_equal(text, to);
}

static void test_text(void **state)
{
    (void)state;
    check_folds("", "");
    check_folds("plain", "plain");
    check_folds("\xe4\xb8\xad\xe5\x9c\x8b",
                "\xe4\xb8\xad\xe5\x9b\xbd"); /* 中國 */
    /* Kana and Hangul stay, and so do characters of four bytes. */
    check_folds("\xe3\x81\x82\xea\xb0\x80\xf0\xa0\x80\x80\xe5\xad\xb8",
                "\xe3\x81\x82\xea\xb0\x80\xf0\xa0\x80\x80\xe5\xad\xa6");
}

/* Bytes after the end stay as they are, also where a character is cut. */
static void test_the_end(void **state)
{
    (void)state;
    char text[] = "\xe5\x9c\x8b";
    og_fold_han(text, 2);
    assert_string_equal(text, "\xe5\x9c\x8b");
    og_fold_han(text, 3);
    assert_string_equal(text, "\xe5\x9b\xbd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_folding_twice_is_folding_once),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
