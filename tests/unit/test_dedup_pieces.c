/* Pieces cut out of a document: its text, its record, and the output. */

#include "tests/unit/input_support.h"
#include "tests/unit/store_support.h"

#include "lib/dedup/dedup_levels.h"
#include "lib/dedup/dedup_pieces.h"

static og_dedup_options options;
static og_input input;
static og_dedup_counts counts;
static struct og_dedup_run run;
static struct og_cut_scratch scratch;

static int set_up(void **state)
{
    if (make_folder(state) != 0) return 1;
    options = og_dedup_options_default();
    input = og_input_default();
    run = (struct og_dedup_run){
        .options = &options, .input = &input, .counts = &counts};
    run.output.has_kept = true;
    return 0;
}

static int tear_down(void **state)
{
    og_cut_scratch_release(&scratch);
    return remove_folder(state);
}

static void expect(og_bytes seen, const char *expected)
{
    assert_int_equal(seen.len, strlen(expected));
    assert_memory_equal(seen.data, expected, seen.len);
}

static struct og_dedup_doc doc_of(const char *record)
{
    return (struct og_dedup_doc){.record = bytes_of(record)};
}

/* The text of a line of JSONL is unescaped; any other document has its own. */
static void the_text_of_a_document(void **state)
{
    og_bytes text;
    struct og_dedup_doc d = doc_of("{\"id\":\"a\",\"text\":\"one\\ntwo\"}");
    (void)state;
    ASSERT_OK(og_cut_text(&run, &d, &scratch, &text, &story));
    expect(text, "one\ntwo");
    d = (struct og_dedup_doc){.doc = {.text = bytes_of("of a file")}};
    ASSERT_OK(og_cut_text(&run, &d, &scratch, &text, &story));
    expect(text, "of a file");
    d = doc_of("{\"id\":");
    assert_int_equal(og_cut_text(&run, &d, &scratch, &text, &story),
                     OG_ERR_INPUT);
}

/* Only the text is rewritten, and only where pieces go. */
static void pieces_go(void **state)
{
    static const struct og_dedup_piece pieces[] = {{.begin = 0, .end = 4},
                                                   {.begin = 8, .end = 14}};
    const struct og_dedup_doc d = doc_of(
        "{ \"id\" : \"a\", \"text\":\"one two three four\", \"more\":[1, 2]}");
    struct og_cut_document cut = {.pieces = pieces, .n = 2};
    og_bytes text;
    (void)state;
    ASSERT_OK(og_cut_text(&run, &d, &scratch, &text, &story));
    ASSERT_OK(og_cut(&run, &d, text, &scratch, &cut, &story));
    expect(cut.text, "two four");
    expect(cut.record,
           "{ \"id\" : \"a\", \"text\":\"two four\", \"more\":[1, 2]}\n");
    cut = (struct og_cut_document){.n = 0};
    ASSERT_OK(og_cut(&run, &d, text, &scratch, &cut, &story));
    assert_int_equal(cut.text.len + cut.record.len, 0);
    /* One that goes as a whole needs no record. */
    cut = (struct og_cut_document){.pieces = pieces, .n = 2, .is_all = true};
    ASSERT_OK(og_cut(&run, &d, text, &scratch, &cut, &story));
    assert_int_equal(cut.record.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_of_a_document),
        cmocka_unit_test(pieces_go),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
