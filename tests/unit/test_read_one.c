/* One document out of memory. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <origo/reading.h>

static og_document doc;
static og_error err;
static bool bad_time;

static og_status read_bytes(og_reader *reader, const char *s, og_file_kind kind)
{
    memset(&doc, 0, sizeof(doc));
    return og_reader_read(reader, (og_bytes){s, strlen(s)}, kind, 200, &doc,
                          &bad_time, &err);
}

#define ASSERT_BYTES(view, expected)                                           \
    do {                                                                       \
        assert_int_equal((view).len, strlen(expected));                        \
        assert_memory_equal((view).data, (expected), (view).len);              \
    } while (0)

static void objects(void **state)
{
    og_reader *r = og_reader_new();
    (void)state;
    assert_int_equal(read_bytes(r,
                                "{\"id\":\"a\",\n\"time\":\"2001\","
                                "\"text\":\"x\\ny\",\"k\":[1]}\n",
                                OG_FILE_JSONL),
                     OG_OK);
    ASSERT_BYTES(doc.id, "a");
    ASSERT_BYTES(doc.text, "x\ny");
    ASSERT_BYTES(doc.extra, "\"k\":[1]");
    assert_true(doc.has_time && !bad_time);
    assert_int_equal(
        read_bytes(r, "{\"text\":\"\",\"time\":\"when?\"}", OG_FILE_JSONL),
        OG_OK);
    assert_int_equal(doc.id.len, 0);
    assert_true(bad_time);
    og_reader_free(r);
}

static void other_kinds(void **state)
{
    og_reader *r = og_reader_new();
    (void)state;
    assert_int_equal(read_bytes(r, "hello", OG_FILE_TEXT), OG_OK);
    ASSERT_BYTES(doc.text, "hello");
    assert_int_equal(doc.id.len, 0);
    assert_int_equal(doc.title.len, 0);
    assert_false(doc.has_time);
    assert_int_equal(read_bytes(r,
                                "<html><title>T</title><body><p>Some words of "
                                "a page, in a paragraph.</p>",
                                OG_FILE_HTML),
                     OG_OK);
    ASSERT_BYTES(doc.text, "Some words of a page, in a paragraph.");
    assert_int_equal(read_bytes(r, "", OG_FILE_TEXT), OG_OK);
    assert_int_equal(doc.text.len, 0);
    og_reader_free(r);
}

static void what_is_none(void **state)
{
    og_reader *r = og_reader_new();
    char many[300];
    (void)state;
    assert_int_equal(read_bytes(r, "", OG_FILE_JSONL), OG_ERR_INPUT);
    assert_int_equal(read_bytes(r, "[{\"text\":\"x\"}]", OG_FILE_JSONL),
                     OG_ERR_INPUT);
    assert_int_equal(read_bytes(r, "{\"text\":\"x\"} {}", OG_FILE_JSONL),
                     OG_ERR_INPUT);
    assert_int_equal(read_bytes(r, "{\"body\":\"x\"}", OG_FILE_JSONL),
                     OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "body"));
    assert_int_equal(read_bytes(r, "x", OG_FILE_WARC), OG_ERR_USAGE);
    memset(many, 'x', sizeof(many) - 1);
    many[sizeof(many) - 1] = 0;
    assert_int_equal(read_bytes(r, many, OG_FILE_TEXT), OG_ERR_LIMIT);
    og_reader_free(r);
    og_reader_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects),
        cmocka_unit_test(other_kinds),
        cmocka_unit_test(what_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
