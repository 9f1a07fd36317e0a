/* Entries in memory: found by number and by id until they are on disk. */

#include "tests/unit/store_support.h"

#include <stdio.h>

#include "lib/store/catalogue/entry.h"
#include "lib/store/catalogue/pending.h"

static void append(struct og_pending *p, const char *id, const char *title)
{
    og_pending_expect_id(p, bytes_of(id)); /* nothing that can be seen */
    struct og_pack pack = {0};
    const struct og_entry entry = {.id = bytes_of(id),
                                   .title = bytes_of(title),
                                   .url = bytes_of(""),
                                   .extra = bytes_of(""),
                                   .series = OG_NO_DOC};
    og_entry_pack(&entry, &pack);
    ASSERT_OK(og_pending_reserve(p, &story));
    og_pending_expect(p, &entry);
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

/* Of this many ids some have the same hash of 32 bits. */
static void test_every_id_is_itself(void **state)
{
    enum { N = 200000 };
    struct og_pending p;
    char id[20];
    (void)state;
    og_pending_init(&p, 7, NULL);
    for (int i = 0; i < N; i++) {
        snprintf(id, sizeof(id), "%d", i);
        append(&p, id, "");
    }
    for (uint32_t i = 0; i < N; i++) {
        uint32_t number = 0;
        snprintf(id, sizeof(id), "%u", i);
        assert_true(og_pending_latest(&p, bytes_of(id), &number));
        assert_int_equal(number, 7 + i);
    }
    og_pending_release(&p);
}

static void append_number(struct og_pending *p, uint32_t number)
{
    char id[16];
    snprintf(id, sizeof(id), "%u", number);
    append(p, id, "");
}

/* Whatever lot they are in, until they go. */
static void test_two_lots(void **state)
{
    struct og_pending p;
    struct og_arena arena;
    og_bytes bytes;
    uint32_t number;
    (void)state;
    og_pending_init(&p, 10, NULL);
    og_arena_init(&arena, NULL);
    for (uint32_t i = 10; i < 30; i++)
        append_number(&p, i);
    append(&p, "10", "again");
    assert_null(og_pending_frozen(&p));
    og_pending_freeze(&p);
    assert_int_equal(og_pending_frozen(&p)->n, 21);
    assert_int_equal(og_pending_active(&p)->n, 0);
    assert_int_equal(og_pending_active(&p)->first, 31);
    for (uint32_t i = 31; i < 40; i++)
        append_number(&p, i);
    append(&p, "11", "again");
    assert_int_equal(og_pending_first(&p), 10);
    for (uint32_t i = 10; i < 41; i++)
        assert_true(og_pending_get(&p, i, &arena, &bytes));
    assert_false(og_pending_get(&p, 41, &arena, &bytes));
    assert_true(og_pending_latest(&p, bytes_of("10"), &number));
    assert_int_equal(number, 30);
    assert_true(og_pending_latest(&p, bytes_of("11"), &number));
    assert_int_equal(number, 40);
    og_pending_discard(&p);
    assert_null(og_pending_frozen(&p));
    assert_int_equal(og_pending_first(&p), 31);
    assert_false(og_pending_get(&p, 30, &arena, &bytes));
    assert_true(og_pending_get(&p, 31, &arena, &bytes));
    assert_false(og_pending_latest(&p, bytes_of("10"), &number));
    assert_true(og_pending_latest(&p, bytes_of("11"), &number));
    og_arena_release(&arena);
    og_pending_release(&p);
}

/* Document i has the origins i / 2, i / 3 and 7. */
static void append_copier(struct og_pending *p, uint32_t i)
{
    struct og_pack pack = {0};
    char id[16];
    snprintf(id, sizeof(id), "%u", i);
    struct og_entry entry = {.id = bytes_of(id),
                             .title = bytes_of(""),
                             .url = bytes_of(""),
                             .extra = bytes_of(""),
                             .series = OG_NO_DOC,
                             .n_origins = 3};
    entry.origins[0] = (struct og_entry_origin){i / 2, 5};
    entry.origins[1] = (struct og_entry_origin){i / 3, 4};
    entry.origins[2] = (struct og_entry_origin){7, 3};
    og_entry_pack(&entry, &pack);
    ASSERT_OK(og_pending_reserve(p, &story));
    ASSERT_OK(og_pending_append(p, (og_bytes){(char *)pack.data, pack.len},
                                &entry, &story));
    og_pack_release(&pack);
}

/* In the order in which they came, over both lots, as many as are wanted. */
static void test_copiers(void **state)
{
    enum { N = 3000, MOST = 16 };
    struct og_pending p;
    uint32_t found[MOST];
    (void)state;
    og_pending_init(&p, 0, NULL);
    assert_int_equal(og_pending_copiers(&p, 1, MOST, found), 0);
    for (uint32_t i = 0; i < N; i++) {
        if (i == N / 2) og_pending_freeze(&p);
        append_copier(&p, i);
    }
    for (uint32_t origin = 10; origin < 2 * N; origin++) {
        size_t n = 0;
        const size_t n_found = og_pending_copiers(&p, origin, MOST, found);
        for (uint32_t i = 0; i < N; i++)
            for (int j = 0; j < 2; j++) {
                if (i / (j == 0 ? 2 : 3) != origin) continue;
                assert_true(n < n_found);
                assert_int_equal(found[n++], i);
            }
        assert_int_equal(n, n_found);
    }
    assert_int_equal(og_pending_copiers(&p, 7, MOST, found), MOST);
    for (uint32_t i = 0; i < 14; i++) /* that one is listed twice */
        assert_int_equal(found[i], i);
    og_pending_discard(&p);
    assert_int_equal(og_pending_copiers(&p, 7, MOST, found), MOST);
    for (uint32_t i = 0; i < MOST; i++)
        assert_int_equal(found[i], N / 2 + i);
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
    assert_int_equal(og_pending_active(&p)->n_removed, 1);
    assert_true(og_pending_active(&p)->bytes > 0);
    og_pending_freeze(&p);
    og_pending_discard(&p);
    for (int i = 0; i < 2; i++)
        assert_int_equal(p.lots[i].n + p.lots[i].n_removed + p.lots[i].bytes,
                         0);
    assert_false(og_pending_latest(&p, bytes_of("a"), &number));
    append(&p, "b", "");
    assert_true(og_pending_latest(&p, bytes_of("b"), &number));
    assert_int_equal(number, 1);
    og_pending_release(&p);
}

/* Entries that were appended are there by their numbers; when they are indexed,
 * in the same order, by their ids and origins, too. */
static void test_in_two_steps(void **state)
{
    enum { N = 300 };
    struct og_pending p;
    struct og_arena arena;
    uint32_t number, copiers[N];
    og_bytes bytes;
    (void)state;
    og_pending_init(&p, 10, NULL);
    og_arena_init(&arena, NULL);
    ASSERT_OK(og_pending_reserve_all(&p, N, 2 * N, &story));
    struct og_entry entry = {.url = bytes_of(""),
                             .extra = bytes_of(""),
                             .title = bytes_of(""),
                             .series = OG_NO_DOC,
                             .id = bytes_of("a"),
                             .n_origins = 2};
    for (uint32_t i = 0; i < N; i++) {
        struct og_pack pack = {0};
        entry.origins[0].doc = 7;
        entry.origins[1].doc = 1000 + i;
        og_entry_pack(&entry, &pack);
        ASSERT_OK(og_pending_append_bytes(
            &p, (og_bytes){(char *)pack.data, pack.len}, &story));
        og_pack_release(&pack);
    }
    assert_true(og_pending_get(&p, 10 + N - 1, &arena, &bytes));
    assert_false(og_pending_latest(&p, bytes_of("a"), &number));
    assert_int_equal(og_pending_copiers(&p, 7, N, copiers), 0);
    for (uint32_t i = 0; i < N; i++) {
        entry.origins[1].doc = 1000 + i;
        og_pending_expect(&p, &entry);
        og_pending_expect_lists(&p, &entry);
        og_pending_index(&p, 10 + i, &entry);
    }
    assert_true(og_pending_latest(&p, bytes_of("a"), &number));
    assert_int_equal(number, 10 + N - 1);
    assert_int_equal(og_pending_copiers(&p, 7, N, copiers), N);
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(copiers[i], 10 + i);
        assert_int_equal(og_pending_copiers(&p, 1000 + i, N, &number), 1);
        assert_int_equal(number, 10 + i);
    }
    og_arena_release(&arena);
    og_pending_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_number_and_by_id),
        cmocka_unit_test(test_every_id_is_itself),
        cmocka_unit_test(test_two_lots),
        cmocka_unit_test(test_copiers),
        cmocka_unit_test(test_cleared_they_are_gone),
        cmocka_unit_test(test_in_two_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
