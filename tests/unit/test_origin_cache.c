/* Who is cached, who goes when there is no room, and who is still in use: the
 * cache against the clock algorithm in plain words. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>

#include "lib/base/bits.h"
#include "lib/trace/origin_cache.h"

enum { BLOCK = 1000, SIDE = sizeof(struct og_origin_side) + BLOCK };

static struct og_origin_cache cache;

static int set_up(void **state)
{
    (void)state;
    og_origin_cache_init(&cache, 3 * SIDE, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    og_origin_cache_release(&cache);
    return 0;
}

static struct og_origin_side *new_side(uint32_t doc, size_t len)
{
    struct og_origin_side *side = og_origin_side_new(doc, NULL);
    assert_non_null(side);
    assert_true(og_origin_side_reserve(&cache, side, len));
    assert_true(side->block_len >= len);
    memset(side->block, (int)doc, len);
    return side;
}

static struct og_origin_side *put(uint32_t doc)
{
    return og_origin_cache_put(&cache, new_side(doc, BLOCK));
}

static void add(uint32_t doc)
{
    og_origin_cache_give(&cache, put(doc));
}

/* Without leaving a trace of the look. */
static bool is_cached(uint32_t doc)
{
    struct og_ancestors a;
    const struct og_ancestors known = {.order = 1};
    og_origin_cache_remember(&cache, doc, &known);
    return og_origin_cache_recall(&cache, doc, &a);
}

static void what_was_put_is_there(void **state)
{
    (void)state;
    assert_null(og_origin_cache_take(&cache, 7));
    struct og_origin_side *one = put(7);
    assert_int_equal(one->doc, 7);
    assert_int_equal(one->n_users, 1);
    struct og_origin_side *again = og_origin_cache_take(&cache, 7);
    assert_ptr_equal(again, one);
    assert_int_equal(one->n_users, 2);
    assert_int_equal(again->block[BLOCK - 1], 7);
    assert_int_equal(cache.n, 1);
    assert_int_equal(cache.bytes, SIDE);
    og_origin_cache_give(&cache, one);
    og_origin_cache_give(&cache, again);
    assert_int_equal(one->n_users, 0);
}

/* Two threads fetch the same text: both use the first. */
static void the_first_one_stays(void **state)
{
    (void)state;
    struct og_origin_side *first = put(7), *second = put(7);
    assert_ptr_equal(first, second);
    assert_int_equal(first->n_users, 2);
    assert_int_equal(cache.n, 1);
    og_origin_cache_give(&cache, first);
    og_origin_cache_give(&cache, second);
}

/* All are used since the hand came by: after one round the oldest goes. One
 * that is taken again is passed over once. */
static void the_hand_passes_over_the_used(void **state)
{
    (void)state;
    for (uint32_t doc = 1; doc <= 4; doc++)
        add(doc);
    /* 3 SIDE is exceeded when a fourth is listed, and noticed at the fifth. */
    assert_int_equal(cache.n, 4);
    add(5);
    assert_false(is_cached(1));
    assert_true(is_cached(2));
    og_origin_cache_give(&cache, og_origin_cache_take(&cache, 2));
    add(6);
    assert_true(is_cached(2));
    assert_false(is_cached(3));
    assert_true(is_cached(4));
    assert_int_equal(cache.n, 4);
    assert_int_equal(cache.bytes, 4 * SIDE);
}

/* However little room there is. */
static void who_is_in_use_stays(void **state)
{
    (void)state;
    struct og_origin_side *used[10];
    for (uint32_t doc = 0; doc < 10; doc++)
        used[doc] = put(doc);
    assert_int_equal(cache.n, 10);
    for (uint32_t doc = 0; doc < 10; doc++) {
        assert_true(is_cached(doc));
        assert_int_equal(used[doc]->block[0], (char)doc);
        og_origin_cache_give(&cache, used[doc]);
    }
    add(10);
    assert_true(cache.n <= 4);
    assert_true(is_cached(10));
}

static void what_is_forgotten_is_freed_by_its_last_user(void **state)
{
    (void)state;
    struct og_origin_side *one = put(7);
    struct og_origin_side *again = og_origin_cache_take(&cache, 7);
    og_origin_cache_forget(&cache, one);
    og_origin_cache_forget(&cache, one); /* by the other user, too */
    assert_null(og_origin_cache_take(&cache, 7));
    assert_int_equal(cache.n, 0);
    assert_int_equal(cache.bytes, 0);
    assert_int_equal(one->block[0], 7);
    struct og_origin_side *other = put(7); /* a new one */
    assert_ptr_not_equal(other, one);
    og_origin_cache_give(&cache, one);
    assert_int_equal(again->block[0], 7);
    og_origin_cache_give(&cache, again);
    og_origin_cache_give(&cache, other);
}

