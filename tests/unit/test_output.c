/* Outputs of one file or of many, packed or not. */

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "files_support.h"
#include "lib/disk/output.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <zlib.h>
#include <zstd.h>

static void assert_file(const char *name, const char *expected)
{
    size_t len;
    uint8_t *data = read_file(in(name), &len);
    assert_int_equal(len, strlen(expected));
    assert_memory_equal(data, expected, len);
    free(data);
}

static void test_packing_of_names(void **state)
{
    (void)state;
    assert_int_equal(og_packing_of("x.jsonl.zst"), OG_PACKING_ZSTD);
    assert_int_equal(og_packing_of("x.gz"), OG_PACKING_GZIP);
    assert_int_equal(og_packing_of("x.jsonl"), OG_PACKING_NONE);
    assert_int_equal(og_packing_of("gz"), OG_PACKING_NONE);
    assert_int_equal(og_packing_of(""), OG_PACKING_NONE);
}

static void write_records(og_output *o, int n)
{
    for (int i = 0; i < n; i++) {
        assert_int_equal(og_output_next(o, NULL), OG_OK);
        fprintf(og_output_file(o), "%d\n", i);
    }
}

static void test_records_go_around(void **state)
{
    (void)state;
    og_output *o;
    const og_output_options options = {.n_shards = 2};
    char path[300];
    snprintf(path, sizeof(path), "%s/", in("around"));
    assert_int_equal(og_output_new(path, &options, &o, NULL), OG_OK);
    write_records(o, 5);
    assert_int_equal(og_output_commit(o, NULL), OG_OK);
    og_output_free(o);
    assert_file("around/part-00000.jsonl", "0\n2\n4\n");
    assert_file("around/part-00001.jsonl", "1\n3\n");
    /* What is there is not mixed with. */
    assert_int_equal(og_output_new(path, &options, &o, NULL), OG_ERR_IO);
}

static void test_new_file_when_full(void **state)
{
    (void)state;
    og_output *o;
    const og_output_options options = {.shard_len = 4};
    char path[300];
    snprintf(path, sizeof(path), "%s/", in("full"));
    assert_int_equal(og_output_new(path, &options, &o, NULL), OG_OK);
    write_records(o, 4);
    assert_int_equal(og_output_commit(o, NULL), OG_OK);
    og_output_free(o);
    assert_file("full/part-00000.jsonl", "0\n1\n");
    assert_file("full/part-00001.jsonl", "2\n3\n");
    struct stat st;
    assert_int_not_equal(stat(in("full/part-00002.jsonl"), &st), 0);
}

static void test_free_leaves_nothing(void **state)
{
    (void)state;
    og_output *o;
    struct stat st;
    char path[300];
    snprintf(path, sizeof(path), "%s/", in("gone"));
    assert_int_equal(og_output_new(path, NULL, &o, NULL), OG_OK);
    write_records(o, 3);
    og_output_free(o);
    assert_int_not_equal(stat(in("gone"), &st), 0);
    og_output_free(NULL);
}

static void test_shards_need_a_folder(void **state)
{
    (void)state;
    og_output *o;
    const og_output_options many = {.n_shards = 2}, most = {.n_shards = 5000};
    char path[300];
    snprintf(path, sizeof(path), "%s/", in("many"));
    assert_int_equal(og_output_new(in("x"), &many, &o, NULL), OG_ERR_USAGE);
    assert_int_equal(og_output_new(path, &most, &o, NULL), OG_ERR_USAGE);
    assert_int_equal(og_output_new(in("no/such/"), NULL, &o, NULL), OG_ERR_IO);
}

