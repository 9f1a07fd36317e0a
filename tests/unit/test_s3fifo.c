/* S3-FIFO in one bucket, by hand. */

#include "tests/unit/table_support.h"

static void one_bucket(struct og_table *t, uint32_t slots)
{
    table_of(t,
             (struct og_table_options){.evict = OG_EVICT_S3FIFO,
                                       .bucket_slots = slots},
             1);
}

static void see(struct og_table *t, uint64_t fp)
{
    table_add(t, (uint32_t)t->n_added, fp, 0, 0, 1);
}

static void see_all(struct og_table *t, uint64_t first, uint64_t n)
{
    for (uint64_t fp = first; fp < first + n; fp++)
        see(t, fp);
}

static uint32_t n_small(const struct og_table *t)
{
    return og_bucket_at(t, 0)[t->ring_off];
}

static void what_is_seen_once_leaves_in_order(void **state)
{
    (void)state;
    struct og_table t;
    one_bucket(&t, 8);
    see_all(&t, 0, 8);
    for (uint64_t fp = 8; fp < 30; fp++) {
        see(&t, fp);
        assert_false(table_has(&t, fp - 8));
        for (uint64_t kept = fp - 7; kept <= fp; kept++)
            assert_true(table_has(&t, kept));
    }
    og_table_release(&t);
}

static void what_was_seen_again_survives_a_scan(void **state)
{
    (void)state;
    struct og_table t;
    one_bucket(&t, 8);
    see_all(&t, 0, 8);
    see(&t, 2);
    see(&t, 5);
    see_all(&t, 100, 50); /* a scan: each once */
    assert_true(table_has(&t, 2));
    assert_true(table_has(&t, 5));
    assert_false(table_has(&t, 3));
    og_table_release(&t);
}

/* A fingerprint whose ghost is there goes to the main queue at once, and so
 * outlives a scan that it was never seen in. */
static void a_ghost_comes_back_to_the_main_queue(void **state)
{
    (void)state;
    struct og_table t;
    one_bucket(&t, 8);
    see_all(&t, 0, 8);
    see(&t, 8); /* 0 leaves, its ghost stays */
    assert_false(table_has(&t, 0));
    const uint32_t before = n_small(&t);
    see(&t, 0);
    assert_true(table_has(&t, 0));
    assert_int_equal(n_small(&t), before - 1); /* one left, 0 is in main */
    see_all(&t, 100, 50);
    assert_true(table_has(&t, 0));
    og_table_release(&t);
}

/* Half as many ghosts as slots: the oldest is forgotten. */
static void ghosts_are_forgotten(void **state)
{
    (void)state;
    struct og_table t;
    one_bucket(&t, 8);
    see_all(&t, 0, 8 + 5); /* 0 .. 4 have left, 4 ghosts stay */
    const uint32_t before = n_small(&t);
    see(&t, 0); /* unknown: to the small queue */
    assert_int_equal(n_small(&t), before);
    see(&t, 4); /* a ghost */
    assert_int_equal(n_small(&t), before - 1);
    og_table_release(&t);
}

/* When all has been seen often the bucket still gives something up. */
static void a_bucket_full_of_favourites_gives_one_up(void **state)
{
    (void)state;
    for (size_t b = 0; b < LENGTH(every_bucket_size); b++) {
        const uint32_t slots = every_bucket_size[b];
        struct og_table t;
        one_bucket(&t, slots);
        for (int round = 0; round < 5; round++)
            see_all(&t, 0, slots);
        see(&t, 100000);
        assert_true(table_has(&t, 100000));
        assert_int_equal(t.n_evicted, 1);
        assert_int_equal(t.n_used, slots);
        og_table_release(&t);
    }
}

/* The length of the small queue is kept in one byte; 256 new fingerprints in a
 * bucket of 256 slots must not make it 0. */
static void the_small_queue_of_the_largest_bucket_is_counted(void **state)
{
    (void)state;
    struct og_table t;
    one_bucket(&t, 256);
    see_all(&t, 0, 256);
    assert_true(n_small(&t) >= 255);
    see(&t, 1000); /* 0 leaves by the small queue and has a ghost */
    assert_false(table_has(&t, 0));
    const uint32_t before = n_small(&t);
    see(&t, 0);
    assert_int_equal(n_small(&t), before - 1);
    og_table_release(&t);
}

static void a_tenth_of_the_bucket_is_the_small_queue(void **state)
{
    (void)state;
    struct og_table t;
    uint64_t seed = 1;
    one_bucket(&t, 64);
    for (int i = 0; i < 20000; i++)
        see(&t, (uint64_t)lot_below(&seed, 1 + lot_below(&seed, 200)));
    assert_in_range(n_small(&t), 5, 7);
    og_table_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_seen_once_leaves_in_order),
        cmocka_unit_test(what_was_seen_again_survives_a_scan),
        cmocka_unit_test(a_ghost_comes_back_to_the_main_queue),
        cmocka_unit_test(ghosts_are_forgotten),
        cmocka_unit_test(a_bucket_full_of_favourites_gives_one_up),
        cmocka_unit_test(the_small_queue_of_the_largest_bucket_is_counted),
        cmocka_unit_test(a_tenth_of_the_bucket_is_the_small_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
