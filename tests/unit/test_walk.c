#define _GNU_SOURCE
#include "tests/unit/source_folder.h"

#include <errno.h>
#include <stdio.h>

#include "lib/source/walk.h"

static void make_folder(const char *name)
{
    assert_int_equal(mkdir(folder_path(&folder, name), 0700), 0);
}

static void make_link(const char *target, const char *name)
{
    assert_int_equal(symlink(target, folder_path(&folder, name)), 0);
}

/* All entries, one a line, without the test's own folder in front. */
static const char *walk_all(const char *const *paths, size_t n_paths)
{
    static char out[4096];
    struct og_walk walk;
    struct og_walk_entry entry;
    og_error err;
    size_t used = 0;
    out[0] = 0;
    og_walk_init(&walk, paths, n_paths, NULL);
    while (og_walk_next(&walk, &entry, &err) == OG_OK) {
        static const char *const kinds[] = {"", "stdin ", "failed ", "link "};
        const size_t prefix = strlen(folder.path);
        const char *path = entry.path;
        if (strncmp(path, folder.path, prefix) == 0) path += prefix;
        used += (size_t)snprintf(out + used, sizeof(out) - used, "%s%s\n",
                                 kinds[entry.kind], path);
    }
    assert_int_equal(og_walk_next(&walk, &entry, &err), OG_END);
    og_walk_release(&walk);
    return out;
}

static void test_order(void **state)
{
    const char *const path = folder.path;
    (void)state;
    make_folder("b");
    make_folder("b/empty");
    make_folder("b/deep");
    make_folder("b/deep/er");
    folder_put(&folder, "b/deep/er/x", "");
    folder_put(&folder, "b/deep/a", "");
    folder_put(&folder, "b/z", "");
    folder_put(&folder, "b.txt", "");
    folder_put(&folder, "a", "");
    folder_put(&folder, "B", "");
    folder_put(&folder, "\xc3\xa9", "");
    folder_put(&folder, "10", "");
    folder_put(&folder, "9", "");
    assert_string_equal(walk_all(&path, 1),
                        "/10\n/9\n/B\n/a\n/b/deep/a\n/b/deep/er/x\n/b/z\n"
                        "/b.txt\n/\xc3\xa9\n");
}

static void test_what_is_left_out(void **state)
{
    char fifo[200];
    const char *const path = folder.path;
    (void)state;
    folder_put(&folder, ".hidden", "");
    make_folder(".git");
    folder_put(&folder, ".git/config", "");
    strcpy(fifo, folder_path(&folder, "fifo"));
    assert_int_equal(mkfifo(fifo, 0600), 0);
    folder_put(&folder, "seen", "");
    assert_string_equal(walk_all(&path, 1), "/seen\n");
    /* What is named is taken. */
    const char *const named = fifo;
    assert_string_equal(walk_all(&named, 1), "/fifo\n");
    const char *const hidden = folder_path(&folder, ".git");
    assert_string_equal(walk_all(&hidden, 1), "/.git/config\n");
}

static void test_links(void **state)
{
    const char *const path = folder.path;
    (void)state;
    folder_put(&folder, "file", "");
    make_folder("sub");
    folder_put(&folder, "sub/x", "");
    make_link("file", "to-file");
    make_link("sub", "to-sub");
    make_link("..", "sub/up");
    make_link("self", "self");
    make_link("nowhere", "dangling");
    assert_string_equal(walk_all(&path, 1),
                        "/dangling\n/file\n/self\nlink /sub/up\n/sub/x\n"
                        "/to-file\nlink /to-sub\n");
    /* A link that is named is followed. */
    const char *const link = folder_path(&folder, "to-sub");
    assert_string_equal(walk_all(&link, 1), "link /to-sub/up\n/to-sub/x\n");
}

static void test_paths_of_the_user(void **state)
{
    char slash[100], missing[100];
    (void)state;
    make_folder("d");
    folder_put(&folder, "d/x", "");
    snprintf(slash, sizeof(slash), "%s/d/", folder.path);
    snprintf(missing, sizeof(missing), "%s/missing", folder.path);
    const char *const paths[] = {slash, "-", missing, "", slash};
    assert_string_equal(walk_all(paths, 5),
                        "/d/x\nstdin -\n/missing\n\n/d/x\n");
    assert_string_equal(walk_all(paths, 0), "");
}

static void test_forbidden_folder(void **state)
{
    const char *const path = folder.path;
    (void)state;
    if (geteuid() == 0) skip(); /* nothing is forbidden */
    make_folder("closed");
    folder_put(&folder, "open", "");
    assert_int_equal(chmod(folder_path(&folder, "closed"), 0), 0);
    assert_string_equal(walk_all(&path, 1), "failed /closed\n/open\n");
}

static void test_deep(void **state)
{
    const char *const path = folder.path;
    char name[200] = "";
    (void)state;
    for (int i = 0; i < 60; i++) {
        strcat(name, i == 0 ? "d" : "/d");
        make_folder(name);
    }
    strcat(name, "/x");
    folder_put(&folder, name, "");
    assert_int_equal(strlen(walk_all(&path, 1)), strlen(name) + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_left_out, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_links, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_paths_of_the_user, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_forbidden_folder, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_deep, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
