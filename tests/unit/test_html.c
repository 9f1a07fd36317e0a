#define _GNU_SOURCE /* memmem */
/* Pages written for these tests: what is the text, what goes, what is known
 * about the page; and pages that mean harm. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/os/clock.h"
#include "lib/source/web/html.h"

static struct og_html html;

static int set_up(void **state)
{
    (void)state;
    og_html_init(&html, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    og_html_release(&html);
    return 0;
}

static const char *read_len(const char *data, size_t len, bool wants_whole)
{
    static char text[1 << 16];
    og_error err;
    assert_int_equal(
        og_html_read(&html, (og_bytes){data, len}, wants_whole, &err), OG_OK);
    snprintf(text, sizeof(text), "%.*s", (int)html.text.len, html.text.data);
    return text;
}

#define P1                                                                     \
    "The harbour was full of ships that morning, and nobody, not even the "    \
    "oldest of the fishermen, could remember a day on which so many had "      \
    "come in at once."
#define P2                                                                     \
    "They had come for the salt, which was cheap that year, and for the news " \
    "from the north, which was dear, as it always is after a long winter."

static void test_main_text(void **state)
{
    static const char page[] =
        "<!doctype html><html><head><title>Ships - The Gazette</title>"
        "<script>var x = '<p>no text</p>';</script><style>p{}</style></head>"
        "<body><nav><ul><li><a href=/>Home</a><li><a "
        "href=/n>News</a></ul></nav>"
        "<div class=sidebar><p>Buy our salt, it is the best salt, the very "
        "best salt that you can buy, order now, today.</p></div>"
        "<div id=content><h1>Ships</h1><div class='share-tools'>Share this "
        "on every network</div><p>" P1 "</p><h2>Why they came</h2><p>" P2
        "<br>It was spring.</p><div class=related><a href=/1>Other ships</a> "
        "<a href=/2>More ships</a></div></div>"
        "<div class=comments><p>I was there, too, and I saw it all, with my "
        "own eyes, which are good, believe me.</p></div>"
        "<footer><p>Copyright, all rights, of every kind, reserved, by us, "
        "since ever.</p></footer></body></html>";
    (void)state;
    assert_string_equal(read_len(page, sizeof(page) - 1, false),
                        P1 "\n\n## Why they came\n\n" P2 "\nIt was spring.");
}

static void test_whole_text(void **state)
{
    static const char page[] =
        "<nav>Menu</nav><p>One   two\nthree<b>four</b> five<p>six"
        "<ul><li>a<li>b</ul><table><tr><td>c<td>d</table><pre>x\n  y\n</pre>";
    (void)state;
    assert_string_equal(
        read_len(page, sizeof(page) - 1, true),
        "Menu\n\nOne two threefour five\n\nsix\n\na\nb\n\nc d\n\nx\n  y");
}

static void check_bytes(og_bytes seen, const char *expected)
{
    assert_int_equal(seen.len, strlen(expected));
    assert_memory_equal(seen.data, expected, seen.len);
}

static void test_about(void **state)
{
    static const char page[] =
        "<head><title>\n Salt &amp; ships | Gazette </title>"
        "<meta property='og:title' content='Salt &amp; ships'>"
        "<link rel=canonical href='https://example.org/salt'>"
        "<meta property=og:url content=https://example.org/other>"
        "<meta name=date content=1999-01-01>"
        "<meta property='article:published_time' "
        "content='2019-11-19T13:03:00+0100'></head><p>x";
    char time[40];
    (void)state;
    read_len(page, sizeof(page) - 1, false);
    const struct og_page_about *const about = &html.page.about;
    check_bytes(about->title, "Salt & ships");
    check_bytes(about->url, "https://example.org/salt");
    assert_true(about->time_rank > 0);
    og_time_format(about->time, time);
    assert_string_equal(time, "2019-11-19T12:03:00Z");
}

static void test_about_in_json(void **state)
{
    static const char page[] =
        "<script type='application/ld+json'>{\"@type\":\"Article\","
        "\"datePublished\" : \"2001-02-03T04:05:06Z\"}</script>"
        "<h1>Heading</h1><time datetime=2015-01-01>";
    char time[40];
    (void)state;
    read_len(page, sizeof(page) - 1, false);
    check_bytes(html.page.about.title, "Heading");
    og_time_format(html.page.about.time, time);
    assert_string_equal(time, "2001-02-03T04:05:06Z");
}

static void test_nothing(void **state)
{
    (void)state;
    assert_string_equal(read_len("", 0, false), "");
    assert_string_equal(read_len("<", 1, false), "<");
    assert_string_equal(read_len("<!-- -->", 8, false), "");
    assert_string_equal(read_len("just text", 9, false), "just text");
    assert_int_equal(html.page.about.time_rank, 0);
    assert_int_equal(html.page.about.title.len, 0);
}

static void test_zeros(void **state)
{
    static const char page[] = "<p>a\0b</p>\0<p>c</p>";
    (void)state;
    const char *const text = read_len(page, sizeof(page) - 1, true);
    assert_non_null(strstr(text, "c"));
    assert_null(memchr(html.text.data, 0, html.text.len));
}

/* n times `open`, a word, n times `close`; it must be quick, and the word must
 * be there unless it stands in what is never shown as text. */
