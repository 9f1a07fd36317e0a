/* Compaction: what is removed, what is kept, concurrent readers. Crashes are
 * tested in tests/crash, the bytes on disk in tests/cli/test_compact.py. */

#include "tests/unit/store_support.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/store/store_disk.h"

static og_store *open_as(og_access access)
{
    og_store *store;
    og_params params = og_params_default();
    params.memory = 64 << 10;
    ASSERT_OK(og_store_open(
        in("s"), access,
        &(og_store_options){.params = &params, .indexes = OG_INDEXES_ALL},
        &store, &story));
    return store;
}

static const char *text_of(int i)
{
    static char text[400];
    int n = 0;
    for (int w = 0; w < 30; w++)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "w%dx%d ", i, w);
    return text;
}

static void add_all(og_store *store, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        char id[16];
        snprintf(id, sizeof(id), "d%d", i);
        const og_document doc = {.id = bytes_of(id),
                                 .text = bytes_of(text_of(i))};
        ASSERT_OK(og_store_add(store, &doc, NULL, &story));
    }
}

static void remove_one(const char *id)
{
    uint64_t n;
    og_store *store = open_as(OG_WRITE);
    ASSERT_OK(og_store_remove(store, bytes_of(id), &n, &story));
    assert_int_equal(n, 1);
    ASSERT_OK(og_store_close(store, &story));
}

static bool count_document(void *ctx, const og_document *doc)
{
    assert_true(doc->id.len > 0);
    ++*(int *)ctx;
    return true;
}

static int n_exported(og_store *store)
{
    int n = 0;
    ASSERT_OK(og_store_export(store, count_document, &n, &story));
    return n;
}

/* Fetching them one after the other gives the same. */
static void test_documents_one_by_one(void **state)
{
    og_export *exporting = NULL;
    og_document doc;
    (void)state;
    og_store *store = open_as(OG_CREATE);
    add_all(store, 0, 20);
    ASSERT_OK(og_export_open(store, &exporting, &story));
    ASSERT_OK(og_export_next(exporting, &doc, &story));
    assert_memory_equal(doc.id.data, "d0", 2);
    /* What comes later is left out, what goes is gone. */
    add_all(store, 20, 25);
    uint64_t n_removed = 0;
    ASSERT_OK(og_store_remove(store, (og_bytes){"d7", 2}, &n_removed, &story));
    assert_int_equal(n_removed, 1);
    int n = 1;
    og_status status;
    while ((status = og_export_next(exporting, &doc, &story)) == OG_OK) {
        assert_true(doc.text.len > 0);
        assert_false(doc.id.len == 2 && memcmp(doc.id.data, "d7", 2) == 0);
        n++;
    }
    assert_int_equal(status, OG_END);
    assert_int_equal(og_export_next(exporting, &doc, &story), OG_END);
    assert_int_equal(n, 19);
    og_export_close(exporting);
    og_export_close(NULL);
    ASSERT_OK(og_store_close(store, &story));
}

static void count_steps(void *ctx, const char *what, uint64_t done,
                        uint64_t total)
{
    assert_non_null(what);
    assert_true(done <= total);
    ++*(int *)ctx;
}

static void test_what_was_removed_goes(void **state)
{
    og_compaction done;
    og_check check;
    int n_steps = 0;
    (void)state;
    og_store *store = open_as(OG_CREATE);
    add_all(store, 0, 20);
    ASSERT_OK(og_store_close(store, &story));
    remove_one("d3");
    ASSERT_OK(og_store_compact(in("s"), &done, count_steps, &n_steps, &story));
    assert_int_equal(done.n_documents, 19);
    assert_int_equal(done.n_removed, 1);
    assert_true(n_steps > 0 && done.bytes_after > 0);
    assert_int_equal(access(in("s/texts"), F_OK), -1);
    assert_int_equal(access(in("s/g000001/texts"), F_OK), 0);
    ASSERT_OK(og_store_check(in("s"), &check, NULL, NULL, &story));
    assert_int_equal(check.n_documents, 20);
    /* Numbers go on, and the id is free. */
    store = open_as(OG_WRITE);
    assert_int_equal(n_exported(store), 19);
    add_all(store, 3, 4);
    assert_int_equal(store->catalogue.n, 21);
    ASSERT_OK(og_store_close(store, &story));
    ASSERT_OK(og_store_compact(in("s"), &done, NULL, NULL, &story));
    assert_int_equal(done.n_documents, 20);
    assert_int_equal(access(in("s/g000001"), F_OK), -1);
    store = open_as(OG_READ);
    assert_int_equal(n_exported(store), 20);
    og_store_close(store, NULL);
}

