/* Batches of documents against one document after the other: the same verdicts,
 * counts and full bands, for batches of any size and with any number of threads
 * that look. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/dedup/decide_batch.h"

enum { N = 600, N_TOKENS = 30, TEXT_LEN = 12 * N_TOKENS, N_THREADS = 3 };

static const struct og_band_design design = {14, 4};
static struct og_shingle_factors key;

struct doc {
    char text[TEXT_LEN];
    struct og_dedup_place place;
    uint8_t sketch[OG_BAND_SAMPLES_MAX];
    struct og_set_parity parity;
};
static struct doc docs[N];

struct said {
    struct og_verdict verdict;
    uint16_t found[14];
    uint64_t n_candidates;
};

/* Families with few words changed, forms with many, and documents of their
 * own. */
static void write_texts(uint64_t seed)
{
    for (size_t i = 0; i < N; i++) {
        const uint64_t family = og_random_next(&seed) % 8;
        const uint64_t one_in = family < 3 ? 40 : 1;
        size_t len = 0;
        for (size_t k = 0; k < N_TOKENS; k++) {
            const bool is_changed = og_random_next(&seed) % one_in == 0 &&
                                    (family == 7 || family < 3 || k >= 20);
            const uint64_t word =
                is_changed ? og_random_next(&seed) % 100000 : family * 100 + k;
            len += (size_t)snprintf(docs[i].text + len, TEXT_LEN - len, "w%u ",
                                    (unsigned)word);
        }
    }
}

static void sketch_texts(void)
{
    struct og_band_sketcher sketcher;
    struct og_shingler shingler;
    og_shingle_factors_init(&key, og_rabin_default(), 3);
    og_shingler_init(&shingler, OG_TOKEN_WORDS, &key, NULL);
    assert_int_equal(og_band_sketcher_init(&sketcher, &design, NULL, NULL),
                     OG_OK);
    for (size_t i = 0; i < N; i++) {
        const og_bytes text = {docs[i].text, strlen(docs[i].text)};
        assert_int_equal(og_shingler_run(&shingler, text, NULL), OG_OK);
        og_band_sketch(&sketcher, shingler.fps.data, shingler.fps.n,
                       docs[i].sketch);
        docs[i].parity = og_set_parity_of(shingler.fps.data, shingler.fps.n);
    }
    og_shingler_release(&shingler);
    og_band_sketcher_release(&sketcher);
}

static struct og_dedup_texts *open_texts(void)
{
    static const og_fields fields = OG_FIELDS_DEFAULT;
    struct og_dedup_texts *texts;
    og_error err;
    assert_int_equal(og_dedup_texts_new(&fields, OG_TOKEN_WORDS, &key, 1 << 20,
                                        "/tmp", &texts, &err),
                     OG_OK);
    for (size_t i = 0; i < N; i++) {
        const og_bytes text = {docs[i].text, strlen(docs[i].text)};
        assert_int_equal(og_dedup_texts_spool(texts, (og_bytes){"x", 1}, text,
                                              &docs[i].place, &err),
                         OG_OK);
    }
    return texts;
}

static struct og_decide_doc doc_of(size_t i)
{
    return (struct og_decide_doc){.number = i,
                                  .place = docs[i].place,
                                  .sketch = docs[i].sketch,
                                  .parity = docs[i].parity,
                                  .is_against = i % 31 == 0};
}

static void start(struct og_decider *d, struct og_dedup_texts *texts,
                  uint64_t memory)
{
    const struct og_decide_options options = {.design = design,
                                              .measure = OG_MEASURE_JACCARD,
                                              .threshold = 0.9,
                                              .cluster = OG_CLUSTER_STAR,
                                              .memory = memory};
    assert_int_equal(og_decider_init(d, &options, texts, NULL), OG_OK);
}

static void note(const struct og_decider *d, const struct og_verdict *verdict,
                 struct said *out)
{
    *out = (struct said){.verdict = *verdict, .n_candidates = d->n_candidates};
    memcpy(out->found, d->reader.hits.found, sizeof(out->found));
}

static void decide_one_by_one(struct og_dedup_texts *texts, uint64_t memory,
                              struct said *out)
{
    struct og_decider d;
    start(&d, texts, memory);
    for (size_t i = 0; i < N; i++) {
        struct og_verdict verdict;
        const struct og_decide_doc doc = doc_of(i);
        assert_int_equal(og_decide(&d, &doc, &verdict, NULL), OG_OK);
        note(&d, &verdict, &out[i]);
    }
    og_decider_release(&d);
}

