#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/source/json/json.h"

/* An object written down as "key=kind:bytes;" for each member, or
 * "expected ... @offset". */
static const char *read_bytes(const char *data, size_t len)
{
    static char out[4096];
    char *const copy = malloc(len + 1); /* exact: ASan sees an over-read */
    char *const unescaped = malloc(len + OG_SCAN_SLACK);
    struct og_json json;
    struct og_json_value value = {0};
    og_bytes key;
    size_t used = 0;
    assert_true(copy != NULL && unescaped != NULL);
    memcpy(copy + 1, data, len);
    og_json_init(&json, (og_bytes){copy + 1, len}, unescaped);
    og_json_open(&json);
    while (og_json_next_key(&json, &key)) {
        if (!og_json_next_value(&json, &value)) break;
        used += (size_t)snprintf(
            out + used, sizeof(out) - used, "%.*s=%d:%.*s;", (int)key.len,
            key.data, (int)value.kind, (int)value.bytes.len, value.bytes.data);
    }
    if (!og_json_close(&json))
        snprintf(out, sizeof(out), "%s @%zu", json.expected, json.error_off);
    else
        out[used] = 0;
    free(copy);
    free(unescaped);
    return out;
}

static void check(const char *object, const char *expected)
{
    bool is_cut;
    const size_t len = strlen(object);
    assert_string_equal(read_bytes(object, len), expected);
    /* The door that only looks agrees. */
    assert_int_equal(og_json_is_object((og_bytes){object, len}, &is_cut),
                     strchr(expected, '@') == NULL);
}

static void test_members(void **state)
{
    (void)state;
    check("{}", "");
    check(" \t\r\n{ } \n", "");
    check("{\"a\":\"b\"}", "a=4:b;");
    check("{ \"a\" : \"b\" , \"c\" : \"d\" }", "a=4:b;c=4:d;");
    check("{\"\":\"\"}", "=4:;");
    check("{\"a\":null,\"b\":true,\"c\":false}",
          "a=0:null;b=2:true;c=1:false;");
    check("{\"a\":[1,{\"b\":[]},\"]\"],\"c\":{\"d\":{}}}",
          "a=5:[1,{\"b\":[]},\"]\"];c=6:{\"d\":{}};");
    check("{\"a\":1,\"a\":2}", "a=3:1;a=3:2;");
}

static void test_numbers(void **state)
{
    (void)state;
    check("{\"a\":0,\"b\":-0,\"c\":12.50,\"d\":1e5,\"e\":-1.5E-10,\"f\":1E+2}",
          "a=3:0;b=3:-0;c=3:12.50;d=3:1e5;e=3:-1.5E-10;f=3:1E+2;");
    check("{\"a\":01}", "expected ',' or '}' in an object @6");
    check("{\"a\":-}", "expected a digit in a number @6");
    check("{\"a\":1.}", "expected a digit in a number @7");
    check("{\"a\":1e}", "expected a digit in a number @7");
    check("{\"a\":1e+}", "expected a digit in a number @8");
    check("{\"a\":.5}", "expected a value @5");
    check("{\"a\":+1}", "expected a value @5");
    check("{\"a\":NaN}", "expected a value @5");
    check("{\"a\":Infinity}", "expected a value @5");
}

static void test_escapes(void **state)
{
    (void)state;
    check("{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", "a=4:\"\\/\b\f\n\r\t;");
    check("{\"a\":\"x\\u0041y\"}", "a=4:xAy;");
    check("{\"a\":\"\\u00e9\\u4E2d\"}", "a=4:\xc3\xa9\xe4\xb8\xad;");
    check("{\"a\":\"\\ud83d\\ude00!\"}", "a=4:\xf0\x9f\x98\x80!;");
    check("{\"a\":\"\\uDBFF\\uDFFF\"}", "a=4:\xf4\x8f\xbf\xbf;");
    check("{\"te\\u0078t\":\"\\n\"}", "text=4:\n;");
    check("{\"\\\\\":\"\\\\\\\\\"}", "\\=4:\\\\;");
    /* Two strings with escapes do not touch each other. */
    check("{\"a\":\"\\n1\",\"b\":\"\\t2\"}", "a=4:\n1;b=4:\t2;");
}

