#define _GNU_SOURCE
#include "tests/unit/source_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/time.h>

static void check_path(const char *path,
                       const struct og_source_options *options,
                       const char *documents, const char *problems)
{
    struct run run;
    run_path(path, options, &run);
    assert_string_equal(run.documents.data, documents);
    assert_string_equal(run.problems.data, problems);
    run_release(&run);
}

static void check_file(const char *name, const char *data, size_t len,
                       const char *documents, const char *problems)
{
    check_path(folder_write(&folder, name, data, len), NULL, documents,
               problems);
}

#define RECORD(id, text) "{\"id\":\"" id "\",\"text\":\"" text "\"}"

/* The document from a text file with this name; its time is set to 5. `offset`
 * is where its text begins, after a UTF-8 byte order mark. */
static void check_text(const char *name, const char *data, size_t offset)
{
    char expected[400];
    const struct timeval times[2] = {{5, 0}, {5, 0}};
    const char *const path = folder_put(&folder, name, data);
    assert_int_equal(utimes(path, times), 0);
    snprintf(expected, sizeof(expected), "%s|%s||5000000|%s|1|%zu\n", path,
             name, data + offset, offset);
    check_path(path, NULL, expected, "");
}

static void test_text_file(void **state)
{
    (void)state;
    check_text("a.txt", "one\ntwo", 0);
    check_text("empty", "", 0);
    check_text("mark", "\xef\xbb\xbfx", 3);
    check_text("only-mark", "\xef\xbb\xbf", 3);
    check_text("brace", "{ this is no JSON }\nat all\n", 0);
    check_text("pretty", "{\n  \"text\": x\n}\n", 0);
}

/* Text in another charset is read as what it looks like, UTF-8 that is spoilt
 * stays as it is for the next stage to repair. */
static void test_text_of_other_charsets(void **state)
{
    struct run run;
    (void)state;
    run_path(folder_put(&folder, "latin",
                        "Gr\xfc\xdf"
                        "e aus K\xf6ln, sch\xf6n war's in M\xfcnchen"),
             NULL, &run);
    assert_non_null(strstr(run.documents.data, "Gr\xc3\xbc\xc3\x9f"
                                               "e aus K\xc3\xb6ln"));
    run_release(&run);
    run_path(folder_put(&folder, "spoilt", "\xc3\xbc\xc3\xa4 \xff x"), NULL,
             &run);
    assert_non_null(strstr(run.documents.data, "\xc3\xbc\xc3\xa4 \xff x"));
    run_release(&run);
    run_path(folder_write(&folder, "utf16le", "\xff\xfeh\0i\0", 6), NULL, &run);
    assert_non_null(strstr(run.documents.data, "|hi|"));
    run_release(&run);
    run_path(folder_write(&folder, "utf16be", "\xfe\xff\0h\0i", 6), NULL, &run);
    assert_non_null(strstr(run.documents.data, "|hi|"));
    run_release(&run);
}

static void test_jsonl_by_content(void **state)
{
    static const char lines[] = RECORD("a", "x") "\n" RECORD("b", "y") "\n";
    static const char late[] = "\n \r\n\t" RECORD("a", "x") "\nbroken";
    static const char marked[] = "\xef\xbb\xbf" RECORD("a", "x");
    (void)state;
    check_file("lines", lines, sizeof(lines) - 1, "a|||-|x|1|0\nb|||-|y|2|22\n",
               "");
    check_file("late", late, sizeof(late) - 1, "a|||-|x|3|4\n",
               "4:27: expected '{', at byte 0 of the line [skipped]\n");
    check_file("marked", marked, sizeof(marked) - 1, "a|||-|x|1|3\n", "");
}

static void test_jsonl_by_name(void **state)
{
    static const char *const names[] = {"a.jsonl", "a.ndjson", "A.JSONL",
                                        "a.jsonl.zst", "a.b.ndjson.gz"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        check_file(names[i], "", 0, "", "");
        check_file(names[i], "\n\n", 2, "", "");
        check_file(names[i], "oops\n" RECORD("a", "x"), 26, "a|||-|x|2|5\n",
                   "1:0: expected '{', at byte 0 of the line [skipped]\n");
    }
}

