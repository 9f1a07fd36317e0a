/* Records of JSON as bytes: members, ranks of values, lines made anew. */

#include "tests/unit/stage_support.h"

#include "lib/source/json/json_edit.h"
#include <string.h>

static og_bytes bytes(const char *s)
{
    return (og_bytes){s, strlen(s)};
}

static uint64_t rank(const char *s)
{
    char scratch[100];
    uint64_t out = 0;
    assert_true(og_json_rank(bytes(s), scratch, &out));
    return out;
}

/* Numbers by their value, also below zero; a time is its microseconds. */
static void ranks_rise(void **state)
{
    static const char *const rising[] = {"-1e300", "-2", "-1.5", "-1",   "-0.5",
                                         "-1e-9",  "0",  "1e-9", "0.5",  "1",
                                         "1.5",    "2",  "10",   "1e300"};
    char scratch[100];
    uint64_t out;
    (void)state;
    for (size_t i = 1; i < sizeof(rising) / sizeof(rising[0]); i++)
        assert_true(rank(rising[i - 1]) < rank(rising[i]));
    assert_true(rank("-0") == rank("0"));
    assert_true(rank("\"1969-12-31\"") < rank("\"1970-01-02\""));
    assert_true(rank("\"2019-03-04\"") < rank("\"2019-03-05T00:00:00Z\""));
    assert_false(og_json_rank(bytes("\"red\""), scratch, &out));
    assert_false(og_json_rank(bytes("true"), scratch, &out));
    assert_false(og_json_rank(bytes(""), scratch, &out));
}

static void expect_member(const char *line, const char *name, const char *raw)
{
    char scratch[300];
    og_bytes found = {"", 0};
    assert_true(og_json_member(bytes(line), name, scratch, &found) ==
                (raw != NULL));
    if (raw == NULL) return;
    assert_int_equal(found.len, strlen(raw));
    assert_memory_equal(found.data, raw, found.len);
    assert_true(found.data >= line && found.data < line + strlen(line));
}

static void members(void **state)
{
    (void)state;
    expect_member("{\"a\": 1 ,\"b\":\"x\\\"y\"}", "b", "\"x\\\"y\"");
    expect_member("{\"a\": 1 ,\"b\":2}", "a", "1");
    expect_member("{\"a\":1,\"a\":2}", "a", "2"); /* the last one counts */
    expect_member("{\"doc\":{\"body\":[1,2]}}", "doc.body", "[1,2]");
    expect_member("{\"a\":1}", "b", NULL);
    expect_member("[1]", "a", NULL);
    expect_member("{\"a\":1", "a", NULL);
}

static void expect_text(struct og_pack *p, const char *expected)
{
    assert_int_equal(p->len, strlen(expected));
    assert_memory_equal(p->data, expected, p->len);
    p->len = 0;
}

static void lines_made_anew(void **state)
{
    const char *line = "{\"a\": 1, \"b\":2 }";
    struct og_pack p = {0};
    char scratch[100];
    og_bytes raw;
    (void)state;
    assert_true(og_json_member(bytes(line), "a", scratch, &raw));
    og_pack_replaced(&p, bytes(line), raw, bytes("\"x\""));
    expect_text(&p, "{\"a\": \"x\", \"b\":2 }");
    og_pack_extended(&p, bytes("{\"a\":1}"), "c", bytes("3"));
    expect_text(&p, "{\"a\":1,\"c\":3}");
    og_pack_json_string(&p, bytes("a\"b\\c\n"));
    expect_text(&p, "\"a\\\"b\\\\c\\n\"");
    og_pack_share(&p, 5.0 / 6);
    expect_text(&p, "0.8333");
    og_pack_share(&p, 1);
    expect_text(&p, "1");
    og_pack_decimal(&p, UINT64_MAX);
    expect_text(&p, "18446744073709551615");
    og_pack_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_rise),
        cmocka_unit_test(members),
        cmocka_unit_test(lines_made_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
