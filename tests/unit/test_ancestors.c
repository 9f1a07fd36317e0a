/* Caching the origins of origins changes no answer. */

#include "tests/unit/texts_of_store.h"

#include "lib/base/bits.h"

enum { N_DOCS = 160, N_WORDS = 70 };

static og_store *open_growing(void)
{
    og_store *store;
    const og_params params = og_params_default();
    ASSERT_OK(og_store_open(":memory:", OG_CREATE,
                            &(og_store_options){.params = &params}, &store,
                            &story));
    return store;
}

/* Pieces of 9 to 40 words of a few sources, in any order, and words of its own:
 * passages that documents have from one another, also short ones. */
static og_bytes random_document(uint64_t *lot, int number)
{
    static char text[4000];
    int n = 0;
    for (int w = 0; w < N_WORDS;) {
        const bool is_copied = og_random_next(lot) % 3 != 0;
        const int source = (int)(og_random_next(lot) % 12);
        const int from = (int)(og_random_next(lot) % 40);
        const int len = 9 + (int)(og_random_next(lot) % 32);
        for (int i = 0; i < len && w < N_WORDS; i++, w++)
            n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%dx%d ",
                          is_copied ? "s" : "own", is_copied ? source : number,
                          is_copied ? from + i : w);
    }
    return (og_bytes){text, (size_t)n};
}

static void assert_same_answers(const og_answer *a, const og_answer *b)
{
    assert_int_equal(a->n_spans, b->n_spans);
    for (size_t i = 0; i < a->n_spans; i++) {
        assert_int_equal(a->spans[i].begin, b->spans[i].begin);
        assert_int_equal(a->spans[i].end, b->spans[i].end);
        assert_int_equal(a->spans[i].origin, b->spans[i].origin);
        assert_int_equal(a->spans[i].origin_begin, b->spans[i].origin_begin);
        assert_int_equal(a->spans[i].origin_end, b->spans[i].origin_end);
    }
}

static size_t n_remembered(og_store *store)
{
    struct og_ancestors out;
    size_t n = 0;
    for (uint32_t i = 0; i < store->catalogue.n; i++)
        n += og_origin_cache_recall(&store->origin_caches.hashes, i, &out) &&
             og_store_still_names(store, &out);
    return n;
}

/* One in `late` documents is older than some that came before it. The second
 * store forgets before each. */
static void compare_streams(uint64_t seed, uint64_t late)
{
    og_store *one = open_growing(), *other = open_growing();
    og_trace *trace = og_trace_new(one), *other_trace = og_trace_new(other);
    uint64_t lot = seed;
    char id[16];
    size_t n_used = 0;
    for (int i = 0; i < N_DOCS; i++) {
        const bool is_late = late != 0 && og_random_next(&lot) % late == 0;
        snprintf(id, sizeof(id), "d%d", i);
        const og_document doc = {
            .id = bytes_of(id),
            .text = random_document(&lot, i),
            .time = is_late ? (int64_t)(og_random_next(&lot) % (i + 1)) : i,
            .has_time = true};
        n_used += n_remembered(one);
        og_store_reorder(other);
        ASSERT_OK(og_store_add(one, &doc, trace, &story));
        ASSERT_OK(og_store_add(other, &doc, other_trace, &story));
        assert_same_answers(og_trace_answer(trace),
                            og_trace_answer(other_trace));
    }
    assert_true(n_used > 0);
    og_trace_free(trace);
    og_trace_free(other_trace);
    ASSERT_OK(og_store_close(one, &story));
    ASSERT_OK(og_store_close(other, &story));
}

static void documents_in_order(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 4; seed++)
        compare_streams(seed, 0);
}

static void late_documents(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 9; seed++)
        compare_streams(seed, 1 + seed % 4);
}

static void add_at(og_store *store, const char *id, int text, int64_t time)
{
    const og_document doc = {.id = bytes_of(id),
                             .text = text_number(text),
                             .time = time,
                             .has_time = true};
    ASSERT_OK(og_store_add(store, &doc, NULL, &story));
}

/* It is another one when a document takes something over, and only then. */
static void the_order_of_a_store(void **state)
{
    (void)state;
    og_store *store = open_growing();
    const uint64_t first = og_store_order(store);
    assert_int_not_equal(first, 0);
    add_at(store, "a", 1, 50);
    add_at(store, "b", 1, 60);
    add_at(store, "late, of its own", 2, 40);
    assert_int_equal(og_store_order(store), first);
    add_at(store, "late, the origin", 1, 30);
    assert_int_not_equal(og_store_order(store), first);
    ASSERT_OK(og_store_close(store, &story));
}

static struct og_ancestors found_now(const og_store *store, uint32_t doc)
{
    return (struct og_ancestors){.order = og_store_order(store),
                                 .n_named = 1,
                                 .named = {og_store_changed_slot(doc)}};
}

/* What was found lasts until something is taken over from a document that it
 * names. */
static void what_was_found_lasts(void **state)
{
    (void)state;
    og_store *store = open_growing();
    add_at(store, "a", 1, 50);
    add_at(store, "b", 2, 60);
    const struct og_ancestors of_a = found_now(store, 0);
    const struct og_ancestors of_b = found_now(store, 1);
    struct og_ancestors of_many = found_now(store, 0);
    of_many.n_named = OG_NAMED + 1;
    assert_true(og_store_still_names(store, &of_many));
    add_at(store, "late, the origin of b", 2, 40);
    assert_true(og_store_still_names(store, &of_a));
    assert_false(og_store_still_names(store, &of_b));
    assert_false(og_store_still_names(store, &of_many));
    add_at(store, "late, the origin of a", 1, 30);
    assert_false(og_store_still_names(store, &of_a));
    const struct og_ancestors of_late = found_now(store, 3);
    og_store_reorder(store);
    assert_false(og_store_still_names(store, &of_late));
    ASSERT_OK(og_store_close(store, &story));
}

/* A table at its cap gives up what it knew. */
static void nothing_lasts_at_the_cap(void **state)
{
    og_store *store;
    og_params params = og_params_default();
    (void)state;
    params.memory = 1 << 16;
    ASSERT_OK(og_store_open(":memory:", OG_CREATE,
                            &(og_store_options){.params = &params}, &store,
                            &story));
    assert_int_equal(og_store_order(store), 0);
    ASSERT_OK(og_store_close(store, &story));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_in_order),
        cmocka_unit_test(late_documents),
        cmocka_unit_test(the_order_of_a_store),
        cmocka_unit_test(what_was_found_lasts),
        cmocka_unit_test(nothing_lasts_at_the_cap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