static void test_binary(void **state)
{
    static const char problem[] = "0:0: binary file [skipped] [file]\n";
    char data[20000];
    struct run run;
    (void)state;
    check_file("elf",
               "\x7f"
               "ELF\x02\x01\x01\0\0",
               9, "", "0:0: a program is not read [skipped] [file]\n");
    check_file("odd", "abcd\0\1\2\3", 8, "", problem);
    memset(data, 'x', sizeof(data));
    data[8191] = 0;
    check_file("late", data, sizeof(data), "", problem);
    data[8191] = 'x';
    data[8192] = 0;
    run_path(folder_write(&folder, "later", data, sizeof(data)), NULL, &run);
    assert_int_equal(run.n_documents, 1);
    assert_int_equal(run.n_problems, 0);
    run_release(&run);
}

static void test_missing(void **state)
{
    char expected[300], missing[100];
    struct run run;
    (void)state;
    snprintf(missing, sizeof(missing), "%s/nope", folder.path);
    snprintf(expected, sizeof(expected),
             "0:0: cannot open '%s': no such file or directory [skipped]"
             " [file]\n",
             missing);
    check_path(missing, NULL, "", expected);
    /* The others go on. */
    const char *const paths[] = {
        missing, folder_put(&folder, "a.jsonl", RECORD("a", "x")), missing};
    const struct og_source_options options = {.fields = OG_FIELDS_DEFAULT};
    run_source(paths, 3, &options, &run);
    assert_string_equal(run.documents.data, "a|||-|x|1|0\n");
    assert_int_equal(run.n_problems, 2);
    assert_int_equal(run.n_files, 3);
    run_release(&run);
}

static void test_long_path_keeps_its_reason(void **state)
{
    char path[600];
    struct run run;
    (void)state;
    memset(path, 'd', sizeof(path));
    path[sizeof(path) - 1] = 0;
    run_path(path, NULL, &run);
    assert_non_null(strstr(run.problems.data, "file name too long"));
    run_release(&run);
}

static void test_folder(void **state)
{
    struct run run;
    (void)state;
    assert_int_equal(mkdir(folder_path(&folder, "sub"), 0700), 0);
    folder_put(&folder, "b.jsonl", RECORD("b", "x") "\n" RECORD("c", "x"));
    folder_put(&folder, "a.jsonl", RECORD("a", "x"));
    folder_put(&folder, "sub/d.jsonl", RECORD("d", "x"));
    folder_put(&folder, ".hidden.jsonl", RECORD("h", "x"));
    assert_int_equal(symlink(".", folder_path(&folder, "loop")), 0);
    run_path(folder.path, NULL, &run);
    assert_string_equal(run.documents.data, "a|||-|x|1|0\nb|||-|x|1|0\n"
                                            "c|||-|x|2|22\nd|||-|x|1|0\n");
    assert_string_equal(run.problems.data,
                        "0:0: the link to a folder is not followed\n");
    assert_int_equal(run.n_files, 3);
    run_release(&run);
}

/* Runs with `fd` as the standard input. */
static void run_stdin(int fd, struct run *run)
{
    const int saved = dup(STDIN_FILENO);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    run_path("-", NULL, run);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0); /* it is left open */
    dup2(saved, STDIN_FILENO);
    close(saved);
    close(fd);
}

static void test_stdin(void **state)
{
    static const char lines[] = "{\"text\":\"x\"}\n{\"text\":\"y\"}";
    struct run run;
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], lines, sizeof(lines) - 1),
                     sizeof(lines) - 1);
    close(ends[1]);
    run_stdin(ends[0], &run);
    assert_string_equal(run.documents.data, "-:1|||-|x|1|0\n-:2|||-|y|2|13\n");
    run_release(&run);
    /* Text from a pipe has no time of its own. */
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "text", 4), 4);
    close(ends[1]);
    run_stdin(ends[0], &run);
    assert_string_equal(run.documents.data, "-|-||-|text|1|0\n");
    run_release(&run);
}

