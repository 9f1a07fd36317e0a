/* What bytes look like when nothing declares their charset. */

#include "tests/unit/stage_support.h"

#include "lib/source/charset_guess.h"
#include <string.h>
#include <strings.h>

static void russian_in_windows_1251(void **state)
{
    /* "the ship left the harbour early in the morning", twice */
    static const char text[] =
        "\xea\xee\xf0\xe0\xe1\xeb\xfc \xe2\xfb\xf8\xe5\xeb \xe8\xe7 "
        "\xe3\xe0\xe2\xe0\xed\xe8 \xf0\xe0\xed\xee \xf3\xf2\xf0\xee\xec, "
        "\xea\xee\xf0\xe0\xe1\xeb\xfc \xe2\xfb\xf8\xe5\xeb \xe8\xe7 "
        "\xe3\xe0\xe2\xe0\xed\xe8 \xf0\xe0\xed\xee \xf3\xf2\xf0\xee\xec.";
    char label[40];
    (void)state;
    assert_true(og_charset_guess((og_bytes){text, sizeof(text) - 1}, label));
    assert_int_equal(strcasecmp(label, "windows-1251"), 0);
}

static void nothing_is_known_of_nothing(void **state)
{
    char label[40];
    (void)state;
    assert_false(og_charset_guess((og_bytes){"", 0}, label));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(russian_in_windows_1251),
        cmocka_unit_test(nothing_is_known_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
