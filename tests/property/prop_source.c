/* Whatever the length of a block, whatever the packing and however short the
 * limit: the same documents and the same problems. The streams are random,
 * with blank, broken, long and cut lines. The oracle of the lines is plain:
 * the file is split at its newlines. */

#define _GNU_SOURCE
#include "tests/unit/source_folder.h"

#include "lib/base/bits.h"

static void add_random_line(struct string *out, uint64_t *random)
{
    const uint64_t r = og_random_next(random);
    const size_t n_words = (size_t)(r >> 8) % ((r >> 32) % 8 == 0 ? 400 : 12);
    switch (r % 16) {
    case 0: break;
    case 1: string_fp(out, " \t\r"); break;
    case 2: string_fp(out, "{\"id\":\"broken"); break;
    case 3: string_fp(out, "{\"id\":7}"); break;
    case 4: string_fp(out, "text"); break;
    default:
        string_fp(out, "{\"id\":\"%llu\",\"text\":\"",
                  (unsigned long long)(r >> 40));
        for (size_t i = 0; i < n_words; i++)
            string_fp(out, i % 5 == 4 ? "\\n" : "w%zu ", i);
        string_fp(out, "\"}");
    }
    string_fp(out, "\n");
}

/* Documents and long lines of a stream, by splitting it. */
static void count_plainly(const struct string *lines, uint64_t max_document,
                          size_t *out_documents, size_t *out_long)
{
    const char *p = lines->data, *const end = p + lines->len;
    *out_documents = *out_long = 0;
    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        if (newline == NULL) newline = end;
        const size_t len = (size_t)(newline - p);
        if (len > max_document)
            ++*out_long;
        else if (len > 10 && memcmp(p, "{\"id\":\"", 7) == 0 &&
                 newline[-1] == '}')
            ++*out_documents;
        p = newline == end ? end : newline + 1;
    }
}

static void compare_runs(const char *name, const struct string *data,
                         struct og_source_options options,
                         const struct run *wanted)
{
    static const size_t lens[] = {1, 7, 64, 4096, 0};
    folder_write(&folder, name, data->data, data->len);
    for (size_t i = 0; i < sizeof(lens) / sizeof(*lens); i++) {
        struct run run;
        options.block_len = lens[i];
        run_path(folder.last, &options, &run);
        assert_string_equal(run.documents.data, wanted->documents.data);
        assert_string_equal(run.problems.data, wanted->problems.data);
        assert_int_equal(run.n_input_bytes, data->len);
        assert_int_equal(run.n_files, 1);
        run_release(&run);
    }
}

static void check_stream(const struct string *lines, uint64_t max_document)
{
    const struct og_source_options options = {.fields = OG_FIELDS_DEFAULT,
                                              .max_document = max_document};
    struct string gzip = {0}, zstd = {0};
    struct run wanted;
    size_t n_documents, n_long;
    const size_t cut = lines->len / 3;
    pack_gzip(&gzip, lines->data, cut);
    pack_gzip(&gzip, lines->data + cut, lines->len - cut);
    pack_zstd(&zstd, lines->data, cut, 0);
    pack_zstd(&zstd, lines->data + cut, lines->len - cut, 0);
    folder_write(&folder, "x.jsonl", lines->data, lines->len);
    run_path(folder.last, &options, &wanted);
    count_plainly(lines, max_document, &n_documents, &n_long);
    assert_int_equal(wanted.n_documents, n_documents);
    size_t n_reported = 0;
    const char *p = wanted.problems.data;
    while ((p = strstr(p, "longer than")) != NULL)
        p++, n_reported++;
    assert_int_equal(n_reported, n_long);
    compare_runs("x.jsonl", lines, options, &wanted);
    compare_runs("x.jsonl.gz", &gzip, options, &wanted);
    compare_runs("x.jsonl.zst", &zstd, options, &wanted);
    string_release(&gzip);
    string_release(&zstd);
    run_release(&wanted);
}

static void test_same_documents(void **state)
{
    uint64_t random = 5;
    (void)state;
    for (int round = 0; round < 40; round++) {
        struct string lines = {0};
        const size_t n = og_random_next(&random) % 200;
        string_add(&lines, "", 0);
        for (size_t i = 0; i < n; i++)
            add_random_line(&lines, &random);
        if (lines.len > 0 && round % 3 == 0) lines.data[--lines.len] = 0;
        check_stream(&lines, (uint64_t)1 << 20);
        check_stream(&lines, 100);
        check_stream(&lines, 20);
        string_release(&lines);
    }
}

/* Damaged packing never does more than end the file early. */
static void test_damaged_packing(void **state)
{
    uint64_t random = 6;
    struct string lines = {0}, packed = {0};
    (void)state;
    for (int i = 0; i < 500; i++)
        add_random_line(&lines, &random);
    for (int round = 0; round < 400; round++) {
        const struct og_source_options options = {.fields = OG_FIELDS_DEFAULT,
                                                  .max_document = 3000,
                                                  .block_len = (size_t)1
                                                               << (round % 16)};
        struct run run;
        packed.len = 0;
        if (round % 2 == 0)
            pack_gzip(&packed, lines.data, lines.len);
        else
            pack_zstd(&packed, lines.data, lines.len, 0);
        const uint64_t r = og_random_next(&random);
        packed.data[4 + r % (packed.len - 4)] ^= (char)(1 << (r >> 32) % 8);
        if (round % 3 == 0) packed.len = 4 + (r >> 16) % (packed.len - 4);
        run_path(folder_write(&folder, "x.jsonl", packed.data, packed.len),
                 &options, &run);
        assert_int_equal(run.n_files, 1);
        run_release(&run);
    }
    string_release(&lines);
    string_release(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_same_documents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_damaged_packing, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