/* 2,000 records, with blank and broken lines among them. */
static void make_lines(struct string *out)
{
    for (int i = 0; i < 2000; i++) {
        string_fp(out, "{\"id\":%d,\"time\":%d,\"text\":\"", i, i);
        for (int j = 0; j < i % 50; j++)
            string_fp(out, "word%d\\n", j * i);
        string_fp(out, "\"}\n");
        if (i % 100 == 0) string_fp(out, "\n{\"broken\n\r\n");
    }
    out->len--; /* the last newline may be missing */
}

static void test_block_lengths(void **state)
{
    static const size_t lens[] = {1, 7, 64, 4096, 100000, 0};
    struct string lines = {0};
    struct run wanted, run;
    (void)state;
    make_lines(&lines);
    folder_write(&folder, "a", lines.data, lines.len);
    run_path(folder.last, NULL, &wanted);
    assert_int_equal(wanted.n_documents, 2000);
    assert_int_equal(wanted.n_problems, 20);
    for (size_t i = 0; i < sizeof(lens) / sizeof(*lens); i++) {
        const struct og_source_options options = {.fields = OG_FIELDS_DEFAULT,
                                                  .block_len = lens[i]};
        run_path(folder.last, &options, &run);
        assert_string_equal(run.documents.data, wanted.documents.data);
        assert_string_equal(run.problems.data, wanted.problems.data);
        assert_int_equal(run.n_input_bytes, lines.len);
        assert_int_equal(run.n_files, 1);
        if (lens[i] == 64) assert_true(run.n_blocks > 500);
        run_release(&run);
    }
    run_release(&wanted);
    string_release(&lines);
}

static void test_packed(void **state)
{
    struct string lines = {0}, gzip = {0}, zstd = {0};
    struct run wanted, run;
    (void)state;
    make_lines(&lines);
    const size_t half = lines.len / 2;
    pack_gzip(&gzip, lines.data, half);
    pack_gzip(&gzip, lines.data + half, lines.len - half);
    pack_zstd(&zstd, lines.data, half, 0);
    pack_zstd(&zstd, lines.data + half, lines.len - half, 27);
    run_path(folder_write(&folder, "a", lines.data, lines.len), NULL, &wanted);
    run_path(folder_write(&folder, "b", gzip.data, gzip.len), NULL, &run);
    assert_string_equal(run.documents.data, wanted.documents.data);
    assert_string_equal(run.problems.data, wanted.problems.data);
    assert_int_equal(run.n_input_bytes, gzip.len);
    run_release(&run);
    run_path(folder_write(&folder, "c", zstd.data, zstd.len), NULL, &run);
    assert_string_equal(run.documents.data, wanted.documents.data);
    assert_string_equal(run.problems.data, wanted.problems.data);
    assert_int_equal(run.n_input_bytes, zstd.len);
    run_release(&run);
    run_release(&wanted);
    string_release(&lines);
    string_release(&gzip);
    string_release(&zstd);
}

/* Packed lines that break off: whole ones are kept, and one problem is
 * reported. */
