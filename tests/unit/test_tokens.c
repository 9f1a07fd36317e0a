/* The arrays of tokens: growing, keeping, failing. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/token/tokens.h"

struct budget {
    int n_calls, n_allowed; /* -1: all */
    size_t held;
};

static void *spend(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    struct budget *b = ctx;
    if (new_len == 0) {
        b->held -= old_len;
        free(ptr);
        return NULL;
    }
    b->n_calls++;
    if (b->n_allowed >= 0 && b->n_calls > b->n_allowed) return NULL;
    b->held += new_len - old_len;
    return realloc(ptr, new_len);
}

static char *sentence_of(size_t n_words)
{
    char *source = malloc(3 * n_words + 1);
    for (size_t i = 0; i < n_words; i++)
        memcpy(source + 3 * i, i % 100 == 99 ? "x \n" : "ab ", 3);
    return source;
}

static void growing_keeps_what_is_there(void **state)
{
    (void)state;
    enum { N = 50000 };
    struct budget b = {0, -1, 0};
    const og_allocator a = {&b, spend};
    struct og_text text;
    struct og_tokens tokens;
    og_text_init(&text, &a);
    og_tokens_init(&tokens, &a);
    char *source = sentence_of(N);
    og_text_fold(&text, (og_bytes){source, 3 * N}, NULL);
    int after_first = 0;
    for (int round = 0; round < 3; round++) {
        assert_int_equal(
            og_text_tokenise(&text, OG_TOKEN_WORDS, 0, &tokens, NULL), OG_OK);
        assert_int_equal(tokens.n, N);
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(tokens.begin[i], 3 * i);
            assert_int_equal(tokens.end[i], 3 * i + (i % 100 == 99 ? 1 : 2));
        }
        for (size_t i = 0; i < 8; i++)
            assert_true(tokens.hash[N + i] == 0);
        if (round == 0) after_first = b.n_calls;
    }
    assert_int_equal(b.n_calls, after_first); /* nothing once warm */
    free(source);
    og_text_release(&text);
    og_tokens_release(&tokens);
    assert_int_equal(b.held, 0);
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    enum { N = 20000 };
    char *source = sentence_of(N);
    bool worked = false;
    for (int allowed = 0; !worked; allowed++) {
        struct budget b = {0, allowed, 0};
        const og_allocator a = {&b, spend};
        struct og_text text;
        struct og_tokens tokens;
        og_error err;
        og_text_init(&text, &a);
        og_tokens_init(&tokens, &a);
        og_status status = og_text_fold(&text, (og_bytes){source, 3 * N}, &err);
        if (status == OG_OK)
            status = og_text_tokenise(&text, OG_TOKEN_LINES, 0, &tokens, &err);
        if (status == OG_OK)
            status = og_text_tokenise(&text, OG_TOKEN_CHARS, 0, &tokens, &err);
        worked = status == OG_OK;
        if (!worked) {
            assert_int_equal(status, OG_ERR_MEMORY);
            assert_non_null(strstr(err.message, "out of memory"));
            assert_int_equal(tokens.n, 0);
        }
        og_text_release(&text);
        og_tokens_release(&tokens);
        assert_int_equal(b.held, 0);
        assert_true(allowed < 100);
    }
    free(source);
}

static void an_unfolded_text_has_no_tokens(void **state)
{
    (void)state;
    struct og_text text;
    struct og_tokens tokens;
    og_text_init(&text, NULL);
    og_tokens_init(&tokens, NULL);
    for (og_token_kind kind = OG_TOKEN_WORDS; kind <= OG_TOKEN_DNA; kind++) {
        assert_int_equal(og_text_tokenise(&text, kind, 0, &tokens, NULL),
                         OG_OK);
        assert_int_equal(tokens.n, 0);
    }
    og_tokens_release(&tokens);
    og_tokens_release(NULL);
    og_text_release(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growing_keeps_what_is_there),
        cmocka_unit_test(no_memory_is_reported),
        cmocka_unit_test(an_unfolded_text_has_no_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
