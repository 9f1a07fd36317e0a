/* Files that appear whole or not at all. */

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "files_support.h"
#include "lib/os/new_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

static size_t n_files(void)
{
    size_t n = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *d; (d = readdir(dir)) != NULL;)
        n += strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
    closedir(dir);
    return n;
}

static void test_commit_replaces(void **state)
{
    (void)state;
    struct og_new_file file;
    size_t len;
    static char large[200000];
    write_file(in("x"), "old", 3);
    memset(large, 'l', sizeof(large));
    assert_int_equal(og_new_file_open(&file, in("x"), 0644, NULL), OG_OK);
    assert_int_equal(og_new_file_write(&file, "new ", 4, NULL), OG_OK);
    assert_int_equal(og_new_file_write(&file, large, sizeof(large), NULL),
                     OG_OK);
    uint8_t *data = read_file(in("x"), &len);
    assert_int_equal(len, 3); /* still the old one */
    free(data);
    assert_int_equal(og_new_file_commit(&file, NULL), OG_OK);
    og_new_file_discard(&file);
    data = read_file(in("x"), &len);
    assert_int_equal(len, 4 + sizeof(large));
    assert_memory_equal(data, "new llll", 8);
    free(data);
    assert_int_equal(n_files(), 1);
}

static void test_discard_leaves_nothing(void **state)
{
    (void)state;
    struct og_new_file file;
    assert_int_equal(og_new_file_open(&file, in("x"), 0644, NULL), OG_OK);
    assert_int_equal(og_new_file_write(&file, "new", 3, NULL), OG_OK);
    assert_int_equal(n_files(), 1);
    og_new_file_discard(&file);
    og_new_file_discard(&file);
    assert_int_equal(n_files(), 0);
}

static void test_no_room_is_reported_and_leaves_nothing(void **state)
{
    (void)state;
    struct og_new_file file;
    struct rlimit before, small;
    static char large[300000];
    og_error err = {0};
    write_file(in("x"), "old", 3);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 100000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    assert_int_equal(og_new_file_open(&file, in("x"), 0644, &err), OG_OK);
    og_status status = og_new_file_write(&file, large, sizeof(large), &err);
    assert_int_equal(status, OG_ERR_IO);
    assert_non_null(strstr(err.message, "cannot write"));
    assert_int_not_equal(og_new_file_commit(&file, &err), OG_OK);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(n_files(), 1);
    size_t len;
    free(read_file(in("x"), &len));
    assert_int_equal(len, 3);
}

static void test_a_folder_is_no_target(void **state)
{
    (void)state;
    struct og_new_file file;
    og_error err = {0};
    assert_int_equal(og_new_file_open(&file, folder, 0644, &err), OG_ERR_IO);
    assert_non_null(strstr(err.message, folder));
    assert_int_equal(og_new_file_open(&file, in("no/such"), 0644, &err),
                     OG_ERR_IO);
}

static void assert_holds(const char *path, const char *text)
{
    size_t len;
    uint8_t *data = read_file(path, &len);
    assert_int_equal(len, strlen(text));
    assert_memory_equal(data, text, len);
    free(data);
}

/* A link in a folder of ours may be a trap: it is replaced, its target is not
 * touched. A link that a user names is followed. */
static void test_links(void **state)
{
    struct og_new_file file;
    (void)state;
    for (int is_output = 0; is_output < 2; is_output++) {
        write_file(in("far"), "old", 3);
        (void)unlink(in("x"));
        assert_int_equal(symlink("far", in("x")), 0);
        assert_int_equal(is_output
                             ? og_output_open(&file, in("x"), false, NULL)
                             : og_new_file_open(&file, in("x"), 0644, NULL),
                         OG_OK);
        assert_int_equal(og_new_file_write(&file, "new", 3, NULL), OG_OK);
        assert_int_equal(og_new_file_commit(&file, NULL), OG_OK);
        assert_holds(in("x"), "new");
        assert_holds(in("far"), is_output ? "new" : "old");
        assert_int_equal(n_files(), 2);
    }
}

static void test_links_in_a_circle(void **state)
{
    struct og_new_file file;
    og_error err = {0};
    (void)state;
    assert_int_equal(symlink("b", in("a")), 0);
    assert_int_equal(symlink("a", in("b")), 0);
    assert_int_equal(og_output_open(&file, in("a"), false, &err), OG_ERR_IO);
    assert_non_null(strstr(err.message, "symbolic links"));
    og_new_file_discard(&file);
    assert_int_equal(n_files(), 2);
}

/* Output to be read back before the end is collected elsewhere; a pipe gets
 * nothing of a failed run. */
static void test_pipe_gets_all_or_nothing(void **state)
{
    struct og_new_file file;
    char seen[8] = "";
    (void)state;
    assert_int_equal(mkfifo(in("p"), 0600), 0);
    const int reader = open(in("p"), O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    for (int fails = 1; fails >= 0; fails--) {
        assert_int_equal(og_output_open(&file, in("p"), true, NULL), OG_OK);
        assert_int_equal(og_new_file_write(&file, "abc", 3, NULL), OG_OK);
        assert_int_equal(og_new_file_flush(&file, NULL), OG_OK);
        assert_int_equal(og_file_read_at(file.fd, seen, 8, 0), 3);
        if (fails)
            og_new_file_discard(&file);
        else
            assert_int_equal(og_new_file_commit(&file, NULL), OG_OK);
        assert_int_equal(read(reader, seen, sizeof(seen)), fails ? 0 : 3);
    }
    close(reader);
    struct stat st;
    assert_int_equal(lstat(in("p"), &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
    assert_int_equal(n_files(), 1);
}

static void test_parts(void **state)
{
    struct og_new_file file;
    og_error err = {0};
    (void)state;
    write_file(in("x.part"), "mine", 4);
    assert_int_equal(og_output_open_part(&file, in("x"), OG_PART_NEW, 0, &err),
                     OG_ERR_IO);
    assert_non_null(strstr(err.message, "in the way"));
    assert_holds(in("x.part"), "mine");
    assert_int_equal(
        og_output_open_part(&file, in("x"), OG_PART_RESUMED, 5, &err),
        OG_ERR_INPUT);
    assert_int_equal(
        og_output_open_part(&file, in("x"), OG_PART_RESUMED, 2, &err), OG_OK);
    assert_int_equal(og_new_file_write(&file, "lk", 2, NULL), OG_OK);
    og_new_file_leave(&file);
    assert_holds(in("x.part"), "milk");
    assert_int_equal(og_output_open_part(&file, in("x"), OG_PART_OURS, 0, &err),
                     OG_OK);
    assert_int_equal(og_new_file_write(&file, "new", 3, NULL), OG_OK);
    assert_int_equal(og_new_file_commit(&file, NULL), OG_OK);
    assert_holds(in("x"), "new");
    assert_int_equal(n_files(), 1);
}

#define CASE(name)                                                             \
    cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_commit_replaces),
        CASE(test_discard_leaves_nothing),
        CASE(test_no_room_is_reported_and_leaves_nothing),
        CASE(test_a_folder_is_no_target),
        CASE(test_links),
        CASE(test_links_in_a_circle),
        CASE(test_pipe_gets_all_or_nothing),
        CASE(test_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
