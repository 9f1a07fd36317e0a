/* Of all that a page says about its time, which one counts. */

#include "tests/unit/page_support.h"

#include "lib/source/web/page_times.h"

static void meta(const char *name, const char *content)
{
    og_page_time_of_meta(&page.about, name,
                         (og_bytes){content, strlen(content)});
}

/* NULL: no time is known. */
static void expect(const char *expected)
{
    char seen[40];
    assert_int_equal(page.about.time_rank != 0, expected != NULL);
    if (expected == NULL) return;
    og_time_format_in(page.about.time, page.about.time_zone, seen);
    assert_string_equal(seen, expected);
}

static void test_ranks(void **state)
{
    (void)state;
    meta("author", "2001-01-01T10:00:00Z");
    expect(NULL);
    meta("last-modified", "2009-01-01T10:00:00Z");
    expect("2009-01-01T10:00:00Z");
    meta("date", "2008-01-01T10:00:00Z");
    expect("2008-01-01T10:00:00Z");
    meta("created", "2007-01-01T10:00:00Z"); /* the same rank: the first */
    expect("2008-01-01T10:00:00Z");
    meta("DC.Date.Issued", "2006-01-01T10:00:00Z"); /* in any case */
    expect("2006-01-01T10:00:00Z");
    meta("article:modified_time", "2005-01-01T10:00:00Z"); /* lower */
    expect("2006-01-01T10:00:00Z");
    meta("article:published_time", "2004-01-01T10:00:00Z");
    expect("2004-01-01T10:00:00Z");
    assert_int_equal(page.about.time_source, OG_TIME_METADATA);
}

static void test_what_is_not_believed(void **state)
{
    (void)state;
    meta("date", "");
    meta("date", "yesterday");
    meta("date", "1970-01-01T00:00:01Z");
    meta("date", "1969-12-31T10:00:00Z");
    meta("date", "0001-01-01T10:00:00Z");
    expect(NULL);
    meta("date", "1970-01-04T10:00:00Z");
    expect("1970-01-04T10:00:00Z");
}

static void test_zones(void **state)
{
    (void)state;
    meta("date", "2020-05-06T10:00:00Z");
    expect("2020-05-06T10:00:00Z");
    /* The same moment, and the zone of it. */
    meta("created", "2020-05-06T12:00:00+02:00");
    expect("2020-05-06T12:00:00+02:00");
    /* Midnight in some zone is the day as it is written. */
    page.about = (struct og_page_about){.time_rank = 0};
    meta("date", "2020-05-06T00:00:00+02:00");
    expect("2020-05-06T00:00:00Z");
}

/* A day alone does not displace a moment of that day, or of the day after. */
static void test_days(void **state)
{
    (void)state;
    meta("date", "2020-05-06T10:00:00Z");
    meta("datepublished", "2020-05-06");
    expect("2020-05-06T10:00:00Z");
    meta("article:published_time", "2020-05-08"); /* another day */
    expect("2020-05-08T00:00:00Z");
    /* The day has given its rank, so lower ones do not count any more. */
    page.about = (struct og_page_about){.time_rank = 0};
    meta("date", "2020-05-06T10:00:00Z");
    meta("datepublished", "2020-05-06");
    meta("dc.date", "2001-01-01T10:00:00Z");
    expect("2020-05-06T10:00:00Z");
}

static void test_finish(void **state)
{
    static const char published[] = "2020-05-06T10:00:00Z";
    static const char created[] = "2010-05-06T10:00:00Z";
    static const char url[] = "https://a.example/2015/03/04/story";
    (void)state;
    page.about.data.created = (og_bytes){created, strlen(created)};
    og_page_time_finish(&page);
    expect("2010-05-06T10:00:00Z");
    page.about.data.published = (og_bytes){published, strlen(published)};
    og_page_time_finish(&page);
    expect("2020-05-06T10:00:00Z");
    assert_int_equal(page.about.time_source, OG_TIME_METADATA);
    page.about.url = (og_bytes){url, strlen(url)};
    og_page_time_finish(&page);
    expect("2015-03-04T00:00:00Z");
    assert_int_equal(page.about.time_source, OG_TIME_ADDRESS);
}

static void test_elements(void **state)
{
    (void)state;
    parse("<p>nothing</p>");
    expect(NULL);
    /* One that says that it is of the publication, before the others. */
    parse("<time datetime='2001-01-01T10:00:00Z'>a</time>"
          "<time class='entry-date' datetime='2002-01-01T10:00:00Z'>b</time>"
          "<time class='updated' datetime='2003-01-01T10:00:00Z'>c</time>");
    expect("2002-01-01T10:00:00Z");
    /* In a margin less than in the text. */
    parse("<aside><time>2001-01-01T10:00:00Z</time></aside>"
          "<p><time> 2002-01-01T10:00:00Z </time></p>");
    expect("2002-01-01T10:00:00Z");
    parse("<span itemprop=datePublished content='2004-01-01T10:00:00Z'></span>"
          "<abbr class=published title='2005-01-01T10:00:00Z'>x</abbr>");
    expect("2004-01-01T10:00:00Z");
    parse("<div><p>Published on 7 March 2019 by us</p></div>");
    expect("2019-03-07T00:00:00Z");
    assert_int_equal(page.about.time_source, OG_TIME_TEXT);
    /* At the title rather than anywhere else. */
    parse("<p>7 March 2019</p><h1>Title</h1><p>8 March 2019</p>");
    expect("2019-03-08T00:00:00Z");
}

static void test_trim(void **state)
{
    const char *const cases[][2] = {
        {"", ""}, {" ", ""}, {" \t\n", ""}, {"a", "a"}, {"\n a b \t", "a b"}};
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const og_bytes s =
            og_page_trim((og_bytes){cases[i][0], strlen(cases[i][0])});
        assert_int_equal(s.len, strlen(cases[i][1]));
        assert_memory_equal(s.data, cases[i][1], s.len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_ranks, begin, end),
        cmocka_unit_test_setup_teardown(test_what_is_not_believed, begin, end),
        cmocka_unit_test_setup_teardown(test_zones, begin, end),
        cmocka_unit_test_setup_teardown(test_days, begin, end),
        cmocka_unit_test_setup_teardown(test_finish, begin, end),
        cmocka_unit_test_setup_teardown(test_elements, begin, end),
        cmocka_unit_test(test_trim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
