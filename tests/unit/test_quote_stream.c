/* Streams of reused sentences: the counts, documents by callback. */

#include "tests/unit/input_support.h"
#include "tests/unit/source_support.h"

static const char *const texts[] = {
    "The old lighthouse will be lit again in spring, once the lamp is back.",
    "",
    ("We heard it, too. The old lighthouse will be lit again in spring, once "
     "the lamp is back."),
    " \n ",
};
enum { N_TEXTS = sizeof(texts) / sizeof(*texts) };

static og_status next(void *ctx, og_document *out, og_error *err)
{
    size_t *n = ctx;
    (void)err;
    if (*n == N_TEXTS) return OG_END;
    out->text = (og_bytes){texts[*n], strlen(texts[*n])};
    (*n)++;
    return OG_OK;
}

static size_t render(char out[60], const og_document *doc,
                     const og_quotes *quotes)
{
    return (size_t)snprintf(out, 60, "%zu %zu %llu", doc->text.len,
                            quotes->n_sentences,
                            (unsigned long long)quotes->n_reused);
}

static bool on_answer(void *ctx, const og_document *doc,
                      const og_quotes *quotes)
{
    uint64_t *n_reused = ctx;
    char line[60];
    *n_reused += quotes->n_reused;
    assert_int_equal(quotes->rendered.len, render(line, doc, quotes));
    assert_memory_equal(quotes->rendered.data, line, quotes->rendered.len);
    return true;
}

static bool on_render(void *ctx, const og_document *doc,
                      const og_quotes *quotes, og_write_fn *write, void *to)
{
    char line[60];
    (void)ctx;
    return write(to, line, render(line, doc, quotes)) == 0;
}

static void counts_of_a_stream(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 3; n_threads++) {
        size_t n = 0;
        uint64_t n_reused = 0;
        og_store *store = NULL;
        const og_store_options how = {.indexes = OG_INDEX_SENTENCES};
        og_input input = input_of(NULL, 0, n_threads);
        og_quote_stream_options options = og_quote_stream_options_default();
        og_stream_counts counts;
        og_error err = {0};
        assert_int_equal(
            og_store_open(":memory:", OG_CREATE, &how, &store, &err), OG_OK);
        input.ctx = &n;
        input.next = next;
        options.add = true;
        options.ctx = &n_reused;
        options.on_answer = on_answer;
        options.on_render = on_render;
        assert_int_equal(
            og_quote_stream(store, &input, &options, &counts, &err), OG_OK);
        assert_int_equal(counts.n_documents, N_TEXTS);
        assert_int_equal(counts.n_short, 2); /* without a sentence */
        assert_int_equal(n_reused, 1);
        assert_int_equal(og_store_close(store, &err), OG_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_of_a_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
