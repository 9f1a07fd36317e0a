/* What a page says about itself: its address and its title. */

#include "tests/unit/stage_support.h"

#include "lib/source/web/page_about.h"

static struct og_page page;

static int begin(void **state)
{
    (void)state;
    og_page_init(&page, NULL);
    og_bump_clear(&page.bump, 1 << 20);
    return 0;
}

static int end(void **state)
{
    (void)state;
    og_page_release(&page);
    return 0;
}

static og_bytes bytes_of(const char *s)
{
    return (og_bytes){s, strlen(s)};
}

static void expect(og_bytes seen, const char *expected)
{
    assert_int_equal(seen.len, strlen(expected));
    assert_memory_equal(seen.data, expected, seen.len);
}

static void expect_address(const char *base, const char *url,
                           const char *expected)
{
    expect(og_page_resolve(&page.bump, bytes_of(base), bytes_of(url)),
           expected);
}

static void test_whole_addresses(void **state)
{
    (void)state;
    expect_address("", "http://a.example/b", "http://a.example/b");
    expect_address("http://x.example/", " HTTPS://a.example \n",
                   "HTTPS://a.example");
    expect_address("", "//a.example/b", "https://a.example/b");
    expect_address("http://x.example/", "//a.example", "http://a.example");
    expect_address("https://x.example/", "//a.example", "https://a.example");
}

static void test_relative_addresses(void **state)
{
    (void)state;
    expect_address("http://a.example/b/c", "d", "http://a.example/b/d");
    expect_address("http://a.example/b/c", "/d", "http://a.example/d");
    expect_address("http://a.example/b/", "././d", "http://a.example/b/d");
    expect_address("https://a.example", "d", "https://a.example/d");
    expect_address("https://a.example", "/d", "https://a.example/d");
    /* Slashes of a query or a fragment do not belong to the path. */
    expect_address("http://a.example/b?c/d", "e", "http://a.example/e");
    expect_address("http://a.example/b#c/d", "e", "http://a.example/e");
    expect_address("http://a.example?c/d", "e", "http://a.example/e");
}

static void test_no_addresses(void **state)
{
    (void)state;
    expect_address("http://a.example/", "", "");
    expect_address("http://a.example/", "  ", "");
    expect_address("", "b", "");
    expect_address("b/c", "/d", "");
    expect_address("http://", "b", "");
    expect_address("http://a.example/", "mailto:b", "");
    expect_address("http://a.example/", "javascript:b()", "");
}

static void parse(const char *html, const char *script)
{
    const og_bytes scripts[1] = {bytes_of(script)};
    assert_int_equal(og_page_parse(&page, bytes_of(html), scripts, 1, NULL),
                     OG_OK);
}

static void test_pages(void **state)
{
    (void)state;
    parse("<p>a</p>", "");
    assert_int_equal(page.about.title.len, 0);
    assert_int_equal(page.about.url.len, 0);
    parse("<title>The only title</title><p>a</p>", "");
    expect(page.about.title, "The only title");
    parse("<base href='http://a.example/b/'>"
          "<link rel=canonical href='c.html'><p>a</p>",
          "{\"datePublished\":\"2020-01-02T03:04:05Z\"}");
    expect(page.about.url, "http://a.example/b/c.html");
    expect(page.about.data.published, "2020-01-02T03:04:05Z");
    assert_true(page.about.time_rank > 0);
    /* Nothing stays of the page before. */
    parse("<p>a</p>", "");
    assert_int_equal(page.about.url.len, 0);
    assert_int_equal(page.about.time_rank, 0);
    assert_int_equal(page.about.data.published.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_whole_addresses, begin, end),
        cmocka_unit_test_setup_teardown(test_relative_addresses, begin, end),
        cmocka_unit_test_setup_teardown(test_no_addresses, begin, end),
        cmocka_unit_test_setup_teardown(test_pages, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
