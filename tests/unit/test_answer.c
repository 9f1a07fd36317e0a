/* An answer: spans and the ranges between them, from labels; filters;
 * copies. */

#include "tests/unit/texts_of_store.h"

#include "lib/trace/answer.h"

static og_store *store;
static og_trace *trace;
static struct og_subject subject;
static og_document doc;
static og_bytes text;

/* Two documents in the store; the queried one is 40 words of the first, words
 * of its own, and 40 of the second. */
static int set_up(void **state)
{
    static char asked[2000];
    (void)state;
    store = open_texts(":memory:", false);
    const og_bytes one = text_number(1), two = text_number(2);
    add_text(store, "one", one);
    add_text(store, "two", two);
    const char *one_end = strstr(one.data, "w1x40 ");
    const char *two_begin = strstr(two.data, "w2x110 ");
    snprintf(asked, sizeof(asked),
             "%.*s here are some words that nobody else "
             "has in a row at all %s",
             (int)(one_end - one.data), one.data, two_begin);
    text = bytes_of(asked);
    doc = (og_document){.id = {"q", 1}, .text = text};
    trace = og_trace_new(store);
    ASSERT_OK(
        og_scratch_prepare(&trace->scratch, text, &store->prepare, &story));
    subject = og_subject_of(&doc, &trace->scratch.prepared);
    ASSERT_OK(og_store_identify(store, &subject, true, trace, &story));
    ASSERT_OK(og_store_ask(store, &subject, true, trace, &story));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    og_trace_free(trace);
    return og_store_close(store, NULL) != OG_OK;
}

static const og_answer *build(const struct og_filter *filter)
{
    ASSERT_OK(og_answering_build(&trace->answering, subject.prepared,
                                 &trace->labels, &trace->lookup, NULL, filter,
                                 &story));
    return &trace->answering.answer;
}

/* Spans and new ranges rise, do not overlap, and lie in the text. */
static void check_order(const og_answer *a)
{
    uint64_t end = 0;
    for (size_t i = 0; i < a->n_spans; i++) {
        assert_true(a->spans[i].begin >= end);
        assert_true(a->spans[i].begin < a->spans[i].end);
        end = a->spans[i].end;
        for (size_t j = 0; j < a->n_novel; j++)
            assert_true(a->novel[j].end <= a->spans[i].begin ||
                        a->novel[j].begin >= a->spans[i].end);
    }
    assert_true(end <= text.len);
}

static void spans_and_what_is_between(void **state)
{
    (void)state;
    const og_answer *a = build(NULL);
    assert_int_equal(a->n_spans, 2);
    check_order(a);
    assert_same_bytes(a->spans[0].origin_id, bytes_of("one"));
    assert_same_bytes(a->spans[1].origin_id, bytes_of("two"));
    assert_int_equal(a->n_novel, 1);
    assert_int_equal(a->n_tokens, subject.prepared->tokens.n);
    assert_int_equal(a->n_fresh,
                     a->n_tokens - a->spans[0].n_tokens - a->spans[1].n_tokens);
    assert_true(a->spans[0].origin_has_time && a->spans[0].origin_time == 7);
    assert_true(a->spans[0].origin_begin == OG_UNKNOWN); /* nobody compared */
    assert_true(a->has_dominant);
}

static bool is_first(const void *ctx, uint32_t number)
{
    (void)ctx;
    return number == 0;
}

static void filters(void **state)
{
    (void)state;
    struct og_filter filter = {.min_tokens = 1};
    assert_int_equal(build(&filter)->n_spans, 2);
    filter.min_tokens = 1000;
    assert_int_equal(build(&filter)->n_spans, 0);
    assert_int_equal(build(&filter)->n_novel, 1);
    assert_int_equal(build(&filter)->n_fresh, subject.prepared->tokens.n);
    filter = (struct og_filter){.min_tokens = 1, .is_barred = is_first};
    const og_answer *a = build(&filter);
    assert_int_equal(a->n_spans, 1);
    assert_same_bytes(a->spans[0].origin_id, bytes_of("two"));
    check_order(a);
}

/* A piece goes when more than half of it does not count. */
static void masked_tokens(void **state)
{
    uint8_t *mask = calloc(subject.prepared->tokens.n, 1);
    const struct og_filter filter = {.min_tokens = 1, .mask = mask};
    (void)state;
    const size_t half = build(NULL)->spans[0].n_tokens / 2;
    assert_int_equal(build(NULL)->spans[0].n_tokens, 2 * half);
    memset(mask, 1, half);
    assert_int_equal(build(&filter)->n_spans, 2);
    mask[half] = 1;
    const og_answer *a = build(&filter);
    assert_int_equal(a->n_spans, 1);
    assert_same_bytes(a->spans[0].origin_id, bytes_of("two"));
    free(mask);
}

/* All that a copy refers to is its own. */
static void copies_are_whole(void **state)
{
    og_copier copiers[] = {{.id = bytes_of("copier")}};
    og_match matches[] = {{0, 1, 2, 3}};
    og_span spans[] = {{.begin = 0,
                        .end = 4,
                        .origin_id = bytes_of("origin"),
                        .matches = matches,
                        .n_matches = 1}};
    og_origin origins[] = {{.id = bytes_of("origin"),
                            .title = bytes_of("title"),
                            .url = bytes_of("url"),
                            .text = bytes_of("text"),
                            .extra = bytes_of("{}"),
                            .copiers = copiers,
                            .n_copiers = 1}};
    og_range novel[] = {{4, 9}};
    const og_answer answer = {.spans = spans,
                              .n_spans = 1,
                              .novel = novel,
                              .n_novel = 1,
                              .origins = origins,
                              .n_origins = 1,
                              .dominant_id = bytes_of("dominant"),
                              .best_id = bytes_of("best")};
    struct og_arena arena;
    og_answer kept;
    (void)state;
    og_arena_init(&arena, NULL);
    assert_true(og_answer_keep(&answer, &arena, &kept));
    memset(copiers, 0, sizeof(copiers));
    memset(matches, 0, sizeof(matches));
    memset(spans, 0, sizeof(spans));
    memset(origins, 0, sizeof(origins));
    memset(novel, 0, sizeof(novel));
    assert_int_equal(kept.spans[0].end, 4);
    assert_int_equal(kept.spans[0].matches[0].origin_end, 3);
    assert_same_bytes(kept.spans[0].origin_id, bytes_of("origin"));
    assert_int_equal(kept.novel[0].end, 9);
    assert_same_bytes(kept.origins[0].title, bytes_of("title"));
    assert_same_bytes(kept.origins[0].extra, bytes_of("{}"));
    assert_same_bytes(kept.origins[0].copiers[0].id, bytes_of("copier"));
    assert_same_bytes(kept.dominant_id, bytes_of("dominant"));
    assert_same_bytes(kept.best_id, bytes_of("best"));
    og_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(spans_and_what_is_between, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(filters, set_up, tear_down),
        cmocka_unit_test_setup_teardown(masked_tokens, set_up, tear_down),
        cmocka_unit_test(copies_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
