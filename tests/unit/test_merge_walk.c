/* A walk over the sorted lists of several segments, and the shares it is cut
 * in. */

#include "tests/unit/stage_support.h"

#include "lib/sentence/index/merge_walk.h"

#define HIGH(n) ((uint64_t)(n) << 63) /* the second of two shares */

static uint64_t hashes[3][4] = {
    {2, 5, HIGH(1) + 1, 0}, {5, 7, HIGH(1), HIGH(1) + 1}, {1, 5, 0, 0}};
static const uint32_t lengths[3] = {3, 4, 2};
/* Of each segment: where the shares begin, and the end. */
static uint32_t starts[3][3] = {{0, 2, 3}, {0, 2, 4}, {0, 2, 2}};

static struct og_sentence_segment segments[3];
static const struct og_sentence_segment *const three[3] = {
    &segments[0], &segments[1], &segments[2]};
static struct merge_share sums[2] = {{0, 0, 0}, {4, 40, 400}};
static struct merge merge;

static int begin(void **state)
{
    (void)state;
    memset(&merge, 0, sizeof(merge));
    merge.segments = three;
    merge.n = 3;
    merge.wordsets =
        (struct merge_cut){.bits = 1, .n = 2, .at = starts[0], .share = sums};
    merge.totals.n_wordsets = 6;
    merge.totals.n_words = 9;
    merge.totals.n_keys = 60;
    merge.totals.n_sentences = 600;
    for (size_t i = 0; i < 3; i++) {
        segments[i].wordset_hashes = hashes[i];
        segments[i].totals.n_wordsets = lengths[i];
    }
    return 0;
}

static void check_next(struct merge_walk *w, uint64_t value, size_t n_here,
                       const size_t *segment, const size_t *place)
{
    assert_true(og_merge_walk_next(w));
    assert_int_equal(w->value, value);
    assert_int_equal(w->n_here, n_here);
    assert_memory_equal(w->segment, segment, n_here * sizeof(*segment));
    assert_memory_equal(w->place, place, n_here * sizeof(*place));
}

#define PLACES(...) ((const size_t[]){__VA_ARGS__})

/* Values ascend, each comes once, with every segment that has it. */
static void test_first_share(void **state)
{
    struct merge_walk w = og_merge_walk_share(&merge, &merge.wordsets, 0);
    (void)state;
    check_next(&w, 1, 1, PLACES(2), PLACES(0));
    check_next(&w, 2, 1, PLACES(0), PLACES(0));
    check_next(&w, 5, 3, PLACES(0, 1, 2), PLACES(1, 0, 1));
    check_next(&w, 7, 1, PLACES(1), PLACES(1));
    assert_false(og_merge_walk_next(&w));
    assert_false(og_merge_walk_next(&w));
}

static void test_last_share(void **state)
{
    struct merge_walk w = og_merge_walk_share(&merge, &merge.wordsets, 1);
    (void)state;
    check_next(&w, HIGH(1), 1, PLACES(1), PLACES(2));
    check_next(&w, HIGH(1) + 1, 2, PLACES(0, 1), PLACES(2, 3));
    assert_false(og_merge_walk_next(&w));
}

/* The largest value that there is marks no end. */
static void test_largest_value(void **state)
{
    struct merge_walk w;
    (void)state;
    hashes[1][3] = UINT64_MAX;
    w = og_merge_walk_share(&merge, &merge.wordsets, 1);
    check_next(&w, HIGH(1), 1, PLACES(1), PLACES(2));
    check_next(&w, HIGH(1) + 1, 1, PLACES(0), PLACES(2));
    check_next(&w, UINT64_MAX, 1, PLACES(1), PLACES(3));
    assert_false(og_merge_walk_next(&w));
    hashes[1][3] = HIGH(1) + 1;
}

/* After the last share is what there is in all. */
static void test_share_at(void **state)
{
    const struct merge_share middle =
        og_merge_share_at(&merge, &merge.wordsets, 1);
    const struct merge_share end =
        og_merge_share_at(&merge, &merge.wordsets, 2);
    const struct merge_share words = og_merge_share_at(&merge, &merge.words, 0);
    (void)state;
    assert_int_equal(middle.n, 4);
    assert_int_equal(middle.n_places, 400);
    assert_int_equal(end.n, 6);
    assert_int_equal(end.n_keys, 60);
    assert_int_equal(end.n_places, 600);
    assert_int_equal(words.n, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_first_share, begin),
        cmocka_unit_test_setup(test_last_share, begin),
        cmocka_unit_test_setup(test_largest_value, begin),
        cmocka_unit_test_setup(test_share_at, begin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
