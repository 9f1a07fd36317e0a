/* Deltas: made and applied for all kinds of edits; refused ones. */

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "files_support.h"
#include "lib/delta/delta.h"

enum { LEN = 300000 };
static char text[2 * LEN], other[2 * LEN];

static uint64_t make(const char *old_path, const char *new_path)
{
    const char *olds[] = {old_path};
    og_delta_info info;
    og_error err = {0};
    const og_status status = og_delta_make(
        olds, old_path == NULL ? 0 : 1, new_path, in("d"), NULL, &info, &err);
    assert_string_equal(err.message, "");
    assert_int_equal(status, OG_OK);
    assert_int_equal(info.copied_len + info.literal_len, info.new_len);
    return info.delta_len;
}

static uint64_t there_and_back(const char *old_path, const char *new_path)
{
    const char *olds[] = {old_path};
    og_error err = {0};
    const uint64_t len = make(old_path, new_path);
    og_delta_apply(olds, old_path == NULL ? 0 : 1, in("d"), in("out"), NULL,
                   NULL, &err);
    assert_string_equal(err.message, "");
    assert_same_file(in("out"), new_path);
    return len;
}

static void test_edits_come_back(void **state)
{
    (void)state;
    uint64_t random = 5;
    const size_t n = make_text(text, LEN, 1);
    write_file(in("old"), text, n);
    for (int round = 0; round < 25; round++) {
        memcpy(other, text, n);
        size_t m = n;
        const unsigned n_edits = 1u << round % 8;
        for (unsigned e = 0; e < n_edits; e++) {
            const size_t at = og_random_next(&random) % (m - 500);
            const size_t by = og_random_next(&random) % 200;
            if (e % 3 == 0) { /* in */
                memmove(other + at + by, other + at, m - at);
                memset(other + at, 'x', by);
                m += by;
            } else if (e % 3 == 1) { /* out */
                memmove(other + at, other + at + by, m - at - by);
                m -= by;
            } else { /* changed */
                other[at] ^= 1;
            }
        }
        write_file(in("new"), other, m);
        const uint64_t len = there_and_back(in("old"), in("new"));
        /* An edit costs no more than its place and its few bytes. */
        assert_true(len < 400 + 60 * n_edits);
    }
}

static void test_special_files_come_back(void **state)
{
    (void)state;
    const size_t n = make_text(text, LEN, 2);
    memset(other, 0, sizeof(other));
    write_file(in("empty"), "", 0);
    write_file(in("text"), text, n);
    write_file(in("zeros"), other, LEN);
    write_file(in("more-zeros"), other, LEN + 77);
    write_file(in("short"), "hello", 5);
    const char *const names[] = {"empty", "text", "zeros", "more-zeros",
                                 "short"};
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 5; k++)
            there_and_back(in(names[i]), in(names[k]));
    assert_true(there_and_back(in("text"), in("text")) < 150);
    assert_true(there_and_back(in("zeros"), in("more-zeros")) < 200);
    there_and_back(NULL, in("text"));
}

static void test_pieces_of_many_files(void **state)
{
    (void)state;
    const char *olds[] = {in("a"), in("b"), in("c")};
    const size_t n = make_text(text, LEN, 3);
    const size_t m = make_text(other, LEN, 4);
    write_file(in("a"), text, n);
    write_file(in("b"), other, m);
    write_file(in("c"), "nothing of use", 14);
    /* The end of b, then the middle of a. */
    memmove(text, text + 50000, 100000);
    memmove(other + m, text, 100000);
    write_file(in("new"), other + m / 2, m - m / 2 + 100000);
    og_delta_info info;
    assert_int_equal(
        og_delta_make(olds, 3, in("new"), in("d"), NULL, &info, NULL), OG_OK);
    assert_int_equal(info.n_old, 2);
    assert_int_equal(info.literal_len, 0);
    assert_true(info.delta_len < 300);
    /* By their checksums, in any order, also from a folder. */
    const char *place[] = {folder};
    assert_int_equal(
        og_delta_apply(place, 1, in("d"), in("out"), NULL, NULL, NULL), OG_OK);
    assert_same_file(in("out"), in("new"));
}

static void test_similar_files_of_a_folder(void **state)
{
    (void)state;
    char name[32];
    assert_int_equal(mkdir(in("many"), 0700), 0);
    for (unsigned i = 0; i < 40; i++) {
        const size_t n = make_text(text, 40000, 100 + i);
        snprintf(name, sizeof(name), "many/%u", i);
        write_file(in(name), text, n);
    }
    const size_t n = make_text(text, 40000, 117);
    text[20000] ^= 1;
    write_file(in("new"), text, n);
    const char *place[] = {in("many")};
    og_delta_info info;
    assert_int_equal(
        og_delta_make(place, 1, in("new"), in("d"), NULL, &info, NULL), OG_OK);
    assert_int_equal(info.n_old, 1);
    assert_true(info.delta_len < 300);
    assert_int_equal(
        og_delta_apply(place, 1, in("d"), in("out"), NULL, NULL, NULL), OG_OK);
    assert_same_file(in("out"), in("new"));
}

