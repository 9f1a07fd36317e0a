/* Runs of the evaluation: what they must not depend on (threads, the order of
 * arrival), their memory, and refused ones, with their messages. */

#include "eval/evaluation.h"
#include "tests/unit/eval_support.h"

static void fill_runs(og_eval_run *runs, size_t n)
{
    static const og_select_options rules[] = {
        {.kind = OG_SELECT_ALL},
        {.kind = OG_SELECT_HAILSTORM, .no_overlap = true},
        {.kind = OG_SELECT_WINNOW, .param = 8, .no_overlap = true},
        {.kind = OG_SELECT_HASH_BREAK, .param = 3}};
    for (size_t i = 0; i < n; i++) {
        runs[i] = run_of(rules[i % 4], (og_evict_kind)(i % 7),
                         (og_estimate_kind)(i % 5), (og_layout_kind)(i % 2));
        runs[i].bucket_slots = 16;
        runs[i].memory_percent = i % 3 == 0 ? 50 : 15;
    }
}

static void check_same(const og_eval_result *a, const og_eval_result *b)
{
    og_eval_result timeless_a = *a, timeless_b = *b;
    timeless_a.seconds = timeless_b.seconds = 0;
    assert_memory_equal(&timeless_a, &timeless_b, sizeof(timeless_a));
}

static void results_do_not_depend_on_threads(void **state)
{
    (void)state;
    enum { N_RUNS = 60 };
    static struct stream s;
    static og_eval_run runs[N_RUNS];
    static og_eval_result one[N_RUNS], two[N_RUNS], single;
    stream_fill(&s, 20);
    stream_write(&s);
    fill_runs(runs, N_RUNS);
    og_eval *a = open_stream(&s, 1);
    og_eval *b = open_stream(&s, 2);
    assert_int_equal(og_eval_origin(a, runs, N_RUNS, one, NULL), OG_OK);
    assert_int_equal(og_eval_origin(b, runs, N_RUNS, two, NULL), OG_OK);
    for (size_t i = 0; i < N_RUNS; i++) {
        check_same(&one[i], &two[i]);
        assert_true(one[i].dominant >= 0 && one[i].dominant <= 1);
        assert_true(one[i].n_extra_right <= one[i].n_extra);
    }
    /* Nor on the runs beside it. */
    assert_int_equal(og_eval_origin(b, &runs[7], 1, &single, NULL), OG_OK);
    check_same(&single, &one[7]);
    og_eval_close(a);
    og_eval_close(b);
    stream_remove(&s);
}

/* 100 % is 18 bytes for every shingle. */
static void memory_in_percent_of_all_shingles(void **state)
{
    (void)state;
    static struct stream s;
    og_eval_facts facts;
    og_eval_result result;
    stream_fill(&s, 30);
    stream_write(&s);
    og_eval *eval = open_stream(&s, 1);
    og_eval_facts_get(eval, &facts);
    og_eval_run run = run_of((og_select_options){.kind = OG_SELECT_ALL},
                             OG_EVICT_LUCKY, OG_ESTIMATE_BOTH, OG_LAYOUT_PAPER);
    run.memory_percent = 50;
    run.bucket_slots = 4;
    assert_int_equal(og_eval_origin(eval, &run, 1, &result, NULL), OG_OK);
    assert_true(result.table_bytes <= facts.n_shingles * 9);
    assert_true(result.table_bytes + 2 * 4 * 18 > facts.n_shingles * 9);
    assert_true(result.entries_pct > 45 && result.entries_pct <= 50);
    og_eval_close(eval);
    stream_remove(&s);
}

static void too_little_memory_is_reported(void **state)
{
    (void)state;
    static struct stream s;
    og_eval_result result;
    og_error err;
    stream_fill(&s, 31);
    stream_write(&s);
    for (unsigned n_threads = 1; n_threads <= 2; n_threads++) {
        og_eval *eval = open_stream(&s, n_threads);
        og_eval_run run =
            run_of((og_select_options){.kind = OG_SELECT_ALL}, OG_EVICT_RANDOM,
                   OG_ESTIMATE_NONE, OG_LAYOUT_PAPER);
        run.memory_bytes = 100;
        assert_int_equal(og_eval_origin(eval, &run, 1, &result, &err),
                         OG_ERR_USAGE);
        assert_non_null(strstr(err.message, "has no room for one bucket"));
        og_eval_close(eval);
    }
    stream_remove(&s);
}

static void streams_without_documents_are_reported(void **state)
{
    (void)state;
    static struct stream s;
    og_eval_options options = og_eval_options_default();
    og_eval *eval;
    og_error err;
    stream_fill(&s, 32);
    stream_write(&s);
    const char *path = s.path;
    options.min_tokens = 1000;
    assert_int_equal(og_eval_open(FILES(&path, 1), &options, &eval, &err),
                     OG_ERR_INPUT);
    assert_null(eval);
    assert_string_equal(err.message,
                        "the stream has no document of 1000 tokens or more");
    og_eval_close(NULL);
    stream_remove(&s);
}

