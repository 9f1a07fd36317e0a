/* Places of chunks by their keys: the first one stays. */

#include "tests/unit/stage_support.h"

#include "lib/chunk/known.h"

static void the_first_place_stays(void **state)
{
    struct og_known_chunks known;
    (void)state;
    og_known_chunks_init(&known, NULL);
    assert_null(og_known_chunks_find(&known, 7));
    assert_true(og_known_chunks_add(&known, 7, 1, 100, 10));
    assert_true(og_known_chunks_add(&known, 7, 2, 200, 10));
    assert_true(og_known_chunks_add(&known, 8, 3, 300, 0)); /* no bytes */
    const struct og_chunk_place *place = og_known_chunks_find(&known, 7);
    assert_non_null(place);
    assert_int_equal(place->file, 1);
    assert_int_equal(place->off, 100);
    assert_null(og_known_chunks_find(&known, 8));
    og_known_chunks_release(&known);
}

/* Also keys that differ in a single high bit, and after a clear. */
static void many(void **state)
{
    enum { N = 3000 };
    struct og_known_chunks known;
    (void)state;
    og_known_chunks_init(&known, NULL);
    for (int round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < N; i++)
            assert_true(
                og_known_chunks_add(&known, i << 40, (uint32_t)i, i + 1, 1));
        for (uint64_t i = 0; i < N; i++) {
            assert_int_equal(og_known_chunks_find(&known, i << 40)->off, i + 1);
            assert_null(og_known_chunks_find(&known, i << 40 | 1));
        }
        og_known_chunks_clear(&known);
        assert_null(og_known_chunks_find(&known, 0));
    }
    og_known_chunks_release(&known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_place_stays),
        cmocka_unit_test(many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
