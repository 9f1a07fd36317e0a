/* Which documents are of one group: by id, by host, by a field; and what an
 * answer leaves out because of it, or because it is boilerplate or ignored. */

#include "tests/unit/stage_support.h"

#include <stdio.h>

#include <origo/trace.h>

#include "lib/trace/filter.h"

static uint32_t host(const char *url)
{
    const og_document doc = {.url = {url, strlen(url)}};
    return og_same_of("host", &doc);
}

static void hosts(void **state)
{
    (void)state;
    const uint32_t one = host("https://a.org/x");
    assert_true(one != 0);
    assert_true(host("http://a.org?q") == one);
    assert_true(host("ftp://me@a.org/y") == one);
    assert_true(host("https://you:secret@a.org#z") == one);
    assert_true(host("a.org/x") == one);
    assert_true(host("https://b.org/a.org") != one);
    assert_true(host("https://a.org:80/") != one);
    assert_true(host("https://b.org/@a.org") != one); /* behind the host */
}

static uint32_t field(const char *extra, const char *name)
{
    const og_document doc = {.extra = {extra, strlen(extra)}};
    return og_same_of(name, &doc);
}

static void fields(void **state)
{
    (void)state;
    const uint32_t x = field("\"author\":\"x\"", "author");
    assert_true(x != 0);
    assert_true(
        field("\"n\":[1,{\"author\":\"y\"}],\"author\":\"x\"", "author") == x);
    assert_true(field("\"note\":\"\\\",\\\"author\\\":1\",\"author\":\"x\"",
                      "author") == x);
    assert_true(field("\"author\":\"y\"", "author") != x);
    assert_int_equal(field("\"authors\":\"x\"", "author"), 0);
    assert_int_equal(field("", "author"), 0);
}

static void ids_and_none(void **state)
{
    const og_document a = {.id = OG_LITERAL("a")}, b = {.id = OG_LITERAL("b")};
    (void)state;
    assert_true(og_same_of("id", &a) != og_same_of("id", &b));
    assert_true(og_same_of("id", &a) == og_same_of("id", &a));
    assert_int_equal(og_same_of("", &a), 0);
    assert_int_equal(og_same_of("host", &a), 0); /* no address */
}

/* ---- answers ---- */

enum { N_COPIES = 5, N_OWN = 40, N_COMMON = 40, TEXT_MOST = 4000 };

static og_error story;

static void add_words(char *text, const char *name, unsigned n)
{
    char *at = text + strlen(text);
    for (unsigned i = 0; i < n; i++)
        at += sprintf(at, "%s%u ", name, i);
}

/* Words of its own, then a passage that all share. */
static og_document document(const char *name, char text[TEXT_MOST])
{
    text[0] = '\0';
    add_words(text, name, N_OWN);
    add_words(text, "common", N_COMMON);
    return (og_document){.id = {name, strlen(name)},
                         .text = {text, strlen(text)}};
}

/* Five documents, all by one author if they are grouped. */
static og_store *open_copies(const char *group)
{
    static const char *const names[N_COPIES] = {"da", "db", "dc", "dd", "de"};
    char text[TEXT_MOST];
    og_params params = og_params_default();
    og_store *store;
    params.memory = 1 << 20;
    params.select = (og_select_options){.kind = OG_SELECT_ALL};
    snprintf(params.same, sizeof(params.same), "%s", group);
    const og_store_options options = {.params = &params};
    assert_int_equal(
        og_store_open(":memory:", OG_CREATE, &options, &store, &story), OG_OK);
    for (unsigned i = 0; i < N_COPIES; i++) {
        og_document doc = document(names[i], text);
        doc.extra = (og_bytes)OG_LITERAL("\"author\":\"ann\"");
        assert_int_equal(og_store_add(store, &doc, NULL, &story), OG_OK);
    }
    return store;
}

/* The number of spans of a document with the passage, by this author. */
static size_t n_spans(og_store *store, og_bytes author,
                      const og_trace_options *options)
{
    char text[TEXT_MOST];
    og_document doc = document("query", text);
    og_trace *trace = og_trace_new(store);
    assert_non_null(trace);
    doc.extra = author;
    assert_int_equal(og_trace_configure(trace, options, &story), OG_OK);
    assert_int_equal(og_store_trace(store, &doc, trace, &story), OG_OK);
    const size_t n = og_trace_answer(trace)->n_spans;
    og_trace_free(trace);
    return n;
}

static const og_bytes nobody = OG_LITERAL("");

static void boilerplate(void **state)
{
    og_store *store = open_copies("");
    (void)state;
    assert_int_equal(n_spans(store, nobody, NULL), 1);
    /* It is in five: more than 4, not more than 5. */
    assert_int_equal(
        n_spans(store, nobody, &(og_trace_options){.boilerplate_documents = 4}),
        0);
    assert_int_equal(
        n_spans(store, nobody, &(og_trace_options){.boilerplate_documents = 5}),
        1);
    assert_int_equal(og_store_close(store, &story), OG_OK);
}

static void ignored_text(void **state)
{
    og_store *store = open_copies("");
    char passage[TEXT_MOST] = "";
    (void)state;
    add_words(passage, "common", N_COMMON);
    const og_trace_options options = {.ignored = {passage, strlen(passage)}};
    assert_int_equal(n_spans(store, nobody, &options), 0);
    assert_int_equal(og_store_close(store, &story), OG_OK);
}

static void groups(void **state)
{
    og_store *store = open_copies("author");
    const og_bytes ann = OG_LITERAL("\"author\":\"ann\"");
    const og_bytes bob = OG_LITERAL("\"author\":\"bob\"");
    const og_trace_options across = {.compare_same = true};
    (void)state;
    assert_int_equal(n_spans(store, ann, NULL), 0);
    assert_int_equal(n_spans(store, ann, &across), 1);
    assert_int_equal(n_spans(store, bob, NULL), 1);
    assert_int_equal(og_store_close(store, &story), OG_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts),        cmocka_unit_test(fields),
        cmocka_unit_test(ids_and_none), cmocka_unit_test(boilerplate),
        cmocka_unit_test(ignored_text), cmocka_unit_test(groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
