/* The rule of merges against its words, and what it promises: few segments, few
 * copies. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/disk/merge_policy.h"

static void by_hand(void **state)
{
    (void)state;
    const uint64_t sizes[] = {100, 30, 9, 3, 1};
    /* 3 is not under 3 * 1: nothing to merge */
    assert_int_equal(og_merge_first(sizes, 5, 4, 0), 4);
    /* 3 + 1 = 4: 9 is under 12; 13: 30 is under 39; 43: 100 is under 129 */
    assert_int_equal(og_merge_first(sizes, 5, 3, 0), 0);
    assert_int_equal(og_merge_first(sizes, 5, 3, 2), 2); /* not before `from` */
    assert_int_equal(og_merge_first(sizes, 1, 0, 0), 0);
    const uint64_t equal[] = {5, 5, 5};
    assert_int_equal(og_merge_first(equal, 3, 2, 0), 0);
    const uint64_t huge[] = {UINT64_MAX, UINT64_MAX / 2};
    assert_int_equal(og_merge_first(huge, 2, 1, 0), 0); /* no overflow */
    const uint64_t empty[] = {0, 0};
    assert_int_equal(og_merge_first(empty, 2, 1, 0), 1);
}

/* Segments of one entry, a hundred thousand of them. */
static void few_segments_and_few_copies(void **state)
{
    (void)state;
    enum { N = 100000 };
    uint64_t sizes[64], copied = 0;
    size_t n = 0;
    for (uint64_t i = 0; i < N; i++) {
        sizes[n++] = 1;
        const size_t first = og_merge_first(sizes, n, n - 1, 0);
        uint64_t sum = 0;
        for (size_t k = first; k < n; k++)
            sum += sizes[k];
        if (first + 1 < n) copied += sum;
        sizes[first] = sum;
        n = first + 1;
        assert_true(n <= 11); /* log3(100000) = 10.5 */
        for (size_t k = 1; k < n; k++)
            assert_true(sizes[k - 1] >= OG_MERGE_GROWTH * sizes[k]);
    }
    assert_true(copied <= (uint64_t)N * 11 * OG_MERGE_GROWTH);
}

static void files_come_first(void **state)
{
    (void)state;
    const uint64_t numbers[] = {4, 7, 0, 0};
    assert_int_equal(og_segments_on_disk(numbers, 4), 2);
    assert_int_equal(og_segments_on_disk(numbers, 1), 1);
    assert_int_equal(og_segments_on_disk(numbers + 2, 2), 0);
    assert_int_equal(og_segments_on_disk(numbers, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(few_segments_and_few_copies),
        cmocka_unit_test(files_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
