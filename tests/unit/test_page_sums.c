/* The sums of the catalogue's pages: a page that changed is found before LMDB
 * sees it. */

#include "tests/unit/documents_support.h"

#include <stdio.h>

#define DATA "catalogue/data.mdb"

static og_status check(bool closed, enum og_sums *out, og_error *err)
{
    return og_documents_check(in("catalogue"), closed, 0, NULL, out, err);
}

static void make_catalogue(uint32_t n)
{
    struct og_documents *db = open_documents(true);
    write_documents(db, 0, n);
    close_documents(db);
}

static void equal_after_a_close(void **state)
{
    (void)state;
    enum og_sums sums;
    ASSERT_OK(check(false, &sums, &story)); /* nothing there */
    assert_int_equal(sums, OG_SUMS_NONE);
    make_catalogue(3000);
    for (int closed = 0; closed <= 1; closed++) {
        ASSERT_OK(check(closed == 1, &sums, &story));
        assert_int_equal(sums, OG_SUMS_EQUAL);
    }
    struct og_documents *db = open_documents(true);
    close_documents(db); /* nothing written: they still hold */
    ASSERT_OK(check(true, &sums, &story));
    assert_int_equal(sums, OG_SUMS_EQUAL);
    db = open_documents(false);
    ASSERT_OK(check(true, &sums, &story)); /* also beside a reader */
    assert_int_equal(sums, OG_SUMS_EQUAL);
    close_documents(db);
    ASSERT_OK(og_documents_check(in("catalogue"), true, 4096, NULL, &sums,
                                 &story)); /* too long to read now */
    assert_int_equal(sums, OG_SUMS_HEADS);
}

/* While a writer is active there are none, and after an unclean close it is no
 * fault that there are none. */
static void none_while_it_is_written(void **state)
{
    (void)state;
    enum og_sums sums;
    og_error err;
    make_catalogue(10);
    assert_true(exists(in("catalogue.sum")));
    struct og_documents *db = open_documents(true);
    write_documents(db, 10, 10);
    assert_false(exists(in("catalogue.sum")));
    ASSERT_OK(check(false, &sums, &story));
    assert_int_equal(sums, OG_SUMS_NONE);
    assert_int_equal(check(true, &sums, &err), OG_ERR_STORE);
    assert_non_null(strstr(err.message, "catalogue.sum': missing"));
    close_documents(db);
    ASSERT_OK(check(true, &sums, &story));
}

static void old_sums_are_seen_as_such(void **state)
{
    (void)state;
    enum og_sums sums;
    og_error err;
    size_t len;
    make_catalogue(10);
    uint8_t *old = read_file(in("catalogue.sum"), &len);
    struct og_documents *db = open_documents(true);
    write_documents(db, 10, 10);
    close_documents(db);
    write_file(in("catalogue.sum"), old, len);
    free(old);
    ASSERT_OK(check(false, &sums, &story));
    assert_int_equal(sums, OG_SUMS_OLD);
    assert_int_equal(check(true, &sums, &err), OG_ERR_STORE);
}

static void every_changed_page_is_found(void **state)
{
    (void)state;
    enum og_sums sums;
    og_error err;
    char place[64];
    size_t len;
    uint64_t seed = 1;
    make_catalogue(2000);
    uint8_t *bytes = read_file(in(DATA), &len);
    for (size_t page = 0; page < len / 4096; page++) {
        for (int i = 0; i < 3; i++) {
            const size_t at =
                page * 4096 + (size_t)(og_random_next(&seed) % 4096);
            bytes[at] ^= (uint8_t)(1u << i);
            write_file(in(DATA), bytes, len);
            assert_int_equal(check(true, &sums, &err), OG_ERR_STORE);
            snprintf(place, sizeof(place), "data.mdb', byte %zu:", page * 4096);
            assert_non_null(strstr(err.message, place));
            bytes[at] ^= (uint8_t)(1u << i);
        }
    }
    /* Every byte of the heads that say which transaction it is. */
    for (size_t at = 0; at < 8192; at += at % 4096 < 160 ? 1 : 97) {
        bytes[at] ^= 1;
        write_file(in(DATA), bytes, len);
        assert_int_equal(check(true, &sums, &err), OG_ERR_STORE);
        bytes[at] ^= 1;
    }
    for (size_t cut = 0; cut < len; cut += 5000) {
        write_file(in(DATA), bytes, cut);
        assert_int_equal(check(true, &sums, &err), OG_ERR_STORE);
    }
    write_file(in(DATA), bytes, len);
    ASSERT_OK(check(true, &sums, &story));
    free(bytes);
}

static void every_change_of_the_sums_is_found(void **state)
{
    (void)state;
    enum og_sums sums;
    og_error err;
    size_t len;
    make_catalogue(10);
    uint8_t *bytes = read_file(in("catalogue.sum"), &len);
    for (size_t i = 0; i < len; i++) {
        bytes[i] ^= (uint8_t)(1u << i % 8);
        write_file(in("catalogue.sum"), bytes, len);
        assert_int_equal(check(false, &sums, &err), OG_ERR_STORE);
        bytes[i] ^= (uint8_t)(1u << i % 8);
    }
    for (size_t cut = 0; cut < len; cut++) {
        write_file(in("catalogue.sum"), bytes, cut);
        assert_int_equal(check(false, &sums, &err), OG_ERR_STORE);
    }
    free(bytes);
}

/* A store whose documents all wait in the journal is closed in order, too. */
static void a_catalogue_nobody_wrote_to_has_sums(void **state)
{
    (void)state;
    enum og_sums sums;
    close_documents(open_documents(true));
    assert_true(exists(in("catalogue.sum")));
    ASSERT_OK(check(true, &sums, &story));
    assert_int_equal(sums, OG_SUMS_EQUAL);
}

/* Missing sums mean that a writer is active, or was killed: pages read from
 * half a transaction must not be called valid. */
static void a_reader_writes_no_sums(void **state)
{
    (void)state;
    close_documents(open_documents(true));
    assert_int_equal(remove(in("catalogue.sum")), 0);
    close_documents(open_documents(false));
    assert_false(exists(in("catalogue.sum")));
}

#define TEST(f) cmocka_unit_test_setup(f, fresh_catalogue)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(equal_after_a_close),
        TEST(a_catalogue_nobody_wrote_to_has_sums),
        TEST(a_reader_writes_no_sums),
        TEST(none_while_it_is_written),
        TEST(old_sums_are_seen_as_such),
        TEST(every_changed_page_is_found),
        TEST(every_change_of_the_sums_is_found),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
