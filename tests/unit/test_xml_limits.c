/* XML that would be dear to parse is refused, at the bound and not before. */

#include "tests/unit/stage_support.h"

#include <stdio.h>

#include "lib/source/xml/xml_limits.h"

static char xml[1 << 18];
static size_t xml_len;

static void put(const char *s)
{
    const size_t len = strlen(s);
    assert_true(xml_len + len <= sizeof(xml));
    memcpy(xml + xml_len, s, len);
    xml_len += len;
}

static void put_times(size_t n, const char *s)
{
    for (size_t i = 0; i < n; i++)
        put(s);
}

/* Of what was put since the last call. `message` NULL: it is allowed. */
static void expect(const char *message)
{
    og_error err = {0};
    const og_status status =
        og_xml_check_limits((og_bytes){xml, xml_len}, &err);
    xml_len = 0;
    if (message == NULL) {
        assert_int_equal(status, OG_OK);
        return;
    }
    assert_int_equal(status, OG_ERR_LIMIT);
    assert_string_equal(err.message, message);
}

static void test_ordinary(void **state)
{
    (void)state;
    assert_int_equal(og_xml_check_limits((og_bytes){NULL, 0}, NULL), OG_OK);
    put("no markup at all");
    expect(NULL);
    put("<?xml version='1.0'?><!DOCTYPE a><a b='1'><c/></a>");
    expect(NULL);
    /* Broken off anywhere: the parser says so, not the check. */
    const char *const broken[] = {
        "<",  "<a",        "<a b='",   "</",        "<!--",     "<?",
        "<!", "<![CDATA[", "</a></a>", "<a b=\"c>", "<!DOCTYPE"};
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        put(broken[i]);
        expect(NULL);
    }
}

static void test_attributes(void **state)
{
    (void)state;
    put("<a");
    put_times(OG_XML_MAX_ATTRIBUTES, " b='1'");
    put("/>");
    expect(NULL);
    put("<r>\n\n<a");
    put_times(OG_XML_MAX_ATTRIBUTES + 1, " b='1'");
    put("/></r>");
    expect("XML, line 3: an element has too many attributes");
    /* Each element counts for itself. */
    for (int i = 0; i < 2; i++) {
        put("<a");
        put_times(OG_XML_MAX_ATTRIBUTES, " b=\"1\"");
        put(">");
    }
    expect(NULL);
    /* Not those in a value, and not the end of the tag in one. */
    put("<a b='");
    put_times(2 * OG_XML_MAX_ATTRIBUTES, "c=>");
    put("'>");
    expect(NULL);
    put("<a b='>'");
    put_times(OG_XML_MAX_ATTRIBUTES, " c='1'");
    put(">");
    expect("XML, line 1: an element has too many attributes");
}

static void test_hidden_markup(void **state)
{
    const char *const around[][2] = {
        {"<a><!-- ", " --></a>"},
        {"<a><![CDATA[ ", " ]]></a>"},
        {"<?x ", " ?><a/>"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(around) / sizeof(around[0]); i++) {
        put(around[i][0]);
        put("<a");
        put_times(OG_XML_MAX_ATTRIBUTES + 1, " b='1'");
        put(">");
        put(around[i][1]);
        expect(NULL);
    }
}

static void put_namespaces(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char s[40];
        snprintf(s, sizeof(s), " xmlns:n%zu='u'", i);
        put(s);
    }
}

static void test_namespaces(void **state)
{
    enum { HALF = OG_XML_MAX_NAMESPACES / 2 };
    (void)state;
    /* Those of the elements around count, too. */
    put("<a");
    put_namespaces(HALF);
    put("><b");
    put_namespaces(HALF);
    put("><c/></b></a>");
    expect(NULL);
    put("<a");
    put_namespaces(HALF);
    put(">\n<b");
    put_namespaces(HALF);
    put(">\n<c xmlns='u'/></b></a>");
    expect("XML, line 3: too many namespaces are declared");
    /* Those of elements that ended do not. */
    for (int i = 0; i < 4; i++) {
        put(i % 2 == 0 ? "<b" : "<c");
        put_namespaces(HALF + 1);
        put(i % 2 == 0 ? "/>" : "></c>");
    }
    expect(NULL);
}

static void test_document_type(void **state)
{
    static const char head[] = "<!DOCTYPE a [", tail[] = "]>";
    const size_t room = OG_XML_MAX_DTD - strlen(head) - strlen(tail);
    (void)state;
    put(head);
    put_times(room, " ");
    put(tail);
    put("<a/>");
    expect(NULL);
    put("\n");
    put(head);
    put_times(room + 1, " ");
    put(tail);
    put("<a/>");
    expect("XML, line 2: the document type definition is too long");
    put("\n\n");
    put(head); /* and never ends */
    put_times(OG_XML_MAX_DTD, " ");
    expect("XML, line 3: the document type definition is too long");
    put("<!DOCTYPE a><a>"); /* what follows the first element is not of it */
    put_times(OG_XML_MAX_DTD, " ");
    put("<b/></a>");
    expect(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ordinary),      cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_hidden_markup), cmocka_unit_test(test_namespaces),
        cmocka_unit_test(test_document_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