static void test_packed_and_cut(void **state)
{
    struct string lines = {0}, gzip = {0};
    struct run wanted, run;
    (void)state;
    for (int i = 0; i < 3000; i++)
        string_fp(&lines, "{\"id\":%d,\"text\":\"%d\"}\n", i, i * 7919);
    lines.len--;
    run_path(folder_write(&folder, "a", lines.data, lines.len), NULL, &wanted);
    pack_gzip(&gzip, lines.data, lines.len);
    run_path(folder_write(&folder, "b", gzip.data, gzip.len / 2), NULL, &run);
    assert_true(run.n_documents > 500 && run.n_documents < 3000);
    assert_memory_equal(run.documents.data, wanted.documents.data,
                        run.documents.len);
    assert_int_equal(run.n_problems, 1);
    assert_non_null(strstr(run.problems.data, "gzip data is truncated"));
    assert_non_null(strstr(run.problems.data, "[skipped] [file]"));
    run_release(&run);
    /* Only the check sum is missing: nothing of the text is. */
    run_path(folder_write(&folder, "c", gzip.data, gzip.len - 8), NULL, &run);
    assert_string_equal(run.documents.data, wanted.documents.data);
    assert_int_equal(run.n_problems, 1);
    run_release(&run);
    /* A wrong one: the same. */
    gzip.data[gzip.len - 6] ^= 1;
    run_path(folder_write(&folder, "d", gzip.data, gzip.len), NULL, &run);
    assert_string_equal(run.documents.data, wanted.documents.data);
    assert_non_null(strstr(run.problems.data, "gzip data is broken"));
    run_release(&run);
    /* Cut in its first line. */
    run_path(folder_write(&folder, "e", gzip.data, 30), NULL, &run);
    assert_int_equal(run.n_documents, 0);
    assert_int_equal(run.n_problems, 1);
    run_release(&run);
    run_release(&wanted);
    string_release(&lines);
    string_release(&gzip);
}

static void test_packed_text_and_cut(void **state)
{
    struct string text = {0}, gzip = {0};
    struct run run;
    (void)state;
    for (int i = 0; i < 20000; i++)
        string_fp(&text, "%d ", i * 7919);
    pack_gzip(&gzip, text.data, text.len);
    run_path(folder_write(&folder, "a", gzip.data, gzip.len / 2), NULL, &run);
    assert_int_equal(run.n_documents, 1);
    assert_true(run.documents.len > text.len / 4);
    assert_int_equal(run.n_problems, 1);
    run_release(&run);
    string_release(&text);
    string_release(&gzip);
}

static void add_long_record(struct string *out, const char *id, size_t len)
{
    string_fp(out, "{\"id\":\"%s\",\"text\":\"", id);
    for (size_t i = 0; i < len; i++)
        string_add(out, "x", 1);
    string_fp(out, "\"}\n");
}

static void test_long_lines(void **state)
{
    static const size_t lens[] = {1, 64, 4096, 1 << 20};
    struct string lines = {0};
    (void)state;
    /* First, in the middle twice, and last, without a newline. */
    add_long_record(&lines, "long", 300000);
    string_fp(&lines, RECORD("a", "x") "\n");
    add_long_record(&lines, "long", 1000);
    add_long_record(&lines, "long", 200000);
    string_fp(&lines, RECORD("b", "y") "\n");
    add_long_record(&lines, "long", 300000);
    lines.len--;
    folder_write(&folder, "a", lines.data, lines.len);
    for (size_t i = 0; i < 4; i++) {
        const struct og_source_options options = {.fields = OG_FIELDS_DEFAULT,
                                                  .max_document = 1000,
                                                  .block_len = lens[i]};
        check_path(folder.last, &options,
                   "a|||-|x|2|300024\nb|||-|y|5|501094\n",
                   "1:0: the record is longer than 1000 bytes [skipped]\n"
                   "3:300046: the record is longer than 1000 bytes [skipped]\n"
                   "4:301070: the record is longer than 1000 bytes [skipped]\n"
                   "6:501116: the record is longer than 1000 bytes"
                   " [skipped]\n");
    }
    string_release(&lines);
}

