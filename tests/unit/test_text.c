/* The way back from folded text to the source. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <origo/params.h>

#include "lib/text/text.h"

/* Folds `source`, finds `needle` in the result and expects it to have come
 * from exactly `piece` (its first occurrence). */
static void expect(struct og_text *text, const char *source, const char *needle,
                   const char *piece)
{
    const og_bytes bytes = {source, strlen(source)};
    assert_int_equal(og_text_fold(text, bytes, NULL), OG_OK);
    const char *hit = strstr(text->data, needle);
    assert_non_null(hit);
    const size_t at = (size_t)(hit - text->data);
    const size_t begin = og_text_source_begin(text, at);
    const size_t end = og_text_source_end(text, at + strlen(needle));
    assert_int_equal(begin, strstr(source, piece) - source);
    assert_int_equal(end, begin + strlen(piece));
}

static void ascii_needs_no_step(void **state)
{
    (void)state;
    struct og_text text;
    og_text_init(&text, NULL);
    expect(&text, "The Origin of Species", "origin", "Origin");
    assert_int_equal(text.n_steps, 0);
    expect(&text, "ЖЁЛТЫЙ цвет", "цвет", "цвет");
    assert_int_equal(text.n_steps, 0); /* same lengths: aligned */
    og_text_release(&text);
}

static void pieces_come_back_whole(void **state)
{
    (void)state;
    struct og_text text;
    og_text_init(&text, NULL);
    expect(&text, "so ﬁne it is", "fine", "ﬁne");
    expect(&text, "so ﬁne it is", "ine", "ﬁne"); /* i is part of the ligature */
    expect(&text, "so ﬁne it is", "it", "it");
    expect(&text, "Ｗｉｄｅ text", "ide", "ｉｄｅ");
    expect(&text, "un e\u0301te\u0301 bleu", "été", "e\u0301te\u0301");
    expect(&text, "un e\u0301te\u0301 bleu", "bleu", "bleu");
    expect(&text, "wait… what", ".", "…");
    expect(&text, "a \xff b", "\ufffd", "\xff");
    expect(&text, "a \xf0\x9f\x98 b", "b", "b");
    expect(&text, "\u0e01\u0e33\u0e01", "\u0e32\u0e01", "\u0e33\u0e01");
    og_text_release(&text);
}

static void dropped_characters_belong_to_no_one(void **state)
{
    (void)state;
    struct og_text text;
    og_text_init(&text, NULL);
    expect(&text, "co\u00adop \u200bmove", "co", "co");
    expect(&text, "co\u00adop \u200bmove", "op", "op");
    expect(&text, "co\u00adop \u200bmove", "coop", "co\u00adop");
    expect(&text, "co\u00adop \u200bmove", "move", "move");
    expect(&text, "\ufeffstart", "start", "start");
    expect(&text, "end\ufeff", "end", "end");
    assert_int_equal(og_text_source_begin(&text, text.len), 6);
    assert_int_equal(og_text_source_end(&text, 0), 0);
    og_text_release(&text);
}

/* A word ends after the mark of its last letter, folded or not. */
static void vowel_marks_belong_to_their_letter(void **state)
{
    (void)state;
    struct og_text text;
    og_text_init(&text, NULL);
    text.fold = OG_FOLD_MARKS;
    expect(&text, "\u0645\u064e\u0627\u064b \u0623\u0648", "\u0645\u0627",
           "\u0645\u064e\u0627\u064b");
    expect(&text, "\u0645\u064e\u0627\u064b \u0623\u0648", "\u0645",
           "\u0645\u064e");
    expect(&text, "1420\u0647\u0640 x", "1420\u0647", "1420\u0647\u0640");
    expect(&text, "\u064b\u0627 x", "\u0627", "\u0627");
    expect(&text, "\u05d1\u05bc\u05b0 x", "\u05d1", "\u05d1\u05bc\u05b0");
    expect(&text, "co\u00adop", "co", "co");
    og_text_release(&text);
}

static void bytes_inside_a_character_are_that_character(void **state)
{
    (void)state;
    struct og_text text;
    og_text_init(&text, NULL);
    const char *source = "a中b";
    og_text_fold(&text, (og_bytes){source, 5}, NULL);
    for (size_t i = 1; i <= 3; i++) {
        assert_int_equal(og_text_source_begin(&text, i), 1);
        assert_int_equal(og_text_source_end(&text, i + 1), 4);
    }
    og_text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ascii_needs_no_step),
        cmocka_unit_test(pieces_come_back_whole),
        cmocka_unit_test(dropped_characters_belong_to_no_one),
        cmocka_unit_test(vowel_marks_belong_to_their_letter),
        cmocka_unit_test(bytes_inside_a_character_are_that_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
