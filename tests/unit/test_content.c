/* One thing to read becomes a document, whatever it is. */

#define _GNU_SOURCE

#include "tests/unit/stage_support.h"

#include "lib/source/content.h"

static struct og_readers *readers;
static const struct og_source_options options;

static int begin(void **state)
{
    (void)state;
    readers = og_readers_new(NULL);
    return readers == NULL;
}

static int end(void **state)
{
    (void)state;
    og_readers_free(readers);
    og_readers_free(NULL);
    return 0;
}

static og_document doc_of(enum og_block_kind kind, const char *text,
                          const char *charset)
{
    og_document doc = {.id = {"id", 2}, .url = {"", 0}};
    og_error err = {0};
    const og_status status = og_content_read(
        readers, kind, (og_bytes){text, strlen(text)},
        (og_bytes){charset, strlen(charset)}, &options, &doc, &err);
    if (status != OG_OK) fail_msg("%s", err.message);
    return doc;
}

static void expect(og_bytes seen, const char *expected)
{
    assert_int_equal(seen.len, strlen(expected));
    assert_memory_equal(seen.data, expected, seen.len);
}

static void test_texts(void **state)
{
    (void)state;
    og_document doc = doc_of(OG_BLOCK_TEXT, "plain words\n", "");
    expect(doc.text, "plain words\n");
    expect(doc.id, "id");
    assert_false(doc.has_time);
    doc = doc_of(OG_BLOCK_TEXT, "caf\xe9", "iso-8859-1");
    expect(doc.text, "caf\xc3\xa9");
    doc = doc_of(OG_BLOCK_TEXT,
                 "######OpenITI#\n#META#Header#End#\n# one two\n~~three\n", "");
    assert_null(memmem(doc.text.data, doc.text.len, "~~", 2));
    assert_non_null(memmem(doc.text.data, doc.text.len, "two", 3));
}

static void test_pages(void **state)
{
    (void)state;
    const og_document doc = doc_of(
        OG_BLOCK_HTML,
        "<html lang=de><title>A  title\n in two lines</title>"
        "<link rel=canonical href='http://example.org/2014/03/09/x'>"
        "<p>The text of the page, which is long enough to count as such.</p>",
        "");
    expect(doc.title, "A title in two lines");
    expect(doc.url, "http://example.org/2014/03/09/x");
    expect(doc.language, "de");
    assert_non_null(memmem(doc.text.data, doc.text.len, "long enough", 11));
    assert_null(memchr(doc.text.data, '<', doc.text.len));
    assert_true(doc.has_time); /* of the address */
    assert_int_equal(doc.time_source, OG_TIME_ADDRESS);
}

static void test_mail(void **state)
{
    static const char mail[] = "Message-ID: <a@b>\n"
                               "Date: Thu, 1 Jan 1970 00:00:10 +0000\n"
                               "Subject: news\n\nThe body.\n";
    (void)state;
    const og_document doc = doc_of(OG_BLOCK_MAIL, mail, "");
    expect(doc.title, "news");
    expect(doc.text, "The body.");
    assert_non_null(memmem(doc.id.data, doc.id.len, "a@b", 3));
    assert_true(doc.has_time);
    assert_true(doc.time == 10000000);
    assert_int_equal(doc.time_source, OG_TIME_HEADER);
}

static void test_xml(void **state)
{
    og_document doc;
    (void)state;
    doc = doc_of(OG_BLOCK_XML,
                 "<?xml version='1.0'?><TEI xmlns='http://www.tei-c.org/ns/1.0'"
                 " xml:lang='la'><teiHeader><fileDesc><titleStmt><title>Res"
                 "</title></titleStmt></fileDesc></teiHeader><text><body>"
                 "<p>arma virumque cano</p></body></text></TEI>",
                 "");
    assert_non_null(memmem(doc.text.data, doc.text.len, "arma virumque", 13));
    assert_int_equal(og_content_read(readers, OG_BLOCK_XML,
                                     (og_bytes){"<a><b></a>", 10},
                                     (og_bytes){"", 0}, &options, &doc, NULL),
                     OG_ERR_INPUT);
}

/* The next document sees nothing of the previous one. */
static void test_readers_are_used_again(void **state)
{
    (void)state;
    test_pages(state);
    const og_document doc = doc_of(OG_BLOCK_HTML, "<p>only text</p>", "");
    assert_int_equal(doc.title.len, 0);
    assert_int_equal(doc.language.len, 0);
    assert_false(doc.has_time);
    assert_true(og_readers_size(readers) > 0);
    assert_int_equal(og_readers_size(NULL), 0);
}

static void test_kinds(void **state)
{
    static const struct {
        const char *type;
        enum og_block_kind kind;
    } cases[] = {{"text/html; charset=x", OG_BLOCK_HTML},
                 {"application/xhtml+xml", OG_BLOCK_HTML},
                 {"text/plain", OG_BLOCK_TEXT},
                 {"text/x-c", OG_BLOCK_TEXT},
                 {"application/tei+xml", OG_BLOCK_XML},
                 {"message/rfc822", OG_BLOCK_MAIL},
                 {"image/png", OG_BLOCK_EMPTY},
                 {"text/css", OG_BLOCK_EMPTY},
                 {"", OG_BLOCK_EMPTY}};
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_int_equal(
            og_content_kind((og_bytes){cases[i].type, strlen(cases[i].type)}),
            cases[i].kind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_mail),
        cmocka_unit_test(test_xml),
        cmocka_unit_test(test_readers_are_used_again),
        cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
