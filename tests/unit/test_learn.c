/* Learn: the vector form equals the plain one, how slots age, and that it
 * finds out what a stream is like. Rates and levels are tuned by measurement,
 * so no test here says which fingerprint goes. */

#include "tests/unit/table_support.h"

#define N_SEEN 8 /* class = age * N_SEEN + seen */

static struct og_learning *learning_new(void)
{
    struct og_learning *learning;
    assert_int_equal(og_learning_new(NULL, &learning, NULL), OG_OK);
    return learning;
}

/* Lessons from slots that live and are seen again at random. */
static void teach(struct og_learning *learning, uint64_t *seed)
{
    uint8_t state[64];
    for (size_t i = 0; i < sizeof(state); i++)
        state[i] = (uint8_t)og_random_next(seed);
    for (int i = 0; i < 20000; i++) {
        og_learning_tick(learning, state, sizeof(state), seed);
        const uint32_t slot = lot_below(seed, sizeof(state));
        if (lot_below(seed, 3) == 0)
            state[slot] = og_learning_renewed(learning, state[slot]);
        else if (lot_below(seed, 20) == 0)
            state[slot] = 0;
    }
}

/* Arrays of exactly n bytes, for memory checkers. */
static void check_worst(const struct og_learning *learning, uint32_t n,
                        uint32_t range, uint64_t *seed)
{
    uint8_t *state = malloc(n);
    uint8_t *tag = malloc(n);
    assert_non_null(state);
    assert_non_null(tag);
    for (uint32_t i = 0; i < n; i++) {
        state[i] = (uint8_t)lot_below(seed, range);
        tag[i] = (uint8_t)(1 + lot_below(seed, 255));
    }
    const uint64_t random = og_random_next(seed);
    og_cpu_force(OG_CPU_PLAIN);
    uint64_t lots = random;
    const uint32_t expected = og_learning_worst(learning, tag, state, n, &lots);
    const uint64_t lots_after = lots;
    assert_true(expected < n);
    FOR_EACH_LEVEL(level)
    {
        lots = random;
        assert_int_equal(og_learning_worst(learning, tag, state, n, &lots),
                         expected);
        assert_true(lots == lots_after);
    }
    free(tag);
    free(state);
}

static void every_level_finds_the_same_worst(void **state)
{
    (void)state;
    static const uint32_t ranges[] = {1, 2, 9, 100, 256};
    uint64_t seed = 1;
    for (int lessons = 0; lessons < 4; lessons++) {
        struct og_learning *learning = learning_new();
        for (int i = 0; i < lessons; i++)
            teach(learning, &seed);
        for (size_t b = 0; b < LENGTH(every_bucket_size); b++)
            for (int round = 0; round < 400; round++)
                check_worst(learning, every_bucket_size[b], ranges[round % 5],
                            &seed);
        og_learning_free(learning, NULL);
    }
    og_cpu_force(OG_CPU_AVX512);
}

/* Among equals no slot is safe and none always goes. */
static void ties_are_broken_by_lot(void **state)
{
    (void)state;
    struct og_learning *learning = learning_new();
    uint64_t seed = 2;
    FOR_EACH_LEVEL(level)
    {
        uint8_t same[64] = {0};
        uint8_t tag[64];
        memset(tag, 77, sizeof(tag));
        uint32_t n_left[64] = {0};
        for (int i = 0; i < 64 * 100; i++)
            n_left[og_learning_worst(learning, tag, same, 64, &seed)]++;
        for (size_t slot = 0; slot < 64; slot++)
            assert_in_range(n_left[slot], 50, 150); /* 100, 5 deviations */
    }
    og_learning_free(learning, NULL);
    og_cpu_force(OG_CPU_AVX512);
}

/* Fingerprints that came together go in the order of their tags. */
static void of_equal_classes_the_largest_tag_goes(void **state)
{
    (void)state;
    struct og_learning *learning = learning_new();
    uint64_t seed = 5;
    FOR_EACH_LEVEL(level)
    {
        uint8_t same[64] = {0};
        uint8_t tag[64];
        for (unsigned i = 0; i < 64; i++)
            tag[i] = (uint8_t)(1 + i);
        tag[20] = 250;
        assert_int_equal(og_learning_worst(learning, tag, same, 64, &seed), 20);
    }
    og_learning_free(learning, NULL);
    og_cpu_force(OG_CPU_AVX512);
}