/* A reader that has read no text yet finds none; a new one finds them all. */
static void test_a_reader_is_reported(void **state)
{
    og_compaction done;
    og_error err = {0};
    int n = 0;
    (void)state;
    og_store *store = open_as(OG_CREATE);
    add_all(store, 0, 5);
    ASSERT_OK(og_store_close(store, &story));
    /* Another process, which knows nothing of the reader in this one. */
    int go[2];
    char byte = 0;
    assert_int_equal(pipe(go), 0);
    const pid_t child = fork();
    if (child == 0)
        _exit(read(go[0], &byte, 1) != 1 ||
              og_store_compact(in("s"), &done, NULL, NULL, NULL) != OG_OK);
    og_store *reader = open_as(OG_READ);
    int status = -1;
    assert_int_equal(write(go[1], &byte, 1), 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    close(go[0]);
    close(go[1]);
    assert_int_equal(status, 0);
    assert_int_equal(og_store_export(reader, count_document, &n, &err),
                     OG_ERR_IO);
    assert_non_null(strstr(err.message, "compacted"));
    og_store_close(reader, NULL);
    reader = open_as(OG_READ);
    assert_int_equal(n_exported(reader), 5);
    og_store_close(reader, NULL);
}

/* What a compaction that was killed left, the next writer removes; what else
 * lies in the folder stays. */
static void test_leftovers_go(void **state)
{
    (void)state;
    og_store *store = open_as(OG_CREATE);
    add_all(store, 0, 2);
    ASSERT_OK(og_store_close(store, &story));
    assert_int_equal(mkdir(in("s/g000001"), 0777), 0);
    assert_int_equal(mkdir(in("s/g000001/texts"), 0777), 0);
    write_file(in("s/g000001/texts/000001.seg"), "half", 4);
    assert_int_equal(mkdir(in("s/g7"), 0777), 0);
    assert_int_equal(mkdir(in("other"), 0777), 0);
    assert_int_equal(mkdir(in("other/texts"), 0777), 0);
    write_file(in("other/texts/mine"), "mine", 4);
    assert_int_equal(symlink("../other", in("s/g000002")), 0);
    ASSERT_OK(og_store_close(open_as(OG_WRITE), &story));
    assert_int_equal(access(in("s/g000001"), F_OK), -1);
    assert_int_equal(access(in("s/g7"), F_OK), 0);
    assert_int_equal(access(in("other/texts/mine"), F_OK), 0);
}

/* Nothing is written where a link leads to. */
static void test_a_link_in_the_way(void **state)
{
    og_compaction done;
    og_error err = {0};
    (void)state;
    og_store *store = open_as(OG_CREATE);
    add_all(store, 0, 2);
    ASSERT_OK(og_store_close(store, &story));
    assert_int_equal(mkdir(in("other"), 0777), 0);
    assert_int_equal(symlink("../other", in("s/g000001")), 0);
    assert_int_equal(og_store_compact(in("s"), &done, NULL, NULL, &err),
                     OG_ERR_IO);
    assert_int_equal(rmdir(in("other")), 0); /* it is empty */
    store = open_as(OG_READ);
    assert_int_equal(n_exported(store), 2);
    og_store_close(store, NULL);
}

static void test_no_store(void **state)
{
    og_compaction done;
    og_error err = {0};
    (void)state;
    assert_int_equal(og_store_compact(in("none"), &done, NULL, NULL, &err),
                     OG_ERR_NO_STORE);
    assert_int_equal(og_store_compact(":memory:", &done, NULL, NULL, &err),
                     OG_ERR_USAGE);
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_documents_one_by_one), TEST(test_what_was_removed_goes),
        TEST(test_a_reader_is_reported), TEST(test_leftovers_go),
        TEST(test_a_link_in_the_way),    TEST(test_no_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
