#define _GNU_SOURCE /* memmem */
/* Pages written for these tests: what is text, what is removed, what is known
 * about the page; and hostile pages. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/os/clock.h"
#include "lib/source/web/html.h"

/* Seconds for a megabyte: far more than emulated and shared machines take, to
 * notice work that grows with the square of a page. */
#define SLOWNESS 300

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

static void check_time(const char *page, og_time_source source,
                       const char *expected)
{
    char time[40];
    read_len(page, strlen(page), false);
    const struct og_page_about *const about = &html.page.about;
    assert_int_equal(about->time_source, source);
    assert_int_equal(about->time_rank > 0, source != OG_TIME_UNKNOWN);
    if (source == OG_TIME_UNKNOWN) return;
    og_time_format(about->time, time);
    assert_string_equal(time, expected);
}

static void test_times(void **state)
{
    (void)state;
    /* Nobody published on the first of January 1970. */
    check_time("<script type=application/ld+json>{\"datePublished\":"
               "\"1970-01-01T00:00:00+00:00\"}</script><p>x",
               OG_TIME_UNKNOWN, NULL);
    check_time("<script type=application/ld+json>{\"datePublished\":"
               "\"1970-01-01\"}</script><p class=date>12. M\xc3\xa4rz 2019",
               OG_TIME_TEXT, "2019-03-12T00:00:00Z");
    check_time("<h1>Salt</h1><p>by Ann, <b>March</b> 12th, 2019<p>" P1,
               OG_TIME_TEXT, "2019-03-12T00:00:00Z");
    check_time("<html lang=en-US><h1>x</h1><p>3/12/2019", OG_TIME_TEXT,
               "2019-03-12T00:00:00Z");
    check_time("<html lang=en-GB><h1>x</h1><p>3/12/2019", OG_TIME_TEXT,
               "2019-12-03T00:00:00Z");
    check_time("<h1>x</h1><p>2019\xe5\xb9\xb4"
               "3\xe6\x9c\x88"
               "12\xe6\x97\xa5",
               OG_TIME_TEXT, "2019-03-12T00:00:00Z");
    check_time("<link rel=canonical href=https://x.org/2019/03/12/salt><p>x",
               OG_TIME_ADDRESS, "2019-03-12T00:00:00Z");
    /* A moment of that day says more than the day. */
    check_time("<link rel=canonical href=https://x.org/2019/03/12/salt>"
               "<time datetime=2019-03-12T10:00:00Z>",
               OG_TIME_METADATA, "2019-03-12T10:00:00Z");
    /* Midnight somewhere is a day, not the evening before. */
    check_time("<meta property=article:published_time "
               "content=2019-03-12T00:00:00+01:00>",
               OG_TIME_METADATA, "2019-03-12T00:00:00Z");
    check_time("<p>" P1 " <p>no date at all", OG_TIME_UNKNOWN, NULL);
    /* What readers see at the title is more than what every system writes. */
    check_time("<meta name=date content=2020-02-12><h1>x</h1><p>5 May 2019",
               OG_TIME_TEXT, "2019-05-05T00:00:00Z");
    check_time("<meta property=article:published_time content=2020-02-12>"
               "<h1>x</h1><p>5 May 2019",
               OG_TIME_METADATA, "2020-02-12T00:00:00Z");
    check_time("<h1>x</h1><div class=date><span>Apr</span><span>04</span>"
               "<span>2013</span></div>",
               OG_TIME_TEXT, "2013-04-04T00:00:00Z");
    check_time("<p>2021/22<p>1999<p>Changed 31.10.2023<br>Published: "
               "01.11.2023<p>x",
               OG_TIME_TEXT, "2023-11-01T00:00:00Z");
    check_time("<p>Last event 1.2.2018<span class=updated "
               "title=2013-04-04T18:52:11+00:00></span>",
               OG_TIME_METADATA, "2013-04-04T18:52:11Z");
}

static void check_zone(const char *page, const char *expected)
{
    char time[40];
    read_len(page, strlen(page), false);
    const struct og_page_about *const about = &html.page.about;
    og_time_format_in(about->time, about->time_zone, time);
    assert_string_equal(time, expected);
}

static void test_zones(void **state)
{
    (void)state;
    check_zone("<meta property=article:published_time "
               "content=2022-05-03T20:36:00-04:00>",
               "2022-05-03T20:36:00-04:00");
    /* The same moment twice, once with its zone, in any order. */
    check_zone("<meta name=date content='Sat, 19 Oct 2019 00:04:00 +0200'>"
               "<script type=application/ld+json>{\"datePublished\":"
               "\"2019-10-18T22:04:00Z\"}</script>",
               "2019-10-19T00:04:00+02:00");
    check_zone("<time class=published datetime=2019-10-18T22:04:00Z></time>"
               "<time datetime=2019-10-19T00:04:00+0200></time>",
               "2019-10-19T00:04:00+02:00");
    check_zone("<time datetime=2019-10-19></time>", "2019-10-19T00:00:00Z");
}

