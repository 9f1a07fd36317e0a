/* The scorer against the definition, character by character. */

#include "tests/unit/stage_support.h"

#include <math.h>

#include "eval/measure/pan.h"

enum { N_CHARS = 40, MOST = 12 };

static bool overlap(uint64_t a, uint64_t a_len, uint64_t b, uint64_t b_len)
{
    for (uint64_t i = a; i < a + a_len; i++)
        if (i >= b && i < b + b_len) return true;
    return false;
}

static bool meets(const struct og_pan_case *a, const struct og_pan_case *b)
{
    return a->document == b->document && a->source == b->source &&
           overlap(a->begin, a->len, b->begin, b->len) &&
           overlap(a->source_begin, a->source_len, b->source_begin,
                   b->source_len);
}

static double plain_share(const struct og_pan_case *a,
                          const struct og_pan_cases *others, size_t *out_met)
{
    uint64_t n = 0;
    *out_met = 0;
    for (size_t i = 0; i < others->n; i++)
        *out_met += meets(a, &others->data[i]);
    for (int side = 0; side < 2; side++)
        for (uint64_t c = 0; c < N_CHARS; c++) {
            const uint64_t begin = side ? a->source_begin : a->begin;
            const uint64_t len = side ? a->source_len : a->len;
            bool in = false;
            if (c < begin || c >= begin + len) continue;
            for (size_t i = 0; i < others->n && !in; i++) {
                const struct og_pan_case *b = &others->data[i];
                in = meets(a, b) &&
                     overlap(c, 1, side ? b->source_begin : b->begin,
                             side ? b->source_len : b->len);
            }
            n += in;
        }
    return (double)n / (double)(a->len + a->source_len);
}

static double plain_mean(const struct og_pan_cases *cases,
                         const struct og_pan_cases *others, double *out_gran)
{
    double sum = 0;
    size_t n_hit = 0, n_met = 0, met;
    for (size_t i = 0; i < cases->n; i++) {
        sum += plain_share(&cases->data[i], others, &met);
        n_hit += met > 0;
        n_met += met;
    }
    *out_gran = n_hit > 0 ? (double)n_met / (double)n_hit : 1;
    return cases->n > 0 ? sum / (double)cases->n : 0;
}

static void draw(struct og_pan_cases *cases, struct og_pan_case *data,
                 uint64_t *seed)
{
    cases->data = data;
    cases->n = lot_below(seed, MOST);
    for (size_t i = 0; i < cases->n; i++) {
        data[i] = (struct og_pan_case){
            .document = lot_below(seed, 2),
            .source = lot_below(seed, 2),
            .begin = lot_below(seed, N_CHARS / 2),
            .len = 1 + lot_below(seed, N_CHARS / 2),
            .source_begin = lot_below(seed, N_CHARS / 2),
            .source_len = 1 + lot_below(seed, N_CHARS / 2)};
    }
}

static void test_by_definition(void **state)
{
    uint64_t seed = 13;
    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct og_pan_case a[MOST], b[MOST];
        struct og_pan_cases truth, found;
        double granularity, unused;
        draw(&truth, a, &seed);
        draw(&found, b, &seed);
        const double recall = plain_mean(&truth, &found, &granularity);
        const double precision = plain_mean(&found, &truth, &unused);
        const struct og_pan_score s = og_pan_score(&truth, &found);
        assert_true(fabs(s.recall - recall) < 1e-12);
        assert_true(fabs(s.precision - precision) < 1e-12);
        assert_true(fabs(s.granularity - granularity) < 1e-12);
        const double sum = precision + recall;
        const double f1 = sum > 0 ? 2 * precision * recall / sum : 0;
        assert_true(fabs(s.plagdet - f1 / log2(1 + granularity)) < 1e-12);
    }
}

/* Over all pairs the sums give the score, whatever is found in which pair. */
static void test_sums_of_pairs(void **state)
{
    uint64_t seed = 17;
    (void)state;
    for (int round = 0; round < 500; round++) {
        struct og_pan_case a[MOST], b[MOST];
        struct og_pan_cases truth, found;
        struct og_pan_sums sum = {0};
        draw(&truth, a, &seed);
        draw(&found, b, &seed);
        const struct og_pan_score s = og_pan_score(&truth, &found);
        for (uint32_t i = 0; i < 4; i++) {
            const struct og_pan_sums one =
                og_pan_sums(&truth, &found, (struct og_pan_pair){i / 2, i % 2});
            sum.n_cases += one.n_cases;
            sum.n_found += one.n_found;
            sum.recall += one.recall;
            sum.precision += one.precision;
            sum.n_hit += one.n_hit;
            sum.n_met += one.n_met;
        }
        assert_int_equal(sum.n_cases, truth.n);
        assert_int_equal(sum.n_found, found.n);
        assert_true(fabs(sum.recall - s.recall * (double)truth.n) < 1e-9);
        assert_true(fabs(sum.precision - s.precision * (double)found.n) < 1e-9);
        if (sum.n_hit > 0)
            assert_true(fabs((double)sum.n_met / (double)sum.n_hit -
                             s.granularity) < 1e-12);
    }
}

static void check_refused(const char *list)
{
    struct og_align_thresholds t = OG_ALIGN_THRESHOLDS_DEFAULT;
    og_error err = {0};
    assert_int_equal(og_pan_thresholds_set(&t, list, &err), OG_ERR_USAGE);
}

static void test_thresholds(void **state)
{
    const struct og_align_thresholds usual = OG_ALIGN_THRESHOLDS_DEFAULT;
    struct og_align_thresholds t = usual;
    og_error err = {0};
    (void)state;
    assert_int_equal(og_pan_thresholds_set(&t, "", &err), OG_OK);
    assert_memory_equal(&t, &usual, sizeof(t));
    assert_int_equal(
        og_pan_thresholds_set(&t, "join_copy=7,min_cosine=0.5", &err), OG_OK);
    assert_true(t.join_copy == 7 && t.min_cosine == 0.5f);
    assert_true(t.min_weight == usual.min_weight);
    check_refused("min_weigh=7");
    check_refused("min_weight");
    check_refused("min_weight=");
    check_refused("min_weight=,join_gap=2");
    check_refused("min_weight=7x");
    check_refused("=7");
}

/* By hand: half of a passage found, twice, and one false alarm. */
static void test_example(void **state)
{
    (void)state;
    struct og_pan_case truth[] = {{0, 0, 0, 100, 0, 100}};
    struct og_pan_case found[] = {
        {0, 0, 0, 25, 0, 25}, {0, 0, 25, 25, 25, 25}, {0, 1, 0, 50, 0, 50}};
    struct og_pan_cases a = {truth, 1, 1}, b = {found, 3, 3};
    const struct og_pan_score s = og_pan_score(&a, &b);
    assert_true(s.recall == 0.5);
    assert_true(fabs(s.precision - 2.0 / 3) < 1e-12);
    assert_true(s.granularity == 2);
    assert_true(fabs(s.plagdet - 4.0 / 7 / log2(3)) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_definition),
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_sums_of_pairs),
        cmocka_unit_test(test_thresholds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
