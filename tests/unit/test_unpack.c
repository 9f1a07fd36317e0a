#define _GNU_SOURCE
#include "tests/unit/source_folder.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>

#include "lib/base/bits.h"
#include "lib/source/unpack.h"

/* Text that packs neither to nothing nor not at all. */
static void make_text(struct string *out, size_t len)
{
    uint64_t random = 11;
    while (out->len < len)
        string_fp(out, "%llu words,\n",
                  (unsigned long long)(og_random_next(&random) % 10000));
    out->len = len;
}

/* All that comes out, in portions of `cap`; the status that ended it. */
static og_status unpack_all(const struct string *packed, size_t cap,
                            struct string *out, og_error *err)
{
    struct og_unpack unpack;
    char *const buffer = malloc(cap);
    size_t n = 0;
    const int fd = open(
        folder_write(&folder, "packed", packed->data, packed->len), O_RDONLY);
    assert_true(fd >= 0 && buffer != NULL);
    og_unpack_init(&unpack, NULL);
    og_status status = og_unpack_open(&unpack, fd, true, err);
    while (status == OG_OK &&
           (status = og_unpack_read(&unpack, buffer, cap, &n, err)) == OG_OK) {
        assert_true(n > 0 && n <= cap);
        string_add(out, buffer, n);
    }
    assert_true(unpack.n_read <= packed->len);
    if (status == OG_END) assert_int_equal(unpack.n_read, packed->len);
    og_unpack_release(&unpack);
    free(buffer);
    return status;
}

static void check_same(const struct string *packed, const struct string *text)
{
    static const size_t caps[] = {1, 7, 4096, 1 << 20};
    for (size_t i = 0; i < 4; i++) {
        struct string out = {0};
        og_error err;
        assert_int_equal(unpack_all(packed, caps[i], &out, &err), OG_END);
        assert_int_equal(out.len, text->len);
        if (text->len > 0) assert_memory_equal(out.data, text->data, text->len);
        string_release(&out);
    }
}

static void test_same_bytes(void **state)
{
    static const size_t lens[] = {0, 1, 2, 3, 4, 5, 1000, 300000};
    (void)state;
    for (size_t i = 0; i < sizeof(lens) / sizeof(*lens); i++) {
        struct string text = {0}, gzip = {0}, zstd = {0};
        string_add(&text, "", 0);
        make_text(&text, lens[i]);
        pack_gzip(&gzip, text.data, text.len);
        pack_zstd(&zstd, text.data, text.len, 0);
        check_same(&text, &text);
        check_same(&gzip, &text);
        check_same(&zstd, &text);
        string_release(&text);
        string_release(&gzip);
        string_release(&zstd);
    }
}

static void test_many_members(void **state)
{
    struct string text = {0}, gzip = {0}, zstd = {0};
    (void)state;
    make_text(&text, 200000);
    for (size_t at = 0, len = 0; at < text.len; at += len, len = len * 2 + 1) {
        const size_t n = at + len < text.len ? len : text.len - at;
        len = n; /* the first member is empty */
        pack_gzip(&gzip, text.data + at, n);
        pack_zstd(&zstd, text.data + at, n, 0);
    }
    check_same(&gzip, &text);
    check_same(&zstd, &text);
    /* gzip members on a tape: followed by zeros; zstd: a skippable frame. */
    string_add(&gzip, "\0\0\0\0\0\0\0\0", 8);
    string_add(&zstd, "\x53\x2a\x4d\x18\x05\0\0\0hello", 13);
    check_same(&gzip, &text);
    check_same(&zstd, &text);
    string_release(&text);
    string_release(&gzip);
    string_release(&zstd);
}

static void test_skippable_frame_first(void **state)
{
    struct string text = {0}, zstd = {0};
    (void)state;
    make_text(&text, 1000);
    string_add(&zstd, "\x50\x2a\x4d\x18\x04\0\0\0abcd", 12);
    pack_zstd(&zstd, text.data, text.len, 0);
    check_same(&zstd, &text);
    string_release(&text);
    string_release(&zstd);
}

static void test_windows(void **state)
{
    struct string text = {0}, zstd = {0}, out = {0};
    og_error err;
    (void)state;
    make_text(&text, 100000);
    pack_zstd(&zstd, text.data, text.len, OG_UNPACK_WINDOW_LOG);
    assert_int_equal(unpack_all(&zstd, 1 << 16, &out, &err), OG_END);
    assert_int_equal(out.len, text.len);
    string_release(&zstd);
    pack_zstd(&zstd, text.data, text.len, OG_UNPACK_WINDOW_LOG + 1);
    assert_int_equal(unpack_all(&zstd, 1 << 16, &out, &err), OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "window of more than 128 MiB"));
    string_release(&text);
    string_release(&zstd);
    string_release(&out);
}

/* Truncated anywhere: the output is the beginning, and the error is
 * reported. */
