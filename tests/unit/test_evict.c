/* The policies of the paper on one bucket, by hand: R, LRU, CC, LS. Against a
 * model over random operations: tests/property/test_table_model.c. */

#include "tests/unit/table_support.h"

static void one_bucket(struct og_table *t, og_evict_kind evict, uint32_t slots)
{
    table_of(
        t, (struct og_table_options){.evict = evict, .bucket_slots = slots}, 1);
}

/* All fingerprints fall into the one bucket; documents count up. */
static void see(struct og_table *t, uint64_t fp, uint8_t weight)
{
    table_add(t, (uint32_t)t->n_added, fp, 0, 0, weight);
}

static uint8_t state_of(struct og_table *t, uint64_t fp)
{
    uint8_t *bucket = og_bucket_at(t, 0);
    const uint32_t slot = og_bucket_find(t, bucket, og_mix64(fp));
    assert_true(slot < t->options.bucket_slots);
    return og_bucket_state(t, bucket)[slot];
}

static void random_gives_every_slot_up_in_time(void **state)
{
    (void)state;
    struct og_table t;
    uint32_t n_left[16] = {0};
    one_bucket(&t, OG_EVICT_RANDOM, 16);
    for (uint64_t fp = 0; fp < 16; fp++)
        see(&t, fp, 1);
    uint8_t *bucket = og_bucket_at(&t, 0);
    for (uint64_t fp = 16; fp < 16 + 3200; fp++) {
        see(&t, fp, 1);
        n_left[og_bucket_find(&t, bucket, og_mix64(fp))]++;
    }
    for (size_t slot = 0; slot < 16; slot++)
        assert_in_range(n_left[slot], 130, 270); /* 200 each, 5 deviations */
    assert_int_equal(t.n_used, 16);
    assert_int_equal(t.n_evicted, 3200);
    og_table_release(&t);
}

static void lru_gives_up_what_was_not_seen_longest(void **state)
{
    (void)state;
    struct og_table t;
    one_bucket(&t, OG_EVICT_LRU, 4);
    for (uint64_t fp = 1; fp <= 4; fp++)
        see(&t, fp, 1);
    see(&t, 1, 1); /* the queue: 2 3 4 1 */
    see(&t, 5, 1); /* 3 4 1 5 */
    assert_false(table_has(&t, 2));
    see(&t, 3, 1); /* 4 1 5 3 */
    see(&t, 6, 1); /* 1 5 3 6 */
    assert_false(table_has(&t, 4));
    see(&t, 7, 1); /* 5 3 6 7 */
    assert_false(table_has(&t, 1));
    assert_true(table_has(&t, 3));
    assert_true(table_has(&t, 5));
    og_table_release(&t);
}

/* Asking is not seeing: only what a document adds moves the queue. */
static void asking_changes_nothing(void **state)
{
    (void)state;
    for (size_t p = 0; p < LENGTH(every_policy); p++) {
        struct og_table t;
        one_bucket(&t, every_policy[p], 4);
        for (uint64_t fp = 1; fp <= 4; fp++)
            see(&t, fp, 1);
        uint8_t *before = malloc(t.bucket_len);
        assert_non_null(before);
        memcpy(before, t.base, t.bucket_len);
        for (uint64_t fp = 0; fp < 10; fp++)
            table_has(&t, fp);
        assert_memory_equal(before, t.base, t.bucket_len);
        free(before);
        og_table_release(&t);
    }
}

/* A sighting moves the queue and the counts as an addition does, and adds
 * nothing. */
static void a_sighting_counts_and_adds_nothing(void **state)
{
    (void)state;
    static const uint64_t seen[] = {1, 99};
    static const uint8_t weights[] = {1, 1};
    for (size_t p = 1; p <= 2; p++) { /* LRU, CC */
        struct og_table t;
        one_bucket(&t, every_policy[p], 4);
        for (uint64_t fp = 1; fp <= 4; fp++)
            see(&t, fp, 1);
        for (uint64_t fp = 2; p == 2 && fp <= 3; fp++)
            see(&t, fp, 1); /* CC: 1 2 2 1, and one more for the first */
        og_table_see_many(&t, seen, weights, 2);
        assert_int_equal(t.n_used, 4);
        assert_false(table_has(&t, 99));
        assert_int_equal(table_find(&t, 1).doc, 0);
        see(&t, 5, 1);
        assert_true(table_has(&t, 1));
        assert_false(table_has(&t, p == 1 ? 2 : 4));
        og_table_release(&t);
    }
}

