/* Parities against their definition; what they turn away against two loops. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/sketch/set_parity.h"
#include "lib/sketch/shingle_set.h"

enum { N_SETS = 300, ROOM = OG_PARITY_MOST };

struct set {
    uint64_t fps[ROOM];
    size_t n;
};

static bool is_in(const uint64_t *x, size_t n, uint64_t fp)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] == fp) return true;
    return false;
}

static size_t n_distinct(const struct set *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        n += !is_in(s->fps, i, s->fps[i]);
    return n;
}

static size_t n_common(const struct set *a, const struct set *b)
{
    size_t n = 0;
    for (size_t i = 0; i < a->n; i++)
        n += !is_in(a->fps, i, a->fps[i]) && is_in(b->fps, b->n, a->fps[i]);
    return n;
}

/* A form of `n` fingerprints of which every set changes some; some come twice.
 */
static void make_sets(uint64_t *random, size_t n, struct set *sets)
{
    struct set form = {.n = n};
    for (size_t i = 0; i < n; i++) /* 0 is a fingerprint like any other */
        form.fps[i] = i == 0 ? 0 : og_random_next(random);
    for (size_t s = 0; s < N_SETS; s++) {
        const uint64_t one_in = 1 + og_random_next(random) % 20;
        sets[s] = form;
        sets[s].n -= og_random_next(random) % (n / 4 + 1);
        for (size_t i = 0; i < sets[s].n; i++) {
            if (og_random_next(random) % one_in == 0)
                sets[s].fps[i] = og_random_next(random);
            if (i > 0 && og_random_next(random) % 16 == 0)
                sets[s].fps[i] = sets[s].fps[i - 1];
        }
    }
}

static unsigned n_turned(const struct og_set_parity *a,
                         const struct og_set_parity *b)
{
    return (unsigned)__builtin_popcountll(a->bits ^ b->bits);
}

static unsigned n_others_turned(const struct og_set_parity *a,
                                const struct og_set_parity *b)
{
    return (unsigned)__builtin_popcountll((a->bits_and_n ^ b->bits_and_n) >> 8);
}

static void test_bits_stand_for_fingerprints(void **state)
{
    (void)state;
    static struct set sets[N_SETS];
    uint64_t random = 5;
    for (size_t n = 1; n <= ROOM; n = n < 8 ? n + 1 : n * 2) {
        make_sets(&random, n, sets);
        for (size_t i = 1; i < N_SETS; i++) {
            const struct set *a = &sets[i - 1], *b = &sets[i];
            const struct og_set_parity p = og_set_parity_of(a->fps, a->n);
            const struct og_set_parity q = og_set_parity_of(b->fps, b->n);
            const size_t n_p = og_set_parity_n(&p), n_q = og_set_parity_n(&q);
            assert_int_equal(n_p, n_distinct(a));
            const size_t apart = n_p + n_q - 2 * n_common(a, b);
            assert_true(n_turned(&p, &q) <= apart);
            assert_true(n_others_turned(&p, &q) <= apart);
            /* Two fingerprints that turn the same bit leave it as it was. */
            assert_int_equal(n_turned(&p, &q) % 2, apart % 2);
            assert_int_equal(n_others_turned(&p, &q) % 2, apart % 2);
        }
    }
}

static void test_order_and_repeats_do_not_count(void **state)
{
    (void)state;
    const uint64_t a[] = {7, 0, 9, 7, 0}, b[] = {0, 9, 9, 7};
    const struct og_set_parity p = og_set_parity_of(a, 5);
    const struct og_set_parity q = og_set_parity_of(b, 4);
    assert_int_equal(og_set_parity_n(&p), 3);
    assert_memory_equal(&p, &q, sizeof(p));
}

static void test_long_sets_have_none(void **state)
{
    (void)state;
    static uint64_t fps[OG_PARITY_MOST + 1];
    for (size_t i = 0; i <= OG_PARITY_MOST; i++)
        fps[i] = i + 1;
    const struct og_set_parity none = og_set_parity_of(fps, 0);
    const struct og_set_parity full = og_set_parity_of(fps, OG_PARITY_MOST);
    const struct og_set_parity over = og_set_parity_of(fps, OG_PARITY_MOST + 1);
    assert_int_equal(og_set_parity_n(&none), 0);
    assert_int_equal(og_set_parity_n(&full), OG_PARITY_MOST);
    assert_int_equal(og_set_parity_n(&over), 0);
}

