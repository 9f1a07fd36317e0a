/* Which design is taken for so many codes, and what is said about it. */

#include "tests/unit/code_support.h"

#include "lib/hamming/code_plan.h"

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

/* What is over the memory is not taken, and more memory is never slower. */
static void memory_buys_time(void **state)
{
    (void)state;
    double before = 1e300;
    for (uint64_t memory = 0; memory <= UINT64_C(1) << 36;
         memory = memory * 4 + (1 << 20)) {
        const struct og_code_choice choice = {memory, OG_CODE_WANT_BEST, 0};
        struct og_code_plan plan;
        assert_int_equal(og_code_plan(&plan, 1 << 24, 3, &choice, NULL), OG_OK);
        assert_true(plan.bytes <= memory);
        assert_true(plan.microseconds <= before);
        before = plan.microseconds;
    }
}

/* Of the designs that the explanation lists: none that fits is a quarter
 * faster, and none of those that are nearly as fast is smaller. */
static void check_choice(uint64_t n, unsigned k, uint64_t memory)
{
    const struct og_code_choice choice = {memory, OG_CODE_WANT_BEST, 0};
    struct og_code_plan plan;
    char text[8192];
    double mb, us, fastest = 1e300, least = 1e300;
    assert_int_equal(og_code_plan(&plan, n, k, &choice, NULL), OG_OK);
    og_code_plan_explain(&plan, n, &choice, text, sizeof(text));
    for (int pass = 0; pass < 2; pass++)
        for (const char *at = strchr(text, '\n'); at != NULL;
             at = strchr(at + 1, '\n')) {
            char line[128];
            snprintf(line, sizeof(line), "%.*s", (int)strcspn(at + 1, "\n"),
                     at + 1);
            if (strlen(line) < 40 || strstr(line, "too large") != NULL ||
                sscanf(line + 32, "%lf MB %lf us", &mb, &us) != 2)
                continue;
            if (pass == 0 && us < fastest) fastest = us;
            if (pass == 1 && us <= 1.25 * fastest - 0.01 && mb < least)
                least = mb;
        }
    assert_true(fastest < 1e300);
    assert_true(plan.microseconds <= 1.25 * fastest + 0.02);
    assert_true((double)plan.bytes / 1e6 <= least + 0.1);
}

static void the_choice_is_nearly_the_fastest(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {100000, 5000000, 300000000};
    for (size_t i = 0; i < LENGTH(sizes); i++)
        for (unsigned k = 0; k <= 8; k++)
            for (uint64_t memory = 0; memory <= UINT64_C(1) << 36;
                 memory = memory * 8 + (1 << 24))
                check_choice(sizes[i], k, memory);
}

/* The explanation is cut to the room that there is, and ends with a zero. */
static void explanations_are_cut(void **state)
{
    (void)state;
    const struct og_code_choice choice = {1 << 30, OG_CODE_WANT_BEST, 0};
    struct og_code_plan plan;
    char whole[8192], part[64];
    assert_int_equal(og_code_plan(&plan, 1000000, 3, &choice, NULL), OG_OK);
    og_code_plan_explain(&plan, 1000000, &choice, whole, sizeof(whole));
    for (size_t cap = 1; cap < sizeof(part); cap++) {
        memset(part, 'x', sizeof(part));
        og_code_plan_explain(&plan, 1000000, &choice, part, cap);
        assert_memory_equal(part, whole, cap - 1);
        assert_int_equal(part[cap - 1], 0);
        assert_int_equal(part[cap], 'x');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_that_do_not_fit),
        cmocka_unit_test(the_planner_says_why),
        cmocka_unit_test(memory_buys_time),
        cmocka_unit_test(the_choice_is_nearly_the_fastest),
        cmocka_unit_test(explanations_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
