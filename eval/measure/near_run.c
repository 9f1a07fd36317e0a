/* Sketches all documents of the sample in one way and compares every pair of
 * sketches, so that the result does not depend on how near ones would be looked
 * up. */

#include <stdlib.h>
#include <string.h>

#include "eval/evaluation.h"
#include "eval/measure/near.h"
#include "lib/base/bits.h"
#include "lib/os/clock.h"
#include "lib/sketch/simhash.h"

/* At most this many samples, so that their number is a level. */
#define MOST_SAMPLES (OG_NEAR_LEVELS - 1)

struct sketches {
    og_simhash *simhash;
    uint32_t *samples; /* n_samples per document */
};

struct making {
    const struct og_near_run *run;
    struct og_extractor extractor;
    struct og_features features;
    struct og_simhash_scratch scratch;
    og_minhash *minhash;
};

/* ---- document frequencies of the sample ---- */

static og_status count_features(const struct og_near_eval *e,
                                struct og_extractor *x,
                                struct og_idf_counter *counter, og_error *err)
{
    struct og_features features;
    og_status status = OG_OK;
    og_features_init(&features, NULL);
    for (size_t i = 0; status == OG_OK && i < e->n_docs; i++) {
        const og_document doc = og_near_document(&e->docs[i]);
        status = og_extract(x, &doc, &features, err);
        if (status != OG_OK) break;
        og_idf_counter_add(counter, features.hash, features.n);
        og_idf_counter_end_document(counter);
    }
    og_features_release(&features);
    return status;
}

static og_status make_idf(const struct og_near_eval *e,
                          const og_feature_options *options, og_idf **out,
                          og_error *err)
{
    char words[OG_FEATURE_WORDS_MAX];
    struct og_idf_counter *counter = NULL;
    struct og_extractor x;
    og_feature_options sets = *options;
    sets.tf = OG_TF_ONE;
    sets.idf = NULL;
    og_feature_identity(&sets, words, sizeof(words));
    TRY(og_extractor_init(&x, &sets, NULL, err));
    og_status status =
        og_idf_counter_new((uint64_t)1 << 30, words, NULL, &counter, err);
    if (status == OG_OK) status = count_features(e, &x, counter, err);
    if (status == OG_OK) status = og_idf_counter_finish(counter, out, err);
    og_idf_counter_free(counter);
    og_extractor_release(&x);
    return status;
}

/* ---- sketches ---- */

static og_status make_one(struct making *m, const struct og_near_doc *d,
                          size_t i, struct sketches *out, og_error *err)
{
    const og_document doc = og_near_document(d);
    const uint32_t n = m->run->n_samples;
    TRY(og_extract(&m->extractor, &doc, &m->features, err));
    if (m->run->simhash_bits != 0)
        TRY(og_simhash_make(&m->features, m->run->simhash_bits, &m->scratch,
                            &out->simhash[i], err));
    if (n == 0) return OG_OK;
    return og_minhash_samples(m->minhash, m->features.hash, NULL, m->features.n,
                              out->samples + i * n, err);
}

static og_status make_all(struct making *m, const struct og_near_eval *e,
                          struct sketches *out, og_near_result *result,
                          og_error *err)
{
    const double began = og_clock_seconds();
    uint64_t n_features = 0;
    for (size_t i = 0; i < e->n_docs; i++) {
        TRY(make_one(m, &e->docs[i], i, out, err));
        n_features += m->features.n;
    }
    result->seconds = og_clock_seconds() - began;
    result->features_mean = (double)n_features / (double)e->n_docs;
    return OG_OK;
}

static og_status make_sketches(const struct og_near_eval *e,
                               const struct og_near_run *run,
                               struct sketches *out, og_near_result *result,
                               og_error *err)
{
    struct making m = {.run = run};
    TRY(og_extractor_init(&m.extractor, &run->features, NULL, err));
    og_features_init(&m.features, NULL);
    og_simhash_scratch_init(&m.scratch, NULL);
    og_status status = OG_OK;
    if (run->n_samples != 0) {
        og_minhash_options options = og_minhash_options_default();
        options.n_samples = run->n_samples;
        status = og_minhash_new(&options, &m.minhash, err);
    }
    if (status == OG_OK) status = make_all(&m, e, out, result, err);
    og_minhash_free(m.minhash);
    og_simhash_scratch_release(&m.scratch);
    og_features_release(&m.features);
    og_extractor_release(&m.extractor);
    return status;
}

/* ---- pairs ---- */