static void test_the_bits_are_used_evenly(void **state)
{
    (void)state;
    enum { N = 64 * 200 };
    unsigned count[64] = {0}, others[64] = {0};
    uint64_t random = 6;
    for (size_t i = 0; i < N; i++) {
        const uint64_t fp = og_random_next(&random);
        const struct og_set_parity p = og_set_parity_of(&fp, 1);
        const uint64_t high = p.bits_and_n >> 8;
        assert_int_equal(__builtin_popcountll(p.bits), 1);
        assert_int_equal(__builtin_popcountll(high), 1);
        count[__builtin_ctzll(p.bits)]++;
        others[__builtin_ctzll(high)]++;
    }
    for (size_t i = 0; i < 64; i++) {
        assert_true(count[i] > 100 && count[i] < 300);
        if (i < 56) assert_true(others[i] > 120 && others[i] < 340);
    }
}

/* None that reaches the threshold goes, and most of the others do. */
static void check_filter(const struct set *sets, double threshold,
                         size_t *n_below, size_t *n_gone)
{
    static struct og_set_parity all[N_SETS];
    uint32_t entries[N_SETS], plain[N_SETS];
    struct og_parity_limits limits;
    og_parity_limits_init(&limits, threshold);
    for (size_t i = 0; i < N_SETS; i++)
        all[i] = og_set_parity_of(sets[i].fps, sets[i].n);
    all[7].bits_and_n &= ~UINT64_C(0xff); /* not known: never goes */
    for (size_t of = 0; of < 20; of++) {
        for (uint32_t i = 0; i < N_SETS; i++)
            entries[i] = plain[i] = i;
        const size_t n =
            og_set_parity_filter(all, &all[of], &limits, entries, N_SETS);
        if (og_set_parity_n(&all[of]) == 0) {
            assert_int_equal(n, N_SETS);
            continue;
        }
        assert_int_equal(n, og_set_parity_filter_plain(all, &all[of], &limits,
                                                       plain, N_SETS));
        assert_memory_equal(entries, plain, n * sizeof(*entries));
        size_t at = 0;
        for (uint32_t i = 0; i < N_SETS; i++) {
            const bool stays = at < n && entries[at] == i;
            at += stays;
            const double j =
                og_jaccard(n_distinct(&sets[of]), n_distinct(&sets[i]),
                           n_common(&sets[of], &sets[i]));
            if (j >= threshold || i == 7) assert_true(stays);
            *n_below += j < threshold;
            *n_gone += !stays;
        }
        assert_int_equal(at, n); /* in their order */
    }
}

static void test_nothing_alike_goes(void **state)
{
    (void)state;
    static struct set sets[N_SETS];
    const double thresholds[] = {0.05, 0.5, 0.8, 0.9, 1};
    uint64_t random = 7;
    size_t n_below = 0, n_gone = 0;
    for (size_t n = 1; n <= 40; n = n < 4 ? n + 1 : n * 2)
        for (size_t t = 0; t < 5; t++) {
            make_sets(&random, n, sets);
            check_filter(sets, thresholds[t], &n_below, &n_gone);
        }
    assert_true(n_gone > n_below * 8 / 10);
    make_sets(&random, ROOM, sets);
    check_filter(sets, 0.8, &n_below, &n_gone);
}

/* Equal sets may be equal, in whatever order; a size that is not known rules
 * nothing out; different sets of a form are told apart. */
static void test_equal_sets_may_be_equal(void **state)
{
    (void)state;
    static struct set sets[N_SETS];
    static struct og_set_parity all[N_SETS];
    uint64_t random = 11;
    size_t n_apart = 0, n_different = 0;
    make_sets(&random, 20, sets);
    for (size_t i = 0; i < N_SETS; i++)
        all[i] = og_set_parity_of(sets[i].fps, sets[i].n);
    for (size_t a = 0; a < N_SETS; a++)
        for (size_t b = 0; b < N_SETS; b++) {
            const size_t n = n_distinct(&sets[a]);
            const bool equal =
                n == n_distinct(&sets[b]) && n == n_common(&sets[a], &sets[b]);
            const bool may = og_set_parity_may_equal(&all[a], &all[b]);
            if (equal) assert_true(may);
            n_different += !equal;
            n_apart += !may;
        }
    assert_true(n_apart > n_different * 99 / 100);
    const struct og_set_parity unknown = og_set_parity_of(NULL, 0);
    assert_true(og_set_parity_may_equal(&unknown, &all[0]));
    assert_true(og_set_parity_may_equal(&all[0], &unknown));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits_stand_for_fingerprints),
        cmocka_unit_test(test_order_and_repeats_do_not_count),
        cmocka_unit_test(test_long_sets_have_none),
        cmocka_unit_test(test_the_bits_are_used_evenly),
        cmocka_unit_test(test_equal_sets_may_be_equal),
        cmocka_unit_test(test_nothing_alike_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
