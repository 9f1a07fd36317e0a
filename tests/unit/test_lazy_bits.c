/* Bits that are counted, against the words that they come from; and the race
 * that asks for few of them, against all bits of all tails. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/sketch/lazy_bits.h"

/* ---- the stream ---- */

/* Bit n of a stream: the words of the generator, the highest bit first. */
static unsigned true_bit(uint64_t seed, uint64_t n)
{
    uint64_t state = seed, word = og_random_next(&state);
    for (; n >= 64; n -= 64)
        word = og_random_next(&state);
    return word >> (63 - n) & 1;
}

static uint64_t true_bits(uint64_t seed, uint64_t from)
{
    uint64_t bits = 0;
    for (uint64_t i = 0; i < 64; i++)
        bits = bits << 1 | true_bit(seed, from + i);
    return bits;
}

static void bits_are_those_of_the_generator(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct og_bit_stream s = og_bits_start(seed);
        for (int i = 0; i < 40; i++) {
            assert_true(og_bits_peek(&s) == true_bits(seed, s.n_used));
            const uint64_t before = s.n_used;
            const unsigned n = (unsigned)(og_random_next(&random) % 65);
            og_bits_skip(&s, n);
            assert_int_equal(s.n_used, before + n);
        }
    }
}

static void a_run_counts_zeros(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct og_bit_stream s = og_bits_start(seed);
        uint64_t at = 0;
        for (int i = 0; i < 100; i++) {
            uint32_t zeros = 0;
            while (true_bit(seed, at) == 0)
                at++, zeros++;
            at++;
            assert_int_equal(og_bits_run(&s), zeros);
            assert_int_equal(s.n_used, at);
        }
    }
}

/* Words of zeros, as chance never gives them. */
static void a_run_goes_over_words(void **state)
{
    (void)state;
    struct og_bit_stream s = {.state = 1, .next = 1};
    assert_int_equal(og_bits_run(&s), 64 + 63);
    assert_int_equal(s.n_used, 128);
}

/* ---- the race ---- */

enum { N_SAMPLES = 5 };

static struct og_contest contest[N_SAMPLES];

static struct og_minhash new_race(void)
{
    struct og_minhash m = {.contest = contest};
    m.options.n_samples = N_SAMPLES;
    assert_int_equal(og_contest_size(), sizeof(contest[0]));
    og_contest_clear(&m);
    return m;
}

/* The longest run of zeros first, then the next one: the smallest tail. */
static uint64_t true_winner(const uint64_t *rivals, size_t n, size_t sample)
{
    uint64_t best = 0, least = UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        const struct og_bit_stream tail = og_bits_tail(rivals[i], sample);
        if (og_bits_peek(&tail) >= least) continue;
        least = og_bits_peek(&tail);
        best = rivals[i];
    }
    return best;
}

/* Also with more rivals than there is room for, each of them twice, in any
 * order. */
static void the_smallest_tail_wins(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (size_t n = 1; n <= 60; n += n < 20 ? 1 : 13) {
        uint64_t rivals[60];
        uint32_t out[N_SAMPLES];
        for (size_t i = 0; i < n; i++)
            rivals[i] = og_random_next(&random);
        for (size_t shift = 0; shift < n; shift += 7) {
            struct og_minhash m = new_race();
            for (size_t i = 0; i < 2 * n; i++)
                for (size_t sample = 0; sample < N_SAMPLES; sample++)
                    og_contest_enter(&m, sample, 7, rivals[(i + shift) % n],
                                     og_contest_settle_runs);
            og_contest_finish(&m, og_contest_settle_runs, out);
            for (size_t sample = 0; sample < N_SAMPLES; sample++)
                assert_int_equal(
                    out[sample],
                    og_sample_of(true_winner(rivals, n, sample) + sample));
            assert_true(n == 1 ? m.n_bits_used == 0 : m.n_bits_used > 0);
        }
    }
}

/* Rank decides before any tail is read. */
static void the_higher_rank_wins(void **state)
{
    (void)state;
    static const uint32_t ranks[] = {3, 0, 9, 9, 2, 4};
    struct og_minhash m = new_race();
    uint32_t out[N_SAMPLES];
    for (uint32_t i = 0; i < 6; i++)
        for (size_t sample = 0; sample < N_SAMPLES; sample++)
            og_contest_enter(&m, sample, ranks[(i + sample) % 6],
                             100 + (i + sample) % 6, og_contest_settle_runs);
    const uint64_t best[] = {102, 103};
    for (size_t sample = 0; sample < N_SAMPLES; sample++) {
        assert_int_equal(contest[sample].rank, 9);
        assert_int_equal(contest[sample].n, 2);
    }
    og_contest_finish(&m, og_contest_settle_runs, out);
    for (size_t sample = 0; sample < N_SAMPLES; sample++)
        assert_int_equal(out[sample],
                         og_sample_of(true_winner(best, 2, sample) + sample));
    og_contest_clear(&m);
    for (size_t sample = 0; sample < N_SAMPLES; sample++)
        assert_int_equal(contest[sample].n, 0);
}

/* A race of rank 0 is entered, too. */
static void the_lowest_rank_is_a_rank(void **state)
{
    (void)state;
    struct og_minhash m = new_race();
    uint32_t out[N_SAMPLES];
    for (size_t sample = 0; sample < N_SAMPLES; sample++)
        og_contest_enter(&m, sample, 0, 5, og_contest_settle_runs);
    og_contest_finish(&m, og_contest_settle_runs, out);
    for (size_t sample = 0; sample < N_SAMPLES; sample++)
        assert_int_equal(out[sample], og_sample_of(5 + sample));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_the_generator),
        cmocka_unit_test(a_run_counts_zeros),
        cmocka_unit_test(a_run_goes_over_words),
        cmocka_unit_test(the_smallest_tail_wins),
        cmocka_unit_test(the_higher_rank_wins),
        cmocka_unit_test(the_lowest_rank_is_a_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
