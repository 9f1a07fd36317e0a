/* Members and items of JSON, one by one. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <origo/json.h>
#include <stdio.h>

struct heard {
    char text[256];
    size_t n, most;
};

static bool hear(void *ctx, og_bytes name, og_json_kind kind, og_bytes value)
{
    struct heard *h = ctx;
    const size_t len = strlen(h->text);
    snprintf(h->text + len, sizeof(h->text) - len, "%.*s=%d:%.*s;",
             (int)name.len, name.data, (int)kind, (int)value.len, value.data);
    return ++h->n < h->most;
}

static og_status each(const char *json, struct heard *h, og_error *err)
{
    *h = (struct heard){.most = 100};
    return og_json_each((og_bytes){json, strlen(json)}, hear, h, err);
}

static void members(void **state)
{
    struct heard h;
    (void)state;
    assert_int_equal(
        each(" {\"a\":1,\"b\":\"x\\u0041\",\"c\":[1,{}]} ", &h, NULL), OG_OK);
    assert_string_equal(h.text, "a=3:1;b=4:xA;c=5:[1,{}];");
    assert_int_equal(each("{}", &h, NULL), OG_OK);
    assert_int_equal(h.n, 0);
}

static void items(void **state)
{
    struct heard h;
    (void)state;
    assert_int_equal(each("[\"a\", null ,{\"x\":[2]},true,false]", &h, NULL),
                     OG_OK);
    assert_string_equal(h.text, "=4:a;=0:null;=6:{\"x\":[2]};=2:true;"
                                "=1:false;");
    assert_int_equal(each("[ ]", &h, NULL), OG_OK);
    assert_int_equal(h.n, 0);
}

static void what_is_none(void **state)
{
    static const char *const wrong[] = {
        "",        "1",        "\"a\"",     "{",     "[",
        "{\"a\"}", "[1,]",     "[1 2]",     "{}x",   "[]]",
        "[,1]",    "{\"a\":}", "[\"\\q\"]", "{1:2}", "[tru]",
    };
    struct heard h;
    og_error err;
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(each(wrong[i], &h, &err), OG_ERR_INPUT);
        assert_true(err.message[0] != 0 && err.byte <= strlen(wrong[i]));
    }
}

static void stopped(void **state)
{
    struct heard h = {.most = 2};
    (void)state;
    assert_int_equal(
        og_json_each((og_bytes)OG_LITERAL("[1,2,3]"), hear, &h, NULL),
        OG_ERR_STOPPED);
    assert_int_equal(h.n, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members),
        cmocka_unit_test(items),
        cmocka_unit_test(what_is_none),
        cmocka_unit_test(stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
