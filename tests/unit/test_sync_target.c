/* The receiver's tree: files get their names at the end, and no path leads out
 * of it. */

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "files_support.h"
#include "lib/sync/sync_target.h"

static struct og_sync_target target;
static char tree[300];

static int open_target(void **state)
{
    if (make_folder(state) != 0) return -1;
    snprintf(tree, sizeof(tree), "%s", in("tree"));
    return og_sync_target_open(&target, tree, true, NULL) == OG_OK ? 0 : -1;
}

static int close_target(void **state)
{
    og_sync_target_close(&target);
    return remove_folder(state);
}

static const char *at(const char *path)
{
    static char joined[700];
    snprintf(joined, sizeof(joined), "%s/%s", tree, path);
    return joined;
}

static void write_part(const char *name, const char *text)
{
    int fd;
    assert_int_equal(og_sync_part_open(&target, name, &fd, NULL), OG_OK);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static struct og_sync_entry entry_of(char *path, enum og_sync_kind kind)
{
    return (struct og_sync_entry){
        .path = path, .kind = kind, .mode = 0640, .mtime = 1000000000};
}

static og_status publish_text(char *path, const char *text, og_error *err)
{
    const struct og_sync_entry e = entry_of(path, OG_SYNC_FILE);
    write_part("part", text);
    return og_sync_target_publish(&target, &e, "part", err);
}

static void check_text(const char *path, const char *text)
{
    size_t len;
    uint8_t *data = read_file(at(path), &len);
    assert_int_equal(len, strlen(text));
    assert_memory_equal(data, text, len);
    free(data);
}

static bool is_there(const char *path)
{
    struct stat st;
    return lstat(at(path), &st) == 0;
}

/* ---- parts ---- */

static void names_of_parts(void **state)
{
    (void)state;
    char name[OG_SYNC_PART_NAME];
    uint8_t root[OG_SYNC_ROOT_LEN] = {0x00, 0x1f, 0xab};
    root[OG_SYNC_ROOT_LEN - 1] = 0xff;
    og_sync_part_name(root, 42, name);
    assert_string_equal(name, "001fab000000000000000000000000ff-42");
    og_sync_part_name(root, SIZE_MAX, name);
    assert_int_equal(strlen(name), 2 * OG_SYNC_ROOT_LEN + 1 + 20);
}

/* A new part is empty, readable, and another file than one of that name. */
static void a_new_part_leaves_the_old_one(void **state)
{
    (void)state;
    int old, fresh;
    char text[8] = "";
    assert_int_equal(og_sync_part_open(&target, "p", &old, NULL), OG_OK);
    assert_int_equal(write(old, "old", 3), 3);
    assert_int_equal(og_sync_part_open(&target, "p", &fresh, NULL), OG_OK);
    assert_int_equal(lseek(fresh, 0, SEEK_END), 0);
    assert_int_equal(pread(old, text, 8, 0), 3);
    assert_string_equal(text, "old");
    close(old);
    close(fresh);
    assert_true(is_there(OG_SYNC_PARTS "/p"));
    og_sync_part_remove(&target, "p");
    assert_false(is_there(OG_SYNC_PARTS "/p"));
    og_sync_part_remove(&target, "p");
}

static void parts_go_at_the_end(void **state)
{
    (void)state;
    write_part("a", "1");
    write_part("b", "2");
    og_sync_target_remove_parts(&target);
    assert_false(is_there(OG_SYNC_PARTS));
    assert_true(is_there(""));
}

/* ---- opening ---- */

static void a_tree_that_is_not_to_be_made(void **state)
{
    (void)state;
    struct og_sync_target t;
    assert_int_equal(og_sync_target_open(&t, in("none"), false, NULL), OG_OK);
    assert_int_equal(t.tree_fd, -1);
    assert_int_not_equal(access(in("none"), F_OK), 0);
    og_sync_part_remove(&t, "p");
    og_sync_target_remove_parts(&t);
    og_sync_target_close(&t);
}

/* The tree may be a link, its parts may not: they would be somewhere else. */
static void links_to_trees(void **state)
{
    (void)state;
    struct og_sync_target t;
    og_error err;
    char path[300];
    snprintf(path, sizeof(path), "%s", in("link"));
    assert_int_equal(symlink("tree", path), 0);
    assert_int_equal(og_sync_target_open(&t, path, true, &err), OG_OK);
    og_sync_target_close(&t);
    og_sync_target_remove_parts(&target);
    assert_int_equal(mkdir(in("elsewhere"), 0777), 0);
    assert_int_equal(symlink("../elsewhere", at(OG_SYNC_PARTS)), 0);
    assert_int_equal(og_sync_target_open(&t, tree, true, &err), OG_ERR_IO);
    og_sync_target_close(&t);
    snprintf(path, sizeof(path), "%s", in("file"));
    close(open(path, O_CREAT | O_WRONLY, 0666));
    assert_int_equal(og_sync_target_open(&t, path, true, &err), OG_ERR_IO);
    og_sync_target_close(&t);
}

/* ---- names ---- */

/* Rights, time and bytes; folders on the way are made; few files or many. */
static void files_are_published(void **state)
{
    (void)state;
    struct stat st;
    for (size_t n_parts = 1; n_parts <= 100; n_parts += 99) {
        assert_int_equal(og_sync_target_flush(&target, n_parts, NULL), OG_OK);
        assert_int_equal(target.sync_each, n_parts == 1);
        assert_int_equal(publish_text((char[]){"a/b/c"}, "text", NULL), OG_OK);
        check_text("a/b/c", "text");
        assert_false(is_there(OG_SYNC_PARTS "/part"));
        assert_int_equal(stat(at("a/b/c"), &st), 0);
        assert_int_equal(st.st_mode & 0777, 0640);
        assert_int_equal(st.st_mtime, 1000000000);
        assert_int_equal(publish_text((char[]){"a/b/c"}, "another", NULL),
                         OG_OK); /* takes its place */
        check_text("a/b/c", "another");
    }
}

static void a_file_whose_bytes_are_right(void **state)
{
    (void)state;
    struct stat st;
    assert_int_equal(publish_text((char[]){"f"}, "text", NULL), OG_OK);
    struct og_sync_entry e = entry_of((char[]){"f"}, OG_SYNC_FILE);
    e.mode = 0600;
    e.mtime = 5;
    assert_int_equal(og_sync_target_publish(&target, &e, NULL, NULL), OG_OK);
    check_text("f", "text");
    assert_int_equal(stat(at("f"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(st.st_mtime, 5);
    e = entry_of((char[]){"none"}, OG_SYNC_FILE);
    assert_int_equal(og_sync_target_publish(&target, &e, NULL, NULL),
                     OG_ERR_IO);
}

static void folders_and_links(void **state)
{
    (void)state;
    char to[20] = "";
    struct stat st;
    struct og_sync_entry e = entry_of((char[]){"d"}, OG_SYNC_FOLDER);
    e.mode = 0750;
    for (int again = 0; again < 2; again++) {
        assert_int_equal(og_sync_target_publish(&target, &e, NULL, NULL),
                         OG_OK);
        assert_int_equal(stat(at("d"), &st), 0);
        assert_true(S_ISDIR(st.st_mode));
        assert_int_equal(st.st_mode & 0777, 0750);
    }
    e = entry_of((char[]){"d/l"}, OG_SYNC_LINK);
    for (int again = 0; again < 2; again++) {
        e.link = again == 0 ? (char[]){"../one"} : (char[]){"../two"};
        assert_int_equal(og_sync_target_publish(&target, &e, NULL, NULL),
                         OG_OK);
        memset(to, 0, sizeof(to));
        assert_int_equal(readlink(at("d/l"), to, sizeof(to) - 1), 6);
        assert_string_equal(to, e.link);
    }
}

/* ---- strangers ---- */

/* A folder of the path is a link that leads out, or a file. */
static void no_path_leads_out(void **state)
{
    (void)state;
    og_error err;
    assert_int_equal(mkdir(in("outside"), 0777), 0);
    assert_int_equal(symlink("../outside", at("out")), 0);
    assert_int_equal(publish_text((char[]){"f"}, "text", NULL), OG_OK);
    static char paths[2][8] = {"out/x", "f/x"};
    for (size_t i = 0; i < 2; i++) {
        char message[700];
        snprintf(message, sizeof(message),
                 "'%s/%s' is refused: a part of its path is not a folder", tree,
                 paths[i]);
        assert_int_equal(publish_text(paths[i], "stolen", &err), OG_ERR_INPUT);
        assert_string_equal(err.message, message);
    }
    assert_false(is_there("../outside/x"));
    check_text("f", "text");
    /* Neither does removing. */
    close(open(in("outside/x"), O_CREAT | O_WRONLY, 0666));
    const struct og_sync_entry e = entry_of((char[]){"out/x"}, OG_SYNC_FILE);
    assert_int_equal(og_sync_target_remove(&target, &e, NULL), OG_OK);
    assert_true(is_there("../outside/x"));
}

/* A link with the name of a file is replaced, not followed. */
static void a_link_is_not_written_through(void **state)
{
    (void)state;
    struct stat st;
    close(open(in("victim"), O_CREAT | O_WRONLY, 0666));
    assert_int_equal(symlink("../victim", at("f")), 0);
    const struct og_sync_entry e = entry_of((char[]){"f"}, OG_SYNC_FILE);
    assert_int_equal(og_sync_target_publish(&target, &e, NULL, NULL),
                     OG_ERR_IO);
    assert_int_equal(stat(in("victim"), &st), 0);
    assert_int_not_equal(st.st_mtime, 1000000000);
    assert_int_equal(publish_text((char[]){"f"}, "text", NULL), OG_OK);
    assert_int_equal(stat(in("victim"), &st), 0);
    assert_int_equal(st.st_size, 0);
    check_text("f", "text");
}

/* ---- removing ---- */

static void what_is_removed(void **state)
{
    (void)state;
    struct og_sync_entry file = entry_of((char[]){"d/f"}, OG_SYNC_FILE);
    struct og_sync_entry dir = entry_of((char[]){"d"}, OG_SYNC_FOLDER);
    struct og_sync_entry link = entry_of((char[]){"l"}, OG_SYNC_LINK);
    link.link = (char[]){"d"};
    assert_int_equal(publish_text(file.path, "text", NULL), OG_OK);
    assert_int_equal(og_sync_target_publish(&target, &link, NULL, NULL), OG_OK);
    /* A folder with something in it stays; what is not there is fine. */
    assert_int_equal(og_sync_target_remove(&target, &dir, NULL), OG_OK);
    assert_true(is_there("d/f"));
    for (int again = 0; again < 2; again++) {
        assert_int_equal(og_sync_target_remove(&target, &link, NULL), OG_OK);
        assert_int_equal(og_sync_target_remove(&target, &file, NULL), OG_OK);
        assert_int_equal(og_sync_target_remove(&target, &dir, NULL), OG_OK);
        assert_false(is_there("d"));
        assert_false(is_there("l"));
    }
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, open_target, close_target)
    const struct CMUnitTest tests[] = {
        CASE(names_of_parts),
        CASE(a_new_part_leaves_the_old_one),
        CASE(parts_go_at_the_end),
        CASE(a_tree_that_is_not_to_be_made),
        CASE(links_to_trees),
        CASE(files_are_published),
        CASE(a_file_whose_bytes_are_right),
        CASE(folders_and_links),
        CASE(no_path_leads_out),
        CASE(a_link_is_not_written_through),
        CASE(what_is_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
