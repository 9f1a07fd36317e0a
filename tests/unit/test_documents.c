/* The catalogue on disk: batches are whole or absent, and foreign files are
 * refused. */

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/unit/documents_support.h"

static void assert_documents(struct og_documents *db, uint32_t count,
                             uint64_t sequence)
{
    struct og_documents_view view = begin_view(db);
    assert_int_equal(og_documents_view_count(&view), count);
    assert_int_equal(og_documents_view_sequence(&view), sequence);
    for (uint32_t i = 0; i < count; i++) {
        struct og_entry got;
        char id[32];
        const struct og_entry expected = entry_of(i, id);
        og_bytes bytes;
        ASSERT_OK(og_documents_get(&view, i, &bytes, &story));
        assert_true(og_entry_unpack(bytes, &got));
        assert_int_equal(got.time, i);
        assert_int_equal(got.id.len, expected.id.len);
        assert_memory_equal(got.id.data, id, got.id.len);
    }
    og_bytes none;
    ASSERT_OK(og_documents_get(&view, count, &none, &story));
    assert_int_equal(none.len, 0);
    og_documents_view_release(&view);
}

static void there_and_back(void **state)
{
    (void)state;
    struct og_documents *db = open_documents(true);
    assert_documents(db, 0, 0);
    write_documents(db, 0, 100);
    write_documents(db, 100, 0); /* nothing but a sequence */
    write_documents(db, 100, 900);
    assert_documents(db, 1000, 1000);
    close_documents(db);
    db = open_documents(false);
    assert_documents(db, 1000, 1000);
    close_documents(db);
    db = open_documents(true);
    write_documents(db, 1000, 1);
    assert_documents(db, 1001, 1001);
    close_documents(db);
}

static void batches_that_do_not_fit(void **state)
{
    (void)state;
    og_error err;
    struct og_documents *db = open_documents(true);
    write_documents(db, 0, 10);
    struct entries e = make_entries(10, 2);
    struct og_documents_batch batch = {
        .first = 11, .entries = e.list, .n_entries = 2, .sequence = 20};
    assert_int_equal(og_documents_write(db, &batch, &err), OG_ERR_USAGE);
    batch.first = 9;
    assert_int_equal(og_documents_write(db, &batch, &err), OG_ERR_USAGE);
    batch.first = 10;
    batch.sequence = 9;
    assert_int_equal(og_documents_write(db, &batch, &err), OG_ERR_USAGE);
    batch.sequence = 20;
    e.bytes.data[e.bytes.len - 1] ^= 1;
    assert_int_equal(og_documents_write(db, &batch, &err), OG_ERR_STORE);
    assert_non_null(strstr(err.message, "document 11"));
    assert_documents(db, 10, 10);
    e.bytes.data[e.bytes.len - 1] ^= 1;
    ASSERT_OK(og_documents_write(db, &batch, &story));
    assert_documents(db, 12, 20);
    free_entries(&e);
    close_documents(db);
}

static void strangers_are_refused(void **state)
{
    (void)state;
    og_error err;
    struct og_documents *db = open_documents(true);
    close_documents(db);
    const uint8_t other[16] = {9};
    struct og_documents_options options = {.uuid = other};
    for (int writable = 0; writable <= 1; writable++) {
        options.writable = writable == 1;
        assert_int_equal(
            og_documents_open(in("catalogue"), &options, &db, &err),
            OG_ERR_STORE);
        assert_non_null(strstr(err.message, "another store"));
    }
    options = (struct og_documents_options){.uuid = uuid};
    assert_int_equal(og_documents_open(in("nothing"), &options, &db, &err),
                     OG_ERR_IO);
    assert_non_null(strstr(err.message, "no such file"));
    write_file(in("catalogue/data.mdb"), "no LMDB file at all", 19);
    assert_int_equal(og_documents_open(in("catalogue"), &options, &db, &err),
                     OG_ERR_STORE);
}

