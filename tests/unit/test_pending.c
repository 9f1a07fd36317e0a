/* Entries in memory: found by number and by id until they are on disk. */

#include "tests/unit/store_support.h"

#include "lib/pending.h"
#include "lib/store/entry.h"

static void append(struct og_pending *p, const char *id, const char *title)
{
    struct og_pack pack = {0};
    const struct og_entry entry = {.id = bytes_of(id),
                                   .title = bytes_of(title),
                                   .url = bytes_of(""),
                                   .extra = bytes_of(""),
                                   .series = OG_NO_SERIES};
    og_entry_pack(&entry, &pack);
    ASSERT_OK(og_pending_reserve(p, &story));
    ASSERT_OK(og_pending_append(p, (og_bytes){(char *)pack.data, pack.len},
                                &entry, &story));
    og_pack_release(&pack);
}

static void test_by_number_and_by_id(void **state)
{
    struct og_pending p;
    struct og_arena arena;
    char id[20];
    (void)state;
    og_pending_init(&p, 100, NULL);
    og_arena_init(&arena, NULL);
    for (int i = 0; i < 3000; i++) { /* 1000 ids, three times each */
        snprintf(id, sizeof(id), "%d", i % 1000);
        append(&p, id, id);
    }
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t number = 0;
        og_bytes bytes;
        struct og_entry entry;
        snprintf(id, sizeof(id), "%u", i);
        assert_true(og_pending_latest(&p, bytes_of(id), &number));
        assert_int_equal(number, 2100 + i);
        assert_true(og_pending_get(&p, number, &arena, &bytes));
        assert_true(og_entry_unpack(bytes, &entry));
        assert_int_equal(entry.title.len, strlen(id));
        assert_memory_equal(entry.title.data, id, strlen(id));
    }
    uint32_t number;
    og_bytes bytes;
    assert_false(og_pending_latest(&p, bytes_of("1000"), &number));
    assert_false(og_pending_get(&p, 99, &arena, &bytes));
    assert_false(og_pending_get(&p, 3100, &arena, &bytes));
    og_arena_release(&arena);
    og_pending_release(&p);
}

static void test_cleared_they_are_gone(void **state)
{
    struct og_pending p;
    uint32_t number;
    (void)state;
    og_pending_init(&p, 0, NULL);
    append(&p, "a", "");
    ASSERT_OK(og_pending_remove(&p, 5, &story));
    assert_int_equal(p.n_removed, 1);
    assert_true(p.bytes > 0);
    og_pending_clear(&p, 1);
    assert_int_equal(p.n + p.n_removed + p.bytes, 0);
    assert_false(og_pending_latest(&p, bytes_of("a"), &number));
    append(&p, "b", "");
    assert_true(og_pending_latest(&p, bytes_of("b"), &number));
    assert_int_equal(number, 1);
    og_pending_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_number_and_by_id),
        cmocka_unit_test(test_cleared_they_are_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
