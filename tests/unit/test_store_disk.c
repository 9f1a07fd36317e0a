/* A store on disk: opened again, removed from, read while it is written. What
 * crashes leave is the matter of tests/crash. */

#include "tests/unit/store_support.h"

#include <dirent.h>
#include <stdio.h>

#include "lib/store/store_disk.h"

static og_params small(void)
{
    og_params params = og_params_default();
    params.memory = 64 << 10;
    params.min_tokens = 0;
    params.select = (og_select_options){.kind = OG_SELECT_ALL};
    return params;
}

static og_store *open_as(og_access access)
{
    og_store *store;
    const og_params params = small();
    ASSERT_OK(og_store_open(in("s"), access,
                            &(og_store_options){.params = &params}, &store,
                            &story));
    return store;
}

/* A text of its own for each number. */
static const char *text_of(int i)
{
    static char text[400];
    int n = 0;
    for (int w = 0; w < 30; w++)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "w%dx%d ", i, w);
    return text;
}

static void add(og_store *store, const char *id, const char *text)
{
    const og_document doc = {.id = bytes_of(id), .text = bytes_of(text)};
    ASSERT_OK(og_store_add(store, &doc, NULL, &story));
}

/* The id of the origin of most of a text; "": none. */
static const char *origin_of(og_store *store, const char *text)
{
    static char id[40];
    og_trace *trace = og_trace_new(store);
    const og_document doc = {.id = bytes_of("?"), .text = bytes_of(text)};
    ASSERT_OK(og_store_trace(store, &doc, trace, &story));
    const og_answer *answer = og_trace_answer(trace);
    snprintf(id, sizeof(id), "%.*s",
             answer->n_spans > 0 ? (int)answer->spans[0].origin_id.len : 0,
             answer->n_spans > 0 ? answer->spans[0].origin_id.data : "");
    og_trace_free(trace);
    return id;
}

static void test_opened_again(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        og_store *store = open_as(OG_CREATE);
        char id[20];
        for (int i = 0; i < round; i++) {
            snprintf(id, sizeof(id), "doc-%d", i);
            assert_string_equal(origin_of(store, text_of(i)), id);
            add(store, id, text_of(i)); /* known: nothing happens */
        }
        assert_int_equal(store->catalogue.n, round);
        snprintf(id, sizeof(id), "doc-%d", round);
        add(store, id, text_of(round));
        if (round == 1) ASSERT_OK(og_disk_checkpoint(store, &story));
        og_store_close(store, NULL);
    }
    og_check check;
    ASSERT_OK(og_store_check(in("s"), &check, NULL, NULL, &story));
    assert_int_equal(check.n_documents, 3);
}

/* The heirs are in the same record: replaying it restores them, too. */
static void test_what_was_copied_goes_to_the_heir(void **state)
{
    uint64_t n;
    (void)state;
    og_store *store = open_as(OG_CREATE);
    add(store, "first", text_of(1));
    add(store, "heir", text_of(1));
    assert_string_equal(origin_of(store, text_of(1)), "first");
    ASSERT_OK(og_store_remove(store, bytes_of("first"), &n, &story));
    assert_int_equal(n, 1);
    assert_string_equal(origin_of(store, text_of(1)), "heir");
    ASSERT_OK(og_store_remove(store, bytes_of("first"), &n, &story));
    assert_int_equal(n, 0);
    og_store_close(store, NULL);
    store = open_as(OG_READ);
    assert_string_equal(origin_of(store, text_of(1)), "heir");
    assert_int_equal(store->n_removed, 1);
    og_store_close(store, NULL);
}

/* A reader's table ends where its journal did; the catalogue may extend
 * further. */
static void test_a_reader_knows_nothing_of_later_documents(void **state)
{
    (void)state;
    og_store *writer = open_as(OG_CREATE);
    add(writer, "a", text_of(1));
    ASSERT_OK(og_store_commit(writer, &story));
    og_store *reader = open_as(OG_READ);
    add(writer, "b", text_of(2));
    ASSERT_OK(og_disk_flush(writer, &story)); /* "b" is in the catalogue */
    const og_document doc = {.id = bytes_of("b"), .text = bytes_of(text_of(2))};
    og_trace *trace = og_trace_new(reader);
    ASSERT_OK(og_store_trace(reader, &doc, trace, &story));
    assert_int_equal(og_trace_answer(trace)->n_spans, 0);
    og_trace_free(trace);
    assert_string_equal(origin_of(reader, text_of(1)), "a");
    og_store_close(reader, NULL);
    og_store_close(writer, NULL);
    reader = open_as(OG_READ); /* the sums are there, though both had it open */
    assert_string_equal(origin_of(reader, text_of(2)), "b");
    og_store_close(reader, NULL);
}

/* A session that writes no batch, after one that died in the middle of one. */
static void test_sums_come_back_after_a_crash(void **state)
{
    (void)state;
    og_store *store = open_as(OG_CREATE);
    add(store, "a", text_of(1));
    og_store_close(store, NULL);
    assert_int_equal(remove(in("s/catalogue.sum")), 0);
    assert_int_equal(truncate(in("s/journal/000001.jnl"), 64), 0);
    assert_int_equal(remove(in("s/lock")), 0);
    store = open_as(OG_CREATE);
    add(store, "b", text_of(2));
    og_store_close(store, NULL);
    store = open_as(OG_READ);
    assert_int_equal(store->catalogue.n, 1);
    og_store_close(store, NULL);
}

