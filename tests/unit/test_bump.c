/* Memory that is given back at once: aligned, apart, within its limit. */

#include "tests/unit/stage_support.h"

#include "lib/base/bump.h"
#include <string.h>

static void pieces_do_not_overlap(void **state)
{
    enum { N = 500 };
    struct og_bump bump;
    char *all[N];
    (void)state;
    og_bump_init(&bump, NULL);
    for (int round = 0; round < 2; round++) {
        og_bump_clear(&bump, 1 << 20);
        for (size_t i = 0; i < N; i++) {
            all[i] = og_bump_take(&bump, i % 97 + 1);
            assert_non_null(all[i]);
            assert_int_equal((uintptr_t)all[i] % 16, 0);
            memset(all[i], (int)i, i % 97 + 1);
        }
        for (size_t i = 0; i < N; i++)
            for (size_t k = 0; k < i % 97 + 1; k++)
                assert_int_equal((uint8_t)all[i][k], i & 255);
        assert_false(bump.is_over);
    }
    og_bump_release(&bump);
}

/* Going over the limit is said, and is over after a clear. */
static void the_limit_holds(void **state)
{
    struct og_bump bump;
    size_t n = 0;
    (void)state;
    og_bump_init(&bump, NULL);
    og_bump_clear(&bump, 1 << 20);
    while (og_bump_take(&bump, 1000) != NULL)
        n += 1000;
    assert_true(bump.is_over);
    assert_true(n > 0 && n <= 1 << 20);
    og_bump_clear(&bump, 1 << 20);
    assert_false(bump.is_over);
    assert_non_null(og_bump_take(&bump, 1000));
    assert_null(og_bump_take(&bump, SIZE_MAX - 8));
    og_bump_release(&bump);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_do_not_overlap),
        cmocka_unit_test(the_limit_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
