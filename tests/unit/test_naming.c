/* Numbers to entries, whether they wait in memory or are on disk: the answer
 * must not tell where, and stays until it is cleared. */

#include "tests/unit/documents_support.h"

#include "lib/naming.h"

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

static void check_entry(struct og_naming *naming, uint32_t number)
{
    char id[32];
    struct og_entry entry;
    const struct og_entry expected = entry_of(number, id);
    ASSERT_OK(og_naming_get(naming, number, &entry, &story));
    assert_int_equal(entry.id.len, expected.id.len);
    assert_memory_equal(entry.id.data, id, entry.id.len);
    assert_int_equal(entry.time, expected.time);
    assert_int_equal(entry.text_len, expected.text_len);
    assert_int_equal(entry.n_origins, expected.n_origins);
}

static void check_missing(struct og_naming *naming, uint32_t number)
{
    char expected[80];
    struct og_entry entry;
    assert_int_equal(og_naming_get(naming, number, &entry, &story),
                     OG_ERR_STORE);
    snprintf(expected, sizeof(expected),
             "the catalogue has no sound entry of document %u", number);
    assert_string_equal(story.message, expected);
}

static void check_latest(struct og_naming *naming, const char *id,
                         uint32_t below, uint32_t expected)
{
    uint32_t number = 0;
    ASSERT_OK(og_naming_latest(naming, (og_bytes){id, strlen(id)}, below,
                               &number, &story));
    assert_int_equal(number, expected);
}

static void all_in_memory(void **state)
{
    struct og_pending pending;
    struct og_naming naming;
    (void)state;
    og_pending_init(&pending, 0, NULL);
    og_naming_init(&naming, &pending, NULL, NULL);
    check_missing(&naming, 0);
    append(&pending, 0, IN_ALL);
    for (uint32_t i = 0; i < IN_ALL; i++)
        check_entry(&naming, i);
    check_missing(&naming, IN_ALL);
    /* Ten documents are called "id 0": 0, 10, ... 90. */
    check_latest(&naming, "id 0", IN_ALL, 90);
    check_latest(&naming, "id 99000", IN_ALL, 99);
    check_latest(&naming, "id 99000", 99, OG_NO_DOCUMENT);
    check_latest(&naming, "id 7", IN_ALL, OG_NO_DOCUMENT);
    og_naming_release(&naming);
    og_pending_release(&pending);
}

static void on_disk_and_in_memory(void **state)
{
    struct og_documents *db = open_documents(true);
    struct og_pending pending;
    struct og_naming naming;
    (void)state;
    write_documents(db, 0, ON_DISK);
    og_pending_init(&pending, ON_DISK, NULL);
    og_naming_init(&naming, &pending, db, NULL);
    append(&pending, ON_DISK, IN_ALL - ON_DISK);
    for (int round = 0; round < 2; round++) {
        og_naming_clear(&naming);
        for (uint32_t i = 0; i < IN_ALL; i++) {
            check_entry(&naming, i);
            check_entry(&naming, i);
        }
        check_missing(&naming, IN_ALL);
        check_latest(&naming, "id 0", IN_ALL, 90);
        check_latest(&naming, "id 0", ON_DISK, 30);
        check_latest(&naming, "id 0", 30, 20);
        check_latest(&naming, "id 0", 0, OG_NO_DOCUMENT);
        check_latest(&naming, "id 39000", IN_ALL, 39);
        /* The second time all of them are on disk. */
        if (round == 0) {
            write_documents(db, ON_DISK, IN_ALL - ON_DISK);
            og_pending_part(&pending);
            og_pending_drop(&pending);
        }
    }
    og_naming_release(&naming);
    og_pending_release(&pending);
    close_documents(db);
}

/* Names are handed on, so they outlive what they were read from. */
static void names_stay_until_cleared(void **state)
{
    struct og_documents *db = open_documents(true);
    struct og_pending pending;
    struct og_naming naming;
    struct og_entry from_disk, from_memory;
    char id[32];
    (void)state;
    write_documents(db, 0, ON_DISK);
    og_pending_init(&pending, ON_DISK, NULL);
    og_naming_init(&naming, &pending, db, NULL);
    append(&pending, ON_DISK, 20);
    ASSERT_OK(og_naming_get(&naming, 7, &from_disk, &story));
    ASSERT_OK(og_naming_get(&naming, ON_DISK + 7, &from_memory, &story));
    write_documents(db, ON_DISK, 20);
    og_pending_part(&pending);
    og_pending_drop(&pending);
    append(&pending, ON_DISK + 20, 20);
    for (uint32_t i = 0; i < ON_DISK; i++)
        check_entry(&naming, i);
    entry_of(7, id);
    assert_memory_equal(from_disk.id.data, id, from_disk.id.len);
    entry_of(ON_DISK + 7, id);
    assert_memory_equal(from_memory.id.data, id, from_memory.id.len);
    og_naming_release(&naming);
    og_pending_release(&pending);
    close_documents(db);
}

static void a_damaged_entry_is_told(void **state)
{
    struct og_pending pending;
    struct og_naming naming;
    (void)state;
    og_pending_init(&pending, 0, NULL);
    og_naming_init(&naming, &pending, NULL, NULL);
    append(&pending, 0, 3);
    const og_bytes entry = og_pending_young(&pending)->entries[1];
    ((char *)entry.data)[entry.len - 1] ^= 1;
    check_entry(&naming, 0);
    check_missing(&naming, 1);
    check_entry(&naming, 2);
    og_naming_release(&naming);
    og_pending_release(&pending);
}

#define TEST(f) cmocka_unit_test_setup(f, fresh_catalogue)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_in_memory),
        TEST(on_disk_and_in_memory),
        TEST(names_stay_until_cleared),
        TEST(a_damaged_entry_is_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