/* A part that was synced in the middle and resumed. */
static void write_twice(const char *name, og_packing packing)
{
    struct og_shards s;
    struct og_new_file *file;
    assert_int_equal(
        og_shards_open_part(&s, in(name), packing, OG_PART_NEW, 0, NULL),
        OG_OK);
    assert_int_equal(og_shards_next(&s, &file, NULL), OG_OK);
    assert_int_equal(og_new_file_write(file, "first ", 6, NULL), OG_OK);
    assert_int_equal(og_shards_sync(&s, NULL), OG_OK);
    const uint64_t len = og_shards_len(&s);
    assert_int_equal(og_new_file_write(file, "lost", 4, NULL), OG_OK);
    og_shards_leave(&s);
    assert_int_equal(
        og_shards_open_part(&s, in(name), packing, OG_PART_RESUMED, len, NULL),
        OG_OK);
    assert_int_equal(og_shards_next(&s, &file, NULL), OG_OK);
    assert_int_equal(og_new_file_write(file, "second", 6, NULL), OG_OK);
    assert_int_equal(og_shards_commit(&s, NULL), OG_OK);
    og_shards_discard(&s);
}

static void test_gzip_continues(void **state)
{
    (void)state;
    char text[32] = "";
    write_twice("x.gz", OG_PACKING_AUTO);
    gzFile file = gzopen(in("x.gz"), "rb");
    assert_int_equal(gzread(file, text, sizeof(text)), 12);
    gzclose(file);
    assert_string_equal(text, "first second");
}

static void test_zstd_continues(void **state)
{
    (void)state;
    size_t len;
    char text[32] = "";
    write_twice("x", OG_PACKING_ZSTD);
    uint8_t *data = read_file(in("x"), &len);
    /* Two frames, one after the other: each by itself. */
    const size_t first = ZSTD_findFrameCompressedSize(data, len);
    assert_int_equal(ZSTD_decompress(text, sizeof(text), data, first), 6);
    assert_int_equal(
        ZSTD_decompress(text + 6, sizeof(text) - 6, data + first, len - first),
        6);
    assert_string_equal(text, "first second");
    free(data);
}

static void test_folder_cannot_go_on(void **state)
{
    (void)state;
    struct og_shards s;
    char path[300];
    snprintf(path, sizeof(path), "%s/", in("folder"));
    assert_int_equal(
        og_shards_open_part(&s, path, OG_PACKING_AUTO, OG_PART_NEW, 0, NULL),
        OG_ERR_USAGE);
}

/* ---- a disk that fills ---- */