/* Once more by the root of the tag for those that were never seen again. */
static void the_never_seen_are_spread_further(void **state)
{
    (void)state;
    struct og_learning *learning = learning_new();
    uint64_t seed = 5;
    FOR_EACH_LEVEL(level)
    {
        uint8_t class[64], tag[64];
        memset(class, 1, sizeof(class));
        memset(tag, 250, sizeof(tag));
        /* A new table treats all classes alike: the tags decide, and of two
         * with equal tags the mean of all. */
        class[20] = 0;
        assert_int_equal(og_learning_worst(learning, tag, class, 64, &seed),
                         20);
        memset(class, 0, sizeof(class));
        memset(tag, 20, sizeof(tag));
        class[20] = 1;
        assert_int_equal(og_learning_worst(learning, tag, class, 64, &seed),
                         20);
    }
    og_learning_free(learning, NULL);
    og_cpu_force(OG_CPU_AVX512);
}

/* ---- ageing
 * ---------------------------------------------------------------- */

/* Time makes nothing younger, forgets no sighting and never wraps. */
static void a_class_never_falls_with_time(void **state)
{
    (void)state;
    struct og_learning *learning = learning_new();
    uint64_t seed = 3;
    uint8_t states[256], before[256];
    for (uint32_t i = 0; i < 256; i++)
        states[i] = (uint8_t)i;
    for (int tick = 0; tick < 20000; tick++) {
        memcpy(before, states, sizeof(before));
        og_learning_tick(learning, states, 256, &seed);
        for (uint32_t i = 0; i < 256; i++) {
            assert_true(states[i] >= before[i]);
            assert_true(states[i] - before[i] <= N_SEEN); /* one age at most */
            assert_int_equal(states[i] % N_SEEN, before[i] % N_SEEN);
        }
    }
    for (uint32_t i = 0; i < 256; i++)
        assert_true(states[i] / N_SEEN >= 10); /* and goes on */
    og_learning_free(learning, NULL);
}

/* Slots are filled one after the other, and nothing ages before the first tick:
 * then the first is the oldest, however often it was seen. */
static void a_bucket_that_is_full_has_ages(void **state)
{
    (void)state;
    struct og_learning *learning = learning_new();
    uint64_t seed = 6;
    uint8_t states[64];
    for (uint32_t i = 0; i < 64; i++)
        states[i] = (uint8_t)(i % N_SEEN);
    while (states[63] < N_SEEN)
        og_learning_tick(learning, states, 64, &seed);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(states[i] % N_SEEN, i % N_SEEN);
        if (i > 0) assert_true(states[i] / N_SEEN <= states[i - 1] / N_SEEN);
    }
    assert_true(states[0] / N_SEEN > states[63] / N_SEEN + 3);
    og_learning_free(learning, NULL);
}

static void only_the_slots_of_the_bucket_age(void **state)
{
    (void)state;
    struct og_learning *learning = learning_new();
    uint64_t seed = 4;
    uint8_t states[8] = {0};
    for (int tick = 0; tick < 1000; tick++)
        og_learning_tick(learning, states, 4, &seed);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(states[i] > 0, i < 4);
    og_learning_free(learning, NULL);
}

static void being_seen_makes_young(void **state)
{
    (void)state;
    struct og_learning *learning = learning_new();
    for (unsigned before = 0; before < 256; before++) {
        const unsigned seen = before % N_SEEN;
        const unsigned expected = seen + 1 < N_SEEN ? seen + 1 : seen;
        assert_int_equal(og_learning_renewed(learning, (uint8_t)before),
                         expected); /* age 0 */
    }
    og_learning_free(learning, NULL);
}

/* ---- streams
 * --------------------------------------------------------------- */

#define N_BUCKETS 8
#define SLOTS     64
#define CAPACITY  ((uint64_t)N_BUCKETS * SLOTS)
#define N_STEPS   300000
#define WARM_UP   200000 /* fingerprints added before the asking counts */

struct stream {
    struct og_table table;
    uint64_t seed;
    uint64_t n_new, n_asked, n_known;
};

static void stream_init(struct stream *s, og_evict_kind evict)
{
    *s = (struct stream){.seed = 5};
    table_of(&s->table,
             (struct og_table_options){.evict = evict, .bucket_slots = SLOTS},
             N_BUCKETS);
}

/* Another document each time, so that none repeats itself. */
static void see(struct stream *s, uint64_t fp)
{
    table_add(&s->table, (uint32_t)s->table.n_added, fp, 0, 0, 1);
}

