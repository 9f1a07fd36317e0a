/* A store whose table is on a server against one with a table of its own: the
 * same answers, also after the server has forgotten all, or failed half way. */

#define _GNU_SOURCE
#include "lib/store/store_table.h"
#include "tests/unit/remote_store_support.h"

enum { N_DOCUMENTS = 64 };

static char path[512];

static int start(void **state)
{
    (void)state;
    init_server();
    snprintf(path, sizeof(path), "%s/catalogue", folder.path);
    return 0;
}

/* ---- stores ---- */

static og_status try_open(const char *where, og_access access,
                          const char *table, og_params *params, og_store **out,
                          og_error *err)
{
    og_params usual = og_params_default();
    usual.key = OG_KEY_PUBLIC;
    usual.memory = MEMORY;
    if (params == NULL) params = &usual;
    return og_store_open(where, access,
                         &(og_store_options){.params = params, .table = table},
                         out, err);
}

static og_store *open_at(const char *where, og_access access, const char *table)
{
    og_store *store;
    og_error err = {0};
    if (try_open(where, access, table, NULL, &store, &err) != OG_OK)
        fail_msg("%s", err.message);
    return store;
}

/* Documents from the first on, in blocks; and their answers. */
static og_status take_stream(og_store *store, unsigned first,
                             struct transcript *t, og_error *err)
{
    og_stream_options options = og_stream_options_default();
    options.add = true;
    options.ctx = t;
    options.on_answer = print_answer;
    begin_transcript(t, first);
    const og_input input = input_of_documents(t, 2);
    return og_stream_run(store, &input, &options, NULL, err);
}

static char *take_all(og_store *store)
{
    struct transcript t;
    og_error err = {0};
    if (take_stream(store, 0, &t, &err) != OG_OK) fail_msg("%s", err.message);
    return end_transcript(&t, store);
}

/* All are asked about, and nothing is added. */
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

static char *local_answers(bool asked)
{
    char where[600];
    snprintf(where, sizeof(where), "%s/local%d", folder.path, asked);
    char *answers = take_all(open_at(where, OG_CREATE, NULL));
    if (!asked) return answers;
    free(answers);
    return ask_all(open_at(where, OG_READ, NULL));
}

static void check_asked(void)
{
    char *expected = local_answers(true);
    char *got = ask_all(open_at(path, OG_READ, address));
    assert_string_equal(got, expected);
    free(got);
    free(expected);
}

/* ---- the same answers ---- */

static void test_stream(void **state)
{
    (void)state;
    fake_start(&server);
    char *expected = local_answers(false);
    char *got = take_all(open_at(path, OG_CREATE, address));
    assert_string_equal(got, expected);
    free(got);
    free(expected);
    check_asked();
}

static void test_one_by_one(void **state)
{
    struct transcript t;
    og_error err = {0};
    (void)state;
    fake_start(&server);
    og_store *store = open_at(path, OG_CREATE, address);
    og_trace *trace = og_trace_new(store);
    begin_transcript(&t, 0);
    for (unsigned i = 0; i < N_DOCUMENTS; i++) {
        const og_document doc = document(i);
        assert_int_equal(og_store_add(store, &doc, trace, &err), OG_OK);
        (void)print_answer(&t, &doc, og_trace_answer(trace));
    }
    og_trace_free(trace);
    char *got = end_transcript(&t, store);
    char *expected = local_answers(false);
    assert_string_equal(got, expected);
    free(got);
    free(expected);
    check_asked();
}

/* ---- after a loss ---- */

static void test_server_forgot(void **state)
{
    (void)state;
    fake_start(&server);
    free(take_all(open_at(path, OG_CREATE, address)));
    pthread_mutex_lock(&keys.lock);
    fake_keys_clear(&keys);
    pthread_mutex_unlock(&keys.lock);
    og_store *store;
    og_error err = {0};
    assert_int_equal(try_open(path, OG_READ, address, NULL, &store, &err),
                     OG_ERR_NO_STORE);
    close_well(open_at(path, OG_WRITE, address));
    check_asked();
}

