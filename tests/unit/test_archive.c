/* Archives through a source: good ones, and all that can be wrong with them. */

#include "tests/unit/source_folder.h"

#include <stdio.h>

#include "lib/source/unpack.h"

/* ---- making archives ---- */

static void add_record(struct string *s, const char *type, const char *id,
                       const char *content_type, const char *body,
                       long long len)
{
    string_fp(s,
              "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:x:%s>\r\n"
              "WARC-Target-URI: http://example.org/%s\r\n"
              "WARC-Date: 2020-01-02T03:04:05Z\r\nContent-Type: %s\r\n"
              "Content-Length: %lld\r\n\r\n",
              type, id, id, content_type,
              len < 0 ? (long long)strlen(body) : len);
    string_add(s, body, strlen(body));
    string_fp(s, "\r\n\r\n");
}

static void add_text(struct string *s, const char *id, const char *text)
{
    add_record(s, "conversion", id, "text/plain", text, -1);
}

#define DOCUMENT(id, title, text)                                              \
    "urn:x:" id "|" title "|http://example.org/" id "|1577934245000000|" text  \
    "|"

static void check_run(const struct string *archive, const char *name,
                      const struct og_source_options *options,
                      const char *const *documents, size_t n,
                      const char *problems)
{
    struct run run;
    run_path(folder_write(&folder, name, archive->data, archive->len), options,
             &run);
    assert_int_equal(run.n_documents, n);
    const char *at = run.documents.data;
    for (size_t i = 0; i < n; i++) {
        at = strstr(at, documents[i]);
        assert_non_null(at);
    }
    assert_string_equal(run.problems.data, problems);
    assert_int_equal(run.n_files, 1);
    run_release(&run);
}

#define CHECK(archive, problems, ...)                                          \
    do {                                                                       \
        const char *const documents_[] = {__VA_ARGS__};                        \
        check_run(archive, "x.warc", NULL, documents_,                         \
                  sizeof(documents_) / sizeof(documents_[0]), problems);       \
    } while (0)

/* ---- good ones ---- */

static void test_kinds_of_records(void **state)
{
    struct string s = {0};
    (void)state;
    add_record(&s, "warcinfo", "i", "application/warc-fields", "a: b\r\n", -1);
    add_text(&s, "a", "one");
    add_record(&s, "response", "b", "application/http; msgtype=response",
               "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
               "<title>T</title><p>two",
               -1);
    add_record(&s, "response", "c", "application/http",
               "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\nno",
               -1);
    add_record(&s, "response", "d", "application/http",
               "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG", -1);
    add_record(&s, "request", "e", "application/http", "GET / HTTP/1.1\r\n\r\n",
               -1);
    add_record(&s, "metadata", "f", "application/json", "{\"text\":\"x\"}", -1);
    add_record(&s, "resource", "g", "text/plain; charset=iso-8859-1", "gr\xfcn",
               -1);
    CHECK(&s, "", DOCUMENT("a", "", "one"), DOCUMENT("b", "T", "two"),
          DOCUMENT("g", "", "gr\xc3\xbcn"));
    string_release(&s);
}