static void check_deep(const char *open, const char *close, int n)
{
    const size_t open_len = strlen(open), close_len = strlen(close);
    const size_t len = (size_t)n * (open_len + close_len) + 4;
    char *const page = malloc(len);
    og_error err;
    assert_non_null(page);
    char *p = page;
    for (int i = 0; i < n; i++, p += open_len)
        memcpy(p, open, open_len);
    memcpy(p, "word", 4);
    p += 4;
    for (int i = 0; i < n; i++, p += close_len)
        memcpy(p, close, close_len);
    const double begin = og_clock_seconds();
    const og_status status =
        og_html_read(&html, (og_bytes){page, len}, true, &err);
    assert_true(status == OG_OK || status == OG_ERR_LIMIT);
    const bool is_shown = strstr(open, "<svg>") == NULL &&
                          strstr(open, "<button>") == NULL &&
                          strstr(open, "<object>") == NULL;
    if (status == OG_OK && is_shown)
        assert_non_null(memmem(html.text.data, html.text.len, "word", 4));
    assert_true(og_clock_seconds() - begin < 20);
    free(page);
}

static void test_deep(void **state)
{
    (void)state;
    check_deep("<div>", "</div>", 100000);
    check_deep("<b>", "", 100000);
    check_deep("<font size=1><p>", "", 20000);
    check_deep("<table><tr><td>", "</table>", 30000);
    check_deep("<x><div></x>", "", 50000);
    check_deep("<a><div></a>", "", 50000);
    check_deep("<svg><g>", "", 50000);
    check_deep("<svg><style><div>", "", 30000);
    check_deep("<ul><li>", "</ul>", 50000);
    check_deep("<p><button>", "", 50000);
    check_deep("<object><p>", "", 50000);
    check_deep("</p>", "", 100000);
}

/* Formatting that is never closed is opened again in every paragraph: the tree
 * would have the square of them. */
static void test_explosion(void **state)
{
    enum { N = 3000 };
    char *const page = malloc((size_t)N * 40 + (size_t)N * 8);
    og_error err;
    size_t len = 0;
    (void)state;
    assert_non_null(page);
    for (int i = 0; i < N; i++)
        len += (size_t)sprintf(page + len, "<p><font color=%d>x</p>", i);
    const double begin = og_clock_seconds();
    const og_status status =
        og_html_read(&html, (og_bytes){page, len}, true, &err);
    assert_true(status == OG_OK || status == OG_ERR_LIMIT);
    assert_true(og_clock_seconds() - begin < 20);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_main_text), cmocka_unit_test(test_whole_text),
        cmocka_unit_test(test_about),     cmocka_unit_test(test_about_in_json),
        cmocka_unit_test(test_nothing),   cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_deep),      cmocka_unit_test(test_explosion),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
