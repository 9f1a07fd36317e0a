/* Which short runs may belong to the copy that a seed is part of. */

#include "tests/unit/stage_support.h"

#include "lib/align/aligner.h"
#include "lib/align/near_seeds.h"

static size_t keep(const struct og_run *seeds, size_t n_seeds,
                   struct og_run *list, size_t n)
{
    struct og_near_seeds near;
    struct og_runs runs;
    og_near_seeds_init(&near, NULL);
    og_runs_init(&runs, NULL);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(og_runs_add(&runs, list[i], NULL), OG_OK);
    assert_int_equal(og_near_seeds_keep(&near, seeds, n_seeds, &runs, NULL),
                     OG_OK);
    const size_t n_kept = runs.n;
    for (size_t i = 0; i < n_kept; i++)
        list[i] = runs.data[i];
    og_runs_release(&runs);
    og_near_seeds_release(&near);
    return n_kept;
}

static void runs_on_the_line_of_a_seed_stay(void **state)
{
    (void)state;
    const struct og_run seed = {.begin = 1000, .origin_begin = 5000, .len = 20};
    struct og_run runs[] = {
        {960, 4960, 3},  /* before it */
        {1030, 5033, 3}, /* behind three words that were put in */
        {1060, 5049, 3}, /* behind eleven that were left out */
    };
    assert_int_equal(keep(&seed, 1, runs, LENGTH(runs)), LENGTH(runs));
}

static void runs_far_from_every_seed_go(void **state)
{
    (void)state;
    const struct og_run seed = {.begin = 1000, .origin_begin = 5000, .len = 20};
    struct og_run runs[] = {
        {1010, 9000, 3},  /* elsewhere in the origin */
        {1010, 9000, 40}, /* long enough to speak for itself */
        {3000, 7000, 3},  /* on the line, and far away */
    };
    assert_int_equal(keep(&seed, 1, runs, LENGTH(runs)), 1);
    assert_int_equal(runs[0].len, 40);
}

/* Ends of the texts, and a seed as long as both. */
static void seeds_at_the_edges(void **state)
{
    (void)state;
    const struct og_run seeds[] = {
        {0, 0, 1u << 20}, {UINT32_MAX / 2, 0, 10}, {0, UINT32_MAX / 2, 10}};
    struct og_run runs[] = {{0, 0, 3},
                            {500000, 500000, 3},
                            {UINT32_MAX / 2 + 4, 4, 3},
                            {4, UINT32_MAX / 2 + 4, 3}};
    assert_int_equal(keep(seeds, LENGTH(seeds), runs, LENGTH(runs)),
                     LENGTH(runs));
    assert_int_equal(keep(NULL, 0, runs, LENGTH(runs)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_on_the_line_of_a_seed_stay),
        cmocka_unit_test(runs_far_from_every_seed_go),
        cmocka_unit_test(seeds_at_the_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
