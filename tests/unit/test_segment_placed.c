/* Segments that are written in any order: the same bytes as those that are
 * written front to back. */

#include "tests/unit/store_support.h"

#include "lib/base/bits.h"
#include "lib/disk/segment_placed.h"

static const struct og_segment_kind kind = {.name = "thing", .version = 2};

static const uint64_t lens[] = {0, 1, 63, 64, 65, 300000, 131072, 0};
enum { N = LENGTH(lens) };

static uint8_t bytes[N][300000];

static int set_up(void **state)
{
    for (size_t s = 0; s < N; s++)
        for (size_t i = 0; i < lens[s]; i++)
            bytes[s][i] = (uint8_t)og_mix64(s * 1000003 + i);
    return make_folder(state);
}

static void write_front_to_back(const char *path)
{
    struct og_segment_writer *w;
    struct og_segment_file file;
    ASSERT_OK(og_segment_writer_new(path, &kind, NULL, &w, &story));
    for (size_t s = 0; s < N; s++) {
        og_segment_write(w, bytes[s], lens[s]);
        og_segment_end_section(w);
    }
    ASSERT_OK(og_segment_writer_end(w, &file, &story));
    og_segment_file_release(&file);
}

/* Sections from the last to the first, each from its end. */
static void write_back_to_front(struct og_placed_segment *p)
{
    for (unsigned s = N; s-- > 0;) {
        for (uint64_t end = lens[s]; end > 0;) {
            const uint64_t n = end < 777 ? end : 777;
            end -= n;
            ASSERT_OK(
                og_placed_segment_write(p, s, end, bytes[s] + end, n, &story));
        }
        ASSERT_OK(og_placed_segment_seal(p, s, &story));
    }
}

static void check(const struct og_segment_file *file)
{
    assert_int_equal(file->n_sections, N);
    assert_int_equal(file->version, 2);
    for (unsigned s = 0; s < N; s++) {
        assert_int_equal(file->section[s].len, lens[s]);
        if (lens[s] > 0)
            assert_memory_equal(og_segment_section(file, s), bytes[s], lens[s]);
    }
}

static void a_file_is_the_same(void **state)
{
    (void)state;
    char plain[300], placed[300];
    struct og_placed_segment p;
    struct og_segment_file file, opened;
    size_t a_len, b_len;
    snprintf(plain, sizeof(plain), "%s", in("plain"));
    snprintf(placed, sizeof(placed), "%s", in("placed"));
    write_front_to_back(plain);
    ASSERT_OK(og_placed_segment_init(&p, placed, &kind, lens, N, NULL, &story));
    assert_null(og_placed_segment_data(&p, 1));
    write_back_to_front(&p);
    assert_int_equal(access(placed, F_OK), -1); /* not yet */
    ASSERT_OK(og_placed_segment_end(&p, &file, &story));
    check(&file);
    uint8_t *a = load(plain, &a_len), *b = load(placed, &b_len);
    assert_int_equal(a_len, b_len);
    assert_memory_equal(a, b, a_len);
    free(a);
    free(b);
    /* Its checksums are right, and it says which file it is. */
    ASSERT_OK(og_segment_file_open(&opened, placed, &kind, &story));
    assert_true(opened.sum == file.sum && file.sum != 0);
    og_segment_file_release(&opened);
    og_segment_file_release(&file);
}

static void memory_has_the_sections(void **state)
{
    (void)state;
    struct og_placed_segment p;
    struct og_segment_file file;
    ASSERT_OK(og_placed_segment_init(&p, NULL, &kind, lens, N, NULL, &story));
    write_back_to_front(&p);
    assert_memory_equal(og_placed_segment_data(&p, 5), bytes[5], lens[5]);
    ASSERT_OK(og_placed_segment_end(&p, &file, &story));
    check(&file);
    assert_false(file.is_mapped);
    og_segment_file_release(&file);
}

static void nothing_is_left_of_one_that_is_dropped(void **state)
{
    (void)state;
    struct og_placed_segment p;
    char path[300];
    snprintf(path, sizeof(path), "%s", in("dropped"));
    ASSERT_OK(og_placed_segment_init(&p, path, &kind, lens, N, NULL, &story));
    ASSERT_OK(og_placed_segment_write(&p, 5, 0, bytes[5], 1000, &story));
    og_placed_segment_drop(&p);
    assert_int_equal(access(path, F_OK), -1);
    ASSERT_OK(og_placed_segment_init(&p, NULL, &kind, lens, N, NULL, &story));
    og_placed_segment_drop(&p);
    assert_int_equal(
        og_placed_segment_init(&p, in("no/such"), &kind, lens, N, NULL, &story),
        OG_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_the_same),
        cmocka_unit_test(memory_has_the_sections),
        cmocka_unit_test(nothing_is_left_of_one_that_is_dropped),
    };
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
