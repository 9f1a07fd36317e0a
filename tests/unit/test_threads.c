/* Readers in other threads while one writes: made for the thread sanitizer,
 * but the answers are checked as well. */

#include "tests/unit/input_support.h"
#include "tests/unit/source_support.h"

#include <pthread.h>
#include <stdatomic.h>

#include "lib/base/bits.h"
#include "lib/store/store.h"

enum { N_READERS = 4, N_DOCUMENTS = 1500, N_WORDS = 60 };

/* Document i: words of its own, so that nothing but a document itself can be
 * its origin, whatever the readers see. */
static size_t make_up_text(char *out, uint64_t i)
{
    uint64_t random = og_mix64(i + 1);
    size_t len = 0;
    for (int j = 0; j < N_WORDS; j++)
        len += (size_t)sprintf(out + len, "%llx ",
                               (unsigned long long)og_random_next(&random));
    return len;
}

struct shared {
    og_store *store;
    atomic_uint n_added; /* documents that are in for certain */
    atomic_bool is_done;
    atomic_size_t n_found, n_asked;
    atomic_uint n_readers; /* so far: the seed of each */
};

/* cmocka's asserts are for its own thread. */
#define must(holds) must_hold((holds), #holds, __LINE__)

static void must_hold(bool holds, const char *what, int line)
{
    if (holds) return;
    fprintf(stderr, "test_threads.c:%d: %s does not hold\n", line, what);
    abort();
}

/* A document that was added is found whole; one that is being added is found
 * whole or not at all; every span names the right document. */
static void check(const og_answer *answer, uint64_t i, bool is_added)
{
    char id[32];
    const size_t id_len = (size_t)sprintf(id, "d%llu", (unsigned long long)i);
    if (is_added) must(answer->n_spans == 1 && answer->n_fresh == 0);
    must(answer->n_spans <= 1);
    for (size_t j = 0; j < answer->n_spans; j++) {
        const og_span *span = &answer->spans[j];
        must(answer->n_fresh == 0);
        must(span->origin == i);
        must(span->origin_id.len == id_len);
        must(memcmp(span->origin_id.data, id, id_len) == 0);
        must(span->origin_has_time && span->origin_time == (int64_t)i);
    }
}

static void *read_on(void *ctx)
{
    struct shared *s = ctx;
    og_trace *trace = og_trace_new(s->store);
    char text[N_WORDS * 20];
    uint64_t random = atomic_fetch_add(&s->n_readers, 1);
    must(trace != NULL);
    for (;;) {
        const bool is_last_round = atomic_load(&s->is_done);
        const unsigned n = atomic_load(&s->n_added);
        /* Mostly what has just come or is just coming. */
        uint64_t i = n + og_random_next(&random) % 4;
        i = i >= 2 ? i - 2 : i;
        const og_document doc = {.id = OG_LITERAL("q"),
                                 .text = {text, make_up_text(text, i)}};
        must(og_store_trace(s->store, &doc, trace, NULL) == OG_OK);
        const og_answer *answer = og_trace_answer(trace);
        check(answer, i, i < n);
        atomic_fetch_add(&s->n_found, answer->n_spans);
        atomic_fetch_add(&s->n_asked, 1);
        if (is_last_round) break;
    }
    og_trace_free(trace);
    return NULL;
}

static og_params roomy_params(void)
{
    og_params params = og_params_default();
    params.select = (og_select_options){.kind = OG_SELECT_ALL};
    params.estimate = OG_ESTIMATE_NONE;
    params.memory = 4 << 20; /* nothing is evicted */
    /* With a random key two of the 90,000 fingerprints are equal in one run of
     * a hundred or so. */
    params.key = OG_KEY_PUBLIC;
    return params;
}

