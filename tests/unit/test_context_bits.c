/* The notes stored with a fingerprint. The order notes of the paper exactly;
 * for the context notes the properties that any form must have. */

#include "tests/unit/stage_support.h"

static const og_select_options hailstorm = {.kind = OG_SELECT_HAILSTORM};

static void order_notes_are_those_of_the_paper(void **state)
{
    (void)state;
    uint64_t seed = 1;
    struct stage s;
    stage_init(&s, 8);
    stage_fill(&s, 4000, 0, &seed);
    stage_select(&s, hailstorm);
    og_selection_add_context(&s.sel, &s.tokens, OG_CONTEXT_ORDER);
    assert_true(s.sel.n > 600); /* offsets wrap twice */
    for (size_t i = 0; i < s.sel.n; i++) {
        const uint64_t before = i == 0 ? 0 : s.sel.fp[i - 1] >> 56;
        const uint64_t after = i + 1 == s.sel.n ? 0 : s.sel.fp[i + 1] >> 56;
        assert_int_equal(s.sel.offset[i], i % 256);
        assert_int_equal(s.sel.near[i] & 0xff, before);
        assert_int_equal(s.sel.near[i] >> 8, after);
    }
    stage_release(&s);
}

static void one_shingle_has_no_neighbours(void **state)
{
    (void)state;
    uint64_t seed = 2;
    struct stage s;
    stage_init(&s, 8);
    stage_fill(&s, 8, 0, &seed);
    stage_select(&s, (og_select_options){.kind = OG_SELECT_ALL});
    og_selection_add_context(&s.sel, &s.tokens, OG_CONTEXT_ORDER);
    assert_int_equal(s.sel.n, 1);
    assert_int_equal(s.sel.offset[0], 0);
    assert_int_equal(s.sel.near[0], 0);
    stage_release(&s);
}

static void no_notes_write_nothing(void **state)
{
    (void)state;
    uint64_t seed = 3;
    struct stage s;
    stage_init(&s, 8);
    stage_fill(&s, 100, 0, &seed);
    stage_select(&s, hailstorm);
    memset(s.sel.near, 0x55, s.sel.n * sizeof(*s.sel.near));
    memset(s.sel.offset, 0x55, s.sel.n * sizeof(*s.sel.offset));
    og_selection_add_context(&s.sel, &s.tokens, OG_CONTEXT_NONE);
    for (size_t i = 0; i < s.sel.n; i++) {
        assert_int_equal(s.sel.near[i], 0x5555);
        assert_int_equal(s.sel.offset[i], 0x5555);
    }
    stage_release(&s);
}

static void a_context_agrees_with_itself(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int round = 0; round < 1000; round++) {
        const uint16_t a = (uint16_t)og_random_next(&seed);
        const uint16_t b = (uint16_t)og_random_next(&seed);
        assert_int_equal(og_context_before(a, a), OG_CONTEXT_TOKENS);
        assert_int_equal(og_context_after(a, a), OG_CONTEXT_TOKENS);
        assert_true(og_context_before(a, b) <= OG_CONTEXT_TOKENS);
        assert_true(og_context_after(a, b) <= OG_CONTEXT_TOKENS);
        assert_int_equal(og_context_before(a, b), og_context_before(b, a));
        assert_int_equal(og_context_after(a, b), og_context_after(b, a));
    }
}

/* A passage in two documents: inside it, away from its ends, the notes agree
 * on all tokens around a shingle, and on no fewer than are truly common near
 * its ends. Whether they agree on more is chance. */
static void contexts_agree_as_far_as_the_tokens_do(void **state)
{
    (void)state;
    enum { BEGIN_A = 30, BEGIN_B = 50, N = 60, K = 8 };
    uint64_t seed = 5;
    struct stage a, b;
    stage_init(&a, K);
    stage_init(&b, K);
    for (int round = 0; round < 200; round++) {
        stage_fill(&a, 150, 0, &seed);
        stage_fill(&b, 150, 0, &seed);
        memcpy(b.tokens.hash + BEGIN_B, a.tokens.hash + BEGIN_A,
               N * sizeof(uint64_t));
        stage_print(&b);
        stage_select(&a, (og_select_options){.kind = OG_SELECT_ALL});
        stage_select(&b, (og_select_options){.kind = OG_SELECT_ALL});
        og_selection_add_context(&a.sel, &a.tokens, OG_CONTEXT_BITS);
        og_selection_add_context(&b.sel, &b.tokens, OG_CONTEXT_BITS);
        for (uint32_t i = 0; i + K <= N; i++) {
            const uint16_t na = a.sel.near[BEGIN_A + i];
            const uint16_t nb = b.sel.near[BEGIN_B + i];
            const uint32_t left = i;
            const uint32_t right = N - K - i;
            const uint32_t most = OG_CONTEXT_TOKENS;
            assert_true(og_context_before(na, nb) >=
                        (left < most ? left : most));
            assert_true(og_context_after(na, nb) >=
                        (right < most ? right : most));
        }
    }
    stage_release(&a);
    stage_release(&b);
}

/* Where the copy ends, the note mostly says so. */
static void contexts_differ_where_the_copy_ends(void **state)
{
    (void)state;
    enum { ROUNDS = 2000 };
    uint64_t seed = 6;
    uint32_t n_before = 0, n_after = 0;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t hash_a[40] = {0}, hash_b[40] = {0};
        uint64_t fp = 0;
        uint32_t pos = 10, len = 8;
        uint16_t offset, near[2];
        for (size_t i = 0; i < 30; i++) {
            hash_a[i] = og_random_next(&seed);
            hash_b[i] = i >= 10 && i < 18 ? hash_a[i] : og_random_next(&seed);
        }
        for (int d = 0; d < 2; d++) {
            struct og_tokens tokens = {.hash = d == 0 ? hash_a : hash_b,
                                       .n = 30};
            struct og_selection sel = {.fp = &fp,
                                       .pos = &pos,
                                       .len = &len,
                                       .offset = &offset,
                                       .near = &near[d],
                                       .n = 1,
                                       .n_shingles = 23};
            og_selection_add_context(&sel, &tokens, OG_CONTEXT_BITS);
        }
        n_before += og_context_before(near[0], near[1]) == OG_CONTEXT_TOKENS;
        n_after += og_context_after(near[0], near[1]) == OG_CONTEXT_TOKENS;
    }
    /* Full agreement by accident: rare. */
    assert_true(n_before < ROUNDS / 20);
    assert_true(n_after < ROUNDS / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_notes_are_those_of_the_paper),
        cmocka_unit_test(one_shingle_has_no_neighbours),
        cmocka_unit_test(no_notes_write_nothing),
        cmocka_unit_test(a_context_agrees_with_itself),
        cmocka_unit_test(contexts_agree_as_far_as_the_tokens_do),
        cmocka_unit_test(contexts_differ_where_the_copy_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
