/* The text of a page: paragraphs, passages, changes. */

#include "report_support.h"

#include "lib/report/html/html_parts.h"

static char *html_of(const og_document *doc, const og_span *spans, size_t n)
{
    const og_answer answer = {.spans = spans, .n_spans = n};
    struct paper p;
    struct og_writer w;
    paper_open(&p);
    og_writer_init(&w, og_write_file, p.file);
    struct og_html_report h = {
        .w = &w, .doc = doc, .answer = &answer, .number = 1};
    assert_int_equal(og_sources_gather(&answer, &h.sources, NULL), OG_OK);
    og_html_text(&h);
    assert_int_equal(og_writer_finish(&w, NULL), OG_OK);
    og_sources_release(&h.sources);
    paper_close(&p);
    return p.text;
}

static void expect(const og_document *doc, const og_span *spans, size_t n,
                   const char *expected)
{
    char *text = html_of(doc, spans, n);
    assert_string_equal(text, expected);
    free(text);
}

#define P     "<p dir=\"auto\">"
#define GROUP "<div class=\"g\">"
#define NUMBER(p, s)                                                           \
    "<a class=\"n\" href=\"#d1s" s "\" aria-label=\"passage " p ", source " s  \
    "\">" s "</a>"

static void test_paragraphs(void **state)
{
    (void)state;
    const og_document empty = document_of("a", "");
    expect(&empty, NULL, 0, "");
    const og_document blank = document_of("a", " \n\n  \n");
    expect(&blank, NULL, 0, "");
    const og_document doc =
        document_of("a", "\n\none\ntwo\n \t\r\n\n  three\r\n\r\nfour");
    expect(&doc, NULL, 0,
           GROUP P "one\ntwo</p>\n" P "  three\n</p>\n" P "four</p>\n</div>\n");
}

static void test_a_passage_over_two_paragraphs(void **state)
{
    (void)state;
    const og_document doc = document_of("a", "x one\n\ntwo y");
    const og_span span = span_of(&doc, "one\n\ntwo", 0, "b");
    expect(&doc, &span, 1,
           GROUP P "x <mark id=\"d1p1\" class=\"c0\" data-p=\"1\">" NUMBER(
               "1", "1") "one</mark></p>\n" P
                         "<mark class=\"c0 e\" data-p=\"1\">two</mark> y"
                         "</p>\n</div>\n");
}

static void test_changed_words(void **state)
{
    (void)state;
    const og_document doc = document_of("a", "one, new word. two");
    og_span span = span_of(&doc, "one, new word. two", 0, "b");
    const og_match matches[] = {{0, 3, 0, 3}, {15, 18, 9, 12}};
    span.matches = matches;
    span.n_matches = 2;
    expect(&doc, &span, 1,
           GROUP P "<mark id=\"d1p1\" class=\"c0\" data-p=\"1\">" NUMBER(
               "1", "1") "one, <ins>new word</ins>. two</mark></p>\n</div>\n");
}

/* The answer may come from elsewhere: never reads past the text. */
static void test_spans_that_lie(void **state)
{
    (void)state;
    const og_document doc = document_of("a", "one two");
    const og_match far = {2, 90, 0, 88};
    const og_span spans[] = {
        {.begin = 4, .end = 99, .matches = &far, .n_matches = 1},
        {.begin = 1, .end = 3},
        {.begin = 50, .end = 60}};
    char *text = html_of(&doc, spans, 3);
    assert_non_null(strstr(text, P "one <mark"));
    assert_non_null(strstr(text, "<ins>two</ins></mark></p>"));
    free(text);
}

static void test_a_paragraph_without_end_is_cut(void **state)
{
    (void)state;
    const size_t len = 100000;
    char *text = malloc(len + 1);
    assert_non_null(text);
    memset(text, 'x', len);
    text[len] = '\0';
    const og_document doc = document_of("a", text);
    char *html = html_of(&doc, NULL, 0);
    size_t n_cut = 0, n_letters = 0;
    for (const char *at = html; (at = strstr(at, "class=\"k\"")) != NULL; at++)
        n_cut++;
    for (const char *at = html; *at != '\0'; at++)
        n_letters += *at == 'x';
    assert_true(n_cut >= 4 && n_cut <= 8);
    assert_int_equal(n_letters, len);
    free(html);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paragraphs),
        cmocka_unit_test(test_a_passage_over_two_paragraphs),
        cmocka_unit_test(test_changed_words),
        cmocka_unit_test(test_spans_that_lie),
        cmocka_unit_test(test_a_paragraph_without_end_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
