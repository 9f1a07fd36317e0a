/* Sentences of many kinds of text, with exact offsets. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/sentence/split/split.h"

static struct og_splitter splitter;

static int init(void **state)
{
    (void)state;
    og_splitter_init(&splitter, NULL);
    return 0;
}

static int release(void **state)
{
    (void)state;
    og_splitter_release(&splitter);
    return 0;
}

/* In `expected` sentences are between braces; the rest is the text. */
static void check(const char *expected)
{
    char text[2048], seen[4096];
    size_t len = 0, n = 0, at = 0;
    og_error err;
    for (const char *p = expected; *p != '\0'; p++)
        if (*p != '{' && *p != '}') text[len++] = *p;
    assert_int_equal(og_split(&splitter, (og_bytes){text, len}, &err), OG_OK);
    for (size_t i = 0; i < splitter.n; i++) {
        const struct og_sentence_range r = splitter.ranges[i];
        assert_true(r.begin >= at && r.begin < r.end && r.end <= len);
        memcpy(seen + n, text + at, r.begin - at);
        n += r.begin - at;
        seen[n++] = '{';
        memcpy(seen + n, text + r.begin, r.end - r.begin);
        n += r.end - r.begin;
        seen[n++] = '}';
        at = r.end;
    }
    memcpy(seen + n, text + at, len - at);
    seen[n + len - at] = '\0';
    assert_string_equal(seen, expected);
}

static void plain(void **state)
{
    (void)state;
    check("{One two.} {Three four!} {Five?}");
    check("  {Only this}  ");
    check("");
    check(" \n\n \t ");
    check("{No stop at the end}");
}

static void abbreviations(void **state)
{
    (void)state;
    check("{Mr. Smith met Dr. Jones.} {They left.}");
    check("{J. K. Rowling wrote it.} {I read it.}");
    check("{See e.g. Miller, i.e. the U.S. Army.} {So.}");
    check("{It is No. 5 of Vol. 2.} {Good.}");
    check("{We say no.} {Then we go.}");
    check("{At 5 p.m. we left.} {At 6 p.m.} {They came.}");
    check("{Am 3. Oktober kam er.} {Es war 1990.} {Na gut.}");
    check("{Das ist z.B. ein Hund bzw. Herr Dr. Wolf.} {Ja.}");
    check("{M. Dupont et Mme. Curie.} {Oui.}");
    check("{\xd0\x96\xd0\xb8\xd0\xbb \xd0\xb2 \xd0\xb3. "
          "\xd0\x9e\xd0\xbc\xd1\x81\xd0\xba.} {\xd0\x94\xd0\xb0.}");
}

static void numbers_and_addresses(void **state)
{
    (void)state;
    check("{It costs 3.14 euro.} {Not 2,50.}");
    check("{Look at www.example.org for it.} {Now.}");
    check("{Version 2.0.1 is out.} {Take it.}");
}

static void quotations(void **state)
{
    (void)state;
    check("{\"Stop!\" he said.} {\"Why?\" she asked.}");
    check("{He said \"Go.\"} {She went.}");
    check("{\xe2\x80\x9eHalt!\xe2\x80\x9c rief er.} {Ende.}");
}

static void other_scripts(void **state)
{
    (void)state;
    check("{\xe4\xbb\x8a\xe5\xa4\xa9\xe3\x80\x82}{\xe6\x98\x8e\xe5\xa4\xa9"
          "\xef\xbc\x81}");
    check("{\xe0\xa4\x95\xe0\xa4\x96\xe0\xa5\xa4} {\xe0\xa4\x97\xe0\xa5\xa4}");
    check("{\xd8\xa7\xd8\xa8\xd8\x9f} {\xd8\xac.}");
    check("{\xe0\xb8\x81\xe0\xb8\x82} {\xe0\xb8\x84\xe0\xb8\x87}"); /* Thai */
    check("{\xf0\x9f\x98\x80\xf0\x9f\x98\x80}");
}

