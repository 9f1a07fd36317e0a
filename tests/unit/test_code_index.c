/* Directory tables, sorted tables and packed tables against the definition. */

#include "tests/unit/code_support.h"

#include "lib/hamming/code_permuted.h"
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

static void forms_that_do_not_fit(void **state)
{
    (void)state;
    struct og_code_plan plan;
    og_error err;
    const struct og_code_choice slices = {0, -1, OG_CODE_SLICES};
    assert_int_equal(og_code_plan(&plan, 10, 15, &slices, &err), OG_OK);
    assert_int_equal(og_code_plan(&plan, 10, 16, &slices, &err), OG_ERR_USAGE);
    /* No table fits into nothing: the smallest is taken all the same. */
    const struct og_code_choice sorted = {0, -1, OG_CODE_SORTED};
    assert_int_equal(og_code_plan(&plan, 1000, 3, &sorted, &err), OG_OK);
    assert_int_equal(plan.design.n_tables, 4);
    assert_int_equal(plan.bytes, 4 * 1000 * 8);
}

static void sorted_tables_find_all(void **state)
{
    (void)state;
    uint64_t seed = 13;
    static struct og_code_permuted permuted;
    static const unsigned paper[] = {4, 10, 16, 20};
    for (size_t round = 0; round < 24; round++) {
        static const size_t sizes[] = {0, 1, 1000, MOST};
        struct og_code_design d;
        const size_t n =
            lot_of_codes(codes, sizes[round / 2 % 4], round % 2 == 0, &seed);
        ask_questions(n, &seed);
        assert_true(og_code_design_paper(&d, paper[round % 4]));
        for (int packed = 0; packed <= 1; packed++) {
            struct matches seen = {0};
            assert_int_equal(og_code_permuted_init(&permuted, &d, codes, n,
                                                   packed != 0, NULL, NULL),
                             OG_OK);
            assert_true(og_code_permuted_ask(&permuted, questions, QUESTIONS, 3,
                                             &seen, add_match));
            const struct matches truth =
                true_matches(codes, n, questions, QUESTIONS, 3);
            assert_int_equal(seen.n, truth.n);
            assert_true(seen.sum == truth.sum);
            og_code_permuted_release(&permuted);
        }
    }
}

static void sorted_tables_have_no_radius(void **state)
{
    (void)state;
    static struct og_code_permuted permuted;
    struct og_code_design d;
    og_error err;
    assert_true(og_code_design_parts(&d, 3, 2));
    assert_int_equal(
        og_code_permuted_init(&permuted, &d, codes, 0, false, NULL, &err),
        OG_ERR_USAGE);
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

/* Values near and far apart: every range is walked, and nothing else. */
static bool next_value(void *ctx, uint64_t value)
{
    const uint64_t **at = ctx;
    assert_true(*(*at)++ == value);
    return true;
}

static void packed_values_come_back(void **state)
{
    (void)state;
    uint64_t seed = 17;
    for (unsigned kind = 0; kind < 5; kind++) {
        size_t n = kind == 4 ? 64 : MOST;
        struct og_code_packed packed;
        for (size_t i = 0; i < n; i++) {
            codes[i] = kind == 0   ? og_random_next(&seed)
                       : kind == 1 ? i
                       : kind == 2 ? i << 40 | i % 3
                       : kind == 3 ? og_random_next(&seed) >> i % 60
                                   : UINT64_C(1) << i;
        }
        uint64_t *spare = malloc(n * 8);
        n = og_code_sort(codes, spare, n);
        free(spare);
        assert_int_equal(og_code_packed_init(&packed, codes, n, NULL, NULL),
                         OG_OK);
        if (kind == 1) assert_true(packed.n_bits < 8 * n);
        for (int i = 0; i < 300; i++) {
            size_t a = og_random_next(&seed) % n;
            size_t b = a + og_random_next(&seed) % (n - a);
            if (i == 0) a = 0, b = n - 1;
            const uint64_t *at = codes + a;
            assert_true(og_code_packed_walk(&packed, codes[a], codes[b], &at,
                                            next_value));
            assert_ptr_equal(at, codes + b + 1);
            assert_int_equal(og_code_search(codes, n, codes[a]), a);
        }
        og_code_packed_release(&packed);
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

static void the_planner_says_why(void **state)
{
    (void)state;
    struct og_code_plan plan;
    char text[8192];
    og_error err;
    static const uint64_t sizes[] = {0,       1,         1000,
                                     1000000, 100000000, 4000000000};
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        for (unsigned k = 0; k <= 64; k++) {
            const uint64_t memory = UINT64_C(1) << 30;
            assert_int_equal(
                og_code_plan(&plan, sizes[i], k,
                             &(struct og_code_choice){memory, -1, 0}, &err),
                OG_OK);
            assert_true(plan.bytes <= memory);
            assert_int_equal(plan.design.max_distance, k);
            og_code_plan_explain(&plan, sizes[i],
                                 &(struct og_code_choice){memory, -1, 0}, text,
                                 sizeof(text));
            assert_non_null(strstr(text, "\n* "));
            assert_non_null(strstr(text, "taken: "));
        }
    }
    assert_int_equal(og_code_plan(&plan, 1000000, 3,
                                  &(struct og_code_choice){0, -1, 0}, &err),
                     OG_OK);
    assert_int_equal(plan.design.n_tables, 0);
    assert_int_equal(og_code_plan(&plan, 1000000, 64,
                                  &(struct og_code_choice){UINT64_MAX, -1, 0},
                                  &err),
                     OG_OK);
    assert_int_equal(plan.design.n_tables, 0);
    static const unsigned paper[] = {4, 10, 16, 20};
    for (size_t i = 0; i < LENGTH(paper); i++) {
        assert_int_equal(
            og_code_plan(&plan, 1000000, 3,
                         &(struct og_code_choice){0, (int)paper[i], 0}, &err),
            OG_OK);
        assert_int_equal(plan.design.n_tables, paper[i]);
    }
    assert_int_equal(
        og_code_plan(&plan, 1000, 3, &(struct og_code_choice){0, 17, 0}, &err),
        OG_ERR_USAGE);
    assert_string_equal(err.message,
                        "no design of 17 tables for 64 bits and distance 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_designs_find_all),
        cmocka_unit_test(all_forms_find_all),
        cmocka_unit_test(forms_that_do_not_fit),
        cmocka_unit_test(sorted_tables_find_all),
        cmocka_unit_test(sorted_tables_have_no_radius),
        cmocka_unit_test(asking_stops_when_told),
        cmocka_unit_test(packed_values_come_back),
        cmocka_unit_test(search_takes_log_steps_on_bad_values),
        cmocka_unit_test(the_planner_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
