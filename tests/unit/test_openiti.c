/* OpenITI mARkdown: what is text, what is a mark, and which pages there are. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/source/openiti.h"
#include "lib/source/source.h"

static og_bytes view(const char *s)
{
    return (og_bytes){s, strlen(s)};
}

static void a_book_with_pages(void **state)
{
    (void)state;
    struct og_openiti o = {0};
    struct og_citations pages = {0};
    const og_bytes text =
        view("######OpenITI#\n\n#META# 010.BookURI\t:: x\n"
             "#META# 020.BookTITLE\t:: A Book\n#META#Header#End#\n\n"
             "### | Head PageV01P001\n# one ms017 two\n~~three@ fourPageV01P002"
             "five\n# %~% six @P02 PageV1Px PageV02P003\n");
    assert_true(og_is_openiti(text));
    assert_false(og_is_openiti(view("# a heading of Markdown\n")));
    assert_int_equal(og_openiti_read(&o, text, &pages, NULL), OG_OK);
    const og_bytes found = og_citations_end(&pages);
    static const char expected[] =
        "Head\none two three@ four five\nsix PageV1Px";
    assert_int_equal(o.text.len, sizeof(expected) - 1);
    assert_memory_equal(o.text.data, expected, o.text.len);
    static const char cited[] =
        "\"citations\":[[0,\"V01P001\"],[5,\"V01P002\"],"
        "[25,\"V02P003\"]]";
    assert_int_equal(found.len, sizeof(cited) - 1);
    assert_memory_equal(found.data, cited, found.len);
    assert_memory_equal(o.title.data, " A Book", o.title.len);
    og_openiti_release(&o);
    og_pack_release(&pages.json);
}

/* What a body becomes, and its pages; the header is added here. */
static void check(const char *body, const char *expected, const char *pages)
{
    struct og_openiti o = {0};
    struct og_citations found = {0};
    const char header[] = "######OpenITI#\n#META#Header#End#\n";
    const size_t len = strlen(header) + strlen(body);
    char *text = calloc(len + OG_BLOCK_PADDING, 1);
    assert_non_null(text);
    memcpy(text, header, strlen(header));
    memcpy(text + strlen(header), body, strlen(body));
    assert_int_equal(og_openiti_read(&o, (og_bytes){text, len}, &found, NULL),
                     OG_OK);
    assert_int_equal(o.text.len, strlen(expected));
    assert_memory_equal(o.text.data, expected, o.text.len);
    for (size_t i = 0; i < OG_BLOCK_PADDING; i++)
        assert_int_equal(o.text.data[o.text.len + i], 0);
    const og_bytes field = og_citations_end(&found);
    assert_int_equal(field.len, strlen(pages));
    if (field.len > 0) assert_memory_equal(field.data, pages, field.len);
    og_openiti_release(&o);
    og_pack_release(&found.json);
    free(text);
}

static void lines_and_words(void **state)
{
    (void)state;
    check("", "", "");
    check("# one\r\n~~two\t three\n\n# four", "one two three\nfour", "");
    check("### | Head\n# text\n### || Next\n# more", "Head\ntext\n\nNext\nmore",
          "");
    check("no mark before it\n", "no mark before it", "");
    check("# one\n~~", "one", "");
}

static void marks_are_no_words(void **state)
{
    (void)state;
    check("# a @P02 b %~% c ms017 d | e $ f # g ~~ h", "a b c d e f g h", "");
    /* These only begin like marks. */
    check("# ms msx ms1x m a@b 5%", "ms msx ms1x m a@b 5%", "");
}

static void pages(void **state)
{
    (void)state;
    check("# one PageV01P001 two PageV01P002", "one two",
          "\"citations\":[[0,\"V01P001\"],[4,\"V01P002\"]]");
    /* A page without a word has no place. */
    check("# PageV01P001 PageV01P002 one PageV02P1", "one",
          "\"citations\":[[0,\"V02P1\"]]");
    check("# onePageV01P001two PageV3P9", "one two",
          "\"citations\":[[0,\"V01P001\"],[4,\"V3P9\"]]");
    check("# PageVP1 PageV1 PageV1P PageV1Q1 Page",
          "PageVP1 PageV1 PageV1P PageV1Q1 Page", "");
}

/* The first title; anything else in the header is nothing. */
static void headers(void **state)
{
    (void)state;
    static const struct {
        const char *text, *title;
    } cases[] = {
        {"######OpenITI#\n#META# 1.BookTITLE\t:: A\n#META# 2.BookTITLE :: B\n",
         " A"},
        {"######OpenITI#\n#META# BookTITLE: none\n", ""},
        {"######OpenITI#\n#META# :: BookTITLE\n", ""},
        {"######OpenITI#\nBookTITLE ::", ""},
        {"######OpenITI#", ""},
    };
    struct og_openiti o = {0};
    struct og_citations found = {0};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(og_openiti_read(&o, view(cases[i].text), &found, NULL),
                         OG_OK);
        assert_int_equal(o.title.len, strlen(cases[i].title));
        if (o.title.len > 0)
            assert_memory_equal(o.title.data, cases[i].title, o.title.len);
        assert_int_equal(o.text.len, 0); /* the header never ended */
    }
    og_openiti_release(&o);
    og_pack_release(&found.json);
}

static void what_is_openiti(void **state)
{
    (void)state;
    assert_true(og_is_openiti(view("######OpenITI#")));
    assert_true(og_is_openiti(view("\xef\xbb\xbf######OpenITI#\n")));
    assert_false(og_is_openiti(view("######OpenITI")));
    assert_false(og_is_openiti(view(" ######OpenITI#")));
    assert_false(og_is_openiti(view("\xef\xbb\xbf")));
    assert_false(og_is_openiti(view("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_book_with_pages),
        cmocka_unit_test(lines_and_words),
        cmocka_unit_test(marks_are_no_words),
        cmocka_unit_test(pages),
        cmocka_unit_test(headers),
        cmocka_unit_test(what_is_openiti),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
