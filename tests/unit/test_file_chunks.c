/* Windows on files: every place of a file, forwards and backwards, and a file
 * that becomes shorter. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "lib/chunk/file_chunks.h"

enum { LEN = 2 * OG_WINDOW_LEN + 12345 };

static uint8_t byte_at(uint64_t off)
{
    return (uint8_t)(og_mix64(off / 7) + off);
}

static int new_file(size_t len)
{
    char path[] = "/tmp/origo-window-XXXXXX";
    uint8_t *data = malloc(len + 1);
    const int fd = mkstemp(path);
    assert_non_null(data);
    assert_true(fd >= 0);
    unlink(path);
    for (size_t i = 0; i < len; i++)
        data[i] = byte_at(i);
    assert_int_equal(write(fd, data, len), len);
    free(data);
    return fd;
}

static void check_bytes(const uint8_t *data, uint64_t off, size_t len)
{
    for (size_t i = 0; i < len; i++)
        assert_int_equal(data[i], byte_at(off + i));
}

static const uint64_t places[] = {
    0,       1,       100,      OG_WINDOW_LEN - 1, OG_WINDOW_LEN,
    LEN - 1, LEN / 2, LEN - 50, 2 * OG_WINDOW_LEN, 3};
enum { N_PLACES = sizeof(places) / sizeof(places[0]) };

static void test_forwards(void **state)
{
    (void)state;
    struct og_file_window w;
    const int fd = new_file(LEN);
    assert_int_equal(og_file_window_init(&w, fd, "x", LEN, NULL, NULL), OG_OK);
    for (size_t i = 0; i < N_PLACES; i++) {
        const uint8_t *data;
        size_t len = 100;
        assert_int_equal(og_file_window_at(&w, places[i], &len, &data, NULL),
                         OG_OK);
        assert_true(len >= 1 && len <= 100);
        assert_true(places[i] + len <= LEN);
        check_bytes(data, places[i], len);
    }
    og_file_window_release(&w);
    og_file_window_release(&w);
    close(fd);
}

static void test_backwards(void **state)
{
    (void)state;
    struct og_file_window w;
    const int fd = new_file(LEN);
    assert_int_equal(og_file_window_init(&w, fd, "x", LEN, NULL, NULL), OG_OK);
    for (size_t i = 0; i < N_PLACES; i++) {
        const uint64_t off = places[i] + 1; /* LEN is allowed here */
        const uint8_t *data;
        size_t len = 100;
        assert_int_equal(og_file_window_before(&w, off, &len, &data, NULL),
                         OG_OK);
        assert_true(len >= 1 && len <= 100 && len <= off);
        check_bytes(data, off - len, len);
    }
    og_file_window_release(&w);
    close(fd);
}

/* More than a window at once, from a place in the middle. */
static void test_copying(void **state)
{
    (void)state;
    struct og_file_window w;
    const int fd = new_file(LEN);
    uint8_t *out = malloc(LEN);
    assert_non_null(out);
    assert_int_equal(og_file_window_init(&w, fd, "x", LEN, NULL, NULL), OG_OK);
    assert_int_equal(og_file_window_read(&w, 777, LEN - 777, out, NULL), OG_OK);
    check_bytes(out, 777, LEN - 777);
    assert_int_equal(og_file_window_read(&w, LEN, 0, out, NULL), OG_OK);
    og_file_window_release(&w);
    free(out);
    close(fd);
}

static void test_a_shorter_file(void **state)
{
    (void)state;
    struct og_file_window w;
    og_error err;
    uint8_t out[64];
    const int fd = new_file(1000);
    assert_int_equal(og_file_window_init(&w, fd, "short.bin", 2000, NULL, NULL),
                     OG_OK);
    assert_int_equal(og_file_window_read(&w, 10, 64, out, &err), OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "'short.bin' became shorter"));
    assert_non_null(strstr(err.message, "1000 of 2000 bytes"));
    og_file_window_release(&w);
    close(fd);
}

/* A failed read has overwritten the window: its former content must not be
 * taken for bytes of the file. */
static void test_a_failed_read_empties_the_window(void **state)
{
    (void)state;
    struct og_file_window w;
    uint8_t out[64];
    const int fd = new_file(LEN);
    assert_int_equal(og_file_window_init(&w, fd, "x", LEN, NULL, NULL), OG_OK);
    assert_int_equal(og_file_window_read(&w, 0, 64, out, NULL), OG_OK);
    assert_int_equal(ftruncate(fd, OG_WINDOW_LEN + 100), 0);
    assert_int_equal(og_file_window_read(&w, OG_WINDOW_LEN, 64, out, NULL),
                     OG_ERR_INPUT);
    assert_int_equal(og_file_window_read(&w, 0, 64, out, NULL), OG_OK);
    check_bytes(out, 0, 64);
    og_file_window_release(&w);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forwards),
        cmocka_unit_test(test_backwards),
        cmocka_unit_test(test_copying),
        cmocka_unit_test(test_a_shorter_file),
        cmocka_unit_test(test_a_failed_read_empties_the_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
