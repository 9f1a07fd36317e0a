/* Streams of documents to sketches: the same for any number of threads, equal
 * to one document at a time; problems reported in order; binary files. */

#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

#include "lib/sketch/sketch_file.h"
#include "tests/unit/input_support.h"
#include "tests/unit/stage_support.h"

enum { N_DOCS = 3000 };

struct fixture {
    char input[64], output[64];
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    strcpy(f->input, "/tmp/origo-test-XXXXXX.jsonl");
    strcpy(f->output, "/tmp/origo-test-XXXXXX");
    const int a = mkstemps(f->input, 6), b = mkstemp(f->output);
    if (a < 0 || b < 0) return -1;
    close(b);
    FILE *file = fdopen(a, "w");
    uint64_t random = 1;
    for (unsigned i = 0; i < N_DOCS; i++) {
        if (i == 1700) fprintf(file, "{\"id\": broken\n");
        fprintf(file, "{\"id\":\"d%u\",\"title\":\"t %u\",\"text\":\"", i,
                i % 7);
        for (unsigned w = lot_below(&random, 300); w > 0; w--)
            fprintf(file, "word%u ", lot_below(&random, 500));
        fprintf(file, "\"}\n");
    }
    fclose(file);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    unlink(f->input);
    unlink(f->output);
    free(f);
    return 0;
}

struct seen {
    og_simhash sketch[N_DOCS];
    size_t n, n_problems, n_before_problem;
    size_t stop_at;
};

static bool on_simhash(void *ctx, og_bytes id, const og_simhash *sketch,
                       uint64_t n_features)
{
    struct seen *s = ctx;
    char expected[16];
    (void)n_features;
    snprintf(expected, sizeof(expected), "d%zu", s->n);
    assert_int_equal(id.len, strlen(expected));
    assert_memory_equal(id.data, expected, id.len);
    s->sketch[s->n++] = *sketch;
    return s->n != s->stop_at;
}

static void on_problem(void *ctx, const og_problem *problem)
{
    struct seen *s = ctx;
    assert_int_equal(problem->line, 1701);
    assert_true(problem->skipped);
    s->n_problems++;
    s->n_before_problem = s->n;
}

static og_feature_options features(void)
{
    og_feature_options o = og_feature_options_default();
    o.title_weight = 2;
    o.stop = "en";
    return o;
}

static og_input seen_input(const char *const *paths, struct seen *seen,
                           unsigned n_threads)
{
    og_input input = input_of(paths, 1, n_threads);
    input.ctx = seen;
    input.on_problem = on_problem;
    return input;
}

static void threads_change_nothing(void **state)
{
    struct fixture *f = *state;
    const char *paths[] = {f->input};
    static struct seen one, many;
    og_stream_counts counts;
    og_error err;
    memset(&one, 0, sizeof(one));
    og_feature_options o = features();
    og_input input = seen_input(paths, &one, 1);
    assert_int_equal(og_simhash_stream(&input, 128, &o, on_simhash, input.ctx,
                                       &counts, &err),
                     OG_OK);
    assert_int_equal(one.n, N_DOCS);
    assert_int_equal(counts.n_documents, N_DOCS);
    assert_int_equal(counts.n_skipped, 1);
    assert_int_equal(one.n_problems, 1);
    assert_int_equal(one.n_before_problem, 1700);
    for (unsigned n_threads = 2; n_threads <= 5; n_threads++) {
        memset(&many, 0, sizeof(many));
        input = seen_input(paths, &many, n_threads);
        assert_int_equal(og_simhash_stream(&input, 128, &o, on_simhash,
                                           input.ctx, NULL, &err),
                         OG_OK);
        assert_memory_equal(&one, &many, sizeof(one));
    }
}

