/* The page of reused sentences: every link has its target, nothing of a
 * document is markup, a file is whole or not there. */

#include "report_support.h"

#include <ctype.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/report/report.h"

static const char own_text[] =
    "The <script>alert(1)</script> pier is gone.\n\nNew & true. Seven ships "
    "sailed at dawn.";

static const og_range first_own[] = {{0, 3}, {30, 34}};
static const og_range first_shared[] = {{0, 3}, {4, 12}};
/* The answer may come from elsewhere: these ranges are past the text or out of
 * order. */
static const og_range lying[] = {{2, 4}, {1, 3}, {5, 999}, {9, 7}};

static const og_quote_match first_matches[] = {
    {.id = {"a\"><script>x</script>", 21},
     .title = {"<script>title</script>", 22},
     .time = 0,
     .has_time = true,
     .text = {"The <script> pier", 17},
     .similarity = 0.75,
     .n_shared = 2,
     .shared = first_shared,
     .n_shared_ranges = 2,
     .own = first_own,
     .n_own_ranges = 2},
    {.id = {"later", 5}, .text = {"The pier", 8}, .similarity = 0.5},
};
static const og_quote_match second_match = {.id = {"ships", 5},
                                            .text = {"Seven ships", 11},
                                            .similarity = 1,
                                            .shared = lying,
                                            .n_shared_ranges = 4,
                                            .own = lying,
                                            .n_own_ranges = 4};

static og_quote sentence(const char *begins, size_t len)
{
    const char *at = strstr(own_text, begins);
    assert_non_null(at);
    const uint64_t begin = (uint64_t)(at - own_text);
    return (og_quote){.begin = begin, .end = begin + len, .n_words = 5};
}

static og_quotes answer_of(og_quote sentences[3])
{
    sentences[0] = sentence("The", 43);
    sentences[0].matches = first_matches;
    sentences[0].n_matches = 2;
    sentences[0].n_found = 9;
    sentences[1] = sentence("New", 11);
    sentences[2] = sentence("Seven", 27);
    sentences[2].matches = &second_match;
    sentences[2].n_matches = sentences[2].n_found = 1;
    return (og_quotes){.sentences = sentences,
                       .n_sentences = 3,
                       .n_reused = 2,
                       .n_words = 15,
                       .n_reused_words = 10};
}

static char *page_with(uint64_t n_documents, const og_quotes *quotes)
{
    const struct og_report_form *form = &og_quote_as_html;
    const og_report_options options = og_report_options_default();
    og_document doc = document_of("q", own_text);
    doc.title = bytes_of("</title><script>t</script>");
    struct og_progress progress = {0};
    struct paper p;
    struct og_writer w;
    paper_open(&p);
    og_writer_init(&w, og_write_file, p.file);
    assert_int_equal(form->open(&progress, NULL), OG_OK);
    form->begin(&w, &options, n_documents != 0 ? &doc : NULL, true);
    for (uint64_t i = 1; i <= n_documents; i++) {
        progress.number = i;
        assert_int_equal(
            form->add_quotes(&w, &doc, quotes, &options, &progress, NULL),
            OG_OK);
    }
    form->end(&w, &progress);
    form->release(&progress);
    assert_int_equal(og_writer_finish(&w, NULL), OG_OK);
    paper_close(&p);
    return p.text;
}

/* What a reader without a script gets: the packed data is left out. */
static char *page_of(uint64_t n_documents)
{
    og_quote sentences[3];
    const og_quotes quotes = answer_of(sentences);
    char *text = page_with(n_documents, &quotes);
    for (char *at = text; (at = strstr(at, "<script")) != NULL;) {
        char *end = strstr(at, "</script>\n");
        assert_non_null(end);
        end += strlen("</script>\n");
        memmove(at, end, strlen(end) + 1);
    }
    return text;
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        n++;
    return n;
}