static void test_transfer(void **state)
{
    struct string s = {0}, packed = {0}, body = {0};
    (void)state;
    add_record(&s, "response", "a", "application/http",
               "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
               "Transfer-Encoding: chunked\r\n\r\n"
               "4;x=y\r\none \r\n3\r\ntwo\r\n0\r\n\r\n",
               -1);
    add_record(&s, "response", "b", "application/http",
               "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
               "Transfer-Encoding: chunked\r\n\r\nnot in chunks",
               -1);
    add_record(&s, "response", "c", "application/http",
               "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
               "Transfer-Encoding: chunked\r\n\r\n4\r\ngood\r\nzz\r\nbad",
               -1);
    add_record(&s, "response", "d", "application/http",
               "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
               "Content-Encoding: br\r\n\r\nxxx",
               -1);
    add_record(&s, "response", "e", "application/http",
               "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
               "Content-Encoding: gzip\r\n\r\nunpacked already",
               -1);
    pack_gzip(&packed, "three", 5);
    string_fp(&body, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                     "Content-Encoding: gzip\r\n\r\n");
    string_add(&body, packed.data, packed.len);
    string_fp(&s,
              "WARC/1.0\r\nWARC-Type: response\r\n"
              "Content-Type: application/http\r\nContent-Length: %zu\r\n"
              "\r\n",
              body.len);
    string_add(&s, body.data, body.len);
    string_fp(&s, "\r\n\r\n");
    struct run run;
    run_path(folder_write(&folder, "x", s.data, s.len), NULL, &run);
    assert_int_equal(run.n_documents, 5);
    assert_non_null(strstr(run.documents.data, DOCUMENT("a", "", "one two")));
    assert_non_null(
        strstr(run.documents.data, DOCUMENT("b", "", "not in chunks")));
    assert_non_null(strstr(run.documents.data, DOCUMENT("c", "", "good")));
    assert_non_null(
        strstr(run.documents.data, DOCUMENT("e", "", "unpacked already")));
    assert_non_null(strstr(run.documents.data, "|||-|three|0|"));
    assert_int_equal(run.n_problems, 1);
    assert_non_null(strstr(run.problems.data,
                           "compressed with 'br', which is not "
                           "supported [skipped]\n"));
    run_release(&run);
    string_release(&s);
    string_release(&packed);
    string_release(&body);
}

/* Blocks of any size give the same. */
static void test_block_lengths(void **state)
{
    struct string s = {0};
    (void)state;
    for (int i = 0; i < 50; i++) {
        char id[20];
        snprintf(id, sizeof(id), "%d", i);
        add_text(&s, id, i % 7 == 0 ? "" : "some text\r\n\r\nin two lines");
        if (i % 10 == 3) string_fp(&s, "junk\r\nmore junk\r\n");
    }
    const char *const path = folder_write(&folder, "x", s.data, s.len);
    struct run first, other;
    run_path(path, NULL, &first);
    assert_int_equal(first.n_documents, 42);
    assert_int_equal(first.n_problems, 5);
    static const size_t lens[] = {1, 2, 100, 777, 5000};
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        const struct og_source_options options = {.fields = OG_FIELDS_DEFAULT,
                                                  .block_len = lens[i]};
        run_path(path, &options, &other);
        assert_string_equal(first.documents.data, other.documents.data);
        assert_string_equal(first.problems.data, other.problems.data);
        run_release(&other);
    }
    run_release(&first);
    string_release(&s);
}

static void test_packed(void **state)
{
    struct string s = {0}, one = {0};
    (void)state;
    for (int i = 0; i < 3; i++) { /* a member a record */
        const char id[] = {(char)('a' + i), 0};
        one.len = 0;
        add_text(&one, id, "text");
        pack_gzip(&s, one.data, one.len);
    }
    CHECK(&s, "", DOCUMENT("a", "", "text"), DOCUMENT("b", "", "text"),
          DOCUMENT("c", "", "text"));
    string_release(&s);
    string_release(&one);
}

/* .warc.zst: a dictionary in front, plain or packed. */
static void test_dictionary(void **state)
{
    static const char dictionary[] =
        "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <urn:x:";
    struct string one = {0};
    (void)state;
    add_text(&one, "a", "text of the first");
    for (int is_packed = 0; is_packed < 2; is_packed++) {
        struct string s = {0}, frame = {0};
        char buffer[4096], header[8] = {0x5d, 0x2a, 0x4d, 0x18};
        if (is_packed)
            pack_zstd(&frame, dictionary, sizeof(dictionary) - 1, 0);
        else
            string_add(&frame, dictionary, sizeof(dictionary) - 1);
        header[4] = (char)frame.len;
        string_add(&s, header, sizeof(header));
        string_add(&s, frame.data, frame.len);
        ZSTD_CCtx *const c = ZSTD_createCCtx();
        assert_non_null(c);
        for (int i = 0; i < 2; i++) {
            const size_t n = ZSTD_compress_usingDict(
                c, buffer, sizeof(buffer), one.data, one.len, dictionary,
                sizeof(dictionary) - 1, 3);
            assert_false(ZSTD_isError(n));
            string_add(&s, buffer, n);
        }
        ZSTD_freeCCtx(c);
        CHECK(&s, "", DOCUMENT("a", "", "text of the first"),
              DOCUMENT("a", "", "text of the first"));
        s.len = 20; /* cut inside the dictionary */
        const char *const none[] = {""};
        check_run(&s, "cut", NULL, none, 0,
                  "0:0: zstd data is truncated, at packed byte 20 [skipped] "
                  "[file]\n");
        string_release(&s);
        string_release(&frame);
    }
    string_release(&one);
}