/* Documents of which each has two origins of equal weight, or no shingle at
 * all, give no query, and no measure would be a number. */
static void streams_without_queries_are_reported(void **state)
{
    (void)state;
    static struct stream s;
    og_eval_options options = og_eval_options_default();
    og_eval *eval;
    og_error err;
    stream_fill(&s, 33);
    for (uint32_t d = 0; d < N_DOCS; d++)
        s.doc[d].n = K - 1;
    stream_write(&s);
    const char *path = s.path;
    options.min_tokens = 1;
    assert_int_equal(og_eval_open(FILES(&path, 1), &options, &eval, &err),
                     OG_ERR_INPUT);
    assert_null(eval);
    assert_string_equal(err.message, "no document of the stream has a dominant "
                                     "origin: there is nothing to ask");
    stream_remove(&s);
}

/* ---- another order of arrival ---- */

static og_eval *open_in_order(const struct stream *s, og_order order)
{
    og_eval_options options = og_eval_options_default();
    const char *path = s->path;
    og_eval *eval;
    options.shingle_len = K;
    options.min_tokens = MIN_TOKENS;
    options.order = order;
    assert_int_equal(og_eval_open(FILES(&path, 1), &options, &eval, NULL),
                     OG_OK);
    return eval;
}

/* Each document once, those from the first query on in the order of time, and
 * those before it not. */
static void check_arrival(const og_eval *eval, og_order order)
{
    uint32_t n_history = 0;
    uint32_t n_moved = 0;
    uint8_t seen[N_DOCS] = {0};
    while (!eval->docs[n_history].is_query)
        n_history++;
    assert_true(n_history > 2);
    for (uint32_t i = 0; i < eval->n_docs; i++) {
        const uint32_t doc = eval->arrival[i];
        assert_true(doc < eval->n_docs && !seen[doc]);
        seen[doc] = 1;
        n_moved += doc != i;
        if (i >= n_history) assert_int_equal(doc, i);
        if (i < n_history && order == OG_ORDER_REVERSE)
            assert_int_equal(doc, n_history - 1 - i);
    }
    assert_true(order == OG_ORDER_RIGHT ? n_moved == 0 : n_moved > 0);
}

/* With memory for everything no score depends on it. */
static void arrival_changes_no_score(void **state)
{
    (void)state;
    static struct stream s;
    const og_params params = og_params_default();
    const og_eval_run run =
        run_of(params.select, params.evict, params.estimate, params.layout);
    og_eval_result right;
    og_eval_result result;
    stream_fill(&s, 35);
    stream_write(&s);
    for (int order = OG_ORDER_RIGHT; order <= OG_ORDER_RANDOM; order++) {
        og_eval *eval = open_in_order(&s, (og_order)order);
        check_arrival(eval, (og_order)order);
        assert_int_equal(og_eval_origin(eval, &run, 1, &result, NULL), OG_OK);
        if (order == OG_ORDER_RIGHT) right = result;
        assert_true(result.dominant == right.dominant);
        assert_true(result.freshness == right.freshness);
        assert_int_equal(result.n_extra, right.n_extra);
        assert_int_equal(result.n_extra_right, right.n_extra_right);
        og_eval_close(eval);
    }
    stream_remove(&s);
}

static void shingle_lengths_are_checked(void **state)
{
    (void)state;
    static const uint32_t wrong[] = {0, 1, 33, UINT32_MAX};
    static struct stream s;
    og_eval_options options = og_eval_options_default();
    og_eval *eval;
    og_error err;
    stream_fill(&s, 34);
    stream_write(&s);
    const char *path = s.path;
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        options.shingle_len = wrong[i];
        assert_int_equal(og_eval_open(FILES(&path, 1), &options, &eval, &err),
                         OG_ERR_USAGE);
        assert_null(eval);
        assert_non_null(strstr(err.message, "the shingle length is"));
    }
    for (options.shingle_len = 2; options.shingle_len <= 32;
         options.shingle_len += 30) {
        assert_int_equal(og_eval_open(FILES(&path, 1), &options, &eval, &err),
                         OG_OK);
        og_eval_close(eval);
    }
    stream_remove(&s);
}

static void check_refused(og_eval *eval, const og_eval_run *run,
                          const char *message)
{
    og_eval_run runs[2];
    og_eval_result results[2];
    og_error err;
    runs[0] = run_of((og_select_options){.kind = OG_SELECT_ALL},
                     OG_EVICT_RANDOM, OG_ESTIMATE_NONE, OG_LAYOUT_PAPER);
    runs[1] = *run;
    assert_int_equal(og_eval_origin(eval, runs, 2, results, &err),
                     OG_ERR_USAGE);
    assert_string_equal(err.message, message);
}

