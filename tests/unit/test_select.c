/* Every l-th, modulo, winnowing and the no-complete-overlap forms against the
 * words of the paper (2.1), written down again here without any cleverness. */

#include "tests/oom/oom_support.h"
#include "tests/unit/stage_support.h"

#define MAX_TOKENS 400

/* chosen[i]: the shingle that begins at token i is selected. */
struct chosen {
    bool at[MAX_TOKENS];
    size_t n_shingles;
};

static void nothing_chosen(struct chosen *c, const struct stage *s)
{
    *c = (struct chosen){.n_shingles = s->fps.n};
}

/* "select only the shingles that start at position 0, l, 2l, 3l, ..." */
static void define_every(struct chosen *c, const struct stage *s, uint32_t l)
{
    nothing_chosen(c, s);
    for (size_t i = 0; i < c->n_shingles; i++)
        c->at[i] = i % l == 0;
}

/* "select a shingle iff its value is divisible by l" */
static void define_modulo(struct chosen *c, const struct stage *s, uint32_t l)
{
    nothing_chosen(c, s);
    for (size_t i = 0; i < c->n_shingles; i++)
        c->at[i] = s->fps.data[i] % l == 0;
}

/* "for each consecutive sequence of w shingles it outputs the shingle with the
 * smallest fingerprint value. If there is no unique smallest shingle, the
 * right most smallest shingle is selected." */
static void define_winnow(struct chosen *c, const struct stage *s, uint32_t w)
{
    nothing_chosen(c, s);
    for (size_t first = 0; first + w <= c->n_shingles; first++) {
        size_t min = first;
        for (size_t i = first; i < first + w; i++)
            if (s->fps.data[i] <= s->fps.data[min]) min = i;
        c->at[min] = true;
    }
}

/* "discards the selected shingles all of whose tokens are covered by selected,
 * not discarded shingles", in a pass from left to right. */
static bool covers_whole(const struct chosen *c, size_t shingle, uint32_t k)
{
    for (size_t token = shingle; token < shingle + k; token++) {
        bool covered = false;
        for (size_t i = 0; i < c->n_shingles; i++)
            if (c->at[i] && i != shingle && i <= token && token < i + k)
                covered = true;
        if (!covered) return false;
    }
    return true;
}

static void define_no_overlap(struct chosen *c, uint32_t k)
{
    for (size_t i = 0; i < c->n_shingles; i++)
        if (c->at[i] && covers_whole(c, i, k)) c->at[i] = false;
}

static void check_selection(const struct stage *s, const struct chosen *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_shingles; i++) {
        if (!c->at[i]) continue;
        assert_true(n < s->sel.n);
        assert_int_equal(s->sel.pos[n], i);
        assert_int_equal(s->sel.len[n], s->key.shingle_len);
        assert_true(s->sel.fp[n] == s->fps.data[i]);
        n++;
    }
    assert_int_equal(s->sel.n, n);
}

typedef void definition(struct chosen *c, const struct stage *s, uint32_t p);

static void check_rule(struct stage *s, og_select_kind kind, uint32_t param,
                       definition *define)
{
    static struct chosen c;
    define(&c, s, param);
    stage_select(s, (og_select_options){.kind = kind, .param = param});
    check_selection(s, &c);
    define_no_overlap(&c, s->key.shingle_len);
    stage_select(s, (og_select_options){
                        .kind = kind, .param = param, .no_overlap = true});
    check_selection(s, &c);
}

/* Documents of all lengths, of words that are all different (0) and of few
 * words, where fingerprints repeat and minima tie. */
static void check_documents(uint32_t k, og_select_kind kind, uint32_t param,
                            definition *define)
{
    static const uint32_t n_words[] = {0, 1, 2, 5, 40};
    uint64_t seed = k * 100 + param;
    struct stage s;
    stage_init(&s, k);
    for (size_t n = 0; n < 150; n += n < 40 ? 1 : 23) {
        stage_fill(&s, n, n_words[n % LENGTH(n_words)], &seed);
        check_rule(&s, kind, param, define);
    }
    stage_release(&s);
}

static void check_shingle_lengths(og_select_kind kind, uint32_t param,
                                  definition *define)
{
    static const uint32_t shingle_lens[] = {2, 3, 8, 13, 32};
    for (size_t i = 0; i < LENGTH(shingle_lens); i++)
        check_documents(shingle_lens[i], kind, param, define);
}

static void every_lth_is_what_the_paper_says(void **state)
{
    (void)state;
    for (uint32_t l = 1; l <= 12; l++)
        check_shingle_lengths(OG_SELECT_EVERY, l, define_every);
}