static void check_title(const char *page, const char *expected)
{
    read_len(page, strlen(page), false);
    check_bytes(html.page.about.title, expected);
}

static void test_titles(void **state)
{
    (void)state;
    check_title("<title>Salt and ships - Gazette</title><h1>Salt\n and "
                "<i>ships</i></h1>",
                "Salt and ships");
    /* The only <h1> is the name of the site. */
    check_title("<title>Salt - The Gazette</title><meta property=og:title "
                "content='Salt'><h1>The Gazette</h1>",
                "Salt");
    check_title("<title>Salt and ships of the north | The Gazette</title><p>x",
                "Salt and ships of the north");
    check_title("<h1>Gazette</h1><h1>Salt and ships</h1><meta "
                "property=og:title content='Salt and ships'>",
                "Salt and ships");
    check_title("<script type=application/ld+json>{\"headline\":"
                "\"S\\u00e4lt\"}</script><p>x",
                "S\xc3\xa4lt");
}

static void check_url(const char *page, const char *expected)
{
    read_len(page, strlen(page), false);
    check_bytes(html.page.about.url, expected);
}

static void test_addresses(void **state)
{
    (void)state;
    check_url("<base href=https://x.org/a/b><link rel=canonical href=/salt>",
              "https://x.org/salt");
    check_url("<base href=https://x.org/a/b><link rel=canonical href=salt>",
              "https://x.org/a/salt");
    check_url("<meta property=og:url content=https://x.org/a>"
              "<link rel=canonical href=/salt>",
              "https://x.org/salt");
    check_url("<link rel=canonical href=//x.org/salt>", "https://x.org/salt");
    check_url("<base href=https://x.org><link rel=canonical href=salt>",
              "https://x.org/salt");
    check_url("<link rel=canonical href=/salt>", "");
}

static void test_scripts_of_writing(void **state)
{
    static const char page[] =
        "<p><ruby>\xe6\xbc\xa2<rp>(</rp><rt>\xe3\x81\x8b\xe3\x82\x93</rt>"
        "<rp>)</rp></ruby> soft\xc2\xadly \xc2\xad.";
    (void)state;
    assert_string_equal(read_len(page, sizeof(page) - 1, true),
                        "\xe6\xbc\xa2 softly .");
}

static void test_text_elsewhere(void **state)
{
    static const char hidden[] =
        "<div id=app style='display:none'><p>" P1 "</p><p>" P2 "</p></div>"
        "<p>Loading";
    static const char noscript[] = "<div class=x>Loading</div><noscript><p>" P1
                                   "</p><p>" P2 "</p></noscript>";
    static const char data[] =
        "<script type=application/ld+json>{\"articleBody\":\"" P1 "\\n" P2
        " " P1 "\"}</script><p>Loading, please wait";
    (void)state;
    assert_non_null(
        strstr(read_len(hidden, sizeof(hidden) - 1, false), "the salt"));
    assert_non_null(
        strstr(read_len(noscript, sizeof(noscript) - 1, false), "the salt"));
    assert_string_equal(read_len(data, sizeof(data) - 1, false),
                        P1 "\n" P2 " " P1);
}

static void test_names_that_mislead(void **state)
{
    static const char page[] =
        "<nav><a href=/>Home</a></nav>"
        "<div class=text>Follow us</div><main>"
        "<div class='elementor-widget elementor-widget-text'><p>" P1
        "</p></div><div class='node node-promoted has-ads'><p>" P2
        "</p></div></main>";
    (void)state;
    const char *const text = read_len(page, sizeof(page) - 1, false);
    assert_non_null(strstr(text, "so many had come"));
    assert_non_null(strstr(text, "the salt"));
    assert_null(strstr(text, "Home"));
}