static void test_arc(void **state)
{
    struct string s = {0};
    (void)state;
    string_fp(&s, "filedesc://x.arc 0.0.0.0 20140216050221 text/plain 3\n"
                  "1 0\n\n");
    string_fp(&s, "http://example.org/a b c 1.2.3.4 20140216050221 "
                  "text/html 66\nHTTP/1.1 200 OK\r\nContent-Type: "
                  "text/html\r\n\r\n<title>T</title><p>one\n\n");
    string_fp(&s, "http://example.org/v2 1.2.3.4 20140216050221 text/plain "
                  "200 - - 0 x.arc 3\ntwo\n");
    struct run run;
    run_path(folder_write(&folder, "x", s.data, s.len), NULL, &run);
    assert_string_equal(run.problems.data, "");
    assert_int_equal(run.n_documents, 2);
    assert_non_null(
        strstr(run.documents.data,
               "|T|http://example.org/a b c|1392526941000000|one|"));
    assert_non_null(strstr(run.documents.data,
                           "||http://example.org/v2|1392526941000000|two|"));
    run_release(&run);
    string_release(&s);
}

/* ---- bad ones ---- */

static const char good_a[] = DOCUMENT("a", "", "one");
static const char good_z[] = DOCUMENT("z", "", "last");

/* A good record, something, a good record: both go in, one problem. */
static void check_between(const char *something, const char *problem)
{
    struct string s = {0};
    char expected[300];
    add_text(&s, "a", "one");
    snprintf(expected, sizeof(expected), "0:%zu: %s [skipped]\n", s.len,
             problem);
    string_add(&s, something, strlen(something));
    add_text(&s, "z", "last");
    CHECK(&s, expected, good_a, good_z);
    string_release(&s);
}

static void test_no_records(void **state)
{
    (void)state;
    check_between("this is no record\r\nat all\r\n", "no record begins here");
    check_between("WARC/1.0\r\nWARC-Type: conversion\r\n\r\nx\r\n\r\n",
                  "the header of the record does not state its length");
    check_between("WARC/1.0\r\nContent-Length: -5\r\n\r\nx\r\n\r\n",
                  "the header of the record does not state its length");
    check_between("WARC/1.0\r\nContent-Length: 7x\r\n\r\nx\r\n\r\n",
                  "the header of the record does not state its length");
}

static void test_wrong_lengths(void **state)
{
    struct string s = {0};
    (void)state;
    add_record(&s, "conversion", "b", "text/plain", "swallows", 60);
    check_between(s.data, "the record is shorter than its length says");
    s.len = 0;
    add_record(&s, "conversion", "b", "text/plain", "swallows", 100000);
    check_between(s.data, "the record is truncated, or its length is wrong");
    s.len = 0;
    add_record(&s, "conversion", "b", "text/plain", "huge",
               1000000000000000000);
    check_between(s.data, "the record is longer than 67108864 bytes");
    s.len = 0;
    add_record(&s, "conversion", "b", "text/plain", "over", 0);
    string_release(&s);
}

/* A record with too small a stated length: the excess is not a record. */
static void test_short_length(void **state)
{
    struct string s = {0};
    struct run run;
    (void)state;
    add_text(&s, "a", "one");
    add_record(&s, "conversion", "b", "text/plain", "one two\r\nthree", 3);
    add_text(&s, "z", "last");
    run_path(folder_write(&folder, "x", s.data, s.len), NULL, &run);
    assert_int_equal(run.n_documents, 3);
    assert_int_equal(run.n_problems, 1);
    assert_non_null(strstr(run.problems.data, "no record begins here"));
    assert_non_null(strstr(run.documents.data, good_z));
    run_release(&run);
    string_release(&s);
}

