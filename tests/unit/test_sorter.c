/* Sorting within fixed memory gives what sorting at once gives. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/disk/sorter.h"

struct record {
    uint64_t key, second, value;
};

static int by_keys(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->second < y->second ? -1 : x->second > y->second;
}

static void check_sorting(size_t n, size_t memory, bool is_sorted)
{
    struct record *all = malloc((n + 1) * sizeof(*all));
    struct og_sorter *sorter = NULL;
    uint64_t random = n + memory;
    assert_int_equal(
        og_sorter_new(sizeof(*all), 2, memory, "/tmp", &sorter, NULL), OG_OK);
    for (size_t i = 0; i < n; i++) {
        all[i] = (struct record){og_random_next(&random) % 50, i, ~(uint64_t)i};
        if (is_sorted) all[i].key = i;
        assert_int_equal(og_sorter_add(sorter, &all[i], NULL), OG_OK);
    }
    assert_int_equal(og_sorter_count(sorter), n);
    qsort(all, n, sizeof(*all), by_keys);
    for (int again = 0; again < 2; again++) {
        const void *record;
        assert_int_equal(og_sorter_finish(sorter, NULL), OG_OK);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(og_sorter_next(sorter, &record, NULL), OG_OK);
            assert_memory_equal(record, &all[i], sizeof(*all));
        }
        assert_int_equal(og_sorter_next(sorter, &record, NULL), OG_END);
        assert_int_equal(og_sorter_next(sorter, &record, NULL), OG_END);
    }
    og_sorter_free(sorter);
    free(all);
}

static void test_runs_on_disk_or_none(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 63, 64, 65, 1000, 20000};
    for (size_t i = 0; i < 7; i++) {
        check_sorting(sizes[i], 1 << 20, false);
        check_sorting(sizes[i], 4096, false);
        check_sorting(sizes[i], 4096, true);
    }
}

static void test_no_folder(void **state)
{
    (void)state;
    struct og_sorter *sorter = NULL;
    og_error err = {0};
    uint64_t record = 1;
    og_status status = OG_OK;
    assert_int_equal(og_sorter_new(8, 1, 0, "/no/such/folder", &sorter, &err),
                     OG_OK);
    for (int i = 0; i < 1000 && status == OG_OK; i++)
        status = og_sorter_add(sorter, &record, &err);
    assert_int_equal(status, OG_ERR_IO);
    assert_non_null(strstr(err.message, "/no/such/folder"));
    og_sorter_free(sorter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_on_disk_or_none),
        cmocka_unit_test(test_no_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
