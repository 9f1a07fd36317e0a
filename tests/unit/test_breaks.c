/* Unicode's rules of sentence breaks: each rule by an example of its own, and
 * classes against the ranges they were made from. With the file of Unicode's
 * own examples named in ORIGO_SENTENCE_BREAK_TEST, those too. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/sentence/split/breaks.h"
#include "lib/sentence/split/sentence_class.h"
#include "lib/text/utf8.h"

/* Breaks are marked by a bar in the expected text. */
static void check(const char *expected)
{
    char text[1024], seen[2048];
    size_t len = 0, n = 0;
    for (const char *p = expected; *p != '\0'; p++)
        if (*p != '|') text[len++] = *p;
    for (size_t at = 0; at < len;) {
        const struct og_break b = og_break_next(text, len, at, false);
        assert_true(b.end > at && b.end <= len);
        memcpy(seen + n, text + at, b.end - at);
        n += b.end - at;
        if (b.end < len) seen[n++] = '|';
        at = b.end;
    }
    seen[n] = '\0';
    assert_string_equal(seen, expected);
}

static void rules(void **state)
{
    (void)state;
    check("One. |Two! |Three? |Four");
    check("a\r\n|b\n|c\r|d");            /* SB3, SB4 */
    check("a.\xcc\x88\xe2\x81\xa0 |Bc"); /* SB5: marks are passed */
    check("It is 3.14 long. |Yes");      /* SB6 */
    check("The U.S.A is. |So");          /* SB7 */
    check("He said. (then) left");       /* SB8 */
    check("He said. |(Then) left");
    check("See etc., and so on"); /* SB8a */
    check("What?! |No");
    check("\"Go.\" |He went"); /* SB9 */
    check("(Go.)  |He went");  /* SB10 */
    check("Go.\n|He");         /* SB11 */
    check("no stop at all");
    check("one.two");
    check("1. |2");
    check("One. |\"Two\"");
}

static void other_scripts(void **state)
{
    (void)state;
    check("\xe4\xb8\x80\xe3\x80\x82|\xe4\xba\x8c\xef\xbc\x9f|\xe4\xb8\x89");
    check("\xe4\xb8\x80\xe3\x80\x82\xe3\x80\x8d|\xe4\xba\x8c");
    check("\xe0\xa4\x95\xe0\xa5\xa4 |\xe0\xa4\x96"); /* danda */
    check("\xd8\xa7\xd8\x9f |\xd8\xa8");             /* Arabic ? */
    check("\xd0\x94\xd0\xb0. |\xd0\x9d\xd0\xb5\xd1\x82");
}

static void what_ended_it(void **state)
{
    (void)state;
    struct og_break b = og_break_next("Mr. Fox", 7, 0, false);
    assert_int_equal(b.end, 4);
    assert_int_equal(b.stop, 2);
    assert_true(b.is_full_stop && !b.is_closed);
    b = og_break_next("\"Go!\" He", 8, 0, false);
    assert_int_equal(b.stop, 3);
    assert_true(!b.is_full_stop && b.is_closed);
    b = og_break_next("x\ny", 3, 0, true);
    assert_int_equal(b.end, 3);
    b = og_break_next("x\xe2\x80\xa9y", 5, 0, true); /* a paragraph separator */
    assert_int_equal(b.end, 4);
}

static void classes(void **state)
{
    (void)state;
    /* The table of ASCII compared with the ranges: the same classes. */
    for (uint32_t c = 'a'; c <= 'z'; c++) {
        assert_int_equal(og_sentence_class_of(c), OG_SB_LOWER);
        assert_int_equal(og_sentence_class_of(c - 32), OG_SB_UPPER);
    }
    assert_int_equal(og_sentence_class_of('.'), OG_SB_ATERM);
    assert_int_equal(og_sentence_class_of(0x2024), OG_SB_ATERM);
    assert_int_equal(og_sentence_class_of('!'), OG_SB_STERM);
    assert_int_equal(og_sentence_class_of(0x3002), OG_SB_STERM);
    assert_int_equal(og_sentence_class_of(0x104), OG_SB_UPPER); /* in turns */
    assert_int_equal(og_sentence_class_of(0x105), OG_SB_LOWER);
    assert_int_equal(og_sentence_class_of(0x301), OG_SB_EXTEND);
    assert_int_equal(og_sentence_class_of(0x4e00), OG_SB_OLETTER);
    assert_int_equal(og_sentence_class_of(0x85), OG_SB_SEP);
    assert_int_equal(og_sentence_class_of(0x10ffff), OG_SB_OTHER);
    assert_int_equal(og_sentence_class_of(UINT32_MAX), OG_SB_OTHER);
}

/* A line of Unicode's file: "÷ 0001 × 0308 ÷ # ...". */
static bool agrees(const char *line)
{
    char text[512];
    size_t breaks[128], n_breaks = 0, len = 0;
    for (const char *p = line; *p != '\0' && *p != '#' && *p != '\n';) {
        if (strncmp(p, "\xc3\xb7", 2) == 0) {
            breaks[n_breaks++] = len;
            p += 2;
        } else if (strncmp(p, "\xc3\x97", 2) == 0) {
            p += 2;
        } else if (*p == ' ' || *p == '\t') {
            p++;
        } else {
            char *end;
            const uint32_t c = (uint32_t)strtoul(p, &end, 16);
            len += og_utf8_encode(c, (unsigned char *)text + len);
            p = end;
        }
    }
    size_t i = 1;
    for (size_t at = 0; at < len; i++) {
        at = og_break_next(text, len, at, false).end;
        if (i >= n_breaks || breaks[i] != at) return false;
    }
    return i == n_breaks;
}

static void examples_of_unicode(void **state)
{
    (void)state;
    const char *path = getenv("ORIGO_SENTENCE_BREAK_TEST");
    if (path == NULL) skip();
    char line[2048];
    unsigned n = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "\xc3\xb7", 2) != 0) continue;
        if (!agrees(line)) fail_msg("%s", line);
        n++;
    }
    fclose(file);
    print_message("%u examples\n", n);
    assert_true(n > 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules),
        cmocka_unit_test(other_scripts),
        cmocka_unit_test(what_ended_it),
        cmocka_unit_test(classes),
        cmocka_unit_test(examples_of_unicode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
