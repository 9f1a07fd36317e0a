/* Ids by number, in memory and in a file. */

#include "tests/unit/stage_support.h"

#include "lib/dedup/dedup_ids.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static void ids_come_back(void **state)
{
    enum { N = 60000 }; /* more than the buffer holds */
    struct og_dedup_ids ids;
    og_bytes id;
    char name[40];
    (void)state;
    og_dedup_ids_init(&ids, "/tmp");
    for (unsigned i = 1; i <= N; i++) {
        const int len = snprintf(name, sizeof(name), "document-%u", i);
        const og_bytes made = {name, i % 7 == 0 ? 0 : (size_t)len};
        assert_int_equal(og_dedup_ids_add(&ids, made, NULL), OG_OK);
    }
    for (unsigned k = 0; k < 3000; k++) {
        const unsigned i = k * 7919 % N + 1;
        const int len = snprintf(name, sizeof(name), "document-%u", i);
        assert_int_equal(og_dedup_ids_get(&ids, i, &id, NULL), OG_OK);
        assert_int_equal(id.len, i % 7 == 0 ? 0 : len);
        assert_memory_equal(id.data, name, id.len);
    }
    assert_int_equal(og_dedup_ids_get(&ids, 0, &id, NULL), OG_OK);
    assert_int_equal(id.len, 0);
    og_dedup_ids_release(&ids);
}

/* One thread adds, another one asks for what is there: the newest, which may
 * not be written yet, and older ones, whose pages are read and read again. */
struct pair {
    struct og_dedup_ids ids;
    _Atomic unsigned n_added;
};

enum { N_SHARED = 30000 };

static void *ask(void *ctx)
{
    struct pair *pair = ctx;
    char name[40];
    og_bytes id;
    for (unsigned n = 0, k = 0; n < N_SHARED; k++) {
        n = atomic_load(&pair->n_added);
        if (n == 0) continue;
        const unsigned i = k % 2 == 0 ? n : k * 7919 % n + 1;
        const int len = snprintf(name, sizeof(name), "document-%u", i);
        assert_int_equal(og_dedup_ids_get(&pair->ids, i, &id, NULL), OG_OK);
        assert_int_equal(id.len, len);
        assert_memory_equal(id.data, name, id.len);
    }
    return NULL;
}

static void asked_while_others_are_added(void **state)
{
    struct pair pair = {.n_added = 0};
    pthread_t thread;
    char name[40];
    (void)state;
    og_dedup_ids_init(&pair.ids, "/tmp");
    assert_int_equal(pthread_create(&thread, NULL, ask, &pair), 0);
    for (unsigned i = 1; i <= N_SHARED; i++) {
        const int len = snprintf(name, sizeof(name), "document-%u", i);
        const og_bytes made = {name, (size_t)len};
        assert_int_equal(og_dedup_ids_add(&pair.ids, made, NULL), OG_OK);
        atomic_store(&pair.n_added, i);
    }
    pthread_join(thread, NULL);
    og_dedup_ids_release(&pair.ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_come_back),
        cmocka_unit_test(asked_while_others_are_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
