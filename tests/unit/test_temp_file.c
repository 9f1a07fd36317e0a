/* Temporary files have no name and their folder is known. */

#include "tests/unit/stage_support.h"

#include "lib/os/temp_file.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void has_no_name(void **state)
{
    char folder[] = "/tmp/origo-temp-file-XXXXXX", byte = 0;
    struct stat st;
    (void)state;
    assert_non_null(mkdtemp(folder));
    const int fd = og_temp_file_open(folder, NULL);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(st.st_nlink, 0);
    assert_int_equal(write(fd, "x", 1), 1);
    assert_int_equal(pread(fd, &byte, 1, 0), 1);
    assert_int_equal(byte, 'x');
    assert_int_equal(rmdir(folder), 0); /* it is empty */
    close(fd);
}

static void a_folder_that_is_not_there(void **state)
{
    og_error err;
    (void)state;
    assert_int_equal(og_temp_file_open("/nowhere/at/all", &err), -1);
    assert_int_equal(err.status, OG_ERR_IO);
    assert_non_null(strstr(err.message, "/nowhere/at/all"));
}

static void expect_folder(const char *path, const char *expected)
{
    char *folder = og_folder_of(path);
    assert_string_equal(folder, expected);
    free(folder);
}

static void folders_of_paths(void **state)
{
    (void)state;
    expect_folder("a", ".");
    expect_folder("a/b", "a");
    expect_folder("/a/b/c", "/a/b");
    expect_folder("/a", "/");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_no_name),
        cmocka_unit_test(a_folder_that_is_not_there),
        cmocka_unit_test(folders_of_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