static void copy_count_gives_up_the_least_copied(void **state)
{
    (void)state;
    struct og_table t;
    one_bucket(&t, OG_EVICT_COPY_COUNT, 4);
    for (uint64_t fp = 1; fp <= 4; fp++)
        for (uint64_t n = 0; n < fp; n++)
            see(&t, fp, 9); /* the weight is none of its business */
    for (uint64_t fp = 1; fp <= 4; fp++)
        assert_int_equal(state_of(&t, fp), fp);
    see(&t, 5, 9);
    assert_false(table_has(&t, 1));
    assert_int_equal(state_of(&t, 5), 1);
    see(&t, 6, 9);
    assert_false(table_has(&t, 5));
    og_table_release(&t);
}

/* "When the counters for 10 shingles in a bucket reach 255, we divide all the
 * counters by two." */
static void copy_counts_are_halved_when_ten_are_full(void **state)
{
    (void)state;
    struct og_table t;
    one_bucket(&t, OG_EVICT_COPY_COUNT, 16);
    for (uint64_t fp = 0; fp < 16; fp++)
        for (uint64_t n = 0; n < 100 + fp; n++)
            see(&t, fp, 1);
    for (uint64_t fp = 0; fp < 9; fp++)
        for (int n = 0; n < 300; n++)
            see(&t, fp, 1); /* nine are full and stay so */
    for (uint64_t fp = 0; fp < 9; fp++)
        assert_int_equal(state_of(&t, fp), 255);
    while (state_of(&t, 9) < 254)
        see(&t, 9, 1);
    assert_int_equal(state_of(&t, 15), 115);
    see(&t, 9, 1); /* the tenth */
    for (uint64_t fp = 0; fp < 10; fp++)
        assert_int_equal(state_of(&t, fp), 127);
    for (uint64_t fp = 10; fp < 16; fp++)
        assert_int_equal(state_of(&t, fp), (100 + fp) / 2);
    og_table_release(&t);
}

/* A bucket of less than ten can never have ten that are full. */
static void small_buckets_keep_full_counters(void **state)
{
    (void)state;
    struct og_table t;
    one_bucket(&t, OG_EVICT_COPY_COUNT, 8);
    for (int n = 0; n < 8 * 300; n++)
        see(&t, (uint64_t)n % 8, 1);
    for (uint64_t fp = 0; fp < 8; fp++)
        assert_int_equal(state_of(&t, fp), 255);
    see(&t, 8, 1); /* and still gives one up */
    assert_true(table_has(&t, 8));
    og_table_release(&t);
}

static void lucky_gives_up_the_smallest_score(void **state)
{
    (void)state;
    struct og_table t;
    one_bucket(&t, OG_EVICT_LUCKY, 4);
    see(&t, 1, 5);
    see(&t, 2, 1);
    see(&t, 3, 2);
    see(&t, 4, 1);
    see(&t, 2, 3); /* 2 has 4 now */
    assert_int_equal(state_of(&t, 2), 4);
    see(&t, 5, 2);
    assert_false(table_has(&t, 4));
    assert_int_equal(state_of(&t, 5), 2);
    og_table_release(&t);
}

/* Rule (e): "Whenever the average lucky score of all shingles in a bucket
 * reaches some fixed limit, we divide all the lucky score fields by 2", with a
 * limit of 11. */
static void lucky_scores_are_halved_at_an_average_of_11(void **state)
{
    (void)state;
    struct og_table t;
    one_bucket(&t, OG_EVICT_LUCKY, 4);
    for (uint64_t fp = 1; fp <= 3; fp++)
        see(&t, fp, 10);
    see(&t, 4, 12); /* 42 in all: below 44 */
    assert_int_equal(state_of(&t, 4), 12);
    see(&t, 1, 1); /* 43 */
    assert_int_equal(state_of(&t, 1), 11);
    see(&t, 2, 1); /* 44: halved, rounded down */
    assert_int_equal(state_of(&t, 1), 5);
    assert_int_equal(state_of(&t, 2), 5);
    assert_int_equal(state_of(&t, 3), 5);
    assert_int_equal(state_of(&t, 4), 6);
    /* A fingerprint that comes in can reach the limit as well. */
    see(&t, 5, 255);
    assert_int_equal(state_of(&t, 5), 127);
    og_table_release(&t);
}