static void nothing_is_markup(void **state)
{
    (void)state;
    char *text = page_of(1);
    assert_int_equal(count(text, "<script"), 0);
    assert_int_equal(count(text, "</title>"), 1);
    /* What the earliest source does not share is a change. */
    assert_non_null(strstr(text, "&lt;<ins>script&gt;alert(1)&lt;/script</ins>"
                                 "&gt; pier <ins>is gone</ins>."));
    assert_non_null(strstr(text, "&lt;script&gt;title&lt;/script&gt;"));
    /* The policy names a style and a script, and allows nothing else. */
    assert_non_null(strstr(text, "default-src 'none'; style-src 'sha256-"));
    assert_int_equal(count(text, "script-src"), 1);
    assert_null(strstr(text, "http://"));
    assert_null(strstr(text, "https://"));
    free(text);
}

/* Every href="#x" has its one id="x"; returns how many there are. */
static size_t check_links(const char *text)
{
    static const char mark[] = "href=\"#";
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, mark)) != NULL; n++) {
        char target[64];
        at += sizeof(mark) - 1;
        int len = 0;
        while (isalnum((unsigned char)at[len]))
            len++;
        assert_true(len > 0 && at[len] == '"');
        snprintf(target, sizeof(target), " id=\"%.*s\"", len, at);
        if (count(text, target) != 1)
            fail_msg("%s: %zu times", target, count(text, target));
    }
    return n;
}

static void every_link_has_its_target(void **state)
{
    (void)state;
    char *text = page_of(1);
    /* Two reused sentences, to their entries and back. */
    assert_int_equal(check_links(text), 4);
    assert_int_equal(count(text, "href=\"#d1s1\""), 1);
    assert_int_equal(count(text, "href=\"#d1s2\""), 1);
    assert_int_equal(count(text, "<mark id=\"d1p"), 2);
    free(text);
    text = page_of(3);
    assert_int_equal(check_links(text), 12);
    assert_int_equal(count(text, "href=\"#d3s2\""), 1);
    free(text);
}

static void what_an_entry_says(void **state)
{
    (void)state;
    char *text = page_of(1);
    assert_non_null(strstr(text, "<span class=\"number\">67</span>"));
    assert_non_null(strstr(text, "2 of 3 sentences are reused, with 66.7 %"));
    assert_non_null(strstr(text, "<blockquote lang=\"\" dir=\"auto\">"
                                 "<mark>The</mark> <mark>&lt;script&gt;</mark>"
                                 " pier</blockquote>"));
    assert_non_null(strstr(text, "<strong>0.75</strong>"));
    assert_non_null(strstr(text, "<time datetime=\"1970-01-01T00:00:00Z\">"));
    assert_non_null(strstr(text, "<span>undated</span>"));
    assert_non_null(strstr(text, "and 7 more"));
    assert_non_null(strstr(text, "Se<mark>ve</mark>n ships</blockquote>"));
    assert_int_equal(count(text, "<details open>"), 2);
    assert_int_equal(count(text, "<details>"), 1);
    free(text);
}

static void no_documents(void **state)
{
    (void)state;
    char *text = page_with(0, NULL);
    assert_non_null(strstr(text, "There are no documents"));
    free(text);
}

static void a_file_is_whole_or_not_there(void **state)
{
    (void)state;
    char folder[] = "/tmp/origo-quote-html-XXXXXX", path[64];
    og_quote sentences[3];
    const og_quotes quotes = answer_of(sentences);
    const og_document doc = document_of("q", own_text);
    og_report_options options = og_report_options_default();
    og_report *report;
    options.format = OG_FORMAT_HTML;
    options.sentences = options.holds = true;
    struct stat info;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/page.html", folder);
    for (int closes = 0; closes < 2; closes++) {
        assert_int_equal(og_report_open(path, &options, &report, NULL), OG_OK);
        assert_int_equal(og_report_add_quotes(report, &doc, &quotes, NULL),
                         OG_OK);
        assert_int_equal(og_report_pass(report, NULL), OG_OK);
        assert_int_equal(stat(path, &info), -1);
        if (closes == 0)
            og_report_discard(report);
        else
            assert_int_equal(og_report_close(report, NULL), OG_OK);
    }
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* no temporary file is left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_markup),
        cmocka_unit_test(every_link_has_its_target),
        cmocka_unit_test(what_an_entry_says),
        cmocka_unit_test(no_documents),
        cmocka_unit_test(a_file_is_whole_or_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