static void ask(struct stream *s, uint64_t fp)
{
    if (s->table.n_added > WARM_UP) {
        s->n_asked++;
        s->n_known += table_has(&s->table, fp);
    }
    see(s, fp);
}

static void add_new(struct stream *s)
{
    see(s, og_mix64(++s->n_new));
}

/* One fingerprint in two comes back, once or more often, and soon. */
static double known_of_recent(og_evict_kind evict)
{
    struct stream s;
    stream_init(&s, evict);
    for (int step = 0; step < N_STEPS; step++) {
        add_new(&s);
        const uint64_t ago = lot_below(&s.seed, CAPACITY / 2);
        if (s.n_new > ago && lot_below(&s.seed, 2))
            ask(&s, og_mix64(s.n_new - ago));
    }
    og_table_release(&s.table);
    return (double)s.n_known / (double)s.n_asked;
}

/* Half as many as fit come back for ever; nine fingerprints in ten never do. */
static double known_of_fixed_set(og_evict_kind evict)
{
    struct stream s;
    stream_init(&s, evict);
    for (int step = 0; step < N_STEPS; step++) {
        if (lot_below(&s.seed, 10))
            add_new(&s);
        else
            ask(&s, 1000000 + lot_below(&s.seed, CAPACITY / 2));
    }
    og_table_release(&s.table);
    return (double)s.n_known / (double)s.n_asked;
}

static void recent_fingerprints_stay_where_recent_ones_come_back(void **state)
{
    (void)state;
    const double by_lot = known_of_recent(OG_EVICT_RANDOM);
    const double learnt = known_of_recent(OG_EVICT_LEARN);
    assert_true(1 - learnt < 0.5 * (1 - by_lot)); /* half the misses */
}

static void a_fixed_set_stays_where_it_comes_back(void **state)
{
    (void)state;
    const double by_lot = known_of_fixed_set(OG_EVICT_RANDOM);
    const double learnt = known_of_fixed_set(OG_EVICT_LEARN);
    assert_true(by_lot < 0.5);
    assert_true(learnt > 0.95);
}

/* ---- the table
 * ------------------------------------------------------------ */

static void run_twice(struct og_table *t, uint64_t seed)
{
    table_of(
        t,
        (struct og_table_options){.evict = OG_EVICT_LEARN, .bucket_slots = 64},
        3);
    for (uint32_t doc = 0; doc < 30000; doc++)
        table_add(t, doc / 7, lot_below(&seed, 2000), 0, 0, 1);
}

static void the_same_run_gives_the_same_table(void **state)
{
    (void)state;
    struct og_table first, again;
    og_cpu_force(OG_CPU_PLAIN);
    run_twice(&first, 6);
    FOR_EACH_LEVEL(level)
    {
        run_twice(&again, 6);
        assert_memory_equal(first.base, again.base, 3 * first.bucket_len);
        assert_true(first.random == again.random);
        assert_int_equal(first.n_evicted, again.n_evicted);
        og_table_release(&again);
    }
    og_table_release(&first);
    og_cpu_force(OG_CPU_AVX512);
}

static void a_full_bucket_takes_every_new_fingerprint(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (size_t b = 0; b < LENGTH(every_bucket_size); b++) {
        struct og_table t;
        table_of(
            &t,
            (struct og_table_options){.evict = OG_EVICT_LEARN,
                                      .bucket_slots = every_bucket_size[b]},
            2);
        for (uint32_t doc = 0; doc < 3000; doc++) {
            const uint64_t fp = lot_below(&seed, 2000);
            table_add(&t, doc, fp, 0, 0, 1);
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
        cmocka_unit_test(ties_are_broken_by_lot),
        cmocka_unit_test(of_equal_classes_the_largest_tag_goes),
        cmocka_unit_test(the_never_seen_are_spread_further),
        cmocka_unit_test(a_bucket_that_is_full_has_ages),
        cmocka_unit_test(a_class_never_falls_with_time),
        cmocka_unit_test(only_the_slots_of_the_bucket_age),
        cmocka_unit_test(being_seen_makes_young),
        cmocka_unit_test(recent_fingerprints_stay_where_recent_ones_come_back),
        cmocka_unit_test(a_fixed_set_stays_where_it_comes_back),
        cmocka_unit_test(the_same_run_gives_the_same_table),
        cmocka_unit_test(a_full_bucket_takes_every_new_fingerprint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
