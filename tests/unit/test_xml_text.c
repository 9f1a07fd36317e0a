#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/os/clock.h"
#include "lib/source/xml/xml_text.h"

static struct og_xml_text xml;
static struct og_citations citations;

static int set_up(void **state)
{
    (void)state;
    og_xml_text_init(&xml, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    og_xml_text_release(&xml);
    og_pack_release(&citations.json);
    return 0;
}

static void check(const char *data, const char *expected)
{
    char out[4096];
    og_error err;
    if (og_xml_text_read(&xml, (og_bytes){data, strlen(data)}, &citations,
                         &err) == OG_OK)
        snprintf(out, sizeof(out), "%.*s", (int)xml.text.len,
                 (const char *)xml.text.data);
    else
        snprintf(out, sizeof(out), "%s", err.message);
    assert_string_equal(out, expected);
}

static void test_tei(void **state)
{
    char time[40];
    (void)state;
    check("<?xml version='1.0' encoding='iso-8859-1'?>"
          "<TEI xmlns='http://www.tei-c.org/ns/1.0'><teiHeader><fileDesc>"
          "<titleStmt><title>A  Play</title><author>N. N.</author></titleStmt>"
          "<publicationStmt><date when='2001'/></publicationStmt>"
          "<sourceDesc><bibl><title>Folio</title><date when='1623-04'/></bibl>"
          "</sourceDesc></fileDesc></teiHeader>"
          "<text><body><div><head>Act <hi>One</hi></head>"
          "<p>It was a <hi rend='i'>dark</hi> night,\n not a\n<lb/>star.</p>"
          "<fw>page 1</fw><lg><l>a line</l><l>another</l></lg></div></body>"
          "</text></TEI>",
          "## Act One\n\nIt was a dark night, not a\nstar.\n\na line\nanother");
    assert_int_equal(xml.title.len, 7);
    assert_memory_equal(xml.title.data, "A  Play", 7);
    assert_true(xml.has_time);
    og_time_format(xml.time, time);
    assert_string_equal(time, "1623-04-01T00:00:00Z");
}

static void check_date(const char *header, int year, og_time_source source)
{
    char data[800], wanted[8];
    int64_t time = 0;
    og_error err;
    const int len = snprintf(data, sizeof(data),
                             "<TEI><teiHeader>%s</teiHeader><text><p>x</p>"
                             "</text></TEI>",
                             header);
    assert_int_equal(
        og_xml_text_read(&xml, (og_bytes){data, (size_t)len}, &citations, &err),
        OG_OK);
    assert_int_equal(xml.has_time, year != 0);
    if (year == 0) return;
    snprintf(wanted, sizeof(wanted), "%04d", year);
    assert_true(og_time_parse((og_bytes){wanted, 4}, &time));
    assert_int_equal(xml.time, time);
    assert_int_equal(xml.time_source, source);
}

/* Creation before source before edition; the release of the electronic text
 * is a last resort, and a change to its file nothing. */
static void test_dates(void **state)
{
    static const char release[] =
        "<publicationStmt><date when='1998'/></publicationStmt>";
    static const char edition[] =
        "<editionStmt><edition>2nd, <date>1995</date></edition></editionStmt>";
    static const char source[] =
        "<sourceDesc><biblFull><publicationStmt><date>c. 1623</date>"
        "</publicationStmt></biblFull></sourceDesc>";
    static const char creation[] =
        "<profileDesc><creation><date notBefore='1601'>in the first years"
        "</date></creation></profileDesc>";
    char header[600];
    (void)state;
    check_date(release, 1998, OG_TIME_FILE);
    snprintf(header, sizeof(header), "%s%s", release, edition);
    check_date(header, 1995, OG_TIME_METADATA);
    snprintf(header, sizeof(header), "%s%s%s", edition, release, source);
    check_date(header, 1623, OG_TIME_METADATA);
    snprintf(header, sizeof(header), "%s%s%s", creation, release, source);
    check_date(header, 1601, OG_TIME_METADATA);
    check_date("<revisionDesc><change><date>1999</date></change>"
               "</revisionDesc>",
               0, OG_TIME_UNKNOWN);
    check_date("<sourceDesc><date value='1611'>some day</date></sourceDesc>",
               1611, OG_TIME_METADATA);
    check_date("<sourceDesc><date>no year</date><date>1612</date></sourceDesc>",
               1612, OG_TIME_METADATA);
}

static void test_any(void **state)
{
    (void)state;
    check("<r><item>one</item><note>two <x>in the line</x> three</note>"
          "<raw><![CDATA[<four> &amp;]]></raw>&lt;&#65;&gt;</r>",
          "one\ntwo in the line three\n<four> &amp;\n<A>");
    check("<r/>", "");
    assert_false(xml.has_time);
}

/* TEI P4 as the libraries of its time wrote it. */
static void test_entities_of_p4(void **state)
{
    (void)state;
    check(
        "<?xml version='1.0'?><!DOCTYPE TEI.2 PUBLIC '-//TEI P4//DTD Main "
        "DTD Driver File//EN' 'http://www.tei-c.org/Guidelines/DTD/tei2.dtd' "
        "[<!ENTITY % TEI.XML 'INCLUDE'><!ENTITY % PersProse PUBLIC '-//P//EN' "
        "'PersProse.dtd'> %PersProse; <!ENTITY fig SYSTEM 'f.gif' NDATA gif>"
        "<!ENTITY responsibility 'M. Smith &amp; others'>"
        "<!ENTITY Perseus.publish 'Medford'>]>"
        "<TEI.2><text><p>in &Perseus.publish; and &Perseus.publish; caf&eacute;"
        "&mdash;so</p></text></TEI.2>",
        "in Medford and Medford caf\xc3\xa9\xe2\x80\x94so");
    check("<!DOCTYPE r [<!ENTITY e 'x'>]><r a='&e;'>&e;</r>", "x");
}

static void test_entities_are_refused(void **state)
{
    (void)state;
    check("<!DOCTYPE r [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><r>&e;</r>",
          "the document uses an entity, 'e'");
    check("<!DOCTYPE lolz [<!ENTITY lol 'lol'><!ENTITY lol2 "
          "'&lol;&lol;&lol;&lol;'>]><lolz>&lol2;</lolz>",
          "the document uses an entity, 'lol2'");
    check("<!DOCTYPE r [<!ENTITY e '<b>x</b>'>]><r>&e;</r>",
          "the document uses an entity, 'e'");
    check("<!DOCTYPE r SYSTEM 'http://example.org/x.dtd'><r>a&nowhere;b</r>",
          "the document uses an entity, 'nowhere'");
    /* Named by many, read by none. */
    check("<!DOCTYPE r SYSTEM 'http://example.org/x.dtd'><r>ab</r>", "ab");
    check("<r xmlns:xi='http://www.w3.org/2001/XInclude'>a<xi:include "
          "href='file:///etc/passwd' parse='text'/>b</r>",
          "ab");
}

static void test_broken(void **state)
{
    og_error err;
    static const char *const broken[] = {
        "", "text", "<r>", "<r></s>", "<r/>x", "<r a=1/>", "<r>\x01</r>"};
    (void)state;
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        assert_int_equal(
            og_xml_text_read(&xml, (og_bytes){broken[i], strlen(broken[i])},
                             &citations, &err),
            OG_ERR_INPUT);
        assert_memory_equal(err.message, "XML, line ", 10);
    }
}

