/* Hailstorm and open syncmers against their definitions. */

#include "tests/unit/stage_support.h"

#include "lib/select/rules.h"

/* "selects a shingle s iff the minimum fingerprint value of all k tokens in s
 * occurs at the first or the last position of s (and potentially also in
 * between)" */
static bool hailstorm_takes(const uint64_t *shingle, uint32_t k)
{
    for (uint32_t end = 0; end < 2; end++) {
        const uint64_t candidate = shingle[end == 0 ? 0 : k - 1];
        bool is_min = true;
        for (uint32_t j = 0; j < k; j++)
            if (shingle[j] < candidate) is_min = false;
        if (is_min) return true;
    }
    return false;
}

/* The smallest token, the leftmost of equals, is at `place`. */
static bool syncmer_takes(const uint64_t *shingle, uint32_t k, uint32_t place)
{
    for (uint32_t j = 0; j < k; j++) {
        const bool is_left = j < place;
        if (is_left && shingle[j] <= shingle[place]) return false;
        if (!is_left && shingle[j] < shingle[place]) return false;
    }
    return true;
}

#define HAILSTORM UINT32_MAX

static void check(struct stage *s, uint32_t place)
{
    const uint32_t k = s->key.shingle_len;
    const bool hailstorm = place == HAILSTORM;
    stage_select(s, (og_select_options){.kind = hailstorm ? OG_SELECT_HAILSTORM
                                                          : OG_SELECT_SYNCMER,
                                        .param = hailstorm ? 0 : place});
    size_t n = 0;
    for (size_t i = 0; i < s->fps.n; i++) {
        const uint64_t *shingle = s->tokens.hash + i;
        if (hailstorm ? !hailstorm_takes(shingle, k)
                      : !syncmer_takes(shingle, k, place))
            continue;
        assert_true(n < s->sel.n);
        assert_int_equal(s->sel.pos[n], i);
        assert_int_equal(s->sel.len[n], k);
        assert_true(s->sel.fp[n] == s->fps.data[i]);
        n++;
    }
    assert_int_equal(s->sel.n, n);
}

static void hailstorm_is_what_the_paper_says(void **state)
{
    (void)state;
    static const uint32_t n_words[] = {0, 1, 2, 6, 50};
    uint64_t seed = 1;
    for (uint32_t k = 2; k <= OG_SHINGLE_MAX; k++) {
        struct stage s;
        stage_init(&s, k);
        for (size_t n = 0; n < 120; n++) {
            stage_fill(&s, n, n_words[n % LENGTH(n_words)], &seed);
            FOR_EACH_LEVEL(level)
            check(&s, HAILSTORM);
        }
        stage_release(&s);
    }
    og_cpu_force(OG_CPU_AVX512);
}

/* 64-bit hashes are numbers without sign. Shingles of 8 have a form of their
 * own. */
static void the_upper_half_of_hashes_is_large(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (uint32_t k = 4; k <= 8; k += 4) {
        struct stage s;
        stage_init(&s, k);
        stage_resize(&s, 100);
        for (size_t i = 0; i < 100; i++)
            s.tokens.hash[i] = lot_below(&seed, 4) * ((uint64_t)1 << 62);
        stage_print(&s);
        FOR_EACH_LEVEL(level)
        check(&s, HAILSTORM);
        stage_release(&s);
    }
    og_cpu_force(OG_CPU_AVX512);
}

static void plain_and_chosen_form_append_alike(void **state)
{
    (void)state;
    uint64_t seed = 3;
    struct stage s;
    stage_init(&s, 8);
    stage_fill(&s, 200, 0, &seed);
    FOR_EACH_LEVEL(level)
    {
        uint32_t a[400] = {7}, b[400] = {7};
        struct og_selection sa = {.pos = a, .n = 1};
        struct og_selection sb = {.pos = b, .n = 1};
        og_select_hailstorm(s.tokens.hash, s.fps.n, 8, &sa);
        og_select_hailstorm_plain(s.tokens.hash, s.fps.n, 8, &sb);
        assert_int_equal(sa.n, sb.n);
        assert_memory_equal(a, b, sa.n * sizeof(a[0]));
        assert_int_equal(a[0], 7);
    }
    og_cpu_force(OG_CPU_AVX512);
    stage_release(&s);
}

static void hailstorm_by_hand(void **state)
{
    (void)state;
    /* Shingles of 3: 5 3 9 no, 3 9 4 yes (first), 9 4 1 yes (last), 4 1 1 yes
     * (last, and in between), 1 1 8 yes, 1 8 2 yes, 8 2 6 no. */
    const uint64_t hash[] = {5, 3, 9, 4, 1, 1, 8, 2, 6};
    const uint32_t expected[] = {1, 2, 3, 4, 5};
    struct stage s;
    stage_init(&s, 3);
    stage_resize(&s, LENGTH(hash));
    memcpy(s.tokens.hash, hash, sizeof(hash));
    stage_print(&s);
    stage_select(&s, (og_select_options){.kind = OG_SELECT_HAILSTORM});
    assert_int_equal(s.sel.n, LENGTH(expected));
    assert_memory_equal(s.sel.pos, expected, sizeof(expected));
    stage_release(&s);
}

static void syncmers_are_what_hailstorm_c_says(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (uint32_t k = 2; k <= 12; k++) {
        struct stage s;
        stage_init(&s, k);
        for (size_t n = 0; n < 60; n++) {
            stage_fill(&s, n, n % 3 * 4, &seed);
            for (uint32_t place = 0; place < k; place++)
                check(&s, place);
        }
        stage_release(&s);
    }
}

/* The smallest token is at one place: the places partition the shingles, and
 * Hailstorm has those of the first and the last place (with ties more). */
static void places_share_the_shingles_out(void **state)
{
    (void)state;
    uint64_t seed = 5;
    struct stage s;
    stage_init(&s, 8);
    stage_fill(&s, 1000, 30, &seed);
    size_t n = 0;
    for (uint32_t place = 0; place < 8; place++) {
        stage_select(
            &s, (og_select_options){.kind = OG_SELECT_SYNCMER, .param = place});
        n += s.sel.n;
    }
    assert_int_equal(n, s.fps.n);
    stage_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hailstorm_is_what_the_paper_says),
        cmocka_unit_test(the_upper_half_of_hashes_is_large),
        cmocka_unit_test(plain_and_chosen_form_append_alike),
        cmocka_unit_test(hailstorm_by_hand),
        cmocka_unit_test(syncmers_are_what_hailstorm_c_says),
        cmocka_unit_test(places_share_the_shingles_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