/* 200 MB in one line, from a few KB: memory stays small. */
static void test_unpack_bomb(void **state)
{
    struct string zeros = {0}, packed = {0};
    struct run run;
    (void)state;
    const size_t n = 4 << 20;
    assert_true(OG_GROW(NULL, zeros.data, zeros.cap, n));
    memset(zeros.data, 'x', n);
    pack_zstd(&packed, "{\"text\":\"", 9, 0);
    for (int i = 0; i < 50; i++)
        pack_zstd(&packed, zeros.data, n, 0);
    pack_zstd(&packed, "\"}\n" RECORD("a", "x"), 3 + 21, 0);
    const struct og_source_options options = {.fields = OG_FIELDS_DEFAULT,
                                              .max_document = 100000};
    run_path(folder_write(&folder, "a", packed.data, packed.len), &options,
             &run);
    assert_string_equal(run.documents.data, "a|||-|x|2|209715212\n");
    assert_string_equal(
        run.problems.data,
        "1:0: the record is longer than 100000 bytes [skipped]\n");
    assert_true(run.max_cap <= 2 << 20);
    run_release(&run);
    /* The same as text: given up as soon as it is too long. */
    packed.len = 0;
    for (int i = 0; i < 50; i++)
        pack_zstd(&packed, zeros.data, n, 0);
    run_path(folder_write(&folder, "b", packed.data, packed.len), &options,
             &run);
    assert_int_equal(run.n_documents, 0);
    assert_string_equal(
        run.problems.data,
        "0:0: the file is longer than 100000 bytes [skipped] [file]\n");
    assert_true(run.max_cap <= 2 << 20);
    run_release(&run);
    string_release(&zeros);
    string_release(&packed);
}

static void test_limits_are_inclusive(void **state)
{
    struct og_source_options options = {.fields = OG_FIELDS_DEFAULT,
                                        .max_document = 10};
    struct run run;
    (void)state;
    run_path(folder_put(&folder, "a", "0123456789"), &options, &run);
    assert_int_equal(run.n_documents, 1);
    run_release(&run);
    run_path(folder_put(&folder, "a", "0123456789a"), &options, &run);
    assert_int_equal(run.n_documents, 0);
    run_release(&run);
    options.max_document = 21;
    run_path(folder_put(&folder, "b", RECORD("a", "x")), &options, &run);
    assert_int_equal(run.n_documents, 1);
    run_release(&run);
    options.max_document = 20;
    run_path(folder.last, &options, &run);
    assert_int_equal(run.n_documents, 0);
    run_release(&run);
}

/* A broken record of 100,000 brackets harms only itself. */
static void test_deep_record(void **state)
{
    struct string lines = {0};
    (void)state;
    string_fp(&lines, RECORD("a", "x") "\n{\"n\":");
    for (int i = 0; i < 100000; i++)
        string_add(&lines, "[", 1);
    string_fp(&lines, "\n" RECORD("b", "y") "\n");
    check_file("a", lines.data, lines.len, "a|||-|x|1|0\nb|||-|y|3|100028\n",
               "2:1051: expected at most 1024 levels of nesting, at byte 1029"
               " of the line [skipped]\n");
    string_release(&lines);
}

static void test_nothing(void **state)
{
    const struct og_source_options options = {.fields = OG_FIELDS_DEFAULT};
    struct run run;
    (void)state;
    run_source(NULL, 0, &options, &run);
    assert_int_equal(run.n_blocks, 0);
    run_release(&run);
    og_source_free(NULL);
}

#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_text_file),
        IN_FOLDER(test_jsonl_by_content),
        IN_FOLDER(test_jsonl_by_name),
        IN_FOLDER(test_text_of_other_charsets),
        IN_FOLDER(test_binary),
        IN_FOLDER(test_missing),
        IN_FOLDER(test_long_path_keeps_its_reason),
        IN_FOLDER(test_folder),
        IN_FOLDER(test_stdin),
        IN_FOLDER(test_block_lengths),
        IN_FOLDER(test_packed),
        IN_FOLDER(test_packed_and_cut),
        IN_FOLDER(test_packed_text_and_cut),
        IN_FOLDER(test_long_lines),
        IN_FOLDER(test_unpack_bomb),
        IN_FOLDER(test_limits_are_inclusive),
        IN_FOLDER(test_deep_record),
        IN_FOLDER(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
