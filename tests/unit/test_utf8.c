/* UTF-8: what is a character, and where invalid sequences end. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/text/utf8.h"

static struct og_utf8 decode(const char *bytes, size_t len)
{
    unsigned char *exact = malloc(len); /* reading past it is seen */
    memcpy(exact, bytes, len);
    const struct og_utf8 u = og_utf8_decode(exact, len);
    free(exact);
    return u;
}

static void every_code_point_comes_back(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < 0x110000; c++) {
        if (c >= 0xd800 && c < 0xe000) continue;
        unsigned char bytes[4];
        const uint32_t len = og_utf8_encode(c, bytes);
        const struct og_utf8 checked = og_utf8_decode(bytes, len);
        const struct og_utf8 valid = og_utf8_decode_valid(bytes);
        if (checked.code_point != c || checked.len != len ||
            valid.code_point != c || valid.len != len ||
            og_utf8_len(bytes[0]) != len)
            fail_msg("U+%04X does not come back", c);
    }
}

/* The first unit of each, and how long it is. */
static void what_is_broken_ends_where_unicode_says(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        uint32_t len;
    } broken[] = {
        {"\x80", 1},             /* a tail without a lead */
        {"\xbf\x80", 1},         /* two of them: one each */
        {"\xc0\xaf", 1},         /* overlong '/' */
        {"\xc1\xbf", 1},         /* overlong */
        {"\xe0\x80\xaf", 1},     /* overlong */
        {"\xe0\x9f\xbf", 1},     /* overlong */
        {"\xed\xa0\x80", 1},     /* a surrogate */
        {"\xed\xbf\xbf", 1},     /* a surrogate */
        {"\xf0\x80\x80\xaf", 1}, /* overlong */
        {"\xf0\x8f\xbf\xbf", 1}, /* overlong */
        {"\xf4\x90\x80\x80", 1}, /* over 10FFFF */
        {"\xf5\x80\x80\x80", 1}, /* never a lead */
        {"\xff", 1},             /* never a byte */
        {"\xc3", 1},             /* cut */
        {"\xe2\x80", 2},         /* cut */
        {"\xe2", 1},             /* cut */
        {"\xf0\x9f\x98", 3},     /* cut */
        {"\xf0\x9f", 2},         /* cut */
        {"\xf0", 1},             /* cut */
        {"\xc3 ", 1},            /* another character where a tail should be */
        {"\xe2\x80z", 2},
        {"\xe2z\x80", 1},
        {"\xf0\x9f\x98z", 3},
        {"\xf0\x9fzz", 2},
        {"\xf0zzz", 1},
        {"\xf1\x80\xc3\xa9", 2},
    };
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        const struct og_utf8 u =
            decode(broken[i].bytes, strlen(broken[i].bytes));
        assert_int_equal(u.code_point, OG_UTF8_INVALID);
        assert_int_equal(u.len, broken[i].len);
    }
}

static void edges_of_the_ranges_are_characters(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        uint32_t code_point;
    } good[] = {
        {"\x7f", 0x7f},
        {"\xc2\x80", 0x80},
        {"\xdf\xbf", 0x7ff},
        {"\xe0\xa0\x80", 0x800},
        {"\xed\x9f\xbf", 0xd7ff},
        {"\xee\x80\x80", 0xe000},
        {"\xef\xbf\xbf", 0xffff},
        {"\xf0\x90\x80\x80", 0x10000},
        {"\xf4\x8f\xbf\xbf", 0x10ffff},
    };
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        const struct og_utf8 u = decode(good[i].bytes, strlen(good[i].bytes));
        assert_int_equal(u.code_point, good[i].code_point);
        assert_int_equal(u.len, strlen(good[i].bytes));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point_comes_back),
        cmocka_unit_test(what_is_broken_ends_where_unicode_says),
        cmocka_unit_test(edges_of_the_ranges_are_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
