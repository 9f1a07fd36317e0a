#include "tests/unit/source_support.h"

#include "lib/source/block.h"

static const struct og_source_options defaults = {.fields = OG_FIELDS_DEFAULT};

/* A block as og_source_next() would have filled it. */
static void fill_block(struct og_block *block, enum og_block_kind kind,
                       const char *data)
{
    const size_t len = strlen(data);
    og_block_init(block, NULL);
    assert_int_equal(og_block_reserve(block, len, NULL), OG_OK);
    memcpy(block->data, data, len);
    memset(block->data + len, 0, OG_BLOCK_PADDING);
    block->len = len;
    block->kind = kind;
    assert_true(OG_GROW(NULL, block->file, block->file_cap, 16));
    strcpy(block->file, "dir/f.jsonl");
    block->first_line = block->next_line = 100;
    block->offset = 5000;
}

static void read_block(struct og_block *block,
                       const struct og_source_options *options, struct run *run)
{
    struct og_record record;
    memset(run, 0, sizeof(*run));
    string_add(&run->documents, "", 0);
    string_add(&run->problems, "", 0);
    while (og_block_next(block, options, &record, NULL) == OG_OK)
        note_document(run, &record);
    assert_int_equal(og_block_next(block, options, &record, NULL), OG_END);
    note_problems(run, block);
}

static void check_lines(const char *data, const char *documents,
                        const char *problems)
{
    struct og_block block;
    struct run run;
    fill_block(&block, OG_BLOCK_LINES, data);
    read_block(&block, &defaults, &run);
    assert_string_equal(run.documents.data, documents);
    assert_string_equal(run.problems.data, problems);
    run_release(&run);
    og_block_release(&block);
}

static void test_lines(void **state)
{
    (void)state;
    check_lines("", "", "");
    check_lines("{\"id\":\"a\",\"text\":\"x\"}\n", "a|||-|x|100|5000\n", "");
    check_lines("{\"id\":\"a\",\"text\":\"x\"}\n{\"id\":\"b\",\"text\":\"y\"}",
                "a|||-|x|100|5000\nb|||-|y|101|5022\n", "");
    check_lines("{\"id\":\"a\",\"text\":\"x\"}\r\n\r\n \t\n\n"
                "{\"id\":\"b\",\"text\":\"y\"}\r\n",
                "a|||-|x|100|5000\nb|||-|y|104|5029\n", "");
}

static void test_made_up_id(void **state)
{
    (void)state;
    check_lines("{\"text\":\"x\\n\"}\n{\"id\":\"\",\"text\":\"y\"}\n",
                "dir/f.jsonl:100|||-|x\n|100|5000\n"
                "dir/f.jsonl:101|||-|y|101|5015\n",
                "");
}

static void test_broken_lines(void **state)
{
    (void)state;
    check_lines("{\"id\":\"a\",\"text\":\"x\"}\n"
                "{\"id\" \"b\"}\n"
                "plain\n"
                "{\"id\":\"c\"}\n"
                "{\"id\":\"d\",\"text\":\"y\"}\n"
                "{\"id\":\"e\",\"text\":\"y",
                "a|||-|x|100|5000\nd|||-|y|104|5050\n",
                "101:5028: expected ':' after a key, at byte 6 of the line"
                " [skipped]\n"
                "102:5033: expected '{', at byte 0 of the line [skipped]\n"
                "103:5039: the record has no text; its fields: id"
                " [skipped]\n"
                "105:5091: expected '\"' at the end of a string, at byte 19 of"
                " the line [skipped]\n");
}

/* The input broke off inside the last line: that was already reported. */
static void test_cut_line(void **state)
{
    struct og_block block;
    struct run run;
    (void)state;
    fill_block(&block, OG_BLOCK_LINES,
               "{\"id\":\"a\",\"text\":\"x\"}\n{\"id\":\"b\",\"te");
    block.is_cut = true;
    read_block(&block, &defaults, &run);
    assert_int_equal(run.n_documents, 1);
    assert_int_equal(run.n_problems, 0);
    run_release(&run);
    og_block_release(&block);
    /* A line that has its newline was not cut. */
    fill_block(&block, OG_BLOCK_LINES, "{\"id\":\"b\",\"te\n");
    block.is_cut = true;
    read_block(&block, &defaults, &run);
    assert_int_equal(run.n_problems, 1);
    run_release(&run);
    og_block_release(&block);
}

static void test_long_line(void **state)
{
    struct og_source_options options = defaults;
    struct og_block block;
    struct run run;
    (void)state;
    options.max_document = 14;
    fill_block(&block, OG_BLOCK_LINES,
               "{\"text\":\"xx\"}\n{\"text\":\"xxxx\"}\n{\"text\":\"xxx\"}\n");
    read_block(&block, &options, &run);
    assert_int_equal(run.n_documents, 2);
    assert_string_equal(
        run.problems.data,
        "101:5014: the record is longer than 14 bytes [skipped]\n");
    run_release(&run);
    og_block_release(&block);
}

static void test_text(void **state)
{
    struct og_block block;
    struct run run;
    (void)state;
    fill_block(&block, OG_BLOCK_TEXT, "a\nb\n");
    block.file_time = 7;
    block.has_file_time = true;
    read_block(&block, &defaults, &run);
    assert_string_equal(run.documents.data,
                        "dir/f.jsonl|f.jsonl||7|a\nb\n|100|5000\n");
    run_release(&run);
    og_block_release(&block);
}

static void test_empty(void **state)
{
    struct og_block block;
    struct run run;
    (void)state;
    og_block_init(&block, NULL);
    read_block(&block, &defaults, &run);
    assert_int_equal(run.n_documents, 0);
    run_release(&run);
    og_block_release(&block);
    og_block_release(&block); /* twice is fine */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),        cmocka_unit_test(test_made_up_id),
        cmocka_unit_test(test_broken_lines), cmocka_unit_test(test_cut_line),
        cmocka_unit_test(test_long_line),    cmocka_unit_test(test_text),
        cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
