/* The three outputs of a run of dedup: what each line looks like, what may be
 * an output, and that all appear together or none does. */

#include "tests/unit/store_support.h"

#include "lib/dedup/dedup_output.h"

#include <unistd.h>

static char kept[300], report[300], rejects[300], input_path[300];
static const char *paths[1];
static og_dedup_options options;
static og_input input;
static struct og_dedup_output out;
static const struct og_output_lens nothing;

static int set_up(void **state)
{
    if (make_folder(state) != 0) return 1;
    snprintf(kept, sizeof(kept), "%s", in("kept.jsonl"));
    snprintf(report, sizeof(report), "%s", in("report.tsv"));
    snprintf(rejects, sizeof(rejects), "%s", in("rejects"));
    snprintf(input_path, sizeof(input_path), "%s", in("input.jsonl"));
    save(input_path, "", 0);
    paths[0] = input_path;
    options = og_dedup_options_default();
    options.output = kept;
    options.report = report;
    options.rejects = rejects;
    input = og_input_default();
    input.paths = paths;
    input.n_paths = 1;
    og_dedup_output_init(&out, &options, &input);
    return 0;
}

static int tear_down(void **state)
{
    og_dedup_output_close(&out, false);
    return remove_folder(state);
}

static const struct og_dedup_doc doc_of_rows;

/* As they are: a level makes lines of them. */
static og_status pack_rows(void *ctx, const struct og_dedup_doc *doc,
                           og_bytes pieces, struct og_pack *lines,
                           og_error *err)
{
    (void)err;
    assert_ptr_equal(ctx, &out);
    assert_ptr_equal(doc, &doc_of_rows);
    og_pack_bytes(lines, pieces.data, pieces.len);
    return OG_OK;
}

static void open_outputs(void)
{
    out.rows_ctx = &out;
    out.pack_rows = pack_rows;
    ASSERT_OK(og_dedup_output_lock(&out, &story));
    ASSERT_OK(og_dedup_output_open(&out, OG_PART_NEW, &nothing, &story));
}

