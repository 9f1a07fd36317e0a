/* Reports over several documents, and the files they go to. */

#include "report_support.h"

#include <dirent.h>
#include <errno.h>
#include <origo/origo.h>
#include <sys/stat.h>
#include <unistd.h>

static const og_format all_formats[] = {
    OG_FORMAT_TEXT, OG_FORMAT_JSON,       OG_FORMAT_TSV, OG_FORMAT_HTML,
    OG_FORMAT_PAN,  OG_FORMAT_ANNOTATION, OG_FORMAT_TEI};

static og_report_options options_of(og_format format)
{
    og_report_options options = og_report_options_default();
    options.format = format;
    return options;
}

/* The report of the first n of two documents; the second has a passage. */
static char *report_of(og_format format, size_t n)
{
    const og_document docs[] = {document_of("a", "one two"),
                                document_of("b", "x one two y")};
    const og_span span = span_of(&docs[1], "one two", 0, "a");
    const og_answer answers[] = {
        {.n_tokens = 2, .n_fresh = 2},
        {.n_tokens = 12, .n_fresh = 4, .spans = &span, .n_spans = 1}};
    const og_report_options options = options_of(format);
    struct paper p;
    og_report *report;
    paper_open(&p);
    assert_int_equal(
        og_report_begin(og_write_file, p.file, &options, &report, NULL), OG_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(og_report_add(report, &docs[i], &answers[i], NULL),
                         OG_OK);
    assert_int_equal(og_report_close(report, NULL), OG_OK);
    paper_close(&p);
    return p.text;
}

static void expect(og_format format, size_t n, const char *expected)
{
    char *text = report_of(format, n);
    assert_string_equal(text, expected);
    free(text);
}

#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

/* The rendered parts equal the added ones; parts rendered before are added
 * unchanged. */
static void test_documents_apart(void **state)
{
    (void)state;
    static const og_format others[] = {OG_FORMAT_TEXT, OG_FORMAT_TSV,
                                       OG_FORMAT_HTML, OG_FORMAT_PAN};
    const og_document doc = document_of("b", "x one two y");
    const og_span span = span_of(&doc, "one two", 0, "a");
    og_answer answer = {
        .n_tokens = 12, .n_fresh = 4, .spans = &span, .n_spans = 1};
    const og_report_options options = options_of(OG_FORMAT_JSON);
    struct paper apart, whole;
    og_report *report;
    paper_open(&apart);
    paper_open(&whole);
    assert_int_equal(
        og_report_begin(og_write_file, whole.file, &options, &report, NULL),
        OG_OK);
    assert_true(og_report_is_apart(report));
    assert_int_equal(og_report_render(report, &doc, &answer, og_write_file,
                                      apart.file, NULL),
                     OG_OK);
    assert_int_equal(og_report_add(report, &doc, &answer, NULL), OG_OK);
    answer.rendered = (og_bytes){"as it is\n", 9};
    assert_int_equal(og_report_add(report, &doc, &answer, NULL), OG_OK);
    assert_int_equal(og_report_close(report, NULL), OG_OK);
    paper_close(&apart);
    paper_close(&whole);
    assert_true(strlen(apart.text) > 20);
    assert_memory_equal(whole.text, apart.text, strlen(apart.text));
    assert_string_equal(whole.text + strlen(apart.text), "as it is\n");
    free(apart.text);
    free(whole.text);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        const og_report_options other = options_of(others[i]);
        struct paper p;
        paper_open(&p);
        assert_int_equal(
            og_report_begin(og_write_file, p.file, &other, &report, NULL),
            OG_OK);
        assert_false(og_report_is_apart(report));
        og_report_discard(report);
        paper_close(&p);
        free(p.text);
    }
}

static void test_pan_has_one_root(void **state)
{
    (void)state;
    expect(OG_FORMAT_PAN, 0, XML "<documents />\n");
    expect(OG_FORMAT_PAN, 1, XML "<document reference=\"a\">\n</document>\n");
    expect(OG_FORMAT_PAN, 2,
           XML "<documents>\n<document reference=\"a\">\n</document>\n"
               "<document reference=\"b\">\n<feature "
               "name=\"detected-plagiarism\" this_offset=\"2\" "
               "this_length=\"7\" origin=\"a\" />\n</document>\n"
               "</documents>\n");
}

static void test_tsv_has_one_header(void **state)
{
    (void)state;
#define HEADER                                                                 \
    "document\tbegin\tend\tn_tokens\thow\tscore\torigin\torigin_time\t"        \
    "origin_begin\torigin_end\tn_matching\n"
    expect(OG_FORMAT_TSV, 0, HEADER);
    expect(OG_FORMAT_TSV, 2, HEADER "b\t2\t9\t8\thit\t\ta\t\t\t\t0\n");
}

