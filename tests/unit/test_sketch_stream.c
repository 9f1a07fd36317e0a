/* Documents to sketches: the results of the threads are taken in order. */

#include "tests/unit/input_support.h"
#include "tests/unit/store_support.h"

#include <stdatomic.h>

#include "lib/sketch/sketch_stream.h"

enum { N = 200 };

struct run {
    int next, taken;
    atomic_int n_begun, n_ended;
    int fails_at; /* make() of a document with so many features; 0: none */
    bool take_fails;
};

static og_status next_document(void *ctx, og_document *out, og_error *err)
{
    static char text[N * 8];
    struct run *r = ctx;
    int len = 0;
    (void)err;
    if (r->next == N) return OG_END;
    /* Document i has i words, all different. */
    for (int i = 0; i < r->next; i++)
        len += snprintf(text + len, sizeof(text) - (size_t)len, "w%d ", i);
    r->next++;
    *out = (og_document){.text = {text, (size_t)len}};
    return OG_OK;
}

static og_status begin(void *ctx, void **out, og_error *err)
{
    struct run *r = ctx;
    (void)err;
    atomic_fetch_add(&r->n_begun, 1);
    *out = r;
    return OG_OK;
}

static void end(void *ctx, void *mine)
{
    struct run *r = ctx;
    assert_ptr_equal(mine, ctx);
    atomic_fetch_add(&r->n_ended, 1);
}

static og_status make(void *ctx, void *mine, struct og_features *features,
                      struct og_pack *out, og_error *err)
{
    const struct run *r = ctx;
    assert_ptr_equal(mine, ctx);
    if (r->fails_at != 0 && features->n == (size_t)r->fails_at)
        return og_error_set(err, OG_ERR_MEMORY, "enough");
    for (size_t i = 0; i < features->n; i++)
        og_pack_fixed(out, features->n, 8);
    return OG_OK;
}

static og_status take(void *ctx, og_bytes id, const uint8_t *made, size_t len,
                      uint64_t n_features, og_error *err)
{
    struct run *r = ctx;
    char name[32];
    snprintf(name, sizeof(name), "document:%d", r->taken + 1);
    assert_int_equal(id.len, strlen(name));
    assert_memory_equal(id.data, name, id.len);
    assert_int_equal(n_features, r->taken);
    assert_int_equal(len, 8 * n_features);
    for (size_t i = 0; i < n_features; i++)
        assert_int_equal(og_load64(made + 8 * i), n_features);
    r->taken++;
    if (r->take_fails && r->taken == 10)
        return og_error_set(err, OG_ERR_IO, "no room");
    return OG_OK;
}

static og_status stream(struct run *r, unsigned n_threads,
                        og_stream_counts *counts)
{
    og_feature_options features = og_feature_options_default();
    og_input input = input_of(NULL, 0, n_threads);
    const struct og_sketch_work work = {
        .ctx = r, .begin = begin, .end = end, .make = make, .take = take};
    input.ctx = r;
    input.next = next_document;
    features.kind = OG_FEATURE_TOKENS;
    return og_sketch_stream(&input, &features, &work, counts, &story);
}

static void in_order_on_any_number_of_threads(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 4; n_threads++) {
        struct run r = {0};
        og_stream_counts counts = {0};
        ASSERT_OK(stream(&r, n_threads, &counts));
        assert_int_equal(r.taken, N);
        assert_int_equal(counts.n_documents, N);
        assert_int_equal(counts.n_short, 1); /* one has no feature */
        assert_int_equal(counts.n_tokens, N * (N - 1) / 2);
        assert_true(atomic_load(&r.n_begun) > 0);
        assert_int_equal(atomic_load(&r.n_begun), atomic_load(&r.n_ended));
    }
}

static void failures_end_the_stream(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 4; n_threads += 3) {
        struct run r = {.fails_at = 20};
        assert_int_equal(stream(&r, n_threads, NULL), OG_ERR_MEMORY);
        assert_string_equal(story.message, "enough");
        assert_int_equal(r.taken, 20); /* those before it */
        assert_int_equal(atomic_load(&r.n_begun), atomic_load(&r.n_ended));
        r = (struct run){.take_fails = true};
        assert_int_equal(stream(&r, n_threads, NULL), OG_ERR_IO);
        assert_int_equal(r.taken, 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_order_on_any_number_of_threads),
        cmocka_unit_test(failures_end_the_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
