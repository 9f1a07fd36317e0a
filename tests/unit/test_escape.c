/* Text inside JSON, XML, HTML, fields and addresses. */

#include "report_support.h"

#include "lib/report/escape.h"

typedef void escape_function(struct og_writer *w, og_bytes s);

static void expect_bytes(escape_function *escape, og_bytes s,
                         const char *expected)
{
    struct paper p;
    struct og_writer w;
    paper_open(&p);
    og_writer_init(&w, og_write_file, p.file);
    escape(&w, s);
    assert_int_equal(og_writer_finish(&w, NULL), OG_OK);
    paper_close(&p);
    assert_string_equal(p.text, expected);
    free(p.text);
}

static void expect(escape_function *escape, const char *s, const char *expected)
{
    expect_bytes(escape, bytes_of(s), expected);
}

static void test_json(void **state)
{
    (void)state;
    expect(og_escape_json, "", "\"\"");
    expect(og_escape_json, "a\"b\\c/<&>", "\"a\\\"b\\\\c/<&>\"");
    expect(og_escape_json, "\b\f\n\r\t\x01\x1f\x7f",
           "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"");
    expect(og_escape_json, "\xff\xc3\xa9\xe4\xb8",
           "\"\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\"");
    expect_bytes(og_escape_json, (og_bytes){"a\0b", 3}, "\"a\\u0000b\"");
}

static void test_a_script_element_cannot_be_left(void **state)
{
    (void)state;
    expect(og_escape_script, "</script><!--&\"",
           "\"\\u003c/script\\u003e\\u003c!--\\u0026\\\"\"");
}

static void test_xml(void **state)
{
    (void)state;
    expect(og_escape_xml, "<a b='c'>&\"]]>",
           "&lt;a b=&#39;c&#39;&gt;&amp;&quot;]]&gt;");
    expect(og_escape_xml, "x\r\n\ty", "x&#13;\n\ty");
    expect(og_escape_attribute, "x\r\n\ty", "x&#13;&#10;&#9;y");
    /* What XML cannot say is one character for one. */
    expect(og_escape_xml, "\x01\x0c\xef\xbf\xbe\xef\xbf\xbf\xff",
           "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    expect(og_escape_xml, "\xf0\x9f\x98\x80\xe2\x80\xae",
           "\xf0\x9f\x98\x80\xe2\x80\xae");
}

#define HIDDEN(code) "<span class=\"u\">" code "</span>"

static void test_html(void **state)
{
    (void)state;
    expect(og_escape_html, "<b>&amp;\"'", "&lt;b&gt;&amp;amp;&quot;&#39;");
    expect(og_escape_html, "a\r\nb\rc\n\td", "a\nb\nc\n\td");
    expect(og_escape_html, "\xe2\x80\xae\x1b\x7f\xe2\x81\xa6",
           HIDDEN("U+202E") HIDDEN("U+001B") HIDDEN("U+007F") HIDDEN("U+2066"));
    expect_bytes(og_escape_html, (og_bytes){"\0", 1}, HIDDEN("U+0000"));
    /* Joiners stay: Persian, Indic scripts and emoji need them. */
    expect(og_escape_html, "\xe2\x80\x8c\xe2\x80\x8d",
           "\xe2\x80\x8c\xe2\x80\x8d");
    expect(og_escape_html, "\xff", "\xef\xbf\xbd");
}

static void test_fields_and_addresses(void **state)
{
    (void)state;
    expect(og_escape_tsv, "a\tb\nc\\d", "a\\u0009b\\u000ac\\u005cd");
    expect(og_escape_tsv, "\xc3\xa9\xff", "\xc3\xa9\xef\xbf\xbd");
    expect(og_escape_address, "a b/\xc3\xa9~-._", "a%20b%2F%C3%A9~-._");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_a_script_element_cannot_be_left),
        cmocka_unit_test(test_xml),
        cmocka_unit_test(test_html),
        cmocka_unit_test(test_fields_and_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
