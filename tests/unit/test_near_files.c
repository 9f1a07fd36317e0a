/* The files of an index of near-duplicates: opening them gives the ring of the
 * writer, after any flush, any merge and any number of evictions. */

#define _GNU_SOURCE
#include "tests/unit/stage_support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/near/near_engine.h"

static const uint8_t uuid[16] = "0123456789abcde";
static char folder[64];

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/origo-test-XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static size_t n_files(const char *prefix, bool is_removed)
{
    DIR *dir = opendir(folder);
    size_t n = 0;
    assert_non_null(dir);
    for (struct dirent *f; (f = readdir(dir)) != NULL;) {
        char path[512];
        if (strncmp(f->d_name, prefix, strlen(prefix)) != 0 ||
            f->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, f->d_name);
        if (is_removed) unlink(path);
        n++;
    }
    closedir(dir);
    return n;
}

static int tear_down(void **state)
{
    (void)state;
    n_files("", true);
    return rmdir(folder);
}

static og_near *open_near(uint64_t memory, bool is_new, bool is_writable)
{
    const struct og_near_place place = {.folder = folder,
                                        .uuid = uuid,
                                        .is_writable = is_writable,
                                        .is_new = is_new};
    og_near_options options = og_near_options_default();
    og_near *near;
    og_error err;
    options.memory = memory;
    if (og_near_open(&place, &options, &near, &err) != OG_OK)
        fail_msg("%s", err.message);
    return near;
}

static void add(og_near *near, uint32_t number)
{
    char text[200] = "";
    for (unsigned i = 0; i < 8; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "w%u ",
                 number % 97 * 8 + i + number / 97 % 3 * (i == 5));
    assert_int_equal(
        og_near_add(near, number, (og_bytes){text, strlen(text)}, NULL), OG_OK);
}

struct copy {
    const og_near *other;
    size_t n;
};

static og_status is_in_other(void *ctx, uint32_t place,
                             const struct og_near_entry *entry, og_error *err)
{
    struct copy *c = ctx;
    struct og_near_entry other;
    (void)err;
    og_near_index_get(c->other->index, place, &other);
    assert_int_equal(entry->document, other.document);
    assert_memory_equal(entry->sketch, other.sketch, c->other->sketch_len);
    c->n++;
    return OG_OK;
}

static void check_found(const og_near *a, const og_near *b)
{
    struct og_near_found x = {0}, y = {0};
    for (uint32_t i = 0; i < og_near_index_n(a->index); i++) {
        struct og_near_entry e;
        og_near_index_get(a->index, i, &e);
        assert_int_equal(og_near_index_find(a->index, e.sketch, NULL, &x, NULL),
                         OG_OK);
        assert_int_equal(og_near_index_find(b->index, e.sketch, NULL, &y, NULL),
                         OG_OK);
        assert_int_equal(x.n, y.n);
        assert_memory_equal(x.entries, y.entries, x.n * sizeof(*x.entries));
        x.n = y.n = 0;
    }
    og_near_found_release(&x);
    og_near_found_release(&y);
}

static void check_copy(const og_near *near)
{
    og_near *again = open_near(0, false, false);
    struct copy c = {.other = again};
    assert_int_equal(again->n_documents, near->n_documents);
    assert_int_equal(again->options.memory, near->options.memory);
    assert_int_equal(og_near_index_hand(again->index),
                     og_near_index_hand(near->index));
    assert_int_equal(og_near_index_n(again->index),
                     og_near_index_n(near->index));
    assert_int_equal(og_near_index_walk(near->index, 0, &c, is_in_other, NULL),
                     OG_OK);
    assert_int_equal(c.n, og_near_index_n(near->index));
    check_found(near, again);
    og_near_close(again);
}

/* Flushes of random length into a ring that goes round many times; entries that
 * were matched stay longer. The writer is another one now and then. */
static void a_copy_has_the_same_ring(void **state)
{
    uint64_t random = 7;
    uint32_t number = 0;
    og_near *near = open_near(100000, true, true);
    const size_t room = og_near_index_room(near->index);
    size_t n_segments = 0;
    (void)state;
    check_copy(near);
    while (number < 6 * room) {
        const uint32_t n = 1 + lot_below(&random, 60);
        for (uint32_t i = 0; i < n; i++) {
            add(near, number++);
            og_near_index_touch(
                near->index,
                lot_below(&random, (uint32_t)og_near_index_n(near->index)));
        }
        assert_int_equal(og_near_flush(near, NULL), OG_OK);
        check_copy(near);
        assert_int_equal(n_files("segment-", false),
                         near->files.list.n_segments);
        if (near->files.list.n_segments > n_segments)
            n_segments = near->files.list.n_segments;
        if (lot_below(&random, 4) != 0) continue;
        og_near_close(near);
        near = open_near(0, false, true);
    }
    assert_true(n_segments >= 3);
    og_near_close(near);
}