static void test_lone_surrogates(void **state)
{
    (void)state;
    check("{\"a\":\"\\ud83d\"}", "a=4:\xef\xbf\xbd;");
    check("{\"a\":\"\\ude00x\"}", "a=4:\xef\xbf\xbdx;");
    check("{\"a\":\"\\ud83dx\\ude00\"}", "a=4:\xef\xbf\xbdx\xef\xbf\xbd;");
    check("{\"a\":\"\\ud83d\\ud83d\\ude00\"}",
          "a=4:\xef\xbf\xbd\xf0\x9f\x98\x80;");
    check("{\"a\":\"\\ud83d\\n\"}", "a=4:\xef\xbf\xbd\n;");
    check("{\"a\":\"\\ud83d\\u0041\"}", "a=4:\xef\xbf\xbd"
                                        "A;");
}

static void test_zero_character(void **state)
{
    struct og_json json;
    struct og_json_value value;
    char unescaped[100];
    og_bytes key;
    (void)state;
    og_json_init(&json, (og_bytes)OG_LITERAL("{\"a\":\"\\u0000\"}"), unescaped);
    assert_true(og_json_open(&json));
    assert_true(og_json_next_key(&json, &key));
    assert_true(og_json_next_value(&json, &value));
    assert_int_equal(value.bytes.len, 1);
    assert_int_equal(value.bytes.data[0], 0);
}

static void test_views_without_escapes(void **state)
{
    static const char object[] = "{\"a\":\"plain\"}";
    struct og_json json;
    struct og_json_value value;
    og_bytes key;
    (void)state;
    og_json_init(&json, (og_bytes){object, sizeof(object) - 1}, NULL);
    assert_true(og_json_open(&json));
    assert_true(og_json_next_key(&json, &key));
    assert_true(og_json_next_value(&json, &value));
    assert_ptr_equal(key.data, object + 2);
    assert_ptr_equal(value.bytes.data, object + 6);
}

static void test_bytes_that_are_not_utf8(void **state)
{
    (void)state;
    check("{\"a\":\"\xff\xc0\x80\xed\xa0\x80\"}",
          "a=4:\xff\xc0\x80\xed\xa0\x80;");
    check("{\"a\":\"\xff\\n\xfe\"}", "a=4:\xff\n\xfe;");
    check("{\"a\":\"\\\xff\"}", "expected one of \"\\/bfnrtu after '\\' @7");
}

static void test_errors(void **state)
{
    (void)state;
    check("", "expected '{' @0");
    check("  ", "expected '{' @2");
    check("[1]", "expected '{' @0");
    check("\"a\"", "expected '{' @0");
    check("{", "expected a key in quotes @1");
    check("{\"a\" 1}", "expected ':' after a key @5");
    check("{\"a\"", "expected ':' after a key @4");
    check("{\"a\":", "expected a value @5");
    check("{\"a\":}", "expected a value @5");
    check("{\"a\":1 \"b\":2}", "expected ',' or '}' in an object @7");
    check("{\"a\":1", "expected ',' or '}' in an object @6");
    check("{\"a\":1,}", "expected a key in quotes @7");
    check("{,}", "expected a key in quotes @1");
    check("{a:1}", "expected a key in quotes @1");
    check("{\"a\":1}}", "expected nothing after the object @7");
    check("{\"a\":1} {\"b\":2}", "expected nothing after the object @8");
    check("{\"a\":tru}", "expected true, false or null @8");
    check("{\"a\":nul", "expected true, false or null @8");
    check("{\"a\":[1,]}", "expected a value @8");
    check("{\"a\":[1 2]}", "expected ',' or ']' in an array @8");
    check("{\"a\":[1}}", "expected ',' or ']' in an array @7");
    check("{\"a\":{\"b\":1]}", "expected ',' or '}' in an object @11");
    check("{\"a\":{1:1}}", "expected a key in quotes @6");
    check("{\"a\":{\"b\"}}", "expected ':' after a key @9");
    check("{\"a\":\"b", "expected '\"' at the end of a string @7");
    check("{\"a\":\"b\\", "expected '\"' at the end of a string @8");
    check("{\"a\":\"b\\\"", "expected '\"' at the end of a string @9");
    check("{\"a\":\"b\n\"}", "expected an escape for a control character @7");
    check("{\"a\":\"\\n\t\"}", "expected an escape for a control character @8");
    check("{\"a\":\"\\x\"}", "expected one of \"\\/bfnrtu after '\\' @7");
    check("{\"a\":\"\\u12G4\"}",
          "expected four hexadecimal digits after '\\u' @10");
    check("{\"a\":\"\\u12", "expected four hexadecimal digits after '\\u' @10");
    check("{\"a\":\"\\ud83d\\u12\"}",
          "expected four hexadecimal digits after '\\u' @16");
}

