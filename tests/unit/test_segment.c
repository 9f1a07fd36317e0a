/* Hash breaking and DCT: the cuts against the rule that segment.c states, and
 * the fingerprints. */

#include <math.h>

#include "tests/unit/stage_support.h"

/* The text is cut after tokens that p divides, but not where that would make a
 * segment of fewer than p tokens; a rest at the end shorter than p is dropped.
 * First all cuts are marked, then the short ones removed. */
static size_t define_cuts(const struct og_tokens *tokens, uint32_t p, bool *cut)
{
    size_t begin = 0;
    size_t n = 0;
    for (size_t i = 0; i < tokens->n; i++)
        cut[i] = tokens->hash[i] % p == 0 || i + 1 == tokens->n;
    for (size_t i = 0; i < tokens->n; i++) {
        if (!cut[i]) continue;
        cut[i] = i + 1 - begin >= p;
        if (!cut[i]) continue;
        begin = i + 1;
        n++;
    }
    return n;
}

static void check_cuts(struct stage *s, og_select_kind kind, uint32_t p)
{
    bool *cut = calloc(s->tokens.n + 1, sizeof(*cut));
    assert_non_null(cut);
    const size_t n_segments = define_cuts(&s->tokens, p, cut);
    stage_select(s, (og_select_options){.kind = kind, .param = p});
    assert_int_equal(s->sel.n, n_segments);
    size_t segment = 0;
    size_t begin = 0;
    for (size_t i = 0; i < s->tokens.n; i++) {
        if (!cut[i]) continue;
        assert_int_equal(s->sel.pos[segment], begin);
        assert_int_equal(s->sel.len[segment], i + 1 - begin);
        assert_true(s->sel.len[segment] >= p);
        begin = i + 1;
        segment++;
    }
    free(cut);
}

static void cuts_follow_the_rule(void **state)
{
    (void)state;
    uint64_t seed = 1;
    struct stage s;
    stage_init(&s, 8);
    for (uint32_t p = 1; p <= 9; p++)
        for (size_t n = 0; n < 300; n += n < 40 ? 1 : 37) {
            stage_fill(&s, n, n % 2 * 20, &seed);
            check_cuts(&s, OG_SELECT_HASH_BREAK, p);
            check_cuts(&s, OG_SELECT_DCT, p);
        }
    stage_release(&s);
}

static void a_segment_has_the_fingerprint_of_its_words(void **state)
{
    (void)state;
    uint64_t seed = 2;
    struct stage s;
    stage_init(&s, 8);
    stage_fill(&s, 500, 0, &seed);
    stage_select(&s,
                 (og_select_options){.kind = OG_SELECT_HASH_BREAK, .param = 5});
    assert_true(s.sel.n > 20);
    for (size_t i = 0; i < s.sel.n; i++)
        assert_true(s.sel.fp[i] == og_rabin_words(s.key.rabin,
                                                  s.tokens.hash + s.sel.pos[i],
                                                  s.sel.len[i]));
    stage_release(&s);
}

static void by_hand(void **state)
{
    (void)state;
    /* p = 3: cuts after 3 (too short, grows), 6, 9 and 12; the last two tokens
     * are too few. */
    const uint64_t hash[] = {1, 3, 2, 6, 1, 1, 9, 2, 2, 2, 12, 1, 1};
    const uint32_t pos[] = {0, 4, 7};
    const uint32_t len[] = {4, 3, 4};
    struct stage s;
    stage_init(&s, 8);
    stage_resize(&s, LENGTH(hash));
    memcpy(s.tokens.hash, hash, sizeof(hash));
    stage_print(&s);
    stage_select(&s,
                 (og_select_options){.kind = OG_SELECT_HASH_BREAK, .param = 3});
    assert_int_equal(s.sel.n, LENGTH(pos));
    assert_memory_equal(s.sel.pos, pos, sizeof(pos));
    assert_memory_equal(s.sel.len, len, sizeof(len));
    stage_release(&s);
}

/* Segments whose tokens are 4 n + 1 hold no cut for p = 4 but at the end. */
static void one_segment(struct stage *s, size_t n, uint64_t seed)
{
    stage_resize(s, n);
    for (size_t i = 0; i < n; i++)
        s->tokens.hash[i] = (og_random_next(&seed) & ~(uint64_t)3) | 1;
    stage_print(s);
    stage_select(s, (og_select_options){.kind = OG_SELECT_DCT, .param = 4});
    assert_int_equal(s->sel.n, 1);
    assert_int_equal(s->sel.len[0], n);
}

/* The transform with the cosine of the C library. Its last bits differ from
 * machine to machine and from ours, so a coefficient that lies on the edge
 * between two levels may go either way: false then. */