/* One environment per process, whoever asks. */
static void the_same_folder_twice(void **state)
{
    (void)state;
    og_error err;
    struct og_documents *writer = open_documents(true);
    struct og_documents *reader = open_documents(false);
    assert_ptr_equal(writer, reader);
    close_documents(writer);
    write_documents(reader, 0, 5);
    close_documents(reader);
    reader = open_documents(false);
    struct og_documents *second = open_documents(false);
    const struct og_documents_options options = {.uuid = uuid,
                                                 .writable = true};
    assert_int_equal(
        og_documents_open(in("catalogue"), &options, &writer, &err),
        OG_ERR_USAGE);
    struct entries e = make_entries(5, 1);
    const struct og_documents_batch batch = {5, e.list, 1, NULL, 0, 6};
    assert_int_equal(og_documents_write(reader, &batch, &err), OG_ERR_USAGE);
    free_entries(&e);
    close_documents(reader);
    assert_documents(second, 5, 5);
    close_documents(second);
}

static void a_short_map_grows(void **state)
{
    (void)state;
    struct og_documents *db = NULL;
    const struct og_documents_options options = {
        .uuid = uuid, .writable = true, .map_len = 1 << 16};
    ASSERT_OK(og_documents_open(in("catalogue"), &options, &db, &story));
    for (uint32_t i = 0; i < 20000; i += 2000)
        write_documents(db, i, 2000);
    assert_documents(db, 20000, 20000);
    close_documents(db);
}

/* In a process of its own, which may not have 1 TiB of addresses. */
static void few_addresses(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || OG_THREAD_CHECKER
    skip(); /* the checkers need more than that themselves */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    skip();
#endif
#endif
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {(rlim_t)2 << 30, (rlim_t)2 << 30};
        struct og_documents *db = NULL;
        const struct og_documents_options options = {.uuid = uuid,
                                                     .writable = true};
        setrlimit(RLIMIT_AS, &limit);
        if (og_documents_open(in("catalogue"), &options, &db, &story) != OG_OK)
            _exit(1);
        write_documents(db, 0, 100);
        _exit(og_documents_close(db, &story) != OG_OK);
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
    struct og_documents *db = open_documents(false);
    assert_documents(db, 100, 100);
    close_documents(db);
}

/* A full disk, as far as this process sees. */
static void a_failed_write_changes_nothing(void **state)
{
    (void)state;
    struct rlimit before, limit;
    og_error err;
    struct og_documents *db = open_documents(true);
    write_documents(db, 0, 50);
    struct entries e = make_entries(50, 5000);
    const struct og_documents_batch batch = {50, e.list, 5000, NULL, 0, 6000};
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 100000;
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_int_equal(og_documents_write(db, &batch, &err), OG_ERR_IO);
    assert_non_null(strstr(err.message, "catalogue'"));
    setrlimit(RLIMIT_FSIZE, &before);
    assert_documents(db, 50, 50);
    ASSERT_OK(og_documents_write(db, &batch, &story)); /* there is room again */
    assert_documents(db, 5050, 6000);
    close_documents(db);
    free_entries(&e);
    assert_true(exists(in("catalogue.sum")));
}

/* A reader in another process sees batches, never parts of one. */
static void readers_see_whole_batches(void **state)
{
    (void)state;
    enum { BATCH = 300 };
    struct og_documents *db = open_documents(true);
    write_documents(db, 0, BATCH);
    close_documents(db);
    const pid_t child = fork();
    if (child == 0) {
        uint32_t count = 0;
        db = open_documents(false);
        struct og_documents_view view = begin_view(db);
        while (count < 10 * BATCH) {
            og_bytes last;
            if (og_documents_view_begin(&view, &story) != OG_OK) _exit(1);
            const uint32_t now = og_documents_view_count(&view);
            if (now < count || now % BATCH != 0) _exit(2);
            count = now;
            if (og_documents_view_sequence(&view) != count) _exit(3);
            if (og_documents_get(&view, count - 1, &last, &story) != OG_OK ||
                last.len == 0)
                _exit(4);
            if (og_documents_get(&view, count, &last, &story) != OG_OK ||
                last.len != 0)
                _exit(5);
            og_documents_view_end(&view);
        }
        og_documents_view_release(&view);
        _exit(og_documents_close(db, &story) != OG_OK);
    }
    db = open_documents(true);
    for (uint32_t i = 1; i < 10; i++)
        write_documents(db, i * BATCH, BATCH);
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
    close_documents(db);
}

#define TEST(f) cmocka_unit_test_setup(f, fresh_catalogue)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(there_and_back),
        TEST(batches_that_do_not_fit),
        TEST(strangers_are_refused),
        TEST(the_same_folder_twice),
        TEST(a_short_map_grows),
        TEST(few_addresses),
        TEST(a_failed_write_changes_nothing),
        TEST(readers_see_whole_batches),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
