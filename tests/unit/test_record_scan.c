/* Where objects of JSON and lines of CSV end, also when they come byte by byte.
 */

#include "tests/unit/stage_support.h"

#include "lib/source/record_scan.h"
#include <string.h>

/* The ends of the records of `text`, of which a byte more is there each time,
 * are those that are found when all is there. */
static void expect(enum og_block_kind kind, const char *text,
                   const char *const *records, size_t n)
{
    for (size_t step = 1; step <= strlen(text) + 1; step++) {
        struct og_record_scan scan = {0};
        size_t begin = 0, found = 0;
        for (size_t have = step;; have += step) {
            if (have > strlen(text)) have = strlen(text);
            size_t end = 0;
            while (og_scan_record(kind, ',',
                                  (og_bytes){text + begin, have - begin}, &scan,
                                  &end)) {
                assert_true(found < n);
                assert_int_equal(end, strlen(records[found]));
                assert_memory_equal(text + begin, records[found], end);
                begin += end;
                found++;
                scan = (struct og_record_scan){0};
            }
            if (have == strlen(text)) break;
        }
        assert_int_equal(found, n);
    }
}

static void objects(void **state)
{
    static const char *const records[] = {"{\"a\":\"}\\\"{\"}",
                                          ",\n{\"b\":{\"c\":[{}]}}"};
    (void)state;
    expect(OG_BLOCK_JSON, "{\"a\":\"}\\\"{\"},\n{\"b\":{\"c\":[{}]}}]", records,
           2);
}

static void lines(void **state)
{
    static const char *const records[] = {"a,\"b\nc\"\"d\"\n", "e,f\r\n"};
    (void)state;
    expect(OG_BLOCK_CSV, "a,\"b\nc\"\"d\"\ne,f\r\ncut", records, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects),
        cmocka_unit_test(lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
