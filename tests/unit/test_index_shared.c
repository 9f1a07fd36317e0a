/* Queries of near documents and reused sentences on two threads, while a third
 * adds: a document whose addition was acknowledged is found, none that was not
 * added is, and in the end the answers are those of one thread alone. */

#include "tests/unit/store_support.h"

#include <origo/origo.h>
#include <pthread.h>
#include <stdatomic.h>

enum { N_DOCUMENTS = 200, N_SENTENCES = 6, N_READERS = 2, TEXT_LEN = 2000 };

static char ids[N_DOCUMENTS][16], texts[N_DOCUMENTS][TEXT_LEN];
static og_store *store;
static atomic_uint n_added; /* acknowledged */
static atomic_bool is_over;
static atomic_uint n_wrong;

/* Sentences of its own, and one that all have. */
static void make_documents(void)
{
    for (int i = 0; i < N_DOCUMENTS; i++) {
        size_t at = 0;
        snprintf(ids[i], sizeof(ids[i]), "d%d", i);
        for (int s = 0; s < N_SENTENCES; s++) {
            for (int w = 0; w < 12; w++)
                at += (size_t)snprintf(texts[i] + at, TEXT_LEN - at,
                                       "%s%cx%dx%d", w == 0 ? "W" : " w",
                                       'a' + w, s == 0 ? 0 : i, s);
            at += (size_t)snprintf(texts[i] + at, TEXT_LEN - at, ". ");
        }
    }
}

static og_document question_about(unsigned i)
{
    return (og_document){.id = bytes_of("question"),
                         .text = bytes_of(texts[i])};
}

static bool has_id(og_bytes id, unsigned i)
{
    return id.len == strlen(ids[i]) && memcmp(id.data, ids[i], id.len) == 0;
}

/* The document itself is near, and nothing else. */
static bool check_near(og_trace *trace, unsigned i)
{
    const og_document doc = question_about(i);
    const og_near_match *matches;
    size_t n;
    return og_trace_near(trace, &doc, NULL, &matches, &n, NULL) == OG_OK &&
           n == 1 && has_id(matches[0].id, i) && matches[0].is_exact;
}

/* Each of its sentences has one in it. */
static bool check_quote(og_trace *trace, unsigned i)
{
    const og_document doc = question_about(i);
    const og_quotes *quotes;
    if (og_trace_quote(trace, &doc, NULL, &quotes, NULL) != OG_OK ||
        quotes->n_sentences != N_SENTENCES)
        return false;
    for (size_t s = 1; s < N_SENTENCES; s++)
        if (quotes->sentences[s].n_matches != 1 ||
            !has_id(quotes->sentences[s].matches[0].id, i))
            return false;
    return quotes->sentences[0].n_matches > 0;
}

static void *ask(void *ctx)
{
    og_trace *trace = og_trace_new(store);
    unsigned i = *(const unsigned *)ctx;
    while (!atomic_load(&is_over)) {
        const unsigned n = atomic_load(&n_added);
        if (n == 0) continue;
        i = (i + 7) % n;
        if (!check_near(trace, i) || !check_quote(trace, i))
            atomic_fetch_add(&n_wrong, 1);
    }
    og_trace_free(trace);
    return NULL;
}

static void add_all(void)
{
    for (unsigned i = 0; i < N_DOCUMENTS; i++) {
        const og_document doc = {.id = bytes_of(ids[i]),
                                 .text = bytes_of(texts[i]),
                                 .time = (int64_t)i,
                                 .has_time = true};
        ASSERT_OK(og_store_add(store, &doc, NULL, &story));
        atomic_store(&n_added, i + 1);
    }
}

static void open_store(const char *path)
{
    og_params params = og_params_default();
    params.memory = 1 << 20;
    const og_store_options options = {
        .params = &params,
        .indexes = OG_INDEX_PASSAGES | OG_INDEX_NEAR | OG_INDEX_SENTENCES};
    ASSERT_OK(og_store_open(path, OG_CREATE, &options, &store, &story));
}

static void assert_as_alone(void)
{
    og_trace *trace = og_trace_new(store);
    for (unsigned i = 0; i < N_DOCUMENTS; i++) {
        const og_document doc = question_about(i);
        const og_near_match *alone, *shared;
        const og_quotes *quotes;
        size_t n, n_shared;
        ASSERT_OK(og_store_near(store, &doc, NULL, &alone, &n, &story));
        ASSERT_OK(og_trace_near(trace, &doc, NULL, &shared, &n_shared, &story));
        assert_int_equal(n, n_shared);
        assert_true(n == 1 && alone->similarity == shared->similarity);
        ASSERT_OK(og_store_quote(store, &doc, NULL, &quotes, &story));
        const uint64_t n_found = quotes->sentences[0].n_found;
        ASSERT_OK(og_trace_quote(trace, &doc, NULL, &quotes, &story));
        assert_int_equal(quotes->sentences[0].n_found, n_found);
    }
    og_trace_free(trace);
}

static void run_beside_writer(const char *path)
{
    pthread_t threads[N_READERS];
    unsigned first[N_READERS];
    open_store(path);
    ASSERT_OK(
        og_store_index_load(store, OG_INDEX_NEAR | OG_INDEX_SENTENCES, &story));
    atomic_store(&n_added, 0);
    atomic_store(&is_over, false);
    for (unsigned i = 0; i < N_READERS; i++) {
        first[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &first[i]), 0);
    }
    add_all();
    atomic_store(&is_over, true);
    for (unsigned i = 0; i < N_READERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&n_wrong), 0);
    assert_as_alone();
    ASSERT_OK(og_store_close(store, &story));
}

static void beside_a_writer_on_disk(void **state)
{
    (void)state;
    run_beside_writer(in("s"));
}

static void beside_a_writer_in_memory(void **state)
{
    (void)state;
    run_beside_writer(":memory:");
}

static void assert_refused(og_trace *trace, const char *story_part)
{
    const og_document doc = question_about(0);
    const og_near_match *matches;
    const og_quotes *quotes;
    size_t n;
    assert_int_equal(og_trace_near(trace, &doc, NULL, &matches, &n, &story),
                     OG_ERR_USAGE);
    assert_non_null(strstr(story.message, story_part));
    assert_int_equal(og_trace_quote(trace, &doc, NULL, &quotes, &story),
                     OG_ERR_USAGE);
    assert_non_null(strstr(story.message, story_part));
}

/* A reader cannot open an index that the writer may be opening. */
static void not_before_they_are_loaded(void **state)
{
    (void)state;
    open_store(in("t"));
    ASSERT_OK(og_store_close(store, &story));
    open_store(in("t"));
    og_trace *trace = og_trace_new(store);
    assert_refused(trace, "is not loaded");
    og_trace_free(trace);
    ASSERT_OK(og_store_close(store, &story));
    ASSERT_OK(og_store_open(in("u"), OG_CREATE, NULL, &store, &story));
    trace = og_trace_new(store);
    assert_refused(trace, "has no index");
    og_trace_free(trace);
    ASSERT_OK(og_store_close(store, &story));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beside_a_writer_on_disk),
        cmocka_unit_test(beside_a_writer_in_memory),
        cmocka_unit_test(not_before_they_are_loaded),
    };
    make_documents();
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
