/* Are the estimators right? Each on pairs of sets whose similarity is known.
 *
 * A cell is one estimator, one size and one similarity. Its trials draw new
 * sets and new functions every time, so that the average error is the bias and
 * the average squared error the variance, of the method rather than of one
 * seed. The variance that theory predicts:
 *
 *     samples      J (1 - J) / k
 *     b bits       Q (1 - Q) / k / (1 - 2^-b)^2,  Q = J + (1 - J) 2^-b
 *     smallest k   J (1 - J) / k (u - k) / (u - 1),  u features in the union
 *     modulo m     J (1 - J) m / u (1 - 1 / m), about
 *     L1           4 / (1 + J)^4 J (1 - J) / k, about; as a share of the norms
 */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "eval/evaluation.h"
#include "lib/os/clock.h"
#include "lib/sketch/minhash.h"

og_estimator_options og_estimator_options_default(void)
{
    return (og_estimator_options){.n_samples = 84,
                                  .seconds = 0.25,
                                  .min_trials = 8,
                                  .max_features = 100000,
                                  .seed = 1};
}

enum kind { KIND_ROW, KIND_BITS, KIND_SET, KIND_L1 };

struct estimator {
    char name[16];
    enum kind kind;
    og_minhash_options options;
    bool is_sequence; /* features 0, 1, 2, ... */
};

struct sets {
    uint64_t *a, *b;
    float *weight_a, *weight_b;
    size_t n_a, n_b;
    double least, most; /* sums of the smaller and of the larger weights */
    double norm_a, norm_b;
};

struct lab {
    const og_estimator_options *options;
    struct sets sets;
    size_t cap;
    uint64_t random;
};

/* ---- pairs of known similarity ---- */

static og_status lab_open(struct lab *lab, const og_estimator_options *o,
                          og_error *err)
{
    const size_t n = o->max_features + 1;
    *lab = (struct lab){.options = o, .cap = n, .random = o->seed};
    lab->sets.a = og_allocate(NULL, n * sizeof(uint64_t));
    lab->sets.b = og_allocate(NULL, n * sizeof(uint64_t));
    lab->sets.weight_a = og_allocate(NULL, n * sizeof(float));
    lab->sets.weight_b = og_allocate(NULL, n * sizeof(float));
    if (lab->sets.a == NULL || lab->sets.b == NULL ||
        lab->sets.weight_a == NULL || lab->sets.weight_b == NULL)
        return og_error_memory(err, n * 24, "sets of features");
    return OG_OK;
}

static void lab_close(struct lab *lab)
{
    og_release(NULL, lab->sets.a, lab->cap * sizeof(uint64_t));
    og_release(NULL, lab->sets.b, lab->cap * sizeof(uint64_t));
    og_release(NULL, lab->sets.weight_a, lab->cap * sizeof(float));
    og_release(NULL, lab->sets.weight_b, lab->cap * sizeof(float));
}

static void put(struct sets *s, uint64_t x, float in_a, float in_b)
{
    s->a[s->n_a] = x;
    s->weight_a[s->n_a] = in_a;
    s->n_a += in_a > 0;
    s->b[s->n_b] = x;
    s->weight_b[s->n_b] = in_b;
    s->n_b += in_b > 0;
    s->least += in_a < in_b ? in_a : in_b;
    s->most += in_a < in_b ? in_b : in_a;
    s->norm_a += in_a;
    s->norm_b += in_b;
}

static float draw_weight(struct lab *lab, bool is_weighted)
{
    return is_weighted ? (float)(1 + og_random_next(&lab->random) % 9) : 1;
}

/* Of the n features of each set, c = 2 n J / (1 + J) are common. One in four of
 * those has another weight in B. */
static void draw_sets(struct lab *lab, const struct estimator *e, size_t n,
                      double similarity)
{
    const bool is_weighted = og_minhash_is_weighted(e->options.method);
    const size_t n_about =
        (size_t)(2 * (double)n * similarity / (1 + similarity) + 0.5);
    const size_t n_common = n_about < n ? n_about : n - 1;
    struct sets *s = &lab->sets;
    uint64_t number = 0;
    s->n_a = s->n_b = 0;
    s->least = s->most = s->norm_a = s->norm_b = 0;
    for (size_t i = 0; i < 2 * n - n_common; i++) {
        const uint64_t x =
            e->is_sequence ? number++ : og_random_next(&lab->random);
        const float w = draw_weight(lab, is_weighted);
        const bool other = is_weighted && og_random_next(&lab->random) % 4 == 0;
        if (i < n_common)
            put(s, x, w, other ? draw_weight(lab, true) : w);
        else
            put(s, x, i < n ? w : 0, i < n ? 0 : w);
    }
}

/* ---- one trial ---- */

struct sums {
    double error, square, similarity;
    double seconds; /* the fastest trial, per feature */
    uint64_t n_features, n_trials, n_bits;
};

