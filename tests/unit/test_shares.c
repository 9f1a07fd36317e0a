/* Sources of an answer: numbered by what they gave. */

#include "report_support.h"

#include "lib/report/shares.h"

static void test_the_largest_comes_first(void **state)
{
    (void)state;
    const og_span spans[] = {
        {.origin = 7, .n_tokens = 10, .how = OG_HOW_HIT},
        {.origin = 3, .n_tokens = 15, .how = OG_HOW_HIT},
        {.origin = 7, .n_tokens = 10, .how = OG_HOW_BRIDGED},
        {.origin = 9, .n_tokens = 15, .how = OG_HOW_EXPANDED},
    };
    const og_answer answer = {.spans = spans, .n_spans = 4};
    struct og_sources sources;
    assert_int_equal(og_sources_gather(&answer, &sources, NULL), OG_OK);
    assert_int_equal(sources.n, 3);
    assert_int_equal(sources.list[0].origin, 7);
    assert_int_equal(sources.list[0].n_tokens, 20);
    assert_int_equal(sources.list[0].n_spans, 2);
    assert_int_equal(sources.list[0].how_mask,
                     1u << OG_HOW_HIT | 1u << OG_HOW_BRIDGED);
    assert_int_equal(sources.list[1].origin, 3); /* met before 9 */
    assert_int_equal(sources.list[2].origin, 9);
    const uint32_t numbers[] = {1, 2, 1, 3};
    assert_memory_equal(sources.number_of_span, numbers, sizeof(numbers));
    og_sources_release(&sources);
}

static void test_no_spans_no_memory(void **state)
{
    (void)state;
    const og_answer answer = {0};
    struct og_sources sources;
    assert_int_equal(og_sources_gather(&answer, &sources, NULL), OG_OK);
    assert_int_equal(sources.n, 0);
    assert_null(sources.list);
    og_sources_release(&sources);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_largest_comes_first),
        cmocka_unit_test(test_no_spans_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