static void all_is_every_first(void **state)
{
    (void)state;
    uint64_t seed = 1;
    static struct chosen c;
    struct stage s;
    stage_init(&s, 8);
    stage_fill(&s, 300, 0, &seed);
    stage_select(&s, (og_select_options){.kind = OG_SELECT_ALL});
    define_every(&c, &s, 1);
    check_selection(&s, &c);
    assert_int_equal(s.sel.n, 293);
    stage_release(&s);
}

static void modulo_is_what_the_paper_says(void **state)
{
    (void)state;
    for (uint32_t l = 1; l <= 9; l++)
        check_shingle_lengths(OG_SELECT_MODULO, l, define_modulo);
}

static void winnowing_is_what_the_paper_says(void **state)
{
    (void)state;
    for (uint32_t w = 1; w <= 12; w++)
        check_shingle_lengths(OG_SELECT_WINNOW, w, define_winnow);
    check_shingle_lengths(OG_SELECT_WINNOW, 100, define_winnow);
}

/* The S form selects what the plain form does and marks what the N form drops;
 * the rest is the N form, with the same fingerprints. */
static void check_sparse(struct stage *s, og_select_options rule)
{
    static uint32_t plain[MAX_TOKENS], kept[MAX_TOKENS];
    static uint64_t kept_fp[MAX_TOKENS];
    stage_select(s, rule);
    const size_t n_plain = s->sel.n;
    for (size_t i = 0; i < n_plain; i++) {
        plain[i] = s->sel.pos[i];
        assert_int_equal(s->sel.spare[i], 0);
    }
    rule.no_overlap = true;
    stage_select(s, rule);
    const size_t n_kept = s->sel.n;
    for (size_t i = 0; i < n_kept; i++) {
        kept[i] = s->sel.pos[i];
        kept_fp[i] = s->sel.fp[i];
        assert_int_equal(s->sel.spare[i], 0);
    }
    rule.no_overlap = false;
    rule.sparse = true;
    stage_select(s, rule);
    assert_int_equal(s->sel.n, n_plain);
    size_t n = 0;
    for (size_t i = 0; i < n_plain; i++) {
        const bool is_kept = n < n_kept && kept[n] == plain[i];
        assert_int_equal(s->sel.pos[i], plain[i]);
        assert_int_equal(s->sel.spare[i], !is_kept);
        if (is_kept) assert_true(s->sel.fp[i] == kept_fp[n]);
        n += is_kept;
    }
    assert_int_equal(n, n_kept);
}

static void sparse_forms_mark_what_n_forms_drop(void **state)
{
    (void)state;
    static const uint32_t n_words[] = {0, 1, 2, 5, 40};
    static const og_select_options rules[] = {
        {.kind = OG_SELECT_MODULO, .param = 1},
        {.kind = OG_SELECT_MODULO, .param = 3},
        {.kind = OG_SELECT_WINNOW, .param = 1},
        {.kind = OG_SELECT_WINNOW, .param = 8},
        {.kind = OG_SELECT_HAILSTORM},
        {.kind = OG_SELECT_SYNCMER, .param = 1}};
    uint64_t seed = 5;
    for (uint32_t k = 2; k <= 32; k += k < 8 ? 1 : 8) {
        struct stage s;
        stage_init(&s, k);
        for (size_t n = 0; n < MAX_TOKENS; n += n < 40 ? 1 : 31) {
            stage_fill(&s, n, n_words[n % LENGTH(n_words)], &seed);
            for (size_t r = 0; r < LENGTH(rules); r++)
                check_sparse(&s, rules[r]);
        }
        stage_release(&s);
    }
}

/* By hand: shingles of three at 0, 2, 3, 4 and 9. The one at 2 is covered by 0
 * and 3. The one at 3 is not covered by 0 and 4 once 2 is gone: tokens 0 to 2
 * and 4 to 6 leave token 3 open. */
static void no_complete_overlap_by_hand(void **state)
{
    (void)state;
    const size_t selected[] = {0, 2, 3, 4, 9};
    const uint32_t kept[] = {0, 3, 4, 9};
    uint64_t seed = 1;
    struct stage s;
    stage_init(&s, 3);
    stage_fill(&s, 14, 0, &seed);
    for (size_t i = 0; i < s.fps.n; i++)
        s.fps.data[i] = 1;
    for (size_t i = 0; i < LENGTH(selected); i++)
        s.fps.data[selected[i]] = 7;
    stage_select(&s, (og_select_options){.kind = OG_SELECT_MODULO,
                                         .param = 7,
                                         .no_overlap = true});
    assert_int_equal(s.sel.n, LENGTH(kept));
    assert_memory_equal(s.sel.pos, kept, sizeof(kept));
    stage_release(&s);
}