static og_status estimate_row(const struct estimator *e, og_minhash *m,
                              const struct sets *s, double *out,
                              double *out_seconds, og_error *err)
{
    const uint32_t n = e->options.n_samples;
    uint32_t a[OG_SAMPLES_MAX], b[OG_SAMPLES_MAX];
    uint8_t packed_a[2 * OG_SAMPLES_MAX], packed_b[2 * OG_SAMPLES_MAX];
    const double begin = og_clock_seconds();
    TRY(og_minhash_samples(m, s->a, s->weight_a, s->n_a, a, err));
    TRY(og_minhash_samples(m, s->b, s->weight_b, s->n_b, b, err));
    *out_seconds = og_clock_seconds() - begin;
    *out = og_samples_similarity(a, b, n);
    if (e->kind != KIND_BITS) return OG_OK;
    og_samples_pack(a, n, e->options.n_bits, packed_a);
    og_samples_pack(b, n, e->options.n_bits, packed_b);
    *out = og_packed_similarity(packed_a, packed_b, n, e->options.n_bits);
    return OG_OK;
}

/* The first set is copied: the second is made in the same buffer. */
static og_status estimate_set(const struct estimator *e, og_minhash *m,
                              const struct sets *s, double *out,
                              double *out_seconds, og_error *err)
{
    const uint64_t *view;
    size_t n_a, n_b;
    const double begin = og_clock_seconds();
    TRY(og_minhash_sample_set(m, s->a, s->n_a, &view, &n_a, err));
    const size_t len = (n_a + 1) * sizeof(*view);
    uint64_t *first = og_allocate(NULL, len);
    if (first == NULL) return og_error_memory(err, len, "samples");
    memcpy(first, view, n_a * sizeof(*view));
    const og_status status =
        og_minhash_sample_set(m, s->b, s->n_b, &view, &n_b, err);
    *out_seconds = og_clock_seconds() - begin;
    if (status == OG_OK)
        *out = og_sample_sets_similarity(
            first, n_a, view, n_b,
            e->options.method == OG_MINHASH_SMALLEST ? e->options.n_samples
                                                     : 0);
    og_release(NULL, first, len);
    return status;
}

static og_status run_trial(struct lab *lab, const struct estimator *e, size_t n,
                           double similarity, struct sums *sums, og_error *err)
{
    og_minhash_options options = e->options;
    og_minhash *m = NULL;
    double estimate = 0, seconds = 0;
    options.seed = og_random_next(&lab->random);
    draw_sets(lab, e, n, similarity);
    TRY(og_minhash_new(&options, &m, err));
    const og_status status =
        (e->kind == KIND_SET ? estimate_set : estimate_row)(
            e, m, &lab->sets, &estimate, &seconds, err);
    const uint64_t n_bits = og_minhash_bits_used(m);
    og_minhash_free(m);
    TRY(status);
    if (isnan(estimate)) return OG_OK; /* modulo without any samples */
    const struct sets *s = &lab->sets;
    double truth = s->least / s->most;
    sums->similarity += truth;
    if (e->kind == KIND_L1) {
        const double norms = s->norm_a + s->norm_b;
        estimate = og_l1_distance(estimate, s->norm_a, s->norm_b) / norms;
        truth = (s->most - s->least) / norms;
    }
    sums->error += estimate - truth;
    sums->square += (estimate - truth) * (estimate - truth);
    seconds /= (double)(s->n_a + s->n_b);
    if (sums->n_trials == 0 || seconds < sums->seconds) sums->seconds = seconds;
    sums->n_features += s->n_a + s->n_b;
    sums->n_bits += n_bits;
    sums->n_trials++;
    return OG_OK;
}

/* ---- a cell ---- */

static double theory_of(const struct estimator *e, size_t n, double j)
{
    const double k = e->options.n_samples;
    const double u = 2 * (double)n / (1 + j);
    const double m = e->options.modulus;
    if (e->kind == KIND_BITS) {
        const double luck = ldexp(1, -(int)e->options.n_bits);
        const double q = j + (1 - j) * luck;
        return q * (1 - q) / k / (1 - luck) / (1 - luck);
    }
    if (e->kind == KIND_L1) return 4 / pow(1 + j, 4) * j * (1 - j) / k;
    if (e->options.method == OG_MINHASH_SMALLEST)
        return u <= k ? 0 : j * (1 - j) / k * (u - k) / (u - 1);
    if (e->options.method == OG_MINHASH_MODULO)
        return j * (1 - j) * m / u * (1 - 1 / m);
    return j * (1 - j) / k;
}

