/* Reused sentences as data for the script of a page. */

#include "report_support.h"

#include "lib/report/html/quote_data.h"

static const char text[] =
    "Seven ships left. New words here. Seven ships left.";

/* The line of JSON of the document, to be freed. */
static char *data_of(const og_document *doc, const og_quotes *quotes,
                     og_status expected)
{
    struct og_web_page *page;
    struct paper p;
    struct og_writer w;
    paper_open(&p);
    og_writer_init(&w, og_write_file, p.file);
    assert_int_equal(og_web_page_new("sentence", &page, NULL), OG_OK);
    assert_int_equal(og_quote_data(page, &w, doc, quotes, NULL), expected);
    og_writer_finish(&w, NULL);
    paper_close(&p);
    og_web_page_free(page);
    return p.text;
}

static void expect(const char *json, const char *part)
{
    if (strstr(json, part) == NULL) fail_msg("no %s in %s", part, json);
}

static void sentences_with_their_sources(void **state)
{
    static const og_range shared[] = {{0, 5}, {6, 11}};
    const og_quote_match matches[] = {
        {.id = {"early", 5},
         .title = {"<b>Early</b>", 12},
         .text = {"Seven ships", 11},
         .similarity = 0.5,
         .n_shared = 2,
         .shared = shared,
         .n_shared_ranges = 2,
         .own = shared,
         .n_own_ranges = 2},
        {.id = {"late", 4}, .text = {"Ships", 5}, .similarity = 0.25},
    };
    og_quote sentences[3] = {
        {.begin = 0, .end = 17, .n_words = 3},
        {.begin = 18, .end = 33, .n_words = 3},
        {.begin = 34, .end = 51, .n_words = 3},
    };
    sentences[0].matches = matches;
    sentences[0].n_matches = 2;
    sentences[0].n_found = 5;
    sentences[2].matches = &matches[1];
    sentences[2].n_matches = sentences[2].n_found = 1;
    const og_quotes quotes = {.sentences = sentences,
                              .n_sentences = 3,
                              .n_reused = 2,
                              .n_words = 9,
                              .n_reused_words = 6};
    og_document doc = document_of("q", text);
    (void)state;
    doc.title = bytes_of("A </script> title");
    char *json = data_of(&doc, &quotes, OG_OK);
    expect(json, "\"id\":\"q\"");
    expect(json, "\"units\":3,\"copied\":2");
    expect(json, "\"b\":0,\"e\":17");
    expect(json, "\"b\":34,\"e\":51");
    assert_null(strstr(json, "\"b\":18"));
    expect(json, "\"found\":5");
    expect(json, "\"score\":0.5");
    expect(json, "\"id\":\"early\"");
    expect(json, "\"id\":\"late\"");
    assert_null(strstr(json, "</script>"));
    assert_null(strstr(json, "<b>"));
    free(json);
}

static void nothing_reused(void **state)
{
    og_quote sentence = {.begin = 0, .end = 17, .n_words = 3};
    const og_quotes quotes = {.sentences = &sentence, .n_sentences = 1};
    const og_document doc = document_of("q", text);
    (void)state;
    char *json = data_of(&doc, &quotes, OG_OK);
    expect(json, "\"passages\":[]");
    expect(json, "\"sources\":[]");
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentences_with_their_sources),
        cmocka_unit_test(nothing_reused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
