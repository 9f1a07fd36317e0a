/* What went wrong with the documents of a stream, and how the run ends. */

#include "tests/unit/stage_support.h"

#include <stdio.h>

#include "lib/stream/problem_reporter.h"

static char file[] = "some.jsonl";
static char told[512]; /* "line offset skipped message;" of each */
static og_stream_counts counts;
static struct og_problem_reporter reporter;
static struct og_source_problem problems[2];
static struct og_block block;

static void note(void *ctx, const og_problem *p)
{
    const size_t len = strlen(told);
    assert_ptr_equal(ctx, &counts);
    assert_int_equal(p->file.len, strlen(file));
    assert_memory_equal(p->file.data, file, p->file.len);
    snprintf(told + len, sizeof(told) - len, "%u %u %d %s;", (unsigned)p->line,
             (unsigned)p->offset, p->skipped, p->message);
}

static int begin(void **state)
{
    (void)state;
    told[0] = 0;
    counts = (og_stream_counts){0};
    reporter = (struct og_problem_reporter){
        .ctx = &counts, .on_problem = note, .counts = &counts};
    memset(problems, 0, sizeof(problems));
    block =
        (struct og_block){.file = file, .problems = problems, .n_problems = 2};
    return 0;
}

static void set_problem(size_t i, uint64_t line, uint64_t offset, bool skipped,
                        const char *message)
{
    problems[i] = (struct og_source_problem){.line = line,
                                             .offset = offset,
                                             .skipped = skipped,
                                             .status = OG_ERR_INPUT};
    snprintf(problems[i].message, sizeof(problems[i].message), "%s", message);
}

static void expect_end(og_status status, const char *message)
{
    og_error err = {0};
    assert_int_equal(og_reporter_end(&reporter, OG_OK, &err), status);
    if (status != OG_OK) assert_string_equal(err.message, message);
}

static void test_nothing(void **state)
{
    (void)state;
    expect_end(OG_OK, NULL);
    og_reporter_note_block(&reporter, &block);
    expect_end(OG_OK, NULL);
    assert_int_equal(og_reporter_end(&reporter, OG_ERR_STOPPED, NULL),
                     OG_ERR_STOPPED);
}

static void test_told(void **state)
{
    (void)state;
    set_problem(0, 3, 40, true, "not JSON");
    set_problem(1, 4, 50, false, "repaired");
    og_report_block_problem(&reporter, &block, 0);
    og_report_block_problem(&reporter, &block, 1);
    og_report_document_problem(&reporter, &block, 5, 60, "repeated");
    assert_string_equal(told,
                        "3 40 1 not JSON;4 50 0 repaired;5 60 0 repeated;");
    assert_int_equal(counts.n_skipped, 1); /* not what was repaired */
    assert_int_equal(counts.n_files_failed, 0);
    assert_int_equal(reporter.n_skipped, 1);
    /* Nobody listens, nobody counts. */
    reporter.on_problem = NULL;
    reporter.counts = NULL;
    og_report_block_problem(&reporter, &block, 0);
    assert_int_equal(counts.n_skipped, 1);
    assert_int_equal(reporter.n_skipped, 2);
}

static void test_all_skipped(void **state)
{
    (void)state;
    set_problem(0, 3, 40, true, "not JSON");
    set_problem(1, 0, 50, true, "cut");
    og_report_block_problem(&reporter, &block, 0);
    expect_end(OG_ERR_INPUT,
               "the only record was skipped: 'some.jsonl', line 3: not JSON");
    og_report_block_problem(&reporter, &block, 1);
    expect_end(OG_ERR_INPUT, "all 2 records were skipped; the first: "
                             "'some.jsonl', line 3: not JSON");
    /* A status of the run itself goes first. */
    assert_int_equal(og_reporter_end(&reporter, OG_ERR_MEMORY, NULL),
                     OG_ERR_MEMORY);
}

static void test_place_is_an_offset(void **state)
{
    (void)state;
    set_problem(0, 0, 50, true, "cut");
    og_report_block_problem(&reporter, &block, 0);
    expect_end(OG_ERR_INPUT,
               "the only record was skipped: 'some.jsonl', byte 50: cut");
}

/* One document is enough, in whichever block; a block that grows is counted
 * once. */
static void test_documents_of_blocks(void **state)
{
    (void)state;
    set_problem(0, 1, 0, true, "not JSON");
    block.n_documents = 2;
    og_reporter_note_block(&reporter, &block);
    block.n_documents = 5;
    og_report_block_problem(&reporter, &block, 0);
    assert_int_equal(reporter.n_documents + reporter.n_documents_of_block, 5);
    expect_end(OG_OK, NULL);
    block.sequence = 1;
    block.n_documents = 0;
    og_report_block_problem(&reporter, &block, 0);
    assert_int_equal(reporter.n_documents + reporter.n_documents_of_block, 5);
    block.n_documents = 1;
    og_reporter_note_block(&reporter, &block);
    og_reporter_note_block(&reporter, &block);
    assert_int_equal(reporter.n_documents + reporter.n_documents_of_block, 6);
    assert_int_equal(reporter.n_skipped, 2);
    expect_end(OG_OK, NULL);
}

static void test_failed_files(void **state)
{
    (void)state;
    set_problem(0, 0, 7, true, "is a folder");
    set_problem(1, 0, 8, true, "is gone");
    problems[0].whole_file = problems[1].whole_file = true;
    problems[0].status = OG_ERR_IO;
    block.n_documents = 3; /* of no help */
    og_report_block_problem(&reporter, &block, 0);
    og_report_block_problem(&reporter, &block, 1);
    assert_int_equal(counts.n_files_failed, 2);
    assert_int_equal(counts.n_skipped, 0);
    assert_int_equal(reporter.n_skipped, 0);
    assert_string_equal(told, "0 7 1 is a folder;0 8 1 is gone;");
    /* The first one counts. */
    expect_end(OG_ERR_IO, "cannot read 'some.jsonl': is a folder");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_nothing, begin),
        cmocka_unit_test_setup(test_told, begin),
        cmocka_unit_test_setup(test_all_skipped, begin),
        cmocka_unit_test_setup(test_place_is_an_offset, begin),
        cmocka_unit_test_setup(test_documents_of_blocks, begin),
        cmocka_unit_test_setup(test_failed_files, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
