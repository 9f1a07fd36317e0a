/* All memory of the library comes from one allocator: what every object of the
 * public interface holds is counted, and all of it is given back. */

#include "tests/unit/source_support.h"

#include <origo/origo.h>
#include <stdatomic.h>

static atomic_size_t n_calls, n_held;

static void *count_resize(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    (void)ctx;
    n_held += new_len - old_len;
    if (new_len != 0) {
        n_calls++;
        return realloc(ptr, new_len);
    }
    free(ptr);
    return NULL;
}

static struct folder folder;
static char input_path[256], other_path[256];
static const char *const inputs[] = {input_path};

static void write_file(char path[static 256], const char *name,
                       const char *text)
{
    snprintf(path, 256, "%s", folder_put(&folder, name, text));
}

static int set_up(void **state)
{
    struct string text = {0};
    (void)state;
    folder_make(&folder);
    for (int i = 0; i < 40; i++) {
        string_fp(&text, "{\"id\":\"d%d\",\"text\":\"", i);
        for (int j = 0; j < 60; j++)
            string_fp(&text, "%sw%d", j > 0 ? (j % 12 ? " " : ". ") : "",
                      i % 20 * 100 + j);
        string_fp(&text, ".\"}\n");
    }
    write_file(input_path, "in.jsonl", text.data);
    string_release(&text);
    og_allocator_set(&(og_allocator){NULL, count_resize});
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    og_allocator_set(NULL);
    folder_remove(&folder);
    return 0;
}

static size_t calls_before;

static int begin(void **state)
{
    (void)state;
    calls_before = n_calls;
    return 0;
}

/* Something was allocated, and all of it was freed. */
static int end(void **state)
{
    (void)state;
    if (n_calls == calls_before || n_held != 0)
        fprintf(stderr, "%zu calls, %zu bytes are left\n",
                (size_t)n_calls - calls_before, (size_t)n_held);
    return n_calls > calls_before && n_held == 0 ? 0 : -1;
}

static og_input documents(void)
{
    og_input input = og_input_default();
    input.paths = inputs;
    input.n_paths = 1;
    input.n_threads = 2;
    return input;
}

static const og_document letter = {
    .id = OG_LITERAL("q"),
    .text = OG_LITERAL("w100 w101 w102 w103 w104 w105 w106 w107 w108 w109 w110 "
                       "w111. w112 w113 w114 w115 w116 w117 w118 w119 w120.")};

/* All three kinds of queries, of a store with a table of 64 KiB that is
 * counted, too. */
static void a_store(void **state)
{
    og_params params = og_params_default();
    params.memory = 1 << 16;
    og_near_options near = og_near_options_default();
    const og_store_options options = {
        .params = &params, .indexes = OG_INDEXES_ALL, .near_options = &near};
    const og_stream_options stream = {.add = true};
    const og_input input = documents();
    const og_near_match *matches;
    const og_quotes *quotes;
    og_store *store;
    size_t n;
    (void)state;
    near.memory = 1 << 20;
    assert_int_equal(
        og_store_open(":memory:", OG_CREATE, &options, &store, NULL), OG_OK);
    assert_true(n_held > 1 << 16);
    assert_int_equal(og_stream_run(store, &input, &stream, NULL, NULL), OG_OK);
    og_trace *trace = og_trace_new(store);
    assert_int_equal(og_store_trace(store, &letter, trace, NULL), OG_OK);
    assert_true(og_trace_answer(trace)->n_spans > 0);
    assert_int_equal(og_store_near(store, &letter, NULL, &matches, &n, NULL),
                     OG_OK);
    assert_int_equal(og_store_quote(store, &letter, NULL, &quotes, NULL),
                     OG_OK);
    og_trace_free(trace);
    assert_int_equal(og_store_close(store, NULL), OG_OK);
}

