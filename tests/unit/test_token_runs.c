/* Words, characters and bases, by example. A bar separates tokens. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/token/tokens.h"

static void expect(og_token_kind kind, const char *source, const char *cut)
{
    struct og_text text;
    struct og_tokens tokens;
    og_text_init(&text, NULL);
    og_tokens_init(&tokens, NULL);
    const og_bytes bytes = {source, strlen(source)};
    assert_int_equal(og_text_fold(&text, bytes, NULL), OG_OK);
    assert_int_equal(og_text_tokenise(&text, kind, 0, &tokens, NULL), OG_OK);
    char joined[1000] = "";
    for (size_t i = 0; i < tokens.n; i++) {
        const size_t len = tokens.end[i] - tokens.begin[i];
        if (i > 0) strcat(joined, "|");
        strncat(joined, text.data + tokens.begin[i], len);
        assert_true(tokens.hash[i] ==
                    og_token_hash(text.data + tokens.begin[i], len, 0));
    }
    assert_string_equal(joined, cut);
    og_text_release(&text);
    og_tokens_release(&tokens);
}

/* Our own table of where words break. */
static void words_break_where_people_see_it(void **state)
{
    (void)state;
    static const char *const table[][2] = {
        {"", ""},
        {"   ", ""},
        {"word", "word"},
        {"Two words.", "two|words"},
        {"don't", "don|t"},
        {"snake_case", "snake|case"},
        {"e-mail, 3.14", "e|mail|3|14"},
        {"x86-64 AVX512", "x86|64|avx512"},
        {"Größe naïve", "grösse|naïve"},
        {"ЁЛКИ и палки", "ёлки|и|палки"},
        {"“curly” ‘quotes’—dash", "curly|quotes|dash"},
        {"q\u0301x y", "q\u0301x|y"},
        {"한국어 문장", "한국어|문장"},
        {"हिन्दी में", "हिन्दी|में"},
        {"שָׁלוֹם עולם", "שָׁלוֹם|עולם"},
        {"مرحبا بالعالم", "مرحبا|بالعالم"},
        {"中文", "中|文"},
        {"中文abc字", "中|文|abc|字"},
        {"2024年5月", "2024|年|5|月"},
        {"日本語のテキスト。", "日|本|語|の|テ|キ|ス|ト"},
        {"ภาษาไทย", "ภ|า|ษ|า|ไ|ท|ย"},
        {"ที่นี่", "ที่|นี่"},
        {"น้ำ", "น้\u0e4d|า"},
        {"ไทยabcไทย", "ไ|ท|ย|abc|ไ|ท|ย"},
        {"ພາສາ", "ພ|າ|ສ|າ"},
        {"ខ្មែរ", "ខ្|មែ|រ"},
        {"中\u0301x", "中\u0301|x"},
        {"中é", "中|é"},
        {"🙂a🙂b", "a|b"},
        {"a\xff"
         "b",
         "a|b"},
        {"in\u00advisible", "invisible"},
        {" \u0301a", "\u0301a"},
        {"ㄅㄆ", "ㄅㄆ"},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        expect(OG_TOKEN_WORDS, table[i][0], table[i][1]);
}

static void a_word_may_be_longer_than_everything(void **state)
{
    (void)state;
    enum { N = 20000 };
    struct og_text text;
    struct og_tokens tokens;
    og_text_init(&text, NULL);
    og_tokens_init(&tokens, NULL);
    char *source = malloc(N);
    memset(source, 'w', N);
    source[0] = source[N - 1] = ' ';
    og_text_fold(&text, (og_bytes){source, N}, NULL);
    assert_int_equal(og_text_tokenise(&text, OG_TOKEN_WORDS, 0, &tokens, NULL),
                     OG_OK);
    assert_int_equal(tokens.n, 1);
    assert_int_equal(tokens.begin[0], 1);
    assert_int_equal(tokens.end[0], N - 1);
    free(source);
    og_text_release(&text);
    og_tokens_release(&tokens);
}

static void characters_keep_their_marks(void **state)
{
    (void)state;
    expect(OG_TOKEN_CHARS, "Ab 1.", "a|b|1");
    expect(OG_TOKEN_CHARS, "e\u0301q\u0301x", "é|q\u0301|x");
    expect(OG_TOKEN_CHARS, "жар", "ж|а|р");
    expect(OG_TOKEN_CHARS, "中文", "中|文");
    expect(OG_TOKEN_CHARS, "ที่", "ที่");
    expect(OG_TOKEN_CHARS, "ﬁ", "f|i");
    expect(OG_TOKEN_CHARS, "...", "");
}

static void bases_skip_the_rest(void **state)
{
    (void)state;
    expect(OG_TOKEN_DNA, "ACGU acgt", "a|c|g|u|a|c|g|t");
    expect(OG_TOKEN_DNA, "ANNG\nxT", "a|g|t");
    expect(OG_TOKEN_DNA, "中 é", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_break_where_people_see_it),
        cmocka_unit_test(a_word_may_be_longer_than_everything),
        cmocka_unit_test(characters_keep_their_marks),
        cmocka_unit_test(bases_skip_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
