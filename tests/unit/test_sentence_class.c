/* Classes of characters: the search against a walk over the ranges, and what
 * table 4 of UAX 29 says, by examples of every class. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/sentence/split/sentence_class.h"
#include "lib/sentence/split/sentence_ranges.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

/* Ranges of class 15 alternate: upper, lower, upper ... */
static void every_character_by_the_ranges(void **state)
{
    (void)state;
    size_t at = 0;
    for (uint32_t c = 0; c < 0x110000; c++) {
        while (at + 1 < LENGTH(sentence_ranges) &&
               sentence_ranges[at + 1] >> 4 <= c)
            at++;
        uint32_t expected = sentence_ranges[at] & 15;
        if (expected == 15)
            expected = (c - (sentence_ranges[at] >> 4)) % 2 == 0 ? OG_SB_UPPER
                                                                 : OG_SB_LOWER;
        assert_int_equal(og_sentence_class_of(c), expected);
    }
}

static void ranges_rise_from_zero(void **state)
{
    (void)state;
    assert_int_equal(sentence_ranges[0] >> 4, 0);
    for (size_t i = 1; i < LENGTH(sentence_ranges); i++)
        assert_true(sentence_ranges[i - 1] >> 4 < sentence_ranges[i] >> 4);
    assert_true(sentence_ranges[LENGTH(sentence_ranges) - 1] >> 4 < 0x110000);
}

static void examples_of_every_class(void **state)
{
    (void)state;
    static const struct {
        uint32_t c;
        enum og_sentence_class class;
    } examples[] = {
        {'\r', OG_SB_CR},          {'\n', OG_SB_LF},
        {0x85, OG_SB_SEP},         {0x2028, OG_SB_SEP},
        {0x2029, OG_SB_SEP},       {0x301, OG_SB_EXTEND},
        {0x200d, OG_SB_EXTEND},    {0xad, OG_SB_FORMAT},
        {0x200e, OG_SB_FORMAT},    {'\t', OG_SB_SP},
        {' ', OG_SB_SP},           {0xa0, OG_SB_SP},
        {0x3000, OG_SB_SP},        {'a', OG_SB_LOWER},
        {0xaa, OG_SB_LOWER},       {0xdf, OG_SB_LOWER},
        {0x3b1, OG_SB_LOWER},      {'Z', OG_SB_UPPER},
        {0xc4, OG_SB_UPPER},       {0x1c5, OG_SB_UPPER},
        {0x100, OG_SB_UPPER},      {0x101, OG_SB_LOWER},
        {0x5d0, OG_SB_OLETTER},    {0x4e00, OG_SB_OLETTER},
        {0x1bb, OG_SB_OLETTER},    {0x5f3, OG_SB_OLETTER},
        {'0', OG_SB_NUMERIC},      {0x660, OG_SB_NUMERIC},
        {0x66b, OG_SB_NUMERIC},    {'.', OG_SB_ATERM},
        {0x2024, OG_SB_ATERM},     {0xff0e, OG_SB_ATERM},
        {',', OG_SB_SCONTINUE},    {'-', OG_SB_SCONTINUE},
        {':', OG_SB_SCONTINUE},    {0x2013, OG_SB_SCONTINUE},
        {0x3001, OG_SB_SCONTINUE}, {'!', OG_SB_STERM},
        {'?', OG_SB_STERM},        {0x3002, OG_SB_STERM},
        {0x964, OG_SB_STERM},      {0x203c, OG_SB_STERM},
        {'"', OG_SB_CLOSE},        {'\'', OG_SB_CLOSE},
        {'(', OG_SB_CLOSE},        {']', OG_SB_CLOSE},
        {0xab, OG_SB_CLOSE},       {0x201d, OG_SB_CLOSE},
        {0x300d, OG_SB_CLOSE},     {'#', OG_SB_OTHER},
        {'_', OG_SB_OTHER},        {';', OG_SB_OTHER},
        {0x1f600, OG_SB_OTHER},    {0, OG_SB_OTHER},
    };
    for (size_t i = 0; i < LENGTH(examples); i++)
        assert_int_equal(og_sentence_class_of(examples[i].c),
                         examples[i].class);
}

static void what_is_no_code_point(void **state)
{
    (void)state;
    static const uint32_t none[] = {0x110000, 0x110001, 0x7fffffff, UINT32_MAX};
    for (size_t i = 0; i < LENGTH(none); i++)
        assert_int_equal(og_sentence_class_of(none[i]), OG_SB_OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character_by_the_ranges),
        cmocka_unit_test(ranges_rise_from_zero),
        cmocka_unit_test(examples_of_every_class),
        cmocka_unit_test(what_is_no_code_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
