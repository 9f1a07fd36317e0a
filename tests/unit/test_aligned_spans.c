/* Passages of tokens become spans of bytes. */

#include "tests/unit/align_support.h"

#include "lib/align/aligned_spans.h"

static struct pair pair;
static struct og_aligned_spans verified;

static int begin(void **state)
{
    (void)state;
    pair_init(&pair);
    og_aligned_spans_init(&verified, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    og_aligned_spans_release(&verified);
    pair_release(&pair);
    return 0;
}

static void set(const struct og_passage *passages, size_t n,
                const struct og_run *matches)
{
    const struct og_alignment alignment = {passages, n, matches};
    assert_int_equal(og_aligned_spans_set(&verified, pair.document, pair.origin,
                                          &alignment, NULL),
                     OG_OK);
}

static void expect_match(const og_match *m, og_match expected)
{
    assert_memory_equal(m, &expected, sizeof(expected));
}

static void test_none(void **state)
{
    (void)state;
    pair_read(&pair, "", "");
    set(NULL, 0, NULL);
    assert_int_equal(verified.n_spans, 0);
    assert_int_equal(verified.n_matches, 0);
    assert_int_equal(verified.n_old, 0);
    assert_int_equal(verified.n_matching, 0);
}

static void test_two_spans(void **state)
{
    /* Two words, "bb" put in, one word; then one word more. */
    static const struct og_run runs[] = {{1, 0, 2}, {4, 2, 1}, {6, 0, 1}};
    static const struct og_passage passages[] = {{.begin = 1,
                                                  .end = 5,
                                                  .origin_begin = 0,
                                                  .origin_end = 3,
                                                  .score = 0.75f,
                                                  .first_run = 0,
                                                  .n_runs = 2},
                                                 {.begin = 6,
                                                  .end = 7,
                                                  .origin_begin = 0,
                                                  .origin_end = 1,
                                                  .score = 1,
                                                  .first_run = 2,
                                                  .n_runs = 1}};
    (void)state;
    pair_read(&pair, "x, one, two bb three! x one.", "One  two three");
    set(passages, 2, runs);
    assert_int_equal(verified.n_spans, 2);
    assert_int_equal(verified.n_matches, 3);
    assert_int_equal(verified.n_old, 5);
    assert_int_equal(verified.n_matching, 4);
    const og_span *first = &verified.spans[0], *second = &verified.spans[1];
    assert_int_equal(first->begin, 3);
    assert_int_equal(first->end, 20);
    assert_int_equal(first->origin_begin, 0);
    assert_int_equal(first->origin_end, 14);
    assert_int_equal(first->n_tokens, 4);
    assert_int_equal(first->n_matching, 3);
    assert_int_equal(first->how, OG_HOW_VERIFIED);
    assert_true(first->score == 0.75);
    assert_int_equal(first->n_matches, 2);
    expect_match(&first->matches[0], (og_match){3, 11, 0, 8});
    expect_match(&first->matches[1], (og_match){15, 20, 9, 14});
    assert_int_equal(second->begin, 24);
    assert_int_equal(second->end, 27);
    assert_ptr_equal(second->matches, first->matches + 2);
    assert_int_equal(second->n_matches, 1);
    expect_match(&second->matches[0], (og_match){24, 27, 0, 3});
    /* The next document replaces all of it. */
    set(passages + 1, 1, runs);
    assert_int_equal(verified.n_spans, 1);
    assert_int_equal(verified.n_matches, 1);
    assert_int_equal(verified.n_old, 1);
    assert_int_equal(verified.n_matching, 1);
}

/* Parts of a reworded passage that meet the same words twice: no more tokens
 * match than there are, and no byte is in two matches. */
static void test_words_met_twice(void **state)
{
    static const struct og_run runs[] = {{0, 0, 2}, {0, 0, 2}, {1, 1, 2}};
    static const struct og_passage passage = {
        .end = 3, .origin_end = 3, .score = 1, .n_runs = 3};
    (void)state;
    pair_read(&pair, "one two three", "one two three");
    set(&passage, 1, runs);
    assert_int_equal(verified.n_matching, 3);
    assert_int_equal(verified.spans[0].n_matching, 3);
    assert_int_equal(verified.spans[0].n_matches, 2);
    expect_match(&verified.matches[0], (og_match){0, 7, 0, 7});
    expect_match(&verified.matches[1], (og_match){7, 13, 4, 13});
}

/* Passages that have the same bytes (two tokens of one character): the second
 * one is joined to the span before. */
static void test_no_byte_of_its_own(void **state)
{
    static const struct og_run runs[] = {{0, 0, 2}, {1, 1, 1}};
    static const struct og_passage passages[] = {{.begin = 0,
                                                  .end = 2,
                                                  .origin_begin = 0,
                                                  .origin_end = 2,
                                                  .score = 1,
                                                  .first_run = 0,
                                                  .n_runs = 1},
                                                 {.begin = 1,
                                                  .end = 2,
                                                  .origin_begin = 1,
                                                  .origin_end = 2,
                                                  .score = 1,
                                                  .first_run = 1,
                                                  .n_runs = 1}};
    (void)state;
    pair_read(&pair, "one two", "one two");
    set(passages, 2, runs);
    assert_int_equal(verified.n_spans, 1);
    assert_int_equal(verified.n_matches, 1);
    assert_int_equal(verified.spans[0].begin, 0);
    assert_int_equal(verified.spans[0].end, 7);
    assert_int_equal(verified.spans[0].n_tokens, 3);
    assert_int_equal(verified.spans[0].n_matching, 3);
    assert_int_equal(verified.n_old, 3);
    /* And one that begins inside the previous one begins after it. */
    static const struct og_run more_runs[] = {{0, 0, 2}, {1, 1, 2}};
    struct og_passage more[2] = {passages[0], passages[1]};
    more[1].end = more[1].origin_end = 3;
    pair_read(&pair, "one two six", "one two six");
    set(more, 2, more_runs);
    assert_int_equal(verified.n_spans, 2);
    assert_int_equal(verified.spans[1].begin, 7);
    assert_int_equal(verified.spans[1].end, 11);
    expect_match(verified.spans[1].matches, (og_match){7, 11, 4, 11});
}

static void test_release(void **state)
{
    (void)state;
    og_aligned_spans_release(&verified);
    assert_null(verified.spans);
    assert_null(verified.matches);
    assert_int_equal(verified.spans_cap + verified.matches_cap, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_none, begin, end),
        cmocka_unit_test_setup_teardown(test_two_spans, begin, end),
        cmocka_unit_test_setup_teardown(test_words_met_twice, begin, end),
        cmocka_unit_test_setup_teardown(test_no_byte_of_its_own, begin, end),
        cmocka_unit_test_setup_teardown(test_release, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
