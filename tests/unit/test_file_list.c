#include "tests/unit/source_folder.h"

#include <errno.h>
#include <stdio.h>

#include "lib/source/file_list.h"
#include "lib/source/walk.h"

/* The paths of a list, each in brackets; an errno as a number. */
static const char *paths_of(const char *name)
{
    static char out[4096];
    struct og_file_list list;
    const char *path;
    int error;
    og_error err;
    size_t used = 0;
    out[0] = 0;
    og_file_list_init(&list, name, NULL);
    while (og_file_list_next(&list, &path, &error, &err) == OG_OK)
        used += (size_t)(error != 0 ? snprintf(out + used, sizeof(out) - used,
                                               "error %d", error)
                                    : snprintf(out + used, sizeof(out) - used,
                                               "[%s]", path));
    assert_int_equal(og_file_list_next(&list, &path, &error, &err), OG_END);
    og_file_list_release(&list);
    return out;
}

static void check(const char *content, size_t len, const char *expected)
{
    assert_string_equal(paths_of(folder_write(&folder, "list", content, len)),
                        expected);
}

static void test_lines(void **state)
{
    (void)state;
    check("", 0, "");
    check("\n\n", 2, "");
    check("a", 1, "[a]");
    check("a\n", 2, "[a]");
    check("a b\n\n\nc/d\n- \n", 13, "[a b][c/d][- ]");
    check("\xff\xfe\n", 3, "[\xff\xfe]");
}

static void test_zeros(void **state)
{
    (void)state;
    check("a\nb\0c\0", 6, "[a\nb][c]");
    check("a\0b", 3, "[a][b]");
    check("\0\0a\0", 4, "[a]");
}

static void test_no_list(void **state)
{
    char expected[20];
    (void)state;
    assert_string_equal(paths_of(NULL), "");
    snprintf(expected, sizeof(expected), "error %d", ENOENT);
    assert_string_equal(paths_of("/nonexistent/list"), expected);
}

/* More than the window holds, so that a path crosses its end. */
static void test_long_list(void **state)
{
    struct string s = {0};
    (void)state;
    for (int i = 0; i < 20000; i++)
        string_fp(&s, "folder/%d\n", i);
    folder_write(&folder, "list", s.data, s.len);
    struct og_file_list list;
    const char *path;
    int error, n = 0;
    og_error err;
    og_file_list_init(&list, folder.last, NULL);
    while (og_file_list_next(&list, &path, &error, &err) == OG_OK) {
        char expected[32];
        snprintf(expected, sizeof(expected), "folder/%d", n++);
        assert_int_equal(error, 0);
        assert_string_equal(path, expected);
    }
    assert_int_equal(n, 20000);
    og_file_list_release(&list);
    string_release(&s);
}

static void test_long_path(void **state)
{
    char expected[32];
    struct string s = {0};
    (void)state;
    string_fp(&s, "a\n");
    for (size_t i = 0; i < 8000; i++)
        string_fp(&s, "0123456789");
    snprintf(expected, sizeof(expected), "[a]error %d", ENAMETOOLONG);
    check(s.data, s.len, expected);
    string_fp(&s, "\nb\n");
    check(s.data, s.len, expected);
    string_release(&s);
}

static void test_walk(void **state)
{
    static const char *const kinds[] = {"", "stdin ", "failed ", "link "};
    char list[200], seen[1024] = "", a[200];
    struct og_walk walk;
    struct og_walk_entry entry;
    og_error err;
    struct string s = {0};
    (void)state;
    assert_int_equal(mkdir(folder_path(&folder, "d"), 0700), 0);
    folder_put(&folder, "d/x", "");
    snprintf(a, sizeof(a), "%s", folder_put(&folder, "a", ""));
    string_fp(&s, "%s/d\n%s/missing\n-\n", folder.path, folder.path);
    snprintf(list, sizeof(list), "%s",
             folder_write(&folder, "list", s.data, s.len));
    const char *const paths[] = {a};
    og_walk_init(&walk, paths, 1, NULL);
    og_walk_take_list(&walk, list);
    while (og_walk_next(&walk, &entry, &err) == OG_OK) {
        const size_t prefix =
            entry.kind == OG_WALK_STDIN ? 0 : strlen(folder.path);
        strcat(strcat(strcat(seen, kinds[entry.kind]), entry.path + prefix),
               " ");
    }
    assert_string_equal(seen, "/a /d/x /missing stdin - ");
    og_walk_release(&walk);
    string_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_zeros, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_list, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_long_list, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_long_path, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_walk, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
