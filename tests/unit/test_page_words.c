/* Names of classes that say what a part of a page is. */

#include "tests/unit/stage_support.h"

#include "lib/source/web/page_words.h"

static void some_names(void **state)
{
    (void)state;
    assert_true(og_page_words("sidebar") & OG_PAGE_UNLIKELY);
    assert_true(og_page_words("article-body") & OG_PAGE_LIKELY);
    assert_true(og_page_words("comments") & OG_PAGE_UNLIKELY);
    assert_int_equal(og_page_words("xq7"), 0);
    assert_int_equal(og_page_words(""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
