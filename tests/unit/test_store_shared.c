/* A store that is entirely on servers compared with one in a folder: the same
 * answers from one front end; from several that add at once, the same origins,
 * whichever came first; and after one that stopped in the middle. */

#define _GNU_SOURCE
#include "lib/remote/remote_catalogue.h"
#include "lib/store/catalogue/shared_documents.h"
#include "lib/store/store_shared.h"
#include "tests/unit/remote_store_support.h"

enum { N_DOCUMENTS = 64, N_FRONTS = 3 };

static int start(void **state)
{
    (void)state;
    make_quoting_documents(N_DOCUMENTS, 17, 30);
    init_server();
    return 0;
}

static int start_plain(void **state)
{
    const int started = start(state);
    strcat(address, "&mode=plain");
    return started;
}

/* ---- stores ---- */

static og_status try_open(const char *where, og_access access, unsigned indexes,
                          og_store **out, og_error *err)
{
    og_params params = og_params_default();
    params.key = OG_KEY_PUBLIC;
    params.memory = MEMORY;
    return og_store_open(
        where, access,
        &(og_store_options){.params = &params, .indexes = indexes}, out, err);
}

static og_store *open_at(const char *where, og_access access)
{
    og_store *store;
    og_error err = {0};
    if (try_open(where, access, 0, &store, &err) != OG_OK)
        fail_msg("%s", err.message);
    return store;
}

static og_status take_stream(og_store *store, struct transcript *t,
                             og_stream_counts *counts, og_error *err)
{
    og_stream_options options = og_stream_options_default();
    options.add = true;
    options.ctx = t;
    options.on_answer = print_answer;
    begin_transcript(t, 0);
    const og_input input = input_of_documents(t, 2);
    return og_stream_run(store, &input, &options, counts, err);
}

static char *take_all(og_store *store)
{
    struct transcript t;
    og_error err = {0};
    if (take_stream(store, &t, NULL, &err) != OG_OK)
        fail_msg("%s", err.message);
    return end_transcript(&t, store);
}

static char *ask_all(og_store *store)
{
    struct transcript t;
    og_error err = {0};
    og_trace *trace = og_trace_new(store);
    begin_transcript(&t, 0);
    for (unsigned i = 0; i < N_DOCUMENTS; i++) {
        const og_document doc = document(i);
        if (og_store_trace(store, &doc, trace, &err) != OG_OK)
            fail_msg("%s", err.message);
        (void)print_answer(&t, &doc, og_trace_answer(trace));
    }
    og_trace_free(trace);
    return end_transcript(&t, store);
}

static void check_same(char *got, char *expected)
{
    assert_string_equal(got, expected);
    free(got);
    free(expected);
}

static const char *local_path(void)
{
    static char where[600];
    snprintf(where, sizeof(where), "%s/local", folder.path);
    return where;
}

/* ---- one front end ---- */

static void test_stream(void **state)
{
    (void)state;
    fake_start(&server);
    check_same(take_all(open_at(address, OG_CREATE)),
               take_all(open_at(local_path(), OG_CREATE)));
    check_same(ask_all(open_at(address, OG_READ)),
               ask_all(open_at(local_path(), OG_READ)));
}

static void test_one_by_one(void **state)
{
    struct transcript t;
    og_error err = {0};
    (void)state;
    fake_start(&server);
    og_store *store = open_at(address, OG_CREATE);
    og_trace *trace = og_trace_new(store);
    begin_transcript(&t, 0);
    for (unsigned i = 0; i < N_DOCUMENTS; i++) {
        const og_document doc = document(i);
        if (og_store_add(store, &doc, trace, &err) != OG_OK)
            fail_msg("%s", err.message);
        (void)print_answer(&t, &doc, og_trace_answer(trace));
    }
    og_trace_free(trace);
    check_same(end_transcript(&t, store),
               take_all(open_at(local_path(), OG_CREATE)));
}

/* All of it is there: nothing is added. */
static void test_again(void **state)
{
    struct transcript t;
    og_stream_counts counts;
    og_error err = {0};
    (void)state;
    for (unsigned i = 0; i < N_DOCUMENTS; i++)
        sprintf(made[i].id, "d%u",
                i); /* no versions: an old one is a new one */
    fake_start(&server);
    free(take_all(open_at(address, OG_CREATE)));
    og_store *store = open_at(address, OG_WRITE);
    if (take_stream(store, &t, &counts, &err) != OG_OK)
        fail_msg("%s", err.message);
    free(end_transcript(&t, store));
    assert_int_equal(counts.n_known, N_DOCUMENTS);
    assert_int_equal(counts.n_added, 0);
}