/* Documents are in the catalogue, and the table has not heard of them. */
static void test_server_failed(void **state)
{
    struct transcript t;
    og_error err = {0};
    (void)state;
    server.rules[0] = (struct fake_rule){
        .command = "ORIGO.OBSERVE", .nth = 4, .reply = "-ERR disk full\r\n"};
    fake_start(&server);
    og_store *store = open_at(path, OG_CREATE, address);
    og_trace *trace = og_trace_new(store);
    og_document doc;
    unsigned n = 0;
    do
        doc = document(n++);
    while (og_store_add(store, &doc, trace, &err) == OG_OK);
    assert_non_null(strstr(err.message, "disk full"));
    assert_non_null(strstr(err.message, "table 'news'"));
    assert_true(n < N_DOCUMENTS);
    doc = document(n);
    assert_int_not_equal(og_store_add(store, &doc, trace, &err), OG_OK);
    og_trace_free(trace);
    (void)og_store_close(store, NULL);
    store = open_at(path, OG_CREATE, address);
    if (take_stream(store, n, &t, &err) != OG_OK) fail_msg("%s", err.message);
    free(end_transcript(&t, store));
    check_asked();
}

static void test_stream_failed(void **state)
{
    struct transcript t;
    og_error err = {0};
    (void)state;
    server.rules[0] = (struct fake_rule){
        .command = "ORIGO.OBSERVE", .nth = 1, .reply = "-ERR disk full\r\n"};
    fake_start(&server);
    og_store *store = open_at(path, OG_CREATE, address);
    assert_int_equal(take_stream(store, 0, &t, &err), OG_ERR_IO);
    assert_non_null(strstr(err.message, "disk full"));
    fclose(t.out);
    free(t.text);
    (void)og_store_close(store, NULL);
    free(take_all(open_at(path, OG_CREATE, address)));
    check_asked();
}

/* ---- removed documents, other indexes ---- */

static void test_removed(void **state)
{
    uint64_t n;
    og_error err = {0};
    struct transcript t;
    (void)state;
    fake_start(&server);
    free(take_all(open_at(path, OG_CREATE, address)));
    og_store *store = open_at(path, OG_WRITE, NULL);
    assert_int_equal(og_store_remove(store, (og_bytes){"d0", 2}, &n, &err),
                     OG_OK);
    close_well(store);
    store = open_at(path, OG_WRITE, address);
    assert_int_equal(og_store_remove(store, (og_bytes){"d1", 2}, &n, &err),
                     OG_ERR_USAGE);
    /* The next one that has its text is the origin from now on. */
    const og_document again = {.id = {"again", 5},
                               .text = {made[0].text, strlen(made[0].text)}};
    const og_document copy = {.id = {"copy", 4}, .text = again.text};
    og_trace *trace = og_trace_new(store);
    assert_int_equal(og_store_add(store, &again, trace, &err), OG_OK);
    assert_int_equal(og_store_trace(store, &copy, trace, &err), OG_OK);
    begin_transcript(&t, 0);
    (void)print_answer(&t, &copy, og_trace_answer(trace));
    og_trace_free(trace);
    char *said = end_transcript(&t, store);
    assert_non_null(strstr(said, "again"));
    assert_null(strstr(said, " d0 "));
    free(said);
}

static void test_without_table(void **state)
{
    og_error err = {0};
    (void)state;
    fake_start(&server);
    free(take_all(open_at(path, OG_CREATE, address)));
    og_store *store = open_at(path, OG_WRITE, NULL);
    assert_string_equal(og_store_table(store), "news");
    og_trace *trace = og_trace_new(store);
    const og_document doc = document(3);
    assert_int_equal(og_store_trace(store, &doc, trace, &err), OG_ERR_USAGE);
    assert_non_null(strstr(err.message, "table 'news'"));
    og_trace_free(trace);
    assert_int_equal(og_store_index_add(store, OG_INDEX_NEAR, NULL, &err),
                     OG_OK);
    close_well(store);
    store = open_at(path, OG_READ, address);
    assert_int_equal(og_store_indexes(store),
                     OG_INDEX_PASSAGES | OG_INDEX_NEAR);
    og_store_info info;
    og_store_info_get(store, &info);
    assert_true(info.n_slots_used > 0);
    assert_int_equal(info.table_bytes, MEMORY);
    og_survey survey;
    assert_int_equal(og_store_survey(store, &survey, &err), OG_ERR_USAGE);
    close_well(store);
    assert_int_equal(og_store_rebuild(path, &(og_store_options){0}, &err),
                     OG_ERR_USAGE);
    check_asked();
}

