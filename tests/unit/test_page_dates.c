/* Dates in the text of a page and in its address. */

#include "tests/unit/stage_support.h"

#include "lib/source/web/page_dates.h"
#include <origo/document.h>
#include <string.h>

static void expect(bool found, int64_t time, const char *expected)
{
    char text[40];
    assert_true(found == (expected != NULL));
    if (expected == NULL) return;
    og_time_format(time, text);
    assert_memory_equal(text, expected, 10);
}

static void in_text(const char *s, bool month_first, const char *expected)
{
    int64_t time = 0;
    const bool found =
        og_page_date_in_text((og_bytes){s, strlen(s)}, month_first, &time);
    expect(found, time, expected);
}

static void in_address(const char *s, const char *expected)
{
    int64_t time = 0;
    const bool found = og_page_date_in_address((og_bytes){s, strlen(s)}, &time);
    expect(found, time, expected);
}

static void texts(void **state)
{
    (void)state;
    in_text("Published 2019-03-04 by us", false, "2019-03-04");
    in_text("March 4, 2019", false, "2019-03-04");
    in_text("4. M\xc3\xa4rz 2019", false, "2019-03-04");
    in_text("03/04/2019", false, "2019-04-03");
    in_text("03/04/2019", true, "2019-03-04");
    in_text("13/04/2019", true, "2019-04-13"); /* no month has that number */
    in_text("no date here, 12 apples", false, NULL);
    in_text("2019-13-45", false, NULL);
}

static void addresses(void **state)
{
    (void)state;
    in_address("https://a.org/2019/03/04/title.html", "2019-03-04");
    in_address("https://a.org/news/20190304-title", "2019-03-04");
    in_address("https://a.org/title", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