static void decide_batch(struct og_decide_batch *batch,
                         struct og_decide_thread *threads, size_t begin,
                         size_t n, struct said *out)
{
    struct og_group_scratch scratch = {NULL, 0};
    const uint8_t *sketches[N];
    static uint32_t leaders[N * 14];
    struct og_decide_doc list[N];
    for (size_t i = 0; i < n; i++) {
        sketches[i] = docs[begin + i].sketch;
        list[i] = doc_of(begin + i);
    }
    assert_int_equal(
        og_decide_group(&design, sketches, n, &scratch, leaders, NULL), OG_OK);
    assert_int_equal(og_decide_batch_begin(batch, n, leaders, NULL), OG_OK);
    for (size_t i = n; i-- > 0;) /* in any order */
        assert_int_equal(og_decide_batch_look(batch, &threads[i % N_THREADS], i,
                                              &list[i], NULL),
                         OG_OK);
    for (size_t i = n; i-- > 0;)
        assert_int_equal(og_decide_batch_try(batch, &threads[i * 7 % N_THREADS],
                                             i, list, NULL),
                         OG_OK);
    for (size_t i = 0; i < n; i++) {
        struct og_verdict verdict;
        const struct og_decide_doc doc = doc_of(begin + i);
        assert_int_equal(og_decide_batch_next(batch, i, &doc, &verdict, NULL),
                         OG_OK);
        note(batch->decider, &verdict, &out[begin + i]);
    }
    for (uint32_t b = design.n_bands; b-- > 0;)
        assert_int_equal(og_decide_batch_add(batch, b, NULL), OG_OK);
    og_decide_batch_end(batch);
    OG_UNGROW(NULL, scratch.slots, scratch.slots_cap);
}

static void decide_in_batches(struct og_dedup_texts *texts, uint64_t memory,
                              size_t n_most, uint64_t seed, struct said *out)
{
    struct og_decider d;
    struct og_decide_batch batch = {.decider = &d};
    struct og_decide_thread threads[N_THREADS];
    start(&d, texts, memory);
    assert_int_equal(og_dedup_texts_flush(texts, NULL), OG_OK);
    for (size_t i = 0; i < N_THREADS; i++)
        assert_int_equal(
            og_decide_thread_init(&threads[i], texts, 1 << 16, NULL), OG_OK);
    for (size_t at = 0, n; at < N; at += n) {
        n = 1 + og_random_next(&seed) % n_most;
        if (n > N - at) n = N - at;
        decide_batch(&batch, threads, at, n, out);
    }
    for (size_t i = 0; i < N_THREADS; i++)
        og_decide_thread_release(&threads[i]);
    og_decide_batch_release(&batch);
    og_decider_release(&d);
}

static void compare(const struct said *a, const struct said *b)
{
    size_t n_kinds[4] = {0};
    bool is_full = false; /* some band */
    for (size_t i = 0; i < N; i++) {
        const struct og_verdict *v = &a[i].verdict, *w = &b[i].verdict;
        n_kinds[v->kind]++;
        assert_int_equal(v->kind, w->kind);
        assert_int_equal(a[i].n_candidates, b[i].n_candidates);
        assert_memory_equal(a[i].found, b[i].found, sizeof(a[i].found));
        for (size_t k = 0; k < 14; k++)
            is_full = is_full || a[i].found[k] == OG_BAND_BUCKET_MOST;
        if (v->kind == OG_VERDICT_KEPT) assert_int_equal(v->entry, w->entry);
        if (v->kind != OG_VERDICT_COPY) continue;
        assert_int_equal(v->of.number, w->of.number);
        assert_true(v->similarity == w->similarity);
    }
    assert_true(is_full || n_kinds[OG_VERDICT_LATER] > 0);
    assert_true(n_kinds[OG_VERDICT_KEPT] > 20);
    assert_true(n_kinds[OG_VERDICT_COPY] > 20);
}

static void check(uint64_t memory)
{
    static struct said one[N], many[N];
    for (uint64_t seed = 1; seed <= 3; seed++) {
        write_texts(seed);
        sketch_texts();
        struct og_dedup_texts *texts = open_texts();
        decide_one_by_one(texts, memory, one);
        for (size_t n_most = 1; n_most <= N; n_most *= 5) {
            decide_in_batches(texts, memory, n_most, seed, many);
            compare(one, many);
        }
        og_dedup_texts_free(texts);
    }
}

static void test_batches_of_any_size(void **state)
{
    (void)state;
    check(0);
}

static void test_a_full_table(void **state)
{
    (void)state;
    check(60000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batches_of_any_size),
        cmocka_unit_test(test_a_full_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
