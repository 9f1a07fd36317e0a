/* Folding by example. Random texts are in tests/property/test_fold_random.c. */

#include <origo/origo.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/text/text.h"

static void expect(struct og_text *text, const char *source, const char *folded)
{
    const og_bytes bytes = {source, strlen(source)};
    assert_int_equal(og_text_fold(text, bytes, NULL), OG_OK);
    assert_string_equal(text->data, folded);
    assert_int_equal(text->len, strlen(folded));
    assert_int_equal(text->source_len, strlen(source));
}

static void what_reads_the_same_becomes_the_same(void **state)
{
    (void)state;
    static const char *const same[][2] = {
        {"", ""},
        {"FINE", "fine"},
        {"ﬁne", "fine"},
        {"Ｆｉｎｅ", "fine"},
        {"Straße", "strasse"},
        {"e\u0301te\u0301", "été"},
        {"Ἀχιλλεύς", "ἀχιλλεύσ"},
        {"ЖЁЛТЫЙ", "жёлтый"},
        {"ｶﾞ", "ガ"},
        {"\u304b\u3099", "が"},
        {"\u1112\u1161\u11ab", "한"},
        {"\ud55c", "한"},
        {"…", "..."},
        {"①½", "11\u20442"},
        {"s\u0307\u0323", "ṩ"},
        {"s\u0323\u0307", "ṩ"},
        {"\u0e01\u0e33", "\u0e01\u0e4d\u0e32"},
        {"\u0e01\u0e38\u0e49", "\u0e01\u0e38\u0e49"},
        {"\u0e01\u0e49\u0e38", "\u0e01\u0e38\u0e49"},
        {"中文", "中文"},
        {"\u09c7\u09be", "\u09cb"},
        {"in\u00advis\u200dib\u200cle", "invisible"},
        {"\ufefftext", "text"},
        {"a\u00a0b\u3000c", "a b c"},
        {"=\u0338", "≠"},
        {"\u0301x", "\u0301x"},
    };
    struct og_text text;
    og_text_init(&text, NULL);
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        expect(&text, same[i][0], same[i][1]);
    og_text_release(&text);
}

static void broken_bytes_become_one_mark_each(void **state)
{
    (void)state;
    struct og_text text;
    og_text_init(&text, NULL);
    expect(&text,
           "a\xff"
           "b",
           "a\ufffd"
           "b");
    assert_int_equal(text.n_repaired, 1);
    expect(&text, "cut \xf0\x9f\x98", "cut \ufffd");
    assert_int_equal(text.n_repaired, 3);
    expect(&text, "\xed\xa0\x80", "\ufffd\ufffd\ufffd");
    assert_int_equal(text.n_repaired, 3);
    expect(&text, "\xe2\x80", "\ufffd");
    assert_int_equal(text.n_repaired, 2);
    expect(&text, "fine", "fine");
    assert_int_equal(text.n_repaired, 0);
    og_text_release(&text);
}

static void nul_bytes_are_bytes(void **state)
{
    (void)state;
    struct og_text text;
    og_text_init(&text, NULL);
    assert_int_equal(og_text_fold(&text, (og_bytes){"A\0B", 3}, NULL), OG_OK);
    assert_int_equal(text.len, 3);
    assert_memory_equal(text.data, "a\0b", 3);
    og_text_release(&text);
}

static void nothing_folds_to_nothing(void **state)
{
    (void)state;
    struct og_text text;
    og_text_init(&text, NULL);
    assert_int_equal(og_text_fold(&text, (og_bytes){NULL, 0}, NULL), OG_OK);
    assert_int_equal(text.len, 0);
    for (int i = 0; i < OG_TEXT_PADDING; i++)
        assert_int_equal(text.data[i], 0);
    og_text_release(&text);
}

/* The longest folding there is: 3 bytes to 33. */
static void what_lengthens_finds_room(void **state)
{
    (void)state;
    enum { N = 5000 };
    struct og_text text;
    og_text_init(&text, NULL);
    char *source = malloc(3 * N);
    for (size_t i = 0; i < N; i++)
        memcpy(source + 3 * i, "\xef\xb7\xba", 3); /* U+FDFA */
    assert_int_equal(og_text_fold(&text, (og_bytes){source, 3 * N}, NULL),
                     OG_OK);
    assert_int_equal(text.len, 33 * N);
    free(source);
    og_text_release(&text);
}

static void too_long_is_refused(void **state)
{
    (void)state;
    struct og_text text;
    og_error err;
    og_text_init(&text, NULL);
    const og_bytes bytes = {"x", OG_TEXT_MAX + 1};
    assert_int_equal(og_text_fold(&text, bytes, &err), OG_ERR_LIMIT);
    assert_int_equal(err.status, OG_ERR_LIMIT);
    og_text_release(&text);
}

static void *count_calls(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    (void)old_len;
    ++*(int *)ctx;
    if (new_len != 0) return realloc(ptr, new_len);
    free(ptr);
    return NULL;
}

static void the_second_time_allocates_nothing(void **state)
{
    (void)state;
    int n_calls = 0;
    const og_allocator counting = {&n_calls, count_calls};
    struct og_text text;
    og_text_init(&text, &counting);
    const char *source = "Ｆｕｌｌ width, e\u0301, ไทย, 中文, \xff";
    expect(&text, source, "full width, é, ไทย, 中文, \ufffd");
    const int after_first = n_calls;
    expect(&text, source, "full width, é, ไทย, 中文, \ufffd");
    assert_int_equal(n_calls, after_first);
    og_text_release(&text);
}

static void check_folds(uint32_t fold, const char *source, const char *wanted)
{
    struct og_text text;
    og_text_init(&text, NULL);
    text.fold = fold;
    expect(&text, source, wanted);
    assert_int_equal(og_text_source_begin(&text, 0), 0);
    og_text_release(&text);
}

/* With a parameter, and without it as ever. */
static void parameters_fold_spellings(void **state)
{
    (void)state;
    check_folds(OG_FOLD_MARKS, "\u0628\u0650\u0633\u0652\u0645\u0650",
                "\u0628\u0633\u0645");
    check_folds(0, "\u0628\u0650\u0633", "\u0628\u0650\u0633");
    check_folds(OG_FOLD_MARKS, "\u0645\u0640\u0640\u062d", "\u0645\u062d");
    check_folds(OG_FOLD_MARKS, "\u05d1\u05bc\u05b0\u05e8\u05b5\u05d0",
                "\u05d1\u05e8\u05d0");
    check_folds(OG_FOLD_MARKS, "\u0623\u0645", "\u0623\u0645"); /* hamza */
    check_folds(OG_FOLD_MARKS, "\ufe91\ufeb4\ufee2", "\u0628\u0633\u0645");
    check_folds(OG_FOLD_MARKS, "na\u00efve e\u0301", "na\u00efve \u00e9");
    check_folds(OG_FOLD_ARABIC, "\u0623\u0622\u0671\u0649\u06a9\u0629",
                "\u0627\u0627\u0627\u064a\u0643\u0647");
    check_folds(OG_FOLD_LATIN, "Vniuersitas Julij", "uniuersitas iulii");
    check_folds(0, "Vniuersitas Julij", "vniuersitas julij");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_reads_the_same_becomes_the_same),
        cmocka_unit_test(broken_bytes_become_one_mark_each),
        cmocka_unit_test(parameters_fold_spellings),
        cmocka_unit_test(nul_bytes_are_bytes),
        cmocka_unit_test(nothing_folds_to_nothing),
        cmocka_unit_test(what_lengthens_finds_room),
        cmocka_unit_test(too_long_is_refused),
        cmocka_unit_test(the_second_time_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
