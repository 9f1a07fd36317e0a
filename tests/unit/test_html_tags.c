/* Tags of a page: where they end, their attributes, and what is not a tag. */

#include "tests/unit/stage_support.h"

#include "lib/source/web/html_tags.h"
#include <string.h>

static enum og_html_markup at(const char *page, struct og_html_tag *tag,
                              size_t *out_len)
{
    const char *end;
    const enum og_html_markup kind =
        og_html_markup_at(page, page + strlen(page), tag, &end);
    *out_len = (size_t)(end - page);
    return kind;
}

static void kinds_of_markup(void **state)
{
    struct og_html_tag tag;
    size_t len;
    (void)state;
    assert_int_equal(at("<p class=a>x", &tag, &len), OG_HTML_TAG);
    assert_int_equal(len, 11);
    assert_int_equal(tag.name, GUMBO_TAG_P);
    assert_false(tag.is_end);
    assert_int_equal(at("</DIV >x", &tag, &len), OG_HTML_TAG);
    assert_int_equal(tag.name, GUMBO_TAG_DIV);
    assert_true(tag.is_end);
    assert_int_equal(at("<!-- a > b -->x", &tag, &len), OG_HTML_COMMENT);
    assert_int_equal(len, 14);
    assert_int_equal(at("<!doctype html>x", &tag, &len), OG_HTML_DECLARATION);
    assert_int_equal(len, 15);
    assert_int_equal(at("< 3", &tag, &len), OG_HTML_TEXT);
    assert_int_equal(at("<p class=", &tag, &len), OG_HTML_COMMENT); /* cut */
}

/* A '>' in quotes does not end a tag. */
static void attributes(void **state)
{
    static const char page[] = "<a href='x>y' checked Title = \"t\" n=1>z";
    static const char *const expected[][2] = {
        {"href", "x>y"}, {"checked", ""}, {"Title", "t"}, {"n", "1"}};
    struct og_html_tag tag;
    struct og_html_attribute a;
    size_t len, n = 0;
    (void)state;
    assert_int_equal(at(page, &tag, &len), OG_HTML_TAG);
    assert_int_equal(len, sizeof(page) - 2);
    const char *p = tag.attributes;
    while (og_html_next_attribute(&p, page + sizeof(page) - 1, &a)) {
        assert_true(n < 4);
        assert_int_equal(a.name.len, strlen(expected[n][0]));
        assert_memory_equal(a.name.data, expected[n][0], a.name.len);
        assert_int_equal(a.value.len, strlen(expected[n][1]));
        assert_memory_equal(a.value.data, expected[n][1], a.value.len);
        n++;
    }
    assert_int_equal(n, 4);
    assert_int_equal(*p, '>');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_of_markup),
        cmocka_unit_test(attributes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
