/* The fingerprints of a whole document, against the definition, and what is
 * done about short ones. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/fingerprint/shingler.h"

enum { SHINGLE_LEN = 4 };

static struct og_rabin rabin;
static struct og_shingle_factors factors;
static struct og_shingler shingler;

static int set_up(void **state)
{
    (void)state;
    og_rabin_init(&rabin, OG_RABIN_POLY);
    og_shingle_factors_init(&factors, &rabin, SHINGLE_LEN);
    og_shingler_init(&shingler, OG_TOKEN_WORDS, &factors, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    og_shingler_release(&shingler);
    return 0;
}

static og_bytes bytes_of(const char *text)
{
    return (og_bytes){text, strlen(text)};
}

static void run(const char *text)
{
    assert_int_equal(og_shingler_run(&shingler, bytes_of(text), NULL), OG_OK);
}

/* Every shingle of the tokens that were read, one by one. */
static void check_definition(size_t n_tokens)
{
    assert_int_equal(shingler.tokens.n, n_tokens);
    assert_int_equal(shingler.fps.n, n_tokens - SHINGLE_LEN + 1);
    for (size_t i = 0; i < shingler.fps.n; i++)
        assert_true(
            shingler.fps.data[i] ==
            og_rabin_words(&rabin, shingler.tokens.hash + i, SHINGLE_LEN));
}

static void long_documents(void **state)
{
    (void)state;
    run("one two three four");
    check_definition(4);
    run("one two three four five six seven eight nine ten, one two three.");
    check_definition(13);
    assert_true(shingler.fps.data[0] != shingler.fps.data[1]);
}

/* One shingle of all tokens: the same words are the same, others are not. */
static void short_documents(void **state)
{
    (void)state;
    run("one two three");
    assert_int_equal(shingler.fps.n, 1);
    const uint64_t three = shingler.fps.data[0];
    assert_true(three == og_rabin_words(&rabin, shingler.tokens.hash, 3));
    run("One, TWO - three!");
    assert_int_equal(shingler.fps.n, 1);
    assert_true(shingler.fps.data[0] == three);
    run("one two");
    assert_int_equal(shingler.fps.n, 1);
    assert_true(shingler.fps.data[0] != three);
}

/* Bytes instead: no token's hash. */
static void documents_without_tokens(void **state)
{
    (void)state;
    uint64_t seen[3];
    static const char *const texts[] = {"", "?!", "? !"};
    for (size_t i = 0; i < 3; i++) {
        run(texts[i]);
        assert_int_equal(shingler.tokens.n, 0);
        assert_int_equal(shingler.fps.n, 1);
        seen[i] = shingler.fps.data[0];
        assert_true(seen[i] != og_token_hash(texts[i], strlen(texts[i]), 0));
        for (size_t j = 0; j < i; j++)
            assert_true(seen[i] != seen[j]);
        run(texts[i]);
        assert_true(shingler.fps.data[0] == seen[i]);
    }
}

/* Under another key: what a run under it makes. */
static void another_key(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "?!", "one two",
                                        "one two three four five six seven"};
    struct og_shingler keyed;
    for (size_t i = 0; i < 4; i++) {
        og_shingler_init(&keyed, OG_TOKEN_WORDS, &factors, NULL);
        keyed.token_key = 77;
        assert_int_equal(og_shingler_run(&keyed, bytes_of(texts[i]), NULL),
                         OG_OK);
        run(texts[i]);
        const uint64_t before = shingler.fps.data[0];
        const size_t n = shingler.tokens.n;
        assert_int_equal(
            og_shingler_rekey(&shingler, bytes_of(texts[i]), 77, NULL), OG_OK);
        assert_int_equal(
            og_shingler_reprint(&shingler, shingler.tokens.hash, n, NULL),
            OG_OK);
        assert_int_equal(shingler.fps.n, keyed.fps.n);
        assert_memory_equal(shingler.fps.data, keyed.fps.data,
                            keyed.fps.n * sizeof(uint64_t));
        assert_true(shingler.fps.data[0] != before);
        og_shingler_release(&keyed);
    }
}

/* Memory goes after a giant alone; the key stays, and it works on. */
static void trimming(void **state)
{
    (void)state;
    shingler.token_key = 5;
    run("one two three four five");
    const uint64_t first = shingler.fps.data[0];
    const size_t cap = shingler.text.cap;
    og_shingler_trim(&shingler);
    assert_int_equal(shingler.text.cap, cap);
    const size_t len = (size_t)OG_TEXT_KEEP + 100000;
    char *giant = malloc(len);
    assert_non_null(giant);
    memset(giant, 'a', len);
    assert_int_equal(og_shingler_run(&shingler, (og_bytes){giant, len}, NULL),
                     OG_OK);
    free(giant);
    assert_true(shingler.text.cap > OG_TEXT_KEEP);
    og_shingler_trim(&shingler);
    assert_int_equal(shingler.text.cap, 0);
    assert_int_equal(shingler.fps.cap, 0);
    run("one two three four five");
    assert_true(shingler.fps.data[0] == first);
}

static void *refuse(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    (void)ctx, (void)ptr, (void)old_len, (void)new_len;
    return NULL;
}

static void no_memory(void **state)
{
    (void)state;
    const og_allocator none = {NULL, refuse};
    struct og_shingler poor;
    og_shingler_init(&poor, OG_TOKEN_WORDS, &factors, &none);
    assert_int_equal(og_shingler_run(&poor, bytes_of("one two"), NULL),
                     OG_ERR_MEMORY);
    const uint64_t words[9] = {1};
    assert_int_equal(og_shingler_reprint(&poor, words, 0, NULL), OG_ERR_MEMORY);
    assert_int_equal(og_shingler_reprint(&poor, words, 1, NULL), OG_ERR_MEMORY);
    og_shingler_release(&poor);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(long_documents),
        CASE(short_documents),
        CASE(documents_without_tokens),
        CASE(another_key),
        CASE(trimming),
        CASE(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
