/* Counts of documents that contain a fingerprint: never too large, and right
 * for common ones. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/table/common_fps.h"

enum { N_LINES = 64 };

static _Alignas(64) uint8_t lines[N_LINES * OG_COMMON_LINE];

static void test_a_document_counts_once(void **state)
{
    (void)state;
    memset(lines, 0, sizeof(lines));
    assert_int_equal(og_common_fps_get(lines, N_LINES, 7), 0);
    for (uint32_t doc = 0; doc < 10; doc++)
        for (int i = 0; i < 3; i++)
            og_common_fps_count(lines, N_LINES, 7, doc);
    assert_int_equal(og_common_fps_get(lines, N_LINES, 7), 10);
    assert_int_equal(og_common_fps_get(lines, N_LINES, 8), 0);
}

/* A fingerprint that every document has, among thousands that few have. */
static void test_the_common_stays(void **state)
{
    (void)state;
    enum { N_DOCS = 2000, RARE_EACH = 5 };
    uint64_t random = 1;
    memset(lines, 0, sizeof(lines));
    for (uint32_t doc = 0; doc < N_DOCS; doc++) {
        og_common_fps_count(lines, N_LINES, 42, doc);
        for (int i = 0; i < RARE_EACH; i++)
            og_common_fps_count(lines, N_LINES, og_random_next(&random), doc);
    }
    const uint32_t count = og_common_fps_get(lines, N_LINES, 42);
    assert_true(count <= N_DOCS);
    assert_true(count > N_DOCS * 9 / 10);
    assert_int_equal(og_common_fps_over(lines, N_LINES, N_DOCS / 2), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_document_counts_once),
        cmocka_unit_test(test_the_common_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