/* A page that breaks off, at every byte: what was there is read. */
static void test_cut(void **state)
{
    static const char page[] =
        "<!doctype html><html lang=en><head><title>Salt &amp; ships</title>"
        "<meta property='article:published_time' content='2019-11-19T13:03'>"
        "<script type='application/ld+json'>{\"headline\":\"Salt\",\"dateP"
        "ublished\":\"2001-02-03T04:05:06+01:00\"}</script></head><body>"
        "<h1>Salt</h1><time datetime='2019-11-19'>19 November 2019</time><p>" P1
        "<!-- a comment --><table><tr><td>x</table><svg><g/></svg>&nbsp;";
    (void)state;
    for (size_t len = 0; len < sizeof(page); len++) {
        char *const cut = malloc(len + 1); /* to see reads behind its end */
        assert_non_null(cut);
        memcpy(cut, page, len);
        cut[len] = 0;
        read_len(cut, len, false);
        read_len(cut, len, true);
        free(cut);
    }
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

/* n times `open`, a word, n times `close`; it must be fast, and the word must
 * be found unless it is inside something that is never shown as text. */
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
    assert_true(og_clock_seconds() - begin < SLOWNESS);
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

/* `n` times `piece` after `front`, read whole and as main text, in a time
 * bounded by the length: a second per megabyte, plus a second. */
static void check_many(const char *front, const char *piece, int n)
{
    const size_t front_len = strlen(front), len = strlen(piece);
    const size_t total = front_len + (size_t)n * (len + 8);
    char *const page = malloc(total + 1);
    og_error err;
    assert_non_null(page);
    memcpy(page, front, front_len);
    char *p = page + front_len;
    for (int i = 0; i < n; i++)
        p += sprintf(p, piece, i);
    const size_t page_len = (size_t)(p - page);
    assert_true(page_len <= total);
    for (int whole = 0; whole < 2; whole++) {
        const double begin = og_clock_seconds();
        const og_status status =
            og_html_read(&html, (og_bytes){page, page_len}, whole != 0, &err);
        assert_true(status == OG_OK || status == OG_ERR_LIMIT);
        assert_true(og_clock_seconds() - begin <
                    SLOWNESS * (1 + (double)page_len / 1e6));
    }
    free(page);
}

static void test_many(void **state)
{
    (void)state;
    check_many("<p ", "a%d=1 ", 100000);
    check_many("<p ", "class=a%d ", 100000);
    check_many("<h1>x</h1>", "<time datetime=2019-01-01>%d<br>1.1.2001 ",
               20000);
    check_many("", "<p a%d>x", 50000);
    check_many("", "<table><tr><td>%d", 30000);
    check_many("", "<ul><li>%d", 50000);
    check_many("", "<div><p>%d, a, b, c, and a text of some length.", 20000);
    check_many("", "<b id=a%d><p>x", 20000);
    check_many("", "<span>%d", 50000);
    check_many("<table>", "<b>%d", 30000);
    check_many("<svg>", "<g id=a%d>", 30000);
    check_many("", "<!-- %d", 50000);
    check_many("", "<style>%d", 50000);
    check_many("<script type=application/ld+json>", "{\"a%d\":[", 50000);
    check_many("", "<h1>%d ", 50000);
    check_many("<select>", "<option>%d", 50000);
    check_many("", "<a href='%d", 50000);
    check_many("", "</p></b>%d", 50000);
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
    assert_true(og_clock_seconds() - begin < SLOWNESS);
    free(page);
}

/* Pages that need more than they may take: refused, with all of it freed; the
 * next page is read. What the page says about itself outlives its tree. */
static void test_most(void **state)
{
    enum { N = 200000, MOST = 4 << 20 };
    char *const cells = malloc((size_t)N * 5 + 1);
    struct og_permits permits;
    og_error err;
    (void)state;
    assert_non_null(cells);
    for (int i = 0; i < N; i++)
        memcpy(cells + (size_t)i * 5, "<td>a", 6);
    og_permits_init(&permits, MOST);
    for (int round = 0; round < 2; round++) {
        html.most = MOST;
        html.permits = round == 0 ? NULL : &permits;
        assert_int_equal(
            og_html_read(&html, (og_bytes){cells, (size_t)N * 5}, true, &err),
            OG_ERR_LIMIT);
        assert_string_equal(err.message, "the page needs more than 2621440 "
                                         "bytes of memory");
        assert_true(html.page.bump.total <= 256 << 10);
        assert_true(html.page.nodes_cap <= 16 << 10);
        assert_string_equal(
            read_len("<title>A &amp; b</title><p>one two", 34, true),
            "one two");
        assert_int_equal(html.page.about.title.len, 5);
        assert_memory_equal(html.page.about.title.data, "A & b", 5);
        assert_int_equal(permits.taken, 0);
    }
    /* More than pages of this length usually need, but not too much. */
    html.most = 512 << 20;
    assert_int_equal(
        og_html_read(&html, (og_bytes){cells, (size_t)N * 5}, true, &err),
        OG_OK);
    assert_int_equal(permits.taken, 0);
    assert_true(html.page.bump.total <= 256 << 10);
    html.most = SIZE_MAX;
    html.permits = NULL;
    og_permits_release(&permits);
    free(cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_main_text),
        cmocka_unit_test(test_whole_text),
        cmocka_unit_test(test_about),
        cmocka_unit_test(test_about_in_json),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_zones),
        cmocka_unit_test(test_titles),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_text_elsewhere),
        cmocka_unit_test(test_scripts_of_writing),
        cmocka_unit_test(test_names_that_mislead),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_explosion),
        cmocka_unit_test(test_most),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
