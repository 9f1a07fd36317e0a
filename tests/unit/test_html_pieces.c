/* Pieces of a page: shortened, counted, and harmless whatever they contain. */

#include "report_support.h"

#include "lib/report/html/html_pieces.h"

static char *text;
static size_t len;
static FILE *file;
static struct og_writer w;

static void begin(void)
{
    text = NULL;
    file = open_memstream(&text, &len);
    og_writer_init(&w, og_write_file, file);
}

static void expect(const char *expected)
{
    assert_int_equal(og_writer_finish(&w, NULL), OG_OK);
    fclose(file);
    assert_string_equal(text, expected);
    free(text);
}

static void whole_percents(void **state)
{
    (void)state;
    assert_int_equal(og_html_whole_percent(0, 10), 0);
    assert_int_equal(og_html_whole_percent(0, 0), 0);
    assert_int_equal(og_html_whole_percent(1, 1000000), 1);
    assert_int_equal(og_html_whole_percent(999999, 1000000), 99);
    assert_int_equal(og_html_whole_percent(10, 10), 100);
    assert_int_equal(og_html_whole_percent(1, 2), 50);
    begin();
    og_html_percent(&w, 31, 100);
    expect("31.0 %");
}

static void counts(void **state)
{
    (void)state;
    begin();
    og_html_count(&w, 1, "document", "documents");
    expect("1 document");
    begin();
    og_html_count(&w, 0, "document", "documents");
    expect("0 documents");
}

/* Never in the middle of a character, and not in that of a word if it ends
 * soon. */
static void shortened(void **state)
{
    char long_word[1000];
    (void)state;
    assert_int_equal(og_html_shorten(bytes_of("short"), 10).len, 5);
    const og_bytes cut = og_html_shorten(bytes_of("some words here"), 7);
    assert_int_equal(cut.len, 10); /* the rest of the word */
    memset(long_word, 'a', sizeof(long_word));
    assert_true(og_html_shorten((og_bytes){long_word, 1000}, 300).len < 1000);
    for (size_t most = 0; most < 12; most++) {
        const char *s = "\xc3\xa4\xc3\xb6\xc3\xbc\xe2\x82\xac\xe2\x82\xac";
        const og_bytes part = og_html_shorten(bytes_of(s), most);
        assert_true(part.len == strlen(s) ||
                    ((unsigned char)s[part.len] & 0xc0) != 0x80);
    }
}

static void addresses(void **state)
{
    (void)state;
    begin();
    og_html_url(&w, bytes_of(""));
    expect("");
    begin();
    og_html_url(&w, bytes_of("javascript:alert(1)"));
    assert_int_equal(og_writer_finish(&w, NULL), OG_OK);
    fclose(file);
    assert_null(strstr(text, "href"));
    free(text);
    begin();
    og_html_url(&w, bytes_of("https://a.example/?a=1&b=\"2\""));
    assert_int_equal(og_writer_finish(&w, NULL), OG_OK);
    fclose(file);
    assert_non_null(strstr(text, "href=\"https://a.example/?a=1&amp;b="));
    assert_null(strstr(text, "\"2\""));
    free(text);
}

static void the_head(void **state)
{
    (void)state;
    for (int has_script = 0; has_script < 2; has_script++) {
        begin();
        og_html_head(&w, bytes_of("<b>\"x\"&"), has_script);
        assert_int_equal(og_writer_finish(&w, NULL), OG_OK);
        fclose(file);
        assert_non_null(strstr(text, "&lt;b&gt;"));
        assert_null(strstr(text, "<b>\"x\""));
        assert_non_null(strstr(text, "Content-Security-Policy"));
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_percents), cmocka_unit_test(counts),
        cmocka_unit_test(shortened),      cmocka_unit_test(addresses),
        cmocka_unit_test(the_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