static void deduplication(void **state)
{
    const og_input input = documents();
    (void)state;
    for (int level = OG_LEVEL_DOCUMENT; level <= OG_LEVEL_LINE; level++) {
        og_dedup_options options = og_dedup_options_default();
        og_dedup_counts counts;
        options.level = (og_dedup_level)level;
        write_file(other_path, "out", "");
        options.output = other_path;
        options.least_tokens = 5;
        assert_int_equal(og_dedup_run(&input, &options, &counts, NULL), OG_OK);
        assert_true(counts.n_removed + counts.n_cut > 0);
        assert_int_equal(n_held, 0);
    }
}

static void sketches(void **state)
{
    const og_feature_options options = og_feature_options_default();
    const og_bands bands = {
        .n_bands = 3, .n_rows = 2, .n_needed = 1, .n_bits = 64};
    const uint64_t values[3] = {1, 2, 3};
    const uint32_t *met;
    og_sketcher *sketcher;
    og_band_tables *tables;
    og_simhash code;
    size_t n;
    (void)state;
    assert_int_equal(og_sketcher_new(&options, &sketcher, NULL), OG_OK);
    assert_int_equal(
        og_sketcher_simhash(sketcher, &letter, 64, &code, NULL, NULL), OG_OK);
    og_sketcher_free(sketcher);
    assert_int_equal(og_band_tables_new(&bands, &tables, NULL), OG_OK);
    assert_int_equal(og_band_tables_meet(tables, values, 0, &met, &n, NULL),
                     OG_OK);
    og_band_tables_free(tables);
}

static bool count_match(void *ctx, const og_hamming_match *match)
{
    (void)match;
    ++*(int *)ctx;
    return true;
}

static void codes(void **state)
{
    og_hamming *index;
    int n = 0;
    (void)state;
    assert_int_equal(og_hamming_open(":memory:", OG_CREATE, NULL, &index, NULL),
                     OG_OK);
    assert_int_equal(og_hamming_add(index, 7, letter.id, NULL), OG_OK);
    assert_int_equal(og_hamming_ask(index, 6, 1, &n, count_match, NULL), OG_OK);
    assert_int_equal(n, 1);
    assert_int_equal(og_hamming_close(index, NULL), OG_OK);
}

static void comparisons_and_reports(void **state)
{
    og_comparison *comparison = og_comparison_new();
    og_links *links = og_links_new();
    og_report *report;
    (void)state;
    assert_non_null(comparison);
    assert_non_null(links);
    assert_int_equal(og_compare(comparison, &letter, &letter, NULL, NULL),
                     OG_OK);
    const og_answer *answer = og_comparison_answer(comparison);
    assert_int_equal(og_links_add(links, &letter, answer, NULL), OG_OK);
    for (int format = OG_FORMAT_TEXT; format <= OG_FORMAT_TEI; format++) {
        og_report_options options = og_report_options_default();
        options.format = (og_format)format;
        FILE *out = tmpfile();
        assert_int_equal(
            og_report_begin(og_write_file, out, &options, &report, NULL),
            OG_OK);
        assert_int_equal(og_report_add(report, &letter, answer, NULL), OG_OK);
        assert_int_equal(og_report_close(report, NULL), OG_OK);
        assert_true(ftell(out) > 0);
        fclose(out);
    }
    og_links_free(links);
    og_comparison_free(comparison);
}

static void deltas(void **state)
{
    char out[256];
    (void)state;
    write_file(out, "delta", "");
    write_file(other_path, "new", "other");
    assert_int_equal(
        og_delta_make(inputs, 1, other_path, out, NULL, NULL, NULL), OG_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_store, begin, end),
        cmocka_unit_test_setup_teardown(deduplication, begin, end),
        cmocka_unit_test_setup_teardown(sketches, begin, end),
        cmocka_unit_test_setup_teardown(codes, begin, end),
        cmocka_unit_test_setup_teardown(comparisons_and_reports, begin, end),
        cmocka_unit_test_setup_teardown(deltas, begin, end),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