/* The first thing that a session does is a batch, and then it dies. */
static void test_a_crash_behind_a_batch(void **state)
{
    char command[200];
    (void)state;
    og_store *store = open_as(OG_CREATE);
    add(store, "a", text_of(1));
    og_store_close(store, NULL);
    store = open_as(OG_WRITE);
    ASSERT_OK(og_disk_flush(store, &story));
    snprintf(command, sizeof(command), "cp -r %s %s", in("s"), in("died"));
    assert_int_equal(system(command), 0);
    og_store_close(store, NULL);
    ASSERT_OK(og_store_open(in("died"), OG_READ, NULL, &store, &story));
    assert_string_equal(origin_of(store, text_of(1)), "a");
    og_store_close(store, NULL);
}

static void test_a_journal_that_was_cut_is_reported(void **state)
{
    struct stat st;
    og_store *store = open_as(OG_CREATE);
    og_error err = {0};
    (void)state;
    add(store, "a", text_of(1));
    add(store, "b", text_of(2));
    og_store_close(store, NULL);
    assert_int_equal(stat(in("s/journal/000001.jnl"), &st), 0);
    /* The record that says that it was closed, the last 32 bytes, may go: a
     * power loss can take it. */
    for (off_t len = st.st_size - 33; len >= 0; len = len / 8 * 8 - 1) {
        assert_int_equal(truncate(in("s/journal/000001.jnl"), len), 0);
        for (int i = 0; i < 2; i++) /* a writer does not forget it either */
            assert_int_equal(og_store_open(in("s"), i == 0 ? OG_WRITE : OG_READ,
                                           NULL, &store, &err),
                             OG_ERR_STORE);
    }
    assert_int_equal(remove(in("s/journal/000001.jnl")), 0);
    assert_int_equal(og_store_open(in("s"), OG_READ, NULL, &store, &err),
                     OG_ERR_STORE);
}

static void test_a_folder_with_other_things(void **state)
{
    og_store *store;
    og_error err = {0};
    (void)state;
    assert_int_equal(mkdir(in("s"), 0777), 0);
    save(in("s/letter.txt"), "dear", 4);
    assert_int_equal(og_store_open(in("s"), OG_CREATE, NULL, &store, &err),
                     OG_ERR_NO_STORE);
    assert_non_null(strstr(err.message, "letter.txt"));
    assert_int_equal(og_store_open(in("x"), OG_READ, NULL, &store, &err),
                     OG_ERR_NO_STORE);
    assert_non_null(strstr(err.message, "there is no store"));
}

/* Whoever was killed while it was made left any of these. */
static void test_a_store_that_was_begun(void **state)
{
    og_store *store;
    const og_params params = small();
    (void)state;
    assert_int_equal(mkdir(in("s"), 0777), 0);
    save(in("s/lock"), "", 0);
    save(in("s/.catalogue.sum.new-77-0"), "half", 4);
    save(in("s/.origo.conf.new-77-0"), "half", 4);
    ASSERT_OK(og_store_open(in("s"), OG_CREATE,
                            &(og_store_options){.params = &params}, &store,
                            &story));
    ASSERT_OK(og_store_close(store, &story));
    assert_int_equal(access(in("s/.catalogue.sum.new-77-0"), F_OK), -1);
    assert_int_equal(access(in("s/.origo.conf.new-77-0"), F_OK), -1);
}

static void test_names_of_folders(void **state)
{
    char path[5000];
    og_store *store;
    og_error err = {0};
    const og_params params = small();
    (void)state;
    ASSERT_OK(og_store_open(in("t///"), OG_CREATE,
                            &(og_store_options){.params = &params}, &store,
                            &story));
    assert_string_equal(store->disk->folder, in("t"));
    og_store_close(store, NULL);
    memset(path, 'x', sizeof(path) - 1);
    path[sizeof(path) - 1] = 0;
    assert_int_equal(og_store_open(path, OG_CREATE,
                                   &(og_store_options){.params = &params},
                                   &store, &err),
                     OG_ERR_USAGE);
}

/* Temporary files of a writer that was killed. */
static void test_leftovers_go(void **state)
{
    (void)state;
    og_store_close(open_as(OG_CREATE), NULL);
    save(in("s/.passages.tab.new-1-0"), "x", 1);
    save(in("s/texts/.000001.dict.new-1-0"), "x", 1);
    og_store_close(open_as(OG_READ), NULL);
    assert_int_equal(access(in("s/.passages.tab.new-1-0"), F_OK), 0);
    og_store_close(open_as(OG_WRITE), NULL);
    assert_int_not_equal(access(in("s/.passages.tab.new-1-0"), F_OK), 0);
    assert_int_not_equal(access(in("s/texts/.000001.dict.new-1-0"), F_OK), 0);
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_opened_again),
        TEST(test_what_was_copied_goes_to_the_heir),
        TEST(test_a_reader_knows_nothing_of_later_documents),
        TEST(test_sums_come_back_after_a_crash),
        TEST(test_a_crash_behind_a_batch),
        TEST(test_a_journal_that_was_cut_is_reported),
        TEST(test_a_folder_with_other_things),
        TEST(test_a_store_that_was_begun),
        TEST(test_names_of_folders),
        TEST(test_leftovers_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
