/* Lines as tokens: where each is, and what its hash covers. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/token/tokens.h"

struct line {
    size_t begin, end;
    const char *counts_as;
};

static void expect(const char *source, size_t n, const struct line *lines)
{
    struct og_text text;
    struct og_tokens tokens;
    og_text_init(&text, NULL);
    og_tokens_init(&tokens, NULL);
    const og_bytes bytes = {source, strlen(source)};
    assert_int_equal(og_text_fold(&text, bytes, NULL), OG_OK);
    assert_int_equal(og_text_tokenise(&text, OG_TOKEN_LINES, 9, &tokens, NULL),
                     OG_OK);
    assert_int_equal(tokens.n, n);
    for (size_t i = 0; i < n; i++) {
        const char *line = lines[i].counts_as;
        assert_int_equal(tokens.begin[i], lines[i].begin);
        assert_int_equal(tokens.end[i], lines[i].end);
        assert_true(tokens.hash[i] == og_token_hash(line, strlen(line), 9));
    }
    og_text_release(&text);
    og_tokens_release(&tokens);
}

static void blanks_do_not_count(void **state)
{
    (void)state;
    expect("", 0, NULL);
    expect("\n \n\t\n", 0, NULL);
    expect("one", 1, (const struct line[]){{0, 3, "one"}});
    expect("  int  x;\t/* Y */ \n", 1,
           (const struct line[]){{2, 17, "int x; /* y */"}});
    expect("a\tb", 1, (const struct line[]){{0, 3, "a b"}});
    expect("a\u00a0\u3000b", 1, (const struct line[]){{0, 4, "a b"}});
    expect("\fpage\v", 1, (const struct line[]){{1, 5, "page"}});
}

static void all_line_ends_are_ends(void **state)
{
    (void)state;
    static const struct line lines[] = {{0, 1, "a"}, {2, 3, "b"}, {4, 5, "c"}};
    static const struct line wide[] = {{0, 1, "a"}, {3, 4, "b"}};
    expect("a\nb\nc", 3, lines);
    expect("a\rb\rc\r", 3, lines);
    expect("a\nb\rc\n\r\n", 3, lines);
    expect("a\r\nb\r\n", 2, wide);
    expect("a\n\nb", 2, wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blanks_do_not_count),
        cmocka_unit_test(all_line_ends_are_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
