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

static void test_no_room_is_told_and_leaves_nothing(void **state)
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

#define CASE(name)                                                             \
    cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_commit_replaces),
        CASE(test_discard_leaves_nothing),
        CASE(test_no_room_is_told_and_leaves_nothing),
        CASE(test_a_folder_is_no_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
