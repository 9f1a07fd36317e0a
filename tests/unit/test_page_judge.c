/* The trees that vote on the blocks of a page: they are valid, they use the
 * features of page_features.c, and blocks are kept by their votes. */

#include "tests/unit/page_support.h"

#include "lib/source/web/page_judge.h"

#define SENTENCE                                                               \
    "The council met on Tuesday, as it does every month, and it decided that " \
    "the bridge across the river, which is a hundred years old, will stay. "

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

static void judge(const char *html)
{
    parse(html);
    assert_true(OG_GROW(NULL, text.stats, text.stats_cap, page.n_nodes + 1));
    memset(text.stats, 0, page.n_nodes * sizeof(*text.stats));
    og_page_choose(&page, text.stats);
    assert_int_equal(og_page_judge(&text, &page, NULL), OG_OK);
}

/* Every path through a tree ends in a leaf, and tests existing bits. */
static void the_trees_are_trees(void **state)
{
    (void)state;
    assert_true(og_page_n_trees > 0);
    for (size_t i = 0; i < og_page_n_trees; i++) {
        const struct og_page_tree *tree = &og_page_trees[i];
        for (int j = 0; j < 3; j++) {
            assert_true(tree->bit[j] < og_page_trees_n_bits);
            for (int answer = 0; answer < 2; answer++) {
                const int next = tree->next[j][answer];
                /* Forwards only, so no path comes back. */
                assert_true(next > j ? next <= 2 : next < 0 && next >= -4);
            }
        }
    }
}

/* The number and the order of the bits are those that the trees were trained
 * with; each is named once and in order of its group. */
static void features_are_those_of_the_trees(void **state)
{
    struct og_page_survey survey;
    struct og_page_features f;
    const struct og_page_facts facts = {
        .m = &text, .page = &page, .survey = &survey};
    (void)state;
    judge("<h1>A title</h1><p>" SENTENCE "</p><ul><li><a href=x>a link</a></ul>"
          "<div><span>12</span> comments &copy; us</div>");
    assert_true(text.n_blocks >= 3);
    og_page_survey(&text, &page, &survey);
    for (size_t i = 0; i < text.n_blocks; i++) {
        og_page_features_of(&facts, i, 0, &f);
        assert_int_equal(f.base, og_page_trees_n_bits);
        assert_true(f.n > 0 && f.n <= OG_PAGE_MAX_BITS);
        for (int j = 0; j < f.n; j++)
            assert_true(f.bits[j] < (j + 1 < f.n ? f.bits[j + 1] : f.base));
    }
}

static bool is_kept(size_t block)
{
    return text.stats[text.blocks[block].node].is_kept;
}

static void prose_stays_and_links_go(void **state)
{
    (void)state;
    judge("<article><p>" SENTENCE SENTENCE "</p><p>" SENTENCE SENTENCE "</p>"
          "</article><footer><a href=x>Imprint</a> <a href=y>Terms</a>"
          "</footer>");
    assert_int_equal(text.n_blocks, 3);
    assert_true(is_kept(0) && is_kept(1));
    assert_false(is_kept(2));
    assert_true(text.blocks[0].score > text.blocks[2].score);
}

/* Where nothing is likely, the least unlikely stays. */
static void something_always_stays(void **state)
{
    (void)state;
    judge("<nav><a href=x>one</a></nav>");
    assert_int_equal(text.n_blocks, 1);
    assert_true(is_kept(0));
    judge("");
    assert_int_equal(text.n_blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_trees_are_trees),
        cmocka_unit_test(features_are_those_of_the_trees),
        cmocka_unit_test(prose_stays_and_links_go),
        cmocka_unit_test(something_always_stays),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