static void runs_are_checked(void **state)
{
    (void)state;
    static struct stream s;
    stream_fill(&s, 35);
    stream_write(&s);
    og_eval *eval = open_stream(&s, 1);
    const og_eval_run good =
        run_of((og_select_options){.kind = OG_SELECT_HAILSTORM}, OG_EVICT_LEARN,
               OG_ESTIMATE_CONTEXT, OG_LAYOUT_PACKED);
    og_eval_run run = good;
    run.bucket_slots = 0;
    check_refused(eval, &run,
                  "the number of slots in a bucket is 0, but must "
                  "be 4 to 256");
    run.bucket_slots = 48;
    check_refused(eval, &run,
                  "the number of slots in a bucket is 48, but must "
                  "be a power of two");
    run = good;
    run.bridge_limit = 0;
    check_refused(eval, &run,
                  "the bridge limit is 0, but must be 1 to 4294967295");
    run = good;
    run.select = (og_select_options){.kind = OG_SELECT_MODULO};
    check_refused(eval, &run, "the number of selection M0 must be at least 1");
    run.select = (og_select_options){.kind = OG_SELECT_SYNCMER, .param = 8};
    check_refused(eval, &run,
                  "selection Os8 names a token outside a shingle of 8");
    run = good;
    run.memory_percent = -1;
    check_refused(eval, &run,
                  "the memory is -1 percent, but must be 0 to 1000000");
    og_eval_close(eval);
    stream_remove(&s);
}

/* A segment is not one of the shingles whose origin is known: labels added to
 * its hits are not counted. */
static void segments_have_no_extra_labels(void **state)
{
    (void)state;
    static struct stream s;
    static const og_select_kind kinds[] = {OG_SELECT_HASH_BREAK, OG_SELECT_DCT,
                                           OG_SELECT_MODULO};
    stream_fill(&s, 36);
    stream_write(&s);
    og_eval *eval = open_stream(&s, 1);
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        og_eval_result result;
        og_eval_run run =
            run_of((og_select_options){.kind = kinds[i], .param = 3},
                   OG_EVICT_RANDOM, OG_ESTIMATE_BRIDGE, OG_LAYOUT_PAPER);
        run.bucket_slots = 4;
        run.memory_bytes = 4000;
        assert_int_equal(og_eval_origin(eval, &run, 1, &result, NULL), OG_OK);
        assert_int_equal(result.n_extra > 0, kinds[i] == OG_SELECT_MODULO);
        assert_true(result.n_extra_right <= result.n_extra);
    }
    og_eval_close(eval);
    stream_remove(&s);
}

static void count_problem(void *ctx, const og_problem *problem)
{
    uint32_t *n_problems = ctx;
    assert_true(problem->skipped);
    assert_non_null(problem->message);
    (*n_problems)++;
}

/* With no other file there is no stream either, and the first is named. */
static void nothing_but_missing_files(void **state)
{
    (void)state;
    og_eval_options options = og_eval_options_default();
    const char *const paths[] = {"/nowhere/at/all.jsonl", "/nowhere/else.txt"};
    uint32_t n_problems = 0;
    og_eval *eval;
    og_error err;
    og_input input = input_of(paths, 2, 0);
    input.ctx = &n_problems;
    input.on_problem = count_problem;
    assert_int_equal(og_eval_open(&input, &options, &eval, &err), OG_ERR_IO);
    assert_null(eval);
    assert_int_equal(n_problems, 2);
    assert_string_equal(err.message, "cannot open '/nowhere/at/all.jsonl': no "
                                     "such file or directory");
    input.on_problem = NULL; /* the message does not depend on it */
    assert_int_equal(og_eval_open(&input, &options, &eval, &err), OG_ERR_IO);
    assert_non_null(strstr(err.message, "/nowhere/at/all.jsonl"));
}

/* A missing file is a reported problem; the others are read. */
static void a_missing_file_among_others(void **state)
{
    (void)state;
    static struct stream s;
    og_eval_options options = og_eval_options_default();
    og_eval_facts facts;
    uint32_t n_problems = 0;
    og_eval *eval;
    og_error err;
    stream_fill(&s, 37);
    stream_write(&s);
    const char *const paths[] = {"/nowhere/at/all.jsonl", s.path};
    og_input input = input_of(paths, 2, 0);
    input.ctx = &n_problems;
    input.on_problem = count_problem;
    assert_int_equal(og_eval_open(&input, &options, &eval, &err), OG_OK);
    assert_int_equal(n_problems, 1);
    og_eval_facts_get(eval, &facts);
    assert_true(facts.n_documents > 0);
    og_eval_close(eval);
    /* All too short: that is the story then, not the file. */
    options.min_tokens = 1000;
    assert_int_equal(og_eval_open(&input, &options, &eval, &err), OG_ERR_INPUT);
    assert_string_equal(err.message,
                        "the stream has no document of 1000 tokens or more");
    stream_remove(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(memory_in_percent_of_all_shingles),
        cmocka_unit_test(too_little_memory_is_reported),
        cmocka_unit_test(streams_without_documents_are_reported),
        cmocka_unit_test(streams_without_queries_are_reported),
        cmocka_unit_test(arrival_changes_no_score),
        cmocka_unit_test(shingle_lengths_are_checked),
        cmocka_unit_test(runs_are_checked),
        cmocka_unit_test(segments_have_no_extra_labels),
        cmocka_unit_test(nothing_but_missing_files),
        cmocka_unit_test(a_missing_file_among_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
