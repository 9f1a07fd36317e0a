/* What the threads make of documents before their turn comes. */

#include "tests/unit/input_support.h"
#include "tests/unit/texts_of_store.h"

#include "lib/trace/trace_worker.h"

enum { N = 5 };

static og_bytes texts[N]; /* made before there are threads */

static int make_texts(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++)
        texts[i] = text_number(i);
    return 0;
}

struct run {
    struct og_trace_work work; /* first: the context of the workers */
    int next, taken;
};

static og_status next_document(void *ctx, og_document *out, og_error *err)
{
    struct run *r = ctx;
    (void)err;
    if (r->next == N) return OG_END;
    *out = (og_document){
        .text = texts[r->next++], .title = bytes_of("a title"), .id = {"", 0}};
    return OG_OK;
}

static og_status take(void *ctx, struct og_batch *b, struct og_stream_doc *d,
                      og_error *err)
{
    struct run *r = ctx;
    const struct og_trace_work *work = &r->work;
    const struct og_traced *made = d->made;
    const og_bytes text = texts[r->taken++];
    (void)b, (void)err;
    assert_true(made->text_hash == og_text_hash(text));
    assert_int_equal(d->n_tokens, 150);
    assert_int_equal(made->prepared.tokens.n, 150);
    assert_int_equal(made->has_answer, work->store != NULL);
    assert_int_equal(d->doc.text.len, work->keep_texts ? text.len : 0);
    assert_int_equal(d->doc.title.len, work->keep_names ? 7 : 0);
    if (work->store != NULL) {
        /* Documents 0 to 2 are in the store. */
        assert_int_equal(made->answer.n_spans, r->taken <= 3);
        return OG_OK;
    }
    assert_true(made->prepared.selection.n > 0);
    for (size_t i = 1; i < made->prepared.selection.n; i++)
        assert_true(made->prepared.selection.pos[i - 1] <
                    made->prepared.selection.pos[i]);
    if (work->keep_places)
        assert_memory_equal(made->prepared.text.data, "w", 1);
    return OG_OK;
}

static void stream(struct run *r, og_store *store, unsigned n_threads)
{
    struct og_stream_work work = {.ctx = r, .take = take};
    og_stream_counts counts = {0};
    og_input input = input_of(NULL, 0, n_threads);
    r->work.prepare = &store->prepare;
    r->work.n_threads = n_threads;
    pthread_mutex_init(&r->work.lock, NULL);
    og_trace_work_fill(&work);
    input.ctx = r;
    input.next = next_document;
    ASSERT_OK(og_stream_documents(&input, &work, &counts, &story));
    assert_int_equal(r->taken, N);
    pthread_mutex_destroy(&r->work.lock);
}

static og_store *make_store(void)
{
    static const char *const ids[] = {"a", "b", "c"};
    og_store *store = open_texts(":memory:", false);
    for (int i = 0; i < 3; i++)
        add_text(store, ids[i], texts[i]);
    return store;
}

static void what_the_writer_needs(void **state)
{
    og_store *store = make_store();
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 3; n_threads++) {
        struct run r = {.next = 0};
        stream(&r, store, n_threads);
        r = (struct run){.work = {.keep_texts = true,
                                  .keep_names = true,
                                  .keep_places = true}};
        stream(&r, store, n_threads);
    }
    ASSERT_OK(og_store_close(store, &story));
}

/* When nothing is added, workers ask. */
static void workers_ask(void **state)
{
    og_store *store = make_store();
    const og_trace_options asking = {.min_span = 0};
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 3; n_threads++) {
        struct run r = {.work = {.store = store, .asking = &asking}};
        stream(&r, store, n_threads);
    }
    ASSERT_OK(og_store_close(store, &story));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_writer_needs),
        cmocka_unit_test(workers_ask),
    };
    return cmocka_run_group_tests(tests, make_texts, NULL);
}
