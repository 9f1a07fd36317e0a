/* Summaries by entry, within their memory. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lib/dedup/set_summaries.h"

static void make(struct og_set_summary *summary, uint64_t first, size_t n)
{
    uint64_t fps[256];
    for (size_t i = 0; i < n; i++)
        fps[i] = first + i;
    assert_int_equal(og_set_summary_make(summary, fps, n, n, NULL), OG_OK);
}

static void test_each_entry_has_its_own(void **state)
{
    (void)state;
    struct og_set_summaries all;
    struct og_set_summary summary = {NULL, 0};
    og_set_summaries_init(&all, 0);
    assert_null(og_set_summaries_of(&all, 0));
    for (uint32_t i = 0; i < 1000; i += 3) {
        make(&summary, 1 + i, i % 200);
        assert_int_equal(og_set_summaries_keep(&all, i, summary.parity, NULL),
                         OG_OK);
    }
    for (uint32_t i = 0; i < 2000; i++) {
        const struct og_wide_parity *kept = og_set_summaries_of(&all, i);
        assert_true((kept != NULL) == (i < 1000 && i % 3 == 0));
        if (kept == NULL) continue;
        make(&summary, 1 + i, i % 200);
        assert_memory_equal(kept, summary.parity, og_wide_parity_len(i % 200));
    }
    og_set_summaries_clear(&all);
    assert_null(og_set_summaries_of(&all, 3));
    og_set_summary_release(&summary);
    og_set_summaries_release(&all);
}

static void test_no_more_than_the_memory(void **state)
{
    (void)state;
    enum { MEMORY = 1 << 20 };
    struct og_set_summaries all;
    struct og_set_summary summary = {NULL, 0};
    og_set_summaries_init(&all, MEMORY);
    make(&summary, 1, 100);
    for (uint32_t i = 0; i < 20000; i++)
        assert_int_equal(og_set_summaries_keep(&all, i, summary.parity, NULL),
                         OG_OK);
    assert_non_null(og_set_summaries_of(&all, 0));
    assert_null(og_set_summaries_of(&all, 19999));
    assert_true(all.arena.total <= MEMORY + (256 << 10));
    og_set_summary_release(&summary);
    og_set_summaries_release(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_entry_has_its_own),
        cmocka_unit_test(test_no_more_than_the_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
