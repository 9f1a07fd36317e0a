/* Sentences in, answers out: against the definition, on disk and in memory,
 * with small memtables and merges, after damage. */

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/disk/old_sum.h"
#include "lib/sentence/index/old_sentence_segment.h"
#include "lib/sentence/index/sentences.h"
#include "tests/sanitized.h"

static og_error err;
#define OK(expr)                                                               \
    do {                                                                       \
        const og_status ok_ = (expr);                                          \
        if (ok_ != OG_OK) fail_msg("%s", err.message);                         \
    } while (0)

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/origo-sentences-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

static og_document document(const char *id, const char *text, int64_t time)
{
    return (og_document){.id = {id, strlen(id)},
                         .title = OG_LITERAL(""),
                         .text = {text, strlen(text)},
                         .time = time,
                         .has_time = time != 0};
}

static const struct og_sentences_place memory = {.is_writable = true};

static void add(og_sentences *s, const char *id, const char *text, int64_t time)
{
    const og_document doc = document(id, text, time);
    OK(og_sentences_add(s, s->n_documents, &doc, time, &err));
}

/* ---- a store of documents, of which an index on disk keeps the sentences ----
 */

static struct kept {
    char *id, *text;
    int64_t time;
} kept[4096];
static uint32_t n_kept, n_settled;

static og_status get_kept(void *ctx, uint32_t number, og_document *out,
                          og_error *error)
{
    (void)ctx, (void)error;
    assert_true(number < n_kept);
    *out = document(kept[number].id, kept[number].text, kept[number].time);
    return OG_OK;
}

static og_status settle_kept(void *ctx, og_error *error)
{
    (void)ctx, (void)error;
    n_settled = n_kept;
    return OG_OK;
}

static const struct og_sentences_store kept_store = {
    .uuid = (const uint8_t *)"0123456789abcdef",
    .document = get_kept,
    .settle = settle_kept};

static og_status open_kept(bool is_writable, bool is_new,
                           const og_sentences_options *how, og_sentences **out)
{
    const struct og_sentences_place place = {.folder = folder,
                                             .is_writable = is_writable,
                                             .is_new = is_new,
                                             .store = &kept_store};
    TRY(og_sentences_open(&place, how, out, &err));
    assert_true((*out)->n_documents <= n_settled);
    for (uint32_t i = (*out)->n_documents; i < n_kept; i++)
        add(*out, kept[i].id, kept[i].text, kept[i].time);
    return OG_OK;
}

static void keep(og_sentences *s, const char *id, const char *text,
                 int64_t time)
{
    kept[n_kept++] = (struct kept){strdup(id), strdup(text), time};
    add(s, id, text, time);
}

static void forget_kept(void)
{
    for (uint32_t i = 0; i < n_kept; i++) {
        free(kept[i].id);
        free(kept[i].text);
    }
    n_kept = n_settled = 0;
}

static const og_quotes *ask(og_sentences *s, const char *id, const char *text,
                            const og_quote_options *options)
{
    const og_quotes *answer;
    const og_document doc = document(id, text, 0);
    OK(og_sentences_ask(s, &doc, options, NULL, &answer, &err));
    return answer;
}

/* ---- what an answer says ---- */

static void the_earliest_first(void **state)
{
    (void)state;
    og_sentences *s;
    OK(og_sentences_open(&memory, NULL, &s, &err));
    add(s, "late", "The pier of the old harbour is gone for good. Next.", 300);
    add(s, "early", "Hm. The pier of the old harbour is gone for good.", 100);
    add(s, "other", "Nothing of that kind was ever heard in the town.", 200);
    const og_quotes *a =
        ask(s, "q", "So the pier of the old harbour is gone!\n\nYes.", NULL);
    assert_int_equal(a->n_sentences, 2);
    assert_int_equal(a->n_reused, 1);
    const og_quote *q = &a->sentences[0];
    assert_int_equal(q->n_matches, 2);
    assert_int_equal(q->n_found, 2);
    assert_memory_equal(q->matches[0].id.data, "early", 5);
    assert_memory_equal(q->matches[1].id.data, "late", 4);
    assert_int_equal(q->matches[0].begin, 4);
    assert_memory_equal(q->matches[0].text.data, "The pier", 8);
    assert_int_equal(q->matches[0].time, 100);
    assert_int_equal(q->matches[0].n_shared, 7);
    /* the, pier, of, the, old, harbour, is, gone */
    assert_int_equal(q->matches[0].n_shared_ranges, 8);
    assert_int_equal(q->matches[0].n_own_ranges, 8);
    assert_int_equal(q->matches[0].own[0].begin, 3);
    assert_int_equal(q->matches[0].shared[1].begin, 4);
    og_sentences_close(s);
}

