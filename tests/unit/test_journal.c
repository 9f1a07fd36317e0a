/* What was committed is read again, in order, across files. */

#include "tests/unit/journal_support.h"

#include <errno.h>
#include <stdio.h>

static void test_committed_records_come_back(void **state)
{
    uint64_t next;
    (void)state;
    write_journal(3000, 97);
    assert_int_equal(read_journal(1, &next, NULL, &story), OG_END);
    assert_int_equal(next, 3000);
    assert_int_equal(read_journal(1234, &next, NULL, &story), OG_END);
    assert_int_equal(next, 3000);
}

static void test_rotate_continues_in_the_next_file(void **state)
{
    uint64_t next, first, last;
    (void)state;
    struct og_journal *journal = open_journal(1, 1);
    append_records(journal, 1, 50);
    ASSERT_OK(og_journal_rotate(journal, &story));
    append_records(journal, 50, 80);
    ASSERT_OK(og_journal_rotate(journal, &story));
    assert_int_equal(og_journal_number(journal), 3);
    og_journal_free(journal);
    ASSERT_OK(og_journal_list(folder, &first, &last, &story));
    assert_int_equal(first, 1);
    assert_int_equal(last, 3);
    assert_int_equal(read_journal(1, &next, NULL, &story), OG_END);
    assert_int_equal(next, 80);
    /* Files of which nothing is needed may be gone. */
    assert_int_equal(remove(in("journal/000001.jnl")), 0);
    assert_int_equal(read_journal(60, &next, NULL, &story), OG_END);
    assert_int_equal(next, 80);
    assert_int_equal(read_journal(10, &next, NULL, &story), OG_ERR_STORE);
}

static int n_synced;

static og_status sync_something(void *ctx, og_error *err)
{
    n_synced++;
    return ctx != NULL ? og_error_set(err, OG_ERR_IO, "no such luck") : OG_OK;
}

static struct og_journal *open_with_sync(void *ctx)
{
    struct og_journal *journal;
    const struct og_journal_options options = {.folder = folder,
                                               .number = 1,
                                               .first_sequence = 1,
                                               .uuid = uuid,
                                               .sync_first = sync_something,
                                               .ctx = ctx};
    mkdir(in("journal"), 0777);
    ASSERT_OK(og_journal_new(&options, NULL, &journal, &story));
    return journal;
}

static void test_others_are_synced_first(void **state)
{
    (void)state;
    n_synced = 0;
    struct og_journal *journal = open_with_sync(NULL);
    ASSERT_OK(og_journal_commit(journal, &story));
    assert_int_equal(n_synced, 0);
    append_records(journal, 1, 4);
    ASSERT_OK(og_journal_commit(journal, &story));
    assert_int_equal(n_synced, 1);
    og_journal_free(journal);
}

/* And nothing of the lot is written. */
static void test_a_failure_is_final(void **state)
{
    uint64_t next, sequence;
    og_error err = {0};
    (void)state;
    struct og_journal *journal = open_with_sync(&next);
    append_records(journal, 1, 4);
    assert_int_equal(og_journal_commit(journal, &err), OG_ERR_IO);
    assert_string_equal(err.message, "no such luck");
    assert_true(og_journal_seconds(journal) > 0);
    assert_int_equal(
        og_journal_append(journal, OG_JOURNAL_CLOSED, NULL, 0, &sequence, &err),
        OG_ERR_IO);
    assert_int_equal(og_journal_commit(journal, &err), OG_ERR_IO);
    og_journal_free(journal);
    assert_int_equal(read_journal(1, &next, NULL, &story), OG_END);
    assert_int_equal(next, 1);
}

static void test_a_folder_that_is_missing(void **state)
{
    struct og_journal *journal;
    og_error err = {0};
    const struct og_journal_options options = {.folder = in("no/where"),
                                               .number = 1,
                                               .first_sequence = 1,
                                               .uuid = uuid};
    (void)state;
    assert_int_equal(og_journal_new(&options, NULL, &journal, &err), OG_ERR_IO);
    assert_non_null(strstr(err.message, "000001.jnl"));
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_committed_records_come_back),
        TEST(test_rotate_continues_in_the_next_file),
        TEST(test_others_are_synced_first),
        TEST(test_a_failure_is_final),
        TEST(test_a_folder_that_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
