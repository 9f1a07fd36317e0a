/* The journal of a run that was stopped: what it says is what the next run
 * reads, its records are the words that dedup_journal.h draws, and what a crash
 * leaves of the last one is not believed. */

#include "tests/unit/source_support.h"

#include <origo/origo.h>
#include <unistd.h>

#include "lib/base/bits.h"
#include "lib/dedup/dedup_journal.h"
#include "lib/disk/journal_format.h"

enum { SKETCH_LEN = 4, HEAD_LEN = 64, FRAME_HEAD = 32, N_WORDS = 33 };

static struct folder folder;
static char output[256], journal[300];

static int set_up(void **state)
{
    (void)state;
    folder_make(&folder);
    snprintf(output, sizeof(output), "%s/out", folder.path);
    snprintf(journal, sizeof(journal), "%s.journal", output);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    folder_remove(&folder);
    return 0;
}

struct heard {
    uint64_t kept[8], centers[8];
    size_t n_kept, n_centers;
};

static og_status on_kept(void *ctx, uint64_t number, const uint8_t *sketch,
                         og_error *err)
{
    struct heard *h = ctx;
    (void)err;
    assert_memory_equal(sketch, "abcd", SKETCH_LEN);
    h->kept[h->n_kept++] = number;
    return OG_OK;
}

static og_status on_center(void *ctx, uint64_t number, og_error *err)
{
    struct heard *h = ctx;
    (void)err;
    h->centers[h->n_centers++] = number;
    return OG_OK;
}

/* A run that was begun, with its output and its journal. */
struct begun {
    og_dedup_options options;
    og_input input;
    og_dedup_counts counts;
    struct og_dedup_run run;
    struct og_dedup_journal journal;
    struct heard heard;
};

static void begin(struct begun *r)
{
    memset(r, 0, sizeof(*r));
    r->options = og_dedup_options_default();
    r->options.output = output;
    r->options.resume = true;
    r->options.journal_seconds = 0;
    r->input = og_input_default();
    r->run = (struct og_dedup_run){.options = &r->options,
                                   .input = &r->input,
                                   .counts = &r->counts,
                                   .folder = folder.path};
    assert_int_equal(og_dedup_journal_open(&r->journal, &r->run, SKETCH_LEN,
                                           &r->heard, on_kept, on_center, NULL),
                     OG_OK);
    og_dedup_output_init(&r->run.output, &r->options, &r->input);
    assert_int_equal(og_dedup_output_lock(&r->run.output, NULL), OG_OK);
    assert_int_equal(og_dedup_output_open(&r->run.output, r->journal.parts,
                                          &r->journal.mark.lens, NULL),
                     OG_OK);
}

static void stop(struct begun *r)
{
    og_dedup_journal_close(&r->journal, false);
    og_dedup_output_close(&r->run.output, true);
}

/* Each counter has a number of its own. */
static og_dedup_counts all_different(void)
{
    og_dedup_counts c = {
        .stream = {.n_documents = 5,
                   .n_skipped = 6,
                   .n_short = 7,
                   .n_repaired = 8,
                   .n_added = 9,
                   .n_repeated_ids = 10,
                   .n_known = 11,
                   .n_bad_times = 12,
                   .n_text_bytes = 13,
                   .n_tokens = 14,
                   .n_files = 15,
                   .n_files_failed = 16,
                   .n_input_bytes = 17},
        .n_against = 19,
        .n_kept = 20,
        .n_removed = 21,
        .n_clusters = 22,
        .n_without = 23,
        .n_candidates = 24,
        .n_compared = 25,
        .n_rounds = 26,
        .n_cut = 27,
        .cut_len = 28,
        .kept_len = 29,
        .n_resumed = 30,
    };
    return c;
}

static void write_frame(struct begun *r)
{
    const og_dedup_counts counts = all_different();
    og_dedup_journal_keep(&r->journal, 41, (const uint8_t *)"abcd");
    og_dedup_journal_keep(&r->journal, 42, (const uint8_t *)"abcd");
    og_dedup_journal_center(&r->journal, 41);
    assert_int_equal(og_dedup_journal_mark(&r->journal, 100, 101, &counts,
                                           &r->run.output, NULL),
                     OG_OK);
}

static size_t read_journal(uint8_t *out, size_t cap)
{
    FILE *f = fopen(journal, "rb");
    assert_non_null(f);
    const size_t len = fread(out, 1, cap, f);
    fclose(f);
    return len;
}

