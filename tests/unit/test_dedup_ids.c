/* Ids by number, in memory and in a file. */

#include "tests/unit/stage_support.h"

#include "lib/dedup/dedup_ids.h"
#include <stdio.h>
#include <string.h>

static void ids_come_back(void **state)
{
    enum { N = 60000 }; /* more than the buffer holds */
    struct og_dedup_ids ids;
    og_bytes id;
    char name[40];
    (void)state;
    og_dedup_ids_init(&ids, "/tmp");
    for (unsigned i = 1; i <= N; i++) {
        const int len = snprintf(name, sizeof(name), "document-%u", i);
        const og_bytes made = {name, i % 7 == 0 ? 0 : (size_t)len};
        assert_int_equal(og_dedup_ids_add(&ids, made, NULL), OG_OK);
    }
    for (unsigned k = 0; k < 3000; k++) {
        const unsigned i = k * 7919 % N + 1;
        const int len = snprintf(name, sizeof(name), "document-%u", i);
        assert_int_equal(og_dedup_ids_get(&ids, i, &id, NULL), OG_OK);
        assert_int_equal(id.len, i % 7 == 0 ? 0 : len);
        assert_memory_equal(id.data, name, id.len);
    }
    assert_int_equal(og_dedup_ids_get(&ids, 0, &id, NULL), OG_OK);
    assert_int_equal(id.len, 0);
    og_dedup_ids_release(&ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
