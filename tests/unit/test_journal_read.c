/* An incomplete end after a crash ends a journal; later damage is reported. */

#include "tests/unit/journal_support.h"

#include <stdio.h>
#include <unistd.h>

static const char *file(void)
{
    return in("journal/000001.jnl");
}

/* At every length there is a prefix of the records, or a later file or nothing
 * says otherwise. */
static void test_every_cut_is_a_prefix(void **state)
{
    size_t len;
    uint64_t next, torn, before = 1;
    (void)state;
    write_journal(40, 100);
    uint8_t *data = load(file(), &len);
    for (size_t n = 0; n < len; n++) {
        save(file(), data, n);
        const og_status status = read_journal(1, &next, &torn, &story);
        assert_int_equal(status, OG_END);
        if (n < sizeof(struct og_journal_head)) continue;
        assert_true(next >= before && next <= before + 1);
        before = next;
        if (n % 8 != 0) assert_true(torn > 0);
    }
    assert_int_equal(before, 39);
    free(data);
}

/* Lots of one record: all but the last say that what came before was safe. */
static void test_every_flip_of_what_was_safe_is_reported(void **state)
{
    size_t len;
    uint64_t next;
    og_error err;
    (void)state;
    write_journal(30, 1);
    uint8_t *data = load(file(), &len);
    const size_t last = len - 32 - 32; /* record 29 has 29 bytes */
    for (size_t i = 0; i < len; i++) {
        err = (og_error){0};
        flip(file(), (long)i, 0x10);
        const og_status status = read_journal(1, &next, NULL, &err);
        flip(file(), (long)i, 0x10);
        assert_int_equal(status, i < last ? OG_ERR_STORE : OG_END);
        if (i < last) assert_non_null(strstr(err.message, "000001.jnl"));
        if (i >= last) assert_int_equal(next, 29);
    }
    free(data);
}

/* A session begins a new file: the one before was safe up to its end. */
static void test_a_later_file_shows_what_is_missing(void **state)
{
    uint64_t next;
    struct stat st;
    (void)state;
    write_journal(10, 100);
    struct og_journal *journal = open_journal(2, 10);
    append_records(journal, 10, 20);
    ASSERT_OK(og_journal_commit(journal, &story));
    og_journal_free(journal);
    assert_int_equal(read_journal(1, &next, NULL, &story), OG_END);
    assert_int_equal(next, 20);
    assert_int_equal(stat(file(), &st), 0);
    assert_int_equal(truncate(file(), st.st_size - 8), 0);
    assert_int_equal(read_journal(1, &next, NULL, &story), OG_ERR_STORE);
    /* An incomplete end before a later file is skipped. */
    write_journal(10, 100);
    FILE *f = fopen(file(), "ab");
    fwrite("0123456789", 1, 10, f);
    fclose(f);
    assert_int_equal(read_journal(1, &next, NULL, &story), OG_END);
    assert_int_equal(next, 20);
}

/* The last file may have its length and none of its bytes, or no length. */
static void test_a_head_that_was_never_finished(void **state)
{
    uint64_t next;
    static const uint8_t zeros[5000];
    (void)state;
    write_journal(10, 100);
    const size_t lens[] = {0, 10, 64, 5000};
    for (size_t i = 0; i < LENGTH(lens); i++) {
        save(in("journal/000002.jnl"), zeros, lens[i]);
        assert_int_equal(read_journal(1, &next, NULL, &story), OG_END);
        assert_int_equal(next, 10);
    }
    save(in("journal/000002.jnl"),
         "garbage of some length, no journal, but "
         "long enough for a head of it all",
         70);
    assert_int_equal(read_journal(1, &next, NULL, &story), OG_ERR_STORE);
}

static void test_another_store_or_number(void **state)
{
    uint64_t next;
    (void)state;
    write_journal(10, 100);
    assert_int_equal(rename(file(), in("journal/000002.jnl")), 0);
    assert_int_equal(read_journal(1, &next, NULL, &story), OG_ERR_STORE);
    assert_int_equal(rename(in("journal/000002.jnl"), file()), 0);
    struct og_journal_reader reader;
    const uint8_t other[16] = {3};
    assert_int_equal(
        og_journal_reader_open(&reader, folder, other, 1, NULL, &story),
        OG_ERR_STORE);
}

/* A reader goes on when the writer does. */
static void test_it_can_be_asked_again(void **state)
{
    struct og_journal_reader reader;
    struct og_journal_view view;
    (void)state;
    struct og_journal *journal = open_journal(1, 1);
    ASSERT_OK(og_journal_reader_open(&reader, folder, uuid, 1, NULL, &story));
    for (uint64_t i = 1; i < 20; i++) {
        assert_int_equal(og_journal_reader_next(&reader, &view, &story),
                         OG_END);
        append_records(journal, i, i + 1);
        if (i % 5 == 0)
            ASSERT_OK(og_journal_rotate(journal, &story));
        else
            ASSERT_OK(og_journal_commit(journal, &story));
        ASSERT_OK(og_journal_reader_next(&reader, &view, &story));
        assert_int_equal(view.sequence, i);
    }
    og_journal_reader_close(&reader);
    og_journal_free(journal);
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

/* A journal that is one file with a name of its own. */
static void one_file(void **state)
{
    char path[160];
    const struct og_journal_part part = {"abc", 3};
    struct og_journal *journal;
    struct og_journal_reader reader;
    struct og_journal_view view;
    uint64_t sequence, len = 0;
    (void)state;
    snprintf(path, sizeof(path), "%s/mine", folder);
    assert_int_equal(
        og_journal_reader_open_file(&reader, path, uuid, NULL, &story), OG_END);
    for (uint64_t n = 1; n <= 3; n++) {
        const struct og_journal_options options = {.folder = path,
                                                   .is_file = true,
                                                   .number = 1,
                                                   .first_sequence = n,
                                                   .continued_len = len,
                                                   .durable = n - 1,
                                                   .uuid = uuid};
        ASSERT_OK(og_journal_new(&options, NULL, &journal, &story));
        ASSERT_OK(og_journal_append(journal, OG_JOURNAL_MARK, &part, 1,
                                    &sequence, &story));
        assert_int_equal(sequence, n);
        ASSERT_OK(og_journal_commit(journal, &story));
        og_journal_free(journal);
        ASSERT_OK(
            og_journal_reader_open_file(&reader, path, uuid, NULL, &story));
        for (uint64_t i = 1; i <= n; i++) {
            ASSERT_OK(og_journal_reader_next(&reader, &view, &story));
            assert_int_equal(view.type, OG_JOURNAL_MARK);
            assert_memory_equal(view.data, "abc", 3);
        }
        assert_int_equal(og_journal_reader_next(&reader, &view, &story),
                         OG_END);
        len = reader.off;
        og_journal_reader_close(&reader);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_every_cut_is_a_prefix),
        TEST(test_every_flip_of_what_was_safe_is_reported),
        TEST(test_a_later_file_shows_what_is_missing),
        TEST(test_a_head_that_was_never_finished),
        TEST(test_another_store_or_number),
        TEST(test_it_can_be_asked_again),
        TEST(one_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