/* Too long, and truly so: skipped by its length. */
static void test_long_record(void **state)
{
    struct string s = {0}, body = {0};
    const struct og_source_options options = {
        .fields = OG_FIELDS_DEFAULT, .max_document = 1000, .block_len = 64};
    const char *const documents[] = {good_a, good_z};
    char expected[100];
    (void)state;
    for (int i = 0; i < 300; i++)
        string_fp(&body, "WARC/1.0 in it\r\n");
    add_text(&s, "a", "one");
    snprintf(expected, sizeof(expected),
             "0:%zu: the record is longer than 1000 bytes [skipped]\n", s.len);
    add_text(&s, "b", body.data);
    add_text(&s, "z", "last");
    check_run(&s, "plain", &options, documents, 2, expected);
    struct string packed = {0};
    pack_gzip(&packed, s.data, s.len);
    check_run(&packed, "packed", &options, documents, 2, expected);
    string_release(&packed);
    string_release(&s);
    string_release(&body);
}

/* 10^18 bytes in a packed file, whose length is no evidence. */
static void test_huge_length_packed(void **state)
{
    struct string s = {0}, packed = {0};
    char expected[100];
    const char *const documents[] = {good_a, good_z};
    (void)state;
    add_text(&s, "a", "one");
    snprintf(expected, sizeof(expected),
             "0:%zu: the record is longer than 67108864 bytes [skipped]\n",
             s.len);
    add_record(&s, "conversion", "b", "text/plain", "huge",
               1000000000000000000);
    add_text(&s, "z", "last");
    pack_gzip(&packed, s.data, s.len);
    check_run(&packed, "packed", NULL, documents, 2, expected);
    string_release(&s);
    string_release(&packed);
}

/* Every truncation of an archive: whole records are read, nothing else. */
static void test_every_cut(void **state)
{
    struct string s = {0};
    (void)state;
    add_text(&s, "a", "one");
    const size_t first_len = s.len;
    add_text(&s, "z", "last");
    for (size_t len = first_len; len < s.len; len++) {
        struct run run;
        run_path(folder_write(&folder, "x", s.data, len), NULL, &run);
        const bool is_whole = len >= s.len - 4;
        const bool is_gone = len <= first_len;
        assert_int_equal(run.n_documents, 1 + (is_whole && !is_gone));
        assert_int_equal(run.n_problems, !is_whole && !is_gone);
        run_release(&run);
    }
    string_release(&s);
}

static void test_type_overrides(void **state)
{
    const struct og_source_options options = {
        .fields = OG_FIELDS_DEFAULT, .reading = {.kind = OG_FILE_TEXT}};
    struct string s = {0};
    struct run run;
    (void)state;
    add_text(&s, "a", "one");
    run_path(folder_write(&folder, "x", s.data, s.len), &options, &run);
    assert_int_equal(run.n_documents, 1);
    assert_non_null(strstr(run.documents.data, "|WARC/1.0\r\n"));
    run_release(&run);
    const struct og_source_options warc = {.fields = OG_FIELDS_DEFAULT,
                                           .reading = {.kind = OG_FILE_WARC}};
    run_path(folder_put(&folder, "y", "no archive at all"), &warc, &run);
    assert_int_equal(run.n_documents, 0);
    assert_string_equal(run.problems.data,
                        "0:0: no record begins here [skipped]\n");
    run_release(&run);
    string_release(&s);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_kinds_of_records),   IN_FOLDER(test_transfer),
        IN_FOLDER(test_block_lengths),      IN_FOLDER(test_packed),
        IN_FOLDER(test_dictionary),         IN_FOLDER(test_arc),
        IN_FOLDER(test_no_records),         IN_FOLDER(test_wrong_lengths),
        IN_FOLDER(test_short_length),       IN_FOLDER(test_long_record),
        IN_FOLDER(test_huge_length_packed), IN_FOLDER(test_every_cut),
        IN_FOLDER(test_type_overrides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
