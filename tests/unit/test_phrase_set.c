/* Passages worth a look: which are kept, and where they are in a document. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>

#include "lib/phrases/phrase_set.h"

static void offer(struct og_phrase_pool *pool, uint64_t seed, uint32_t most,
                  uint32_t n_tokens, const char *text)
{
    const struct og_phrase_candidate c = {
        .seed = seed, .most = most, .n_tokens = n_tokens};
    og_error err;
    assert_int_equal(
        og_phrase_pool_add(pool, &c, (og_bytes){text, strlen(text)}, &err),
        OG_OK);
}

static void test_the_pool_keeps_the_best(void **state)
{
    (void)state;
    struct og_phrase_pool pool;
    char text[32];
    og_phrase_pool_init(&pool, 3);
    for (uint32_t i = 1; i <= 20; i++) {
        snprintf(text, sizeof(text), "passage %u", i);
        offer(&pool, i, i, 2, text);
    }
    offer(&pool, 20, 19, 3, "passage 20 longer");
    offer(&pool, 20, 20, 2, "passage 20");
    og_phrase_pool_sort(&pool);
    assert_int_equal(pool.n, 3);
    assert_string_equal(pool.list[0].text, "passage 20 longer");
    assert_string_equal(pool.list[1].text, "passage 19");
    assert_string_equal(pool.list[2].text, "passage 18");
    og_phrase_pool_release(&pool);
}

static void test_passages_are_found_word_by_word(void **state)
{
    (void)state;
    struct og_phrase_pool pool;
    struct og_phrase_set set;
    struct og_shingler doc;
    struct og_phrase_matches m = {0};
    static const char text[] = "A b c d e! Then a B, c d. And b c d e f.";
    og_error err;
    og_phrase_pool_init(&pool, 10);
    offer(&pool, 1, 9, 4, "a b c d");
    offer(&pool, 2, 8, 5, "b c d e f");
    offer(&pool, 3, 7, 3, "b c d"); /* stands in both, and in fewer */
    offer(&pool, 4, 3, 3, "x y z");
    og_phrase_pool_sort(&pool);
    assert_int_equal(
        og_phrase_set_init(&set, &pool, OG_TOKEN_WORDS, 0, 3, &err), OG_OK);
    assert_int_equal(set.n, 3);
    og_shingler_init(&doc, OG_TOKEN_WORDS, &set.key, NULL);
    assert_int_equal(
        og_shingler_run(&doc, (og_bytes){text, sizeof(text) - 1}, &err), OG_OK);
    assert_int_equal(og_phrase_set_find(&set, &doc, &m, &err), OG_OK);
    assert_int_equal(m.n, 2);
    assert_int_equal(m.list[0].phrase, 0);
    assert_int_equal(m.list[0].first, 0);
    assert_int_equal(m.list[1].phrase, 1);
    assert_int_equal(m.list[1].first, 11);
    assert_int_equal(m.n_covered, 4 + 4 + 5);
    og_phrase_matches_release(&m);
    og_shingler_release(&doc);
    og_phrase_set_release(&set);
    og_phrase_pool_release(&pool);
}

/* The last of the list goes, and may come again. */
static void test_the_last_is_dropped(void **state)
{
    (void)state;
    struct og_phrase_pool pool;
    og_phrase_pool_init(&pool, 10);
    offer(&pool, 1, 5, 2, "a b");
    offer(&pool, 2, 4, 2, "c d");
    og_phrase_pool_drop(&pool);
    assert_int_equal(pool.n, 1);
    og_phrase_pool_sort(&pool);
    offer(&pool, 2, 4, 3, "c d e");
    og_phrase_pool_sort(&pool);
    assert_int_equal(pool.n, 2);
    assert_string_equal(pool.list[0].text, "a b");
    assert_string_equal(pool.list[1].text, "c d e");
    og_phrase_pool_release(&pool);
}

static size_t set_of(struct og_phrase_pool *pool)
{
    struct og_phrase_set set;
    og_phrase_pool_sort(pool);
    assert_int_equal(og_phrase_set_init(&set, pool, OG_TOKEN_WORDS, 0, 3, NULL),
                     OG_OK);
    const size_t n = set.n;
    assert_int_equal(pool->n, n);
    og_phrase_set_release(&set);
    og_phrase_pool_release(pool);
    return n;
}

/* A part of a longer passage stays when it is in many more documents. */
static void test_parts_of_longer_ones(void **state)
{
    (void)state;
    for (uint32_t most = 9; most <= 14; most++) {
        struct og_phrase_pool pool;
        og_phrase_pool_init(&pool, 10);
        offer(&pool, 1, 10, 6, "a b c d e f");
        offer(&pool, 2, most, 3, "b c d");
        assert_int_equal(set_of(&pool), most >= 13 ? 2 : 1);
    }
}

static void test_an_empty_set_finds_nothing(void **state)
{
    (void)state;
    struct og_phrase_pool pool;
    struct og_phrase_set set;
    struct og_shingler doc;
    struct og_phrase_matches m = {0};
    og_phrase_pool_init(&pool, 10);
    assert_int_equal(
        og_phrase_set_init(&set, &pool, OG_TOKEN_WORDS, 0, 3, NULL), OG_OK);
    og_shingler_init(&doc, OG_TOKEN_WORDS, &set.key, NULL);
    assert_int_equal(og_shingler_run(&doc, (og_bytes){"a b c d", 7}, NULL),
                     OG_OK);
    assert_int_equal(og_phrase_set_find(&set, &doc, &m, NULL), OG_OK);
    assert_int_equal(m.n, 0);
    assert_int_equal(m.n_covered, 0);
    og_phrase_matches_release(&m);
    og_shingler_release(&doc);
    og_phrase_set_release(&set);
    og_phrase_pool_release(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_pool_keeps_the_best),
        cmocka_unit_test(test_passages_are_found_word_by_word),
        cmocka_unit_test(test_the_last_is_dropped),
        cmocka_unit_test(test_parts_of_longer_ones),
        cmocka_unit_test(test_an_empty_set_finds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
