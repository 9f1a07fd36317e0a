/* Lists of files: untrusted paths, and damaged lists. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/sync/sync_tree.h"

static void check_path(const char *path, bool is_safe)
{
    assert_int_equal(og_sync_path_is_safe(path, strlen(path)), is_safe);
}

static void test_paths(void **state)
{
    (void)state;
    check_path("a", true);
    check_path("a/b.txt", true);
    check_path("..a/b..", true);
    check_path(".hidden", true);
    check_path("...", true);
    check_path("", false);
    check_path("/a", false);
    check_path("a/", false);
    check_path("a//b", false);
    check_path(".", false);
    check_path("..", false);
    check_path("../a", false);
    check_path("a/../b", false);
    check_path("a/..", false);
    check_path("a/./b", false);
    check_path(OG_SYNC_PARTS, false);
    check_path(OG_SYNC_PARTS "/x", false);
    check_path(OG_SYNC_PARTS "x", true);
    assert_false(og_sync_path_is_safe("a\0b", 3));
}

static struct og_sync_entry file(const char *path, uint64_t len)
{
    struct og_sync_entry e = {.path = (char *)path,
                              .kind = OG_SYNC_FILE,
                              .mode = 0640,
                              .mtime = -5,
                              .len = len};
    memset(e.root, (int)len, sizeof(e.root));
    return e;
}

/* A folder, a link and two files. */
static struct og_pack packed_list(struct og_sync_entry entries[4])
{
    struct og_pack out = {0};
    entries[0] = (struct og_sync_entry){
        .path = (char *)"d", .kind = OG_SYNC_FOLDER, .mode = 0755};
    entries[1] = file("d/a", 3);
    entries[2] = (struct og_sync_entry){.path = (char *)"d/link",
                                        .link = (char *)"../elsewhere",
                                        .kind = OG_SYNC_LINK,
                                        .mode = 0777};
    entries[3] = file("e", INT64_MAX);
    const struct og_sync_list list = {.entries = entries, .n = 4};
    og_sync_list_pack(&list, &out);
    return out;
}

static void test_a_list_comes_back(void **state)
{
    (void)state;
    struct og_sync_entry e[4];
    struct og_pack packed = packed_list(e);
    struct og_sync_list list = {0};
    assert_int_equal(
        og_sync_list_parse(&list, (uint8_t *)packed.data, packed.len, NULL),
        OG_OK);
    assert_int_equal(list.n, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(list.entries[i].path, e[i].path);
        assert_int_equal(list.entries[i].kind, e[i].kind);
        assert_int_equal(list.entries[i].mode, e[i].mode);
        assert_int_equal(og_sync_list_find(&list, e[i].path), i);
    }
    assert_string_equal(list.entries[2].link, "../elsewhere");
    assert_true(list.entries[1].mtime == -5 && list.entries[1].len == 3);
    assert_true(list.entries[3].len == INT64_MAX);
    assert_memory_equal(list.entries[1].root, e[1].root, OG_SYNC_ROOT_LEN);
    assert_true(og_sync_list_find(&list, "d/") == SIZE_MAX);
    assert_true(og_sync_list_find(&list, "z") == SIZE_MAX);
    og_sync_list_release(&list);
    og_pack_release(&packed);
}

/* Cut anywhere, it is refused, or it is the list up to a whole entry. */
static void test_cut_lists(void **state)
{
    (void)state;
    struct og_sync_entry e[4];
    struct og_pack packed = packed_list(e);
    size_t n_whole = 0;
    for (size_t len = 0; len < packed.len; len++) {
        struct og_sync_list list = {0};
        og_error err;
        const og_status status =
            og_sync_list_parse(&list, (uint8_t *)packed.data, len, &err);
        assert_true(status == OG_OK || status == OG_ERR_INPUT);
        n_whole += status == OG_OK;
        for (size_t i = 0; i < list.n; i++)
            assert_string_equal(list.entries[i].path, e[i].path);
        og_sync_list_release(&list);
    }
    assert_int_equal(n_whole, 4); /* empty, and after three entries */
    og_pack_release(&packed);
}

static void check_refused(struct og_sync_entry *entries, size_t n)
{
    struct og_pack packed = {0};
    struct og_sync_list list = {0};
    const struct og_sync_list bad = {.entries = entries, .n = n};
    og_error err;
    og_sync_list_pack(&bad, &packed);
    assert_int_equal(
        og_sync_list_parse(&list, (uint8_t *)packed.data, packed.len, &err),
        OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "refused"));
    og_sync_list_release(&list);
    og_pack_release(&packed);
}

static void test_bad_lists(void **state)
{
    (void)state;
    struct og_sync_entry out = file("../etc/passwd", 1);
    struct og_sync_entry twice[] = {file("a", 1), file("a", 1)};
    struct og_sync_entry turned[] = {file("b", 1), file("a", 1)};
    struct og_sync_entry long_one = file("a", (uint64_t)INT64_MAX + 1);
    struct og_sync_entry kind = file("a", 1);
    check_refused(&out, 1);
    check_refused(twice, 2);
    check_refused(turned, 2);
    check_refused(&long_one, 1);
    kind.kind = 4;
    check_refused(&kind, 1);
}

static void test_joining(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"t", "a/b", "t/a/b"}, {"", "a", "a"}, {"t", "", "t"}};
    for (size_t i = 0; i < 3; i++) {
        char *joined = og_sync_join(NULL, cases[i][0], cases[i][1]);
        assert_string_equal(joined, cases[i][2]);
        og_name_release(NULL, joined);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_a_list_comes_back),
        cmocka_unit_test(test_cut_lists),
        cmocka_unit_test(test_bad_lists),
        cmocka_unit_test(test_joining),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
