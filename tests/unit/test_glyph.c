/* Untrusted characters: their bounds, and that none reaches a terminal. */

#include "report_support.h"

#include "lib/report/glyph.h"

static void expect_shown(const char *text, const char *expected,
                         unsigned expected_columns)
{
    char out[16];
    unsigned columns;
    const struct og_glyph g = og_glyph_at(text, strlen(text));
    const size_t len = og_glyph_show(text, g, out, &columns);
    assert_int_equal(len, strlen(expected));
    assert_memory_equal(out, expected, len);
    assert_int_equal(columns, expected_columns);
}

static void test_what_is_shown(void **state)
{
    (void)state;
    expect_shown("a", "a", 1);
    expect_shown("\xc3\xa4", "\xc3\xa4", 1);
    expect_shown("\xe6\xb5\xb7", "\xe6\xb5\xb7", 2); /* wide */
    expect_shown("\xcc\x81", "\xcc\x81", 0);         /* combining acute */
    expect_shown("\x1b[2J", "^[", 2);
    expect_shown("\x07", "^G", 2);
    expect_shown("\x7f", "^?", 2);
    expect_shown("\xc2\x9b", "<U+009B>", 8);     /* CSI in one character */
    expect_shown("\xe2\x80\xae", "<U+202E>", 8); /* writes backwards */
    expect_shown("\xff", "\xef\xbf\xbd", 1);
    expect_shown("\xe2\x80", "\xef\xbf\xbd", 1); /* cut off */
}

/* No byte that begins or is a command, for any code point. */
static void test_nothing_harms(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < 0x20; c++) {
        const char raw[2] = {(char)c, 0};
        char out[16];
        unsigned columns;
        const struct og_glyph g = og_glyph_at(raw, 1);
        const size_t len = og_glyph_show(raw, g, out, &columns);
        for (size_t i = 0; i < len; i++)
            assert_true((unsigned char)out[i] >= 0x20 && out[i] != 0x7f);
    }
}

/* Backwards finds the same places as forwards. */
static void test_backwards(void **state)
{
    (void)state;
    const char text[] = "a\xc3\xa4\xe6\xb5\xb7\xf0\x9f\x90\x9f\xff\x80z";
    size_t places[16], n = 0;
    for (size_t at = 0; at < sizeof(text) - 1;) {
        places[n++] = at;
        at += og_glyph_at(text + at, sizeof(text) - 1 - at).len;
    }
    size_t at = sizeof(text) - 1;
    while (n > 0) {
        at = og_glyph_before(text, at);
        assert_int_equal(at, places[--n]);
    }
    assert_int_equal(at, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_shown),
        cmocka_unit_test(test_nothing_harms),
        cmocka_unit_test(test_backwards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
