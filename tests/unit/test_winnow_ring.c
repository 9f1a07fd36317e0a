/* The ring of minima: right for every window, and never more than three
 * comparisons a place, whatever the values. */

static unsigned long n_compared;

#include "lib/chunk/winnow_ring.h"
#include "tests/property/plain_cut.h"

enum { N = 5000 };

typedef uint64_t value_of(size_t i, uint64_t *random);

static uint64_t random_value(size_t i, uint64_t *random)
{
    (void)i;
    return og_random_next(random);
}

static uint64_t few_values(size_t i, uint64_t *random)
{
    (void)i;
    return og_random_next(random) % 3;
}

static uint64_t same_value(size_t i, uint64_t *random)
{
    (void)i, (void)random;
    return 7;
}

static uint64_t rising_value(size_t i, uint64_t *random)
{
    (void)random;
    return i;
}

static uint64_t falling_value(size_t i, uint64_t *random)
{
    (void)random;
    return N - i;
}

/* Rises, then falls below all: as many as can be are dropped at once. */
static uint64_t saw_value(size_t i, uint64_t *random)
{
    (void)random;
    return i % 100 == 99 ? 1 + i % 7 : 10 + i % 100;
}

static value_of *const kinds[] = {random_value, few_values,    same_value,
                                  rising_value, falling_value, saw_value};

/* Every window of a length: the rightmost minimum, by looking at all. */
static void check_windows(value_of *value, size_t window)
{
    static uint64_t values[N];
    struct og_winnow_ring ring;
    uint64_t random = window;
    og_winnow_ring_init(&ring, NULL);
    for (size_t i = 0; i < N; i++) {
        values[i] = value(i, &random);
        assert_true(og_winnow_ring_push(&ring, i, values[i]));
        const size_t first = i + 1 < window ? 0 : i + 1 - window;
        og_winnow_ring_drop_before(&ring, first);
        size_t min = first;
        for (size_t j = first; j <= i; j++)
            if (values[j] <= values[min]) min = j;
        assert_int_equal(og_winnow_ring_min(&ring)->place, min);
        assert_true(ring.n_compared <= 3 * (i + 1));
    }
    n_compared = ring.n_compared;
    og_winnow_ring_release(&ring);
}

static void finds_the_rightmost_minimum(void **state)
{
    (void)state;
    static const size_t windows[] = {1, 2, 3, 64, 65, 700};
    for (size_t k = 0; k < LENGTH(kinds); k++)
        for (size_t i = 0; i < LENGTH(windows); i++)
            check_windows(kinds[k], windows[i]);
}

static void three_comparisons_are_reached_by_none(void **state)
{
    (void)state;
    for (size_t k = 0; k < LENGTH(kinds); k++) {
        check_windows(kinds[k], 500);
        assert_true(n_compared > N / 2); /* the counter counts */
        assert_true(n_compared <= 3 * N);
    }
}

static void a_rising_row_needs_room_for_all(void **state)
{
    (void)state;
    struct og_winnow_ring ring;
    og_winnow_ring_init(&ring, NULL);
    for (size_t i = 0; i < N; i++)
        assert_true(og_winnow_ring_push(&ring, i, i));
    assert_int_equal(ring.last - ring.first, N);
    assert_true(og_winnow_ring_push(&ring, N, 0));
    assert_int_equal(ring.last - ring.first, 1);
    og_winnow_ring_release(&ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_rightmost_minimum),
        cmocka_unit_test(three_comparisons_are_reached_by_none),
        cmocka_unit_test(a_rising_row_needs_room_for_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
