/* Wrapping: widths, scripts without spaces, colours at line ends. */

#include "report_support.h"

#include "lib/report/flow.h"

static char *flow_of(const char *text, unsigned width)
{
    struct paper p;
    struct og_writer w;
    struct og_flow flow;
    paper_open(&p);
    og_writer_init(&w, og_write_file, p.file);
    og_flow_init(&flow, &w, width, 2, false);
    og_flow_text(&flow, text, strlen(text));
    og_flow_finish(&flow);
    assert_int_equal(og_writer_finish(&w, NULL), OG_OK);
    paper_close(&p);
    return p.text;
}

static void expect(const char *text, unsigned width, const char *expected)
{
    char *got = flow_of(text, width);
    assert_string_equal(got, expected);
    free(got);
}

static void test_words(void **state)
{
    (void)state;
    expect("", 30, "");
    expect("  \n ", 30, "");
    expect("one two", 30, "  one two\n");
    expect("one   two\nthree", 30, "  one two three\n");
    expect("one\n\ntwo", 30, "  one\n\n  two\n");
    /* 28 columns of text: the last word does not fit. */
    expect("twelve mice ate the cheese at noon", 30,
           "  twelve mice ate the cheese\n  at noon\n");
}

static void test_a_word_without_end(void **state)
{
    (void)state;
    char word[100];
    memset(word, 'x', sizeof(word) - 1);
    word[sizeof(word) - 1] = '\0';
    char *got = flow_of(word, 42);
    size_t n_lines = 0, n_x = 0;
    for (const char *c = got; *c != '\0'; c++) {
        n_lines += *c == '\n';
        n_x += *c == 'x';
    }
    assert_int_equal(n_x, 99);
    assert_int_equal(n_lines, 3); /* 40 + 40 + 19 */
    free(got);
}

/* Ten wide characters fill 20 columns. */
static void test_wide_characters(void **state)
{
    (void)state;
    const char sea[] = "\xe6\xb5\xb7";
    char text[80] = "", expected[120] = "  ";
    for (int i = 0; i < 12; i++)
        strcat(text, sea);
    for (int i = 0; i < 12; i++) {
        if (i == 10) strcat(expected, "\n  ");
        strcat(expected, sea);
    }
    strcat(expected, "\n");
    expect(text, 22, expected);
}

static void test_colour_ends_with_the_line(void **state)
{
    (void)state;
    struct paper p;
    struct og_writer w;
    struct og_flow flow;
    paper_open(&p);
    og_writer_init(&w, og_write_file, p.file);
    og_flow_init(&flow, &w, 22, 0, true);
    og_flow_colour(&flow, 1);
    og_flow_mark(&flow, "[1 ");
    const char *text = "abcdefghij klmnopqrst";
    og_flow_text(&flow, text, strlen(text));
    og_flow_mark(&flow, "]");
    og_flow_colour(&flow, OG_FLOW_PLAIN);
    og_flow_text(&flow, " end", 4);
    og_flow_finish(&flow);
    assert_int_equal(og_writer_finish(&w, NULL), OG_OK);
    paper_close(&p);
    assert_string_equal(p.text, "\033[36m[1 abcdefghij\033[0m\n"
                                "\033[36mklmnopqrst]\033[0m end\n");
    free(p.text);
}

/* A character with hundreds of marks neither overflows nor breaks lines. */
static void test_marks_without_end(void **state)
{
    (void)state;
    char text[4001] = "a";
    for (size_t i = 1; i + 2 < sizeof(text); i += 2)
        memcpy(text + i, "\xcc\x81", 3);
    char *got = flow_of(text, 30);
    assert_int_equal(strlen(got), strlen(text) + 3);
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_a_word_without_end),
        cmocka_unit_test(test_wide_characters),
        cmocka_unit_test(test_colour_ends_with_the_line),
        cmocka_unit_test(test_marks_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
