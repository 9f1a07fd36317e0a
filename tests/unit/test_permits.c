/* Threads that share bytes: never more than may be taken, and one always. */

#include "tests/unit/stage_support.h"

#include "lib/base/permits.h"

#include <pthread.h>
#include <stdatomic.h>

enum { N_THREADS = 8, N_ROUNDS = 2000, MOST = 1000 };

struct shared {
    struct og_permits permits;
    atomic_uint_fast64_t now, most, n_long;
};

static void note_most(struct shared *s, uint64_t now)
{
    uint_fast64_t most = atomic_load(&s->most);
    while (now > most && !atomic_compare_exchange_weak(&s->most, &most, now))
        ;
}

/* One in a hundred asks for more than there is. */
static void *use(void *ctx)
{
    struct shared *s = ctx;
    uint32_t random = 1;
    for (int i = 0; i < N_ROUNDS; i++) {
        random = random * 1664525u + 1013904223u;
        const bool is_long = i % 100 == 99;
        const uint64_t len = is_long ? 5 * MOST : random % (MOST / 2) + 1;
        og_permits_take(&s->permits, len);
        const uint64_t now = atomic_fetch_add(&s->now, len) + len;
        if (is_long && now == len) atomic_fetch_add(&s->n_long, 1);
        if (!is_long) note_most(s, now);
        atomic_fetch_sub(&s->now, len);
        og_permits_return(&s->permits, len);
    }
    return NULL;
}

static void no_more_than_all(void **state)
{
    struct shared s = {.now = 0};
    pthread_t threads[N_THREADS];
    (void)state;
    og_permits_init(&s.permits, MOST);
    for (int i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use, &s), 0);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_true(s.most > 0 && s.most <= MOST);
    /* They were alone. */
    assert_int_equal(s.n_long, N_THREADS * N_ROUNDS / 100);
    assert_int_equal(s.permits.taken, 0);
    og_permits_release(&s.permits);
}

static void nobody_waits_without_them(void **state)
{
    struct og_permits permits;
    (void)state;
    og_permits_take(NULL, UINT64_MAX);
    og_permits_return(NULL, UINT64_MAX);
    og_permits_init(&permits, 0);
    og_permits_take(&permits, UINT64_MAX);
    og_permits_return(&permits, UINT64_MAX);
    assert_int_equal(permits.taken, 0);
    og_permits_release(&permits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_more_than_all),
        cmocka_unit_test(nobody_waits_without_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
