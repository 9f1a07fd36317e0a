/* JSON arrays and CSV files, UTF-16 and UTF-32: cut into blocks of any length
 * they give the same documents, and none is lost or made up. */

#include "tests/unit/source_folder.h"

#include <iconv.h>
#include <stdio.h>

#include "lib/source/recode.h"

enum { N = 500 };

/* What a document of number i is to be; some have newlines, quotes, brackets
 * and backslashes at any place. */
static void make_text(size_t i, struct string *out)
{
    static const char *const pieces[] = {
        "plain words", "a \"quote\"", "{[", "]}", "\\",
        ",",           "two\nlines",  "\"", "é",  "tab\tulated"};
    out->len = 0;
    for (size_t k = 0; k < i % 7 + 1; k++) {
        const char *piece = pieces[(i * 7 + k * 3) % 10];
        string_add(out, piece, strlen(piece));
        string_add(out, " ", 1);
    }
}

static void add_json_string(struct string *out, const struct string *s)
{
    string_add(out, "\"", 1);
    for (size_t i = 0; i < s->len; i++) {
        const char c = s->data[i];
        if (c == '\n' || c == '\t')
            string_add(out, c == '\n' ? "\\n" : "\\t", 2);
        else if (c == '"' || c == '\\')
            string_fp(out, "\\%c", c);
        else
            string_add(out, &c, 1);
    }
    string_add(out, "\"", 1);
}

static void add_csv_string(struct string *out, const struct string *s)
{
    string_add(out, "\"", 1);
    for (size_t i = 0; i < s->len; i++)
        string_add(out, s->data[i] == '"' ? "\"\"" : s->data + i,
                   s->data[i] == '"' ? 2 : 1);
    string_add(out, "\"", 1);
}

static void make_files(struct string *json, struct string *csv,
                       struct string *wanted)
{
    struct string text = {0};
    string_add(json, "[\n", 2);
    string_fp(csv, "id,\"text\"\r\n");
    for (size_t i = 0; i < N; i++) {
        make_text(i, &text);
        string_fp(json, "%s{\"n\":[{\"x\":\"]}\"}],%s\"id\":\"d%zu\",\"text\":",
                  i == 0       ? ""
                  : i % 3 == 0 ? ",\n"
                               : ",",
                  i % 5 == 0 ? "\n" : "", i);
        add_json_string(json, &text);
        string_add(json, "}", 1);
        string_fp(csv, "d%zu,", i);
        add_csv_string(csv, &text);
        string_fp(csv, "%s", i % 2 == 0 ? "\r\n" : "\n");
        string_fp(wanted, "d%zu|", i);
        string_add(wanted, text.data, text.len);
        string_fp(wanted, "\n");
    }
    string_add(json, "\n]\n", 3);
    string_release(&text);
}

/* "id|text" of every document. */
static void read_all(const char *path, size_t block_len, struct string *out)
{
    const struct og_source_options options = {.fields = OG_FIELDS_DEFAULT,
                                              .block_len = block_len};
    struct og_source *source;
    struct og_block block;
    og_error err;
    og_block_init(&block, NULL);
    assert_int_equal(og_source_new(&path, 1, &options, NULL, &source, &err),
                     OG_OK);
    while (og_source_next(source, &block, &err) == OG_OK) {
        struct og_record r;
        while (og_block_next(&block, &options, &r, &err) == OG_OK) {
            string_add(out, r.doc.id.data, r.doc.id.len);
            string_fp(out, "|");
            string_add(out, r.doc.text.data, r.doc.text.len);
            string_fp(out, "\n");
        }
        assert_int_equal(block.n_problems, 0);
    }
    og_source_free(source);
    og_block_release(&block);
}

static void recode(const struct string *from, const char *charset,
                   struct string *out)
{
    iconv_t c = iconv_open(charset, "UTF-8");
    char *in = from->data;
    size_t left = from->len, room = from->len * 4 + 8;
    char *const buffer = malloc(room);
    char *to = buffer;
    assert_non_null(buffer);
    assert_int_equal(iconv(c, &in, &left, &to, &room), 0);
    out->len = 0;
    string_add(out, buffer, (size_t)(to - buffer));
    free(buffer);
    iconv_close(c);
}

static void check(const char *name, const struct string *bytes,
                  const struct string *wanted)
{
    static const size_t lens[] = {1, 50, 4096, 0};
    folder_write(&folder, name, bytes->data, bytes->len);
    for (size_t i = 0; i < sizeof(lens) / sizeof(*lens); i++) {
        struct string got = {0};
        read_all(folder_path(&folder, name), lens[i], &got);
        assert_string_equal(got.data, wanted->data);
        string_release(&got);
    }
}

static void test_any_cut(void **state)
{
    static const char *const charsets[] = {"UTF-16", "UTF-16LE", "UTF-16BE",
                                           "UTF-32"};
    struct string json = {0}, csv = {0}, wanted = {0}, other = {0};
    (void)state;
    make_files(&json, &csv, &wanted);
    check("plain", &json, &wanted);
    check("table", &csv, &wanted);
    for (size_t i = 0; i < 4; i++) {
        recode(&json, charsets[i], &other);
        check("wide", &other, &wanted);
        recode(&csv, charsets[i], &other);
        check("wide.csv", &other, &wanted);
    }
    string_release(&json);
    string_release(&csv);
    string_release(&wanted);
    string_release(&other);
}

