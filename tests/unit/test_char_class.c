/* What characters are to the tokenisers. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/text/text.h"

static void expect(enum og_char_class class, const uint32_t *code_points)
{
    for (; *code_points != 0; code_points++)
        for (int twice = 0; twice < 2; twice++) /* asked, then remembered */
            if (og_char_class_of(*code_points) != class)
                fail_msg("U+%04X is %d, not %d", *code_points,
                         og_char_class_of(*code_points), class);
}

static void scripts_have_their_classes(void **state)
{
    (void)state;
    expect(OG_CHAR_WORD,
           (const uint32_t[]){'a', 'z', '0', 0xe9, 0x3b1, 0x436, 0x5d0, 0x628,
                              0x915, 0x995, 0x660, /* Arabic digit */
                              0xac00, 0x1100,      /* Hangul */
                              0x3105,              /* Bopomofo */
                              0x10400, 0});
    expect(OG_CHAR_ALONE,
           (const uint32_t[]){0x4e2d, 0x3400, 0x20000, 0x3007, 0x3005, /* Han */
                              0x3042, 0x3093, 0x309d,         /* Hiragana */
                              0x30a2, 0x30fc, 0x31f0,         /* Katakana */
                              0xe01,  0xe32,  0xe46,   0xe50, /* Thai */
                              0xe81,  0xeb2,  0xec6,          /* Lao */
                              0x1780, 0x17b3,                 /* Khmer */
                              0x1000, 0x1021, 0xaa60,  0});
    expect(OG_CHAR_MARK,
           (const uint32_t[]){0x301, 0x5b0, 0x64e, 0x93e, 0x94d, 0xe31, 0xe49,
                              0xe4d, 0xeb1, 0x17b6, 0x17d2, 0x102b, 0x3099, 0});
    expect(OG_CHAR_OTHER,
           (const uint32_t[]){1, ' ', '_', '-', '\'', 0xa0, 0x2019, 0x3002,
                              0x30fb, 0xe3f, 0xe5a, 0xfffd, 0xe000, 0xf0000,
                              0x10ffff, 0});
    assert_int_equal(og_char_class_of(0), OG_CHAR_OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scripts_have_their_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
