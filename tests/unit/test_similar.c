/* The index of similar files: answers, their exact values, and its bytes. */

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/similar/similar.h"

enum { N_CHUNKS = 50, N_FILES = 200 };

static const struct og_file_sketch_options book =
    OG_FILE_SKETCH_OPTIONS_DEFAULT;
static uint64_t keys[N_CHUNKS];
static uint32_t lens[N_CHUNKS];

/* File i of a family shares its first 50 - i chunks with the family's first. */
static struct og_file_chunks chunks_of(unsigned family, unsigned i)
{
    struct og_file_chunks c = {.keys = keys, .lens = lens, .n = N_CHUNKS};
    for (unsigned k = 0; k < N_CHUNKS; k++) {
        const unsigned version = k < N_CHUNKS - i ? 0 : i;
        keys[k] = og_mix64(((uint64_t)family << 32) + (version << 16) + k + 1);
        lens[k] = 1000 + k;
        c.file_len += lens[k];
    }
    memset(c.hash, (int)(family * 31 + i), OG_HASH_LEN);
    return c;
}

static struct og_similar *make_index(void)
{
    const og_cut_options cut = og_cut_options_default(OG_CUT_GEAR, 1024);
    struct og_similar *index = NULL;
    char name[32];
    assert_int_equal(og_similar_new(&book, &cut, NULL, &index, NULL), OG_OK);
    for (unsigned i = 0; i < N_FILES; i++) {
        const struct og_file_chunks c = chunks_of(i / 4, i % 4 * 5);
        snprintf(name, sizeof(name), "f%u-%u", i / 4, i % 4);
        assert_int_equal(og_similar_add(index, name, &c, NULL), OG_OK);
    }
    return index;
}

static void check_family(struct og_similar *index)
{
    const struct og_similar_options options = OG_SIMILAR_OPTIONS_DEFAULT;
    struct og_similar_answer answer;
    og_similar_answer_init(&answer, NULL);
    for (unsigned family = 0; family < N_FILES / 4; family++) {
        const struct og_file_chunks c = chunks_of(family, 0);
        assert_int_equal(og_similar_ask(index, &c, &options, &answer, NULL),
                         OG_OK);
        assert_true(answer.n >= 2);
        for (size_t i = 0; i < answer.n; i++) {
            /* 45 of 55, 40 of 60, 35 of 65 distinct chunks. */
            const struct og_similar_match *m = &answer.matches[i];
            const unsigned changed = m->file % 4 * 5;
            const double exact = (50.0 - changed) / (50.0 + changed);
            assert_int_equal(m->file / 4, family);
            assert_true(m->jaccard > exact - 1e-9 && m->jaccard < exact + 1e-9);
            assert_int_equal(m->n_shared_chunks, 50 - changed);
        }
        assert_int_equal(answer.matches[0].file, family * 4);
        assert_int_equal(answer.matches[0].n_matches, 12);
        assert_int_equal(answer.matches[0].shared_len, c.file_len);
    }
    og_similar_answer_release(&answer);
}

static void test_families_are_found(void **state)
{
    (void)state;
    struct og_similar *index = make_index();
    check_family(index);
    og_similar_free(index);
}

static void test_a_name_again_takes_the_new_chunks(void **state)
{
    (void)state;
    struct og_similar *index = make_index();
    const struct og_similar_options options = OG_SIMILAR_OPTIONS_DEFAULT;
    struct og_similar_answer answer;
    og_similar_answer_init(&answer, NULL);
    struct og_file_chunks c = chunks_of(900, 0);
    assert_int_equal(og_similar_add(index, "f0-0", &c, NULL), OG_OK);
    assert_int_equal(og_similar_find(index, "f0-0"), N_FILES);
    assert_int_equal(og_similar_ask(index, &c, &options, &answer, NULL), OG_OK);
    assert_int_equal(answer.n, 1);
    c = chunks_of(0, 0);
    assert_int_equal(og_similar_ask(index, &c, &options, &answer, NULL), OG_OK);
    for (size_t i = 0; i < answer.n; i++)
        assert_int_not_equal(answer.matches[i].file, 0);
    og_similar_answer_release(&answer);
    og_similar_free(index);
}