/* A record that is too long costs itself alone, also one that is never ended
 * within a block. */
static void test_long(void **state)
{
    const struct og_source_options options = {
        .fields = OG_FIELDS_DEFAULT, .block_len = 64, .max_document = 100};
    struct string json = {0}, csv = {0};
    struct run run;
    (void)state;
    string_fp(&json, "[{\"id\":\"a\",\"text\":\"x\"},{\"text\":\"");
    string_fp(&csv, "id,text\na,x\nlong,\"");
    for (int i = 0; i < 5000; i++) {
        string_fp(&json, "} , { \\\" %d", i);
        string_fp(&csv, "a,\nb \"\" %d", i);
    }
    string_fp(&json, "\"},\n{\"id\":\"b\",\"text\":\"y\"}]");
    string_fp(&csv, "\"\nb,y\n");
    run_path(folder_write(&folder, "l.json", json.data, json.len), &options,
             &run);
    char wanted[80];
    snprintf(wanted, sizeof(wanted), "a|||-|x|1|1\nb|||-|y|2|%zu\n",
             (size_t)(strstr(json.data, "{\"id\":\"b\"") - json.data));
    assert_string_equal(run.documents.data, wanted);
    assert_string_equal(
        run.problems.data,
        "1:22: the record is longer than 100 bytes [skipped]\n");
    run_release(&run);
    run_path(folder_write(&folder, "l.csv", csv.data, csv.len), &options, &run);
    assert_int_equal(run.n_documents, 2);
    assert_int_equal(run.n_problems, 1);
    assert_non_null(strstr(run.documents.data, "b|||-|y|5004|"));
    assert_true(run.max_cap < 32768);
    run_release(&run);
    string_release(&json);
    string_release(&csv);
}

static void test_wrong(void **state)
{
    struct run run;
    (void)state;
    run_path(
        folder_put(&folder, "w.json", "[1, {\"text\":\"x\"}, {\"text\":\"y"),
        NULL, &run);
    assert_int_equal(run.n_documents, 1);
    assert_string_equal(
        run.problems.data,
        "1:1: expected an object [skipped]\n"
        "1:28: expected '\"' at the end of a string, at byte 10 of the record "
        "[skipped]\n");
    run_release(&run);
    run_path(folder_put(&folder, "w.csv", "id,body\n1,x\n"), NULL, &run);
    assert_string_equal(run.problems.data,
                        "0:0: no column is named 'text'; the first row has: "
                        "id, body [skipped] [file]\n");
    run_release(&run);
    /* A note is not a table, nor is a list in brackets an array. */
    run_path(folder_put(&folder, "a", "Some, text;\nthat goes on\n"), NULL,
             &run);
    assert_int_equal(run.n_documents, 1);
    run_release(&run);
    run_path(folder_put(&folder, "b", "[1] A. Author, {Title}\n"), NULL, &run);
    assert_non_null(strstr(run.documents.data, "[1] A. Author"));
    run_release(&run);
}

/* The same document, however small the blocks are. */
static void check_wide_text(const struct string *wide, const char *expected)
{
    static const size_t lens[] = {1, 64, 0};
    const char *const path =
        folder_write(&folder, "guess", wide->data, wide->len);
    struct run run;
    for (size_t i = 0; i < sizeof(lens) / sizeof(*lens); i++) {
        const struct og_source_options options = {.fields = OG_FIELDS_DEFAULT,
                                                  .block_len = lens[i]};
        run_path(path, &options, &run);
        assert_int_equal(run.n_documents, 1);
        assert_non_null(strstr(run.documents.data, expected));
        run_release(&run);
    }
}

/* Without a mark: seen in texts of any script, and in nothing else. */
static void test_guess(void **state)
{
    static const char *const texts[] = {
        "Plain English text, in two lines.\nThis is the second.\n",
        "Всеобщая декларация прав человека. Статья 1.\n",
        "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心。\n",
        "すべての人間は、生まれながらにして自由である。\n",
        "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق\n",
        "כל בני האדם נולדו בני חורין ושווים בערכם\n"};
    static const char binary[] = "\x7f"
                                 "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0\x3e\0"
                                 "\1\0\0\0\x50\x10\0\0\0\0\0\0\x40\0\0\0";
    struct string text = {0}, wide = {0};
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        text.len = 0;
        string_add(&text, texts[i], strlen(texts[i]));
        recode(&text, "UTF-16LE", &wide);
        const og_bytes little = {wide.data, wide.len};
        assert_string_equal(og_recode_guess(little), "UTF-16LE");
        recode(&text, "UTF-16BE", &wide);
        const og_bytes big = {wide.data, wide.len};
        assert_string_equal(og_recode_guess(big), "UTF-16BE");
        check_wide_text(&wide, texts[i]);
        assert_null(og_recode_guess((og_bytes){text.data, text.len}));
    }
    assert_null(og_recode_guess((og_bytes){binary, sizeof(binary)}));
    string_release(&text);
    string_release(&wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_cut),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_guess),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