static void a_frame_is_words(void **state)
{
    uint8_t data[1000];
    struct begun r;
    (void)state;
    begin(&r);
    write_frame(&r);
    stop(&r);
    const size_t len = read_journal(data, sizeof(data));
    assert_int_equal(len, HEAD_LEN + FRAME_HEAD + 8 * N_WORDS +
                              2 * (8 + SKETCH_LEN) + 8);
    assert_memory_equal(data, OG_JOURNAL_MAGIC, 8);
    assert_int_equal(og_load32(data + HEAD_LEN), len - HEAD_LEN - FRAME_HEAD);
    assert_int_equal(og_load32(data + HEAD_LEN + 4), OG_JOURNAL_MARK);
    const uint8_t *word = data + HEAD_LEN + FRAME_HEAD;
    assert_int_equal(og_load64(word), 100);
    assert_int_equal(og_load64(word + 8), 101);
    for (uint64_t i = 2; i < 5; i++) /* nothing was written yet */
        assert_int_equal(og_load64(word + 8 * i), 0);
    for (uint64_t i = 5; i < 31; i++)
        assert_int_equal(og_load64(word + 8 * i), i == 18 ? 0 : i);
    assert_int_equal(og_load64(word + 8 * 31), 2);
    assert_int_equal(og_load64(word + 8 * 32), 1);
    assert_int_equal(og_load64(word + 8 * 33), 41);
    assert_memory_equal(word + 8 * 34, "abcd", 4);
}

/* After a_frame_is_words(). */
static void the_next_run_reads_it(void **state)
{
    struct begun r;
    (void)state;
    begin(&r);
    assert_true(r.journal.is_resumed);
    assert_int_equal(r.journal.mark.n_blocks, 100);
    assert_int_equal(r.journal.mark.n_documents, 101);
    const og_dedup_counts expected = all_different();
    assert_memory_equal(&r.journal.mark.counts, &expected, sizeof(expected));
    assert_int_equal(r.heard.n_kept, 2);
    assert_int_equal(r.heard.kept[1], 42);
    assert_int_equal(r.heard.n_centers, 1);
    assert_int_equal(r.heard.centers[0], 41);
    stop(&r);
}

/* Cut, or changed, anywhere in the second frame: the first
 * one counts. */
static void a_broken_frame_ends_it(void **state)
{
    uint8_t data[2000];
    struct begun r;
    (void)state;
    begin(&r);
    write_frame(&r);
    stop(&r);
    const size_t len = read_journal(data, sizeof(data));
    const size_t first = HEAD_LEN + (len - HEAD_LEN) / 2;
    for (size_t at = first; at < len; at += 7) {
        for (int is_cut = 0; is_cut < 2; is_cut++) {
            data[at] ^= 1;
            FILE *f = fopen(journal, "wb");
            fwrite(data, 1, is_cut ? at : len, f);
            fclose(f);
            data[at] ^= 1;
            begin(&r);
            assert_true(r.journal.is_resumed);
            assert_int_equal(r.heard.n_kept, 2); /* of the first alone */
            stop(&r);
        }
    }
}

/* The next run has other options: it does not resume from it. */
static void another_run_is_refused(void **state)
{
    struct begun r;
    og_error err;
    (void)state;
    begin(&r);
    stop(&r);
    r.options.threshold = 0.5;
    assert_int_equal(og_dedup_journal_open(&r.journal, &r.run, SKETCH_LEN,
                                           &r.heard, on_kept, on_center, &err),
                     OG_ERR_INPUT);
    assert_non_null(strstr(err.message, "other options or inputs"));
    og_dedup_journal_close(&r.journal, false);
}

static void refuse(const char *text, const char *words)
{
    struct begun r;
    og_error err;
    char part[300];
    begin(&r);
    stop(&r);
    FILE *f = fopen(journal, "wb");
    fwrite(text, 1, strlen(text), f);
    fclose(f);
    snprintf(part, sizeof(part), "%s.part", output);
    fclose(fopen(part, "ab"));
    assert_int_equal(og_dedup_journal_open(&r.journal, &r.run, SKETCH_LEN,
                                           &r.heard, on_kept, on_center, &err),
                     OG_ERR_INPUT);
    assert_non_null(strstr(err.message, words));
    og_dedup_journal_close(&r.journal, false);
    unlink(journal);
    unlink(part);
}

static void what_is_no_journal_is_refused(void **state)
{
    (void)state;
    refuse("my notes", "is no journal");
    refuse("origo dedup journal 1\n12345678", "an earlier version");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_is_words),
        cmocka_unit_test(the_next_run_reads_it),
        cmocka_unit_test(a_broken_frame_ends_it),
        cmocka_unit_test(another_run_is_refused),
        cmocka_unit_test(what_is_no_journal_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
