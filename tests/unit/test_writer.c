/* Numbers and shares, and a buffer that loses nothing. (What a locale would do
 * to them: test_c_locale.c.) */

#include "report_support.h"

static void expect_share(double share, const char *expected)
{
    struct paper p;
    struct og_writer w;
    paper_open(&p);
    og_writer_init(&w, og_write_file, p.file);
    og_writer_share(&w, share);
    assert_int_equal(og_writer_finish(&w, NULL), OG_OK);
    paper_close(&p);
    assert_string_equal(p.text, expected);
    free(p.text);
}

static void test_shares(void **state)
{
    (void)state;
    expect_share(0, "0");
    expect_share(1, "1");
    expect_share(0.41, "0.41");
    expect_share(0.5, "0.5");
    expect_share(1.0 / 3, "0.3333");
    expect_share(2.0 / 3, "0.6667");
    expect_share(0.00004, "0");
    expect_share(0.0001, "0.0001");
    expect_share(0.99999, "1");
    expect_share(-1, "0");
    expect_share(7, "1");
    expect_share(0.0 / 0.0, "0");
}

static void test_numbers(void **state)
{
    (void)state;
    struct paper p;
    struct og_writer w;
    paper_open(&p);
    og_writer_init(&w, og_write_file, p.file);
    og_writer_number(&w, 0);
    og_writer_byte(&w, ' ');
    og_writer_number(&w, UINT64_MAX);
    assert_int_equal(og_writer_finish(&w, NULL), OG_OK);
    paper_close(&p);
    assert_string_equal(p.text, "0 18446744073709551615");
    free(p.text);
}

/* Pieces of all lengths around the size of the buffer. */
static void test_pieces_of_any_length(void **state)
{
    (void)state;
    struct paper p;
    struct og_writer w;
    char piece[9000];
    size_t total = 0;
    for (size_t i = 0; i < sizeof(piece); i++)
        piece[i] = (char)('a' + i % 26);
    paper_open(&p);
    og_writer_init(&w, og_write_file, p.file);
    for (size_t len = 0; len < sizeof(piece); len += 97) {
        og_writer_bytes(&w, piece, len);
        og_writer_byte(&w, '\n');
        total += len + 1;
    }
    assert_int_equal(og_writer_finish(&w, NULL), OG_OK);
    paper_close(&p);
    assert_int_equal(p.len, total);
    const char *at = p.text;
    for (size_t len = 0; len < sizeof(piece); len += 97) {
        assert_memory_equal(at, piece, len);
        assert_int_equal(at[len], '\n');
        at += len + 1;
    }
    free(p.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_pieces_of_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