static og_status run_cell(struct lab *lab, const struct estimator *e, size_t n,
                          double similarity, og_error *err)
{
    const og_estimator_options *o = lab->options;
    const double end = og_clock_seconds() + o->seconds;
    struct sums sums = {0};
    for (uint32_t t = 0;
         t < o->min_trials || (og_clock_seconds() < end && t < 20000); t++)
        TRY(run_trial(lab, e, n, similarity, &sums, err));
    if (sums.n_trials == 0) return OG_OK;
    const double n_trials = (double)sums.n_trials;
    og_estimator_cell cell = {
        .estimator = e->name,
        .family = og_family_name(e->options.family),
        .features = e->is_sequence ? "sequence" : "random",
        .n_features = n,
        .similarity = sums.similarity / n_trials,
        .n_trials = (uint32_t)sums.n_trials,
        .bias = sums.error / n_trials,
        .variance = sums.square / n_trials,
        .bits = (double)sums.n_bits / (double)sums.n_features /
                e->options.n_samples,
        .ns = 1e9 * sums.seconds};
    cell.bias_error = sqrt(cell.variance / n_trials);
    cell.theory = theory_of(e, n, cell.similarity);
    if (o->on_cell(o->ctx, &cell)) return OG_OK;
    return og_error_set(err, OG_ERR_STOPPED, "stopped by the caller");
}

/* Those that take microseconds per feature: one similarity is enough for the
 * largest sets. */
static bool is_slow(og_minhash_method method)
{
    return method == OG_MINHASH_ACTIVE || method == OG_MINHASH_INTERVAL ||
           method == OG_MINHASH_COARSE;
}

static og_status run_estimator(struct lab *lab, const struct estimator *e,
                               og_error *err)
{
    static const double similarities[] = {0.1, 0.3, 0.5, 0.8, 0.95, 0.99};
    for (size_t n = 10; n <= lab->options->max_features; n *= 10)
        for (size_t i = 0; i < 6; i++) {
            if (is_slow(e->options.method) && n >= 10000 &&
                similarities[i] != 0.8)
                continue;
            TRY(run_cell(lab, e, n, similarities[i], err));
        }
    return OG_OK;
}

/* ---- all of them ---- */

static struct estimator estimator_of(const og_estimator_options *o,
                                     og_minhash_method method)
{
    struct estimator e = {.options = og_minhash_options_default(),
                          .kind =
                              og_minhash_is_set(method) ? KIND_SET : KIND_ROW};
    e.options.method = method;
    e.options.n_samples = o->n_samples;
    snprintf(e.name, sizeof(e.name), "%s", og_minhash_method_name(method));
    return e;
}

static og_status run_bits(struct lab *lab, og_error *err)
{
    for (uint32_t n_bits = 1; n_bits <= 8; n_bits *= 2) {
        struct estimator e = estimator_of(lab->options, OG_MINHASH_EXACT);
        e.kind = KIND_BITS;
        e.options.n_bits = n_bits;
        snprintf(e.name, sizeof(e.name), "exact/%u", (unsigned)n_bits);
        TRY(run_estimator(lab, &e, err));
    }
    return OG_OK;
}

static og_status run_families(struct lab *lab, og_error *err)
{
    static const og_minhash_method methods[] = {
        OG_MINHASH_EXACT, OG_MINHASH_ONE, OG_MINHASH_AUTO, OG_MINHASH_SMALLEST};
    for (size_t i = 0; i < 4; i++)
        for (int family = 0; family < OG_FAMILY_END; family++)
            for (int is_sequence = 0; is_sequence < 2; is_sequence++) {
                struct estimator e = estimator_of(lab->options, methods[i]);
                e.options.family = (og_hash_family)family;
                e.is_sequence = is_sequence;
                if (family == OG_FAMILY_MIX && !is_sequence) continue;
                if (lab->options->max_features < 1000) continue;
                TRY(run_cell(lab, &e, 1000, 0.5, err));
            }
    return OG_OK;
}

static og_status run_all(struct lab *lab, og_error *err)
{
    for (int method = 0; method < OG_MINHASH_METHOD_END; method++) {
        const struct estimator e =
            estimator_of(lab->options, (og_minhash_method)method);
        TRY(run_estimator(lab, &e, err));
    }
    TRY(run_bits(lab, err));
    struct estimator l1 = estimator_of(lab->options, OG_MINHASH_IOFFE);
    l1.kind = KIND_L1;
    snprintf(l1.name, sizeof(l1.name), "l1");
    TRY(run_estimator(lab, &l1, err));
    return run_families(lab, err);
}

og_status og_eval_estimators(const og_estimator_options *options, og_error *err)
{
    struct lab lab;
    if (options->n_samples < 1 || options->n_samples > OG_SAMPLES_MAX)
        return og_error_set(err, OG_ERR_USAGE, "'%u' samples: must be 1 to %d",
                            (unsigned)options->n_samples, OG_SAMPLES_MAX);
    if (options->max_features < 10 || options->max_features > 10000000)
        return og_error_set(err, OG_ERR_USAGE,
                            "sets of '%llu' features: must be 10 to 10 M",
                            (unsigned long long)options->max_features);
    og_status status = lab_open(&lab, options, err);
    if (status == OG_OK) status = run_all(&lab, err);
    lab_close(&lab);
    return status;
}