static void itself_is_one_and_no_answer(void **state)
{
    (void)state;
    og_sentences *s;
    const char *text = "Seven ships sailed from the bay at dawn.";
    OK(og_sentences_open(&memory, NULL, &s, &err));
    add(s, "a", text, 1);
    assert_int_equal(ask(s, "a", text, NULL)->n_reused, 0);
    const og_quotes *a = ask(s, "b", text, NULL);
    assert_int_equal(a->n_reused, 1);
    assert_true(a->sentences[0].matches[0].similarity == 1);
    /* A longer one has all of it; the measure is relative to the query. */
    add(s, "c", "In May seven ships sailed from the bay at dawn, and more.", 2);
    a = ask(s, "b", text, NULL);
    assert_int_equal(a->sentences[0].n_matches, 2);
    assert_true(a->sentences[0].matches[1].similarity == 1);
    og_sentences_close(s);
}

static void hard_sentences(void **state)
{
    (void)state;
    og_sentences *s;
    og_quote_options options = og_quote_options_default();
    og_sentences_options how = og_sentences_options_default();
    how.stop = "en";
    OK(og_sentences_open(&memory, &how, &s, &err));
    options.min_words = 1;
    char *long_one = malloc(700000);
    assert_non_null(long_one);
    size_t len = 0;
    for (unsigned i = 0; i < 100000; i++)
        len += (size_t)sprintf(long_one + len, "w%u ", i);
    add(s, "long", long_one, 1);
    add(s, "one", "Word.", 2);
    add(s, "stop", "To be or not to be?", 3);
    add(s, "emoji", "\xf0\x9f\x98\x80\xf0\x9f\x9a\x80!", 4);
    add(s, "empty", "", 5);
    add(s, "nothing", "--- ... !!!", 6);
    assert_int_equal(ask(s, "q", "Word!", &options)->n_reused, 1);
    assert_int_equal(ask(s, "q", "to be or not to be", &options)->n_reused, 1);
    assert_int_equal(
        ask(s, "q", "\xf0\x9f\x9a\x80 \xf0\x9f\x98\x80", &options)->n_reused,
        1);
    assert_int_equal(ask(s, "q", "... --- ...", &options)->n_reused, 0);
    assert_int_equal(ask(s, "q", "", &options)->n_sentences, 0);
    const og_quotes *a = ask(s, "q", long_one, &options);
    assert_int_equal(a->n_cut, 1);
    assert_int_equal(a->n_reused, a->n_sentences);
    free(long_one);
    og_sentences_close(s);
}

static void scripts_without_spaces(void **state)
{
    (void)state;
    og_sentences *s;
    OK(og_sentences_open(&memory, NULL, &s, &err));
    add(s, "a",
        "\xe6\x88\x91\xe4\xbb\x8a\xe5\xa4\xa9\xe5\x8e\xbb\xe5\xad\xa6\xe6\xa0"
        "\xa1\xe8\xaf\xbb\xe4\xb9\xa6\xe3\x80\x82",
        1);
    /* The same characters in another order share no pair. */
    add(s, "b",
        "\xe4\xb9\xa6\xe8\xaf\xbb\xe6\xa0\xa1\xe5\xad\xa6\xe5\x8e\xbb\xe5\xa4"
        "\xa9\xe4\xbb\x8a\xe6\x88\x91\xe3\x80\x82",
        2);
    const og_quotes *a =
        ask(s, "q",
            "\xe4\xbb\x8a\xe5\xa4\xa9\xe5\x8e\xbb\xe5\xad\xa6\xe6\xa0\xa1\xe8"
            "\xaf\xbb\xe4\xb9\xa6\xe3\x80\x82",
            NULL);
    assert_int_equal(a->sentences[0].n_matches, 1);
    assert_int_equal(a->sentences[0].matches[0].n_shared_ranges, 1);
    assert_int_equal(a->sentences[0].matches[0].shared[0].begin, 3);
    og_sentences_close(s);
}

