#ifndef OG_TESTS_OOM_SUPPORT_H
#define OG_TESTS_OOM_SUPPORT_H

/* An allocator that fails at the n-th call, and the loop over all n. It is that
 * of the whole library while a scenario runs.
 *
 * ORIGO_OOM_SECONDS bounds the CPU time of a scenario: where all n would take
 * longer, every k-th call fails, and k is printed. It is for emulated machines
 * (tests/emulated/run). */

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "lib/base/memory.h"

/* ---- an allocator that fails ---- */

/* Any thread may call it. */
struct failing {
    atomic_size_t n_calls; /* that asked for memory */
    size_t fail_at;        /* this call fails; 0: none does */
    bool for_good;         /* and all after it */
    atomic_size_t n_held;  /* bytes */
};

static inline void *failing_resize(void *ctx, void *ptr, size_t old_len,
                                   size_t new_len)
{
    struct failing *f = ctx;
    assert_true(ptr != NULL || old_len == 0);
    if (new_len == 0) {
        f->n_held -= old_len;
        free(ptr);
        return NULL;
    }
    const size_t n = ++f->n_calls;
    if (f->fail_at > 0 && (n == f->fail_at || (f->for_good && n > f->fail_at)))
        return NULL;
    f->n_held += new_len - old_len;
    return realloc(ptr, new_len);
}

/* ---- what is tried ---- */

struct work {
    og_allocator allocator;
    struct failing failing;
    const void *what; /* the scenario's own */
    void *objects;
};

struct scenario {
    void *(*init)(struct work *w);                       /* cannot fail */
    og_status (*run)(struct work *w, uint64_t *out_sum); /* as often as asked */
    void (*release)(struct work *w);
};

/* One run that fails at call n, one that may not, on the same objects. Returns
 * false when the first did not come to its n-th call. */
static inline bool try_failure(const struct scenario *scenario,
                               const void *what, size_t n, bool for_good,
                               uint64_t expected)
{
    struct work w = {.failing = {.fail_at = n, .for_good = for_good},
                     .what = what};
    uint64_t sum = 0;
    w.allocator = (og_allocator){&w.failing, failing_resize};
    og_allocator_set(&w.allocator);
    w.objects = scenario->init(&w);
    const og_status status = scenario->run(&w, &sum);
    const bool reached = w.failing.n_calls >= n;
    if (status == OG_OK)
        assert_int_equal(sum, expected);
    else
        assert_int_equal(status, OG_ERR_MEMORY);
    w.failing.fail_at = 0;
    assert_int_equal(scenario->run(&w, &sum), OG_OK);
    assert_int_equal(sum, expected);
    scenario->release(&w);
    og_allocator_set(NULL);
    assert_int_equal(w.failing.n_held, 0);
    return reached;
}

/* What a scenario gives and takes when nothing fails. */
struct plain_run {
    uint64_t sum;
    size_t n_calls;
    double seconds; /* of CPU */
};

static inline struct plain_run run_without_failure(const struct scenario *s,
                                                   const void *what)
{
    struct work w = {.what = what};
    struct plain_run plain = {0};
    const clock_t start = clock();
    w.allocator = (og_allocator){&w.failing, failing_resize};
    og_allocator_set(&w.allocator);
    w.objects = s->init(&w);
    assert_int_equal(s->run(&w, &plain.sum), OG_OK);
    plain.n_calls = w.failing.n_calls;
    assert_true(plain.n_calls > 0);
    s->release(&w);
    og_allocator_set(NULL);
    assert_int_equal(w.failing.n_held, 0);
    plain.seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    return plain;
}

/* From one call that fails to the next. Every n is tried twice, and a try runs
 * the scenario twice. */
static inline size_t step_of_calls(const struct plain_run *plain)
{
    const char *text = getenv("ORIGO_OOM_SECONDS");
    const double most = text != NULL ? strtod(text, NULL) : 0;
    const double all = 4 * (double)plain->n_calls * plain->seconds;
    if (most <= 0 || all <= most) return 1;
    const size_t step = (size_t)(all / most) + 1;
    printf("NOT ALL: one in %zu of %zu allocations fails, since all would "
           "take %.1f s and ORIGO_OOM_SECONDS is %g\n",
           step, plain->n_calls, all, most);
    return step;
}

static inline void try_all_failures(const struct scenario *scenario,
                                    const void *what)
{
    const struct plain_run plain = run_without_failure(scenario, what);
    const size_t step = step_of_calls(&plain);
    for (int for_good = 0; for_good <= 1; for_good++) {
        size_t n = 1;
        while (try_failure(scenario, what, n, for_good, plain.sum))
            n += step;
    }
}

#endif