static const og_select_options every_rule[] = {
    {.kind = OG_SELECT_ALL},
    {.kind = OG_SELECT_EVERY, .param = 4},
    {.kind = OG_SELECT_MODULO, .param = 4},
    {.kind = OG_SELECT_MODULO, .param = 3, .no_overlap = true},
    {.kind = OG_SELECT_WINNOW, .param = 8},
    {.kind = OG_SELECT_WINNOW, .param = 8, .no_overlap = true},
    {.kind = OG_SELECT_HASH_BREAK, .param = 3},
    {.kind = OG_SELECT_DCT, .param = 8},
    {.kind = OG_SELECT_HAILSTORM},
    {.kind = OG_SELECT_HAILSTORM, .no_overlap = true},
    {.kind = OG_SELECT_HAILSTORM, .sparse = true},
    {.kind = OG_SELECT_SYNCMER, .param = 3},
};

static bool takes_segments(og_select_kind kind)
{
    return kind == OG_SELECT_HASH_BREAK || kind == OG_SELECT_DCT;
}

static void documents_shorter_than_a_shingle_give_nothing(void **state)
{
    (void)state;
    uint64_t seed = 2;
    struct stage s;
    stage_init(&s, 8);
    for (size_t r = 0; r < LENGTH(every_rule); r++) {
        if (takes_segments(every_rule[r].kind)) continue;
        stage_fill(&s, 100, 0, &seed); /* something to forget */
        stage_select(&s, every_rule[r]);
        for (size_t n = 0; n < 8; n++) {
            stage_fill(&s, n, 0, &seed);
            stage_select(&s, every_rule[r]);
            assert_int_equal(s.sel.n, 0);
        }
    }
    stage_release(&s);
}

static void every_level_selects_the_same(void **state)
{
    (void)state;
    uint64_t seed = 3;
    struct stage s;
    struct og_selection first;
    stage_init(&s, 8);
    og_selection_init(&first, NULL);
    for (size_t r = 0; r < LENGTH(every_rule); r++) {
        stage_fill(&s, 380, r % 2 * 30, &seed);
        og_cpu_force(OG_CPU_PLAIN);
        og_fps_select(&s.tokens, &s.fps, &s.key, &every_rule[r], &first, NULL);
        FOR_EACH_LEVEL(level)
        {
            stage_select(&s, every_rule[r]);
            assert_int_equal(s.sel.n, first.n);
            assert_memory_equal(s.sel.pos, first.pos, first.n * 4);
            assert_memory_equal(s.sel.len, first.len, first.n * 4);
            assert_memory_equal(s.sel.fp, first.fp, first.n * 8);
            assert_memory_equal(s.sel.spare, first.spare, first.n);
        }
    }
    og_selection_release(&first);
    stage_release(&s);
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    uint64_t seed = 4;
    struct stage s;
    stage_init(&s, 8);
    stage_fill(&s, 100, 0, &seed);
    const og_select_options all = {.kind = OG_SELECT_ALL};
    enum { N_ARRAYS = 6 };
    for (int allowed = 0; allowed < N_ARRAYS; allowed++) {
        struct failing failing = {.fail_at = (size_t)allowed + 1,
                                  .for_good = true};
        const og_allocator a = {&failing, failing_resize};
        struct og_selection sel;
        og_selection_init(&sel, &a);
        assert_int_equal(
            og_fps_select(&s.tokens, &s.fps, &s.key, &all, &sel, NULL),
            OG_ERR_MEMORY);
        assert_int_equal(sel.n, 0);
        failing.fail_at = 0;
        assert_int_equal(
            og_fps_select(&s.tokens, &s.fps, &s.key, &all, &sel, NULL), OG_OK);
        assert_int_equal(sel.n, 93);
        og_selection_release(&sel);
    }
    stage_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_lth_is_what_the_paper_says),
        cmocka_unit_test(all_is_every_first),
        cmocka_unit_test(modulo_is_what_the_paper_says),
        cmocka_unit_test(winnowing_is_what_the_paper_says),
        cmocka_unit_test(sparse_forms_mark_what_n_forms_drop),
        cmocka_unit_test(no_complete_overlap_by_hand),
        cmocka_unit_test(documents_shorter_than_a_shingle_give_nothing),
        cmocka_unit_test(every_level_selects_the_same),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
