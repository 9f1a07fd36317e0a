/* Sketch files: there and back, cut at every byte, changed at every byte. */

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/sketch/sketch_file.h"
#include "tests/unit/stage_support.h"

enum { SKETCH_LEN = 8 };

struct fixture {
    char folder[64];
    char path[96];
    char *data;
    size_t len;
};

static struct og_sketch_head head_of(const char *params)
{
    struct og_sketch_head head = {.kind = OG_SKETCH_SIMHASH,
                                  .sketch_len = SKETCH_LEN};
    snprintf(head.params, sizeof(head.params), "%s", params);
    return head;
}

static size_t id_of(size_t i, char out[40])
{
    return (size_t)snprintf(out, 40, "document %zu", i * i % 1009);
}

static void write_file(const char *path, size_t n)
{
    struct og_sketch_writer *w;
    og_error err;
    const struct og_sketch_head head = head_of("bits=64 features=tokens");
    assert_int_equal(og_sketch_writer_open(path, &head, NULL, &w, &err), OG_OK);
    for (size_t i = 0; i < n; i++) {
        char id[40];
        const size_t len = id_of(i, id);
        const uint64_t sketch = og_mix64(i);
        assert_int_equal(
            og_sketch_writer_add(w, (og_bytes){id, len}, &sketch, &err), OG_OK);
    }
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(og_sketch_writer_close(w, &err), OG_OK);
}

static void load(struct fixture *f)
{
    FILE *file = fopen(f->path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    f->len = (size_t)ftell(file);
    f->data = malloc(f->len + 1);
    rewind(file);
    assert_int_equal(fread(f->data, 1, f->len, file), f->len);
    fclose(file);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    strcpy(f->folder, "/tmp/origo-test-XXXXXX");
    if (mkdtemp(f->folder) == NULL) return -1;
    snprintf(f->path, sizeof(f->path), "%s/a.sk", f->folder);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    unlink(f->path);
    rmdir(f->folder);
    free(f->data);
    free(f);
    return 0;
}

/* Reads all; checks what it gets. Returns how the reading ended. */
static og_status read_all(struct og_sketch_reader *r, size_t *out_n,
                          og_error *err)
{
    og_bytes id;
    const void *sketch;
    og_status status;
    *out_n = 0;
    while ((status = og_sketch_reader_next(r, &id, &sketch, err)) == OG_OK) {
        char expected[40];
        assert_int_equal(id.len, id_of(*out_n, expected));
        assert_memory_equal(id.data, expected, id.len);
        uint64_t word;
        memcpy(&word, sketch, sizeof(word));
        assert_int_equal(word, og_mix64(*out_n));
        ++*out_n;
    }
    return status;
}

static void there_and_back(void **state)
{
    struct fixture *f = *state;
    const size_t sizes[] = {0, 1, 4095, 4096, 4097, 10000};
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        struct og_sketch_reader *r;
        og_error err;
        size_t n;
        write_file(f->path, sizes[i]);
        assert_int_equal(og_sketch_reader_open(f->path, NULL, &r, &err), OG_OK);
        assert_int_equal(og_sketch_reader_head(r)->kind, OG_SKETCH_SIMHASH);
        assert_string_equal(og_sketch_reader_head(r)->params,
                            "bits=64 features=tokens");
        assert_int_equal(read_all(r, &n, &err), OG_END);
        assert_int_equal(n, sizes[i]);
        assert_int_equal(read_all(r, &n, &err), OG_END); /* stays so */
        og_sketch_reader_close(r);
        unlink(f->path);
    }
}

static og_status read_view(og_bytes file, og_error *err)
{
    struct og_sketch_reader *r;
    size_t n;
    const og_status status = og_sketch_reader_view(file, "x.sk", NULL, &r, err);
    if (status != OG_OK) return status;
    const og_status end = read_all(r, &n, err);
    og_sketch_reader_close(r);
    return end;
}

static void every_cut_is_found(void **state)
{
    struct fixture *f = *state;
    write_file(f->path, 20);
    load(f);
    og_error err;
    assert_int_equal(read_view((og_bytes){f->data, f->len}, &err), OG_END);
    for (size_t len = 0; len < f->len; len++) {
        char *exact = malloc(len + 1);
        memcpy(exact, f->data, len);
        assert_int_equal(read_view((og_bytes){exact, len}, &err), OG_ERR_INPUT);
        assert_non_null(strstr(err.message, "'x.sk', byte "));
        free(exact);
    }
    f->data[f->len] = 'x';
    assert_int_equal(read_view((og_bytes){f->data, f->len + 1}, &err),
                     OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "follows the end"));
}

static void every_changed_byte_is_found(void **state)
{
    struct fixture *f = *state;
    write_file(f->path, 20);
    load(f);
    for (size_t i = 0; i < f->len; i++) {
        og_error err;
        f->data[i] ^= 0x10;
        const og_status status = read_view((og_bytes){f->data, f->len}, &err);
        if (status != OG_ERR_INPUT) fail_msg("byte %zu may change", i);
        f->data[i] ^= 0x10;
    }
}