static unsigned count_equal(const uint32_t *a, const uint32_t *b, size_t n,
                            uint32_t mask)
{
    unsigned n_equal = 0;
    for (size_t i = 0; i < n; i++)
        n_equal += ((a[i] ^ b[i]) & mask) == 0;
    return n_equal;
}

/* Pairs are assigned to the two halves at random. */
static void compare_pairs(const struct og_near_eval *e,
                          const struct og_near_run *run,
                          const struct sketches *s,
                          struct og_near_counts half[2], og_near_result *out)
{
    const uint32_t mask =
        run->sample_bits >= 32 ? UINT32_MAX : (1u << run->sample_bits) - 1;
    const size_t n = run->n_samples;
    size_t pair = 0;
    for (size_t i = 0; i < e->n_docs; i++) {
        for (size_t j = 0; j < i; j++, pair++) {
            const unsigned distance =
                og_simhash_distance(&s->simhash[i], &s->simhash[j]);
            const unsigned n_equal =
                count_equal(s->samples + i * n, s->samples + j * n, n, mask);
            const bool is_duplicate = og_near_is_duplicate(e, pair);
            struct og_near_counts *counts = &half[og_mix64(pair) & 1];
            counts->all[distance][n_equal]++;
            counts->duplicates[distance][n_equal] += is_duplicate;
            out->pairs_at[distance]++;
            out->duplicates_at[distance] += is_duplicate;
        }
    }
}

/* ---- figure 2 ---- */

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static og_status describe(const struct og_near_eval *e,
                          const struct sketches *s, og_near_result *out,
                          og_error *err)
{
    uint64_t *sorted = malloc(e->n_docs * sizeof(*sorted));
    if (sorted == NULL) return og_error_memory(err, e->n_docs * 8, "sketches");
    for (size_t i = 0; i < e->n_docs; i++)
        sorted[i] = s->simhash[i].word[0];
    qsort(sorted, e->n_docs, sizeof(*sorted), by_value);
    for (size_t i = 0; i < e->n_docs; i++) {
        out->buckets[sorted[i] >> 57]++;
        if (i == 0) continue;
        const uint64_t x = sorted[i] ^ sorted[i - 1];
        out->leading[x == 0 ? 64 : 63 - __builtin_clzll(x)]++;
    }
    free(sorted);
    return OG_OK;
}

/* ---- the whole ---- */

static og_status check(const og_near_run *run, og_error *err)
{
    if (run->simhash_bits != 0 && run->simhash_bits != 64 &&
        run->simhash_bits != 128)
        return og_error_set(err, OG_ERR_USAGE,
                            "a simhash has 64 or 128 bits, not %u",
                            run->simhash_bits);
    if (run->n_samples > MOST_SAMPLES)
        return og_error_set(err, OG_ERR_USAGE,
                            "samples must be at most %d, not %u", MOST_SAMPLES,
                            run->n_samples);
    if (run->n_samples != 0 && (run->sample_bits < 1 || run->sample_bits > 32))
        return og_error_set(err, OG_ERR_USAGE,
                            "a sample has 1 to 32 bits, not %u",
                            run->sample_bits);
    return OG_OK;
}

static og_status run_sketches(const struct og_near_eval *e,
                              const struct og_near_run *run,
                              og_near_result *out, og_error *err)
{
    struct og_near_counts *half = calloc(2, sizeof(*half));
    struct sketches s = {
        .simhash = calloc(e->n_docs, sizeof(*s.simhash)),
        .samples = calloc(e->n_docs * run->n_samples + 1, sizeof(*s.samples))};
    og_status status = OG_OK;
    if (half == NULL || s.simhash == NULL || s.samples == NULL)
        status =
            og_error_memory(err, e->n_docs * sizeof(*s.simhash), "sketches");
    if (status == OG_OK) status = make_sketches(e, run, &s, out, err);
    if (status == OG_OK) status = describe(e, &s, out, err);
    if (status == OG_OK) {
        compare_pairs(e, run, &s, half, out);
        status = og_near_score_rules(&half[0], &half[1], out, err);
    }
    free(half);
    free(s.samples);
    free(s.simhash);
    return status;
}

og_status og_near_eval_run(og_near_eval *eval, const og_near_run *run,
                           og_near_result *out, og_error *err)
{
    og_near_run mine = *run;
    og_idf *idf = NULL;
    TRY(check(run, err));
    memset(out, 0, sizeof(*out));
    if (run->with_idf) {
        TRY(make_idf(eval, &run->features, &idf, err));
        mine.features.idf = idf;
    }
    const og_status status = run_sketches(eval, &mine, out, err);
    og_idf_close(idf);
    return status;
}
