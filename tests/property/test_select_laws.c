/* What the paper promises of its rules (2.1), on random documents: Lemma 1,
 * context-freeness, the guarantee of winnowing, and how many are chosen. */

#include "tests/unit/stage_support.h"

static const og_select_options hs = {.kind = OG_SELECT_HAILSTORM};
static const og_select_options nhs = {.kind = OG_SELECT_HAILSTORM,
                                      .no_overlap = true};

/* Lemma 1: "any token (except for the first or last k-1 tokens) is covered by
 * at least one k-shingle selected". */
static void check_total_coverage(const struct stage *s)
{
    const uint32_t k = s->key.shingle_len;
    uint8_t *covered = calloc(s->tokens.n + 1, 1);
    assert_non_null(covered);
    for (size_t i = 0; i < s->sel.n; i++)
        memset(covered + s->sel.pos[i], 1, s->sel.len[i]);
    for (size_t i = k - 1; i + k - 1 < s->tokens.n; i++)
        assert_true(covered[i]);
    free(covered);
}

static void hailstorm_covers_all_tokens(void **state)
{
    (void)state;
    static const uint32_t n_words[] = {0, 1, 3, 20, 300};
    uint64_t seed = 1;
    for (uint32_t k = 2; k <= OG_SHINGLE_MAX; k++) {
        struct stage s;
        stage_init(&s, k);
        for (int round = 0; round < 40; round++) {
            stage_fill(&s, lot_below(&seed, 400), n_words[round % 5], &seed);
            stage_select(&s, hs);
            check_total_coverage(&s);
            stage_select(&s, nhs);
            check_total_coverage(&s);
        }
        stage_release(&s);
    }
}

/* The N form covers the same tokens as the plain one. */
static void dropping_uncovers_nothing(void **state)
{
    (void)state;
    const og_select_options rules[] = {{.kind = OG_SELECT_MODULO, .param = 2},
                                       {.kind = OG_SELECT_MODULO, .param = 5},
                                       {.kind = OG_SELECT_WINNOW, .param = 8},
                                       {.kind = OG_SELECT_HAILSTORM},
                                       {.kind = OG_SELECT_SYNCMER, .param = 2}};
    uint64_t seed = 2;
    struct stage s;
    stage_init(&s, 8);
    for (int round = 0; round < 500; round++) {
        og_select_options rule = rules[round % 5];
        stage_fill(&s, lot_below(&seed, 500), round % 3 * 30, &seed);
        uint8_t covered[2][512] = {{0}};
        for (int n_form = 0; n_form < 2; n_form++) {
            rule.no_overlap = n_form;
            stage_select(&s, rule);
            for (size_t i = 0; i < s.sel.n; i++)
                memset(covered[n_form] + s.sel.pos[i], 1, s.sel.len[i]);
        }
        assert_memory_equal(covered[0], covered[1], sizeof(covered[0]));
    }
    stage_release(&s);
}

static bool is_selected(const struct og_selection *sel, uint32_t pos)
{
    for (size_t i = 0; i < sel->n; i++)
        if (sel->pos[i] == pos) return true;
    return false;
}

/* Context-freeness: "any given shingle s is either selected in all documents
 * containing it or is never selected". */
static void check_context_free(og_select_options rule, uint64_t seed)
{
    enum { K = 8, N = 50 };
    struct stage a, b;
    stage_init(&a, K);
    stage_init(&b, K);
    for (int round = 0; round < 200; round++) {
        const uint32_t at_a = lot_below(&seed, 100);
        const uint32_t at_b = lot_below(&seed, 100);
        stage_fill(&a, 200, round % 2 * 25, &seed);
        stage_fill(&b, 200, round % 2 * 25, &seed);
        memcpy(b.tokens.hash + at_b, a.tokens.hash + at_a,
               N * sizeof(uint64_t));
        stage_print(&b);
        stage_select(&a, rule);
        stage_select(&b, rule);
        for (uint32_t i = 0; i + K <= N; i++)
            assert_int_equal(is_selected(&a.sel, at_a + i),
                             is_selected(&b.sel, at_b + i));
    }
    stage_release(&a);
    stage_release(&b);
}

static void context_free_rules_are(void **state)
{
    (void)state;
    check_context_free(hs, 3);
    for (uint32_t l = 2; l <= 8; l++)
        check_context_free(
            (og_select_options){.kind = OG_SELECT_MODULO, .param = l}, l);
    for (uint32_t place = 0; place < 8; place++)
        check_context_free(
            (og_select_options){.kind = OG_SELECT_SYNCMER, .param = place},
            place);
}

/* Locality of winnowing: only shingles in the same windows matter. */
static void winnowing_is_local(void **state)
{
    (void)state;
    enum { K = 8, W = 9, N = 80 };
    const og_select_options rule = {.kind = OG_SELECT_WINNOW, .param = W};
    uint64_t seed = 4;
    struct stage a, b;
    stage_init(&a, K);
    stage_init(&b, K);
    for (int round = 0; round < 100; round++) {
        stage_fill(&a, 200, 0, &seed);
        stage_fill(&b, 200, 0, &seed);
        memcpy(b.tokens.hash + 60, a.tokens.hash + 20, N * sizeof(uint64_t));
        stage_print(&b);
        stage_select(&a, rule);
        stage_select(&b, rule);
        for (uint32_t i = W - 1; i + K + W - 1 <= N; i++)
            assert_int_equal(is_selected(&a.sel, 20 + i),
                             is_selected(&b.sel, 60 + i));
    }
    stage_release(&a);
    stage_release(&b);
}

