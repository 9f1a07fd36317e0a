/* The texts that a document is compared with: fetched once, kept in bounds. */

#include "tests/unit/texts_of_store.h"

enum { N = 6 };

static og_store *store;
static og_trace *trace;
static struct og_origin_texts *origins;

static int set_up(void **state)
{
    static const char *const ids[N] = {"a", "b", "c", "d", "e", "f"};
    (void)state;
    store = open_texts(":memory:", false);
    for (int i = 0; i < N; i++)
        add_text(store, ids[i], text_number(i));
    trace = og_trace_new(store);
    origins = &trace->origins;
    ASSERT_OK(og_store_text_reader(store, &origins->reader, &story));
    og_origin_texts_begin(origins);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    og_trace_free(trace);
    return og_store_close(store, NULL) != OG_OK;
}

static const struct og_origin_side *get(uint32_t doc, bool stays)
{
    const struct og_origin_side *side;
    ASSERT_OK(og_origin_texts_places(origins, doc, stays, &side, &story));
    assert_int_equal(side->doc, doc);
    return side;
}

static og_bytes source_of(uint32_t doc)
{
    og_bytes text;
    ASSERT_OK(og_origin_texts_source(origins, doc, &text, &story));
    return text;
}

static void assert_folded(const struct og_origin_side *side)
{
    const struct og_prepared *p = &trace->scratch.prepared;
    ASSERT_OK(og_scratch_prepare(&trace->scratch, text_number((int)side->doc),
                                 &store->prepare, &story));
    assert_int_equal(side->text.len, p->text.len);
    assert_memory_equal(side->text.data, p->text.data, p->text.len);
}

static void a_text_and_its_tokens(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        const struct og_origin_side *side = get(i, true);
        assert_true(side->has_text);
        assert_same_bytes(source_of(i), text_number((int)i));
        assert_folded(side);
        assert_int_equal(side->tokens.n, 150);
    }
}

/* A text as the store gives it and as it was prepared when it came. */
static void assert_prepared(uint32_t doc, struct og_align_side side)
{
    const struct og_prepared *p = &trace->scratch.prepared;
    ASSERT_OK(og_scratch_prepare(&trace->scratch, text_number((int)doc),
                                 &store->prepare, &story));
    const size_t n = p->tokens.n;
    assert_int_equal(side.tokens->n, n);
    assert_memory_equal(side.tokens->hash, p->tokens.hash, 8 * n);
    if (side.text == NULL) return;
    assert_memory_equal(side.tokens->begin, p->tokens.begin, 4 * n);
    assert_memory_equal(side.tokens->end, p->tokens.end, 4 * n);
    assert_int_equal(side.text->len, p->text.len);
    assert_memory_equal(side.text->data, p->text.data, p->text.len);
}

/* First the hashes alone, then all of it. */
static void a_side_in_two_steps(void **state)
{
    struct og_align_side out;
    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        ASSERT_OK(og_origin_texts_side(origins, i, i, &out, &story));
        assert_null(out.text);
        assert_null(out.tokens->begin);
        assert_null(origins->places[i]);
        assert_prepared(i, out);
    }
    assert_int_equal(store->origin_caches.places.n, 0);
    for (uint32_t i = 0; i < N; i += 2) {
        ASSERT_OK(og_origin_texts_whole(origins, i, i, &out, &story));
        assert_non_null(out.text);
        assert_prepared(i, out);
        assert_ptr_equal(origins->places[i], get(i, true));
    }
}

static void what_was_fetched_is_kept(void **state)
{
    (void)state;
    const struct og_origin_side *side = get(1, false);
    const char *block = side->block;
    og_origin_texts_begin(origins);
    get(2, false);
    assert_ptr_equal(get(1, false)->block, block);
}

/* What the current document needs is kept, whatever the limit; what others
 * needed is evicted. */
static void the_bound(void **state)
{
    size_t with_all;
    (void)state;
    store->origin_caches.places.most = 1;
    for (uint32_t i = 0; i + 1 < N; i++)
        get(i, true);
    with_all = store->origin_caches.places.bytes;
    for (uint32_t i = 0; i + 1 < N; i++)
        assert_int_equal(get(i, true)->tokens.n, 150);
    assert_int_equal(store->origin_caches.places.bytes, with_all);
    og_origin_texts_begin(origins);
    get(N - 1, true); /* makes room */
    assert_true(store->origin_caches.places.bytes < with_all / 2);
    assert_int_equal(get(0, true)->tokens.n, 150);
    assert_int_equal(get(5, true)->tokens.n, 150);
    assert_same_bytes(source_of(5), text_number(5));
}

/* Another thread has the very same text, and keeps it while it needs it. */
static void threads_share_texts(void **state)
{
    (void)state;
    og_trace *other = og_trace_new(store);
    const struct og_origin_side *side;
    ASSERT_OK(og_store_text_reader(store, &other->origins.reader, &story));
    ASSERT_OK(og_origin_texts_places(&other->origins, 3, true, &side, &story));
    assert_ptr_equal(get(3, true), side);
    og_origin_texts_begin(origins);
    store->origin_caches.places.most = 1;
    for (uint32_t i = 0; i < 3; i++)
        get(i, false);
    assert_folded(side);
    og_origin_cache_forget(&store->origin_caches.places,
                           (struct og_origin_side *)side);
    assert_folded(side);
    og_trace_free(other);
    assert_folded(get(3, false));
}