static void test_every_format_ends(void **state)
{
    (void)state;
    static const char *const ends[] = {
        "\n", "}\n", "\n", "</html>\n", "s>\n", "}\n", "</teiCorpus>\n"};
    for (size_t i = 0; i < 7; i++) {
        char *text = report_of(all_formats[i], 2);
        const size_t len = strlen(text), end_len = strlen(ends[i]);
        assert_true(len > end_len);
        assert_string_equal(text + len - end_len, ends[i]);
        free(text);
        free(report_of(all_formats[i], 0));
    }
}

/* Not every kind of report has every form. */
static void expect_no_report(og_format format, bool sentences, const char *name)
{
    og_report_options wrong = options_of(format);
    og_error err = {0};
    og_report *report;
    wrong.sentences = sentences;
    assert_int_equal(
        og_report_begin(og_write_file, stdout, &wrong, &report, &err),
        OG_ERR_USAGE);
    assert_non_null(strstr(err.message, name));
}

struct taken {
    char text[4096];
    size_t len, n_calls, most;
};

static int take_bytes(void *ctx, const char *data, size_t len)
{
    struct taken *t = ctx;
    t->n_calls++;
    if (t->len + len > t->most) return ENOSPC;
    memcpy(t->text + t->len, data, len);
    t->len += len;
    return 0;
}

/* A callback gets the bytes of a FILE, each document when it is added. */
static void test_a_callback(void **state)
{
    const og_report_options options = options_of(OG_FORMAT_JSON);
    const og_document doc = document_of("a", "one two");
    const og_answer answer = {.n_tokens = 2, .n_fresh = 2};
    char *const expected = report_of(OG_FORMAT_JSON, 1);
    struct taken t = {.most = sizeof(t.text)};
    og_report *report;
    (void)state;
    assert_int_equal(og_report_begin(take_bytes, &t, &options, &report, NULL),
                     OG_OK);
    assert_int_equal(og_report_add(report, &doc, &answer, NULL), OG_OK);
    assert_int_equal(t.len, strlen(expected));
    assert_memory_equal(t.text, expected, t.len);
    assert_int_equal(og_report_close(report, NULL), OG_OK);
    assert_int_equal(t.len, strlen(expected));
    free(expected);
}

/* Its refusal is the error of the call, and it is not called again. */
static void test_a_callback_that_is_full(void **state)
{
    const og_report_options options = options_of(OG_FORMAT_JSON);
    const og_document doc = document_of("a", "one two");
    const og_answer answer = {.n_tokens = 2, .n_fresh = 2};
    struct taken t = {.most = 10};
    og_report *report;
    og_error err = {0};
    (void)state;
    assert_int_equal(og_report_begin(take_bytes, &t, &options, &report, NULL),
                     OG_OK);
    assert_int_equal(og_report_add(report, &doc, &answer, &err), OG_ERR_IO);
    assert_non_null(strstr(err.message, strerror(ENOSPC)));
    assert_int_equal(og_report_add(report, &doc, &answer, &err), OG_ERR_IO);
    assert_int_equal(t.n_calls, 1);
    assert_int_equal(og_report_close(report, &err), OG_ERR_IO);
}

static void test_names_of_formats(void **state)
{
    (void)state;
    for (size_t i = 0; i < 7; i++) {
        og_format format;
        const char *name = og_format_name(all_formats[i]);
        assert_true(og_format_parse(bytes_of(name), &format));
        assert_int_equal(format, all_formats[i]);
    }
    og_format format = OG_FORMAT_TEI;
    assert_false(og_format_parse(bytes_of("pdf"), &format));
    assert_int_equal(format, OG_FORMAT_TEI);
    assert_true(og_format_parse(bytes_of("graphml"), &format));
    assert_int_equal(format, OG_FORMAT_GRAPHML);
    expect_no_report((og_format)99, false, "unknown");
    expect_no_report(OG_FORMAT_SVG, false, "svg");
    expect_no_report(OG_FORMAT_TEI, true, "tei");
}

/* ---- files ---- */

static unsigned n_files(const char *folder)
{
    unsigned n = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;)
        n += e->d_name[0] != '.' || e->d_name[1] > '.';
    closedir(dir);
    return n;
}

/* Zero-terminated. */
static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat st;
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &st), 0);
    char *text = calloc(1, (size_t)st.st_size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)st.st_size, file), st.st_size);
    fclose(file);
    return text;
}