static void check_file(const char *path, const char *expected)
{
    size_t len;
    uint8_t *data = load(path, &len);
    data[len] = '\0';
    assert_string_equal((char *)data, expected);
    free(data);
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* A line of JSONL, or a document that was none. */
static struct og_dedup_doc doc_of(const char *record, const char *id,
                                  const char *text)
{
    return (struct og_dedup_doc){
        .record = bytes_of(record),
        .doc = {.id = bytes_of(id), .text = bytes_of(text)}};
}

#define RECORD "{\"id\":\"a\",\"text\":\"one two\",\"more\":[1]}"

/* ---- lines ---- */

static void kept_lines_are_the_input(void **state)
{
    (void)state;
    const struct og_dedup_doc line = doc_of(RECORD, "a", "one two");
    const struct og_dedup_doc none = doc_of("", "b", "three");
    open_outputs();
    ASSERT_OK(og_dedup_write_kept(&out, &line, &story));
    ASSERT_OK(og_dedup_write_kept(&out, &none, &story));
    assert_false(is_there(kept));
    ASSERT_OK(og_dedup_output_commit(&out, &story));
    check_file(kept, RECORD "\n{\"id\":\"b\",\"text\":\"three\"}\n");
    check_file(report, "");
    check_file(rejects, "");
}

/* As a block lists them, for a thread that writes later. */
static void listed_lines_are_written_later(void **state)
{
    (void)state;
    struct og_output_list list = {0};
    const struct og_dedup_doc line = doc_of(RECORD, "a", "one two");
    const struct og_dedup_doc none = doc_of("", "b", "three");
    char reject[] = "no json", cut[] = "cut";
    open_outputs();
    out.list = &list;
    ASSERT_OK(og_dedup_write_kept(&out, &line, &story));
    ASSERT_OK(og_dedup_write_reject(&out, bytes_of(reject), true, &story));
    ASSERT_OK(og_dedup_write_cut(&out, &line, bytes_of("x"), bytes_of(cut),
                                 false, &story));
    ASSERT_OK(og_dedup_write_kept(&out, &none, &story));
    ASSERT_OK(og_dedup_write_reject(&out, bytes_of(reject), false, &story));
    memset(reject, '!', sizeof(reject) - 1); /* copied */
    memset(cut, '!', sizeof(cut) - 1);
    assert_int_equal(list.n, 5);
    out.list = NULL;
    ASSERT_OK(og_dedup_output_write(&out, &list, &story));
    assert_int_equal(list.n, 0);
    ASSERT_OK(og_dedup_output_write(&out, &list, &story)); /* only once */
    ASSERT_OK(og_dedup_output_commit(&out, &story));
    check_file(kept, RECORD "\ncut{\"id\":\"b\",\"text\":\"three\"}\n");
    check_file(rejects, "no jsonno json\n");
    og_output_list_release(&list);
}

/* A mark of the journal stands for what is listed, too. */
static void a_sync_writes_the_list(void **state)
{
    (void)state;
    struct og_output_list list = {0};
    struct og_output_lens lens;
    const struct og_dedup_doc line = doc_of(RECORD, "a", "one two");
    open_outputs();
    out.list = &list;
    ASSERT_OK(og_dedup_write_kept(&out, &line, &story));
    ASSERT_OK(og_dedup_output_sync(&out, &lens, &story));
    assert_int_equal(lens.kept, sizeof(RECORD));
    assert_int_equal(list.n, 0);
    og_output_list_release(&list);
    out.list = NULL;
}

static const struct og_removal removal = {
    .id = OG_LITERAL("b\t1"),
    .of_id = OG_LITERAL("a\"1"),
    .similarity = 0.75,
    .cluster = 3,
    .of_number = 0,
    .file = "x.jsonl",
    .line = 12,
};

static void removals_in_a_table(void **state)
{
    (void)state;
    struct og_removal other = removal;
    other.similarity = -1;
    other.cluster = 0;
    const struct og_dedup_doc doc = doc_of(RECORD, "b", "one two");
    open_outputs();
    ASSERT_OK(og_dedup_write_removed(&out, &doc, &removal, &story));
    ASSERT_OK(og_dedup_write_removed(&out, &doc, &other, &story));
    ASSERT_OK(og_dedup_write_gone(&out, &doc, &story));
    ASSERT_OK(og_dedup_output_commit(&out, &story));
    check_file(report, "id\tduplicate_of\tsimilarity\tcluster\tfile\tline\n"
                       "b\\u00091\ta\"1\t0.75\t3\tx.jsonl\t12\n"
                       "b\\u00091\ta\"1\t\t\tx.jsonl\t12\n");
    check_file(kept, "");
}

static void removals_as_json(void **state)
{
    (void)state;
    const struct og_dedup_doc doc = doc_of(RECORD, "b", "one two");
    options.format = OG_FORMAT_JSON;
    open_outputs();
    ASSERT_OK(og_dedup_write_removed(&out, &doc, &removal, &story));
    ASSERT_OK(og_dedup_output_commit(&out, &story));
    check_file(report, "{\"id\":\"b\\t1\",\"duplicate_of\":\"a\\\"1\","
                       "\"similarity\":0.75,\"cluster\":3,\"file\":"
                       "\"x.jsonl\",\"line\":12}\n");
}

/* The record stays, with what was found; also one that was no line. */
static void removals_annotated(void **state)
{
    (void)state;
    const struct og_dedup_doc line = doc_of(RECORD, "b", "one two");
    const struct og_dedup_doc none = doc_of("", "b", "one two");
#define MATCH                                                                  \
    ",\"origo\":{\"duplicate_of\":\"a\\\"1\",\"similarity\":0.75,"             \
    "\"cluster\":3}}\n"
    options.annotate = true;
    open_outputs();
    ASSERT_OK(og_dedup_write_removed(&out, &line, &removal, &story));
    ASSERT_OK(og_dedup_write_removed(&out, &none, &removal, &story));
    ASSERT_OK(og_dedup_output_commit(&out, &story));
    check_file(kept, "{\"id\":\"a\",\"text\":\"one two\",\"more\":[1]" MATCH
                     "{\"id\":\"b\",\"text\":\"one two\"" MATCH);
}

static void documents_that_were_cut(void **state)
{
    (void)state;
    const struct og_dedup_doc docs[] = {doc_of(RECORD, "a", "one two"),
                                        doc_of("", "b", "three four")};
    struct og_pack line = {0};
    open_outputs();
    for (size_t i = 0; i < 2; i++) {
        /* The record is scanned with room after it. */
        char record[200] = RECORD;
        struct og_dedup_doc doc = docs[i];
        if (doc.record.len > 0) doc.record.data = record;
        line.len = 0;
        ASSERT_OK(og_dedup_pack_cut(&input.fields, &doc, bytes_of("\"new\""),
                                    &line, &story));
        const og_bytes made = {(const char *)line.data, line.len};
        ASSERT_OK(og_dedup_write_cut(&out, &doc, bytes_of("\"new\""), made,
                                     false, &story));
    }
    og_pack_release(&line);
    ASSERT_OK(og_dedup_output_commit(&out, &story));
    check_file(kept, "{\"id\":\"a\",\"text\":\"\\\"new\\\"\",\"more\":[1]}\n"
                     "{\"id\":\"b\",\"text\":\"\\\"new\\\"\"}\n");
}

static void rejects_in_pieces(void **state)
{
    (void)state;
    open_outputs();
    ASSERT_OK(og_dedup_write_reject(&out, bytes_of("no "), true, &story));
    ASSERT_OK(og_dedup_write_reject(&out, bytes_of("JSON"), false, &story));
    ASSERT_OK(og_dedup_write_reject(&out, bytes_of(""), false, &story));
    ASSERT_OK(og_dedup_write_rows(&out, &doc_of_rows, bytes_of("any line\n"),
                                  &story));
    ASSERT_OK(og_dedup_output_commit(&out, &story));
    check_file(rejects, "no JSON\n\n");
    check_file(report, "any line\n");
}

/* ---- decisions ---- */

static og_dedup_decision heard[8];
static size_t n_heard, n_most;

static bool on_decision(void *ctx, const og_dedup_decision *decision)
{
    (void)ctx;
    heard[n_heard++] = *decision;
    return n_heard < n_most;
}

static void decisions_are_told_in_order(void **state)
{
    (void)state;
    const struct og_dedup_doc doc = doc_of(RECORD, "a", "one two");
    n_heard = 0;
    n_most = 4;
    options = og_dedup_options_default(); /* no files at all */
    options.on_decision = on_decision;
    open_outputs();
    ASSERT_OK(og_dedup_write_kept(&out, &doc, &story));
    ASSERT_OK(og_dedup_write_removed(&out, &doc, &removal, &story));
    ASSERT_OK(og_dedup_write_cut(&out, &doc, bytes_of("one"), bytes_of("x"),
                                 false, &story));
    ASSERT_OK(og_dedup_write_reject(&out, bytes_of("x"), false, &story));
    ASSERT_OK(og_dedup_write_rows(&out, &doc_of_rows, bytes_of("x"), &story));
    assert_int_equal(og_dedup_write_gone(&out, &doc, &story), OG_ERR_STOPPED);
    assert_int_equal(n_heard, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(heard[i].number, i);
    assert_true(heard[0].is_kept && !heard[0].is_cut);
    assert_true(!heard[1].is_kept && heard[1].similarity == 0.75);
    assert_int_equal(heard[1].of_number, 0);
    assert_true(heard[2].is_kept && heard[2].is_cut);
    assert_int_equal(heard[2].text.len, 3);
    assert_true(!heard[3].is_kept && heard[3].of_id.len == 0);
    assert_true(heard[3].of_number == OG_NOT_OF_INPUT);
}

/* ---- files ---- */

static void refuse(const char *message)
{
    assert_int_equal(og_dedup_output_lock(&out, &story), OG_ERR_USAGE);
    assert_non_null(strstr(story.message, message));
    og_dedup_output_close(&out, false);
    og_dedup_output_init(&out, &options, &input);
}

static void what_is_no_output(void **state)
{
    (void)state;
    char link[300], around[300];
    snprintf(link, sizeof(link), "%s", in("link"));
    assert_int_equal(symlink(input_path, link), 0);
    options.output = input_path;
    refuse("is one of the inputs");
    options.output = link; /* by another name */
    refuse("is one of the inputs");
    options.output = kept;
    options.report = kept;
    refuse("are the same file");
    options.report = report;
    snprintf(around, sizeof(around), "%s", in(""));
    paths[0] = around;
    refuse("that is read");
    paths[0] = input_path;
    const char *const against[] = {rejects};
    options.against = against;
    options.n_against = 1;
    refuse("is one of the inputs");
}

static void nobody_else_writes_them(void **state)
{
    (void)state;
    struct og_dedup_output other;
    open_outputs();
    og_dedup_output_init(&other, &options, &input);
    assert_int_equal(og_dedup_output_lock(&other, &story), OG_ERR_BUSY);
    assert_non_null(strstr(story.message, "another process is writing"));
    og_dedup_output_close(&other, false);
    og_dedup_output_close(&out, false);
    og_dedup_output_init(&other, &options, &input);
    ASSERT_OK(og_dedup_output_lock(&other, &story));
    og_dedup_output_close(&other, false);
}

static void without_a_commit_there_is_nothing(void **state)
{
    (void)state;
    const struct og_dedup_doc doc = doc_of(RECORD, "a", "one two");
    open_outputs();
    ASSERT_OK(og_dedup_write_kept(&out, &doc, &story));
    og_dedup_output_close(&out, false);
    assert_false(is_there(kept) || is_there(report) || is_there(rejects));
}

/* Synced, left, and continued from there: what came later is gone. */
static void a_run_goes_on(void **state)
{
    (void)state;
    struct og_output_lens lens;
    const struct og_dedup_doc first = doc_of(RECORD, "a", "one two");
    const struct og_dedup_doc second = doc_of("", "b", "three");
    options.resume = true;
    open_outputs();
    ASSERT_OK(og_dedup_write_kept(&out, &first, &story));
    ASSERT_OK(og_dedup_write_reject(&out, bytes_of("bad"), false, &story));
    ASSERT_OK(og_dedup_output_sync(&out, &lens, &story));
    assert_int_equal(lens.kept, strlen(RECORD) + 1);
    assert_int_equal(lens.report, 0);
    assert_int_equal(lens.rejects, 4);
    ASSERT_OK(og_dedup_write_kept(&out, &first, &story));
    og_dedup_output_close(&out, true);
    og_dedup_output_init(&out, &options, &input);
    ASSERT_OK(og_dedup_output_lock(&out, &story));
    ASSERT_OK(og_dedup_output_open(&out, OG_PART_RESUMED, &lens, &story));
    ASSERT_OK(og_dedup_write_kept(&out, &second, &story));
    ASSERT_OK(og_dedup_output_commit(&out, &story));
    check_file(kept, RECORD "\n{\"id\":\"b\",\"text\":\"three\"}\n");
    check_file(rejects, "bad\n");
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(kept_lines_are_the_input),
        CASE(listed_lines_are_written_later),
        CASE(a_sync_writes_the_list),
        CASE(removals_in_a_table),
        CASE(removals_as_json),
        CASE(removals_annotated),
        CASE(documents_that_were_cut),
        CASE(rejects_in_pieces),
        CASE(decisions_are_told_in_order),
        CASE(what_is_no_output),
        CASE(nobody_else_writes_them),
        CASE(without_a_commit_there_is_nothing),
        CASE(a_run_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
