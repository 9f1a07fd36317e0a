/* The first document of each unit, against a list. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/dedup/unit_table.h"

enum { N_KINDS = 3000, N = 20000 };

static void test_the_first_is_reported(void **state)
{
    (void)state;
    static uint64_t first[N_KINDS];
    struct og_unit_table table = {.parts = {{0}}};
    uint64_t random = 3;
    for (uint64_t document = 1; document <= N; document++) {
        const uint64_t kind = og_random_next(&random) % N_KINDS;
        /* Half of the kinds have equal first words. */
        const uint64_t hash[2] = {og_mix64(kind / 2), og_mix64(kind) | 1};
        uint64_t found;
        assert_int_equal(
            og_unit_table_first(&table, hash, document, &found, NULL), OG_OK);
        assert_int_equal(found, first[kind]);
        if (first[kind] == 0) first[kind] = document;
    }
    og_unit_table_release(&table);
}

static void test_all_parts_are_used(void **state)
{
    (void)state;
    bool is_used[OG_UNIT_PARTS] = {false};
    for (uint64_t i = 0; i < 4096; i++) {
        const uint64_t hash[2] = {og_mix64(i), 1};
        is_used[og_unit_part_of(hash)] = true;
    }
    for (size_t i = 0; i < OG_UNIT_PARTS; i++)
        assert_true(is_used[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_first_is_reported),
        cmocka_unit_test(test_all_parts_are_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