static void test_readers_beside_a_writer(void **state)
{
    (void)state;
    const og_params params = roomy_params();
    struct shared s = {.store = NULL};
    pthread_t threads[N_READERS];
    char text[N_WORDS * 20], id[32];
    assert_int_equal(og_store_open(":memory:", OG_CREATE,
                                   &(og_store_options){.params = &params},
                                   &s.store, NULL),
                     OG_OK);
    for (size_t i = 0; i < N_READERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_on, &s), 0);
    for (unsigned i = 0; i < N_DOCUMENTS; i++) {
        const int id_len = sprintf(id, "d%u", i);
        const og_document doc = {.id = {id, (size_t)id_len},
                                 .text = {text, make_up_text(text, i)},
                                 .time = i,
                                 .has_time = true};
        assert_int_equal(og_store_add(s.store, &doc, NULL, NULL), OG_OK);
        atomic_store(&s.n_added, i + 1);
    }
    atomic_store(&s.is_done, true);
    for (size_t i = 0; i < N_READERS; i++)
        pthread_join(threads[i], NULL);
    og_store_info info;
    og_store_info_get(s.store, &info);
    assert_int_equal(info.n_documents, N_DOCUMENTS);
    assert_int_equal(info.n_evicted, 0);
    assert_true(s.n_found > 0);
    og_store_close(s.store, NULL);
}

/* ---- a stream beside readers ---- */

static void *read_anything(void *ctx)
{
    struct shared *s = ctx;
    og_trace *trace = og_trace_new(s->store);
    char text[N_WORDS * 20];
    must(trace != NULL);
    for (uint64_t i = 0; !atomic_load(&s->is_done); i++) {
        const og_document doc = {.id = OG_LITERAL("q"),
                                 .text = {text, make_up_text(text, i % 3000)}};
        must(og_store_trace(s->store, &doc, trace, NULL) == OG_OK);
        const og_answer *answer = og_trace_answer(trace);
        for (size_t j = 0; j < answer->n_spans; j++)
            must(answer->spans[j].origin_id.len > 1 &&
                 answer->spans[j].origin_id.data[0] == 'd');
        atomic_fetch_add(&s->n_asked, 1);
    }
    og_trace_free(trace);
    return NULL;
}

static bool count_answer(void *ctx, const og_document *doc,
                         const og_answer *answer)
{
    (void)doc;
    must(answer->n_tokens == N_WORDS);
    ++*(size_t *)ctx;
    return true;
}

/* A table that is far too small, documents out of order: slots are evicted,
 * moved and taken over while readers use them. */
static void stream_beside_readers(const char *path, og_evict_kind evict)
{
    og_params params = og_params_default();
    struct shared s = {.store = NULL};
    pthread_t threads[N_READERS];
    size_t n_answers = 0;
    og_stream_options options = og_stream_options_default();
    params.memory = 1 << 15;
    params.evict = evict;
    const og_input input = input_of(&path, 1, 4);
    options.add = true;
    options.ctx = &n_answers;
    options.on_answer = count_answer;
    assert_int_equal(og_store_open(":memory:", OG_CREATE,
                                   &(og_store_options){.params = &params},
                                   &s.store, NULL),
                     OG_OK);
    for (size_t i = 0; i < N_READERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_anything, &s),
                         0);
    assert_int_equal(og_stream_run(s.store, &input, &options, NULL, NULL),
                     OG_OK);
    atomic_store(&s.is_done, true);
    for (size_t i = 0; i < N_READERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(n_answers, 3000);
    og_store_close(s.store, NULL);
}

static void test_readers_beside_a_stream(void **state)
{
    (void)state;
    struct folder folder;
    struct string stream = {0};
    char text[N_WORDS * 20];
    folder_make(&folder);
    for (unsigned i = 0; i < 3000; i++) {
        string_fp(&stream, "{\"id\":\"d%u\",\"time\":%u,\"text\":\"", i,
                  i % 10 == 3 ? i / 2 : i);
        string_add(&stream, text, make_up_text(text, i / 2));
        string_fp(&stream, "\"}\n");
    }
    const char *const path =
        folder_write(&folder, "a.jsonl", stream.data, stream.len);
    for (int evict = OG_EVICT_RANDOM; evict <= OG_EVICT_THIN; evict++)
        stream_beside_readers(path, (og_evict_kind)evict);
    string_release(&stream);
    folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readers_beside_a_writer),
        cmocka_unit_test(test_readers_beside_a_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