static void test_deep(void **state)
{
    enum { N = 100000 };
    char *const deep = malloc((size_t)N * 3 + 1);
    og_error err;
    (void)state;
    assert_non_null(deep);
    for (int i = 0; i < N; i++)
        memcpy(deep + (size_t)i * 3, "<a>", 3);
    assert_int_equal(og_xml_text_read(&xml, (og_bytes){deep, (size_t)N * 3},
                                      &citations, &err),
                     OG_ERR_INPUT);
    free(deep);
}

/* `front`, n times `piece`, `back`: refused for its numbers, before the parser
 * compares all with all. */
static void check_many(const char *front, const char *piece, int n,
                       const char *back, const char *expected)
{
    char *const data = malloc(strlen(front) + strlen(back) +
                              (size_t)n * (strlen(piece) + 8) + 1);
    og_error err;
    assert_non_null(data);
    char *p = data + sprintf(data, "%s", front);
    for (int i = 0; i < n; i++)
        p += sprintf(p, piece, i);
    p += sprintf(p, "%s", back);
    const double begin = og_clock_seconds();
    const og_status status = og_xml_text_read(
        &xml, (og_bytes){data, (size_t)(p - data)}, &citations, &err);
    assert_true(og_clock_seconds() - begin < 300);
    assert_int_equal(status, expected == NULL ? OG_OK : OG_ERR_LIMIT);
    if (expected != NULL) assert_string_equal(err.message, expected);
    free(data);
}

