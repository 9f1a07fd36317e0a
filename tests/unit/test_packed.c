/* Data of a page, compressed: it comes back as it was, whatever its length and
 * however it was cut. Names keep their numbers. */

#include "report_support.h"

#include <stdio.h>
#include <zlib.h>

#include "lib/report/html/packed.h"
#include "lib/report/names.h"

static int value_of(char c)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(letters, c);
    assert_true(c != '\0' && at != NULL);
    return (int)(at - letters);
}

/* In place; returns the number of bytes. */
static size_t decode_base64(char *text)
{
    const size_t len = strlen(text);
    size_t n = 0;
    assert_int_equal(len % 4, 0);
    for (size_t i = 0; i < len; i += 4) {
        const bool two = text[i + 2] == '=', three = text[i + 3] == '=';
        assert_true(!two || three);
        assert_true(!three || i + 4 == len);
        const unsigned bits =
            (unsigned)value_of(text[i]) << 18 |
            (unsigned)value_of(text[i + 1]) << 12 |
            (two ? 0u : (unsigned)value_of(text[i + 2]) << 6) |
            (three ? 0u : (unsigned)value_of(text[i + 3]));
        text[n++] = (char)(bits >> 16);
        if (!two) text[n++] = (char)(bits >> 8);
        if (!three) text[n++] = (char)bits;
    }
    return n;
}

/* The element that `len` bytes of data, written `step` at a time, become. */
static char *pack(struct og_packed *packed, const char *data, size_t len,
                  size_t step)
{
    struct paper p;
    struct og_writer w;
    paper_open(&p);
    og_writer_init(&w, og_write_file, p.file);
    assert_false(og_packed_is_open(packed));
    struct og_writer *inner = og_packed_begin(packed, &w, "docs", 17);
    assert_true(og_packed_is_open(packed));
    for (size_t i = 0; i < len; i += step)
        og_writer_bytes(inner, data + i, len - i < step ? len - i : step);
    og_packed_end(packed);
    assert_int_equal(og_packed_len(packed), len);
    assert_int_equal(og_writer_finish(&w, NULL), OG_OK);
    paper_close(&p);
    return p.text;
}

static void expect_round_trip(struct og_packed *packed, const char *data,
                              size_t len, size_t step)
{
    static const char head[] = "<script type=\"application/zlib\" "
                               "class=\"docs\" data-first=\"17\">";
    char *text = pack(packed, data, len, step);
    assert_memory_equal(text, head, strlen(head));
    char *inside = text + strlen(head), *end = strchr(inside, '<');
    assert_non_null(end);
    assert_string_equal(end, "</script>\n");
    *end = '\0';
    const size_t n = decode_base64(inside);
    char *out = malloc(len + 1);
    uLongf out_len = (uLongf)len + 1;
    assert_non_null(out);
    assert_int_equal(
        uncompress((Bytef *)out, &out_len, (const Bytef *)inside, (uLong)n),
        Z_OK);
    assert_int_equal(out_len, len);
    assert_memory_equal(out, data, len);
    free(out);
    free(text);
}

static void test_round_trips(void **state)
{
    (void)state;
    enum { LEN = 200000 };
    struct og_packed *packed = NULL;
    char *data = malloc(LEN);
    assert_non_null(data);
    for (size_t i = 0; i < LEN; i++) /* some of it can be packed */
        data[i] = (char)(i % 7 == 0 ? i * i >> 5 : i % 251);
    assert_int_equal(og_packed_new(6, &packed, NULL), OG_OK);
    for (size_t len = 0; len < 40; len++)
        expect_round_trip(packed, data, len, 3);
    expect_round_trip(packed, data, LEN, 1);
    expect_round_trip(packed, data, LEN, 4097);
    expect_round_trip(packed, data, LEN, LEN);
    og_packed_free(packed);
    free(data);
}

static void test_names(void **state)
{
    (void)state;
    enum { N = 5000 };
    struct og_names names = {0};
    assert_int_equal(og_names_find(&names, bytes_of("n7")), UINT32_MAX);
    for (unsigned round = 0; round < 2; round++)
        for (uint32_t i = 0; i < N; i++) {
            char name[16];
            uint32_t number = 0;
            snprintf(name, sizeof(name), "n%u", i);
            assert_int_equal(
                og_names_add(&names, bytes_of(name), &number, NULL), OG_OK);
            assert_int_equal(number, i);
            assert_int_equal(og_names_find(&names, bytes_of(name)), i);
        }
    assert_int_equal(names.n, N);
    assert_int_equal(og_names_find(&names, bytes_of("n5000")), UINT32_MAX);
    uint32_t number = 0;
    assert_int_equal(og_names_add(&names, bytes_of(""), &number, NULL), OG_OK);
    assert_int_equal(number, N); /* an empty name is one, too */
    og_names_release(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