/* ---- one that fails, or went away ---- */

static void fail_at(const char *command, unsigned nth)
{
    struct transcript t;
    og_error err = {0};
    server.rules[0] = (struct fake_rule){
        .command = command, .nth = nth, .reply = "-ERR disk full\r\n"};
    fake_start(&server);
    og_store *store = open_at(address, OG_CREATE);
    assert_int_equal(take_stream(store, &t, NULL, &err), OG_ERR_IO);
    assert_non_null(strstr(err.message, "disk full"));
    free(end_transcript(&t, store));
    /* Its documents come again, to another one. */
    free(take_all(open_at(address, OG_CREATE)));
    free(take_all(open_at(local_path(), OG_CREATE)));
    check_same(ask_all(open_at(address, OG_READ)),
               ask_all(open_at(local_path(), OG_READ)));
}

/* No versions: an old one that comes again is a new one. */
static void make_times(void)
{
    uint64_t random = 5;
    for (unsigned i = 0; i < N_DOCUMENTS; i++) {
        sprintf(made[i].id, "d%u", i);
        made[i].has_time = true;
        made[i].time =
            1000 + (int64_t)(og_random_next(&random) % 1000) * 64 + i;
    }
}

static void test_failed_before_entries(void **state)
{
    (void)state;
    make_times();
    fail_at("HSET", 20);
}

static void test_failed_before_table(void **state)
{
    (void)state;
    make_times();
    fail_at("ORIGO.OBSERVE", 1);
}

static void test_failed_before_commit(void **state)
{
    (void)state;
    make_times();
    fail_at("HSET", N_DOCUMENTS + 20);
}

/* ---- several ---- */

struct front {
    unsigned next, n;
    pthread_t thread;
};

static og_status next_of_front(void *ctx, og_document *out, og_error *err)
{
    struct front *f = ctx;
    (void)err;
    if (f->next >= N_DOCUMENTS) return OG_END;
    *out = document(f->next);
    f->next += f->n;
    return OG_OK;
}

/* In small blocks: a block for each document, or so. */
static void run_front_for(struct front *f, double patience)
{
    og_error err = {0};
    og_stream_options options = og_stream_options_default();
    og_input input = og_input_default();
    og_store *store = open_at(address, OG_CREATE);
    store->shared->patience = patience;
    options.add = true;
    input.next = next_of_front;
    input.ctx = f;
    input.n_threads = 1;
    if (og_stream_run(store, &input, &options, NULL, &err) != OG_OK)
        fail_msg("%s", err.message);
    assert_int_equal(og_store_close(store, &err), OG_OK);
}

static void *run_front(void *ctx)
{
    run_front_for(ctx, 2);
    return NULL;
}

static void *add_front(void *ctx)
{
    struct front *f = ctx;
    og_error err = {0};
    og_document doc;
    og_store *store = open_at(address, OG_CREATE);
    while (next_of_front(f, &doc, &err) == OG_OK)
        if (og_store_add(store, &doc, NULL, &err) != OG_OK)
            fail_msg("%s", err.message);
    assert_int_equal(og_store_close(store, &err), OG_OK);
    return NULL;
}

static void run_fronts(void *(*run)(void *))
{
    struct front fronts[N_FRONTS];
    make_times();
    fake_start(&server);
    for (unsigned i = 0; i < N_FRONTS; i++) {
        fronts[i] = (struct front){.next = i, .n = N_FRONTS};
        assert_int_equal(
            pthread_create(&fronts[i].thread, NULL, run, &fronts[i]), 0);
    }
    for (unsigned i = 0; i < N_FRONTS; i++)
        pthread_join(fronts[i].thread, NULL);
    free(take_all(open_at(local_path(), OG_CREATE)));
    check_same(ask_all(open_at(address, OG_READ)),
               ask_all(open_at(local_path(), OG_READ)));
}

static void test_fronts(void **state)
{
    (void)state;
    run_fronts(run_front);
}

static void test_fronts_one_by_one(void **state)
{
    (void)state;
    run_fronts(add_front);
}

/* Everybody adds everything. */
static void *run_whole_front(void *ctx)
{
    struct front *f = ctx;
    f->next = 0;
    f->n = 1;
    return run_front(f);
}

/* The same, and treats every slower one as dead. */
static void *run_impatient_front(void *ctx)
{
    struct front *f = ctx;
    f->next = 0;
    f->n = 1;
    run_front_for(f, 0);
    return NULL;
}

