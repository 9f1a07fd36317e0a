/* The chunks of files: the same for any number of threads, from a file, from
 * memory and from a pipe; and what happens to a file that gets shorter. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/chunk/chunk_tree.h"
#include "tests/oom/oom_support.h"
#include "tests/property/plain_cut.h"

static void check_same(const struct og_chunk_tree *a,
                       const struct og_chunk_tree *b)
{
    assert_int_equal(a->n_chunks, b->n_chunks);
    for (size_t i = 0; i < a->n_chunks; i++) {
        assert_int_equal(a->chunks[i].offset, b->chunks[i].offset);
        assert_int_equal(a->chunks[i].len, b->chunks[i].len);
        assert_memory_equal(a->chunks[i].hash, b->chunks[i].hash, OG_HASH_LEN);
    }
    assert_memory_equal(a->root, b->root, OG_HASH_LEN);
}

/* Against the cuts of the whole, which test_cut_definition.c holds to the
 * rule. */
static void check_against_cuts(const struct og_chunk_tree *tree,
                               const uint8_t *data, size_t len,
                               const og_cut_options *o)
{
    struct og_cuts cuts;
    og_error err;
    uint64_t begin = 0;
    og_cuts_init(&cuts, NULL);
    assert_int_equal(og_cut_all(data, len, o, &cuts, &err), OG_OK);
    assert_int_equal(tree->n_chunks, cuts.n);
    for (size_t i = 0; i < cuts.n; i++) {
        uint8_t hash[OG_HASH_LEN];
        assert_int_equal(tree->chunks[i].offset, begin);
        assert_int_equal(tree->chunks[i].len, cuts.end[i] - begin);
        og_bytes_hash(data + begin, tree->chunks[i].len, hash);
        assert_memory_equal(tree->chunks[i].hash, hash, OG_HASH_LEN);
        begin = cuts.end[i];
    }
    assert_int_equal(tree->file_len, len);
    og_cuts_release(&cuts);
}

static void check_threads(const uint8_t *data, size_t len,
                          const og_cut_options *o)
{
    static const unsigned threads[] = {1, 2, 7};
    struct og_chunk_tree tree;
    og_error err;
    og_chunk_tree_init(&tree, NULL);
    for (size_t i = 0; i < LENGTH(threads); i++) {
        assert_int_equal(
            og_chunks_of_memory(data, len, o, threads[i], &tree, &err), OG_OK);
        check_against_cuts(&tree, data, len, o);
    }
    og_chunk_tree_release(&tree);
}

static void any_number_of_threads_gives_the_same(void **state)
{
    (void)state;
    /* Three segments and a bit; an end at a seam; less than a segment. */
    static const size_t lens[] = {((size_t)6 << 20) + 12345, (size_t)4 << 20,
                                  1000, 0};
    uint8_t *data = malloc(lens[0]);
    assert_non_null(data);
    for (int fill = 0; fill < N_DATA_KINDS; fill++) {
        if (fill == DATA_PERIODIC || fill == DATA_SPARSE) continue;
        plain_fill(data, lens[0], (enum data_kind)fill, 2);
        for (int kind = 0; kind < 3; kind++)
            for (size_t i = 0; i < LENGTH(lens); i++) {
                const og_cut_options o =
                    og_cut_options_default((og_cut_kind)kind, 0);
                check_threads(data, lens[i], &o);
            }
    }
    free(data);
}

/* Chunks so long that a segment grows with them. */
static void long_chunks_have_long_segments(void **state)
{
    (void)state;
    const size_t len = (size_t)20 << 20;
    uint8_t *data = malloc(len);
    assert_non_null(data);
    plain_fill(data, len, DATA_RANDOM, 3);
    for (int kind = 0; kind < 3; kind++) {
        const og_cut_options o =
            og_cut_options_default((og_cut_kind)kind, 1u << 18);
        check_threads(data, len, &o);
    }
    free(data);
}

/* ---- files ---- */

static void write_file(char *path, const uint8_t *data, size_t len)
{
    strcpy(path, "/tmp/test_read_chunks-XXXXXX");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t n = 0; n < len;) {
        const ssize_t got = write(fd, data + n, len - n);
        assert_true(got > 0);
        n += (size_t)got;
    }
    close(fd);
}

struct feeder {
    int fd;
    const uint8_t *data;
    size_t len;
};

static void *feed_pipe(void *ctx)
{
    const struct feeder *f = ctx;
    for (size_t n = 0; n < f->len;) {
        const size_t left = f->len - n;
        const ssize_t got =
            write(f->fd, f->data + n, left < 7777 ? left : 7777);
        if (got <= 0) break;
        n += (size_t)got;
    }
    close(f->fd);
    return NULL;
}

static void file_memory_and_pipe_agree(void **state)
{
    (void)state;
    const size_t len = ((size_t)5 << 20) + 77;
    const og_cut_options o = og_cut_options_default(OG_CUT_WINNOW_FAST, 0);
    struct og_chunk_tree memory, file, piped;
    uint8_t *data = malloc(len);
    char path[64];
    og_error err;
    int ends[2];
    pthread_t thread;
    assert_non_null(data);
    plain_fill(data, len, DATA_MIXED, 4);
    write_file(path, data, len);
    og_chunk_tree_init(&memory, NULL);
    og_chunk_tree_init(&file, NULL);
    og_chunk_tree_init(&piped, NULL);
    assert_int_equal(og_chunks_of_memory(data, len, &o, 1, &memory, &err),
                     OG_OK);
    assert_int_equal(og_chunks_of_file(path, &o, 2, &file, &err), OG_OK);
    assert_int_equal(pipe(ends), 0);
    struct feeder feeder = {ends[1], data, len};
    assert_int_equal(pthread_create(&thread, NULL, feed_pipe, &feeder), 0);
    assert_int_equal(og_chunks_of_fd(ends[0], "pipe", &o, 2, &piped, &err),
                     OG_OK);
    pthread_join(thread, NULL);
    close(ends[0]);
    check_same(&memory, &file);
    check_same(&memory, &piped);
    og_chunk_tree_release(&piped);
    og_chunk_tree_release(&file);
    og_chunk_tree_release(&memory);
    unlink(path);
    free(data);
}