static void ancestors_of_the_cached(void **state)
{
    (void)state;
    struct og_ancestors found = {.order = 9, .n = 1, .docs = {3}}, out;
    assert_false(og_origin_cache_recall(&cache, 7, &out));
    og_origin_cache_remember(&cache, 7, &found); /* is not there: nothing */
    add(7);
    assert_false(og_origin_cache_recall(&cache, 7, &out));
    og_origin_cache_remember(&cache, 7, &found);
    assert_true(og_origin_cache_recall(&cache, 7, &out));
    assert_int_equal(out.order, 9);
    assert_int_equal(out.n, 1);
    assert_int_equal(out.docs[0], 3);
}

/* A long block of an evicted entry serves the next one of about that length. */
static void long_blocks_serve_again(void **state)
{
    enum { LONG = 100 << 10 };
    (void)state;
    cache.most = 10 * LONG;
    for (uint32_t doc = 0; doc < 30 && cache.n_spares == 0; doc++)
        og_origin_cache_give(&cache,
                             og_origin_cache_put(&cache, new_side(doc, LONG)));
    assert_true(cache.n_spares > 0);
    assert_true(cache.spare_bytes <= cache.most / 8);
    const size_t n = cache.n_spares;
    const char *const spare = cache.spares[n - 1].data;
    struct og_origin_side *much = new_side(100, LONG * 2);
    assert_int_equal(cache.n_spares, n);
    struct og_origin_side *little = new_side(101, 66 << 10);
    assert_int_equal(cache.n_spares, n); /* half of it would be idle */
    struct og_origin_side *right = new_side(102, LONG - 100);
    assert_int_equal(cache.n_spares, n - 1);
    assert_ptr_equal(right->block, spare);
    assert_int_equal(right->block_len, LONG);
    size_t bytes = cache.n * (sizeof(struct og_origin_side) + LONG);
    assert_int_equal(cache.bytes, bytes + cache.spare_bytes);
    og_origin_side_free(much, NULL);
    og_origin_side_free(little, NULL);
    og_origin_side_free(right, NULL);
    og_origin_side_free(NULL, NULL);
}

/* ---- any order, against a model ---- */

static void counts_stay_right(void **state)
{
    enum { N_DOCS = 40, MOST_USED = 6 };
    (void)state;
    uint64_t random = 5;
    struct og_origin_side *used[MOST_USED] = {0};
    for (int i = 0; i < 20000; i++) {
        const uint32_t doc = (uint32_t)(og_random_next(&random) % N_DOCS);
        const size_t at = og_random_next(&random) % MOST_USED;
        if (used[at] != NULL) {
            assert_int_equal((uint8_t)used[at]->block[BLOCK / 2],
                             used[at]->doc);
            if (og_random_next(&random) % 8 == 0)
                og_origin_cache_forget(&cache, used[at]);
            og_origin_cache_give(&cache, used[at]);
            used[at] = NULL;
            continue;
        }
        used[at] = og_origin_cache_take(&cache, doc);
        if (used[at] == NULL) used[at] = put(doc);
        assert_int_equal(used[at]->doc, doc);
        size_t n = 0;
        for (uint32_t d = 0; d < N_DOCS; d++)
            n += is_cached(d);
        assert_int_equal(cache.n, n);
        assert_int_equal(cache.bytes, n * SIDE);
        assert_true(n <= MOST_USED + 4);
    }
    for (size_t at = 0; at < MOST_USED; at++)
        if (used[at] != NULL) og_origin_cache_give(&cache, used[at]);
}

static void *use_often(void *ctx)
{
    uint64_t random = (uint64_t)(uintptr_t)ctx;
    for (int i = 0; i < 3000; i++) {
        const uint32_t doc = (uint32_t)(og_random_next(&random) % 20);
        struct og_origin_side *side = og_origin_cache_take(&cache, doc);
        if (side == NULL) {
            side = og_origin_side_new(doc, NULL);
            if (!og_origin_side_reserve(&cache, side, BLOCK)) abort();
            memset(side->block, (int)doc, BLOCK);
            side = og_origin_cache_put(&cache, side);
        }
        if (side->doc != doc || side->block[BLOCK - 1] != (char)doc) abort();
        if (i % 50 == 0) og_origin_cache_forget(&cache, side);
        og_origin_cache_give(&cache, side);
    }
    return NULL;
}

static void threads_share_it(void **state)
{
    enum { N_THREADS = 4 };
    (void)state;
    pthread_t threads[N_THREADS];
    for (uintptr_t i = 0; i < N_THREADS; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, use_often, (void *)(i + 1)), 0);
    for (size_t i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(cache.bytes, cache.n * SIDE);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(what_was_put_is_there),
        CASE(the_first_one_stays),
        CASE(the_hand_passes_over_the_used),
        CASE(who_is_in_use_stays),
        CASE(what_is_forgotten_is_freed_by_its_last_user),
        CASE(ancestors_of_the_cached),
        CASE(long_blocks_serve_again),
        CASE(counts_stay_right),
        CASE(threads_share_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
