/* Which tags of a page would nest too deep. */

#include "tests/unit/stage_support.h"

#include "lib/source/web/html_depth.h"
#include "lib/source/web/html_tags.h"
#include <string.h>

static struct og_html_depth depth;

static bool take(const char *markup)
{
    struct og_html_tag tag;
    const char *end;
    assert_int_equal(
        og_html_markup_at(markup, markup + strlen(markup), &tag, &end),
        OG_HTML_TAG);
    return og_html_depth_take(&depth, &tag);
}

static int clear(void **state)
{
    (void)state;
    memset(&depth, 0, sizeof(depth));
    return 0;
}

static void kinds(void **state)
{
    (void)state;
    assert_int_equal(og_html_kind_of(GUMBO_TAG_DIV), OG_HTML_BLOCK);
    assert_int_equal(og_html_kind_of(GUMBO_TAG_B), OG_HTML_FORMATTING);
    assert_int_equal(og_html_kind_of(GUMBO_TAG_TABLE), OG_HTML_BARRIER);
    assert_int_equal(og_html_kind_of(GUMBO_TAG_BR), OG_HTML_VOID);
    assert_int_equal(og_html_kind_of(GUMBO_TAG_P), OG_HTML_VOID);
    assert_int_equal(og_html_kind_of(GUMBO_TAG_SCRIPT), OG_HTML_RAW);
    assert_int_equal(og_html_kind_of(GUMBO_TAG_SPAN), OG_HTML_ORDINARY);
}

static void what_closes_what(void **state)
{
    (void)state;
    assert_true(take("<div>"));
    assert_true(take("<span>"));
    assert_true(take("<b>"));
    assert_int_equal(depth.depth, 3);
    assert_true(take("</div>")); /* a block closes what is inside, but for
                                    formatting, which continues after it */
    assert_int_equal(depth.depth, 1);
    assert_true(take("</b>"));
    assert_int_equal(depth.depth, 0);
    (void)take("<span>");
    (void)take("<div>");
    (void)take("</span>"); /* an ordinary one does not close a block */
    assert_int_equal(depth.depth, 2);
    (void)take("</div>");
    assert_int_equal(depth.depth, 1);
    (void)take("</span>");
    assert_int_equal(depth.depth, 0);
    (void)take("<div>");
    (void)take("<table>");
    (void)take("</div>"); /* hidden by the table */
    assert_int_equal(depth.depth, 2);
    (void)take("<br>"); /* never open */
    (void)take("<p>");
    assert_int_equal(depth.depth, 2);
}

static void the_bound(void **state)
{
    (void)state;
    for (int i = 0; i < OG_HTML_MAX_DEPTH; i++)
        assert_true(take("<div>"));
    for (int i = 0; i < 1000; i++)
        assert_false(take("<div>"));
    assert_int_equal(depth.depth, OG_HTML_MAX_DEPTH);
    for (int i = 0; i < OG_HTML_MAX_DEPTH; i++)
        (void)take("</div>");
    assert_int_equal(depth.depth, 0);
    assert_true(take("<div>"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),
        cmocka_unit_test_setup(what_closes_what, clear),
        cmocka_unit_test_setup(the_bound, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
