/* Numbers to entries, whether they are pending in memory or on disk: the result
 * must not depend on that, and is valid until it is cleared. */

#include "tests/unit/documents_support.h"

#include <stdio.h>

#include "lib/store/catalogue/lookup.h"

enum { ON_DISK = 40, IN_ALL = 100 };

static void append(struct og_pending *pending, uint32_t first, uint32_t n)
{
    struct entries e = make_entries(first, n);
    for (uint32_t i = 0; i < n; i++) {
        char id[32];
        const struct og_entry entry = entry_of(first + i, id);
        ASSERT_OK(og_pending_reserve(pending, &story));
        ASSERT_OK(og_pending_append(pending, e.list[i], &entry, &story));
    }
    free_entries(&e);
}

static void check_entry(struct og_lookup *lookup, uint32_t number)
{
    char id[32];
    struct og_entry entry;
    const struct og_entry expected = entry_of(number, id);
    ASSERT_OK(og_lookup_get(lookup, number, &entry, &story));
    assert_int_equal(entry.id.len, expected.id.len);
    assert_memory_equal(entry.id.data, id, entry.id.len);
    assert_int_equal(entry.time, expected.time);
    assert_int_equal(entry.text_len, expected.text_len);
    assert_int_equal(entry.n_origins, expected.n_origins);
}

static void check_missing(struct og_lookup *lookup, uint32_t number)
{
    char expected[80];
    struct og_entry entry;
    assert_int_equal(og_lookup_get(lookup, number, &entry, &story),
                     OG_ERR_STORE);
    snprintf(expected, sizeof(expected),
             "the catalogue has no valid entry of document %u", number);
    assert_string_equal(story.message, expected);
}

static void check_latest(struct og_lookup *lookup, const char *id,
                         uint32_t below, uint32_t expected)
{
    uint32_t number = 0;
    ASSERT_OK(og_lookup_latest(lookup, (og_bytes){id, strlen(id)}, below,
                               &number, &story));
    assert_int_equal(number, expected);
}

static void all_in_memory(void **state)
{
    struct og_pending pending;
    struct og_lookup lookup;
    (void)state;
    og_pending_init(&pending, 0, NULL);
    og_lookup_init(&lookup, &pending, NULL, NULL);
    check_missing(&lookup, 0);
    append(&pending, 0, IN_ALL);
    for (uint32_t i = 0; i < IN_ALL; i++)
        check_entry(&lookup, i);
    check_missing(&lookup, IN_ALL);
    /* Ten documents are called "id 0": 0, 10, ... 90. */
    check_latest(&lookup, "id 0", IN_ALL, 90);
    check_latest(&lookup, "id 99000", IN_ALL, 99);
    check_latest(&lookup, "id 99000", 99, OG_NO_DOC);
    check_latest(&lookup, "id 7", IN_ALL, OG_NO_DOC);
    og_lookup_release(&lookup);
    og_pending_release(&pending);
}

static void on_disk_and_in_memory(void **state)
{
    struct og_documents *db = open_documents(true);
    struct og_pending pending;
    struct og_lookup lookup;
    (void)state;
    write_documents(db, 0, ON_DISK);
    og_pending_init(&pending, ON_DISK, NULL);
    og_lookup_init(&lookup, &pending, db, NULL);
    append(&pending, ON_DISK, IN_ALL - ON_DISK);
    for (int round = 0; round < 2; round++) {
        og_lookup_clear(&lookup);
        for (uint32_t i = 0; i < IN_ALL; i++) {
            check_entry(&lookup, i);
            check_entry(&lookup, i);
        }
        check_missing(&lookup, IN_ALL);
        check_latest(&lookup, "id 0", IN_ALL, 90);
        check_latest(&lookup, "id 0", ON_DISK, 30);
        check_latest(&lookup, "id 0", 30, 20);
        check_latest(&lookup, "id 0", 0, OG_NO_DOC);
        check_latest(&lookup, "id 39000", IN_ALL, 39);
        /* The second time all of them are on disk. */
        if (round == 0) {
            write_documents(db, ON_DISK, IN_ALL - ON_DISK);
            og_pending_freeze(&pending);
            og_pending_discard(&pending);
        }
    }
    og_lookup_release(&lookup);
    og_pending_release(&pending);
    close_documents(db);
}

/* Names are handed on, so they outlive what they were read from. */
static void names_stay_until_cleared(void **state)
{
    struct og_documents *db = open_documents(true);
    struct og_pending pending;
    struct og_lookup lookup;
    struct og_entry from_disk, from_memory;
    char id[32];
    (void)state;
    write_documents(db, 0, ON_DISK);
    og_pending_init(&pending, ON_DISK, NULL);
    og_lookup_init(&lookup, &pending, db, NULL);
    append(&pending, ON_DISK, 20);
    ASSERT_OK(og_lookup_get(&lookup, 7, &from_disk, &story));
    ASSERT_OK(og_lookup_get(&lookup, ON_DISK + 7, &from_memory, &story));
    write_documents(db, ON_DISK, 20);
    og_pending_freeze(&pending);
    og_pending_discard(&pending);
    append(&pending, ON_DISK + 20, 20);
    for (uint32_t i = 0; i < ON_DISK; i++)
        check_entry(&lookup, i);
    entry_of(7, id);
    assert_memory_equal(from_disk.id.data, id, from_disk.id.len);
    entry_of(ON_DISK + 7, id);
    assert_memory_equal(from_memory.id.data, id, from_memory.id.len);
    og_lookup_release(&lookup);
    og_pending_release(&pending);
    close_documents(db);
}

static void a_damaged_entry_is_reported(void **state)
{
    struct og_pending pending;
    struct og_lookup lookup;
    (void)state;
    og_pending_init(&pending, 0, NULL);
    og_lookup_init(&lookup, &pending, NULL, NULL);
    append(&pending, 0, 3);
    const og_bytes entry = og_pending_active(&pending)->entries[1];
    ((char *)entry.data)[entry.len - 1] ^= 1;
    check_entry(&lookup, 0);
    check_missing(&lookup, 1);
    check_entry(&lookup, 2);
    og_lookup_release(&lookup);
    og_pending_release(&pending);
}

#define TEST(f) cmocka_unit_test_setup(f, fresh_catalogue)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_in_memory),
        TEST(on_disk_and_in_memory),
        TEST(names_stay_until_cleared),
        TEST(a_damaged_entry_is_reported),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