/* Nobody else may open the file, not even before it is complete. */
static void test_private(void **state)
{
    const mode_t mask = umask(0);
    og_output *o;
    og_error err = {0};
    struct stat st;
    (void)state;
    write_file(in("secret"), "old", 3);
    assert_int_equal(chmod(in("secret"), 0644), 0);
    assert_int_equal(og_output_new(in("secret"),
                                   &(og_output_options){.is_private = true}, &o,
                                   &err),
                     OG_OK);
    DIR *dir = opendir(in(""));
    assert_non_null(dir);
    unsigned n = 0;
    for (struct dirent *item; (item = readdir(dir)) != NULL;) {
        if (strncmp(item->d_name, ".secret.new-", 12) != 0) continue;
        assert_int_equal(fstatat(dirfd(dir), item->d_name, &st, 0), 0);
        assert_int_equal(st.st_mode & 0777, 0600);
        n++;
    }
    closedir(dir);
    assert_int_equal(n, 1);
    fputs("new", og_output_file(o));
    assert_int_equal(og_output_commit(o, &err), OG_OK);
    og_output_free(o);
    assert_int_equal(stat(in("secret"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_file("secret", "new");
    umask(mask);
}

static void allow_bytes(rlim_t most)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN); /* write() fails with EFBIG then */
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = most;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The status and the message of a file of `len` bytes when there is room for
 * `room`. */
static og_status write_beyond(const char *path, size_t len, rlim_t room,
                              og_error *err)
{
    og_output *o;
    assert_int_equal(og_output_new(path, NULL, &o, NULL), OG_OK);
    allow_bytes(room);
    for (size_t i = 0; i < len; i++)
        putc('x', og_output_file(o));
    const og_status status = og_output_commit(o, err);
    allow_bytes(RLIM_INFINITY);
    og_output_free(o);
    return status;
}

/* Wherever it is full: in the middle, when two buffers are flushed, and with
 * the very last byte. The reason is that of the first write that failed. */
static void test_full_disk(void **state)
{
    (void)state;
    static const size_t lens[] = {1, 4096, 65536, 65537, 300000};
    og_error err;
    struct stat st;
    char path[300], message[400];
    snprintf(path, sizeof(path), "%s", in("filled"));
    snprintf(message, sizeof(message), "cannot write '%s': file too large",
             path);
    for (size_t i = 0; i < sizeof(lens) / sizeof(*lens); i++)
        for (size_t room = 0; room <= 1; room++) {
            const rlim_t most = room == 0 ? lens[i] / 2 : lens[i] - 1;
            assert_int_equal(write_beyond(path, lens[i], most, &err),
                             OG_ERR_IO);
            assert_string_equal(err.message, message);
            assert_int_not_equal(stat(path, &st), 0);
        }
    assert_int_equal(write_beyond(path, 300000, 300000, &err), OG_OK);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 300000);
}

/* What was printed at the time is lost, whether or not there is room again. */
static void test_room_again_is_too_late(void **state)
{
    (void)state;
    og_output *o;
    og_error err;
    struct stat st;
    assert_int_equal(og_output_new(in("late"), NULL, &o, NULL), OG_OK);
    allow_bytes(100);
    for (size_t i = 0; i < 200000; i++)
        putc('x', og_output_file(o));
    assert_true(ferror(og_output_file(o)));
    allow_bytes(RLIM_INFINITY);
    assert_int_equal(og_output_commit(o, &err), OG_ERR_IO);
    assert_non_null(strstr(err.message, "file too large"));
    og_output_free(o);
    assert_int_not_equal(stat(in("late"), &st), 0);
}

/* In a process of its own: its stdout is a file. */
static int fill_stdout(const char *path)
{
    og_output *o;
    og_error err = {0};
    if (freopen(path, "w", stdout) == NULL ||
        og_output_new(NULL, NULL, &o, NULL) != OG_OK)
        return 1;
    allow_bytes(100);
    for (size_t i = 0; i < 200000; i++)
        putc('x', og_output_file(o));
    allow_bytes(RLIM_INFINITY);
    const og_status status = og_output_commit(o, &err);
    og_output_free(o);
    if (status != OG_ERR_IO) return 2;
    return strstr(err.message, "cannot write 'stdout'") != NULL ? 0 : 3;
}

static void test_stdout_that_failed(void **state)
{
    (void)state;
    int status;
    char path[300];
    snprintf(path, sizeof(path), "%s", in("stdout"));
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) _exit(fill_stdout(path));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* The next shard cannot be made: those before it do not get their names, though
 * their writes went well. */
static void test_shard_that_cannot_open(void **state)
{
    (void)state;
    og_output *o;
    og_error err;
    struct stat st;
    char path[300];
    const og_output_options options = {.shard_len = 4};
    snprintf(path, sizeof(path), "%s/", in("stuck"));
    assert_int_equal(og_output_new(path, &options, &o, NULL), OG_OK);
    assert_int_equal(og_output_next(o, NULL), OG_OK);
    fprintf(og_output_file(o), "12345\n");
    assert_int_equal(mkdir(in("stuck/part-00001.jsonl"), 0777), 0);
    assert_int_equal(og_output_next(o, &err), OG_ERR_IO);
    fprintf(og_output_file(o), "12345\n");
    assert_int_equal(og_output_commit(o, NULL), OG_ERR_IO);
    og_output_free(o);
    assert_int_not_equal(stat(in("stuck/part-00000.jsonl"), &st), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packing_of_names),
        cmocka_unit_test(test_records_go_around),
        cmocka_unit_test(test_new_file_when_full),
        cmocka_unit_test(test_free_leaves_nothing),
        cmocka_unit_test(test_shards_need_a_folder),
        cmocka_unit_test(test_gzip_continues),
        cmocka_unit_test(test_zstd_continues),
        cmocka_unit_test(test_folder_cannot_go_on),
        cmocka_unit_test(test_private),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_room_again_is_too_late),
        cmocka_unit_test(test_stdout_that_failed),
        cmocka_unit_test(test_shard_that_cannot_open),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