/* ---- against the definition ---- */

static void random_text(uint64_t *random, char *out, unsigned n_sentences,
                        unsigned n_dictionary)
{
    for (unsigned i = 0; i < n_sentences; i++) {
        const unsigned n = 1 + og_random_next(random) % 12;
        for (unsigned k = 0; k < n; k++) {
            /* Small numbers are common. */
            const uint64_t a = og_random_next(random) % n_dictionary;
            const uint64_t b = og_random_next(random) % n_dictionary;
            out += sprintf(out, "%s%llu", k == 0 ? "W" : " w",
                           (unsigned long long)(a * b / n_dictionary));
        }
        out += sprintf(out, ". ");
    }
}

static uint64_t sum_answer(const og_quotes *a)
{
    uint64_t sum = a->n_sentences;
    for (size_t i = 0; i < a->n_sentences; i++) {
        const og_quote *q = &a->sentences[i];
        sum = og_mix64(sum + q->n_found);
        for (size_t k = 0; k < q->n_matches; k++) {
            const og_quote_match *m = &q->matches[k];
            uint64_t bits;
            memcpy(&bits, &m->similarity, 8);
            sum = og_mix64(sum ^ og_id_hash(m->id) ^ bits) + m->begin;
            for (size_t r = 0; r < m->n_own_ranges; r++)
                sum = og_mix64(sum + m->own[r].begin);
            sum = og_mix64(sum + og_id_hash(m->text));
        }
    }
    return sum;
}

/* Exact finds what the scan finds, to the bit; qSign with all bits, too. */
static void methods_agree(void **state)
{
    (void)state;
    const uint32_t bits[] = {16, 32, 64, 128};
    for (unsigned round = 0; round < 4; round++) {
        uint64_t random = round;
        char text[4096], id[32];
        og_sentences *s;
        og_sentences_options how = og_sentences_options_default();
        how.signature_bits = bits[round];
        OK(og_sentences_open(&memory, &how, &s, &err));
        for (unsigned i = 0; i < 1000; i++) {
            random_text(&random, text, 8, 300);
            snprintf(id, sizeof(id), "d%u", i);
            add(s, id, text, 1 + (int64_t)(og_random_next(&random) % 1000));
        }
        og_quote_options options = og_quote_options_default();
        options.min_words = 1;
        options.max_compared = 0;
        for (unsigned i = 0; i < 10; i++) {
            options.threshold = 0.3 + 0.07 * i;
            random_text(&random, text, 8, 300);
            options.method = OG_QUOTE_SCAN;
            const uint64_t truth = sum_answer(ask(s, "q", text, &options));
            options.method = OG_QUOTE_EXACT;
            assert_int_equal(sum_answer(ask(s, "q", text, &options)), truth);
            options.method = OG_QUOTE_QSIGN;
            options.distance = (int)bits[round];
            assert_int_equal(sum_answer(ask(s, "q", text, &options)), truth);
        }
        og_sentences_close(s);
    }
}

/* The number of comparisons is limited, except for the scan: in memory and on
 * disk. */
static void scan_has_no_limit(void **state)
{
    (void)state;
    og_sentences *s;
    char id[32];
    og_sentences_options how = og_sentences_options_default();
    og_quote_options options = og_quote_options_default();
    options.max_matches = 1;
    options.max_compared = 3;
    options.threshold = 0.3;
    options.min_words = 1;
    OK(open_kept(true, true, &how, &s));
    for (unsigned i = 0; i < 40; i++) {
        char text[80];
        snprintf(id, sizeof(id), "d%u", i);
        snprintf(text, sizeof(text), "one two three four five six w%u.", i);
        keep(s, id, text, i);
    }
    for (unsigned round = 0; round < 2; round++) {
        const char *text = "one two three four five six seven.";
        options.method = OG_QUOTE_EXACT;
        assert_int_equal(ask(s, "q", text, &options)->sentences[0].n_found, 4);
        assert_true(ask(s, "q", text, &options)->n_skipped >= 36);
        options.method = OG_QUOTE_SCAN;
        assert_int_equal(ask(s, "q", text, &options)->sentences[0].n_found, 40);
        assert_int_equal(ask(s, "q", text, &options)->n_skipped, 0);
        if (round == 0) OK(og_sentences_flush(s, &err));
    }
    og_sentences_close(s);
    forget_kept();
}