/* An allocator that cuts the file off when the first part of it is to be
 * read: its length is known by then, its bytes are not. */
static void *truncating_resize(void *ctx, void *ptr, size_t old_len,
                               size_t new_len)
{
    (void)old_len;
    if (new_len >= (size_t)1 << 20) assert_int_equal(truncate(ctx, 5000), 0);
    if (new_len > 0) return realloc(ptr, new_len);
    free(ptr);
    return NULL;
}

static void a_file_that_gets_shorter_is_reported(void **state)
{
    (void)state;
    const size_t len = (size_t)6 << 20;
    uint8_t *data = calloc(1, len);
    assert_non_null(data);
    for (unsigned n_threads = 1; n_threads <= 2; n_threads++) {
        const og_cut_options o = og_cut_options_default(OG_CUT_GEAR, 0);
        struct og_chunk_tree tree;
        char path[64], expected[128];
        og_error err;
        write_file(path, data, len);
        const og_allocator allocator = {path, truncating_resize};
        og_chunk_tree_init(&tree, &allocator);
        assert_int_equal(og_chunks_of_file(path, &o, n_threads, &tree, &err),
                         OG_ERR_INPUT);
        snprintf(expected, sizeof(expected),
                 "'%s' became shorter while it was read: it had 6291456 bytes",
                 path);
        assert_memory_equal(err.message, expected, strlen(expected));
        assert_int_equal(tree.n_chunks, 0);
        og_chunk_tree_release(&tree);
        unlink(path);
    }
    free(data);
}

static void what_cannot_be_read_is_named(void **state)
{
    (void)state;
    const og_cut_options o = og_cut_options_default(OG_CUT_GEAR, 0);
    struct og_chunk_tree tree;
    og_error err;
    og_chunk_tree_init(&tree, NULL);
    assert_int_equal(og_chunks_of_file("/nowhere/x", &o, 1, &tree, &err),
                     OG_ERR_IO);
    assert_string_equal(err.message,
                        "cannot open '/nowhere/x': no such file or directory");
    assert_int_equal(og_chunks_of_file("/tmp", &o, 1, &tree, &err), OG_ERR_IO);
    assert_non_null(strstr(err.message, "'/tmp'"));
    og_chunk_tree_release(&tree);
}

/* A file of /proc says that it has no bytes, and has some. */
static void a_file_without_length_is_read_to_its_end(void **state)
{
    (void)state;
    og_chunk_tree *tree;
    og_error err;
    size_t n;
    if (access("/proc/version", R_OK) != 0) skip();
    assert_int_equal(og_chunk_tree_read("/proc/version", NULL, 0, &tree, &err),
                     OG_OK);
    assert_true(og_chunk_tree_file_len(tree) > 10);
    assert_int_equal(og_chunk_tree_chunks(tree, &n)[0].offset, 0);
    assert_int_equal(n, 1);
    assert_int_equal(og_chunk_tree_n_levels(tree), 0);
    assert_null(og_chunk_tree_level(tree, 0, &n));
    assert_non_null(og_chunk_tree_root(tree));
    og_chunk_tree_free(tree);
    og_chunk_tree_free(NULL);
}

/* ---- memory ---- */

static bool fails_at(const char *path, og_cut_kind kind, size_t n)
{
    const og_cut_options o = og_cut_options_default(kind, 256);
    struct failing failing = {.fail_at = n};
    const og_allocator allocator = {&failing, failing_resize};
    struct og_chunk_tree tree;
    og_error err;
    og_chunk_tree_init(&tree, &allocator);
    const og_status status = og_chunks_of_file(path, &o, 1, &tree, &err);
    assert_true(status == OG_OK || status == OG_ERR_MEMORY);
    if (status != OG_OK) {
        assert_int_equal(tree.n_chunks, 0);
        assert_int_equal(og_chunks_of_file(path, &o, 1, &tree, &err), OG_OK);
    }
    og_chunk_tree_release(&tree);
    assert_int_equal(failing.n_held, 0);
    return failing.n_calls >= n;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    enum { LEN = 300000 };
    static uint8_t data[LEN];
    char path[64];
    plain_fill(data, LEN, DATA_MIXED, 9);
    write_file(path, data, LEN);
    for (int kind = 0; kind < 3; kind++) {
        size_t n = 1;
        while (fails_at(path, (og_cut_kind)kind, n))
            n++;
        assert_true(n > 8);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same),
        cmocka_unit_test(long_chunks_have_long_segments),
        cmocka_unit_test(file_memory_and_pipe_agree),
        cmocka_unit_test(a_file_that_gets_shorter_is_reported),
        cmocka_unit_test(what_cannot_be_read_is_named),
        cmocka_unit_test(a_file_without_length_is_read_to_its_end),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
