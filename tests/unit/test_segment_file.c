/* A segment: what was written is read, in memory and from a file, and no byte
 * of it can change unseen. */

#include "tests/unit/source_support.h"

#include <unistd.h>

#include "lib/base/bits.h"
#include "lib/disk/segment_file.h"

static og_status open_old(struct og_segment_file *file, const char *name,
                          og_error *err)
{
    if (file->len < 3 || memcmp(file->data, "old", 3) != 0)
        return og_segment_file_damaged(name, "not even old", err);
    file->n_sections = 1;
    file->section[0].off = 3;
    file->section[0].len = file->len - 3;
    return OG_OK;
}

static const struct og_segment_kind kind = {.name = "thing", .version = 2};
static const struct og_segment_kind with_old = {
    .name = "thing", .version = 2, .open_old = open_old};

static struct folder folder;
static char path[300];

static int set_up(void **state)
{
    (void)state;
    folder_make(&folder);
    snprintf(path, sizeof(path), "%s/segment", folder.path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    folder_remove(&folder);
    return 0;
}

/* Lengths around those of lines and of the writer's buffer. */
static const size_t lens[] = {0, 1, 63, 64, 65, 70000, 65536, 3, 131072, 0};
enum { N = sizeof(lens) / sizeof(lens[0]) };

static uint8_t byte_of(size_t section, size_t i)
{
    return (uint8_t)(og_mix64(section * 1000003 + i / 8) >> 8 * (i % 8));
}

static void write_segment(const char *to, struct og_segment_file *out)
{
    struct og_segment_writer *w;
    assert_int_equal(og_segment_writer_new(to, &kind, NULL, &w, NULL), OG_OK);
    for (size_t s = 0; s < N; s++) {
        uint8_t piece[1000];
        for (size_t i = 0; i < lens[s];) {
            size_t n = 0;
            while (n < 1 + i % sizeof(piece) && i < lens[s])
                piece[n++] = byte_of(s, i++);
            og_segment_write(w, piece, n);
        }
        og_segment_end_section(w);
    }
    assert_int_equal(og_segment_writer_status(w, NULL), OG_OK);
    assert_int_equal(og_segment_writer_end(w, out, NULL), OG_OK);
}

static void check_segment(const struct og_segment_file *f)
{
    assert_int_equal(f->n_sections, N);
    assert_int_equal(f->version, 2);
    for (unsigned s = 0; s < N; s++) {
        const uint8_t *data = og_segment_section(f, s);
        assert_int_equal(f->section[s].len, lens[s]);
        assert_int_equal(f->section[s].off % 64, 0);
        for (size_t i = 0; i < lens[s]; i++)
            assert_int_equal(data[i], byte_of(s, i));
    }
}

static void a_file_is_memory(void **state)
{
    struct og_segment_file in_memory, on_disk;
    (void)state;
    write_segment(NULL, &in_memory);
    write_segment(path, &on_disk);
    check_segment(&in_memory);
    check_segment(&on_disk);
    assert_int_equal(in_memory.len, on_disk.len);
    assert_memory_equal(in_memory.data, on_disk.data, on_disk.len);
    assert_true(in_memory.sum == on_disk.sum);
    og_segment_file_release(&on_disk);
    assert_int_equal(og_segment_file_open(&on_disk, path, &kind, NULL), OG_OK);
    check_segment(&on_disk);
    og_segment_file_release(&on_disk);
    og_segment_file_release(&in_memory);
    og_segment_file_release(&in_memory); /* nothing any more */
}

static og_status look(const uint8_t *data, size_t len,
                      const struct og_segment_kind *as, og_error *err)
{
    struct og_segment_file f;
    uint8_t *copy = og_allocate(NULL, len + 1);
    if (len > 0) memcpy(copy, data, len);
    const og_status status =
        og_segment_file_take(&f, copy, len, len + 1, NULL, as, "x", err);
    if (status == OG_OK)
        og_segment_file_release(&f);
    else
        og_release(NULL, copy, len + 1);
    return status;
}

static void every_byte_counts(void **state)
{
    struct og_segment_writer *w;
    struct og_segment_file f;
    og_error err;
    uint8_t data[4096];
    (void)state;
    assert_int_equal(og_segment_writer_new(NULL, &kind, NULL, &w, NULL), OG_OK);
    og_segment_write(w, "abc", 3);
    og_segment_end_section(w);
    og_segment_end_section(w); /* an empty one */
    og_segment_write_u32(w, 7);
    og_segment_write_u64(w, 8);
    og_segment_end_section(w);
    assert_int_equal(og_segment_writer_end(w, &f, NULL), OG_OK);
    const size_t len = f.len;
    assert_true(len == 64 + 64 + 0 + 64 + 128 + 64);
    memcpy(data, f.data, len);
    og_segment_file_release(&f);
    assert_int_equal(look(data, len, &kind, &err), OG_OK);
    for (size_t i = 0; i < len; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            data[i] ^= (uint8_t)(1 << bit);
            assert_int_equal(look(data, len, &kind, &err), OG_ERR_STORE);
            assert_non_null(strstr(err.message, "'x'"));
            data[i] ^= (uint8_t)(1 << bit);
        }
        assert_int_equal(look(data, i, &kind, &err), OG_ERR_STORE);
    }
}

