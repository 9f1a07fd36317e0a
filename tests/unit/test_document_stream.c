/* Documents on their way to deduplication: records as they are, tokens, ranks,
 * rejects, on any number of threads. */

#include "tests/unit/input_support.h"
#include "tests/unit/store_support.h"

#include "lib/dedup/document_stream.h"

enum { N = 300 };

static struct og_shingle_factors key;
static struct og_band_sketcher sketcher;

static int set_up(void **state)
{
    const struct og_band_design design = {4, 2};
    og_shingle_factors_init(&key, og_rabin_default(), 3);
    if (make_folder(state) != 0) return 1;
    FILE *file = fopen(in("in.jsonl"), "w");
    for (int i = 0; i < N; i++) {
        fprintf(file, "{\"id\":\"d%d\",\"rank\":%d,\"text\":\"", i, N - i);
        for (int w = 0; w <= i % 7; w++)
            fprintf(file, "w%d ", w);
        fprintf(file, "\"}\n");
        if (i % 100 == 50) fprintf(file, "no json %d\n", i);
    }
    fclose(file);
    return og_band_sketcher_init(&sketcher, &design, NULL, NULL) != OG_OK;
}

static int tear_down(void **state)
{
    og_band_sketcher_release(&sketcher);
    return remove_folder(state);
}

struct seen {
    int n, n_blocks;
    char rejects[200];
    uint64_t words[8]; /* of the last document of seven words */
    int stop_at;
};

static og_status take(void *ctx, struct og_dedup_doc *d, og_error *err)
{
    struct seen *seen = ctx;
    char record[200];
    const int i = seen->n++;
    int len = snprintf(record, sizeof(record),
                       "{\"id\":\"d%d\",\"rank\":%d,\"text\":\"", i, N - i);
    for (int w = 0; w <= i % 7; w++)
        len += snprintf(record + len, sizeof(record) - (size_t)len, "w%d ", w);
    len += snprintf(record + len, sizeof(record) - (size_t)len, "\"}");
    assert_int_equal(d->record.len, len);
    assert_memory_equal(d->record.data, record, (size_t)len);
    assert_int_equal(d->n_tokens, i % 7 + 1);
    assert_int_equal(d->line, i + 1 + (i > 50) + (i > 150) + (i > 250));
    for (size_t w = 0; w < OG_TOKENS_TAIL; w++)
        assert_int_equal(d->words[d->n_tokens + w], 0);
    /* The same token is the same word in every document. */
    if (i % 7 == 6 && seen->words[0] != 0)
        assert_memory_equal(d->words, seen->words, 7 * 8);
    if (i % 7 == 6) memcpy(seen->words, d->words, 7 * 8);
    if (seen->n == seen->stop_at)
        return og_error_set(err, OG_ERR_LIMIT, "enough");
    return OG_OK;
}

static og_status end_block(void *ctx, uint64_t sequence, og_error *err)
{
    struct seen *seen = ctx;
    (void)err;
    assert_int_equal(sequence, seen->n_blocks);
    seen->n_blocks++;
    return OG_OK;
}

static og_status reject(void *ctx, og_bytes record, bool more, og_error *err)
{
    struct seen *seen = ctx;
    (void)err;
    assert_false(more);
    strncat(seen->rejects, record.data, record.len);
    strcat(seen->rejects, "|");
    return OG_OK;
}

static og_status stream(struct seen *seen, unsigned n_threads,
                        og_stream_counts *counts)
{
    const char *paths[] = {in("in.jsonl")};
    const struct og_dedup_source source = {
        .input = input_of(paths, 1, n_threads),
        .tokens = OG_TOKEN_WORDS,
        .key = &key,
        .sketcher = &sketcher,
        .keep = OG_KEEP_FIRST,
        .ctx = seen,
        .take = take,
        .end_block = end_block,
        .reject = reject,
        .step = "documents",
    };
    *counts = (og_stream_counts){0};
    return og_dedup_stream(&source, counts, &story);
}

static void in_order_and_whole(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 4; n_threads++) {
        struct seen seen = {0};
        og_stream_counts counts;
        ASSERT_OK(stream(&seen, n_threads, &counts));
        assert_int_equal(seen.n, N);
        assert_true(seen.n_blocks > 0);
        assert_int_equal(counts.n_documents, N);
        assert_int_equal(counts.n_skipped, 3);
        assert_string_equal(seen.rejects,
                            "no json 50|no json 150|no json 250|");
    }
}

static void a_failure_ends_it(void **state)
{
    struct seen seen = {.stop_at = 20};
    og_stream_counts counts;
    (void)state;
    assert_int_equal(stream(&seen, 3, &counts), OG_ERR_LIMIT);
    assert_int_equal(seen.n, 20);
}

static og_status note_rank(void *ctx, struct og_dedup_doc *d, og_error *err)
{
    uint64_t *last = ctx;
    (void)err;
    /* The field falls from document to document: the first is the best. */
    assert_true(d->rank > *last);
    *last = d->rank;
    return OG_OK;
}

static og_status make_length(void *ctx, struct og_dedup_worker *worker,
                             og_bytes text, og_error *err)
{
    (void)ctx, (void)err;
    og_pack_fixed(&worker->made, text.len, 8);
    return OG_OK;
}

static og_status check_length(void *ctx, struct og_dedup_doc *d, og_error *err)
{
    (void)err;
    ++*(int *)ctx;
    assert_int_equal(d->made_len, 8);
    assert_int_equal(og_load64(d->made), d->text_len);
    return OG_OK;
}

/* Another level makes of a text what it likes. */
static void another_level(void **state)
{
    const char *paths[] = {in("in.jsonl")};
    int n = 0;
    uint64_t rank = 0;
    og_stream_counts counts = {0};
    struct og_dedup_source source = {.input = input_of(paths, 1, 2),
                                     .tokens = OG_TOKEN_WORDS,
                                     .key = &key,
                                     .make = make_length,
                                     .ctx = &n,
                                     .take = check_length,
                                     .step = "documents"};
    (void)state;
    ASSERT_OK(og_dedup_stream(&source, &counts, &story));
    assert_int_equal(n, N);
    source.make = NULL;
    source.sketcher = &sketcher;
    source.keep = OG_KEEP_FIELD;
    source.keep_field = "rank";
    source.ctx = &rank;
    source.take = note_rank;
    ASSERT_OK(og_dedup_stream(&source, &counts, &story));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_order_and_whole),
        cmocka_unit_test(a_failure_ends_it),
        cmocka_unit_test(another_level),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