/* An unknown field is skipped with the same strictness. */
static void test_skip_is_strict(void **state)
{
    static const char *const broken[] = {
        "{\"a\":\"\\x\"}",   "{\"a\":\"\t\"}",    "{\"a\":\"\\u12\"}",
        "{\"a\":[01]}",      "{\"a\":[\"\\q\"]}", "{\"a\":{\"b\":tru}}",
        "{\"a\":{\"b\",1}}", "{\"a\":[",          "{\"a\":\"\\",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
        struct og_json json;
        og_bytes key;
        og_json_init(&json, (og_bytes){broken[i], strlen(broken[i])}, NULL);
        assert_true(og_json_open(&json));
        assert_true(og_json_next_key(&json, &key));
        assert_false(og_json_skip_value(&json));
        const char *const first = json.expected;
        /* After the first error all is refused, and the story stays. */
        assert_non_null(first);
        assert_false(og_json_next_key(&json, &key));
        assert_false(og_json_skip_value(&json));
        assert_false(og_json_close(&json));
        assert_ptr_equal(json.expected, first);
    }
}

static void check_depth(size_t depth, char open, bool is_fine)
{
    const size_t unit = open == '[' ? 1 : 5; /* [ or {"a": */
    const size_t len = depth * (unit + 1) + 10;
    char *const object = malloc(len);
    char *p = object;
    bool is_cut;
    assert_non_null(object);
    p = stpcpy(p, "{\"a\":");
    for (size_t i = 0; i < depth; i++)
        p = stpcpy(p, open == '[' ? "[" : "{\"a\":");
    if (open == '{') *p++ = '1';
    for (size_t i = 0; i < depth; i++)
        *p++ = open == '[' ? ']' : '}';
    *p++ = '}';
    const og_bytes bytes = {object, (size_t)(p - object)};
    struct og_json json;
    struct og_json_value value;
    og_bytes key;
    og_json_init(&json, bytes, NULL);
    og_json_open(&json);
    og_json_next_key(&json, &key);
    assert_int_equal(og_json_next_value(&json, &value), is_fine);
    assert_int_equal(og_json_close(&json), is_fine);
    if (!is_fine) {
        assert_string_equal(json.expected,
                            "expected at most 1024 levels of nesting");
        assert_int_equal(json.error_off, 5 + OG_JSON_MAX_DEPTH * unit);
    }
    (void)og_json_is_object(bytes, &is_cut);
    free(object);
}

static void test_depth(void **state)
{
    (void)state;
    check_depth(1, '[', true);
    check_depth(64, '{', true);
    check_depth(65, '[', true);
    check_depth(OG_JSON_MAX_DEPTH, '[', true);
    check_depth(OG_JSON_MAX_DEPTH, '{', true);
    check_depth(OG_JSON_MAX_DEPTH + 1, '[', false);
    check_depth(OG_JSON_MAX_DEPTH + 1, '{', false);
    check_depth(100000, '[', false);
    check_depth(100000, '{', false);
}

/* Cut at every byte: always an error, always at the end, never an over-read
 * (read_bytes takes an exact copy). */
static void test_cut_everywhere(void **state)
{
    static const char object[] =
        "{\"id\":\"a\\u00e9\\ud83d\\ude00\\n\",\"n\":-12.5e+3,\"x\":[true,"
        "{\"y\":null,\"z\":[[],{}]}],\"text\":\"\xc3\xa9 \\\"quoted\\\"\"}";
    (void)state;
    for (size_t len = 0; len < sizeof(object) - 1; len++) {
        bool is_cut;
        char place[16];
        snprintf(place, sizeof(place), "@%zu", len);
        if (strstr(read_bytes(object, len), place) == NULL)
            fail_msg("cut at %zu: %s", len, read_bytes(object, len));
        assert_false(og_json_is_object((og_bytes){object, len}, &is_cut));
        assert_true(is_cut);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_lone_surrogates),
        cmocka_unit_test(test_zero_character),
        cmocka_unit_test(test_views_without_escapes),
        cmocka_unit_test(test_bytes_that_are_not_utf8),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_skip_is_strict),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_cut_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
