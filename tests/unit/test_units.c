/* From bytes to characters and units of UTF-16. */

#include "report_support.h"

#include "lib/base/bits.h"
#include "lib/report/glyph.h"
#include "lib/report/units.h"

/* a, e with acute, a Chinese character, an emoji, a broken byte, b */
static const og_bytes mixed =
    OG_LITERAL("a\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\xff"
               "b");

/* The definition: every character from the start. */
static uint64_t plain_units(og_bytes text, og_offsets offsets, uint64_t byte)
{
    uint64_t units = 0;
    if (offsets == OG_OFFSETS_BYTE) return byte;
    for (uint64_t i = 0; i < text.len && i < byte;) {
        const struct og_glyph g = og_glyph_at(text.data + i, text.len - i);
        const bool pair = offsets == OG_OFFSETS_UTF16;
        units += pair && g.code_point > 0xffff ? 2 : 1;
        i += g.len;
    }
    return units;
}

static void test_each_kind_of_character(void **state)
{
    (void)state;
    const uint64_t bytes[] = {0, 1, 3, 6, 10, 11, 12};
    const uint64_t chars[] = {0, 1, 2, 3, 4, 5, 6};
    const uint64_t utf16[] = {0, 1, 2, 3, 5, 6, 7};
    struct og_units c = {mixed, OG_OFFSETS_CHAR, 0, 0};
    struct og_units u = {mixed, OG_OFFSETS_UTF16, 0, 0};
    struct og_units b = {mixed, OG_OFFSETS_BYTE, 0, 0};
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(og_units_at(&c, bytes[i]), chars[i]);
        assert_int_equal(og_units_at(&u, bytes[i]), utf16[i]);
        assert_int_equal(og_units_at(&b, bytes[i]), bytes[i]);
    }
    assert_int_equal(og_units_at(&c, 1000), 6); /* the end is the end */
}

static void test_places_in_any_order(void **state)
{
    (void)state;
    struct og_places places = {0};
    const uint64_t asked[] = {10, 0, 6, 12, 6, 3};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(og_places_add(&places, asked[i], NULL), OG_OK);
    assert_int_equal(og_places_get(&places, 99), OG_UNKNOWN);
    assert_int_equal(og_places_settle(&places, mixed, OG_OFFSETS_UTF16, NULL),
                     OG_OK);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(og_places_get(&places, asked[i]),
                         plain_units(mixed, OG_OFFSETS_UTF16, asked[i]));
    assert_int_equal(og_places_get(&places, 1), OG_UNKNOWN);
    og_places_release(&places);
    assert_int_equal(og_places_get(&places, 0), OG_UNKNOWN);
}

static void test_random_texts_against_the_definition(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "plain ascii text ", "\xc3\xa9", "\xe4\xb8\xad",
        "\xf0\x9f\x98\x80",  "\xff",     "\xe4\xb8"};
    uint64_t random = 4;
    for (int round = 0; round < 300; round++) {
        char data[512];
        size_t len = 0;
        while (len < 400) {
            const char *piece = pieces[og_random_next(&random) % 6];
            memcpy(data + len, piece, strlen(piece));
            len += strlen(piece);
        }
        const og_bytes text = {data, len};
        const og_offsets offsets = 1 + (og_offsets)(round % 2);
        struct og_units at = {text, offsets, 0, 0};
        for (uint64_t byte = 0; byte <= len;
             byte += 1 + og_random_next(&random) % 9)
            assert_int_equal(og_units_at(&at, byte),
                             plain_units(text, offsets, byte));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_kind_of_character),
        cmocka_unit_test(test_places_in_any_order),
        cmocka_unit_test(test_random_texts_against_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