static void a_caller_may_stop(void **state)
{
    struct fixture *f = *state;
    const char *paths[] = {f->input};
    static struct seen seen;
    og_error err;
    memset(&seen, 0, sizeof(seen));
    seen.stop_at = 10;
    og_feature_options o = features();
    og_input input = seen_input(paths, &seen, 2);
    assert_int_equal(
        og_simhash_stream(&input, 64, &o, on_simhash, input.ctx, NULL, &err),
        OG_ERR_STOPPED);
    assert_int_equal(seen.n, 10);
}

static void files_hold_the_same(void **state)
{
    struct fixture *f = *state;
    const char *paths[] = {f->input};
    static struct seen seen;
    struct og_sketch_reader *r;
    og_error err;
    og_bytes id;
    const void *sketch;
    memset(&seen, 0, sizeof(seen));
    og_feature_options o = features();
    og_input input = seen_input(paths, &seen, 2);
    assert_int_equal(
        og_simhash_stream(&input, 64, &o, on_simhash, input.ctx, NULL, &err),
        OG_OK);
    assert_int_equal(og_simhash_save(&input, 64, &o, f->output, NULL, &err),
                     OG_OK);
    assert_int_equal(og_sketch_reader_open(f->output, NULL, &r, &err), OG_OK);
    assert_string_equal(og_sketch_reader_head(r)->params,
                        "bits=64 tokens=words features=phrases phrase=3 "
                        "stop=en tf=count title=2");
    size_t n = 0;
    while (og_sketch_reader_next(r, &id, &sketch, &err) == OG_OK)
        assert_int_equal(og_load64(sketch), seen.sketch[n++].word[0]);
    assert_int_equal(n, N_DOCS);
    og_sketch_reader_close(r);
}

static void a_missing_file_is_reported(void **state)
{
    struct fixture *f = *state;
    const char *paths[] = {"/nonexistent/a.jsonl"};
    static struct seen seen;
    og_error err;
    og_feature_options o = features();
    og_input input = seen_input(paths, &seen, 2);
    input.on_problem = NULL;
    unlink(f->output);
    assert_int_equal(og_simhash_save(&input, 64, &o, f->output, NULL, &err),
                     OG_ERR_IO);
    assert_int_equal(access(f->output, F_OK), -1);
    assert_int_equal(
        og_idf_make(&input, &o, 1 << 20, f->output, NULL, NULL, &err),
        OG_ERR_IO);
    assert_int_equal(access(f->output, F_OK), -1);
}

/* A document by itself is what the stream made of it; rare features count more
 * when their frequencies are known. */
static void single_documents(void **state)
{
    struct fixture *f = *state;
    const char *paths[] = {f->input};
    og_feature_options o = features();
    og_input input = seen_input(paths, NULL, 2);
    og_idf *idf;
    og_idf_info info;
    og_error err;
    input.on_problem = NULL;
    assert_int_equal(
        og_idf_make(&input, &o, 1 << 24, f->output, &info, NULL, &err), OG_OK);
    assert_int_equal(info.n_documents, N_DOCS);
    assert_int_equal(info.max_error, 0);
    assert_int_equal(og_idf_open(f->output, &idf, &err), OG_OK);
    const og_document doc = {.text = OG_LITERAL("word1 word2 word3 word4")};
    og_sketcher *s;
    og_simhash a, b;
    uint64_t n_features;
    assert_int_equal(og_sketcher_new(&o, &s, &err), OG_OK);
    assert_int_equal(og_sketcher_simhash(s, &doc, 64, &a, &n_features, &err),
                     OG_OK);
    assert_int_equal(n_features, 2);
    og_sketcher_free(s);
    o.idf = idf;
    assert_int_equal(og_sketcher_new(&o, &s, &err), OG_OK);
    assert_int_equal(og_sketcher_simhash(s, &doc, 64, &b, NULL, &err), OG_OK);
    og_sketcher_free(s);
    og_idf_close(idf);
}

#define WITH_FILES(test)                                                       \
    cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FILES(threads_change_nothing),
        WITH_FILES(a_caller_may_stop),
        WITH_FILES(files_hold_the_same),
        WITH_FILES(a_missing_file_is_reported),
        WITH_FILES(single_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