/* Whatever the memory and however often it is opened: the same answers. */
static void disk_is_memory(void **state)
{
    (void)state;
    uint64_t random = 5;
    char text[4096], id[32];
    og_sentences *in_memory, *on_disk;
    og_sentences_options how = og_sentences_options_default();
    OK(og_sentences_open(&memory, &how, &in_memory, &err));
    how.memory = 1 << 20;
    OK(open_kept(true, true, &how, &on_disk));
    for (unsigned i = 0; i < 3000; i++) {
        random_text(&random, text, 8, 2000);
        snprintf(id, sizeof(id), "d%u", i);
        const int64_t time = (int64_t)(og_random_next(&random) % 1000);
        add(in_memory, id, text, time);
        keep(on_disk, id, text, time);
        if (i % 700 != 699) continue;
        if (i % 1400 == 699) OK(og_sentences_flush(on_disk, &err));
        og_sentences_close(on_disk);
        OK(open_kept(true, false, &how, &on_disk));
    }
    og_sentences_info info;
    og_sentences_info_get(on_disk, &info);
    assert_int_equal(info.n_documents, 3000);
    assert_true(info.n_segments > 0 && info.n_segments < 12);
    og_sentences *reader;
    OK(open_kept(false, false, &how, &reader));
    og_quote_options options = og_quote_options_default();
    options.min_words = 2;
    for (unsigned i = 0; i < 30; i++) {
        random_text(&random, text, 8, 2000);
        const uint64_t truth = sum_answer(ask(in_memory, "q", text, &options));
        assert_int_equal(sum_answer(ask(on_disk, "q", text, &options)), truth);
        assert_int_equal(sum_answer(ask(reader, "q", text, &options)), truth);
        options.method = OG_QUOTE_SCAN;
        assert_int_equal(sum_answer(ask(reader, "q", text, &options)), truth);
        options.method = OG_QUOTE_EXACT;
    }
    og_sentences_close(reader);
    og_sentences_close(on_disk);
    og_sentences_close(in_memory);
    forget_kept();
}

/* ---- segments without marks ---- */

/* Version 1 of a segment: the same parts, the postings without their marks. */
static void make_version_1(struct og_sentence_segment *segment)
{
    const struct og_sentence_totals *t = &segment->totals;
    struct og_old_sentence_foot foot = {.magic = OG_OLD_SEGMENT_MAGIC,
                                        .version = 1,
                                        .n_documents = t->n_documents,
                                        .n_sentences = t->n_sentences,
                                        .n_wordsets = t->n_wordsets,
                                        .n_keys = t->n_keys,
                                        .n_words = t->n_words,
                                        .n_blocks = t->n_blocks,
                                        .text_len = t->text_len,
                                        .latest = t->latest,
                                        .directory_bits = t->directory_bits,
                                        .signature_bits = t->signature_bits,
                                        .word_bits = t->word_bits,
                                        .no_texts = t->no_texts};
    const size_t cap = segment->file.len + sizeof(foot);
    uint8_t *data = og_allocate_zero(NULL, cap);
    assert_non_null(data);
    size_t at = 0;
    for (unsigned i = 0; i < OG_OLD_SEGMENT_PARTS; i++) {
        foot.part[i].off = at;
        foot.part[i].len = i == OG_PART_POSTINGS
                               ? t->n_keys * 4
                               : og_sentence_part_len(
                                     segment, (enum og_sentence_segment_part)i);
        memcpy(data + at, og_segment_section(&segment->file, i),
               foot.part[i].len);
        at += (foot.part[i].len + 63) / 64 * 64;
    }
    foot.body_sum = og_old_sum(data, at);
    foot.file_len = at + sizeof(foot);
    foot.foot_sum = og_old_sentence_foot_sum(&foot);
    memcpy(data + at, &foot, sizeof(foot));
    og_sentence_segment_release(segment);
    OK(og_sentence_segment_take(segment, data, at + sizeof(foot), cap, NULL,
                                "old", &err));
    assert_null(segment->marks);
}