static bool dct_by_definition(const uint64_t *hash, size_t n, uint64_t *out)
{
    const double pi = 3.14159265358979323846;
    uint64_t fp = 0;
    for (unsigned u = 0; u < 8; u++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += (double)(int32_t)(hash[i] >> 32) / 2147483648.0 *
                   cos(pi * (double)(2 * i + 1) * u / (double)(2 * n));
        const double scaled = sum / sqrt((double)n) / 0.25 + 0.5;
        if (fabs(scaled - nearbyint(scaled)) < 1e-6) return false;
        fp = fp << 8 | (uint8_t)(int)floor(scaled);
    }
    *out = og_mix64(fp);
    return true;
}

static void dct_fingerprints_are_coarse_cosine_transforms(void **state)
{
    (void)state;
    struct stage s;
    size_t n_checked = 0;
    stage_init(&s, 8);
    for (size_t n = 4; n <= 256; n++) {
        uint64_t expected;
        one_segment(&s, n, n);
        if (!dct_by_definition(s.tokens.hash, n, &expected)) continue;
        assert_true(s.sel.fp[0] == expected);
        n_checked++;
    }
    assert_true(n_checked > 240);
    stage_release(&s);
}

/* The same bits on every machine: stores depend on them. */
static void golden_dct_fps(void **state)
{
    (void)state;
    const struct {
        size_t n;
        uint64_t fp;
    } golden[] = {
        {4, 0x3a7c7cc796d6b56c},   {7, 0x19442c1d36362bce},
        {15, 0xbdc7523bdf26195e},  {60, 0x91fc68f0b05ee2ea},
        {300, 0xf3213a8239190427},
    };
    struct stage s;
    stage_init(&s, 8);
    for (size_t g = 0; g < LENGTH(golden); g++) {
        one_segment(&s, golden[g].n, 2009);
        assert_int_equal(s.sel.fp[0], golden[g].fp);
    }
    stage_release(&s);
}

/* "The fingerprints produced by DCT are tolerant to small changes": some
 * single tokens can be exchanged without the fingerprint noticing. Hash
 * breaking notices all. */
static size_t n_unnoticed(struct stage *s, og_select_kind kind, size_t n_rounds)
{
    uint64_t seed = 6;
    size_t n = 0;
    for (size_t round = 0; round < n_rounds; round++) {
        one_segment(s, 40, round);
        stage_select(s, (og_select_options){.kind = kind, .param = 4});
        const uint64_t before = s->sel.fp[0];
        s->tokens.hash[lot_below(&seed, 40)] = og_random_next(&seed) | 1;
        stage_print(s);
        stage_select(s, (og_select_options){.kind = kind, .param = 4});
        n += s->sel.fp[0] == before;
    }
    return n;
}

static void dct_tolerates_some_single_changes(void **state)
{
    (void)state;
    struct stage s;
    stage_init(&s, 8);
    const size_t by_dct = n_unnoticed(&s, OG_SELECT_DCT, 2000);
    assert_true(by_dct >= 20); /* 1 in 100 at least */
    assert_true(by_dct < 1000);
    assert_int_equal(n_unnoticed(&s, OG_SELECT_HASH_BREAK, 2000), 0);
    stage_release(&s);
}

/* Other segments have other fingerprints: coarse, not blind. */
static void dct_tells_segments_apart(void **state)
{
    (void)state;
    enum { N = 1500 };
    static uint64_t fp[N];
    struct stage s;
    stage_init(&s, 8);
    for (size_t i = 0; i < N; i++) {
        one_segment(&s, 15, i);
        fp[i] = s.sel.fp[0];
    }
    size_t n_equal = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < i; j++)
            n_equal += fp[i] == fp[j];
    assert_true(n_equal < 10); /* of a million pairs */
    stage_release(&s);
}

static void short_documents_give_nothing(void **state)
{
    (void)state;
    uint64_t seed = 7;
    struct stage s;
    stage_init(&s, 8);
    for (size_t n = 0; n < 5; n++) {
        stage_fill(&s, n, 0, &seed);
        stage_select(
            &s, (og_select_options){.kind = OG_SELECT_HASH_BREAK, .param = 5});
        assert_int_equal(s.sel.n, 0);
        stage_select(&s,
                     (og_select_options){.kind = OG_SELECT_DCT, .param = 5});
        assert_int_equal(s.sel.n, 0);
    }
    stage_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_follow_the_rule),
        cmocka_unit_test(a_segment_has_the_fingerprint_of_its_words),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(dct_fingerprints_are_coarse_cosine_transforms),
        cmocka_unit_test(golden_dct_fps),
        cmocka_unit_test(dct_tolerates_some_single_changes),
        cmocka_unit_test(dct_tells_segments_apart),
        cmocka_unit_test(short_documents_give_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
