#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/source/json/jsonl.h"

static const og_fields default_fields = OG_FIELDS_DEFAULT;

static char last_extra[1024]; /* of the last line */

/* A line written down as "id|title|url|time|text", or its problem. */
static const char *read_with(const char *line, const og_fields *fields)
{
    static char out[1024];
    char unescaped[1024], extra[1024];
    struct og_record record;
    struct og_jsonl_problem problem;
    const char *const behind =
        og_jsonl_read((og_bytes){line, strlen(line)}, fields, unescaped, extra,
                      &record, &problem);
    if (behind == NULL) {
        snprintf(out, sizeof(out), "%s @%zu", problem.message, problem.off);
        return out;
    }
    assert_null(problem.message);
    assert_true(behind >= unescaped);
    assert_true(behind <= unescaped + strlen(line));
    const og_document *const d = &record.doc;
    snprintf(last_extra, sizeof(last_extra), "%.*s", (int)d->extra.len,
             d->extra.data);
    char time[32] = "-";
    if (d->has_time) snprintf(time, sizeof(time), "%lld", (long long)d->time);
    snprintf(out, sizeof(out), "%.*s|%.*s|%.*s|%s%s|%.*s", (int)d->id.len,
             d->id.data, (int)d->title.len, d->title.data, (int)d->url.len,
             d->url.data, time, record.bad_time ? " bad" : "", (int)d->text.len,
             d->text.data);
    return out;
}

static void check(const char *line, const char *expected)
{
    assert_string_equal(read_with(line, &default_fields), expected);
}

static void test_fields(void **state)
{
    (void)state;
    check("{\"id\":\"a\",\"time\":\"1970-01-01T00:00:01Z\",\"title\":\"t\","
          "\"url\":\"u\",\"text\":\"x\"}",
          "a|t|u|1000000|x");
    check("{\"text\":\"x\"}", "|||-|x");
    check("{\"text\":\"\"}", "|||-|");
    check("{\"text\":\"x\",\"other\":{\"text\":\"y\"},\"Text\":\"z\"}",
          "|||-|x");
    check("{\"te\\u0078t\":\"a\\nb\"}", "|||-|a\nb");
}

static void test_numbers(void **state)
{
    (void)state;
    check("{\"id\":17,\"text\":\"x\"}", "17|||-|x");
    check("{\"id\":-1.50,\"text\":\"x\"}", "-1.50|||-|x");
    check("{\"time\":1,\"text\":\"x\"}", "|||1000000|x");
    check("{\"time\":1.25,\"text\":\"x\"}", "|||1250000|x");
    check("{\"time\":\"1.25\",\"text\":\"x\"}", "|||- bad|x");
    check("{\"time\":\"1970\",\"text\":\"x\"}", "|||0|x");
    check("{\"time\":\"Thu, 1 Jan 1970 00:00:01 GMT\",\"text\":\"x\"}",
          "|||1000000|x");
    check("{\"time\":1970,\"time_source\":\"file\",\"text\":\"x\"}",
          "|||1970000000|x");
    assert_string_equal(last_extra, "");
    check("{\"time\":-1,\"text\":\"x\"}", "|||-1000000|x");
}

static void test_nulls(void **state)
{
    (void)state;
    check("{\"id\":null,\"time\":null,\"title\":null,\"url\":null,"
          "\"text\":\"x\"}",
          "|||-|x");
    check("{\"id\":true,\"title\":[1],\"url\":{},\"text\":\"x\"}", "|||-|x");
}

static void test_bad_times(void **state)
{
    (void)state;
    check("{\"time\":\"soon\",\"text\":\"x\"}", "|||- bad|x");
    check("{\"time\":\"\",\"text\":\"x\"}", "|||- bad|x");
    check("{\"time\":1700000000000,\"text\":\"x\"}", "|||- bad|x");
    check("{\"time\":true,\"text\":\"x\"}", "|||- bad|x");
    check("{\"time\":[2],\"text\":\"x\"}", "|||- bad|x");
}

static void test_last_of_two_wins(void **state)
{
    (void)state;
    check("{\"text\":\"a\\n\",\"text\":\"b\\n\"}", "|||-|b\n");
    check("{\"id\":\"a\",\"id\":null,\"text\":\"x\"}", "|||-|x");
    check("{\"time\":\"soon\",\"time\":2,\"text\":\"x\"}", "|||2000000|x");
    check("{\"text\":\"a\",\"text\":1}",
          "the text of the record is not a string @19");
}

