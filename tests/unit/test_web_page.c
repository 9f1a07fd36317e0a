/* The page around the documents: nothing of theirs is markup, rows and holders
 * are data, and a page finds its documents. */

#include "report_support.h"

#include "lib/report/html/web_page.h"

static struct og_web_page *page;
static struct og_progress progress;
static struct paper paper;
static struct og_writer w;

static int set_up(void **state)
{
    (void)state;
    paper_open(&paper);
    og_writer_init(&w, og_write_file, paper.file);
    progress = (struct og_progress){.number = 1};
    if (og_web_page_new("word", &page, NULL) != OG_OK) return 1;
    progress.state = page;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    og_web_page_release(&progress);
    assert_null(progress.state);
    og_web_page_free(NULL);
    free(paper.text);
    return 0;
}

static void close_page(void)
{
    assert_int_equal(og_writer_finish(&w, NULL), OG_OK);
    paper_close(&paper);
}

static void add(const og_document *doc)
{
    struct og_writer *data = og_web_page_document_begin(page, &w);
    og_writer_string(data, "{}");
    assert_int_equal(og_web_page_document_end(page, doc, NULL), OG_OK);
    const struct og_web_page_row row = {.doc = doc, .n_units = 10};
    og_web_page_row_begin(page, &row);
    assert_int_equal(og_web_page_row_end(page, &w, NULL), OG_OK);
}

static size_t n_times(const char *words)
{
    size_t n = 0;
    for (const char *at = paper.text; (at = strstr(at, words)) != NULL; at++)
        n++;
    return n;
}

static void a_page_is_closed_and_inert(void **state)
{
    const og_report_options options = og_report_options_default();
    og_document doc = document_of("i", "text");
    (void)state;
    doc.title = bytes_of("</title><script>alert(1)</script>");
    og_web_page_begin(&w, &options, &doc, false);
    add(&doc);
    og_web_page_end(&w, &progress);
    close_page();
    assert_null(strstr(paper.text, "alert(1)</script>"));
    assert_non_null(strstr(paper.text, "Content-Security-Policy"));
    assert_non_null(strstr(paper.text, "\"documents\":1"));
    assert_non_null(strstr(paper.text, "\"unit\":\"word\""));
    assert_non_null(strstr(paper.text, "</html>\n"));
}

/* By id and text, and by an id that only one document has. */
static void what_is_on_the_page(void **state)
{
    const og_document a = document_of("a", "first"),
                      b = document_of("b", "second"),
                      again = document_of("a", "another first");
    uint64_t len = 0;
    (void)state;
    add(&a);
    add(&b);
    assert_int_equal(og_web_page_find(page, a.id, a.text), 1);
    assert_int_equal(og_web_page_find(page, b.id, b.text), 2);
    assert_int_equal(og_web_page_find(page, b.id, a.text), 0);
    assert_int_equal(og_web_page_find(page, bytes_of("c"), a.text), 0);
    assert_int_equal(og_web_page_find_id(page, b.id, &len), 2);
    assert_int_equal(len, 6);
    add(&again);
    assert_int_equal(og_web_page_find(page, a.id, again.text), 3);
    assert_int_equal(og_web_page_find_id(page, a.id, &len), 0);
    og_web_page_end(&w, &progress);
    close_page();
}

/* So much is also written for readers without scripts, and no more. */
static void plain_documents(void **state)
{
    const og_document doc = document_of("a", "text");
    (void)state;
    assert_true(og_web_page_plain_begin(page, &w, 100));
    og_web_page_plain_end(&w);
    add(&doc);
    assert_false(og_web_page_plain_begin(page, &w, (size_t)1 << 40));
    add(&doc);
    og_web_page_end(&w, &progress);
    close_page();
    assert_non_null(strstr(paper.text, "more documents"));
    assert_int_equal(n_times("<noscript>"), 2);
}

static void no_documents(void **state)
{
    (void)state;
    assert_false(og_web_page_is_full(&progress));
    og_web_page_end(&w, &progress);
    close_page();
    assert_non_null(strstr(paper.text, "There are no documents"));
}

/* A source that two documents took from is listed; one of one is not. */
static void holders(void **state)
{
    const og_document a = document_of("a", "x"), b = document_of("b", "y");
    (void)state;
    add(&a);
    assert_int_equal(og_web_page_hold(page, 7, 0, 10, NULL), OG_OK);
    assert_int_equal(og_web_page_hold(page, 8, 0, 10, NULL), OG_OK);
    add(&b);
    og_web_page_end(&w, &progress);
    assert_int_equal(og_writer_finish(&w, NULL), OG_OK);
    fflush(paper.file);
    assert_int_equal(n_times("class=\"holders\""), 0);
    add(&a);
    assert_int_equal(og_web_page_hold(page, 7, 0, 10, NULL), OG_OK);
    add(&b);
    assert_int_equal(og_web_page_hold(page, 7, 5, 10, NULL), OG_OK);
    og_web_page_end(&w, &progress);
    close_page();
    assert_int_equal(n_times("class=\"holders\""), 1);
}

static void a_cover(void **state)
{
    og_report_options options = og_report_options_default();
    (void)state;
    options.title = "<all>";
    progress.part = 2;
    progress.name = "report.html";
    og_web_page_cover(&w, &options, &progress);
    close_page();
    assert_null(strstr(paper.text, "<all>"));
    assert_non_null(strstr(paper.text, "&lt;all"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_page_is_closed_and_inert, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_on_the_page, set_up, tear_down),
        cmocka_unit_test_setup_teardown(plain_documents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_documents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(holders, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_cover, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