static void another_kind_or_version(void **state)
{
    const struct og_segment_kind other = {.name = "other", .version = 2};
    const struct og_segment_kind earlier = {.name = "thing", .version = 1};
    struct og_segment_file f;
    og_error err;
    (void)state;
    write_segment(NULL, &f);
    assert_int_equal(look(f.data, f.len, &other, &err), OG_ERR_STORE);
    assert_string_equal(err.message,
                        "'x' is a segment of kind 'thing', not 'other'");
    assert_int_equal(look(f.data, f.len, &earlier, &err), OG_ERR_STORE);
    assert_string_equal(err.message,
                        "'x' has version 2, this origo reads versions up to 1");
    assert_int_equal(look(f.data, f.len, &with_old, &err), OG_OK);
    og_segment_file_release(&f);
}

static void files_of_the_layout_before(void **state)
{
    og_error err;
    (void)state;
    assert_int_equal(look((const uint8_t *)"old one", 7, &kind, &err),
                     OG_ERR_STORE);
    assert_int_equal(look((const uint8_t *)"old one", 7, &with_old, &err),
                     OG_OK);
    assert_int_equal(look((const uint8_t *)"new one", 7, &with_old, &err),
                     OG_ERR_STORE);
    assert_non_null(strstr(err.message, "not even old"));
}

/* Numbers of every form, more of them than the buffer of the writer holds. The
 * file has them low byte first; opening it restores them. */
static void numbers_are_little_endian_in_the_file(void **state)
{
    static const struct og_segment_kind numbers = {
        .name = "numbers", .version = 1, .numbers = {"844", "4", "448+"}};
    enum { ROUNDS = 9000 };
    struct og_segment_writer *w;
    struct og_segment_file f;
    (void)state;
    assert_int_equal(og_segment_writer_new(path, &numbers, NULL, &w, NULL),
                     OG_OK);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        og_segment_write_u64(w, og_mix64(i));
        og_segment_write_u32(w, i);
        og_segment_write_u32(w, ~i);
    }
    og_segment_end_section(w);
    for (uint32_t i = 0; i < ROUNDS; i++)
        og_segment_write_u32(w, i);
    og_segment_end_section(w);
    og_segment_write_u32(w, 1);
    og_segment_write_u32(w, 2);
    for (uint64_t i = 0; i < ROUNDS; i++)
        og_segment_write_u64(w, og_mix64(i));
    og_segment_end_section(w);
    assert_int_equal(og_segment_writer_end(w, &f, NULL), OG_OK);

    uint8_t *const bytes = og_allocate(NULL, f.len);
    FILE *const in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fread(bytes, 1, f.len, in), f.len);
    fclose(in);
    const uint64_t *wide = og_segment_section(&f, 0);
    const uint32_t *narrow = og_segment_section(&f, 1);
    const uint32_t *mixed = og_segment_section(&f, 2);
    assert_int_equal(mixed[0], 1);
    assert_int_equal(mixed[1], 2);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const uint8_t *const record = bytes + f.section[0].off + 16 * i;
        assert_true(og_load64(record) == og_mix64(i));
        assert_true(og_load32(record + 8) == i);
        assert_true(og_load32(record + 12) == ~i);
        assert_true(wide[2 * i] == og_mix64(i));
        assert_true(narrow[i] == i);
        assert_true(og_load32(bytes + f.section[1].off + 4 * i) == i);
        assert_true(og_load64(bytes + f.section[2].off + 8 + 8 * i) ==
                    og_mix64(i));
    }
    og_release(NULL, bytes, f.len);
    og_segment_file_release(&f);
}

static void bytes_are_turned_as_they_are_described(void **state)
{
    uint8_t data[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    static const uint8_t turned[] = {4,  3,  2,  1,  8,  7,  6,  5,
                                     16, 15, 14, 13, 12, 11, 10, 9};
    static const char cycle[] = "448", tail[] = "48+";
    (void)state;
    assert_ptr_equal(og_segment_turn(cycle, cycle, data, sizeof(data)), cycle);
    assert_memory_equal(data, turned, sizeof(data));
    assert_ptr_equal(og_segment_turn(cycle, cycle, data, 4), cycle + 1);
    assert_ptr_equal(og_segment_turn(cycle, cycle + 1, data + 4, 12), cycle);
    assert_int_equal(data[15], 16);
    assert_ptr_equal(og_segment_turn(tail, tail + 1, data, 16), tail + 1);
    assert_int_equal(data[0], 8);
    assert_int_equal(data[8], 16);
}

static void a_writer_that_is_dropped_leaves_nothing(void **state)
{
    struct og_segment_writer *w;
    struct og_segment_file f;
    og_error err;
    (void)state;
    assert_int_equal(og_segment_writer_new(path, &kind, NULL, &w, NULL), OG_OK);
    og_segment_write(w, "abc", 3);
    og_segment_writer_drop(w);
    og_segment_writer_drop(NULL);
    assert_int_equal(og_segment_file_open(&f, path, &kind, &err), OG_ERR_IO);
    assert_int_equal(
        og_segment_writer_new("no-such-folder/x", &kind, NULL, &w, &err),
        OG_ERR_IO);
    assert_null(w);
}

#define ON_DISK(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_DISK(a_file_is_memory),
        cmocka_unit_test(every_byte_counts),
        cmocka_unit_test(another_kind_or_version),
        cmocka_unit_test(files_of_the_layout_before),
        ON_DISK(numbers_are_little_endian_in_the_file),
        cmocka_unit_test(bytes_are_turned_as_they_are_described),
        ON_DISK(a_writer_that_is_dropped_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
