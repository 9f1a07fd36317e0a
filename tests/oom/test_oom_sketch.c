/* Every single allocation fails once: features, sketches of every method, and
 * an index of codes that is filled, merged and queried. */

#include "tests/oom/oom_support.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/hamming/hamming.h"
#include "lib/sketch/features/features.h"
#include "lib/sketch/minhash.h"
#include "lib/sketch/simhash.h"

static void *no_objects(struct work *w)
{
    (void)w;
    return NULL;
}

static void nothing_held(struct work *w)
{
    (void)w;
}

/* ---- features and simhashes ---- */

struct simhash_objects {
    struct og_features features;
    struct og_simhash_scratch scratch;
};

static void *simhash_init(struct work *w)
{
    static struct simhash_objects o;
    og_features_init(&o.features, &w->allocator);
    og_simhash_scratch_init(&o.scratch, &w->allocator);
    return &o;
}

static og_status extract(struct og_extractor *x, struct simhash_objects *o,
                         uint64_t *out_sum)
{
    static const char text[] =
        "# The heading\n\nThe harbour master said that the old lighthouse "
        "was sold, and that the boats of the village were to pay for the "
        "light of the new one. The harbour master was not asked.";
    const og_document doc = {.text = {text, sizeof(text) - 1},
                             .title = {"a title", 7}};
    og_simhash out;
    TRY(og_extract(x, &doc, &o->features, NULL));
    TRY(og_features_merge(&o->features, NULL));
    TRY(og_simhash_make(&o->features, 128, &o->scratch, &out, NULL));
    *out_sum = out.word[0] ^ out.word[1];
    return OG_OK;
}

static og_status simhash_run(struct work *w, uint64_t *out_sum)
{
    struct og_extractor x;
    TRY(og_extractor_init(&x, w->what, &w->allocator, NULL));
    const og_status status = extract(&x, w->objects, out_sum);
    og_extractor_release(&x);
    return status;
}

static void simhash_release(struct work *w)
{
    struct simhash_objects *o = w->objects;
    og_simhash_scratch_release(&o->scratch);
    og_features_release(&o->features);
}

static const struct scenario simhashing = {simhash_init, simhash_run,
                                           simhash_release};

static void test_features_and_simhashes(void **state)
{
    (void)state;
    for (int kind = OG_FEATURE_TOKENS; kind <= OG_FEATURE_SPOT; kind++) {
        og_feature_options options = og_feature_options_default();
        options.kind = (og_feature_kind)kind;
        options.tf = OG_TF_LOG;
        try_all_failures(&simhashing, &options);
    }
}

/* ---- min-hash ---- */

static og_status minhash_samples(og_minhash *m, og_minhash_method method,
                                 uint64_t *out_sum)
{
    enum { N = 70 };
    uint64_t x[N], random = 11;
    float weights[N];
    uint32_t samples[20];
    const uint64_t *set;
    size_t n;
    for (size_t i = 0; i < N; i++) {
        x[i] = og_random_next(&random);
        weights[i] = (float)(i % 5);
    }
    *out_sum = 0;
    if (og_minhash_is_set(method)) {
        TRY(og_minhash_sample_set(m, x, N, &set, &n, NULL));
        for (size_t i = 0; i < n; i++)
            *out_sum = og_mix64(*out_sum ^ set[i]);
        return OG_OK;
    }
    TRY(og_minhash_samples(m, x, weights, N, samples, NULL));
    for (size_t i = 0; i < 20; i++)
        *out_sum = og_mix64(*out_sum ^ samples[i]);
    return OG_OK;
}

static og_status minhash_run(struct work *w, uint64_t *out_sum)
{
    const og_minhash_options *options = w->what;
    og_minhash *m;
    TRY(og_minhash_new_with(options, &w->allocator, &m, NULL));
    const og_status status = minhash_samples(m, options->method, out_sum);
    og_minhash_free(m);
    return status;
}

static const struct scenario minhashing = {no_objects, minhash_run,
                                           nothing_held};

static void test_every_min_hash(void **state)
{
    (void)state;
    for (int family = 0; family < OG_FAMILY_END; family++)
        for (int method = 0; method < OG_MINHASH_METHOD_END; method++) {
            og_minhash_options options = og_minhash_options_default();
            options.n_samples = 20;
            options.modulus = 3;
            options.family = (og_hash_family)family;
            options.method = (og_minhash_method)method;
            try_all_failures(&minhashing, &options);
        }
}

/* ---- codes ---- */

static bool sum_match(void *ctx, const og_hamming_match *match)
{
    uint64_t *sum = ctx;
    *sum = og_mix64(*sum ^ match->code ^ match->distance ^ match->id.len);
    return true;
}

static og_status change_and_ask(og_hamming *h, bool is_wide, uint64_t *out_sum)
{
    uint64_t random = 17;
    og_wide_code code = {0};
    char id[16];
    *out_sum = 0;
    for (unsigned i = 0; i < 40; i++) {
        if (i % 3 == 0) code.low = og_random_next(&random);
        if (i % 5 == 0 && is_wide) code.high = og_random_next(&random);
        code.low ^= UINT64_C(1) << (i & 63);
        const int n = snprintf(id, sizeof(id), "id-%u", i % 30);
        TRY((i % 7 == 6 ? og_hamming_remove_wide : og_hamming_add_wide)(
            h, code, (og_bytes){id, (size_t)n}, NULL));
        TRY(og_hamming_ask_wide(h, code, 3, out_sum, sum_match, NULL));
    }
    TRY(og_hamming_commit(h, NULL));
    return og_hamming_ask_wide(h, code, 2, out_sum, sum_match, NULL);
}

static og_status hamming_run(struct work *w, uint64_t *out_sum)
{
    const uint32_t *n_bits = w->what;
    og_hamming_options options = og_hamming_options_default();
    og_hamming *h;
    options.n_bits = *n_bits;
    options.n_waiting = 8;
    TRY(og_hamming_open(":memory:", OG_CREATE, &options, &h, NULL));
    og_status status = change_and_ask(h, *n_bits == 128, out_sum);
    const og_status closed = og_hamming_close(h, NULL);
    if (status == OG_OK) status = closed;
    return status;
}

static const struct scenario indexing = {no_objects, hamming_run, nothing_held};

static void test_codes(void **state)
{
    (void)state;
    for (uint32_t n_bits = 64; n_bits <= 128; n_bits += 64)
        try_all_failures(&indexing, &n_bits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features_and_simhashes),
        cmocka_unit_test(test_every_min_hash),
        cmocka_unit_test(test_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
