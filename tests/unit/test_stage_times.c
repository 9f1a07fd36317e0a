/* Seconds of the processor by stage, without those of the stages inside. */

#include "tests/unit/stage_support.h"

#include "lib/os/clock.h"
#include "lib/stream/stage_times.h"

static volatile unsigned sink;

static void work(unsigned n)
{
    for (unsigned i = 0; i < n * 1000000u; i++)
        sink += i;
}

static void stages_leave_out_what_is_inside(void **state)
{
    struct og_stage_times t = {.is_on = true};
    (void)state;
    const struct og_stage_begin outer = og_stage_begin(&t);
    for (int i = 0; i < 2; i++) {
        const struct og_stage_begin inner = og_stage_begin(&t);
        work(20);
        og_stage_end(&t, "inner", inner);
    }
    og_stage_end(&t, "outer", outer);
    og_wait_end(&t, og_wait_begin(&t));
    assert_int_equal(t.n, 3);
    assert_string_equal(t.stages[0].stage, "inner");
    assert_int_equal(t.stages[0].n, 2);
    assert_string_equal(t.stages[1].stage, "outer");
    assert_true(t.stages[0].seconds > t.stages[1].seconds);
    assert_true(t.stages[1].seconds >= 0);
    assert_string_equal(t.stages[2].stage, "wait");
}

/* What no stage has; a thread's clock begins with it, here with the test. */
static void the_rest_is_a_stage_too(void **state)
{
    struct og_stage_times t = {.is_on = true};
    (void)state;
    work(20);
    const double before = og_clock_thread();
    const struct og_stage_begin begin = og_stage_begin(&t);
    work(20);
    og_stage_end(&t, "work", begin);
    og_wait_end(&t, og_wait_begin(&t));
    og_stage_rest(&t, "rest");
    assert_int_equal(t.n, 3);
    assert_string_equal(t.stages[2].stage, "rest");
    assert_true(t.stages[2].seconds >= 0.99 * before);
    assert_true(t.stages[2].seconds + t.stages[0].seconds <=
                og_clock_thread() + 1e-6);
}

static void off_costs_nothing(void **state)
{
    struct og_stage_times t = {.is_on = false};
    (void)state;
    og_stage_end(&t, "a", og_stage_begin(&t));
    og_wait_end(&t, og_wait_begin(&t));
    og_stage_rest(&t, "rest");
    assert_int_equal(t.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_leave_out_what_is_inside),
        cmocka_unit_test(the_rest_is_a_stage_too),
        cmocka_unit_test(off_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