static uint8_t *read_all(const char *path, size_t *len)
{
    static uint8_t data[1 << 20];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    *len = fread(data, 1, sizeof(data), f);
    fclose(f);
    return data;
}

static void test_on_disk_and_back(void **state)
{
    (void)state;
    char path[] = "/tmp/origo-test-XXXXXX";
    struct og_similar *index = make_index(), *again = NULL;
    close(mkstemp(path));
    assert_int_equal(og_similar_write(index, path, NULL), OG_OK);
    assert_int_equal(og_similar_read(path, NULL, &again, NULL), OG_OK);
    assert_int_equal(og_similar_n_files(again), N_FILES);
    check_family(again);
    og_similar_free(index);
    og_similar_free(again);
    unlink(path);
}

static void test_every_changed_byte_is_seen(void **state)
{
    (void)state;
    char path[] = "/tmp/origo-test-XXXXXX";
    struct og_similar *index = make_index(), *again = NULL;
    size_t len;
    og_error err;
    close(mkstemp(path));
    assert_int_equal(og_similar_write(index, path, NULL), OG_OK);
    uint8_t *data = read_all(path, &len);
    for (size_t i = 0; i < len; i += i < 64 ? 1 : 997) {
        data[i] ^= 0x10;
        const og_status status =
            og_similar_decode(data, len, "damaged", NULL, &again, &err);
        assert_int_equal(status, OG_ERR_STORE);
        assert_non_null(strstr(err.message, "'damaged'"));
        data[i] ^= 0x10;
    }
    for (size_t n = 0; n < len; n += 1009)
        assert_int_equal(og_similar_decode(data, n, "cut", NULL, &again, &err),
                         OG_ERR_STORE);
    og_similar_free(index);
    unlink(path);
}

/* Version 1: half of a SHA-256 where the checksum is now. */
static void test_the_first_version_is_read(void **state)
{
    (void)state;
    char path[] = "/tmp/origo-test-XXXXXX";
    struct og_similar *index = make_index(), *again = NULL;
    uint8_t hash[OG_HASH_LEN];
    size_t len;
    og_error err;
    close(mkstemp(path));
    assert_int_equal(og_similar_write(index, path, NULL), OG_OK);
    uint8_t *data = read_all(path, &len);
    assert_int_equal(data[8], 2);
    data[8] = 1;
    memset(data + 48, 0, 16);
    og_bytes_hash(data, len, hash);
    memcpy(data + 48, hash, 16);
    assert_int_equal(og_similar_decode(data, len, "old", NULL, &again, &err),
                     OG_OK);
    check_family(again);
    og_similar_free(again);
    data[48] ^= 1;
    assert_int_equal(og_similar_decode(data, len, "old", NULL, &again, &err),
                     OG_ERR_STORE);
    og_similar_free(index);
    unlink(path);
}

/* ---- og_files ---- */

static void put_bytes(const char *path, size_t len, uint64_t seed)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (size_t i = 0; i < len; i++)
        fputc((int)(og_random_next(&seed) & 0xff), f);
    assert_int_equal(fclose(f), 0);
}

static og_status add_file(og_files *files, const char *path, og_error *err)
{
    const og_files_answer *answer;
    return og_files_ask(files, path, true, &answer, err);
}