/* What a document that is only seen does is for the eviction. */
static void test_sighting(void **state)
{
    og_error err = {0};
    struct transcript t;
    (void)state;
    fake_start(&server);
    free(take_all(open_at(path, OG_CREATE, address)));
    og_store *store = open_at(path, OG_WRITE, address);
    og_stream_options options = og_stream_options_default();
    options.sighting = true;
    options.ctx = &t;
    options.on_answer = print_answer;
    begin_transcript(&t, 0);
    const og_input input = input_of_documents(&t, 2);
    if (og_stream_run(store, &input, &options, NULL, &err) != OG_OK)
        fail_msg("%s", err.message);
    free(end_transcript(&t, store));
    check_asked();
}

/* ---- wrong usage ---- */

static void refuse(const char *where, const char *table, og_params *params,
                   og_status status, const char *word)
{
    og_store *store;
    og_error err = {0};
    assert_int_equal(try_open(where, OG_CREATE, table, params, &store, &err),
                     status);
    if (strstr(err.message, word) == NULL) fail_msg("%s", err.message);
    assert_null(store);
}

static void test_refused(void **state)
{
    char other[100], own[600];
    og_params params = og_params_default();
    og_error err = {0};
    (void)state;
    fake_start(&server);
    close_well(open_at(path, OG_CREATE, address));
    snprintf(other, sizeof(other), "redis://127.0.0.1:%u/other", server.port);
    snprintf(own, sizeof(own), "%s/own", folder.path);
    close_well(open_at(own, OG_CREATE, NULL));
    refuse(path, other, NULL, OG_ERR_USAGE, "of table 'news', not of 'other'");
    refuse(own, address, NULL, OG_ERR_USAGE, "has its passages itself");
    refuse(":memory:", address, NULL, OG_ERR_USAGE, "in a folder");
    refuse(path, "redis://h", NULL, OG_ERR_USAGE, "name of the table");
    snprintf(own, sizeof(own), "%s/second", folder.path);
    refuse(own, address, NULL, OG_ERR_USAGE, "another catalogue");
    snprintf(own, sizeof(own), "%s/third", folder.path);
    params.no_texts = true;
    refuse(own, address, &params, OG_ERR_USAGE, "keeps texts");
    params.no_texts = false;
    params.shingle_len = 4;
    refuse(own, address, &params, OG_ERR_USAGE, "8 words or more");
    og_store *store = open_at(path, OG_READ, address);
    og_trace *trace = og_trace_new(store);
    const og_trace_options asking = {.boilerplate_documents = 5};
    assert_int_equal(og_trace_configure(trace, &asking, &err), OG_ERR_USAGE);
    og_trace_free(trace);
    close_well(store);
}

/* An old copy of the catalogue. */
static void test_behind(void **state)
{
    (void)state;
    fake_start(&server);
    close_well(open_at(path, OG_CREATE, address));
    pthread_mutex_lock(&keys.lock);
    snprintf(fake_field(&keys, (og_bytes)OG_LITERAL("documents"), true), 64,
             "5");
    pthread_mutex_unlock(&keys.lock);
    refuse(path, address, NULL, OG_ERR_STORE, "has 5 documents");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_stream),        TEST(test_one_by_one),
        TEST(test_server_forgot), TEST(test_server_failed),
        TEST(test_stream_failed), TEST(test_removed),
        TEST(test_without_table), TEST(test_sighting),
        TEST(test_refused),       TEST(test_behind),
    };
    make_quoting_documents(N_DOCUMENTS, 17, 30);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
