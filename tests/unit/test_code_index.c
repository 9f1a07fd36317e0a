/* Tables of every form, behind the same door, against the definition. */

#include "tests/unit/code_support.h"

#include "lib/hamming/code_plan.h"

enum { MOST = 2500, QUESTIONS = 60 };
static uint64_t codes[MOST], questions[QUESTIONS];

static void ask_questions(size_t n, uint64_t *seed)
{
    for (size_t i = 0; i < QUESTIONS; i++)
        questions[i] = n == 0 ? og_random_next(seed)
                              : flip_lots(codes[og_random_next(seed) % n],
                                          (unsigned)i % 12, seed);
}

static void check_index(struct og_code_design design, size_t n)
{
    struct og_code_index index;
    if (design.form == OG_CODE_DIRECTORY) og_code_design_fit(&design, n);
    assert_int_equal(og_code_index_init(&index, &design, codes, n, NULL, NULL),
                     OG_OK);
    for (unsigned k = 0; k <= design.max_distance;
         k += design.max_distance < 4 ? 1 : design.max_distance / 2) {
        const struct matches truth =
            true_matches(codes, n, questions, QUESTIONS, k);
        struct matches seen = {0};
        assert_true(og_code_index_ask(&index, questions, QUESTIONS, k, &seen,
                                      add_match));
        assert_int_equal(seen.n, truth.n);
        assert_true(seen.sum == truth.sum);
    }
    og_code_index_release(&index);
}

static void all_designs_find_all(void **state)
{
    (void)state;
    uint64_t seed = 11;
    static const unsigned paper[] = {4, 10, 16, 20};
    FOR_EACH_LEVEL(level)
    {
        for (size_t round = 0; round < 6; round++) {
            static const size_t sizes[] = {0, 1, 2, 100, 1500, MOST};
            /* Narrow codes fill few buckets, hundreds in each. */
            const size_t n =
                lot_of_codes(codes, sizes[round], round % 2 == 0, &seed);
            struct og_code_design d;
            ask_questions(n, &seed);
            for (size_t i = 0; i < LENGTH(paper); i++) {
                assert_true(og_code_design_paper(&d, paper[i]));
                check_index(d, n);
            }
            for (unsigned k = 0; k <= 64; k = k < 4 ? k + 1 : k * 2) {
                og_code_design_scan(&d, k);
                check_index(d, n);
                for (unsigned parts = 1; parts <= 3 && k <= 8; parts++)
                    if (og_code_design_parts(&d, k, parts)) check_index(d, n);
            }
        }
    }
    og_cpu_force(OG_CPU_AVX512);
}

/* Each form that the planner may choose, through the same interface. */
static void all_forms_find_all(void **state)
{
    (void)state;
    uint64_t seed = 17;
    for (size_t round = 0; round < 8; round++) {
        static const size_t sizes[] = {0, 1, 700, MOST};
        const size_t n =
            lot_of_codes(codes, sizes[round / 2], round % 2 == 0, &seed);
        ask_questions(n, &seed);
        for (unsigned form = 0; form < OG_CODE_FORMS; form++)
            for (unsigned k = 0; k <= 5; k++) {
                const struct og_code_choice choice = {
                    UINT64_MAX, OG_CODE_WANT_BEST, (enum og_code_form)form};
                struct og_code_plan plan;
                assert_int_equal(og_code_plan(&plan, n, k, &choice, NULL),
                                 OG_OK);
                assert_int_equal(plan.design.form, form);
                check_index(plan.design, n);
            }
    }
}

static bool stop(void *ctx, size_t question, uint64_t code)
{
    (void)question, (void)code;
    ++*(size_t *)ctx;
    return false;
}

static void asking_stops_when_told(void **state)
{
    (void)state;
    struct og_code_design d;
    struct og_code_index index;
    for (size_t i = 0; i < 1000; i++)
        codes[i] = i;
    questions[0] = 5;
    for (int scan = 0; scan <= 1; scan++) {
        size_t n = 0;
        og_code_design_paper(&d, 4);
        if (scan) og_code_design_scan(&d, 3);
        og_code_index_init(&index, &d, codes, 1000, NULL, NULL);
        assert_false(og_code_index_ask(&index, questions, 1, 3, &n, stop));
        assert_int_equal(n, 1);
        og_code_index_release(&index);
    }
}

/* A search among values where interpolation is misled at every step. */
static void search_takes_log_steps_on_bad_values(void **state)
{
    (void)state;
    const size_t n = 1 << 20;
    uint64_t *values = malloc(n * sizeof(*values));
    for (size_t i = 0; i < n; i++)
        values[i] = i;
    values[n - 1] = UINT64_MAX;
    for (size_t i = 0; i < n; i++)
        assert_int_equal(og_code_search(values, n, values[i]), i);
    assert_int_equal(og_code_search(values, n, n), n - 1);
    assert_int_equal(og_code_search(values, 0, 3), 0);
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_designs_find_all),
        cmocka_unit_test(all_forms_find_all),
        cmocka_unit_test(asking_stops_when_told),
        cmocka_unit_test(search_takes_log_steps_on_bad_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