/* A text that is not cut into tokens any more is not read again. */
static void texts_outlive_their_tokens(void **state)
{
    (void)state;
    store->origin_caches.places.most = 1;
    for (uint32_t i = 0; i < N; i++)
        get(i, false);
    struct og_origin_side *text =
        og_origin_cache_take(&store->origin_caches.texts, 0);
    assert_non_null(text);
    assert_same_bytes(text->source, text_number(0));
    text->block[0] = 'W'; /* where it comes from */
    og_origin_cache_give(&store->origin_caches.texts, text);
    assert_int_equal(get(0, false)->text.data[0], 'w');
    assert_int_equal(source_of(0).data[0], 'W');
}

/* A document that was just added is there without a look into the store. */
static void what_was_put_is_found(void **state)
{
    const og_bytes text = bytes_of("just added, and not yet written");
    (void)state;
    ASSERT_OK(
        og_scratch_prepare(&trace->scratch, text, &store->prepare, &story));
    const struct og_prepared *p = &trace->scratch.prepared;
    og_origin_texts_put(origins, 76, 1, text, &p->text, &p->tokens);
    assert_null(og_origin_cache_take(&store->origin_caches.texts, 76));
    origins->keeps_sources = true;
    og_origin_texts_put(origins, 77, 1, text, &p->text, &p->tokens);
    const struct og_origin_side *side = get(77, true);
    assert_same_bytes(source_of(77), text);
    assert_int_equal(side->tokens.n, p->tokens.n);
    ASSERT_OK(og_origin_texts_hashes(origins, 77, true, &side, &story));
    assert_int_equal(side->tokens.n, p->tokens.n);
    assert_memory_equal(side->tokens.hash, p->tokens.hash,
                        p->tokens.n * sizeof(*p->tokens.hash));
}

/* A long block serves the next long text, and counts as long as it lies idle.
 */
static void long_blocks_are_used_again(void **state)
{
    enum { LONG = 100000, MOST = 1 << 20 };
    static char long_text[LONG];
    static struct og_origin_cache cache;
    (void)state;
    og_origin_cache_init(&cache, MOST, NULL);
    const char *last = NULL;
    bool was_used_again = false;
    for (uint32_t i = 0; i < 40; i++) {
        struct og_origin_side *side = og_origin_side_new(i, NULL);
        assert_non_null(side);
        assert_true(og_origin_side_reserve(&cache, side, LONG - i));
        assert_true(side->block_len >= LONG - i);
        memcpy(side->block, long_text, LONG - i);
        was_used_again |= cache.n_spares < OG_ORIGIN_SPARES && i > 12 &&
                          side->block_len > LONG - i;
        last = side->block;
        og_origin_cache_give(&cache, og_origin_cache_put(&cache, side));
        assert_true(cache.bytes <= MOST + 2 * LONG);
    }
    assert_non_null(last);
    assert_true(was_used_again);
    og_origin_cache_release(&cache);
}

/* Nobody knows them before they were remembered, nor when the document went. */
static void ancestors_are_remembered(void **state)
{
    const struct og_ancestors ancestors = {.order = 5, .n = 2, .docs = {4, 1}};
    struct og_origin_cache *cache = &store->origin_caches.hashes;
    const struct og_origin_side *side;
    struct og_ancestors out;
    (void)state;
    og_origin_cache_remember(cache, 3, &ancestors);
    assert_false(og_origin_cache_recall(cache, 3, &out));
    ASSERT_OK(og_origin_texts_hashes(origins, 3, false, &side, &story));
    assert_false(og_origin_cache_recall(cache, 3, &out));
    og_origin_cache_remember(cache, 3, &ancestors);
    assert_true(og_origin_cache_recall(cache, 3, &out));
    assert_memory_equal(&out, &ancestors, sizeof(out));
}

/* Its text was already dropped: then no thread finds it, whichever is first. */
static void what_is_given_up_is_not_put(void **state)
{
    const og_bytes text = bytes_of("just added, and given up at once");
    (void)state;
    ASSERT_OK(
        og_scratch_prepare(&trace->scratch, text, &store->prepare, &story));
    const struct og_prepared *p = &trace->scratch.prepared;
    og_texts_limit(store->keeping.texts, 0);
    og_origin_texts_put(origins, 77, 1, text, &p->text, &p->tokens);
    assert_null(og_origin_cache_take(&store->origin_caches.places, 77));
    assert_null(og_origin_cache_take(&store->origin_caches.hashes, 77));
}

static void without_texts_nothing_is_said(void **state)
{
    struct og_align_side out;
    (void)state;
    struct og_origin_texts none;
    og_origin_texts_init(&none, &trace->lookup, &store->origin_caches,
                         &store->params, NULL);
    ASSERT_OK(og_origin_texts_side(&none, 1, 0, &out, &story));
    assert_null(out.tokens);
    og_origin_texts_release(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_text_and_its_tokens, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_side_in_two_steps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_fetched_is_kept, set_up,
                                        tear_down),
        cmocka_unit_test(long_blocks_are_used_again),
        cmocka_unit_test_setup_teardown(ancestors_are_remembered, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_bound, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_share_texts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(texts_outlive_their_tokens, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_was_put_is_found, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_given_up_is_not_put, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(without_texts_nothing_is_said, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