/* "in each sequence of w + k - 1 tokens at least one shingle is selected" */
static void winnowing_leaves_no_gap(void **state)
{
    (void)state;
    enum { K = 8 };
    uint64_t seed = 5;
    struct stage s;
    stage_init(&s, K);
    for (uint32_t w = 1; w <= 12; w++)
        for (int round = 0; round < 30; round++) {
            stage_fill(&s, w + K - 1 + lot_below(&seed, 300), round % 3 * 9,
                       &seed);
            stage_select(
                &s, (og_select_options){.kind = OG_SELECT_WINNOW, .param = w});
            assert_true(s.sel.n > 0);
            /* Starts of shingles: never w without a selected one. */
            assert_true(s.sel.pos[0] < w);
            for (size_t i = 1; i < s.sel.n; i++)
                assert_true(s.sel.pos[i] - s.sel.pos[i - 1] <= w);
            assert_true(s.fps.n - 1 - s.sel.pos[s.sel.n - 1] < w);
        }
    stage_release(&s);
}

/* ---- how many ---- */

#define N_TOKENS 200000

static double share_of(struct stage *s, og_select_options rule)
{
    stage_select(s, rule);
    return (double)s->sel.n / (double)s->fps.n;
}

/* Choices of neighbours depend on each other a little; 2 % of the share is
 * more than five deviations for all rules here. */
static void assert_near(double share, double expected)
{
    assert_true(share > 0.98 * expected && share < 1.02 * expected);
}

static void shares_are_those_of_the_theory(void **state)
{
    (void)state;
    uint64_t seed = 6;
    struct stage s;
    stage_init(&s, 8);
    stage_fill(&s, N_TOKENS, 0, &seed);
    for (uint32_t l = 2; l <= 8; l++) {
        const double expected = 1.0 / l;
        assert_near(share_of(&s, (og_select_options){.kind = OG_SELECT_EVERY,
                                                     .param = l}),
                    expected);
        assert_near(share_of(&s, (og_select_options){.kind = OG_SELECT_MODULO,
                                                     .param = l}),
                    expected);
    }
    for (uint32_t w = 5; w <= 9; w++)
        assert_near(share_of(&s, (og_select_options){.kind = OG_SELECT_WINNOW,
                                                     .param = w}),
                    2.0 / (w + 1));
    for (uint32_t p = 3; p <= 8; p++) {
        const double segments = share_of(
            &s, (og_select_options){.kind = OG_SELECT_HASH_BREAK, .param = p});
        assert_near(segments, 1.0 / (2 * p - 1));
        assert_near(share_of(&s, (og_select_options){.kind = OG_SELECT_DCT,
                                                     .param = p}),
                    segments);
    }
    stage_release(&s);
}

/* 2/k for Hailstorm, 1/k for each place of open syncmers, when all tokens of
 * a shingle are different. */
static void shares_of_hailstorm_and_syncmers(void **state)
{
    (void)state;
    static const uint32_t shingle_lens[] = {2, 3, 6, 8, 16, 32};
    uint64_t seed = 7;
    for (size_t i = 0; i < LENGTH(shingle_lens); i++) {
        const uint32_t k = shingle_lens[i];
        struct stage s;
        stage_init(&s, k);
        stage_fill(&s, N_TOKENS, 0, &seed);
        assert_near(share_of(&s, hs), 2.0 / k);
        for (uint32_t place = 0; place < k; place += k / 3 + 1) {
            const og_select_options os = {.kind = OG_SELECT_SYNCMER,
                                          .param = place};
            const double share = share_of(&s, os);
            assert_true(share > 0.95 / k && share < 1.05 / k);
        }
        stage_release(&s);
    }
}

/* Table 3 of the paper, k = 8: the N forms. Text repeats, random tokens do
 * not; so the bounds are a point and a half wide. */
static void shares_of_the_n_forms_are_those_of_table_3(void **state)
{
    (void)state;
    const struct {
        og_select_options rule;
        double share;
    } table[] = {
        {{.kind = OG_SELECT_HAILSTORM, .no_overlap = true}, 0.17},
        {{.kind = OG_SELECT_WINNOW, .param = 8, .no_overlap = true}, 0.17},
        {{.kind = OG_SELECT_WINNOW, .param = 5, .no_overlap = true}, 0.16},
        {{.kind = OG_SELECT_MODULO, .param = 2, .no_overlap = true}, 0.15},
        {{.kind = OG_SELECT_MODULO, .param = 3, .no_overlap = true}, 0.15},
        {{.kind = OG_SELECT_MODULO, .param = 4, .no_overlap = true}, 0.14},
        {{.kind = OG_SELECT_MODULO, .param = 8, .no_overlap = true}, 0.10},
    };
    uint64_t seed = 8;
    struct stage s;
    stage_init(&s, 8);
    stage_fill(&s, N_TOKENS, 0, &seed);
    for (size_t i = 0; i < LENGTH(table); i++) {
        const double share = share_of(&s, table[i].rule);
        assert_true(share > table[i].share - 0.015);
        assert_true(share < table[i].share + 0.015);
    }
    stage_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hailstorm_covers_all_tokens),
        cmocka_unit_test(dropping_uncovers_nothing),
        cmocka_unit_test(context_free_rules_are),
        cmocka_unit_test(winnowing_is_local),
        cmocka_unit_test(winnowing_leaves_no_gap),
        cmocka_unit_test(shares_are_those_of_the_theory),
        cmocka_unit_test(shares_of_hailstorm_and_syncmers),
        cmocka_unit_test(shares_of_the_n_forms_are_those_of_table_3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
