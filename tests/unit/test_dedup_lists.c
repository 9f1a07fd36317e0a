/* Lists of pairs and of removals: in the order of bytes that others read,
 * checked when they come back. */

#include "tests/unit/stage_support.h"

#include "lib/dedup/dedup_lists.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_word(struct og_pack *p, uint32_t word)
{
    og_pack_fixed(p, word, 4);
}

static void pairs_come_back(void **state)
{
    char folder[] = "/tmp/origo-dedup-lists-XXXXXX", path[64];
    const struct og_list_pair pair = {1, 2, 3, 0x04050607};
    struct og_pack list = {0}, read = {0};
    bool is_there = true;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/x.dups", folder);
    assert_int_equal(og_list_read(path, 4, &read, &is_there, NULL), OG_OK);
    assert_false(is_there);
    og_list_pack_pair(&list, &pair);
    assert_int_equal(list.len, 16);
    assert_memory_equal(list.data, "\1\0\0\0\2\0\0\0\3\0\0\0\7\6\5\4", 16);
    assert_int_equal(og_list_write(path, &list, NULL), OG_OK);
    assert_int_equal(og_list_read(path, 4, &read, &is_there, NULL), OG_OK);
    assert_true(is_there);
    const uint32_t *words = (const uint32_t *)(const void *)read.data;
    assert_int_equal(words[0], 1);
    assert_int_equal(words[3], 0x04050607);
    og_pack_release(&list);
    og_pack_release(&read);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static og_status check(unsigned width, const uint32_t *words, size_t n,
                       size_t cut)
{
    struct og_pack list = {0};
    og_error err;
    for (size_t i = 0; i < n; i++)
        add_word(&list, words[i]);
    list.len -= cut;
    const og_status status = og_list_check("x", width, &list, &err);
    if (status != OG_OK) assert_non_null(strstr(err.message, "'x'"));
    og_pack_release(&list);
    return status;
}

static void what_is_wrong_is_refused(void **state)
{
    const uint32_t rising[] = {1, 5, 9, 10}, falling[] = {1, 9, 5, 10};
    (void)state;
    assert_int_equal(check(1, rising, 4, 0), OG_OK);
    assert_int_equal(check(1, rising, 4, 1), OG_ERR_INPUT); /* cut */
    assert_int_equal(check(4, rising, 4, 4), OG_ERR_INPUT);
    assert_int_equal(check(1, falling, 4, 0), OG_ERR_INPUT);
    assert_int_equal(check(4, falling, 4, 0), OG_OK); /* pairs need not rise */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_come_back),
        cmocka_unit_test(what_is_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
