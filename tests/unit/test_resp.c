/* Replies whole, cut at every byte, and wrong. */

#include <string.h>

#include "lib/remote/resp.h"
#include "tests/unit/stage_support.h"

static og_bytes view(const char *text)
{
    return (og_bytes){text, strlen(text)};
}

static enum og_resp_state parse(const char *text, struct og_resp *reply,
                                size_t *len)
{
    return og_resp_parse(view(text), reply, len);
}

static void check_bytes(const struct og_resp_item *item, const char *expected)
{
    assert_int_equal(item->bytes.len, strlen(expected));
    assert_memory_equal(item->bytes.data, expected, strlen(expected));
}

static void test_kinds(void **state)
{
    struct og_resp r = {0};
    size_t len;
    (void)state;
    assert_int_equal(parse("+OK\r\n:1\r\n", &r, &len), OG_RESP_WHOLE);
    assert_int_equal(len, 5);
    assert_int_equal(r.items[0].kind, OG_RESP_LINE);
    check_bytes(&r.items[0], "OK");
    assert_int_equal(parse("-ERR no\r\n", &r, &len), OG_RESP_WHOLE);
    assert_int_equal(r.items[0].kind, OG_RESP_ERROR);
    assert_int_equal(parse(":-42\r\n", &r, &len), OG_RESP_WHOLE);
    assert_int_equal(r.items[0].number, -42);
    assert_int_equal(parse("$4\r\na\r\nb\r\n", &r, &len), OG_RESP_WHOLE);
    check_bytes(&r.items[0], "a\r\nb");
    assert_int_equal(parse("$0\r\n\r\n", &r, &len), OG_RESP_WHOLE);
    assert_int_equal(r.items[0].kind, OG_RESP_BYTES);
    assert_int_equal(parse("$-1\r\n", &r, &len), OG_RESP_WHOLE);
    assert_int_equal(r.items[0].kind, OG_RESP_NULL);
    assert_int_equal(parse("*-1\r\n", &r, &len), OG_RESP_WHOLE);
    assert_int_equal(r.items[0].kind, OG_RESP_NULL);
    assert_int_equal(parse("*0\r\n", &r, &len), OG_RESP_WHOLE);
    assert_int_equal(r.items[0].kind, OG_RESP_LIST);
    og_resp_release(&r);
}

static const char nested[] = "*3\r\n*2\r\n:1\r\n*1\r\n$2\r\nxy\r\n+z\r\n*0\r\n";

static void test_lists(void **state)
{
    struct og_resp r = {0};
    size_t len;
    (void)state;
    assert_int_equal(parse(nested, &r, &len), OG_RESP_WHOLE);
    assert_int_equal(len, sizeof(nested) - 1);
    assert_int_equal(r.n, 7);
    assert_int_equal(og_resp_after(&r, 1), 5);
    check_bytes(&r.items[5], "z");
    assert_int_equal(og_resp_after(&r, 0), 7);
    og_resp_release(&r);
}

static void test_cut_anywhere(void **state)
{
    struct og_resp r = {0};
    size_t len;
    (void)state;
    for (size_t n = 0; n < sizeof(nested) - 1; n++)
        assert_int_equal(og_resp_parse((og_bytes){nested, n}, &r, &len),
                         OG_RESP_CUT);
    og_resp_release(&r);
}

static void test_wrong(void **state)
{
    static const char *const all[] = {"?\r\n",
                                      "OK\r\n",
                                      "\r\n",
                                      "+OK\n",
                                      ":\r\n",
                                      ":-\r\n",
                                      ":1x\r\n",
                                      ":99999999999999999999\r\n",
                                      "$-2\r\n",
                                      "$1\r\nab\r\n",
                                      "$9999999999\r\n",
                                      "*-2\r\n",
                                      "*99999999\r\n",
                                      "*2\r\n+a\r\n!\r\n"};
    struct og_resp r = {0};
    size_t len;
    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        assert_int_equal(parse(all[i], &r, &len), OG_RESP_BAD);
    og_resp_release(&r);
}

/* Lists of lists: as many items as are allowed, and not one more. */
static void test_too_many(void **state)
{
    enum { N = 1 << 20 };
    static char text[(N + 2) * 4 + 1];
    struct og_resp r = {0};
    size_t len;
    (void)state;
    for (size_t i = 0; i < N + 2; i++)
        memcpy(text + 4 * i, "*1\r\n", 4);
    assert_int_equal(parse(text, &r, &len), OG_RESP_BAD);
    og_resp_release(&r);
}

static void test_redirects(void **state)
{
    struct og_resp_redirect to;
    (void)state;
    assert_true(og_resp_redirect(view("MOVED 3999 127.0.0.1:6381"), &to));
    assert_false(to.is_ask);
    assert_int_equal(to.slot, 3999);
    assert_int_equal(to.port, 6381);
    assert_int_equal(to.host.len, 9);
    assert_true(og_resp_redirect(view("ASK 1 ::1:7000"), &to));
    assert_true(to.is_ask);
    assert_int_equal(to.host.len, 3);
    assert_true(og_resp_redirect(view("MOVED 1 :7000"), &to));
    assert_int_equal(to.host.len, 0);
    static const char *const none[] = {"MOVED",           "MOVED x a:1",
                                       "MOVED 16384 a:1", "MOVED 1 a",
                                       "MOVED 1 a:0",     "MOVED 1 a:",
                                       "MOVED 1 a:65536", "ASKING 1 a:1",
                                       "ERR MOVED 1 a:1", "",
                                       "ASK -1 a:1"};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        assert_false(og_resp_redirect(view(none[i]), &to));
    assert_true(og_resp_is(view("OOM command"), "OOM"));
    assert_false(og_resp_is(view("OOMPH"), "OOM"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_cut_anywhere), cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_too_many),     cmocka_unit_test(test_redirects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
