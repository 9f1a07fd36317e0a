/* Untrusted XML: events, entities that stand for a few words, and nothing that
 * is fetched or grows. */

#include "tests/unit/stage_support.h"

#include <stdio.h>

#include "lib/source/xml/xml_parse.h"

struct seen {
    struct og_xml_parsing parsing; /* first: what the handlers are given */
    char events[500];
};

static void on_start(void *ctx, const xmlChar *name, const xmlChar *prefix,
                     const xmlChar *uri, int n_namespaces,
                     const xmlChar **namespaces, int n_attributes,
                     int n_defaulted, const xmlChar **attributes)
{
    struct seen *s = ctx;
    (void)prefix, (void)uri, (void)n_namespaces, (void)namespaces;
    (void)n_attributes, (void)n_defaulted, (void)attributes;
    s->parsing.depth++;
    strcat(s->events, "<");
    strcat(s->events, (const char *)name);
    if (strcmp((const char *)name, "bad") == 0)
        og_xml_refuse(&s->parsing, "nobody wants", "bad");
}

static void on_end(void *ctx, const xmlChar *name, const xmlChar *prefix,
                   const xmlChar *uri)
{
    struct seen *s = ctx;
    (void)name, (void)prefix, (void)uri;
    s->parsing.depth--;
    strcat(s->events, ">");
}

static void on_text(void *ctx, const xmlChar *text, int len)
{
    strncat(((struct seen *)ctx)->events, (const char *)text, (size_t)len);
}

static og_status parse(const char *xml, struct seen *s, og_error *err)
{
    xmlSAXHandler handler = {.startElementNs = on_start,
                             .endElementNs = on_end,
                             .characters = on_text};
    *s = (struct seen){.events = ""};
    return og_xml_parse(&s->parsing, &handler, (og_bytes){xml, strlen(xml)},
                        err);
}

static void expect(const char *xml, const char *events)
{
    struct seen s;
    og_error err = {0};
    if (parse(xml, &s, &err) != OG_OK) fail_msg("%s", err.message);
    assert_string_equal(s.events, events);
}

static void refuse(const char *xml, const char *reason)
{
    struct seen s;
    og_error err = {0};
    assert_int_equal(parse(xml, &s, &err), OG_ERR_INPUT);
    if (strstr(err.message, reason) == NULL) fail_msg("%s", err.message);
}

static void events_in_order(void **state)
{
    (void)state;
    expect("<a>one<b>two</b>three</a>", "<aone<btwo>three>");
    expect("<?xml version='1.0'?><a/>", "<a>");
}

/* Those of XML and HTML, and short words that the document declares. */
static void entities(void **state)
{
    (void)state;
    expect("<!DOCTYPE a><a>x&amp;y&eacute;&#65;</a>", "<ax&y\xc3\xa9"
                                                      "A>");
    expect("<!DOCTYPE a [<!ENTITY me 'my name'>]><a>&me;</a>", "<amy name>");
    refuse("<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
           "'x'");
    refuse("<!DOCTYPE a [<!ENTITY x 'ha'><!ENTITY y '&x;&x;'>]><a>&y;</a>",
           "'y'");
    refuse("<!DOCTYPE a><a>&nothing;</a>", "'nothing'");
}

static void too_many_entities(void **state)
{
    static char xml[200000];
    int len = sprintf(xml, "<!DOCTYPE a [");
    (void)state;
    for (int i = 0; i < 5000; i++)
        len += sprintf(xml + len, "<!ENTITY e%d 'x'>", i);
    sprintf(xml + len, "]><a/>");
    struct seen s;
    const og_status status = parse(xml, &s, NULL);
    assert_true(status == OG_ERR_INPUT || status == OG_ERR_LIMIT);
}

static void what_is_refused(void **state)
{
    (void)state;
    refuse("<a><b></a>", "line 1");
    refuse("<a>\n\n<b></a>", "line 3");
    refuse("no xml at all", "XML");
    refuse("", "XML");
    refuse("<a><bad/></a>", "nobody wants 'bad'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_in_order),
        cmocka_unit_test(entities),
        cmocka_unit_test(too_many_entities),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
