/* A stream, which takes blocks of documents in together, against og_store_add()
 * of one document after another: the same answers, the same store. Documents
 * quote each other; some are late, some come again, some are other versions,
 * and one was removed. Then the same with times in no order. */

#define _GNU_SOURCE
#include "lib/base/bits.h"
#include "tests/unit/stream_support.h"

enum { N_DOCUMENTS = 700 };
_Static_assert((int)N_DOCUMENTS <= (int)DOCUMENTS_MOST, "room for them");

static bool print_answer(void *ctx, const og_document *doc, const og_answer *a)
{
    FILE *out = ((struct transcript *)ctx)->out;
    fprintf(out, "%.*s: %d fresh, %.*s %f\n", (int)doc->id.len, doc->id.data,
            (int)a->n_fresh, (int)a->dominant_id.len, a->dominant_id.data,
            a->dominant_share);
    for (size_t i = 0; i < a->n_spans; i++) {
        const og_span *s = &a->spans[i];
        fprintf(out, " %d-%d %s %.*s %lld-%lld\n", (int)s->begin, (int)s->end,
                og_how_name(s->how), (int)s->origin_id.len, s->origin_id.data,
                (long long)s->origin_begin, (long long)s->origin_end);
    }
    for (size_t i = 0; i < a->n_origins; i++) {
        fprintf(out, " %.*s %d:", (int)a->origins[i].id.len,
                a->origins[i].id.data, (int)a->origins[i].n_tokens);
        for (size_t j = 0; j < a->origins[i].n_copiers; j++)
            fprintf(out, " %llu/%llu",
                    (unsigned long long)a->origins[i].copiers[j].number,
                    (unsigned long long)a->origins[i].copiers[j].n_tokens);
        fprintf(out, "\n");
    }
    return true;
}

static og_store *open_store(const char *path, bool no_texts)
{
    og_params params = og_params_default();
    og_store *store;
    og_error err;
    params.key = OG_KEY_PUBLIC;
    params.memory = (uint64_t)2 << 30; /* for 32 threads; it is not filled */
    params.no_texts = no_texts;
    assert_int_equal(og_store_open(path, OG_CREATE,
                                   &(og_store_options){.params = &params},
                                   &store, &err),
                     OG_OK);
    return store;
}

/* The first half is added in any case one by one; then one is removed. */
static void add_some(og_store *store, unsigned begin, unsigned end,
                     struct transcript *t)
{
    og_trace *trace = og_trace_new(store);
    og_error err;
    for (unsigned i = begin; i < end; i++) {
        const og_document doc = document(i);
        assert_int_equal(og_store_add(store, &doc, trace, &err), OG_OK);
        if (t != NULL) (void)print_answer(t, &doc, og_trace_answer(trace));
    }
    og_trace_free(trace);
}

/* What a test wants of a store. */
struct wanted {
    unsigned first; /* documents that are there already */
    bool removes, no_texts;
    bool again;      /* they come again, in the stream */
    bool no_answers; /* are asked for while it runs */
};

/* What the table and the entries say in the end. */
static void ask_all(og_store *store, struct transcript *t)
{
    og_trace *trace = og_trace_new(store);
    og_error err;
    for (unsigned i = 0; i < N_DOCUMENTS; i++) {
        const og_document doc = document(i);
        assert_int_equal(og_store_trace(store, &doc, trace, &err), OG_OK);
        (void)print_answer(t, &doc, og_trace_answer(trace));
    }
    og_trace_free(trace);
}

static char *finish(og_store *store, struct transcript *t)
{
    og_store_info info;
    ask_all(store, t);
    og_store_info_get(store, &info);
    fprintf(t->out, "%llu documents, %llu slots, %llu common\n",
            (unsigned long long)info.n_documents,
            (unsigned long long)info.n_slots_used,
            (unsigned long long)info.n_boilerplate);
    return end_transcript(t, store);
}