/* They answer as ever, and become segments with marks when they are merged. */
static void version_1_is_read(void **state)
{
    (void)state;
    if (OG_BIG_ENDIAN) skip(); /* only what is written now */
    uint64_t random = 9, truth[20];
    char text[4096], id[32], asked[20][4096];
    og_sentences_options how = og_sentences_options_default();
    og_sentences *s;
    /* A small one in memory has no tables of signatures. */
    how.signature_bits = 0;
    OK(og_sentences_open(&memory, &how, &s, &err));
    for (unsigned i = 0; i < 1000; i++) {
        random_text(&random, text, 8, 300);
        snprintf(id, sizeof(id), "d%u", i);
        add(s, id, text, 1 + (int64_t)(og_random_next(&random) % 1000));
    }
    OK(og_sentences_settle(s, &err));
    for (unsigned i = 0; i < 20; i++) {
        random_text(&random, asked[i], 8, 300);
        truth[i] = sum_answer(ask(s, "q", asked[i], NULL));
    }
    make_version_1(&s->segment[0]);
    for (unsigned i = 0; i < 20; i++)
        assert_int_equal(sum_answer(ask(s, "q", asked[i], NULL)), truth[i]);
    add(s, "later", "Nothing.", 2000);
    OK(og_sentences_settle(s, &err));
    const struct og_sentence_segment *m = &s->segment[0];
    assert_non_null(m->marks);
    for (uint64_t i = 0; i < m->totals.n_keys; i++)
        assert_int_equal(m->marks[i],
                         og_word_mark(&m->bitmaps[m->postings[i]]));
    og_sentences_close(s);
}

/* ---- what goes wrong ---- */

static void wrong_options(void **state)
{
    (void)state;
    og_sentences *s;
    og_sentences_options how = og_sentences_options_default();
    how.signature_bits = 48;
    assert_int_equal(og_sentences_open(&memory, &how, &s, &err), OG_ERR_USAGE);
    how = og_sentences_options_default();
    how.stem = "xx";
    assert_int_equal(og_sentences_open(&memory, &how, &s, &err), OG_ERR_USAGE);
}

static void flip(const char *path, long at)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    const int c = fgetc(file);
    assert_int_equal(fseek(file, -1, SEEK_CUR), 0);
    fputc(c ^ 0x10, file);
    fclose(file);
}

static og_status try_open(void)
{
    og_sentences *s;
    const og_status status = open_kept(false, false, NULL, &s);
    og_sentences_close(s);
    return status;
}

static void damage_is_reported(void **state)
{
    (void)state;
    char text[8192], path[160], id[32];
    uint64_t random = 3;
    og_sentences *s;
    og_sentences_options how = og_sentences_options_default();
    how.memory = 300000;
    OK(open_kept(true, true, &how, &s));
    for (unsigned i = 0; i < 1500; i++) {
        random_text(&random, text, 8, 500);
        snprintf(id, sizeof(id), "d%u", i);
        keep(s, id, text, 0);
    }
    OK(og_sentences_flush(s, &err));
    og_sentences_info info;
    og_sentences_info_get(s, &info);
    assert_true(info.n_segments > 0);
    const unsigned segment = (unsigned)s->number[0];
    og_sentences_close(s);
    assert_int_equal(try_open(), OG_OK);

    snprintf(path, sizeof(path), "%s/image-%u", folder, segment);
    const long places[] = {0, 10, 60, 1000, 5000, -600, -300, -9, -60};
    for (unsigned i = 0; i < 9; i++) {
        flip(path, places[i]);
        assert_int_equal(try_open(), OG_ERR_STORE);
        assert_non_null(strstr(err.message, "image-"));
        flip(path, places[i]);
    }
    snprintf(path, sizeof(path), "%s/manifest", folder);
    flip(path, 16); /* the version */
    assert_int_equal(try_open(), OG_ERR_STORE);
    assert_non_null(strstr(err.message, "version"));
    flip(path, 16);
    flip(path, -5);
    assert_int_equal(try_open(), OG_ERR_STORE);
    flip(path, -5);
    assert_int_equal(try_open(), OG_OK);
    forget_kept();
}

