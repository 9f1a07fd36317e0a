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

/* Copies that changed places: offsets in the origin fall, characters too. */
static void test_places_in_the_origins(void **state)
{
    (void)state;
    const og_match match = {0, 1, 6, 8};
    const og_span spans[] = {
        {.origin = 4,
         .origin_begin = 6,
         .origin_end = 9,
         .matches = &match,
         .n_matches = 1},
        {.origin = 4, .origin_begin = 0, .origin_end = 3},
        {.origin = 4, .origin_begin = OG_UNKNOWN, .origin_end = OG_UNKNOWN},
        {.origin = 5, .origin_begin = 1, .origin_end = 2},
        {.origin = 4, .origin_begin = 2, .origin_end = 99},
    };
    const og_origin origin = {
        .number = 4, .text = OG_LITERAL("\xe4\xb8\xad\xc3\xa9 \xc3\xa9x")};
    const og_answer answer = {
        .spans = spans, .n_spans = 5, .origins = &origin, .n_origins = 1};
    struct og_sources s;
    assert_int_equal(og_sources_gather(&answer, &s, NULL), OG_OK);
    assert_ptr_equal(s.list[s.number_of_span[0] - 1].detail, &origin);
    assert_null(s.list[s.number_of_span[3] - 1].detail);
    assert_int_equal(og_sources_place(&s, 3, 1), 1); /* bytes are known */
    assert_int_equal(
        og_sources_locate(&s, &answer, OG_OFFSETS_CHAR, true, NULL), OG_OK);
    assert_int_equal(og_sources_place(&s, 0, 6), 3);
    assert_int_equal(og_sources_place(&s, 0, 8), 4);
    assert_int_equal(og_sources_place(&s, 0, 9), 5);
    assert_int_equal(og_sources_place(&s, 1, 0), 0);
    assert_int_equal(og_sources_place(&s, 1, 3), 1);
    assert_int_equal(og_sources_place(&s, 2, OG_UNKNOWN), OG_UNKNOWN);
    assert_int_equal(og_sources_place(&s, 3, 1), OG_UNKNOWN);  /* no text */
    assert_int_equal(og_sources_place(&s, 4, 99), OG_UNKNOWN); /* outside */
    og_sources_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_largest_comes_first),
        cmocka_unit_test(test_no_spans_no_memory),
        cmocka_unit_test(test_places_in_the_origins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
