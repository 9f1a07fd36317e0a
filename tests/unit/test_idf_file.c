/* A file of document frequencies: what was saved is read, and every byte of it
 * is checked. */

#include "tests/unit/store_support.h"

#include "lib/sketch/features/idf_file.h"

enum { N = 100 };

static struct og_idf_entry entries[N];
static const struct og_idf_head head = {.n_documents = 1000,
                                        .n_features = N,
                                        .max_error = 3,
                                        .words = "words of 2"};

static void fill(void)
{
    for (uint32_t i = 0; i < N; i++)
        entries[i] = (struct og_idf_entry){UINT64_C(0x0280000000000000) * i + i,
                                           i + 1, i % 4};
}

static void check_answers(const og_idf *idf)
{
    uint64_t least, most;
    for (uint32_t i = 0; i < N; i++) {
        og_idf_find(idf, entries[i].hash, &least, &most);
        assert_int_equal(least, i + 1);
        assert_int_equal(most, i + 1 + i % 4);
        og_idf_find(idf, entries[i].hash + 1, &least, &most);
        assert_int_equal(least, 0);
        assert_int_equal(most, 3);
    }
    assert_string_equal(og_idf_words(idf), "words of 2");
}

static void what_was_saved_is_read(void **state)
{
    og_idf *idf;
    og_idf_info info;
    (void)state;
    fill();
    ASSERT_OK(og_idf_save(in("f"), &head, entries, &story));
    ASSERT_OK(og_idf_open(in("f"), &idf, &story));
    check_answers(idf);
    og_idf_info_get(idf, &info);
    assert_int_equal(info.n_documents, 1000);
    assert_int_equal(info.n_features, N);
    assert_int_equal(info.max_error, 3);
    assert_true(og_idf_check(idf) != 0);
    /* log2(1001 / 1), and of a feature that is everywhere. */
    assert_true(og_idf_weight(idf, entries[0].hash) > 9.96);
    assert_true(og_idf_weight(idf, entries[0].hash) < 9.97);
    og_idf_close(idf);
    ASSERT_OK(og_idf_from_entries(&head, entries, &idf, &story));
    check_answers(idf);
    assert_int_equal(og_idf_check(idf), 0);
    og_idf_close(idf);
}

static void an_empty_file(void **state)
{
    const struct og_idf_head nothing = {.n_documents = 0};
    og_idf *idf;
    uint64_t least, most;
    (void)state;
    ASSERT_OK(og_idf_save(in("empty"), &nothing, NULL, &story));
    ASSERT_OK(og_idf_open(in("empty"), &idf, &story));
    og_idf_find(idf, UINT64_MAX, &least, &most);
    assert_int_equal(most, 0);
    assert_true(og_idf_weight(idf, 5) == 1);
    og_idf_close(idf);
}

static void every_damage_is_refused(void **state)
{
    size_t len;
    og_idf *idf;
    (void)state;
    fill();
    ASSERT_OK(og_idf_save(in("f"), &head, entries, &story));
    uint8_t *data = load(in("f"), &len);
    for (size_t i = 0; i < len; i++) {
        data[i] ^= 1 << i % 8;
        assert_int_equal(
            og_idf_read((og_bytes){(char *)data, len}, "f", &idf, &story),
            OG_ERR_INPUT);
        assert_non_null(strstr(story.message, "'f'"));
        data[i] ^= 1 << i % 8;
    }
    for (size_t n = 0; n < len; n++)
        assert_int_equal(
            og_idf_read((og_bytes){(char *)data, n}, "f", &idf, &story),
            OG_ERR_INPUT);
    free(data);
}

/* Entries out of order are refused although every sum is right. */
static void entries_must_rise(void **state)
{
    og_idf *idf;
    (void)state;
    fill();
    entries[50].hash = entries[49].hash;
    ASSERT_OK(og_idf_save(in("f"), &head, entries, &story));
    assert_int_equal(og_idf_open(in("f"), &idf, &story), OG_ERR_INPUT);
    assert_non_null(strstr(story.message, "not in order"));
    fill();
    entries[7].error = 4;
    ASSERT_OK(og_idf_save(in("f"), &head, entries, &story));
    assert_int_equal(og_idf_open(in("f"), &idf, &story), OG_ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_saved_is_read),
        cmocka_unit_test(an_empty_file),
        cmocka_unit_test(every_damage_is_refused),
        cmocka_unit_test(entries_must_rise),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