static void test_many(void **state)
{
    (void)state;
    check_many("<r>\n<a ", "a%d='1' ", 200000, "/></r>",
               "XML, line 2: an element has too many attributes");
    check_many("<r ", "xmlns:a%d='x' ", 1001, "/>",
               "XML, line 1: an element has too many attributes");
    check_many("<r>",
               "<a xmlns:a%d='x' xmlns:b='1' xmlns:c='2' xmlns:d='3' "
               "xmlns:e='4'>",
               290, "</r>", "XML, line 1: too many namespaces are declared");
    check_many("<!DOCTYPE r [", "<!ATTLIST r a%d CDATA 'x'>", 50000, "]><r/>",
               "XML, line 1: the document type definition is too long");
    /* As many as it likes, one after the other. */
    check_many("<r>", "<a xmlns:a%d='x>' xmlns:b='1'><!-- <a --></a>", 5000,
               "</r>", NULL);
    check_many("<r ", "a%d='=\"=' ", 900, "/>", NULL);
    check_many("<r>", "<![CDATA[<a b='%d']]><?x <a b='?>", 5000, "</r>", NULL);
}

static void check_citations(const char *data, const char *expected)
{
    assert_int_equal(og_xml_text_read(&xml, (og_bytes){data, strlen(data)},
                                      &citations, NULL),
                     OG_OK);
    const og_bytes found = og_citations_end(&citations);
    assert_int_equal(found.len, strlen(expected));
    assert_memory_equal(found.data, expected, found.len);
}

static void test_citations(void **state)
{
    (void)state;
    check_citations("<TEI><text><body><div n='1'><l n='1' xml:id='a'>one</l>"
                    "<l n='2'>two</l></div><p>end</p></body></text></TEI>",
                    "\"citations\":[[0,\"1.1\",\"a\"],[4,\"1.2\"]]");
    /* Milestones, of P4, and a new division begins without the old one. */
    check_citations("<TEI.2><text><div1 n='4'><p><milestone n='1'/>a "
                    "<milestone n='2'/>b</p></div1><div1 n='5' id='x'><p>c"
                    "</p></div1></text></TEI.2>",
                    "\"citations\":[[0,\"4.1\"],[2,\"4.2\"],"
                    "[5,\"5\",\"x\"]]");
    check_citations("<TEI><text><pb n='12'/><p>a</p><pb n='13'/><p>b</p></text>"
                    "</TEI>",
                    "\"citations\":[[0,\"p. 12\"],[3,\"p. 13\"]]");
    check_citations("<book>\n<p>a</p>\n\n<p>b</p></book>",
                    "\"citations\":[[0,\"line 2\"],[3,\"line 4\"]]");
    check_citations("<book n='a\"b'>x</book>",
                    "\"citations\":[[0,\"a\\\"b\"]]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_citations),
        cmocka_unit_test(test_tei),
        cmocka_unit_test(test_dates),
        cmocka_unit_test(test_any),
        cmocka_unit_test(test_entities_of_p4),
        cmocka_unit_test(test_entities_are_refused),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_many)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
