/* Which lines of a plain text are headings. */

#include "tests/unit/stage_support.h"

#include "lib/sketch/features/heading.h"
#include <string.h>

/* The words of `text` that are weighed as a heading's, joined by blanks. */
static void expect(const char *source, const char *expected)
{
    struct og_text text;
    struct og_tokens tokens;
    float weight[64];
    char found[256] = "";
    og_text_init(&text, NULL);
    og_tokens_init(&tokens, NULL);
    assert_int_equal(
        og_text_fold(&text, (og_bytes){source, strlen(source)}, NULL), OG_OK);
    assert_int_equal(og_text_tokenise(&text, OG_TOKEN_WORDS, 0, &tokens, NULL),
                     OG_OK);
    for (size_t i = 0; i < tokens.n; i++)
        weight[i] = 1;
    og_headings_weigh(&text, &tokens, 3, weight);
    for (size_t i = 0; i < tokens.n; i++) {
        assert_true(weight[i] == 1 || weight[i] == 3);
        if (weight[i] == 1) continue;
        if (found[0] != '\0') strcat(found, " ");
        strncat(found, text.data + tokens.begin[i],
                tokens.end[i] - tokens.begin[i]);
    }
    assert_string_equal(found, expected);
    og_tokens_release(&tokens);
    og_text_release(&text);
}

static void kinds_of_headings(void **state)
{
    (void)state;
    expect("# one two\nthree\n", "one two");
    expect("###### six\nseven", "six");
    expect("####### seven\nmore", "");
    expect("#tag is none\n", "");
    expect("one two\n=======\nthree", "one two");
    expect("one two\n--\nthree", "");
    expect("a line\n\n3.1.  the title\n\nmore text", "3 1 the title");
    expect("a line\n3.1.  no title\nmore text", "");
    expect("nothing of that kind", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_of_headings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
