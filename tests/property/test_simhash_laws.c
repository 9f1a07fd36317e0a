/* What must hold of simhash for random feature sets: the expected share of
 * differing bits is angle / pi, sums are linear, order and cutting do not
 * matter. */

#include <math.h>
#include <stdlib.h>

#include "lib/sketch/simhash.h"
#include "tests/unit/stage_support.h"

#define PI 3.14159265358979323846

static og_simhash make(const uint64_t *hash, const float *weight, size_t n)
{
    og_simhash out;
    og_error err;
    assert_int_equal(og_simhash_features(hash, weight, n, 128, &out, &err),
                     OG_OK);
    return out;
}

struct pair {
    uint64_t hash[2][600];
    float weight[2][600];
    size_t n;
};

/* n features in each, `common` of them the same; weights random or 1. */
static double make_pair(struct pair *p, size_t n, size_t common,
                        bool is_weighted, uint64_t *random)
{
    double dot = 0, norm[2] = {0, 0};
    p->n = n;
    for (size_t i = 0; i < n; i++) {
        for (unsigned side = 0; side < 2; side++) {
            const bool is_same = side == 1 && i < common;
            p->hash[side][i] = is_same ? p->hash[0][i] : og_random_next(random);
            p->weight[side][i] =
                is_weighted ? (float)(1 + og_random_next(random) % 1000) / 100
                            : 1;
            norm[side] += (double)p->weight[side][i] * p->weight[side][i];
        }
        if (i < common) dot += (double)p->weight[0][i] * p->weight[1][i];
    }
    return acos(dot / sqrt(norm[0] * norm[1]));
}

/* The mean of `n_trials` distances of 128 bits against angle / pi. Bits are
 * nearly independent: the standard error of the share is
 * sqrt(p (1 - p) / (128 n_trials)). Five of them, and a little for the sum of
 * n signs not being normal (of the order of 1 / n). */
static void check_angle(size_t n, size_t common, bool is_weighted)
{
    enum { N_TRIALS = 300 };
    static struct pair p;
    uint64_t random = n * 1000 + common;
    double found = 0, expected = 0;
    for (unsigned t = 0; t < N_TRIALS; t++) {
        expected += make_pair(&p, n, common, is_weighted, &random) / PI;
        const og_simhash a =
            make(p.hash[0], is_weighted ? p.weight[0] : NULL, n);
        const og_simhash b =
            make(p.hash[1], is_weighted ? p.weight[1] : NULL, n);
        found += og_simhash_distance(&a, &b) / 128.0;
    }
    expected /= N_TRIALS;
    found /= N_TRIALS;
    const double error = sqrt(expected * (1 - expected) / (128.0 * N_TRIALS));
    if (fabs(found - expected) > 5 * error + 0.5 / (double)n)
        fail_msg("n %zu, common %zu: %.4f of the bits differ, %.4f expected", n,
                 common, found, expected);
}

static void distance_is_the_angle(void **state)
{
    (void)state;
    const size_t sizes[] = {51, 151, 401, 599};
    for (size_t i = 0; i < 4; i++) {
        for (unsigned share = 0; share <= 10; share++) {
            check_angle(sizes[i], sizes[i] * share / 10, false);
            check_angle(sizes[i], sizes[i] * share / 10, true);
        }
    }
}

/* Not a bit may prefer a value, nor lean on another: for random sets every bit
 * is set in half of the sketches, and every two agree in half. */
static void bits_are_fair(void **state)
{
    (void)state;
    enum { N_SETS = 4000, N = 75 };
    static unsigned set[128], agree[128];
    uint64_t random = 11;
    for (unsigned t = 0; t < N_SETS; t++) {
        uint64_t hash[N];
        for (size_t i = 0; i < N; i++)
            hash[i] = og_random_next(&random);
        const og_simhash h = make(hash, NULL, N);
        for (unsigned j = 0; j < 128; j++) {
            const unsigned next = (j + 1) % 128;
            const bool bit = h.word[j / 64] >> j % 64 & 1;
            const bool other = h.word[next / 64] >> next % 64 & 1;
            set[j] += bit;
            agree[j] += bit == other;
        }
    }
    /* Five standard deviations of a fair coin. */
    const double most = 5 * sqrt(N_SETS) / 2;
    for (unsigned j = 0; j < 128; j++) {
        assert_true(fabs(set[j] - N_SETS / 2.0) < most);
        assert_true(fabs(agree[j] - N_SETS / 2.0) < most);
    }
}

/* The sums of two lists are those of both in one, whatever the kernel, the
 * order and the place of the cut. */
static void sums_are_linear(void **state)
{
    (void)state;
    enum { N = 2000 };
    static uint64_t hash[N];
    static uint32_t weight[N];
    uint64_t random = 5;
    for (size_t i = 0; i < N; i++) {
        hash[i] = og_random_next(&random);
        weight[i] = (uint32_t)(og_random_next(&random) >> 40);
    }
    const struct og_simhash_kernel *const *all = og_simhash_kernels();
    for (size_t k = 0; all[k] != NULL; k++) {
        for (unsigned trial = 0; trial < 40; trial++) {
            const size_t cut = og_random_next(&random) % (N + 1);
            uint64_t a[64], b[64], both[64];
            all[k]->weigh(hash, weight, cut, 1 << 24, a);
            all[k]->weigh(hash + cut, weight + cut, N - cut, 1 << 24, b);
            all[k]->weigh(hash, weight, N, 1 << 24, both);
            for (unsigned j = 0; j < 64; j++)
                assert_int_equal(a[j] + b[j], both[j]);
            all[k]->count(hash, cut, a);
            all[k]->count(hash + cut, N - cut, b);
            all[k]->count(hash, N, both);
            for (unsigned j = 0; j < 64; j++)
                assert_int_equal(a[j] + b[j], both[j]);
        }
    }
}

/* Whole weights are repetition; a common factor changes nothing. */
static void weights_are_copies(void **state)
{
    (void)state;
    uint64_t random = 9;
    for (unsigned trial = 0; trial < 200; trial++) {
        enum { N = 60 };
        uint64_t hash[N], copies[N * 9];
        float weight[N], twice[N];
        size_t n = 0;
        for (size_t i = 0; i < N; i++) {
            const unsigned times = 1 + (unsigned)(og_random_next(&random) % 9);
            hash[i] = og_random_next(&random);
            weight[i] = (float)times;
            twice[i] = 2 * weight[i];
            for (unsigned j = 0; j < times; j++)
                copies[n++] = hash[i];
        }
        const og_simhash a = make(hash, weight, N);
        const og_simhash b = make(copies, NULL, n);
        const og_simhash c = make(hash, twice, N);
        assert_memory_equal(&a, &b, sizeof(a));
        assert_memory_equal(&a, &c, sizeof(a));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_is_the_angle),
        cmocka_unit_test(bits_are_fair),
        cmocka_unit_test(sums_are_linear),
        cmocka_unit_test(weights_are_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
