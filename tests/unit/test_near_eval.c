/* The evaluation of near-duplicates against a plain one: similarity by its
 * definition for every pair, counts by distance by hand. */

#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "eval/evaluation.h"
#include "eval/measure/near.h"
#include "tests/unit/input_support.h"
#include "tests/unit/stage_support.h"

enum { N_DOCS = 60, N_WORDS = 80 };

static char path[64];

/* Families of five: each a changed copy of the first. */
static int set_up(void **state)
{
    (void)state;
    unsigned words[N_WORDS];
    uint64_t random = 4;
    strcpy(path, "/tmp/origo-test-XXXXXX.jsonl");
    const int fd = mkstemps(path, 6);
    if (fd < 0) return -1;
    FILE *file = fdopen(fd, "w");
    for (unsigned i = 0; i < N_DOCS; i++) {
        for (unsigned w = 0; i % 5 == 0 && w < N_WORDS; w++)
            words[w] = lot_below(&random, 1000);
        if (i % 5 != 0) words[lot_below(&random, N_WORDS)] = 2000 + i;
        fprintf(file, "{\"id\":\"%u\",\"text\":\"", i);
        for (unsigned w = 0; w < N_WORDS; w++)
            fprintf(file, "w%u ", words[w]);
        fprintf(file, "\"}\n");
    }
    fclose(file);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static og_near_eval *open_eval(uint32_t max_documents)
{
    og_near_eval_options o = og_near_eval_options_default();
    og_near_eval *eval;
    og_error err;
    const char *paths[] = {path};
    o.max_documents = max_documents;
    if (og_near_eval_open(FILES(paths, 1), &o, &eval, &err) != OG_OK)
        fail_msg("%s", err.message);
    return eval;
}

static double plain_similarity(const struct og_near_doc *a,
                               const struct og_near_doc *b)
{
    size_t both = 0;
    for (size_t i = 0; i < a->n_shingles; i++)
        for (size_t j = 0; j < b->n_shingles; j++)
            both += a->shingles[i] == b->shingles[j];
    return (double)both / (double)(a->n_shingles + b->n_shingles - both);
}

static void similarity_is_exact(void **state)
{
    (void)state;
    og_near_eval *e = open_eval(1000);
    og_near_facts facts;
    size_t pair = 0, n_duplicates = 0;
    assert_int_equal(e->n_docs, N_DOCS);
    for (size_t i = 0; i < N_DOCS; i++) {
        for (size_t j = 0; j < i; j++, pair++) {
            const double s = plain_similarity(&e->docs[i], &e->docs[j]);
            assert_true(fabs(s - e->similarity[pair]) < 1e-6);
            n_duplicates += s >= 0.8;
        }
    }
    og_near_facts_get(e, &facts);
    assert_int_equal(facts.n_duplicates, n_duplicates);
    assert_true(n_duplicates > 20);
    og_near_eval_close(e);
}

static void counts_add_up(void **state)
{
    (void)state;
    og_near_eval *e = open_eval(1000);
    static og_near_result r;
    og_error err;
    og_near_facts facts;
    const og_near_run run = {.features = og_feature_options_default(),
                             .with_idf = true,
                             .simhash_bits = 64,
                             .n_samples = 64,
                             .sample_bits = 32};
    og_near_facts_get(e, &facts);
    assert_int_equal(og_near_eval_run(e, &run, &r, &err), OG_OK);
    uint64_t n_pairs = 0, n_duplicates = 0, n_near = 0, n_leading = 0;
    uint64_t n_in_buckets = 0;
    for (unsigned d = 0; d < OG_NEAR_LEVELS; d++) {
        n_pairs += r.pairs_at[d];
        n_duplicates += r.duplicates_at[d];
        if (d <= 20) n_near += r.duplicates_at[d];
    }
    for (unsigned i = 0; i < 65; i++)
        n_leading += r.leading[i];
    for (unsigned i = 0; i < 128; i++)
        n_in_buckets += r.buckets[i];
    assert_int_equal(n_pairs, facts.n_pairs);
    assert_int_equal(n_duplicates, facts.n_duplicates);
    assert_int_equal(n_leading, N_DOCS - 1);
    assert_int_equal(n_in_buckets, N_DOCS);
    /* Copies with a few words changed are near. */
    assert_true(n_near * 10 >= n_duplicates * 9);
    assert_true(r.minhash.f1 > 0.7 && r.simhash.f1 > 0.4 && r.sum.f1 > 0.7);
    og_near_eval_close(e);
}

static void lots_are_drawn(void **state)
{
    (void)state;
    og_near_eval *e = open_eval(20);
    assert_int_equal(e->n_docs, 20);
    assert_int_equal(e->n_read, N_DOCS);
    for (size_t i = 1; i < 20; i++)
        assert_true(e->docs[i].arrival > e->docs[i - 1].arrival);
    assert_true(e->docs[19].arrival > 30); /* not the first ones */
    og_near_eval_close(e);
}

/* A small table by hand: found by distance 1: 3 pairs, 2 of them right; of 4
 * duplicates. */
static void scores_by_hand(void **state)
{
    (void)state;
    static struct og_near_counts c;
    static og_near_result r;
    memset(&c, 0, sizeof(c));
    c.all[0][5] = 1, c.duplicates[0][5] = 1;
    c.all[1][5] = 2, c.duplicates[1][5] = 1;
    c.all[9][1] = 100, c.duplicates[9][1] = 2;
    assert_int_equal(og_near_score_rules(&c, &c, &r, NULL), OG_OK);
    assert_int_equal(r.simhash.distance, 1);
    assert_true(fabs(r.simhash.precision - 2.0 / 3) < 1e-12);
    assert_true(fabs(r.simhash.recall - 0.5) < 1e-12);
    assert_true(fabs(r.simhash.f1 - 4.0 / 7) < 1e-12);
    assert_true(r.both.f1 >= r.simhash.f1 && r.both.f1 >= r.minhash.f1);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    og_near_eval_options o = og_near_eval_options_default();
    og_near_eval *eval;
    og_error err;
    const char *paths[] = {path};
    o.duplicate = 0;
    assert_int_equal(og_near_eval_open(FILES(paths, 1), &o, &eval, &err),
                     OG_ERR_USAGE);
    o = og_near_eval_options_default();
    o.max_documents = 1;
    assert_int_equal(og_near_eval_open(FILES(paths, 1), &o, &eval, &err),
                     OG_ERR_USAGE);
    o = og_near_eval_options_default();
    o.min_tokens = 100000;
    assert_int_equal(og_near_eval_open(FILES(paths, 1), &o, &eval, &err),
                     OG_ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(similarity_is_exact),
        cmocka_unit_test(counts_add_up),
        cmocka_unit_test(lots_are_drawn),
        cmocka_unit_test(scores_by_hand),
        cmocka_unit_test(bad_options_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
