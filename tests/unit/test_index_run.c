/* Streams that ask another index of a store about the documents of a block
 * together, against one document after another: the same answers about near
 * documents and reused sentences, the same index. Documents repeat sentences of
 * earlier ones, or nearly all of one; some are late, some come again, some are
 * other versions, one was removed, and a small index has to forget. Then the
 * same with times in no order. */

#define _GNU_SOURCE
#include "lib/base/bits.h"
#include "tests/unit/stream_support.h"

enum {
    N_DOCUMENTS = 400,
    N_SENTENCES = 12,
    N_WORDS = 14,
    SENTENCE_CAP = N_WORDS * 6 + 8,
    FIRST = 60
};
_Static_assert((int)N_DOCUMENTS <= (int)DOCUMENTS_MOST, "room for them");
_Static_assert((int)N_SENTENCES *SENTENCE_CAP <= (int)TEXT_CAP,
               "and for their texts");

static char sentences[N_DOCUMENTS][N_SENTENCES][SENTENCE_CAP];
static uint64_t seed = 3;

static unsigned draw(unsigned below)
{
    return (unsigned)(og_random_next(&seed) % below);
}

static void make_sentence(char *out)
{
    size_t at = (size_t)sprintf(out, "W%u", draw(4096));
    for (unsigned n = 1; n < N_WORDS; n++)
        at += (size_t)sprintf(out + at, " w%u", draw(n % 4 == 0 ? 20 : 4096));
    sprintf(out + at, ". ");
}

/* A third are nearly another document; the others have a sentence of one. */
static void make_text(unsigned i)
{
    const bool has_other = i > 0;
    const unsigned other = has_other ? draw(i) : 0;
    const bool is_near = has_other && draw(3) == 0;
    char *text = made[i].text;
    for (unsigned k = 0; k < N_SENTENCES; k++) {
        if (is_near && k != i % N_SENTENCES)
            strcpy(sentences[i][k], sentences[other][k]);
        else if (has_other && draw(6) == 0)
            strcpy(sentences[i][k], sentences[draw(i)][draw(N_SENTENCES)]);
        else
            make_sentence(sentences[i][k]);
        strcat(text, sentences[i][k]);
    }
    if (i % 50 == 49) strcpy(text, "Short."); /* is asked, never added */
}

static void make_documents(void)
{
    for (unsigned i = 0; i < N_DOCUMENTS; i++) {
        if (make_names(i, draw(40)))
            make_text(i);
        else
            memcpy(sentences[i], sentences[i - 3], sizeof(sentences[i]));
    }
    n_made = N_DOCUMENTS;
}

/* ---- what is told ---- */

static bool print_near(void *ctx, const og_document *doc,
                       const og_near_match *matches, size_t n)
{
    FILE *out = ((struct transcript *)ctx)->out;
    fprintf(out, "%.*s:", (int)doc->id.len, doc->id.data);
    for (size_t i = 0; i < n; i++)
        fprintf(out, " %.*s %lld %f %d %u", (int)matches[i].id.len,
                matches[i].id.data, (long long)matches[i].time,
                matches[i].similarity, matches[i].is_exact,
                matches[i].distance);
    fprintf(out, "\n");
    return true;
}

static void print_match(FILE *out, const og_quote_match *m)
{
    fprintf(out, " %.*s %lld %f %d %.*s", (int)m->id.len, m->id.data,
            (long long)m->time, m->similarity, (int)m->n_shared,
            (int)m->text.len, m->text.data);
    for (size_t i = 0; i < m->n_own_ranges; i++)
        fprintf(out, " %d", (int)m->own[i].begin);
}

static bool print_quotes(void *ctx, const og_document *doc,
                         const og_quotes *quotes)
{
    FILE *out = ((struct transcript *)ctx)->out;
    fprintf(out, "%.*s: %d of %d\n", (int)doc->id.len, doc->id.data,
            (int)quotes->n_reused, (int)quotes->n_sentences);
    for (size_t i = 0; i < quotes->n_sentences; i++) {
        const og_quote *q = &quotes->sentences[i];
        fprintf(out, " %d-%d %d", (int)q->begin, (int)q->end, (int)q->n_found);
        for (size_t k = 0; k < q->n_matches; k++)
            print_match(out, &q->matches[k]);
        fprintf(out, "\n");
    }
    return true;
}

/* ---- both ways ---- */

static og_store *open_store(const char *path)
{
    og_params params = og_params_default();
    og_near_options near = og_near_options_default();
    og_store *store;
    og_error err;
    params.key = OG_KEY_PUBLIC;
    params.memory = 64 << 20;
    params.min_tokens = 8;
    near.method = OG_NEAR_BOTH;
    near.memory = 40 << 10; /* some two hundred documents */
    const og_store_options options = {
        .params = &params,
        .near_options = &near,
        .indexes = OG_INDEX_PASSAGES | OG_INDEX_NEAR | OG_INDEX_SENTENCES};
    if (og_store_open(path, OG_CREATE, &options, &store, &err) != OG_OK)
        fail_msg("%s", err.message);
    return store;
}

static void add_one(og_store *store, unsigned i)
{
    const og_document doc = document(i);
    og_error err;
    assert_int_equal(og_store_add(store, &doc, NULL, &err), OG_OK);
}

/* The first ones are there already; on disk, one was removed. */
static void add_first(og_store *store, const char *path)
{
    for (unsigned i = 0; i < FIRST; i++)
        add_one(store, i);
    if (strcmp(path, ":memory:") != 0) remove_one(store);
}