enum {
    N_SAME = OG_IF_SANITIZED(30000, 1000000),
    N_NEAR = OG_IF_SANITIZED(10000, 100000)
};

/* A million times the same sentence: one wordset, all places counted, a few
 * reported. */
static void often_the_same(void **state)
{
    (void)state;
    og_sentences *s;
    char id[32];
    og_sentences_options how = og_sentences_options_default();
    how.memory = UINT64_C(1) << 40;
    OK(og_sentences_open(&memory, &how, &s, &err));
    for (unsigned i = 0; i < N_SAME; i++) {
        snprintf(id, sizeof(id), "d%07u", i);
        add(s, id, "Please do read the posting guide before you ask.",
            (int64_t)(2 * N_SAME - i));
    }
    og_quote_options options = og_quote_options_default();
    options.max_matches = 3;
    const og_quotes *a = ask(
        s, "q", "Please do read the posting guide before you ask!", &options);
    assert_int_equal(a->sentences[0].n_found, N_SAME);
    assert_int_equal(a->sentences[0].n_matches, 3);
    snprintf(id, sizeof(id), "d%07u", N_SAME - 1);
    assert_memory_equal(a->sentences[0].matches[0].id.data, id, 8);
    assert_true(s->own.list.n_compared <= OG_SENTENCE_SEGMENTS_MOST);
    og_sentences_close(s);
}

/* A hundred thousand sentences with one word of their own: each is a match; the
 * number examined is limited, and the rest is counted. */
static void nearly_the_same(void **state)
{
    (void)state;
    og_sentences *s;
    char id[32];
    const char *asked = "Number of our letters went out today to you all.";
    og_sentences_options how = og_sentences_options_default();
    how.memory = UINT64_C(1) << 40;
    OK(og_sentences_open(&memory, &how, &s, &err));
    for (unsigned i = 0; i < N_NEAR; i++) {
        char text[160];
        snprintf(id, sizeof(id), "e%u", i);
        snprintf(text, sizeof(text),
                 "Number x%u of our letters went out today to you all.", i);
        add(s, id, text, 1);
    }
    OK(og_sentences_settle(s, &err));
    og_quote_options options = og_quote_options_default();
    const og_quotes *a = ask(s, "q", asked, &options);
    assert_true(s->own.list.n_compared <=
                options.max_compared + options.max_matches);
    assert_true(a->n_skipped + a->sentences[0].n_found >= N_NEAR);
    assert_int_equal(a->sentences[0].n_matches, options.max_matches);
    options.max_compared = 0;
    a = ask(s, "q", asked, &options);
    assert_int_equal(a->n_skipped, 0);
    assert_int_equal(a->sentences[0].n_found, N_NEAR);
    assert_int_equal(a->sentences[0].n_matches, options.max_matches);
    /* Signatures return everything within the distance, similar or not. */
    options = og_quote_options_default();
    options.method = OG_QUOTE_QSIGN;
    options.distance = 128;
    a = ask(s, "q", asked, &options);
    assert_int_equal(a->n_skipped, 0);
    assert_int_equal(a->sentences[0].n_found, N_NEAR);
    options = og_quote_options_default();
    options.max_compared = 0;
    options.max_candidates = 1000;
    a = ask(s, "q", asked, &options);
    assert_true(s->own.list.n_seen <= 1000);
    assert_true(a->sentences[0].n_found <= 1000);
    assert_true(a->sentences[0].n_skipped >= N_NEAR - 1000);
    assert_int_equal(a->n_skipped, a->sentences[0].n_skipped);
    og_sentences_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_earliest_first),
        cmocka_unit_test(itself_is_one_and_no_answer),
        cmocka_unit_test(hard_sentences),
        cmocka_unit_test(scripts_without_spaces),
        cmocka_unit_test(methods_agree),
        cmocka_unit_test_setup_teardown(scan_has_no_limit, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(disk_is_memory, make_folder,
                                        remove_folder),
        cmocka_unit_test(version_1_is_read),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test_setup_teardown(damage_is_reported, make_folder,
                                        remove_folder),
        cmocka_unit_test(often_the_same),
        cmocka_unit_test(nearly_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
