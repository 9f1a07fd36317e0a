#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/source/charset.h"

#define BYTES(s) ((og_bytes){(s), sizeof(s) - 1})

static void check_len(const char *data, size_t len, const char *declared,
                      const char *expected)
{
    struct og_charset charset;
    og_bytes out;
    og_error err;
    og_charset_init(&charset, NULL);
    for (int i = 0; i < 2; i++) { /* the second finds iconv open */
        assert_int_equal(
            og_charset_convert(&charset, (og_bytes){data, len},
                               (og_bytes){declared, strlen(declared)}, &out,
                               &err),
            OG_OK);
        assert_int_equal(out.len, strlen(expected));
        assert_memory_equal(out.data, expected, out.len);
    }
    og_charset_release(&charset);
}

static void check(const char *data, const char *declared, const char *expected)
{
    check_len(data, strlen(data), declared, expected);
}

static void test_utf8_stays(void **state)
{
    (void)state;
    check("", "", "");
    check("plain", "", "plain");
    check("plain", "shift_jis", "plain");
    check("\xc3\xbc", "utf-8", "\xc3\xbc");
    check("\xc3\xbc", "iso-8859-1", "\xc3\xbc"); /* declared wrongly */
    check("\xef\xbb\xbfx", "koi8-r", "x");
}

static void test_declared(void **state)
{
    (void)state;
    check("\xfc", "iso-8859-1", "\xc3\xbc");
    check("\x93x\x94", "ISO-8859-1", "\xe2\x80\x9cx\xe2\x80\x9d");
    check("\xd4\xc5\xd3\xd4", "koi8-r", "\xd1\x82\xd0\xb5\xd1\x81\xd1\x82");
    check("\xb2\xe2\xca\xd4", "gb2312", "\xe6\xb5\x8b\xe8\xaf\x95");
    check("\x83\x65\x83\x58\x83\x67", "Shift_JIS",
          "\xe3\x83\x86\xe3\x82\xb9\xe3\x83\x88");
    check("\x1b$B%F%9%H\x1b(B", "iso-2022-jp",
          "\xe3\x83\x86\xe3\x82\xb9\xe3\x83\x88");
}

static void test_marks(void **state)
{
    (void)state;
    check_len("\xff\xfeh\0i\0", 6, "utf-8", "hi");
    check_len("\xfe\xff\0h\0i", 6, "", "hi");
    check_len("\xff\xfe\0\0h\0\0\0", 8, "", "h");
}

/* Undefined bytes of a charset, a truncated character, an unknown label. */
static void test_broken(void **state)
{
    (void)state;
    check("a\xff\xff"
          "b",
          "shift_jis",
          "a\xef\xbf\xbd\xef\xbf\xbd"
          "b");
    check("\xb2\xe2\xca\xff\xca", "gb2312",
          "\xe6\xb5\x8b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    check("\xe4", "no-such-charset", "\xc3\xa4");
    check("x", "utf-8//IGNORE", "x");
}

static void test_guessed(void **state)
{
    static const char russian[] =
        "\xcf\xf0\xe8\xe2\xe5\xf2, \xea\xe0\xea \xe4\xe5\xeb\xe0? "
        "\xdd\xf2\xee \xf0\xf3\xf1\xf1\xea\xe8\xe9 \xf2\xe5\xea\xf1\xf2.";
    (void)state;
    struct og_charset charset;
    og_bytes out;
    og_error err;
    og_charset_init(&charset, NULL);
    assert_int_equal(
        og_charset_convert(&charset, BYTES(russian), BYTES(""), &out, &err),
        OG_OK);
    assert_true(out.len > 12);
    assert_memory_equal(out.data,
                        "\xd0\x9f\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82", 12);
    og_charset_release(&charset);
}

/* Undeclared and without a mark. */
static void test_escapes(void **state)
{
    (void)state;
    check("\x1b$B%F%9%H\x1b(B", "", "\xe3\x83\x86\xe3\x82\xb9\xe3\x83\x88");
    check("x \x1b$@%F\x1b(J", "", "x \xe3\x83\x86");
    check("\x1b[1mbold\x1b[0m", "", "\x1b[1mbold\x1b[0m");
}

static void check_declared(og_bytes found, const char *expected)
{
    assert_int_equal(found.len, strlen(expected));
    assert_memory_equal(found.data, expected, found.len);
}

static void test_declarations(void **state)
{
    (void)state;
    check_declared(og_charset_of_html(BYTES("<meta charset=koi8-r>")),
                   "koi8-r");
    check_declared(og_charset_of_html(
                       BYTES("<META name=x><meta http-equiv=\"Content-Type\" "
                             "content=\"text/html; charset=windows-1251\">")),
                   "windows-1251");
    check_declared(og_charset_of_html(BYTES("<p>charset=x</p>")), "");
    check_declared(og_charset_of_html(BYTES("<meta charset")), "");
    check_declared(
        og_charset_of_html(BYTES("<?xml version='1.0' encoding='latin1'?>")),
        "latin1");
    check_declared(og_charset_of_xml(BYTES("<?xml version='1.0'?>")), "");
    check_declared(og_charset_of_type(BYTES("text/html;Charset=\"UTF-8\"")),
                   "UTF-8");
    check_declared(og_charset_of_type(BYTES("text/html")), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_utf8_stays), cmocka_unit_test(test_declared),
        cmocka_unit_test(test_marks),      cmocka_unit_test(test_broken),
        cmocka_unit_test(test_guessed),    cmocka_unit_test(test_declarations),
        cmocka_unit_test(test_escapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