static void test_a_file_appears_whole_or_not_at_all(void **state)
{
    (void)state;
    char folder[] = "/tmp/origo-report-XXXXXX", path[64];
    const og_document doc = document_of("a", "one two");
    const og_answer answer = {.n_tokens = 2, .n_fresh = 2};
    const og_report_options options = options_of(OG_FORMAT_HTML);
    og_report *report;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/r.html", folder);

    assert_int_equal(og_report_open(path, &options, &report, NULL), OG_OK);
    assert_int_equal(og_report_add(report, &doc, &answer, NULL), OG_OK);
    assert_int_not_equal(access(path, F_OK), 0);
    og_report_discard(report);
    assert_int_equal(n_files(folder), 0);

    assert_int_equal(og_report_open(path, &options, &report, NULL), OG_OK);
    assert_int_equal(og_report_add(report, &doc, &answer, NULL), OG_OK);
    assert_int_equal(og_report_close(report, NULL), OG_OK);
    assert_int_equal(access(path, R_OK), 0);
    assert_int_equal(n_files(folder), 1);
    unlink(path);
    rmdir(folder);
}

/* A page holds 20,000 documents; what comes then goes into a second part. */
static void test_a_long_report_is_a_folder_of_pages(void **state)
{
    (void)state;
    enum { N = 20003 };
    char folder[] = "/tmp/origo-report-XXXXXX", path[64], id[16];
    const og_report_options options = options_of(OG_FORMAT_HTML);
    og_report *report;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/r.html", folder);
    assert_int_equal(og_report_open(path, &options, &report, NULL), OG_OK);
    for (unsigned i = 0; i < N; i++) {
        snprintf(id, sizeof(id), "n%u", i);
        const og_document doc = document_of(id, "one two");
        const og_span span = span_of(&doc, "one", 7, "origin");
        const og_answer answer = {.n_tokens = 16,
                                  .n_fresh = 8,
                                  .n_matching = i == 20001 ? 8 : 0,
                                  .spans = &span,
                                  .n_spans = i == 20001 ? 1 : 0};
        assert_int_equal(og_report_add(report, &doc, &answer, NULL), OG_OK);
    }
    assert_int_equal(og_report_close(report, NULL), OG_OK);
    char *cover = read_whole(path);
    assert_non_null(strstr(cover, "20003 documents, 1 with copies"));
    assert_non_null(strstr(cover, "<a href=\"r.html.parts/1.html\">1</a>"));
    assert_non_null(strstr(cover, "<a href=\"r.html.parts/2.html#d2\">n20001"));
    assert_null(strstr(cover, "r.html.parts/3.html"));
    free(cover);
    for (unsigned part = 1; part <= 2; part++) {
        char name[96];
        snprintf(name, sizeof(name), "%s.parts/%u.html", path, part);
        char *text = read_whole(name);
        assert_non_null(strstr(text, part == 1 ? "\"documents\":20000,\"part\""
                                                 ":1,\"goes_on\":true"
                                               : "\"documents\":3,\"part\""
                                                 ":2,\"goes_on\":false"));
        free(text);
        assert_int_equal(unlink(name), 0);
    }
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof(path), "%s/r.html.parts", folder);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void test_a_folder_that_is_not_there(void **state)
{
    (void)state;
    og_report *report;
    og_error err = {0};
    assert_int_equal(
        og_report_open("/nowhere/at/all.html", NULL, &report, &err), OG_ERR_IO);
    assert_non_null(strstr(err.message, "/nowhere/at/all.html"));
}

static void test_a_full_disk_spoils_the_whole(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (full == NULL) skip();
    setvbuf(full, NULL, _IONBF, 0);
    const og_document doc = document_of("a", "b");
    const og_answer answer = {0};
    og_error err = {0};
    og_report *report;
    const og_report_options options = options_of(OG_FORMAT_HTML);
    assert_int_equal(
        og_report_begin(og_write_file, full, &options, &report, &err), OG_OK);
    assert_int_equal(og_report_add(report, &doc, &answer, &err), OG_ERR_IO);
    assert_int_equal(og_report_close(report, &err), OG_ERR_IO);
    assert_true(err.message[0] != '\0');
    fclose(full);
}

static void test_nothing_to_end(void **state)
{
    (void)state;
    assert_int_equal(og_report_close(NULL, NULL), OG_OK);
    og_report_discard(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documents_apart),
        cmocka_unit_test(test_pan_has_one_root),
        cmocka_unit_test(test_tsv_has_one_header),
        cmocka_unit_test(test_every_format_ends),
        cmocka_unit_test(test_names_of_formats),
        cmocka_unit_test(test_a_callback),
        cmocka_unit_test(test_a_callback_that_is_full),
        cmocka_unit_test(test_a_file_appears_whole_or_not_at_all),
        cmocka_unit_test(test_a_long_report_is_a_folder_of_pages),
        cmocka_unit_test(test_a_folder_that_is_not_there),
        cmocka_unit_test(test_a_full_disk_spoils_the_whole),
        cmocka_unit_test(test_nothing_to_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