static void test_closing_writes_the_index(void **state)
{
    char folder[] = "/tmp/origo-test-XXXXXX", index[64], one[64], two[64];
    const og_files_answer *answer;
    og_files *files;
    og_error err;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(index, sizeof(index), "%s/index", folder);
    snprintf(one, sizeof(one), "%s/one", folder);
    snprintf(two, sizeof(two), "%s/two", folder);
    put_bytes(one, 20000, 1);
    put_bytes(two, 20000, 2);

    assert_int_equal(og_files_open(index, OG_READ, NULL, &files, &err),
                     OG_ERR_NO_STORE);
    assert_int_equal(og_files_open(index, OG_WRITE, NULL, &files, &err),
                     OG_ERR_NO_STORE);
    assert_int_equal(og_files_open(folder, OG_CREATE, NULL, &files, &err),
                     OG_ERR_USAGE);
    /* Nothing was added, so nothing appears. */
    assert_int_equal(og_files_open(index, OG_CREATE, NULL, &files, &err),
                     OG_OK);
    assert_int_equal(og_files_close(files, &err), OG_OK);
    assert_int_not_equal(access(index, F_OK), 0);

    assert_int_equal(og_files_open(index, OG_CREATE, NULL, &files, &err),
                     OG_OK);
    assert_int_equal(add_file(files, one, &err), OG_OK);
    assert_int_equal(og_files_close(files, &err), OG_OK);
    assert_int_equal(og_files_open(index, OG_WRITE, NULL, &files, &err), OG_OK);
    assert_int_equal(og_files_count(files), 1);
    assert_int_equal(add_file(files, two, &err), OG_OK);
    assert_int_equal(og_files_commit(files, &err), OG_OK);
    assert_int_equal(og_files_close(files, &err), OG_OK);

    assert_int_equal(og_files_open(index, OG_READ, NULL, &files, &err), OG_OK);
    assert_int_equal(og_files_count(files), 2);
    assert_int_equal(og_files_ask(files, one, false, &answer, &err), OG_OK);
    assert_int_equal(add_file(files, one, &err), OG_ERR_USAGE);
    assert_non_null(strstr(err.message, "is open for reading only"));
    assert_int_equal(og_files_close(files, &err), OG_OK);
    assert_int_equal(og_files_close(NULL, &err), OG_OK);
    unlink(index);
    unlink(one);
    unlink(two);
    assert_int_equal(rmdir(folder), 0); /* no lock is left */
}

static void test_one_writer_of_an_index(void **state)
{
    char folder[] = "/tmp/origo-test-XXXXXX", index[64], one[64];
    og_files *files, *other;
    og_error err;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(index, sizeof(index), "%s/index", folder);
    snprintf(one, sizeof(one), "%s/one", folder);
    put_bytes(one, 100, 1);
    put_bytes(index, 100, 1);
    assert_int_equal(og_files_open(index, OG_WRITE, NULL, &files, &err),
                     OG_ERR_STORE);
    unlink(index);
    assert_int_equal(og_files_open(index, OG_CREATE, NULL, &files, &err),
                     OG_OK);
    assert_int_equal(og_files_open(index, OG_CREATE, NULL, &other, &err),
                     OG_ERR_BUSY);
    assert_non_null(strstr(err.message, "another process is writing"));
    assert_int_equal(add_file(files, one, &err), OG_OK);
    /* Closing says that the index could not be written, and closes it. */
    assert_int_equal(mkdir(index, 0777), 0);
    assert_int_equal(og_files_close(files, &err), OG_ERR_IO);
    assert_int_equal(rmdir(index), 0);
    assert_int_equal(og_files_open(index, OG_CREATE, NULL, &files, &err),
                     OG_OK);
    assert_int_equal(og_files_close(files, &err), OG_OK);
    unlink(one);
    assert_int_equal(rmdir(folder), 0);
}

static void test_jaccard_is_of_sets(void **state)
{
    (void)state;
    const uint64_t a[] = {1, 1, 2, 3}, b[] = {3, 2, 2, 4, 5};
    uint64_t room[9];
    assert_true(og_keys_jaccard(a, 4, b, 5, room) == 2.0 / 5);
    assert_true(og_keys_jaccard(a, 0, b, 0, room) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families_are_found),
        cmocka_unit_test(test_a_name_again_takes_the_new_chunks),
        cmocka_unit_test(test_on_disk_and_back),
        cmocka_unit_test(test_every_changed_byte_is_seen),
        cmocka_unit_test(test_the_first_version_is_read),
        cmocka_unit_test(test_closing_writes_the_index),
        cmocka_unit_test(test_one_writer_of_an_index),
        cmocka_unit_test(test_jaccard_is_of_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