static void run_stream(og_store *store, unsigned n_threads, bool no_answers,
                       struct transcript *t)
{
    og_stream_options options = og_stream_options_default();
    const og_input input = input_of_documents(t, n_threads);
    og_error err;
    options.add = true;
    options.ctx = t;
    if (!no_answers) options.on_answer = print_answer;
    assert_int_equal(og_stream_run(store, &input, &options, NULL, &err), OG_OK);
}

static char *take_all(const void *ctx, const char *path, unsigned n_threads)
{
    const struct wanted *w = ctx;
    og_store *store = open_store(path, w->no_texts);
    struct transcript t;
    const unsigned begin = w->again ? 0 : w->first;
    begin_transcript(&t, begin);
    add_some(store, 0, w->first, NULL);
    if (w->removes) remove_one(store);
    if (n_threads == 0)
        add_some(store, begin, N_DOCUMENTS, w->no_answers ? NULL : &t);
    else
        run_stream(store, n_threads, w->no_answers, &t);
    return finish(store, &t);
}

static void in_memory(void **state)
{
    (void)state;
    check_streams(false, take_all, &(struct wanted){0});
}

static void without_texts(void **state)
{
    (void)state;
    check_streams(false, take_all, &(struct wanted){.no_texts = true});
}

static void on_disk(void **state)
{
    (void)state;
    check_streams(true, take_all, &(struct wanted){0});
}

static void after_a_removal(void **state)
{
    (void)state;
    check_streams(true, take_all,
                  &(struct wanted){.first = 100, .removes = true});
}

/* Most of a stream is there already: all threads identify documents. */
static void again(void **state)
{
    struct wanted w = {.first = N_DOCUMENTS - 40, .again = true};
    (void)state;
    check_streams(true, take_all, &w);
    w.no_answers = w.removes = true;
    check_streams(true, take_all, &w);
}

/* Words from somewhere in a text, up to so many bytes. */
static size_t put_part(char *out, const char *text, size_t from, size_t len)
{
    const char *begin = text + from % strlen(text);
    const char *word = strchr(begin, ' ');
    if (word == NULL) return 0;
    const size_t left = strlen(word);
    memcpy(out, word, left < len ? left : len);
    return left < len ? left : len;
}

/* Many short passages, from documents that have them from others: whose they
 * are is only known from the documents that those have them from. */
static void make_patchwork(void)
{
    enum { PARTS = 14, PART_LEN = 160 };
    uint64_t random = 23;
    for (unsigned i = 0; i < N_DOCUMENTS; i++) {
        struct made *m = &made[i];
        size_t at = 0;
        if (!make_names(i, (unsigned)(og_random_next(&random) % 40))) continue;
        for (unsigned part = 0; part < PARTS; part++) {
            const uint64_t lot = og_random_next(&random);
            if (i > 0 && lot % 3 > 0)
                at += put_part(m->text + at, made[(lot >> 8) % i].text,
                               lot >> 32 & 0xffff, 30 + (lot >> 48) % PART_LEN);
            else
                for (unsigned n = 0; n < 12; n++)
                    at += (size_t)sprintf(
                        m->text + at, " w%x",
                        (unsigned)(og_random_next(&random) & 0xfff));
        }
        m->text[at] = '\0';
    }
}

/* The groups after this one have times in no order. */
static int shuffle(void **state)
{
    static uint64_t seed = 5;
    (void)state;
    shuffle_times(seed++);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_memory),
        cmocka_unit_test(without_texts),
        cmocka_unit_test(on_disk),
        cmocka_unit_test(after_a_removal),
    };
    const struct CMUnitTest of_known[] = {cmocka_unit_test(again)};
    make_quoting_documents(N_DOCUMENTS, 11, 40);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    failed += cmocka_run_group_tests(of_known, NULL, NULL);
    failed += cmocka_run_group_tests(tests, shuffle, NULL);
    make_patchwork();
    failed += cmocka_run_group_tests(tests, shuffle, NULL);
    return failed;
}
