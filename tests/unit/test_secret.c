/* The number of a process that nobody else knows, with and without random
 * numbers of the system. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <sys/types.h>

#include "lib/os/secret.h"

/* The system's random numbers are these here. */
ssize_t getrandom(void *out, size_t len, unsigned flags);

static enum {
    SYSTEM_COUNTS,
    SYSTEM_GIVES_ZEROS,
    SYSTEM_FAILS,
    SYSTEM_GIVES_FEW
} system_does;
static _Atomic uint64_t n_calls;

ssize_t getrandom(void *out, size_t len, unsigned flags)
{
    (void)flags;
    const uint64_t n = ++n_calls;
    memset(out, 0, len);
    if (system_does == SYSTEM_FAILS) return -1;
    if (system_does == SYSTEM_GIVES_FEW) return (ssize_t)len - 1;
    if (system_does == SYSTEM_COUNTS) memcpy(out, &n, sizeof(n));
    return (ssize_t)len;
}

static void *read_secret(void *out)
{
    *(uint64_t *)out = og_secret();
    return NULL;
}

/* Also when all threads ask for the first time. */
static void one_for_the_whole_run(void **state)
{
    enum { N_THREADS = 8 };
    pthread_t threads[N_THREADS];
    uint64_t seen[N_THREADS];
    (void)state;
    for (size_t i = 0; i < N_THREADS; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, read_secret, &seen[i]), 0);
    for (size_t i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (size_t i = 0; i < N_THREADS; i++) {
        assert_true(seen[i] != 0);
        assert_true(seen[i] == seen[0]);
    }
    const uint64_t n = n_calls;
    assert_true(og_secret() == seen[0]);
    assert_int_equal(n_calls, n); /* drawn once */
}

static void a_draw_is_what_the_system_gives(void **state)
{
    (void)state;
    system_does = SYSTEM_COUNTS;
    for (int i = 0; i < 100; i++) {
        const uint64_t drawn = og_secret_draw();
        assert_true(drawn == n_calls);
        assert_true(drawn != og_secret());
    }
}

static void zero_is_never_drawn(void **state)
{
    (void)state;
    system_does = SYSTEM_GIVES_ZEROS;
    assert_true(og_secret_draw() != 0);
}

/* A guess, another one each time, is better than a number that all know. */
static void without_random_numbers(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        system_does = round == 0 ? SYSTEM_FAILS : SYSTEM_GIVES_FEW;
        uint64_t seen[20];
        for (size_t i = 0; i < 20; i++) {
            seen[i] = og_secret_draw();
            assert_true(seen[i] > 1);
            for (size_t j = 0; j < i; j++)
                assert_true(seen[j] != seen[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_for_the_whole_run),
        cmocka_unit_test(a_draw_is_what_the_system_gives),
        cmocka_unit_test(zero_is_never_drawn),
        cmocka_unit_test(without_random_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
