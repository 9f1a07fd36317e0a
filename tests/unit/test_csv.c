/* Rows of CSV into documents, against the rules of RFC 4180 written out. */

#include "source_support.h"

#include "lib/source/table/csv.h"

static const og_fields fields = OG_FIELDS_DEFAULT;

static const char *const header = "id,time,text,who\n";

struct row {
    char unescaped[400];
    struct og_pack names, extra;
    struct og_record record;
    struct og_jsonl_problem problem;
    bool is_read;
};

static void read_row(struct row *r, const char *first, const char *row,
                     char delimiter)
{
    memset(r, 0, sizeof(*r));
    assert_true(og_csv_read_header((og_bytes){first, strlen(first)}, delimiter,
                                   &r->names));
    const og_bytes names = {(const char *)r->names.data, r->names.len};
    r->is_read =
        og_csv_read((og_bytes){row, strlen(row)}, delimiter, names, &fields,
                    r->unescaped, &r->extra, &r->record, &r->problem) != NULL;
}

static void row_release(struct row *r)
{
    og_pack_release(&r->names);
    og_pack_release(&r->extra);
}

static void assert_bytes(og_bytes bytes, const char *wanted)
{
    assert_int_equal(bytes.len, strlen(wanted));
    assert_memory_equal(bytes.data, wanted, bytes.len);
}

static void test_fields(void **state)
{
    static const struct {
        const char *row, *id, *text, *extra;
    } cases[] = {
        {"1,,plain,x\n", "1", "plain", "\"who\":\"x\""},
        {"1,,\"a, \"\"b\"\"\nc\",\n", "1", "a, \"b\"\nc", ""},
        {"1,,\"\",x\r\n", "1", "", "\"who\":\"x\""},
        {"\"1\",,\"in\"side,x", "1", "inside", "\"who\":\"x\""},
        {"1,,a \"b\" c,x", "1", "a \"b\" c", "\"who\":\"x\""},
        {"1,,open,\"x", "1", "open", "\"who\":\"x\""},
        {"1,,t,x,,\n", "1", "t", "\"who\":\"x\""}, /* empty ones behind */
        {"1,,t,\"q\"\"\\\"\n", "1", "t", "\"who\":\"q\\\"\\\\\""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct row r;
        read_row(&r, header, cases[i].row, ',');
        assert_true(r.is_read);
        assert_bytes(r.record.doc.id, cases[i].id);
        assert_bytes(r.record.doc.text, cases[i].text);
        assert_bytes(r.record.doc.extra, cases[i].extra);
        row_release(&r);
    }
}

static void test_wrong_rows(void **state)
{
    struct row r;
    (void)state;
    read_row(&r, header, "1,,t,x,more\n", ',');
    assert_false(r.is_read);
    assert_string_equal(r.problem.message,
                        "the row has more fields than the header");
    assert_string_equal(r.problem.fields, "id, time, text, who");
    row_release(&r);
    read_row(&r, header, "1,,t\n", ',');
    assert_false(r.is_read);
    row_release(&r);
    read_row(&r, "id,body\n", "1,t\n", ',');
    assert_false(r.is_read);
    assert_string_equal(r.problem.message, "the record has no text");
    row_release(&r);
}

static void test_delimiter(void **state)
{
    static const struct {
        const char *header;
        char delimiter;
        bool has_text;
    } cases[] = {
        {"id,text", ',', true},
        {"id;text;a,b", ';', true},
        {"\"id\"\t\"text\"", '\t', true},
        {"id|text", '|', true},
        {"a;b;c", ';', false},
        {"a,b;c,d", ',', false},
        {"text", ',', false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        bool has_text;
        const og_bytes h = {cases[i].header, strlen(cases[i].header)};
        assert_int_equal(og_csv_delimiter(h, "text", &has_text, NULL),
                         cases[i].delimiter);
        assert_int_equal(has_text, cases[i].has_text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_wrong_rows),
        cmocka_unit_test(test_delimiter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
