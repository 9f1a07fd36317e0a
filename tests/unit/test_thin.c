/* Thin: the vector form equals the plain one, and what any form of the policy
 * must keep. What a state is worth is tuned by measurement, so no test here
 * says which fingerprint goes. */

#include "tests/unit/table_support.h"

static void check_worst(const uint8_t *tag, const uint8_t *state, uint32_t n)
{
    const uint32_t expected = og_thin_worst_plain(tag, state, n);
    assert_true(expected < n);
    FOR_EACH_LEVEL(level)
    assert_int_equal(og_thin_worst(tag, state, n), expected);
}

/* Arrays of exactly n bytes, for memory checkers. */
static void random_states(uint32_t n, uint32_t range, uint64_t *seed)
{
    uint8_t *tag = malloc(n);
    uint8_t *state = malloc(n);
    assert_true(tag != NULL && state != NULL);
    for (uint32_t i = 0; i < n; i++) {
        tag[i] = (uint8_t)lot_below(seed, range);
        state[i] = (uint8_t)lot_below(seed, range);
    }
    check_worst(tag, state, n);
    free(tag);
    free(state);
}

static void every_level_finds_the_same_worst(void **state)
{
    (void)state;
    static const uint32_t ranges[] = {1, 2, 9, 100, 256};
    uint64_t seed = 1;
    for (size_t b = 0; b < LENGTH(every_bucket_size); b++)
        for (int round = 0; round < 400; round++)
            random_states(every_bucket_size[b], ranges[round % 5], &seed);
    og_cpu_force(OG_CPU_AVX512);
}

/* All pairs of tag and state, in slots that all levels see. */
static void every_tag_with_every_state(void **state)
{
    (void)state;
    uint8_t tag[256], states[256];
    for (uint32_t shift = 0; shift < 256; shift++) {
        for (uint32_t i = 0; i < 256; i++) {
            tag[i] = (uint8_t)i;
            states[i] = (uint8_t)(i + shift);
        }
        for (size_t b = 0; b < LENGTH(every_bucket_size); b++)
            check_worst(tag, states, every_bucket_size[b]);
    }
    og_cpu_force(OG_CPU_AVX512);
}

static void among_equals_every_level_takes_the_same(void **state)
{
    (void)state;
    for (uint32_t value = 0; value < 256; value += 5) {
        uint8_t tag[256], states[256];
        memset(tag, (int)value, sizeof(tag));
        memset(states, (int)(255 - value), sizeof(states));
        for (size_t b = 0; b < LENGTH(every_bucket_size); b++)
            check_worst(tag, states, every_bucket_size[b]);
    }
    og_cpu_force(OG_CPU_AVX512);
}

/* The clock never wraps: a state that ticks long enough stays constant, and the
 * effect of a tick depends only on the state. */
static void the_clock_stops_at_the_end(void **state)
{
    (void)state;
    uint8_t states[256], before[256];
    for (uint32_t i = 0; i < 256; i++)
        states[i] = (uint8_t)i;
    for (int tick = 0; tick < 300; tick++) {
        memcpy(before, states, sizeof(before));
        og_thin_tick(states, 256);
        for (uint32_t i = 0; i < 256; i++)
            assert_true(states[i] >= before[i]);
    }
    assert_memory_equal(before, states, sizeof(before));
    states[3] = 0;
    og_thin_tick(states, 3); /* the first three only */
    assert_int_equal(states[3], 0);
}

/* A fingerprint that was seen again is worth no less than before. */
static void being_seen_makes_nothing_worse(void **state)
{
    (void)state;
    for (uint32_t before = 0; before < 256; before++)
        for (uint8_t weight = 0; weight < 2; weight++) {
            const uint8_t renewed = og_thin_renewed((uint8_t)before, weight);
            const uint8_t tags[2] = {100, 100};
            const uint8_t states[2] = {renewed, (uint8_t)before};
            /* The first is the worst only when they are equal. */
            const uint8_t turned[2] = {(uint8_t)before, renewed};
            const bool first_goes = og_thin_worst(tags, states, 2) == 0;
            const bool second_goes = og_thin_worst(tags, turned, 2) == 1;
            assert_true(!first_goes || !second_goes);
        }
}

static void a_full_bucket_takes_every_new_fingerprint(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (size_t b = 0; b < LENGTH(every_bucket_size); b++) {
        struct og_table t;
        table_of(
            &t,
            (struct og_table_options){.evict = OG_EVICT_THIN,
                                      .bucket_slots = every_bucket_size[b]},
            2);
        for (uint32_t doc = 0; doc < 3000; doc++) {
            const uint64_t fp = lot_below(&seed, 2000);
            table_add(&t, doc, fp, 0, 0, (uint8_t)lot_below(&seed, 2));
            assert_true(table_has(&t, fp));
        }
        check_used_first(&t);
        og_table_release(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_finds_the_same_worst),
        cmocka_unit_test(every_tag_with_every_state),
        cmocka_unit_test(among_equals_every_level_takes_the_same),
        cmocka_unit_test(the_clock_stops_at_the_end),
        cmocka_unit_test(being_seen_makes_nothing_worse),
        cmocka_unit_test(a_full_bucket_takes_every_new_fingerprint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