static void a_flush_writes_what_is_new(void **state)
{
    og_near *near = open_near(1 << 20, true, true);
    uint64_t generation;
    (void)state;
    for (uint32_t i = 0; i < 1000; i++)
        add(near, i);
    assert_int_equal(og_near_flush(near, NULL), OG_OK);
    generation = near->files.list.generation;
    assert_int_equal(og_near_flush(near, NULL), OG_OK); /* nothing came */
    assert_true(near->files.list.generation == generation);
    for (uint32_t i = 1000; i < 1100; i++)
        add(near, i);
    assert_int_equal(og_near_flush(near, NULL), OG_OK);
    assert_int_equal(near->files.list.n_segments, 2);
    assert_int_equal(near->files.sizes[0], 1000);
    assert_int_equal(near->files.sizes[1], 100);
    near->n_documents = 1200; /* they were removed before they came here */
    assert_int_equal(og_near_flush(near, NULL), OG_OK);
    assert_int_equal(near->files.list.n_segments, 2);
    check_copy(near);
    og_near_close(near);
}

/* ---- damage ---- */

static og_status open_damaged(og_error *err)
{
    const struct og_near_place place = {.folder = folder, .uuid = uuid};
    og_near *near;
    const og_status status = og_near_open(&place, NULL, &near, err);
    og_near_close(near);
    return status;
}

static size_t read_all(const char *path, uint8_t *out, size_t cap)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    const size_t n = fread(out, 1, cap, f);
    fclose(f);
    return n;
}

static void write_all(const char *path, const uint8_t *data, size_t len)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, len, f), len);
    fclose(f);
}

/* Every byte of both files. */
static void every_byte_is_checked(void **state)
{
    static const char *const names[] = {"manifest", "segment-1"};
    uint8_t data[4096];
    og_near *near = open_near(20000, true, true);
    (void)state;
    for (uint32_t i = 0; i < 5; i++)
        add(near, i);
    assert_int_equal(og_near_flush(near, NULL), OG_OK);
    og_near_close(near);
    for (unsigned k = 0; k < 2; k++) {
        char path[128];
        og_error err;
        snprintf(path, sizeof(path), "%s/%s", folder, names[k]);
        const size_t len = read_all(path, data, sizeof(data));
        assert_true(len < sizeof(data));
        for (size_t i = 0; i < len; i++) {
            data[i] ^= 1;
            write_all(path, data, len);
            data[i] ^= 1;
            assert_int_equal(open_damaged(&err), OG_ERR_STORE);
            assert_non_null(strstr(err.message, names[k]));
        }
        write_all(path, data, len);
        assert_int_equal(open_damaged(&err), OG_OK);
    }
}

static void what_is_missing_is_named(void **state)
{
    og_error err;
    (void)state;
    assert_int_equal(open_damaged(&err), OG_ERR_STORE);
    assert_non_null(strstr(err.message, "/manifest' is missing"));
    og_near *near = open_near(20000, true, true);
    add(near, 0);
    assert_int_equal(og_near_flush(near, NULL), OG_OK);
    og_near_close(near);
    assert_int_equal(n_files("segment-", true), 1);
    assert_int_equal(open_damaged(&err), OG_ERR_IO);
    assert_non_null(strstr(err.message, "segment-1"));
}

/* What a writer that was stopped left is not read, and goes. */
static void unnamed_files_go(void **state)
{
    char path[128];
    og_near *near = open_near(20000, true, true);
    (void)state;
    add(near, 0);
    assert_int_equal(og_near_flush(near, NULL), OG_OK);
    og_near_close(near);
    snprintf(path, sizeof(path), "%s/segment-77", folder);
    write_all(path, uuid, sizeof(uuid));
    og_near_close(open_near(0, false, false));
    assert_int_equal(access(path, F_OK), 0);
    og_near_close(open_near(0, false, true));
    assert_int_not_equal(access(path, F_OK), 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_copy_has_the_same_ring), TEST(a_flush_writes_what_is_new),
        TEST(every_byte_is_checked),    TEST(what_is_missing_is_named),
        TEST(unnamed_files_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