/* Slots that are empty have no score: the average is that of the others. */
static void lucky_scores_of_a_bucket_that_is_not_full(void **state)
{
    (void)state;
    struct og_table t;
    one_bucket(&t, OG_EVICT_LUCKY, 64);
    see(&t, 1, 10);
    assert_int_equal(state_of(&t, 1), 10);
    see(&t, 2, 11);
    assert_int_equal(state_of(&t, 2), 11); /* 21 of two: below 22 */
    see(&t, 1, 1);
    assert_int_equal(state_of(&t, 1), 5); /* 22: halved */
    assert_int_equal(state_of(&t, 2), 5);
    og_table_release(&t);
    one_bucket(&t, OG_EVICT_LUCKY, 64);
    see(&t, 1, 11); /* alone */
    assert_int_equal(state_of(&t, 1), 5);
    og_table_release(&t);
}

/* Among equals the choice is by lot: no slot is safe, none always goes. */
static void ties_are_broken_by_lot(void **state)
{
    (void)state;
    const og_evict_kind policies[] = {OG_EVICT_COPY_COUNT, OG_EVICT_LUCKY};
    for (size_t p = 0; p < LENGTH(policies); p++) {
        struct og_table t;
        uint32_t n_left[8] = {0};
        one_bucket(&t, policies[p], 8);
        for (uint64_t fp = 0; fp < 808; fp++) {
            see(&t, fp, 1);
            if (fp < 8) continue;
            const uint32_t slot =
                og_bucket_find(&t, og_bucket_at(&t, 0), og_mix64(fp));
            n_left[slot]++;
        }
        for (size_t slot = 0; slot < 8; slot++)
            assert_in_range(n_left[slot], 50, 150);
        og_table_release(&t);
    }
}

static void used_slots_stay_first(void **state)
{
    (void)state;
    for (size_t p = 0; p < LENGTH(every_policy); p++)
        for (size_t b = 0; b < LENGTH(every_bucket_size); b++) {
            struct og_table t;
            uint64_t seed = p * 100 + b;
            table_of(
                &t,
                (struct og_table_options){.evict = every_policy[p],
                                          .bucket_slots = every_bucket_size[b]},
                2);
            const uint32_t n_fps = 6 * every_bucket_size[b];
            for (uint32_t i = 0; i < 10 * every_bucket_size[b]; i++) {
                see(&t, lot_below(&seed, n_fps), (uint8_t)lot_below(&seed, 5));
                if (i % 7 == 0) check_used_first(&t);
            }
            assert_int_equal(t.n_used, og_table_slots(&t));
            og_table_release(&t);
        }
}

static void state_takes_a_byte_or_none(void **state)
{
    (void)state;
    for (size_t p = 0; p < LENGTH(every_policy); p++) {
        const bool none = every_policy[p] == OG_EVICT_RANDOM ||
                          every_policy[p] == OG_EVICT_LRU;
        assert_int_equal(og_evict_state_len(every_policy[p]), none ? 0 : 1);
        assert_int_equal(og_evict_ring_len(every_policy[p], 64) > 0,
                         every_policy[p] == OG_EVICT_S3FIFO);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_gives_every_slot_up_in_time),
        cmocka_unit_test(lru_gives_up_what_was_not_seen_longest),
        cmocka_unit_test(asking_changes_nothing),
        cmocka_unit_test(a_sighting_counts_and_adds_nothing),
        cmocka_unit_test(copy_count_gives_up_the_least_copied),
        cmocka_unit_test(copy_counts_are_halved_when_ten_are_full),
        cmocka_unit_test(small_buckets_keep_full_counters),
        cmocka_unit_test(lucky_gives_up_the_smallest_score),
        cmocka_unit_test(lucky_scores_are_halved_at_an_average_of_11),
        cmocka_unit_test(lucky_scores_of_a_bucket_that_is_not_full),
        cmocka_unit_test(ties_are_broken_by_lot),
        cmocka_unit_test(used_slots_stay_first),
        cmocka_unit_test(state_takes_a_byte_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
