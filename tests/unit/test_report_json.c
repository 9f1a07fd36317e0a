/* The JSON contract, byte for byte. */

#include "report_support.h"

#include <origo/origo.h>
#include <stdio.h>

static char *json_of(const og_document *doc, const og_answer *answer,
                     og_offsets offsets)
{
    struct paper p;
    og_error err = {0};
    paper_open(&p);
    assert_int_equal(
        og_report_json(og_write_file, p.file, doc, answer, offsets, &err),
        OG_OK);
    paper_close(&p);
    return p.text;
}

static void expect(const og_document *doc, const og_answer *answer,
                   og_offsets offsets, const char *expected)
{
    char *text = json_of(doc, answer, offsets);
    assert_string_equal(text, expected);
    free(text);
}

static void test_the_contract_of_the_design(void **state)
{
    (void)state;
    const og_document doc = document_of("q7", "text");
    const og_span span = {.begin = 120,
                          .end = 884,
                          .n_tokens = 131,
                          .n_matching = 120,
                          .how = OG_HOW_VERIFIED,
                          .origin_id = OG_LITERAL("RFC2616"),
                          .origin_time = INT64_C(928195200000000),
                          .origin_has_time = true,
                          .origin_begin = 10234,
                          .origin_end = 10998};
    const og_range novel = {0, 119};
    const og_answer answer = {.n_tokens = 500,
                              .n_fresh = 205,
                              .n_matching = 275,
                              .has_dominant = true,
                              .dominant_id = OG_LITERAL("RFC2616"),
                              .dominant_share = 0.47,
                              .spans = &span,
                              .n_spans = 1,
                              .novel = &novel,
                              .n_novel = 1};
    expect(&doc, &answer, OG_OFFSETS_BYTE,
           "{\"origo\":1,\"id\":\"q7\",\"n_tokens\":500,\"novel\":0.41,"
           "\"copied\":0.55,"
           "\"dominant\":{\"id\":\"RFC2616\",\"share\":0.47},"
           "\"spans\":[{\"begin\":120,\"end\":884,\"n_tokens\":131,"
           "\"how\":\"verified\",\"origin\":{\"id\":\"RFC2616\","
           "\"time\":\"1999-06-01T00:00:00Z\",\"begin\":10234,"
           "\"end\":10998},\"n_matching\":120}],\"novel_spans\":[{\"begin\":0,"
           "\"end\":119}]}\n");
}

static void test_an_empty_answer(void **state)
{
    (void)state;
    const og_document doc = document_of("", "");
    const og_answer answer = {0};
    expect(&doc, &answer, OG_OFFSETS_UTF16,
           "{\"origo\":1,\"id\":\"\",\"n_tokens\":0,\"novel\":0,\"copied\":0,"
           "\"dominant\":null,\"spans\":[],\"novel_spans\":[]}\n");
}

static void test_ids_are_escaped_and_repaired(void **state)
{
    (void)state;
    const og_document doc =
        document_of("a\"b\\c\n\t\x01\x7f/\xc3\xa4\xff\xed\xa0\x80", "");
    const og_answer answer = {0};
    char *text = json_of(&doc, &answer, OG_OFFSETS_BYTE);
    assert_non_null(
        strstr(text, "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f/\xc3\xa4\xef\xbf\xbd"
                     "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""));
    free(text);
}

static void test_a_zero_byte_in_an_id(void **state)
{
    (void)state;
    const og_document doc = {.id = OG_LITERAL("a\0b")};
    const og_answer answer = {0};
    char *text = json_of(&doc, &answer, OG_OFFSETS_BYTE);
    assert_non_null(strstr(text, "\"a\\u0000b\""));
    free(text);
}

/* One character of each length in UTF-8, and a broken byte: 1 byte, 2, 3, 4
 * (two units of UTF-16), 1. */
static const char mixed[] = "a\xc3\xa4\xe6\xb5\xb7\xf0\x9f\x90\x9f\xff.end";

static void expect_offsets(og_offsets offsets, const char *expected)
{
    const og_document doc = document_of("m", mixed);
    const og_span span = {.begin = 10,
                          .end = 12,
                          .origin_id = OG_LITERAL("o"),
                          .origin_begin = 5,
                          .origin_end = 7};
    const og_range novel[] = {{0, 3}, {3, 10}, {12, 15}};
    const og_answer answer = {
        .spans = &span, .n_spans = 1, .novel = novel, .n_novel = 3};
    char *text = json_of(&doc, &answer, offsets);
    char *found = strstr(text, "\"spans\"");
    assert_non_null(found);
    assert_string_equal(found, expected);
    free(text);
}

#define ORIGIN(begin, end)                                                     \
    "\"n_tokens\":0,\"how\":\"hit\",\"origin\":{\"id\":\"o\","                 \
    "\"time\":null,\"begin\":" begin ",\"end\":" end "},\"n_matching\":0}],"

static void test_offsets_by_unit(void **state)
{
    (void)state;
    expect_offsets(
        OG_OFFSETS_BYTE,
        "\"spans\":[{\"begin\":10,\"end\":12," ORIGIN(
            "5", "7") "\"novel_spans\":[{\"begin\":0,\"end\":3},{\"begin\":3,"
                      "\"end\":10},{\"begin\":12,\"end\":15}]}\n");
    expect_offsets(
        OG_OFFSETS_CHAR,
        "\"spans\":[{\"begin\":4,\"end\":6," ORIGIN(
            "null",
            "null") "\"novel_spans\":[{\"begin\":0,\"end\":2},{\"begin\":2,"
                    "\"end\":4},{\"begin\":6,\"end\":9}]}\n");
    expect_offsets(
        OG_OFFSETS_UTF16,
        "\"spans\":[{\"begin\":5,\"end\":7," ORIGIN(
            "null",
            "null") "\"novel_spans\":[{\"begin\":0,\"end\":2},{\"begin\":2,"
                    "\"end\":5},{\"begin\":7,\"end\":10}]}\n");
}

static void test_a_full_disk_is_reported(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (full == NULL) skip();
    setvbuf(full, NULL, _IONBF, 0);
    const og_document doc = document_of("a", "b");
    const og_answer answer = {0};
    og_error err = {0};
    assert_int_equal(og_report_json(og_write_file, full, &doc, &answer,
                                    OG_OFFSETS_BYTE, &err),
                     OG_ERR_IO);
    assert_non_null(strstr(err.message, "cannot write the report: "));
    fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_contract_of_the_design),
        cmocka_unit_test(test_an_empty_answer),
        cmocka_unit_test(test_ids_are_escaped_and_repaired),
        cmocka_unit_test(test_a_zero_byte_in_an_id),
        cmocka_unit_test(test_offsets_by_unit),
        cmocka_unit_test(test_a_full_disk_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
