/* A table comes back as it was, page by page, and no page that went bad is
 * taken for one. */

#include "tests/unit/store_support.h"

#include "lib/os/new_file.h"
#include "lib/store/table/checkpoint.h"

enum { TABLE_LEN = 3 * 4096 + 100, N_DOCUMENTS = 200 };

static uint8_t table[TABLE_LEN];
static struct og_mark marks[N_DOCUMENTS];

static const struct og_mark *mark_of(const void *ctx, uint32_t number)
{
    (void)ctx;
    return &marks[number];
}

static void write_one(void)
{
    struct og_new_file file;
    const struct og_checkpoint_parts parts = {
        .sequence = 77,
        .table = table,
        .table_len = TABLE_LEN,
        .n_documents = N_DOCUMENTS,
        .mark = mark_of,
        .state = {"the state", 9},
    };
    for (size_t i = 0; i < TABLE_LEN; i++)
        table[i] = (uint8_t)(i * i / 7);
    for (uint32_t i = 0; i < N_DOCUMENTS; i++)
        marks[i] = (struct og_mark){.time = i - 50, .n_new = i};
    ASSERT_OK(og_checkpoint_write(folder, uuid, &parts, NULL, &file, &story));
    ASSERT_OK(og_new_file_commit(&file, &story));
}

static og_status open_one(struct og_checkpoint *c, og_error *err)
{
    return og_checkpoint_open(c, folder, uuid, TABLE_LEN, NULL, err);
}

static void test_comes_back(void **state)
{
    struct og_checkpoint c;
    (void)state;
    assert_int_equal(open_one(&c, &story), OG_END);
    write_one();
    ASSERT_OK(open_one(&c, &story));
    assert_int_equal(c.sequence, 77);
    assert_int_equal(c.n_documents, N_DOCUMENTS);
    assert_memory_equal(c.marks, marks, sizeof(marks));
    assert_int_equal(c.state.len, 9);
    assert_memory_equal(c.state.data, "the state", 9);
    assert_false(og_checkpoint_all_known(&c));
    ASSERT_OK(og_checkpoint_know(&c, 0, TABLE_LEN, &story));
    assert_true(og_checkpoint_all_known(&c));
    assert_memory_equal(c.table, table, TABLE_LEN);
    og_checkpoint_close(&c);
}

/* It may be written to, and the file does not change. */
static void test_the_map_is_private(void **state)
{
    struct og_checkpoint c;
    (void)state;
    write_one();
    ASSERT_OK(open_one(&c, &story));
    ASSERT_OK(og_checkpoint_know(&c, 0, TABLE_LEN, &story));
    memset(c.table, 1, TABLE_LEN);
    ASSERT_OK(og_checkpoint_know(&c, 0, TABLE_LEN, &story)); /* not again */
    og_checkpoint_close(&c);
    ASSERT_OK(open_one(&c, &story));
    ASSERT_OK(og_checkpoint_know(&c, 0, TABLE_LEN, &story));
    og_checkpoint_close(&c);
}

static og_status open_and_know(og_error *err)
{
    struct og_checkpoint c;
    TRY(open_one(&c, err));
    const og_status status = og_checkpoint_know(&c, 0, TABLE_LEN, err);
    og_checkpoint_close(&c);
    return status;
}

static void test_every_byte_is_guarded(void **state)
{
    struct stat st;
    (void)state;
    write_one();
    assert_int_equal(stat(in("passages.tab"), &st), 0);
    for (long i = 0; i < st.st_size; i += i < 200 ? 1 : 13) {
        og_error err = {0};
        flip(in("passages.tab"), i, 1 << i % 8);
        assert_int_equal(open_and_know(&err), OG_ERR_STORE);
        assert_non_null(strstr(err.message, "passages.tab"));
        flip(in("passages.tab"), i, 1 << i % 8);
    }
    ASSERT_OK(open_and_know(&story));
    for (long len = st.st_size - 1; len >= 0; len -= 509) {
        assert_int_equal(truncate(in("passages.tab"), len), 0);
        assert_int_equal(open_and_know(&story), OG_ERR_STORE);
    }
}

/* Only the pages that are asked for are read. */
static void test_a_bad_page_is_found_when_it_is_needed(void **state)
{
    struct og_checkpoint c;
    (void)state;
    write_one();
    flip(in("passages.tab"), 4096 + 2 * 4096 + 5, 1);
    ASSERT_OK(open_one(&c, &story));
    ASSERT_OK(og_checkpoint_know(&c, 0, 2 * 4096, &story));
    ASSERT_OK(og_checkpoint_know(&c, 3 * 4096, TABLE_LEN, &story));
    assert_int_equal(og_checkpoint_know(&c, 2 * 4096, 2 * 4096 + 1, &story),
                     OG_ERR_STORE);
    og_checkpoint_close(&c);
}

static void test_another_store_or_size(void **state)
{
    struct og_checkpoint c;
    const uint8_t other[16] = {9};
    (void)state;
    write_one();
    assert_int_equal(
        og_checkpoint_open(&c, folder, other, TABLE_LEN, NULL, &story),
        OG_ERR_STORE);
    assert_int_equal(
        og_checkpoint_open(&c, folder, uuid, TABLE_LEN + 1, NULL, &story),
        OG_ERR_STORE);
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_comes_back),
        TEST(test_the_map_is_private),
        TEST(test_every_byte_is_guarded),
        TEST(test_a_bad_page_is_found_when_it_is_needed),
        TEST(test_another_store_or_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
