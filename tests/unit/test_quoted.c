/* What stands in quotation marks. */

#include "report_support.h"

#include <stdio.h>

#include "lib/report/html/quoted.h"

/* The quotations of a text, each in brackets. */
static void expect(const char *text, const char *expected)
{
    struct og_quoted quotes = {0};
    char seen[512] = "";
    assert_int_equal(og_quoted_find(&quotes, bytes_of(text), NULL), OG_OK);
    for (size_t i = 0; i < quotes.n; i++) {
        const og_range q = quotes.list[i];
        assert_true(q.begin < q.end && q.end <= strlen(text));
        snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "[%.*s]",
                 (int)(q.end - q.begin), text + q.begin);
    }
    assert_string_equal(seen, expected);
    og_quoted_release(&quotes);
}

static void test_marks_of_several_scripts(void **state)
{
    (void)state;
    expect("he said \"no\" and \"yes\".", "[\"no\"][\"yes\"]");
    expect("he said “no” twice", "[“no”]");
    expect("er sagte „nein“ und „ja”", "[„nein“][„ja”]");
    expect("il dit «non» puis", "[«non»]");
    expect("他说「不」和『是』", "[「不」][『是』]");
    expect("don't, it's John's 'word'", "");
}

static void test_paragraphs_end_them(void **state)
{
    (void)state;
    expect("five \" inches\n\nand \"two\"", "[\"two\"]");
    expect("“first part\n\n“second part” end",
           "[“first part\n][“second part”]");
    expect("a \"line\nbreak\" is none", "[\"line\nbreak\"]");
}

static void test_mail(void **state)
{
    (void)state;
    expect("yes\n> did you?\n> really\nno", "[> did you?][> really]");
}

static void test_four_fifths(void **state)
{
    (void)state;
    struct og_quoted quotes = {0};
    const og_bytes text = OG_LITERAL("0123 \"6789012345\" 8901234567");
    size_t at = 0;
    assert_int_equal(og_quoted_find(&quotes, text, NULL), OG_OK);
    assert_false(og_quoted_hold(&quotes, (og_range){0, 5}, &at));
    assert_true(og_quoted_hold(&quotes, (og_range){5, 17}, &at));
    assert_true(og_quoted_hold(&quotes, (og_range){4, 18}, &at));
    assert_false(og_quoted_hold(&quotes, (og_range){6, 27}, &at));
    assert_false(og_quoted_hold(&quotes, (og_range){18, 27}, &at));
    og_quoted_release(&quotes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks_of_several_scripts),
        cmocka_unit_test(test_paragraphs_end_them),
        cmocka_unit_test(test_mail),
        cmocka_unit_test(test_four_fifths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
