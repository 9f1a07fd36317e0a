/* Designs: the paper's numbers, and that no set of differences escapes. */

#include "tests/unit/code_support.h"

static void the_four_designs_of_the_paper(void **state)
{
    (void)state;
    static const unsigned expected[][2] = {
        {20, 31}, {16, 28}, {10, 25}, {4, 16}};
    for (size_t i = 0; i < LENGTH(expected); i++) {
        struct og_code_design d;
        assert_true(og_code_design_paper(&d, expected[i][0]));
        assert_int_equal(d.n_tables, expected[i][0]);
        assert_int_equal(og_code_design_min_bits(&d), expected[i][1]);
    }
    struct og_code_design d;
    assert_false(og_code_design_paper(&d, 7));
}

static void the_recurrence_finds_them(void **state)
{
    (void)state;
    unsigned split[OG_CODE_LEVELS], n;
    static const unsigned expected[][2] = {{1, 4},   {16, 4},  {17, 10},
                                           {25, 10}, {26, 16}, {28, 16},
                                           {29, 20}, {31, 20}, {32, 35}};
    for (size_t i = 0; i < LENGTH(expected); i++)
        assert_int_equal(
            og_code_tables_needed(64, 3, expected[i][0], split, &n),
            expected[i][1]);
    assert_int_equal(og_code_tables_needed(64, 3, 28, split, &n), 16);
    assert_int_equal(n, 2);
    assert_int_equal(split[0], 4);
    assert_int_equal(split[1], 4);
    assert_int_equal(og_code_tables_needed(64, 0, 64, split, &n), 1);
    assert_int_equal(og_code_tables_needed(64, 64, 1, split, &n), 0);
    assert_int_equal(og_code_tables_needed(64, 10, 30, split, &n), 0);
}

static bool is_found(const struct og_code_design *d, uint64_t differences)
{
    for (unsigned t = 0; t < d->n_tables; t++)
        if (distance_of(differences & d->mask[t], 0) <= d->radius[t])
            return true;
    return false;
}

/* All 41,664 sets of 3 positions, for full masks and for cut ones. */
static void no_three_positions_escape(void **state)
{
    (void)state;
    static const unsigned paper[] = {20, 16, 10, 4, 0};
    for (size_t i = 0; i < LENGTH(paper); i++) {
        for (uint64_t n = 0; n <= 100000; n += 50000) {
            struct og_code_design d;
            if (paper[i] != 0)
                assert_true(og_code_design_paper(&d, paper[i]));
            else
                assert_true(og_code_design_parts(&d, 3, 2));
            if (n != 0) og_code_design_fit(&d, n);
            for (unsigned a = 0; a < 64; a++)
                for (unsigned b = a; b < 64; b++)
                    for (unsigned c = b; c < 64; c++)
                        assert_true(is_found(&d, UINT64_C(1) << a |
                                                     UINT64_C(1) << b |
                                                     UINT64_C(1) << c));
        }
    }
}

static void parts_cover_every_distance(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (unsigned k = 0; k <= 64; k++) {
        for (unsigned parts = 1; parts <= k + 1 && parts <= 64; parts++) {
            struct og_code_design d;
            assert_true(og_code_design_parts(&d, k, parts));
            uint64_t all = 0;
            for (unsigned t = 0; t < d.n_tables; t++) {
                assert_int_equal(all & d.mask[t], 0);
                all |= d.mask[t];
            }
            assert_true(all == UINT64_MAX);
            for (int i = 0; i < 50; i++)
                assert_true(is_found(&d, flip_lots(0, k, &seed)));
        }
        struct og_code_design d;
        assert_false(og_code_design_parts(&d, k, k + 2));
    }
}

/* PEXT as its manual has it. */
static uint64_t plain_key(uint64_t code, uint64_t mask)
{
    uint64_t key = 0;
    unsigned n = 0;
    for (unsigned i = 0; i < 64; i++)
        if (mask >> i & 1) key |= (code >> i & 1) << n++;
    return key;
}

static void keys_are_those_of_pext(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        uint64_t mask = og_random_next(&seed), code = og_random_next(&seed);
        if (i % 3 == 0) mask &= og_random_next(&seed);
        if (i == 1) mask = UINT64_MAX;
        if (i == 2) mask = 0;
        struct og_code_runs runs;
        og_code_runs_init(&runs, mask);
        assert_true(og_code_key(&runs, code) == plain_key(code, mask));
        assert_true(og_code_spread(&runs, og_code_key(&runs, code)) ==
                    (code & mask));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_four_designs_of_the_paper),
        cmocka_unit_test(the_recurrence_finds_them),
        cmocka_unit_test(no_three_positions_escape),
        cmocka_unit_test(parts_cover_every_distance),
        cmocka_unit_test(keys_are_those_of_pext),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