static void test_same_documents(void **state)
{
    (void)state;
    run_fronts(run_whole_front);
}

static void test_same_documents_of_slow_fronts(void **state)
{
    (void)state;
    run_fronts(run_impatient_front);
}

/* ---- browsing ---- */

static void test_browsed(void **state)
{
    og_browser *browser;
    og_card card;
    bool is_found;
    og_error err = {0};
    unsigned n = 0;
    (void)state;
    make_times();
    fake_start(&server);
    free(take_all(open_at(address, OG_CREATE)));
    og_store *store = open_at(address, OG_READ);
    assert_int_equal(og_store_n_documents(store), N_DOCUMENTS);
    assert_int_equal(og_browser_open(store, &browser, &err), OG_OK);
    for (uint64_t i = 0; i < og_store_n_numbers(store) + 3; i++) {
        if (og_browser_get(browser, i, true, &is_found, &card, &err) != OG_OK)
            fail_msg("%s", err.message);
        n += is_found;
    }
    assert_int_equal(n, N_DOCUMENTS);
    assert_int_equal(og_browser_find(browser, (og_bytes){"d7", 2}, true,
                                     &is_found, &card, &err),
                     OG_OK);
    assert_true(is_found);
    assert_memory_equal(card.doc.text.data, made[7].text, card.doc.text.len);
    assert_int_equal(card.doc.text.len, strlen(made[7].text));
    assert_int_equal(og_browser_find(browser, (og_bytes){"no", 2}, true,
                                     &is_found, &card, &err),
                     OG_OK);
    assert_false(is_found);
    og_browser_close(browser);
    assert_int_equal(og_store_close(store, &err), OG_OK);
}

/* ---- wrong usage ---- */

static void test_refused(void **state)
{
    og_store *store;
    og_survey survey;
    og_export *export;
    og_document found;
    og_error err = {0};
    uint64_t n;
    (void)state;
    fake_start(&server);
    assert_int_equal(try_open(address, OG_READ, 0, &store, &err),
                     OG_ERR_NO_STORE);
    assert_int_equal(try_open(address, OG_CREATE,
                              OG_INDEX_PASSAGES | OG_INDEX_SENTENCES, &store,
                              &err),
                     OG_ERR_USAGE);
    assert_int_equal(try_open("redis://h", OG_CREATE, 0, &store, &err),
                     OG_ERR_USAGE);
    store = open_at(address, OG_CREATE);
    assert_string_equal(og_store_table(store), "news");
    assert_int_equal(og_store_remove(store, (og_bytes){"d1", 2}, &n, &err),
                     OG_OK);
    assert_int_equal(n, 0);
    assert_int_equal(og_store_survey(store, &survey, &err), OG_ERR_USAGE);
    assert_int_equal(og_store_index_add(store, OG_INDEX_NEAR, NULL, &err),
                     OG_ERR_USAGE);
    assert_int_equal(og_export_open(store, &export, &err), OG_OK);
    assert_int_equal(og_export_next(export, &found, &err), OG_END);
    og_export_close(export);
    assert_true(og_store_is_shared(store));
    assert_int_equal(og_store_close(store, &err), OG_OK);
    store = open_at(address, OG_READ);
    const og_document doc = document(0);
    assert_int_equal(og_store_add(store, &doc, NULL, &err), OG_ERR_USAGE);
    assert_int_equal(og_store_remove(store, doc.id, &n, &err), OG_ERR_USAGE);
    assert_int_equal(og_store_purge(store, doc.id, &n, &err), OG_ERR_USAGE);
    assert_int_equal(og_store_close(store, &err), OG_OK);
}

#define TEST(name)  cmocka_unit_test_setup_teardown(name, start, stop)
#define PLAIN(name) cmocka_unit_test_setup_teardown(name, start_plain, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_stream),
        TEST(test_one_by_one),
        TEST(test_again),
        TEST(test_failed_before_entries),
        TEST(test_failed_before_table),
        TEST(test_failed_before_commit),
        TEST(test_fronts),
        TEST(test_fronts_one_by_one),
        TEST(test_same_documents),
        TEST(test_same_documents_of_slow_fronts),
        TEST(test_browsed),
        TEST(test_refused),
        PLAIN(test_stream),
        PLAIN(test_one_by_one),
        PLAIN(test_fronts),
        PLAIN(test_fronts_one_by_one),
        PLAIN(test_same_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