static void foreign_files_are_refused(void **state)
{
    struct fixture *f = *state;
    struct og_sketch_reader *r;
    og_error err;
    const char json[] = "{\"id\": \"this is a document and no sketch\"}\n";
    assert_int_equal(read_view((og_bytes){json, sizeof(json) - 1}, &err),
                     OG_ERR_INPUT);
    assert_string_equal(err.message,
                        "'x.sk', byte 0: this is not a sketch file");
    assert_int_equal(og_sketch_reader_open(f->path, NULL, &r, &err), OG_ERR_IO);
    assert_non_null(strstr(err.message, "no such file"));
}

static void other_versions_are_named(void **state)
{
    struct fixture *f = *state;
    og_error err;
    write_file(f->path, 1);
    load(f);
    f->data[8] = 7;
    assert_int_equal(read_view((og_bytes){f->data, f->len}, &err),
                     OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "version 7"));
}

static void put_rabin(char *at, const char *data, size_t len)
{
    const struct og_rabin *rabin = og_rabin_default();
    const uint64_t check = og_rabin_extend(rabin, rabin->empty, data, len);
    memcpy(at, &check, sizeof(check));
}

/* Version 1: Rabin fingerprints where the checksums are now. */
static void the_first_version_is_read(void **state)
{
    struct fixture *f = *state;
    og_error err;
    write_file(f->path, 3);
    load(f);
    assert_int_equal(f->data[8], 2);
    f->data[8] = 1;
    assert_int_equal(read_view((og_bytes){f->data, f->len}, &err),
                     OG_ERR_INPUT);
    const size_t params = (og_load64(f->data + 24) + 7) / 8 * 8;
    put_rabin(f->data + 32, f->data, 32);
    put_rabin(f->data + 40, f->data + 64, params);
    char *block = f->data + 64 + params;
    char *end = f->data + f->len - 32; /* a block without records ends it */
    put_rabin(block + 16, block + 32, (size_t)(end - block) - 32);
    put_rabin(block + 24, block, 24);
    put_rabin(end + 16, NULL, 0);
    put_rabin(end + 24, end, 24);
    assert_int_equal(read_view((og_bytes){f->data, f->len}, &err), OG_END);
}

static void other_parameters_are_named(void **state)
{
    (void)state;
    const struct og_sketch_head a = head_of("bits=64 features=tokens");
    const struct og_sketch_head b = head_of("bits=64 features=phrases");
    og_error err;
    assert_int_equal(og_sketch_heads_match("a.sk", &a, "b.sk", &a, &err),
                     OG_OK);
    assert_int_equal(og_sketch_heads_match("a.sk", &a, "b.sk", &b, &err),
                     OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "bits=64 features=tokens"));
    assert_non_null(strstr(err.message, "bits=64 features=phrases"));
    assert_non_null(strstr(err.message, "a.sk"));
    assert_non_null(strstr(err.message, "b.sk"));
}

static void what_is_dropped_leaves_nothing(void **state)
{
    struct fixture *f = *state;
    struct og_sketch_writer *w;
    og_error err;
    const struct og_sketch_head head = head_of("x=1");
    const uint64_t sketch = 1;
    assert_int_equal(og_sketch_writer_open(f->path, &head, NULL, &w, &err),
                     OG_OK);
    assert_int_equal(og_sketch_writer_add(w, (og_bytes){"a", 1}, &sketch, &err),
                     OG_OK);
    og_sketch_writer_drop(w);
    assert_int_equal(rmdir(f->folder), 0); /* empty */
    assert_int_equal(mkdir(f->folder, 0700), 0);
    assert_int_equal(
        og_sketch_writer_open("/nonexistent/folder/x", &head, NULL, &w, &err),
        OG_ERR_IO);
}

static void long_ids_are_refused(void **state)
{
    struct fixture *f = *state;
    struct og_sketch_writer *w;
    og_error err;
    const struct og_sketch_head head = head_of("x=1");
    const uint64_t sketch = 1;
    const size_t len = (1 << 20) + 1;
    char *id = calloc(len, 1);
    assert_int_equal(og_sketch_writer_open(f->path, &head, NULL, &w, &err),
                     OG_OK);
    assert_int_equal(
        og_sketch_writer_add(w, (og_bytes){id, len}, &sketch, &err),
        OG_ERR_LIMIT);
    assert_int_equal(
        og_sketch_writer_add(w, (og_bytes){id, len - 1}, &sketch, &err), OG_OK);
    assert_int_equal(og_sketch_writer_close(w, &err), OG_OK);
    free(id);
}

#define WITH_FOLDER(test)                                                      \
    cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(there_and_back),
        WITH_FOLDER(every_cut_is_found),
        WITH_FOLDER(every_changed_byte_is_found),
        WITH_FOLDER(foreign_files_are_refused),
        WITH_FOLDER(other_versions_are_named),
        WITH_FOLDER(the_first_version_is_read),
        WITH_FOLDER(other_parameters_are_named),
        WITH_FOLDER(what_is_dropped_leaves_nothing),
        WITH_FOLDER(long_ids_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