static void test_the_wrong_old_file_is_refused(void **state)
{
    (void)state;
    og_error err = {0};
    const size_t n = make_text(text, LEN, 6);
    write_file(in("old"), text, n);
    text[n / 2] ^= 1;
    write_file(in("new"), text, n);
    make(in("old"), in("new"));
    text[n / 3] ^= 1;
    write_file(in("wrong"), text, n);
    const char *olds[] = {in("wrong")};
    assert_int_equal(
        og_delta_apply(olds, 1, in("d"), in("out"), NULL, NULL, &err),
        OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "wrong"));
    assert_non_null(strstr(err.message, "the old file ("));
    assert_false(exists(in("out")));
    assert_int_equal(
        og_delta_apply(NULL, 0, in("d"), in("out"), NULL, NULL, &err),
        OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "was not given"));
}

/* Of several old files the one that is missing is named. */
static void test_a_missing_old_file_is_named(void **state)
{
    (void)state;
    og_error err = {0};
    const size_t n = make_text(text, LEN, 12), m = make_text(other, LEN, 13);
    write_file(in("first"), text, n);
    write_file(in("second"), other, m);
    memcpy(text + n, other, m);
    write_file(in("new"), text, n + m);
    const char *olds[] = {in("first"), in("second")};
    assert_int_equal(
        og_delta_make(olds, 2, in("new"), in("d"), NULL, NULL, &err), OG_OK);
    assert_int_equal(
        og_delta_apply(olds, 2, in("d"), in("out"), NULL, NULL, &err), OG_OK);
    assert_same_file(in("out"), in("new"));
    assert_int_equal(
        og_delta_apply(olds, 1, in("d"), in("out"), NULL, NULL, &err),
        OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "'second'"));
}

/* Written by origo 0.1.0 before version 3. */
static void test_version_2_is_read(void **state)
{
    (void)state;
    static const uint8_t delta[] = {
        0x6f, 0x44, 0x4c, 0x54, 0x02, 0x00, 0x00, 0x00, 0x19, 0x00, 0x00, 0x00,
        0x31, 0x9a, 0xdd, 0x9f, 0xbc, 0xe6, 0xc3, 0xc3, 0x9c, 0x59, 0x69, 0xfb,
        0xee, 0xa5, 0x77, 0x5d, 0x7a, 0xe8, 0x7e, 0x87, 0x80, 0x02, 0x80, 0x08,
        0x80, 0x20, 0x4e, 0x01, 0x07, 0x6f, 0x6c, 0x64, 0x2e, 0x74, 0x78, 0x74,
        0x4e, 0x0c, 0xf1, 0x98, 0xba, 0x40, 0xaa, 0x73, 0xa8, 0x03, 0x02, 0x4e,
        0x13, 0x00, 0x00, 0x00, 0x75, 0x00, 0x00, 0x28, 0x4e, 0x00, 0x63, 0x61,
        0x74, 0x02, 0x00, 0x80, 0x1c, 0xa7, 0x32, 0x60, 0x01, 0x00};
    static const char old[] = "the quick brown fox jumps over the lazy dog\n"
                              "and a second line of the old file\n";
    static const char new[] = "the quick brown fox jumps over the lazy cat\n"
                              "and a second line of the old file\n";
    og_error err = {0};
    write_file(in("old"), old, sizeof(old) - 1);
    write_file(in("new"), new, sizeof(new) - 1);
    write_file(in("d"), delta, sizeof(delta));
    const char *olds[] = {in("old")};
    og_delta_apply(olds, 1, in("d"), in("out"), NULL, NULL, &err);
    assert_string_equal(err.message, "");
    assert_same_file(in("out"), in("new"));
    assert_true(make(in("old"), in("new")) < 48);
    write_file(in("wrong"), new, sizeof(new) - 1);
    write_file(in("d"), delta, sizeof(delta));
    const char *wrong[] = {in("wrong")};
    assert_int_equal(
        og_delta_apply(wrong, 1, in("d"), in("out"), NULL, NULL, &err),
        OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "'old.txt'"));
}

