/* A page becomes an array of nodes. */

#include "tests/unit/page_support.h"

#include "lib/source/web/page_tags.h"

/* Every node is before what it holds, and its end after it. */
static void check_nodes(void)
{
    assert_true(page.n_nodes > 0);
    assert_int_equal(page.nodes[0].parent, 0);
    assert_int_equal(page.nodes[0].end, page.n_nodes);
    for (uint32_t i = 1; i < page.n_nodes; i++) {
        const struct og_page_node *const node = &page.nodes[i];
        assert_true(node->parent < i);
        assert_true(node->end > i);
        assert_true(node->end <= page.nodes[node->parent].end);
        assert_true(node->tag != OG_PAGE_TEXT || node->end == i + 1);
    }
}

/* Of the body: "p(a b(c))", with texts as they are. */
static void expect(const char *html, const char *expected)
{
    char seen[512] = "";
    uint32_t ends[64], n_ends = 0;
    parse(html);
    check_nodes();
    assert_int_equal(page.nodes[0].tag, GUMBO_TAG_HTML);
    assert_int_equal(page.nodes[1].tag, GUMBO_TAG_BODY);
    for (uint32_t i = 2; i <= page.n_nodes; i++) {
        for (; n_ends > 0 && ends[n_ends - 1] == i; n_ends--)
            strcat(seen, ")");
        if (i == page.n_nodes) break;
        const struct og_page_node *const node = &page.nodes[i];
        if (i > 2 && seen[strlen(seen) - 1] != '(') strcat(seen, " ");
        if (node->tag == OG_PAGE_TEXT) {
            strncat(seen, node->text.data, node->text.len);
            continue;
        }
        strcat(seen, gumbo_normalized_tagname((GumboTag)node->tag));
        strcat(seen, "(");
        ends[n_ends++] = node->end;
    }
    assert_string_equal(seen, expected);
}

static void test_nodes(void **state)
{
    (void)state;
    expect("", "");
    expect("x", "x");
    expect("<p>a<p>b", "p(a) p(b)");
    expect("<div><ul><li>a</li><li></li></ul>b</div>", "div(ul(li(a) li()) b)");
    /* Plain emphasis is as if it were not there; with a class it is. */
    expect("<p>a<b>c<i>d</i></b><em class=x>e</em></p>", "p(a c d em(e))");
    /* Not for readers. */
    expect("<head><title>t</title></head><p>a<script>b</script><!-- c -->"
           "<select><option>d</select><textarea>e</textarea>"
           "<button>f</button></p>",
           "p(a)");
    expect("<ruby>a<rp>(</rp><rt>b</rt><rp>)</rp></ruby>", "ruby(a)");
    /* The page before is forgotten. */
    expect("<p>z", "p(z)");
}

static unsigned traits_of(const char *html)
{
    parse(html);
    assert_true(page.n_nodes > 2);
    return page.nodes[2].traits;
}

static void test_traits(void **state)
{
    const char *const hidden[] = {"<p hidden>", "<p aria-hidden=true>",
                                  "<p style='display:none'>",
                                  "<p style='color:red; display : none;'>"};
    const char *const shown[] = {
        "<p>", "<p aria-hidden=false>", "<p style='display:block'>",
        "<p style='display'>", "<p style='color:none'>"};
    (void)state;
    for (size_t i = 0; i < LENGTH(hidden); i++)
        assert_int_equal(traits_of(hidden[i]), OG_PAGE_HIDDEN);
    for (size_t i = 0; i < LENGTH(shown); i++)
        assert_int_equal(traits_of(shown[i]), 0);
    assert_int_equal(traits_of("<p itemprop=articleBody>"),
                     OG_PAGE_BODY | OG_PAGE_LIKELY | OG_PAGE_GOOD);
    assert_int_equal(traits_of("<p itemprop=headline>"), OG_PAGE_TITLE);
    assert_int_equal(traits_of("<p itemprop=dateModified>"), OG_PAGE_DATE);
    assert_int_equal(traits_of("<p itemprop=comment>"), OG_PAGE_COMMENT);
}

/* Elements of one class have one hash. */
static void test_name_hash(void **state)
{
    (void)state;
    parse("<p class=a></p><p class=b></p><div class=a></div>"
          "<p id=a></p>");
    assert_int_equal(page.n_nodes, 6);
    assert_int_equal(page.nodes[2].name_hash, page.nodes[4].name_hash);
    assert_int_not_equal(page.nodes[2].name_hash, page.nodes[3].name_hash);
    assert_int_equal(page.nodes[5].name_hash, 0);
}

static void test_blocks(void **state)
{
    (void)state;
    assert_true(og_page_is_block(GUMBO_TAG_DIV));
    assert_true(og_page_is_block(GUMBO_TAG_ARTICLE));
    assert_true(og_page_is_block(GUMBO_TAG_P));
    assert_false(og_page_is_block(GUMBO_TAG_SPAN));
    assert_false(og_page_is_block(GUMBO_TAG_A));
    assert_false(og_page_is_block(OG_PAGE_TEXT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_nodes, begin, end),
        cmocka_unit_test_setup_teardown(test_traits, begin, end),
        cmocka_unit_test_setup_teardown(test_name_hash, begin, end),
        cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
