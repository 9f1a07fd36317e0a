/* Against qsort(), for lists that are in order, nearly, and not at all. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/align/nearly_sorted.h"
#include "lib/base/bits.h"

struct pair {
    uint32_t key, number;
};

static int by_key(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static int by_both(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    const int order = by_key(a, b);
    if (order != 0) return order;
    return (x->number > y->number) - (x->number < y->number);
}

OG_SORT_NEARLY(sort_pairs, struct pair, by_both)
OG_SORT_NEARLY(sort_keys, struct pair, by_key)

enum { MOST = 300 };

/* Keys in order, of which one in `moved` is any; 0: none. */
static void fill(struct pair *list, size_t n, uint64_t moved, uint64_t *lot)
{
    for (uint32_t i = 0; i < n; i++) {
        const bool is_moved = moved != 0 && og_random_next(lot) % moved == 0;
        list[i].key = is_moved ? (uint32_t)(og_random_next(lot) % MOST) : i / 2;
        list[i].number = i;
    }
}

static void the_order_of_qsort(void **state)
{
    struct pair list[MOST], expected[MOST];
    uint64_t lot = 1;
    (void)state;
    for (uint64_t moved = 0; moved < 40; moved++)
        for (size_t n = 0; n < MOST; n += 7) {
            fill(list, n, moved, &lot);
            memcpy(expected, list, sizeof(list));
            if (n > 0) qsort(expected, n, sizeof(*expected), by_both);
            sort_pairs(list, n);
            for (size_t i = 0; i < n; i++) {
                assert_int_equal(list[i].key, expected[i].key);
                assert_int_equal(list[i].number, expected[i].number);
            }
        }
}

static void backwards(void **state)
{
    struct pair list[MOST];
    (void)state;
    for (uint32_t i = 0; i < MOST; i++)
        list[i] = (struct pair){MOST - i, i};
    sort_pairs(list, MOST);
    for (uint32_t i = 0; i < MOST; i++)
        assert_int_equal(list[i].key, i + 1);
}

/* As long as few are moved, equal ones keep their order. */
static void equal_ones(void **state)
{
    struct pair list[] = {{1, 0}, {4, 1}, {4, 2}, {2, 3}, {4, 4}, {2, 5}};
    const uint32_t expected[] = {0, 3, 5, 1, 2, 4};
    (void)state;
    sort_keys(list, 6);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(list[i].number, expected[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_qsort),
        cmocka_unit_test(backwards),
        cmocka_unit_test(equal_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