static void test_no_text(void **state)
{
    (void)state;
    check("{}", "the record has no text @0");
    check("{\"id\":\"a\"}", "the record has no text @0");
    check("{\"text\":null}", "the record has no text @8");
    check("{\"text\":12}", "the text of the record is not a string @8");
    check("{\"text\":[\"a\"]}", "the text of the record is not a string @8");
}

static void test_broken(void **state)
{
    (void)state;
    check("{\"text\" \"x\"}", "expected ':' after a key @8");
    check("{\"text\":\"x\"", "expected ',' or '}' in an object @11");
    check("{\"text\":\"x\",\"n\":01}", "expected ',' or '}' in an object @17");
    check("not json", "expected '{' @0");
}

static void test_other_names(void **state)
{
    const og_fields fields = {"docno", NULL, "headline", NULL, "body"};
    (void)state;
    assert_string_equal(
        read_with(
            "{\"docno\":\"a\",\"time\":1,\"headline\":\"h\",\"url\":\"u\","
            "\"id\":\"b\",\"body\":\"x\",\"text\":\"y\"}",
            &fields),
        "a|h||-|x");
}

static void check_extra(const char *line, const char *expected)
{
    read_with(line, &default_fields);
    assert_string_equal(last_extra, expected);
}

static void test_extra(void **state)
{
    (void)state;
    check_extra("{\"text\":\"x\"}", "");
    check_extra("{\"lang\":\"en\",\"text\":\"x\"}", "\"lang\":\"en\"");
    check_extra("{ \"a\" : [1, {\"text\":2}] ,\"id\":1, \"text\":\"x\" , "
                "\"b\\u0041\":\"\\n\",\"a\":null }",
                "\"a\" : [1, {\"text\":2}],\"b\\u0041\":\"\\n\",\"a\":null");
}

static void test_extra_under_other_names(void **state)
{
    const og_fields fields = {NULL, NULL, NULL, NULL, "body"};
    (void)state;
    read_with("{\"id\":1,\"body\":\"x\",\"text\":\"y\"}", &fields);
    assert_string_equal(last_extra, "\"id\":1,\"text\":\"y\"");
}

static void test_extra_is_not_wanted(void **state)
{
    static const char line[] = "{\"text\":\"x\",\"more\":1}";
    char unescaped[256];
    struct og_record record;
    struct og_jsonl_problem problem;
    (void)state;
    assert_non_null(og_jsonl_read((og_bytes){line, strlen(line)},
                                  &default_fields, unescaped, NULL, &record,
                                  &problem));
    assert_int_equal(record.doc.extra.len, 0);
}

/* A name with dots is a path; a key that has the dots itself counts too. */
static void test_nested(void **state)
{
    const og_fields fields = {"meta.id", "time", "meta.t.t", NULL, "doc.body"};
    (void)state;
    assert_string_equal(
        read_with("{\"doc\":{\"x\":[1],\"body\":\"a\\nb\"},\"meta\":{\"id\":7,"
                  "\"t\":{\"t\":\"\\u0041\"}}}",
                  &fields),
        "7|A||-|a\nb");
    assert_string_equal(last_extra,
                        "\"doc\":{\"x\":[1],\"body\":\"a\\nb\"},\"meta\":{"
                        "\"id\":7,\"t\":{\"t\":\"\\u0041\"}}");
    assert_string_equal(read_with("{\"doc.body\":\"y\"}", &fields), "|||-|y");
    assert_string_equal(
        read_with("{\"doc\":\"y\",\"do\":{\"body\":1}}", &fields),
        "the record has no text @0");
    assert_string_equal(read_with("{\"doc\":{\"body\":{\"c\":1}}}", &fields),
                        "the text of the record is not a string @15");
    assert_string_equal(read_with("{\"d\\u0000c\":{\"body\":\"y\"}}", &fields),
                        "the record has no text @0");
}

static void test_list(void **state)
{
    struct og_jsonl_problem problem = {.message = NULL};
    struct og_record record;
    char unescaped[8000], line[7000] = "{\"a\":1";
    (void)state;
    for (int i = 0; i < 100; i++)
        snprintf(line + strlen(line), 40, ",\"field%d\":2", i);
    strcat(line, "}");
    assert_null(og_jsonl_read((og_bytes){line, strlen(line)}, &default_fields,
                              unescaped, NULL, &record, &problem));
    assert_true(strncmp(problem.fields, "a, field0, field1", 17) == 0);
    assert_string_equal(problem.fields + strlen(problem.fields) - 5, ", ...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_nulls),
        cmocka_unit_test(test_bad_times),
        cmocka_unit_test(test_last_of_two_wins),
        cmocka_unit_test(test_no_text),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_other_names),
        cmocka_unit_test(test_extra),
        cmocka_unit_test(test_extra_under_other_names),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_extra_is_not_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
