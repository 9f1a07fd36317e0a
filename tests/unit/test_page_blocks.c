/* The blocks of a page, and what is known about each. */

#include "tests/unit/stage_support.h"

#include "lib/source/web/page_blocks.h"
#include "lib/source/web/page_tags.h"

#define TEN   "abcd efgh "
#define PROSE TEN TEN TEN TEN TEN TEN TEN TEN "end"

static struct og_page page;
static struct og_page_main text;
static struct og_page_survey survey;

static int begin(void **state)
{
    (void)state;
    og_page_init(&page, NULL);
    og_page_main_init(&text, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    og_page_main_release(&text);
    og_page_release(&page);
    return 0;
}

/* With all of the page chosen. */
static void find(const char *html, size_t n_blocks)
{
    assert_int_equal(
        og_page_parse(&page, (og_bytes){html, strlen(html)}, NULL, 0, NULL),
        OG_OK);
    assert_true(OG_GROW(NULL, text.stats, text.stats_cap, page.n_nodes));
    memset(text.stats, 0, page.n_nodes * sizeof(*text.stats));
    text.stats[1].is_chosen = true;
    assert_true(og_page_find_blocks(&text, &page));
    og_page_survey(&text, &page, &survey);
    assert_int_equal(text.n_blocks, n_blocks);
}

static void test_blocks(void **state)
{
    const struct og_page_block *b;
    (void)state;
    find("", 0);
    find("<p> </p><div>\n</div>", 0);
    /* Inline content belongs to the block around it; text after a block to the
     * block that contains both. */
    find("<div>a<p>b<span>c</span></p>d</div>", 2);
    b = text.blocks;
    assert_int_equal(page.nodes[b[0].node].tag, GUMBO_TAG_DIV);
    assert_int_equal(page.nodes[b[1].node].tag, GUMBO_TAG_P);
    assert_int_equal(b[0].len, 2);
    assert_int_equal(b[1].len, 2);
    assert_string_equal(b[0].last, "d");
    assert_true(b[0].is_inside);
    /* Short bylines in a line are left out, blocks of that name are not. */
    find("<p>a<span hidden>b</span></p><p hidden>c</p>", 2);
    assert_int_equal(text.blocks[0].len, 1);
}

static void test_counts(void **state)
{
    const struct og_page_block *b;
    (void)state;
    find("<p><a href=x>Ab,  1</a> 23 C\xc3\xa9</p>", 1);
    b = text.blocks;
    /* A run of space is one, at the beginning of a text none. */
    assert_int_equal(b->len, 11);
    assert_int_equal(b->link_len, 5);
    assert_true(b->is_link_first);
    assert_int_equal(b->n_upper, 2);
    assert_int_equal(b->n_digits, 3);
    assert_int_equal(b->n_commas, 1);
    assert_memory_equal(b->last, "\xc3\xa9\0", 3);
    assert_false(b->has_sign);
    find("<p>\xc2\xa9 x \xd8\x8c y \xe3\x80\x81 z \xef\xbc\x8c.</p>", 1);
    assert_true(text.blocks->has_sign);
    assert_int_equal(text.blocks->n_commas, 3);
    find("<p>a</p><p> a </p><p>b</p>", 3);
    assert_int_equal(text.blocks[0].hash, text.blocks[1].hash);
    assert_int_not_equal(text.blocks[0].hash, text.blocks[2].hash);
    assert_true(survey.is_twice[text.blocks[0].hash % OG_PAGE_SEEN]);
    assert_false(survey.is_twice[text.blocks[2].hash % OG_PAGE_SEEN]);
}

static void test_survey(void **state)
{
    (void)state;
    find("<p>short</p>", 1);
    assert_int_equal(survey.prose_len, 0);
    assert_int_equal(survey.first_prose, UINT32_MAX);
    assert_int_equal(survey.first_h1, UINT32_MAX);
    assert_int_equal(survey.root, 1);
    find("<p>x</p><h1>y</h1><p>" PROSE "</p><h1>z</h1><p>" PROSE
         "</p><p><a href=x>" PROSE "</a></p>",
         6);
    assert_int_equal(survey.first_h1, 1);
    assert_int_equal(survey.first_prose, 2);
    assert_int_equal(survey.last_prose, 4);
    assert_int_equal(survey.prose_len, 2 * strlen(PROSE));
    assert_int_equal(survey.root_prose, survey.prose_len);
    assert_false(text.blocks[5].is_prose); /* all of it is a link */
    /* Prose that the vote did not choose. */
    text.stats[1].is_chosen = false;
    assert_true(og_page_find_blocks(&text, &page));
    og_page_survey(&text, &page, &survey);
    assert_int_equal(survey.prose_len, 2 * strlen(PROSE));
    assert_int_equal(survey.root_prose, 0);
    assert_int_equal(survey.first_prose, UINT32_MAX);
}

static uint32_t cues(const char *s)
{
    return og_page_cues((og_bytes){s, strlen(s)});
}

static void test_cues(void **state)
{
    (void)state;
    assert_int_equal(cues(""), 0);
    assert_int_equal(cues("a lighthouse"), 0);
    assert_int_not_equal(cues("written by us"), 0);
    assert_int_equal(cues("WRITTEN BY us"), cues("written by us"));
    assert_int_equal(cues("rewritten by us"), 0); /* inside of a word */
    assert_int_equal(cues("written b"), 0);
    assert_int_not_equal(cues("voir aussi"), cues("written by"));
    assert_int_equal(cues("voir aussi, written by"),
                     cues("voir aussi") | cues("written by"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_blocks, begin, end),
        cmocka_unit_test_setup_teardown(test_counts, begin, end),
        cmocka_unit_test_setup_teardown(test_survey, begin, end),
        cmocka_unit_test(test_cues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
