/* The engine of all streams: documents by callback, problems at their place,
 * stopping, the status of a run; the same calls for any number of threads. */

#include "tests/unit/input_support.h"
#include "tests/unit/source_support.h"

#include <stdatomic.h>

#include "lib/stream/engine.h"

enum { N_DOCUMENTS = 3000 };

/* ---- a run that is written down ---- */

struct giver {
    size_t n, fail_at;
    char text[400];
    struct string calls;
    size_t n_taken, stop_at;
    atomic_bool is_stopped;
};

static og_status next(void *ctx, og_document *out, og_error *err)
{
    struct giver *g = ctx;
    if (g->n == N_DOCUMENTS) return OG_END;
    if (g->n + 1 == g->fail_at)
        return og_error_set(err, OG_ERR_IO, "the well is dry");
    const size_t len = g->n % 7 == 3 ? 300 : 40 + g->n % 90;
    memset(g->text, 'a' + (int)(g->n % 26), len);
    out->text = (og_bytes){g->text, len};
    if (g->n % 2 == 0) out->title = (og_bytes)OG_LITERAL("even");
    g->n++;
    return OG_OK;
}

static void on_problem(void *ctx, const og_problem *p)
{
    struct giver *g = ctx;
    string_fp(&g->calls, "problem %llu %d %s\n", (unsigned long long)p->line,
              p->skipped, p->message);
}

static bool should_stop(void *ctx)
{
    return atomic_load(&((struct giver *)ctx)->is_stopped);
}

static og_status take(void *ctx, struct og_batch *b, struct og_stream_doc *d,
                      og_error *err)
{
    struct giver *g = ctx;
    (void)b, (void)err;
    string_fp(&g->calls, "%.*s %.*s %zu %c%c\n", (int)d->doc.id.len,
              d->doc.id.data, (int)d->doc.title.len, d->doc.title.data,
              d->doc.text.len, d->doc.text.data[0],
              d->doc.text.data[d->doc.text.len - 1]);
    if (++g->n_taken == g->stop_at) atomic_store(&g->is_stopped, true);
    return OG_OK;
}

static og_input giver_input(struct giver *g, unsigned n_threads)
{
    og_input input = input_of(NULL, 0, n_threads);
    input.ctx = g;
    input.next = next;
    input.on_problem = on_problem;
    input.should_stop = should_stop;
    input.max_document = 200;
    return input;
}

static og_status run(struct giver *g, unsigned n_threads,
                     og_stream_counts *counts, og_error *err)
{
    const og_input input = giver_input(g, n_threads);
    const struct og_stream_work work = {.ctx = g, .take = take};
    *counts = (og_stream_counts){0};
    return og_stream_documents(&input, &work, counts, err);
}

/* ---- the tests ---- */

static void given_documents(void **state)
{
    (void)state;
    const unsigned n_threads[] = {1, 2, 5};
    struct string first = {0};
    for (size_t i = 0; i < 3; i++) {
        struct giver g = {.n = 0};
        og_stream_counts counts;
        og_error err = {0};
        assert_int_equal(run(&g, n_threads[i], &counts, &err), OG_OK);
        assert_int_equal(counts.n_skipped, (N_DOCUMENTS - 3 + 6) / 7);
        assert_int_equal(counts.n_documents + counts.n_skipped, N_DOCUMENTS);
        assert_false(counts.is_reported);
        assert_non_null(strstr(g.calls.data, "document:3 even 42 cc\nproblem 4 "
                                             "1 the record is longer than 200 "
                                             "bytes\ndocument:5 even 44 ee\n"));
        if (i == 0) {
            first = g.calls;
            continue;
        }
        assert_int_equal(g.calls.len, first.len);
        assert_memory_equal(g.calls.data, first.data, first.len);
        string_release(&g.calls);
    }
    string_release(&first);
}

/* Everything before it is taken, and then the error is reported. */
static void a_callback_that_fails(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 2; n_threads++) {
        struct giver g = {.fail_at = 2501};
        og_stream_counts counts;
        og_error err = {0};
        assert_int_equal(run(&g, n_threads, &counts, &err), OG_ERR_IO);
        assert_string_equal(err.message, "the well is dry");
        assert_int_equal(counts.n_documents + counts.n_skipped, 2500);
        string_release(&g.calls);
    }
}

static void stopping(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 4; n_threads++) {
        struct giver g = {.stop_at = 100};
        og_stream_counts counts;
        og_error err = {0};
        assert_int_equal(run(&g, n_threads, &counts, &err), OG_ERR_STOPPED);
        assert_int_equal(counts.n_documents, 100);
        string_release(&g.calls);
    }
}

/* ---- the work's own steps ---- */

struct steps {
    unsigned n_made, n_begun, n_settled, n_ended;
    unsigned n_written, fails_at; /* by the writing thread; 0: never */
};

static og_status make(void *ctx, void *worker, struct og_batch *b,
                      struct og_stream_doc *d, og_error *err)
{
    (void)ctx, (void)worker;
    size_t number = strtoul(d->doc.text.data, NULL, 10);
    const size_t *made = &number;
    if (number == 13)
        return og_error_set(err, OG_ERR_INPUT, "thirteen is bad luck");
    if (!OG_BATCH_KEEP(b, made, 1)) return OG_ERR_MEMORY;
    d->made = (void *)(uintptr_t)made;
    d->doc.text = (og_bytes){"", 0};
    return OG_OK;
}

