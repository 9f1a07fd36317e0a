/* The facts of a block, group by group: where each group begins is written down
 * here once more, as the trees have learned it. */

#include "tests/unit/page_support.h"

#include <stdio.h>

#include "lib/source/web/page_features.h"
#include "lib/source/web/page_judge.h"

#define SENTENCE                                                               \
    "The council met on Tuesday, as it does every month, and it decided that " \
    "the bridge across the river, which is a hundred years old, will stay. "

enum {                   /* first bits of groups, and how many they have */
       TAG = 0,          /* 13 */
       LEN = 13,         /* 10 */
       LINKS = 23,       /* 6 */
       LINK_FIRST = 29,  /* 3 */
       END = 32,         /* 5 */
       COMMAS = 37,      /* 4 */
       DIGITS = 41,      /* 3 */
       UPPER = 44,       /* 3 */
       SIGN = 47,        /* 1 */
       SHORT_CUES = 48,  /* 5 */
       LONG_CUES = 53,   /* 5 */
       TWICE = 58,       /* 1 */
       SHARES = 59,      /* 4 of 6 */
       TAGS_AROUND = 83, /* 16 */
};

static struct og_page_main text;
static struct og_page_survey survey;

static int set_up(void **state)
{
    og_page_main_init(&text, NULL);
    return begin(state);
}

static int tear_down(void **state)
{
    og_page_main_release(&text);
    return end(state);
}

static void read_page(const char *html)
{
    parse(html);
    assert_true(OG_GROW(NULL, text.stats, text.stats_cap, page.n_nodes + 1));
    memset(text.stats, 0, page.n_nodes * sizeof(*text.stats));
    og_page_choose(&page, text.stats);
    assert_int_equal(og_page_judge(&text, &page, NULL), OG_OK);
    og_page_survey(&text, &page, &survey);
}

static struct og_page_features features_of(size_t block)
{
    struct og_page_features f;
    const struct og_page_facts facts = {
        .m = &text, .page = &page, .survey = &survey};
    assert_true(block < text.n_blocks);
    og_page_features_of(&facts, block, 0, &f);
    return f;
}

/* The value of a group of `n` bits: at most one of them is set. -1: none. */
static int value_of(const char *html, size_t block, int first, int n)
{
    int value = -1;
    read_page(html);
    const struct og_page_features f = features_of(block);
    for (int i = 0; i < f.n; i++)
        if (f.bits[i] >= first && f.bits[i] < first + n) {
            assert_int_equal(value, -1);
            value = f.bits[i] - first;
        }
    return value;
}

