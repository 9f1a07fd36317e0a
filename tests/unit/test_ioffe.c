/* The numbers of Ioffe's sampling, and its kernels compared with each other. */

#include "tests/unit/stage_support.h"

#include <float.h>
#include <math.h>

#include "lib/sketch/ioffe.h"

static void test_logarithms(void **state)
{
    uint64_t seed = 1;
    (void)state;
    assert_true(og_ln_weight(1.0f) == 0.0f);
    for (int i = 0; i < 20000; i++) {
        /* Normal, positive and finite, of every exponent. */
        const int32_t bits =
            (int32_t)(0x00800000 + lot_below(&seed, 0x7f000000));
        const double exact = log((double)og_bits_float(bits));
        const double error = fabs((double)og_ln_bits(bits) - exact);
        assert_true(error <= 1e-5 * fmax(fabs(exact), 1.0));
        assert_int_equal(og_float_bits(og_bits_float(bits)), bits);
    }
    const float weights[] = {FLT_TRUE_MIN, 3 * FLT_TRUE_MIN, FLT_MIN, 0x1p-101f,
                             0x1p-100f,    0x1p-99f,         0.5f,    FLT_MAX};
    for (size_t i = 0; i < LENGTH(weights); i++) {
        const double exact = log((double)weights[i]);
        assert_true(fabs((double)og_ln_weight(weights[i]) - exact) <=
                    1e-5 * fabs(exact));
    }
}

/* Gamma(2, 1) has mean 2 and variance 2; ln of it has mean 1 - 0.5772. */
static void test_draws(void **state)
{
    enum { N = 100000 };
    double r = 0, r_squares = 0, log_c = 0, offset = 0;
    uint64_t seed = 2;
    (void)state;
    for (int i = 0; i < N; i++) {
        const struct og_ioffe_draw d = og_ioffe_draw_of(
            og_random_next(&seed), (uint32_t)og_random_next(&seed) | 1);
        assert_true(d.r > 0 && isfinite(d.r) && isfinite(d.log_c));
        assert_true(d.offset > 0 && d.offset < 1);
        r += (double)d.r;
        r_squares += (double)d.r * (double)d.r;
        log_c += (double)d.log_c;
        offset += (double)d.offset;
    }
    r /= N;
    assert_true(fabs(r - 2) < 0.03); /* six times the error of the mean */
    assert_true(fabs(r_squares / N - r * r - 2) < 0.1);
    assert_true(fabs(log_c / N - (1 - 0.5772)) < 0.02);
    assert_true(fabs(offset / N - 0.5) < 0.006);
}

/* The step is the last one below the weight, and the rank falls as the weight
 * grows: consistent sampling. */
static void test_steps(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (int i = 0; i < 10000; i++) {
        const struct og_ioffe_draw d =
            og_ioffe_draw_of(og_random_next(&seed), 0x9e3779b1u);
        const float log_w = (float)lot_below(&seed, 2000) / 100 - 10;
        const float t = og_ioffe_step(&d, log_w);
        const float slack = 1e-4f * (1 + d.r);
        assert_true(d.r * (t - d.offset) <= log_w + slack);
        assert_true(d.r * (t + 1 - d.offset) >= log_w - slack);
        const float heavier = og_ioffe_step(&d, log_w + 1);
        assert_true(heavier >= t);
        assert_true(og_ioffe_rank(&d, heavier) <= og_ioffe_rank(&d, t));
    }
}

enum { MOST = 67 };

struct lanes {
    float best[OG_LANES];
    uint32_t winner[OG_LANES];
};

static struct lanes run(og_ioffe_lanes_fn *fn, const uint64_t *hash,
                        const float *log_w, size_t n, const uint32_t *mul)
{
    struct lanes lanes = {.winner = {0}};
    for (size_t i = 0; i < OG_LANES; i++)
        lanes.best[i] = INFINITY;
    fn(hash, log_w, n, mul, lanes.best, lanes.winner);
    return lanes;
}

static void expect_equal(og_ioffe_lanes_fn *fn)
{
    uint64_t seed = 4, hash[MOST];
    float log_w[MOST];
    uint32_t mul[OG_LANES];
    for (size_t i = 0; i < OG_LANES; i++)
        mul[i] = (uint32_t)og_random_next(&seed) | 1;
    for (size_t i = 0; i < MOST; i++) {
        hash[i] = og_random_next(&seed);
        log_w[i] = og_ln_weight((float)(1 + lot_below(&seed, 1000)));
    }
    for (size_t n = 0; n <= MOST; n++) {
        const struct lanes a = run(og_ioffe_lanes_plain, hash, log_w, n, mul);
        const struct lanes b = run(fn, hash, log_w, n, mul);
        assert_memory_equal(a.best, b.best, sizeof(a.best));
        assert_memory_equal(a.winner, b.winner, sizeof(a.winner));
        for (size_t s = 0; s < OG_LANES; s++) {
            if (n == 0) {
                assert_true(isinf(a.best[s]) && a.winner[s] == 0);
                continue;
            }
            const struct og_ioffe_draw d =
                og_ioffe_draw_of(hash[a.winner[s]], mul[s]);
            assert_true(a.winner[s] < n);
            assert_true(
                a.best[s] ==
                og_ioffe_rank(&d, og_ioffe_step(&d, log_w[a.winner[s]])));
        }
    }
}

static void test_kernels(void **state)
{
    (void)state;
    FOR_EACH_LEVEL(level)
    {
        og_ioffe_lanes_fn *fn = og_ioffe_lanes_plain;
#if defined(OG_X86)
        if (level == OG_CPU_AVX2) fn = og_ioffe_lanes_avx2;
        if (level == OG_CPU_AVX512) fn = og_ioffe_lanes_avx512;
#endif
        expect_equal(fn);
    }
    og_cpu_force(OG_CPU_AVX512);
}

/* Of equal ones the first wins; the heavier of two is chosen more often, by
 * its weight. */
static void test_shares(void **state)
{
    enum { ROUNDS = 2000 };
    uint64_t seed = 5;
    size_t n_heavy = 0;
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        const uint64_t hash[2] = {og_random_next(&seed), og_random_next(&seed)};
        const uint64_t twice[2] = {hash[0], hash[0]};
        const float log_w[2] = {og_ln_weight(1), og_ln_weight(3)};
        const float same[2] = {log_w[0], log_w[0]};
        uint32_t mul[OG_LANES];
        for (size_t s = 0; s < OG_LANES; s++)
            mul[s] = (uint32_t)og_random_next(&seed) | 1;
        const struct lanes a = run(og_ioffe_lanes_plain, hash, log_w, 2, mul);
        const struct lanes b = run(og_ioffe_lanes_plain, twice, same, 2, mul);
        for (size_t s = 0; s < OG_LANES; s++) {
            n_heavy += a.winner[s];
            assert_int_equal(b.winner[s], 0);
        }
    }
    assert_true(fabs((double)n_heavy / (ROUNDS * OG_LANES) - 0.75) < 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logarithms), cmocka_unit_test(test_draws),
        cmocka_unit_test(test_steps),      cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
