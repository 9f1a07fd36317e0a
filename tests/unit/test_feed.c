/* The entries of feeds: the best value of each field, and nothing from outside
 * the entries. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <origo/reading.h>

static char seen[4096];
static uint64_t n_skipped;
static unsigned n_wanted;

static bool take_entry(void *ctx, const og_document *doc)
{
    char time[40] = "-";
    const size_t len = strlen(seen);
    (void)ctx;
    if (doc->has_time) og_time_format(doc->time, time);
    snprintf(seen + len, sizeof(seen) - len, "%.*s|%.*s|%.*s|%s|%.*s\n",
             (int)doc->id.len, doc->id.data, (int)doc->title.len,
             doc->title.data, (int)doc->url.len, doc->url.data, time,
             (int)doc->text.len, doc->text.data);
    return n_wanted == 0 || --n_wanted > 0;
}

static og_status read_feed(const char *xml, og_error *err)
{
    seen[0] = 0;
    return og_feed_read((og_bytes){xml, strlen(xml)}, take_entry, NULL,
                        &n_skipped, err);
}

static void check(const char *xml, const char *expected)
{
    og_error err = {0};
    assert_int_equal(read_feed(xml, &err), OG_OK);
    assert_string_equal(seen, expected);
}

static void test_rss(void **state)
{
    (void)state;
    check("<?xml version='1.0'?><rss version='2.0' xmlns:content='c' "
          "xmlns:media='m'><channel><title>News</title><link>https://n.org"
          "</link><description>All of it</description>"
          "<item><title>Tom &amp; Ann</title><link>https://n.org/1</link>"
          "<guid isPermaLink='false'>17</guid>"
          "<pubDate>Tue, 19 Nov 2019 13:03:00 +0100</pubDate>"
          "<media:title>A picture</media:title>"
          "<description>Short.</description>"
          "<content:encoded><![CDATA[<p>The <b>whole</b> text.</p>"
          "<p>More &amp; more.</p>]]></content:encoded></item>"
          "<item><title>Only a title</title><guid>https://n.org/2</guid></item>"
          "<item><guid>urn:x:3</guid><description>&lt;i&gt;Third&lt;/i&gt; "
          "one</description></item></channel></rss>",
          "https://n.org/1|Tom & Ann|https://n.org/1|2019-11-19T12:03:00Z|"
          "The whole text.\n\nMore & more.\n"
          "urn:x:3|||-|Third one\n");
    assert_int_equal(n_skipped, 1);
}

static void test_atom(void **state)
{
    (void)state;
    check("<feed xmlns='http://www.w3.org/2005/Atom'><title>F</title>"
          "<entry><id>tag:a,1</id><title type='html'>One &lt;b&gt;and&lt;/b&gt;"
          " two</title><link rel='replies' href='https://a/c'/>"
          "<link href='https://a/1'/><updated>2020-01-02T03:04:05Z</updated>"
          "<published>2019-01-02T03:04:05Z</published><summary>s</summary>"
          "<content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>"
          "<p>a &lt; b</p><p>c</p></div></content></entry>"
          "<entry><link href='https://a/2'/><summary>1 &lt; 2 &amp;amp; 3"
          "</summary></entry></feed>",
          "tag:a,1|One and two|https://a/1|2019-01-02T03:04:05Z|a < b\n\nc\n"
          "https://a/2||https://a/2|-|1 < 2 &amp; 3\n");
}

static void test_rdf(void **state)
{
    (void)state;
    check("<?xml version='1.0' encoding='iso-8859-1'?>"
          "<rdf:RDF xmlns:rdf='r' xmlns='http://purl.org/rss/1.0/' "
          "xmlns:dc='d'><channel rdf:about='x'><title>T</title></channel>"
          "<item rdf:about='y'><title>U</title><link>https://r/1</link>"
          "<dc:date>2003-04-05</dc:date><description>caf\xe9</description>"
          "</item></rdf:RDF>",
          "https://r/1|U|https://r/1|2003-04-05T00:00:00Z|caf\xc3\xa9\n");
}

static void test_wrong(void **state)
{
    og_error err = {0};
    (void)state;
    assert_int_equal(read_feed("<html><body/></html>", &err), OG_ERR_INPUT);
    assert_string_equal(err.message, "no feed of RSS or Atom, but 'html'");
    assert_int_equal(read_feed("", &err), OG_ERR_INPUT);
    /* What came before the end of the bytes was given. */
    assert_int_equal(
        read_feed("<rss><channel><item><guid>a:1</guid><description>x"
                  "</description></item><item><guid>",
                  &err),
        OG_ERR_INPUT);
    assert_string_equal(seen, "a:1|||-|x\n");
    assert_int_equal(
        read_feed("<!DOCTYPE rss [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>"
                  "<rss><channel><item><guid>a:1</guid><description>&a;"
                  "</description></item></channel></rss>",
                  &err),
        OG_ERR_INPUT);
    assert_string_equal(seen, "");
}

static void test_stop(void **state)
{
    og_error err = {0};
    (void)state;
    n_wanted = 1;
    assert_int_equal(read_feed("<rss><item><guid>a:1</guid><description>x"
                               "</description></item><item><guid>a:2</guid>"
                               "<description>y</description></item></rss>",
                               &err),
                     OG_ERR_STOPPED);
    assert_string_equal(seen, "a:1|||-|x\n");
    n_wanted = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rss),  cmocka_unit_test(test_atom),
        cmocka_unit_test(test_rdf),  cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
