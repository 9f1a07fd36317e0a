/* The files of texts: names and heads. */

#include <stdio.h>
#include <unistd.h>

#include "lib/store/text/text_files.h"
#include "tests/unit/texts_support.h"

static void names(void **state)
{
    struct og_text_path path;
    (void)state;
    assert_string_equal(og_segment_path(&path, "a/b", 1), "a/b/000001.seg");
    assert_string_equal(og_dict_path(&path, "a/b", 1234567),
                        "a/b/1234567.dict");
    assert_string_equal(og_segment_path(&path, "a", UINT32_MAX),
                        "a/4294967295.seg");
}

static void the_last_of_each_kind(void **state)
{
    (void)state;
    const char *const others[] = {"1.seg",           "000000.seg",
                                  "0000009.seg",     "000009.seg~",
                                  "4294967296.seg",  "99999999999.seg",
                                  ".000008.seg.new", "000009.SEG",
                                  "000007.dicts",    "seg"};
    uint32_t segment, dict;
    ASSERT_OK(og_text_files_last(folder, &segment, &dict, &story));
    assert_int_equal(segment | dict, 0);
    for (size_t i = 0; i < LENGTH(others); i++)
        write_file(in(others[i]), "", 0);
    ASSERT_OK(og_text_files_last(folder, &segment, &dict, &story));
    assert_int_equal(segment | dict, 0);
    write_file(in("000003.seg"), "", 0);
    write_file(in("000002.seg"), "", 0);
    write_file(in("1000001.seg"), "", 0);
    write_file(in("000002.dict"), "", 0);
    ASSERT_OK(og_text_files_last(folder, &segment, &dict, &story));
    assert_int_equal(segment, 1000001);
    assert_int_equal(dict, 2);
    og_error err;
    assert_int_equal(og_text_files_last(in("none"), &segment, &dict, &err),
                     OG_ERR_IO);
}

static void make_segment(uint32_t number)
{
    const struct og_segment_head head = {number - 1, 12345};
    int fd;
    ASSERT_OK(og_segment_make(folder, uuid, number, &head, &fd, &story));
    close(fd);
}

static void heads_of_segments(void **state)
{
    (void)state;
    struct og_segment_head head;
    og_error err;
    int fd;
    make_segment(50);
    ASSERT_OK(og_segment_open(folder, uuid, 50, &fd, &head, &story));
    close(fd);
    assert_int_equal(head.before, 49);
    assert_int_equal(head.before_end, 12345);
    assert_int_equal(og_segment_make(folder, uuid, 50, &head, &fd, &err),
                     OG_ERR_IO); /* never over one that is there */
    assert_int_equal(og_segment_open(folder, other_uuid, 50, &fd, &head, &err),
                     OG_ERR_STORE);
    assert_non_null(strstr(err.message, "another store"));
    assert_int_equal(rename(in("000050.seg"), in("000051.seg")), 0);
    assert_int_equal(og_segment_open(folder, uuid, 51, &fd, &head, &err),
                     OG_ERR_STORE);
    assert_int_equal(og_segment_open(folder, uuid, 50, &fd, &head, &err),
                     OG_ERR_STORE);
    assert_non_null(strstr(err.message, "000050.seg': no such file"));
}

static void every_change_and_cut_of_a_head_is_found(void **state)
{
    (void)state;
    struct og_segment_head head;
    og_error err;
    size_t len;
    int fd;
    make_segment(60);
    uint8_t *bytes = read_file(in("000060.seg"), &len);
    assert_int_equal(len, OG_SEGMENT_HEAD);
    for (size_t bit = 0; bit < 8 * len; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        write_file(in("000060.seg"), bytes, len);
        assert_int_equal(og_segment_open(folder, uuid, 60, &fd, &head, &err),
                         OG_ERR_STORE);
        assert_non_null(strstr(err.message, "000060.seg'"));
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t cut = 0; cut < len; cut++) {
        write_file(in("000060.seg"), bytes, cut);
        assert_int_equal(og_segment_open(folder, uuid, 60, &fd, &head, &err),
                         OG_ERR_STORE);
    }
    free(bytes);
}

static void a_newer_format_is_named(void **state)
{
    (void)state;
    struct og_segment_head head;
    og_error err;
    size_t len;
    int fd;
    make_segment(70);
    uint8_t *bytes = read_file(in("000070.seg"), &len);
    bytes[4] = 2;
    write_file(in("000070.seg"), bytes, len);
    assert_int_equal(og_segment_open(folder, uuid, 70, &fd, &head, &err),
                     OG_ERR_STORE);
    assert_non_null(strstr(err.message, "has format 2"));
    free(bytes);
}

static void dictionaries(void **state)
{
    (void)state;
    struct og_pack out = {0};
    og_error err;
    ASSERT_OK(og_dict_write(folder, uuid, 3, (og_bytes){"hello", 5}, &story));
    ASSERT_OK(og_dict_read(folder, uuid, 3, &out, &story));
    assert_int_equal(out.len, 5);
    assert_memory_equal(out.data, "hello", 5);
    assert_int_equal(og_dict_read(folder, other_uuid, 3, &out, &err),
                     OG_ERR_STORE);
    assert_int_equal(og_dict_read(folder, uuid, 4, &out, &err), OG_ERR_STORE);
    og_pack_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(the_last_of_each_kind),
        cmocka_unit_test(heads_of_segments),
        cmocka_unit_test(every_change_and_cut_of_a_head_is_found),
        cmocka_unit_test(a_newer_format_is_named),
        cmocka_unit_test(dictionaries),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