static char *finish(og_store *store, struct transcript *t)
{
    og_near_info near;
    og_sentences_info info;
    og_error err;
    assert_int_equal(og_store_near_info(store, &near, &err), OG_OK);
    assert_int_equal(og_store_sentences_info(store, &info, &err), OG_OK);
    assert_true(near.n_evicted > 0);
    fprintf(t->out, "%llu known, %llu forgotten, %llu sentences\n",
            (unsigned long long)near.n_documents,
            (unsigned long long)near.n_evicted,
            (unsigned long long)info.n_sentences);
    return end_transcript(t, store);
}

static void ask_near(og_store *store, unsigned i, struct transcript *t)
{
    const og_document doc = document(i);
    const og_near_match *matches;
    size_t n;
    og_error err;
    if (og_store_near(store, &doc, NULL, &matches, &n, &err) != OG_OK)
        fail_msg("%s", err.message);
    print_near(t, &doc, matches, n);
}

static void ask_quotes(og_store *store, unsigned i, struct transcript *t)
{
    const og_document doc = document(i);
    const og_quotes *quotes;
    og_error err;
    if (og_store_quote(store, &doc, NULL, &quotes, &err) != OG_OK)
        fail_msg("%s", err.message);
    print_quotes(t, &doc, quotes);
}

enum question { NEAR, QUOTE, NEITHER };

/* What a test wants of a store. */
struct wanted {
    enum question question;
    bool adds; /* the queried ones; otherwise the stored ones */
};

static void ask_all(og_store *store, const struct wanted *w,
                    struct transcript *t)
{
    for (unsigned i = FIRST; i < N_DOCUMENTS; i++) {
        if (w->question == NEAR) ask_near(store, i, t);
        if (w->question == QUOTE) ask_quotes(store, i, t);
        if (w->adds) add_one(store, i);
    }
}

static og_status run_stream(og_store *store, const og_input *input,
                            const struct wanted *w, struct transcript *t,
                            og_error *err)
{
    og_near_stream_options ask = og_near_stream_options_default();
    og_quote_stream_options quote = og_quote_stream_options_default();
    og_stream_options plain = og_stream_options_default();
    ask.add = quote.add = plain.add = w->adds;
    ask.ctx = quote.ctx = t;
    ask.on_answer = print_near;
    quote.on_answer = print_quotes;
    switch (w->question) {
    case NEAR: return og_near_stream(store, input, &ask, NULL, err);
    case QUOTE: return og_quote_stream(store, input, &quote, NULL, err);
    default: return og_stream_run(store, input, &plain, NULL, err);
    }
}

static char *take_all(const void *ctx, const char *path, unsigned n_threads)
{
    const struct wanted *w = ctx;
    og_store *store = open_store(path);
    struct transcript t;
    begin_transcript(&t, FIRST);
    const og_input input = input_of_documents(&t, n_threads);
    og_error err;
    add_first(store, path);
    for (unsigned i = FIRST; i < N_DOCUMENTS && !w->adds; i++)
        add_one(store, i);
    if (n_threads == 0)
        ask_all(store, w, &t);
    else if (run_stream(store, &input, w, &t, &err) != OG_OK)
        fail_msg("%s", err.message);
    return finish(store, &t);
}

static void near_in_memory(void **state)
{
    (void)state;
    check_streams(false, take_all, &(struct wanted){NEAR, true});
}

static void near_on_disk(void **state)
{
    (void)state;
    check_streams(true, take_all, &(struct wanted){NEAR, true});
}

static void near_without_adding(void **state)
{
    (void)state;
    check_streams(true, take_all, &(struct wanted){NEAR, false});
}

static void quotes_in_memory(void **state)
{
    (void)state;
    check_streams(false, take_all, &(struct wanted){QUOTE, true});
}

static void quotes_on_disk(void **state)
{
    (void)state;
    check_streams(true, take_all, &(struct wanted){QUOTE, true});
}

static void quotes_without_adding(void **state)
{
    (void)state;
    check_streams(true, take_all, &(struct wanted){QUOTE, false});
}

static void indexes_that_nobody_asks(void **state)
{
    (void)state;
    check_streams(true, take_all, &(struct wanted){NEITHER, true});
}

/* Only an id that is already there ends a run: some one in forty. */
static void count_runs(void *ctx, const og_timing *timing)
{
    struct transcript *t = ctx;
    if (strcmp(timing->stage, "words") == 0) t->n_runs += timing->n;
}

static void quotes_of_late_documents_share_runs(void **state)
{
    const struct wanted w = {QUOTE, true};
    og_store *store = open_store(":memory:");
    struct transcript t;
    og_error err;
    (void)state;
    begin_transcript(&t, FIRST);
    og_input input = input_of_documents(&t, 1);
    input.on_timing = count_runs;
    add_first(store, ":memory:");
    assert_int_equal(run_stream(store, &input, &w, &t, &err), OG_OK);
    assert_in_range(t.n_runs, 2, (N_DOCUMENTS - FIRST) / 10);
    free(finish(store, &t));
}

static int shuffle(void **state)
{
    (void)state;
    shuffle_times(9);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_in_memory),
        cmocka_unit_test(near_on_disk),
        cmocka_unit_test(near_without_adding),
        cmocka_unit_test(quotes_in_memory),
        cmocka_unit_test(quotes_on_disk),
        cmocka_unit_test(quotes_without_adding),
        cmocka_unit_test(indexes_that_nobody_asks),
    };
    const struct CMUnitTest late_tests[] = {
        cmocka_unit_test(quotes_of_late_documents_share_runs),
    };
    make_documents();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + cmocka_run_group_tests(tests, shuffle, NULL) +
           cmocka_run_group_tests(late_tests, NULL, NULL);
}
