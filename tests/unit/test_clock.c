/* Two clocks: one for distances, one for dates. */

#define _GNU_SOURCE
#include <time.h>

#include "tests/unit/stage_support.h"

#include "lib/os/clock.h"

static void seconds_never_run_backwards(void **state)
{
    (void)state;
    double last = og_clock_seconds();
    for (int i = 0; i < 10000; i++) {
        const double now = og_clock_seconds();
        assert_true(now >= last);
        last = now;
    }
}

static void seconds_measure_a_sleep(void **state)
{
    (void)state;
    const struct timespec nap = {.tv_nsec = 20000000};
    const double begin = og_clock_seconds();
    nanosleep(&nap, NULL);
    const double taken = og_clock_seconds() - begin;
    assert_true(taken >= 0.02 && taken < 300);
}

static void *work(void *ctx)
{
    double *seconds = ctx;
    while (og_clock_thread() < 0.02) {
    }
    *seconds = og_clock_thread();
    return NULL;
}

/* The thread is at its end, and not joined: its time is still known. */
static void another_thread_has_its_own_seconds(void **state)
{
    (void)state;
    pthread_t thread;
    double own = 0;
    assert_int_equal(pthread_create(&thread, NULL, work, &own), 0);
    double seconds = 0;
    for (int i = 0; i < 10000 && seconds < 0.01; i++) {
        const struct timespec nap = {.tv_nsec = 1000000};
        nanosleep(&nap, NULL);
        seconds = og_clock_of_thread(thread);
    }
    pthread_join(thread, NULL);
    assert_true(seconds >= 0.01);
    assert_true(own >= 0.02);
}

static void now_is_the_wall_clock_in_microseconds(void **state)
{
    (void)state;
    const int64_t before = (int64_t)time(NULL);
    const int64_t now = og_clock_now();
    const int64_t after = (int64_t)time(NULL);
    /* time() may lag a tick behind. */
    assert_true(now / 1000000 >= before - 1);
    assert_true(now / 1000000 <= after + 1);
    assert_true(now > 1600000000000000); /* after 2020 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seconds_never_run_backwards),
        cmocka_unit_test(seconds_measure_a_sleep),
        cmocka_unit_test(another_thread_has_its_own_seconds),
        cmocka_unit_test(now_is_the_wall_clock_in_microseconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
