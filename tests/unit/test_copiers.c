/* The chain of copies: which other documents have the passage, and which has
 * most of it. */

#include "tests/unit/texts_of_store.h"

#include "lib/trace/copiers.h"

static og_store *store;
static og_trace *trace;

static void add_at(const char *id, const char *text, int64_t time)
{
    const og_document doc = {.id = bytes_of(id),
                             .text = bytes_of(text),
                             .time = time,
                             .has_time = true};
    ASSERT_OK(og_store_add(store, &doc, NULL, &story));
}

/* The first 100 words are the origin's; a copier has words of its own, too. */
static const char *copy_with(const char *more)
{
    static char text[4000];
    const og_bytes origin = text_number(1);
    const char *end = strstr(origin.data, "w1x100 ");
    snprintf(text, sizeof(text), "%.*s %s", (int)(end - origin.data),
             origin.data, more);
    return text;
}

static int set_up(void **state)
{
    (void)state;
    store = open_texts(":memory:", false);
    trace = og_trace_new(store);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    og_trace_free(trace);
    return og_store_close(store, NULL) != OG_OK;
}

static const og_answer *ask(const char *text, int64_t time)
{
    const og_document doc = {.id = bytes_of("q"),
                             .text = bytes_of(text),
                             .time = time,
                             .has_time = true};
    ASSERT_OK(og_store_trace(store, &doc, trace, &story));
    return og_trace_answer(trace);
}

/* In the order of time, whatever the order of arrival. */
static void copiers_in_the_order_of_time(void **state)
{
    (void)state;
    add_at("later", copy_with("later words of its own"), 30);
    add_at("origin", text_number(1).data, 10);
    add_at("earlier", copy_with("earlier words of its own"), 20);
    const og_answer *a = ask(copy_with("the question"), 40);
    assert_int_equal(a->n_origins, 1);
    assert_same_bytes(a->origins[0].id, bytes_of("origin"));
    assert_int_equal(a->origins[0].n_copiers, 2);
    assert_same_bytes(a->origins[0].copiers[0].id, bytes_of("earlier"));
    assert_same_bytes(a->origins[0].copiers[1].id, bytes_of("later"));
    assert_same_bytes(a->origins[0].text, text_number(1));
}

/* A copy of a copy has its changes, too: it has more in common with the copy
 * than with the origin. */
static void the_best_match(void **state)
{
    char text[4000];
    int len = 0;
    (void)state;
    for (int w = 0; w < 150; w++)
        len += snprintf(text + len, sizeof(text) - (size_t)len,
                        w % 15 == 14 ? "changed%d%d " : "w%dx%d ", 1, w);
    add_at("origin", text_number(1).data, 10);
    add_at("copy", text, 20);
    const og_answer *a = ask(text, 40);
    assert_int_equal(a->n_origins, 1);
    assert_same_bytes(a->origins[0].id, bytes_of("origin"));
    assert_same_bytes(a->best_id, bytes_of("copy"));
    assert_true(a->best_share > 0.95);
}

/* Texts that were not compared are no evidence of copying. */
static void without_texts_no_copiers(void **state)
{
    og_answer answer;
    struct og_copiers chain;
    (void)state;
    add_at("origin", text_number(1).data, 10);
    add_at("copier", copy_with("of its own"), 20);
    answer = *ask(copy_with("the question"), 40);
    assert_int_equal(answer.origins[0].n_copiers, 1);
    const og_document doc = {.id = {"q", 1},
                             .text = bytes_of(copy_with("the question"))};
    struct og_subject subject = og_subject_of(&doc, &trace->scratch.prepared);
    ASSERT_OK(og_store_identify(store, &subject, true, trace, &story));
    og_copiers_init(&chain, NULL);
    ASSERT_OK(og_copiers_fill(&chain, &answer, &subject, store, trace, false,
                              &story));
    assert_int_equal(answer.n_origins, 1);
    assert_int_equal(answer.origins[0].n_copiers, 0);
    assert_int_equal(answer.origins[0].text.len, 0);
    answer.n_spans = 0;
    ASSERT_OK(og_copiers_fill(&chain, &answer, &subject, store, trace, false,
                              &story));
    assert_int_equal(answer.n_origins, 0);
    og_copiers_release(&chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(copiers_in_the_order_of_time, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_best_match, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_texts_no_copiers, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
