/* Which origin a passage goes to. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/align/claims.h"

enum { N = 400, SHINGLE = 8 };

static struct og_claims claims;

static int start(void **state)
{
    (void)state;
    og_claims_init(&claims, NULL);
    claims.shingle_len = SHINGLE;
    return 0;
}

static int end(void **state)
{
    (void)state;
    og_claims_release(&claims);
    return 0;
}

/* Side `side` has the tokens begin .. end of the document, at their place. */
static void has(uint32_t side, uint32_t begin, uint32_t end_)
{
    struct og_run run = {begin, begin, end_ - begin};
    og_error err;
    assert_int_equal(og_claims_add(&claims, side, &run, 1, &err), OG_OK);
}

static void settle(uint32_t least)
{
    og_error err;
    assert_int_equal(og_claims_settle(&claims, N, least, &err), OG_OK);
}

static void expect(uint32_t begin, uint32_t end_, uint32_t side)
{
    for (uint32_t t = begin; t < end_; t++)
        assert_int_equal(claims.side[t], side);
}

/* An early document has a phrase of a paragraph: the paragraph stays whole. */
static void test_a_phrase(void **state)
{
    (void)state;
    has(3, 40, 49);
    has(5, 20, 90);
    settle(SHINGLE);
    expect(0, 20, 0);
    expect(20, 90, 6);
    expect(90, N, 0);
}

/* Short runs with edits among them: no run has half of the block, so no round
 * takes it before the last. */
static void test_many_edits(void **state)
{
    struct og_run runs[5];
    og_error err;
    (void)state;
    for (uint32_t i = 0; i < 5; i++)
        runs[i] = (struct og_run){20 + 14 * i, 50 + 14 * i, SHINGLE};
    assert_int_equal(og_claims_add(&claims, 7, runs, 5, &err), OG_OK);
    has(9, 200, 230);
    settle(SHINGLE);
    expect(0, 20, 0);
    expect(20, 84, 8);
    expect(84, 200, 0);
    expect(200, 230, 10);
}

/* An early document has most of it: it gets that, the other one the rest when
 * that is enough for a span. */
static void test_most_of_it(void **state)
{
    (void)state;
    has(3, 20, 60);
    has(5, 20, 90);
    settle(SHINGLE);
    expect(20, 60, 4);
    expect(60, 90, 6);
    og_claims_clear(&claims);
    has(3, 20, 60);
    has(5, 20, 65);
    settle(SHINGLE);
    expect(20, 60, 4);
    expect(60, 65, 0);
}

/* An early document has half of it in two parts, one of which a still earlier
 * one has. */
static void test_half_that_an_earlier_one_shares(void **state)
{
    (void)state;
    struct og_run runs[] = {{20, 120, 26}, {60, 260, 20}};
    og_error err;
    has(1, 20, 46);
    assert_int_equal(og_claims_add(&claims, 3, runs, 2, &err), OG_OK);
    has(5, 20, 90);
    settle(SHINGLE);
    expect(20, 46, 2);
    expect(46, 90, 6); /* of what is left it has less than half */
}

/* Half of nine words is not half of their shingles. */
static void test_half_of_a_short_one(void **state)
{
    (void)state;
    has(3, 0, 9);
    has(5, 0, 18);
    settle(SHINGLE);
    expect(0, 18, 6);
}

/* A long part is a passage by itself, whatever surrounds it. */
static void test_a_long_part(void **state)
{
    (void)state;
    has(3, 100, 180);
    has(5, 0, 400);
    settle(SHINGLE);
    expect(0, 100, 6);
    expect(100, 180, 4);
    expect(180, 400, 6);
}

/* A long part goes to the earliest that has most of that part, although that
 * one is too short to be taken out of the whole. */
static void test_an_earlier_holder_of_a_long_part(void **state)
{
    (void)state;
    has(1, 110, 147);
    has(3, 100, 153);
    has(5, 0, 400);
    settle(SHINGLE);
    expect(0, 110, 6);
    expect(110, 147, 2);
    expect(147, 400, 6);
}

/* In pieces, with words of its own between them. */
static void test_most_of_it_in_pieces(void **state)
{
    (void)state;
    struct og_run runs[] = {{80, 180, 20}, {20, 120, 20}, {50, 150, 20}};
    og_error err;
    assert_int_equal(og_claims_add(&claims, 3, runs, 3, &err), OG_OK);
    has(5, 20, 70);
    settle(SHINGLE);
    expect(20, 40, 4);
    expect(40, 50, 6);
    expect(50, 70, 4);
    expect(70, 80, 0);
    expect(80, 100, 4);
}

/* Runs that a small edit divides are one block, the others are not. */
static void test_blocks(void **state)
{
    (void)state;
    struct og_run runs[] = {{30, 131, 10}, {10, 110, 19}, {60, 20, 10}};
    og_error err;
    assert_int_equal(og_claims_add(&claims, 0, runs, 3, &err), OG_OK);
    assert_int_equal(claims.n, 2);
    assert_int_equal(claims.blocks[0].begin, 10);
    assert_int_equal(claims.blocks[0].end, 40);
    has(1, 15, 35); /* it counts for what this one holds all in all */
    assert_int_equal(claims.n, 3);
    struct og_run inside[] = {{100, 0, 30}, {110, 400, 12}, {120, 600, 20}};
    assert_int_equal(og_claims_add(&claims, 2, inside, 3, &err), OG_OK);
    assert_int_equal(claims.n, 5);
    assert_int_equal(claims.claimants[2].first, 3);
    assert_int_equal(claims.blocks[3].end, 130);
    assert_int_equal(claims.blocks[4].begin, 120);
}

static void test_nothing(void **state)
{
    (void)state;
    settle(SHINGLE);
    expect(0, N, 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_a_phrase),
        CASE(test_many_edits),
        CASE(test_most_of_it),
        CASE(test_half_that_an_earlier_one_shares),
        CASE(test_half_of_a_short_one),
        CASE(test_a_long_part),
        CASE(test_an_earlier_holder_of_a_long_part),
        CASE(test_most_of_it_in_pieces),
        CASE(test_blocks),
        CASE(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