static void wrapped_lines(void **state)
{
    (void)state;
    check("{This is a paragraph that somebody wrapped at about sixty\n"
          "columns, as one does in mail, and its lines belong to one\n"
          "another.} {The second sentence of it begins in the middle of\n"
          "Some line.}\n\n{Another paragraph.}");
    check("> {This is a quoted paragraph that was wrapped at some column\n"
          "> and goes on here.}\n{This is the answer to it.}");
    check("{The line ends here.}\r\n\r\n{And a new one.}");
}

static void lines_that_mean_something(void **state)
{
    (void)state;
    check("{John Smith}\n{University of Nowhere}\n{Phone 12345}");
    check("{Things to buy:}\n{- bread and butter}\n{- milk}");
    check("{1. First thing to do}\n{2. Second thing to do}");
    check("{Heading}\n{=======}\n{The text under it.}");
    check("    {The first paragraph of a story that is set with an indent\n"
          "and goes on for a while until it is at the edge once again}\n"
          "    {The second one.}");
}

static void what_is_too_long_is_cut(void **state)
{
    (void)state;
    og_error err;
    const size_t len = 600000;
    char *text = malloc(len);
    assert_non_null(text);
    for (size_t i = 0; i < len; i++)
        text[i] = i % 6 == 5 ? ' ' : 'w';
    assert_int_equal(og_split(&splitter, (og_bytes){text, len}, &err), OG_OK);
    assert_int_equal(splitter.n_cut, 1);
    assert_true(splitter.n > len / OG_SENTENCE_BYTES_MAX);
    size_t words = 0;
    for (size_t i = 0; i < splitter.n; i++) {
        const struct og_sentence_range r = splitter.ranges[i];
        assert_true(r.end - r.begin <= OG_SENTENCE_BYTES_MAX);
        words += (r.end - r.begin + 1) / 6;
    }
    assert_int_equal(words, len / 6);
    memset(text, 'x', len); /* no place to cut at */
    assert_int_equal(og_split(&splitter, (og_bytes){text, len}, &err), OG_OK);
    assert_true(splitter.n > len / OG_SENTENCE_BYTES_MAX);
    free(text);
}

/* Every byte of anything that is not blank is in one sentence, whatever the
 * bytes are. */
static void any_bytes(void **state)
{
    (void)state;
    static const char *const pieces[] = {".",           " ",
                                         "\n",          "A",
                                         "b",           "\xe3\x80\x82",
                                         "\xff",        "\xe0\xb8\x81",
                                         "\"",          "> ",
                                         "1",           "\r\n",
                                         "- ",          "!",
                                         "\xc2\xa0",    ")",
                                         "\xe2\x80\xa9"};
    uint64_t random = 7;
    og_error err;
    char text[400];
    for (unsigned round = 0; round < 3000; round++) {
        size_t len = 0;
        while (len < 300) {
            const char *piece = pieces[og_random_next(&random) % 17];
            memcpy(text + len, piece, strlen(piece));
            len += strlen(piece);
        }
        assert_int_equal(og_split(&splitter, (og_bytes){text, len}, &err),
                         OG_OK);
        size_t at = 0;
        for (size_t i = 0; i <= splitter.n; i++) {
            const size_t begin =
                i < splitter.n ? splitter.ranges[i].begin : len;
            assert_true(begin >= at);
            for (; at < begin; at++)
                assert_true(text[at] != 'A' && text[at] != 'b' &&
                            text[at] != '1');
            if (i < splitter.n) at = splitter.ranges[i].end;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(abbreviations),
        cmocka_unit_test(numbers_and_addresses),
        cmocka_unit_test(quotations),
        cmocka_unit_test(other_scripts),
        cmocka_unit_test(wrapped_lines),
        cmocka_unit_test(lines_that_mean_something),
        cmocka_unit_test(what_is_too_long_is_cut),
        cmocka_unit_test(any_bytes),
    };
    return cmocka_run_group_tests(tests, init, release);
}
