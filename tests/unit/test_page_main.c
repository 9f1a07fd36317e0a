/* The main text of a page: the article is kept, what surrounds it is
 * removed. */

#define _GNU_SOURCE

#include "tests/unit/page_support.h"

#include "lib/source/web/page_main.h"

#define SENTENCE                                                               \
    "The council met on Tuesday, as it does every month, and it decided that " \
    "the bridge across the river, which is a hundred years old, will stay. "

#define MENU                                                                   \
    "<nav><ul><li><a href=/a>Home</a></li><li><a href=/b>Sport</a></li>"       \
    "<li><a href=/c>Weather</a></li></ul></nav>"

#define ARTICLE                                                                \
    "<article><h2>The bridge stays</h2><p>" SENTENCE SENTENCE                  \
    "</p><p>" SENTENCE SENTENCE "</p></article>"

static struct og_page_main text;

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

static bool has(const char *words)
{
    return memmem(text.text, text.text_len, words, strlen(words)) != NULL;
}

static void the_article_and_nothing_else(void **state)
{
    (void)state;
    parse("<body>" MENU ARTICLE "<footer>Copyright 2020 all rights reserved"
          "</footer></body>");
    assert_int_equal(og_page_main_text(&text, &page, NULL), OG_OK);
    assert_true(has("across the river"));
    assert_true(has("## The bridge stays\n\n"));
    assert_false(has("Weather"));
    assert_false(has("Copyright"));
    assert_int_equal(text.text[text.text_len], 0);
}

static void the_whole_page(void **state)
{
    (void)state;
    parse("<body>" MENU ARTICLE "</body>");
    assert_int_equal(og_page_whole_text(&text, &page, NULL), OG_OK);
    assert_true(has("across the river"));
    assert_true(has("Weather"));
}

/* A page that a script fills has its text in the data of the script. */
static void text_in_data(void **state)
{
    char body[4 * sizeof(SENTENCE)] = "";
    (void)state;
    for (int i = 0; i < 4; i++)
        strcat(body, SENTENCE);
    parse("<p>Please wait</p>");
    page.about.data.body = (og_bytes){body, strlen(body)};
    assert_int_equal(og_page_main_text(&text, &page, NULL), OG_OK);
    assert_int_equal(text.text_len, strlen(body));
    assert_memory_equal(text.text, body, text.text_len);
    body[10] = '<'; /* markup, which nobody has read */
    parse("<p>Please wait</p>");
    page.about.data.body = (og_bytes){body, strlen(body)};
    assert_int_equal(og_page_main_text(&text, &page, NULL), OG_OK);
    assert_true(text.text_len < 20);
}

static void nothing_at_all(void **state)
{
    (void)state;
    parse("");
    assert_int_equal(og_page_main_text(&text, &page, NULL), OG_OK);
    assert_int_equal(text.text_len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_article_and_nothing_else),
        cmocka_unit_test(the_whole_page),
        cmocka_unit_test(text_in_data),
        cmocka_unit_test(nothing_at_all),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