/* Sizes that are not the usual ones are in the table. */
static void test_other_chunks(void **state)
{
    (void)state;
    og_error err = {0};
    og_delta_options options = og_delta_options_default();
    const size_t n = make_text(text, LEN, 14);
    write_file(in("old"), text, n);
    memset(text + n / 2, 'y', 100);
    write_file(in("new"), text, n);
    for (unsigned kind = 0; kind <= OG_CUT_WINNOW_FAST; kind++)
        for (uint32_t average = 512; average <= 2048; average *= 2) {
            options.cut = og_cut_options_default((og_cut_kind)kind, average);
            const char *olds[] = {in("old")};
            og_delta_make(olds, 1, in("new"), in("d"), &options, NULL, &err);
            og_delta_apply(olds, 1, in("d"), in("out"), NULL, NULL, &err);
            assert_string_equal(err.message, "");
            assert_same_file(in("out"), in("new"));
        }
}

/* Memory has a bound, however long the files are. */
static void test_long_files_have_long_chunks(void **state)
{
    (void)state;
    og_delta_options options = og_delta_options_default();
    assert_int_equal(og_delta_cut(&options, 0).average_len, 1024);
    assert_int_equal(og_delta_cut(&options, UINT64_C(1) << 30).average_len,
                     1024);
    for (uint64_t len = UINT64_C(3) << 29; len < UINT64_C(1) << 45; len *= 3) {
        const og_cut_options cut = og_delta_cut(&options, len);
        assert_int_equal(og_cut_options_check(&cut, NULL), OG_OK);
        assert_true(len / cut.average_len <= OG_DELTA_MOST_CHUNKS + 1);
        assert_true(len / cut.average_len >= OG_DELTA_MOST_CHUNKS / 2);
    }
    /* What the caller chooses stays. */
    options.cut = og_cut_options_default(OG_CUT_GEAR, 512);
    assert_int_equal(og_delta_cut(&options, UINT64_C(1) << 40).average_len,
                     512);
}

/* Every cut and many flips: refused or right, nothing half-written. */
static void test_a_damaged_delta_writes_nothing(void **state)
{
    (void)state;
    const char *olds[] = {in("old")};
    size_t len;
    const size_t n = make_text(text, 60000, 8);
    write_file(in("old"), text, n);
    memmove(text + 20000, text + 25000, n - 25000);
    write_file(in("new"), text, n - 5000);
    make(in("old"), in("new"));
    uint8_t *delta = read_file(in("d"), &len);
    for (size_t cut = 0; cut < len; cut++) {
        write_file(in("bad"), delta, cut);
        const char *old[] = {in("old")};
        assert_int_not_equal(
            og_delta_apply(old, 1, in("bad"), in("out"), NULL, NULL, NULL),
            OG_OK);
        assert_false(exists(in("out")));
    }
    for (size_t i = 0; i < len; i++) {
        delta[i] ^= (uint8_t)(1 << i % 8);
        write_file(in("bad"), delta, len);
        const char *old[] = {in("old")};
        og_error err = {0};
        if (og_delta_apply(old, 1, in("bad"), in("out"), NULL, NULL, &err) ==
            OG_OK) {
            assert_same_file(in("out"), in("new"));
            unlink(in("out"));
        } else {
            assert_false(exists(in("out")));
            assert_string_not_equal(err.message, "");
        }
        delta[i] ^= (uint8_t)(1 << i % 8);
    }
    (void)olds;
    free(delta);
}

static void test_a_window_on_a_file_that_shrinks(void **state)
{
    (void)state;
    struct og_file_window window;
    const uint8_t *p;
    size_t n = 10;
    og_error err = {0};
    memset(text, 'a', LEN);
    write_file(in("file"), text, LEN);
    FILE *f = fopen(in("file"), "r+");
    assert_int_equal(
        og_file_window_init(&window, fileno(f), "file", LEN, NULL, &err),
        OG_OK);
    assert_int_equal(og_file_window_at(&window, 5, &n, &p, &err), OG_OK);
    assert_int_equal(ftruncate(fileno(f), 1000), 0);
    assert_int_equal(og_file_window_at(&window, LEN - 10, &n, &p, &err),
                     OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "'file' became shorter"));
    og_file_window_release(&window);
    fclose(f);
}

#define CASE(name)                                                             \
    cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_edits_come_back),
        CASE(test_special_files_come_back),
        CASE(test_pieces_of_many_files),
        CASE(test_similar_files_of_a_folder),
        CASE(test_the_wrong_old_file_is_refused),
        CASE(test_a_missing_old_file_is_named),
        CASE(test_version_2_is_read),
        CASE(test_other_chunks),
        CASE(test_long_files_have_long_chunks),
        CASE(test_a_damaged_delta_writes_nothing),
        CASE(test_a_window_on_a_file_that_shrinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