static void the_element(void **state)
{
    (void)state;
    static const struct {
        const char *html;
        int value;
    } cases[] = {
        {"<p>text</p>", 0},
        {"<ul><li>text</ul>", 1},
        {"<table><td>text</table>", 2},
        {"<h1>text</h1>", 3},
        {"<h2>text</h2>", 4},
        {"<h6>text</h6>", 5},
        {"<div>text</div>", 6},
        {"<article>text</article>", 7},
        {"<dl><dd>text</dl>", 8},
        {"<blockquote>text</blockquote>", 9},
        {"<pre>text</pre>", 10},
        {"<figcaption>text</figcaption>", 11},
        {"<address>text</address>", 12},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_int_equal(value_of(cases[i].html, 0, TAG, 13), cases[i].value);
}

/* Each step, from both sides. */
static void the_length(void **state)
{
    (void)state;
    static const size_t steps[] = {10, 25, 50, 80, 120, 200, 400, 1000, 3000};
    char html[3100];
    for (size_t i = 0; i < LENGTH(steps); i++)
        for (size_t below = 0; below <= 1; below++) {
            snprintf(html, sizeof(html), "<p>%0*d</p>", (int)(steps[i] - below),
                     7);
            assert_int_equal(value_of(html, 0, LEN, 10), i + 1 - below);
        }
}

static void links(void **state)
{
    (void)state;
    static const struct {
        const char *html;
        int share, first;
    } cases[] = {
        {"<p>no link at all here</p>", 0, 0},
        {"<p><a href=x>1</a>90123456789012345678</p>", 1, 1},
        {"<p>90123456789012345678<a href=x>123456</a></p>", 2, 2},
        {"<p><a href=x>a link</a></p>", 5, 1},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        assert_int_equal(value_of(cases[i].html, 0, LINKS, 6), cases[i].share);
        assert_int_equal(value_of(cases[i].html, 0, LINK_FIRST, 3),
                         cases[i].first);
    }
}

static void the_end(void **state)
{
    (void)state;
    static const struct {
        const char *html;
        int value;
    } cases[] = {
        {"<p>He said so.</p>", 0},
        {"<p>He said so? </p>", 0},
        {"<p>He said \xe2\x80\x9cso\xe2\x80\x9d</p>", 0},
        {"<p>\xe4\xb8\xad\xe6\x96\x87\xe3\x80\x82</p>", 0},
        {"<p>He said (so)</p>", 1},
        {"<p>He said:</p>", 2},
        {"<p>He said,</p>", 3},
        {"<p>He said</p>", 4},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_int_equal(value_of(cases[i].html, 0, END, 5), cases[i].value);
}

static void characters(void **state)
{
    (void)state;
    assert_int_equal(value_of("<p>none of them</p>", 0, COMMAS, 4), 0);
    assert_int_equal(value_of("<p>one, only</p>", 0, COMMAS, 4), 1);
    assert_int_equal(value_of("<p>a, b, c</p>", 0, COMMAS, 4), 2);
    assert_int_equal(value_of("<p>a, b, c, d</p>", 0, COMMAS, 4), 2);
    assert_int_equal(value_of("<p>a, b, c, d, e</p>", 0, COMMAS, 4), 3);
    assert_int_equal(value_of("<p>no number</p>", 0, DIGITS, 3), 0);
    assert_int_equal(value_of("<p>a number: 7</p>", 0, DIGITS, 3), 1);
    assert_int_equal(value_of("<p>12.10.1999</p>", 0, DIGITS, 3), 2);
    assert_int_equal(value_of("<p>small letters</p>", 0, UPPER, 3), 0);
    assert_int_equal(value_of("<p>Some Are NOT</p>", 0, UPPER, 3), 1);
    assert_int_equal(value_of("<p>HELLO ALL</p>", 0, UPPER, 3), 2);
    assert_int_equal(value_of("<p>\xc2\xa9 us</p>", 0, SIGN, 1), 0);
    assert_int_equal(value_of("<p>by us</p>", 0, SIGN, 1), -1);
}

static void what_comes_twice(void **state)
{
    (void)state;
    static const char twice[] = "<p>The same words</p><p>Other words</p>"
                                "<p>The same words</p>";
    assert_int_equal(value_of(twice, 0, TWICE, 1), 0);
    assert_int_equal(value_of(twice, 1, TWICE, 1), -1);
    assert_int_equal(value_of(twice, 2, TWICE, 1), 0);
}

static void boxes_around(void **state)
{
    (void)state;
    static const struct {
        const char *html;
        int value;
    } cases[] = {
        {"<nav><p>text</p></nav>", 0},
        {"<aside><p>text</p></aside>", 1},
        {"<footer><p>text</p></footer>", 2},
        {"<header><p>text</p></header>", 3},
        {"<ol><li>text</ol>", 8},
        {"<div><p>text</p></div>", -1},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_int_equal(value_of(cases[i].html, 0, TAGS_AROUND, 16),
                         cases[i].value);
}

/* Whatever the page: ascending, and as many as the trees know. */
static void bits_are_those_of_the_trees(void **state)
{
    (void)state;
    read_page("<h1>A title</h1><nav><a href=x>one</a> <a href=y>two</a></nav>"
              "<article><p>" SENTENCE SENTENCE "</p><p>" SENTENCE "</p>"
              "<blockquote><p>" SENTENCE "</p></blockquote></article>"
              "<footer>&copy; 1999, ALL OF US: 12 comments</footer>");
    assert_true(text.n_blocks >= 5);
    for (size_t block = 0; block < text.n_blocks; block++) {
        const struct og_page_features f = features_of(block);
        assert_int_equal(f.base, og_page_trees_n_bits);
        assert_true(f.n > 20 && f.n <= OG_PAGE_MAX_BITS);
        for (int i = 1; i < f.n; i++)
            assert_true(f.bits[i - 1] < f.bits[i]);
        assert_true(f.bits[f.n - 1] < f.base);
    }
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(the_element),  CASE(the_length),
        CASE(links),        CASE(the_end),
        CASE(characters),   CASE(what_comes_twice),
        CASE(boxes_around), CASE(bits_are_those_of_the_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