static void test_cut(void **state)
{
    struct string text = {0}, gzip = {0}, zstd = {0}, out = {0};
    char story[100];
    og_error err;
    (void)state;
    make_text(&text, 500000);
    pack_gzip(&gzip, text.data, text.len);
    pack_zstd(&zstd, text.data, text.len, 0);
    for (size_t tenth = 1; tenth < 10; tenth++) {
        const struct string cut_gzip = {gzip.data, gzip.len * tenth / 10, 0};
        const struct string cut_zstd = {zstd.data, zstd.len * tenth / 10, 0};
        snprintf(story, sizeof(story),
                 "gzip data is truncated, at packed byte %zu", cut_gzip.len);
        out.len = 0;
        assert_int_equal(unpack_all(&cut_gzip, 5000, &out, &err), OG_ERR_INPUT);
        assert_string_equal(err.message, story);
        assert_true(out.len > text.len * (tenth - 1) / 10);
        assert_memory_equal(out.data, text.data, out.len);
        snprintf(story, sizeof(story),
                 "zstd data is truncated, at packed byte %zu", cut_zstd.len);
        out.len = 0;
        assert_int_equal(unpack_all(&cut_zstd, 5000, &out, &err), OG_ERR_INPUT);
        assert_string_equal(err.message, story);
        /* All blocks of 128 KiB before the one that is cut. */
        assert_true(out.len + (200 << 10) > text.len * tenth / 10);
        if (out.len > 0) assert_memory_equal(out.data, text.data, out.len);
    }
    string_release(&text);
    string_release(&gzip);
    string_release(&zstd);
    string_release(&out);
}

static void test_broken(void **state)
{
    struct string text = {0}, packed = {0}, out = {0};
    og_error err;
    (void)state;
    make_text(&text, 500000);
    for (int is_zstd = 0; is_zstd < 2; is_zstd++) {
        packed.len = out.len = 0;
        if (is_zstd)
            pack_zstd(&packed, text.data, text.len, 0);
        else
            pack_gzip(&packed, text.data, text.len);
        for (size_t i = packed.len * 3 / 4; i < packed.len * 3 / 4 + 16; i++)
            packed.data[i] = (char)~packed.data[i];
        assert_int_equal(unpack_all(&packed, 1 << 20, &out, &err),
                         OG_ERR_INPUT);
        /* Good bytes cannot be told from bad ones in the broken block; the two
         * blocks before it are good. */
        assert_true(out.len >= 256 << 10);
        assert_memory_equal(out.data, text.data, 256 << 10);
        /* The amount kept does not depend on the read size. */
        struct string again = {0};
        assert_int_equal(unpack_all(&packed, 999, &again, &err), OG_ERR_INPUT);
        assert_int_equal(again.len, out.len);
        assert_memory_equal(again.data, out.data, out.len);
        string_release(&again);
    }
    string_release(&text);
    string_release(&packed);
    string_release(&out);
}

static void test_something_else_behind(void **state)
{
    struct string text = {0}, packed = {0}, out = {0};
    og_error err;
    (void)state;
    make_text(&text, 1000);
    pack_gzip(&packed, text.data, text.len);
    string_add(&packed, "text behind", 11);
    assert_int_equal(unpack_all(&packed, 300, &out, &err), OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "gzip data is followed by something"));
    assert_int_equal(out.len, text.len);
    packed.len = out.len = 0;
    pack_zstd(&packed, text.data, text.len, 0);
    string_add(&packed, "text behind", 11);
    assert_int_equal(unpack_all(&packed, 300, &out, &err), OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "zstd data is followed by something"));
    assert_int_equal(out.len, text.len);
    string_release(&text);
    string_release(&packed);
    string_release(&out);
}

static void *write_slowly(void *arg)
{
    const struct string *const packed = arg;
    const int fd = (int)packed->cap;
    for (size_t i = 0; i < packed->len; i++) {
        if (write(fd, packed->data + i, 1) != 1) break;
        if (i < 8) usleep(1000); /* so that the magic comes in pieces */
    }
    close(fd);
    return NULL;
}

static void test_pipe(void **state)
{
    struct string text = {0}, packed = {0}, out = {0};
    struct og_unpack unpack;
    char buffer[333];
    size_t n;
    int ends[2];
    og_error err;
    pthread_t thread;
    (void)state;
    make_text(&text, 3000);
    pack_zstd(&packed, text.data, text.len, 0);
    assert_int_equal(pipe(ends), 0);
    struct string slow = {packed.data, packed.len, (size_t)ends[1]};
    assert_int_equal(pthread_create(&thread, NULL, write_slowly, &slow), 0);
    og_unpack_init(&unpack, NULL);
    assert_int_equal(og_unpack_open(&unpack, ends[0], true, &err), OG_OK);
    assert_int_equal(unpack.kind, OG_UNPACK_ZSTD);
    while (og_unpack_read(&unpack, buffer, sizeof(buffer), &n, &err) == OG_OK)
        string_add(&out, buffer, n);
    pthread_join(thread, NULL);
    assert_int_equal(out.len, text.len);
    assert_memory_equal(out.data, text.data, text.len);
    og_unpack_release(&unpack);
    string_release(&text);
    string_release(&packed);
    string_release(&out);
}

static void test_read_error(void **state)
{
    struct og_unpack unpack;
    og_error err;
    (void)state;
    og_unpack_init(&unpack, NULL);
    const int fd = open(folder.path, O_RDONLY);
    assert_int_equal(og_unpack_open(&unpack, fd, true, &err), OG_ERR_IO);
    assert_string_equal(err.message, "cannot read: is a directory");
    og_unpack_release(&unpack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_many_members),
        cmocka_unit_test(test_skippable_frame_first),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_something_else_behind),
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_read_error),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