static og_status begin_batch(void *ctx, struct og_batch *b, og_error *err)
{
    struct steps *s = ctx;
    (void)b, (void)err;
    s->n_begun++;
    return OG_OK;
}

static og_status take_number(void *ctx, struct og_batch *b,
                             struct og_stream_doc *d, og_error *err)
{
    struct steps *s = ctx;
    const size_t expected = s->n_made + (s->n_made >= 13);
    (void)b, (void)err;
    assert_int_equal(*(size_t *)d->made, expected);
    assert_int_equal(d->doc.text.len, 0);
    s->n_made++;
    return OG_OK;
}

static og_status settle(void *ctx, struct og_batch *b, og_error *err)
{
    struct steps *s = ctx;
    (void)b, (void)err;
    s->n_settled++;
    return OG_OK;
}

static og_status end_batch(void *ctx, struct og_batch *b, og_error *err)
{
    struct steps *s = ctx;
    (void)err;
    assert_int_equal(b->block.sequence, s->n_ended);
    if (s->n_ended % 2 == 1) {
        TRY(og_stream_wait_written(b, err));
        assert_int_equal(s->n_written, s->n_ended);
    }
    s->n_ended++;
    return OG_OK;
}

static og_status write_batch(void *ctx, struct og_batch *b, og_error *err)
{
    struct steps *s = ctx;
    if (b->n_docs == 0) return OG_OK;
    assert_int_equal(b->block.sequence, s->n_written);
    s->n_written++;
    if (s->n_written == s->fails_at)
        return og_error_set(err, OG_ERR_IO, "the disk is full");
    return OG_OK;
}

static const char *write_numbers(struct folder *folder)
{
    struct string lines = {0};
    folder_make(folder);
    for (unsigned i = 0; i < 60000; i++)
        string_fp(&lines, "{\"id\":\"%u\",\"text\":\"%u\"}\n", i, i);
    const char *path = folder_write(folder, "n.jsonl", lines.data, lines.len);
    string_release(&lines);
    return path;
}

static og_status run_steps(struct steps *s, const char *path,
                           unsigned n_threads, og_stream_counts *counts,
                           og_error *err)
{
    const struct og_stream_work work = {.ctx = s,
                                        .make = make,
                                        .begin_batch = begin_batch,
                                        .take = take_number,
                                        .settle = settle,
                                        .end_batch = end_batch,
                                        .write = write_batch};
    const og_input input = input_of(&path, 1, n_threads);
    *counts = (og_stream_counts){0};
    return og_stream_documents(&input, &work, counts, err);
}

static void every_step_in_order(void **state)
{
    (void)state;
    struct folder folder;
    const char *path = write_numbers(&folder);
    for (unsigned n_threads = 1; n_threads <= 4; n_threads++) {
        struct steps s = {0};
        og_stream_counts counts;
        assert_int_equal(run_steps(&s, path, n_threads, &counts, NULL), OG_OK);
        assert_int_equal(s.n_made, 59999);
        assert_int_equal(counts.n_skipped, 1);
        assert_true(s.n_begun > 4);
        assert_int_equal(s.n_settled, s.n_begun);
        assert_int_equal(s.n_ended, s.n_begun);
        assert_int_equal(s.n_written, s.n_ended);
    }
    folder_remove(&folder);
}

/* The stream ends with what the writing thread said, wherever it was; nothing
 * more is written. */
static void a_writer_that_fails(void **state)
{
    (void)state;
    struct folder folder;
    const char *path = write_numbers(&folder);
    for (unsigned n_threads = 1; n_threads <= 4; n_threads++) {
        for (unsigned fails_at = 1; fails_at <= 4; fails_at++) {
            struct steps s = {.fails_at = fails_at};
            og_stream_counts counts;
            og_error err = {0};
            assert_int_equal(run_steps(&s, path, n_threads, &counts, &err),
                             OG_ERR_IO);
            assert_string_equal(err.message, "the disk is full");
            assert_int_equal(s.n_written, fails_at);
        }
    }
    folder_remove(&folder);
}

static void count_problem(void *ctx, const og_problem *problem)
{
    size_t *n = ctx;
    (void)problem;
    (*n)++;
}

static bool goes_on(void *ctx, const og_document *doc)
{
    (void)ctx, (void)doc;
    return true;
}

/* The failure of a file is that of the run, and was reported. */
static void a_missing_file(void **state)
{
    (void)state;
    const char *path = "/nonexistent/a.jsonl";
    og_input input = input_of(&path, 1, 2);
    og_stream_counts counts;
    size_t n_problems = 0;
    input.ctx = &n_problems;
    input.on_problem = count_problem;
    og_error err = {0};
    assert_int_equal(og_input_read(&input, goes_on, NULL, &counts, &err),
                     OG_ERR_IO);
    assert_string_equal(err.file, path);
    assert_true(counts.is_reported);
    assert_int_equal(n_problems, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_documents),
        cmocka_unit_test(a_callback_that_fails),
        cmocka_unit_test(stopping),
        cmocka_unit_test(every_step_in_order),
        cmocka_unit_test(a_writer_that_fails),
        cmocka_unit_test(a_missing_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
