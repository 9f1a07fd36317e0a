/* Who copied whom: counted once for each pair, written in three forms. */

#include "tests/unit/stage_support.h"

#include <origo/origo.h>
#include <string.h>

struct taken {
    char text[20000];
    size_t len;
};

static int take(void *ctx, const char *data, size_t len)
{
    struct taken *t = ctx;
    assert_true(t->len + len < sizeof(t->text));
    memcpy(t->text + t->len, data, len);
    t->len += len;
    t->text[t->len] = 0;
    return 0;
}

static void add(og_links *links, const char *id, const char *from)
{
    const og_document doc = {.id = {id, strlen(id)},
                             .text = OG_LITERAL("one two three four")};
    const og_span spans[] = {{.begin = 0,
                              .end = 7,
                              .n_tokens = 2,
                              .n_matching = 2,
                              .origin_id = {from, strlen(from)}},
                             {.begin = 8,
                              .end = 13,
                              .n_tokens = 1,
                              .n_matching = 1,
                              .origin_id = {from, strlen(from)}}};
    const og_answer answer = {.n_tokens = 4, .spans = spans, .n_spans = 2};
    assert_int_equal(og_links_add(links, &doc, &answer, NULL), OG_OK);
}

static void three_forms(void **state)
{
    static const struct {
        og_format format;
        const char *sign;
    } forms[] = {{OG_FORMAT_CSV, ","},
                 {OG_FORMAT_GRAPHML, "</graphml>"},
                 {OG_FORMAT_SVG, "</svg>"}};
    og_links *links = og_links_new();
    (void)state;
    assert_non_null(links);
    add(links, "b", "a");
    add(links, "c<&>", "a");
    assert_int_equal(og_links_count(links), 2); /* two passages each */
    for (size_t i = 0; i < 3; i++) {
        struct taken t = {.len = 0};
        assert_int_equal(og_links_write(links, forms[i].format, take, &t, NULL),
                         OG_OK);
        assert_non_null(strstr(t.text, forms[i].sign));
        if (i > 0) assert_null(strstr(t.text, "c<&>")); /* escaped */
        if (i == 0) assert_non_null(strstr(t.text, "c<&>"));
    }
    og_links_free(links);
}

static void no_other_form(void **state)
{
    og_links *links = og_links_new();
    struct taken t = {.len = 0};
    og_error err;
    (void)state;
    assert_int_equal(og_links_write(links, OG_FORMAT_TEI, take, &t, &err),
                     OG_ERR_USAGE);
    assert_non_null(strstr(err.message, "'tei'"));
    assert_int_equal(t.len, 0);
    og_links_free(links);
    og_links_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_forms),
        cmocka_unit_test(no_other_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
