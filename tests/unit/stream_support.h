#ifndef TESTS_UNIT_STREAM_SUPPORT_H
#define TESTS_UNIT_STREAM_SUPPORT_H

/* Documents for a stream, and its answers compared with those for one document
 * after another: some are late, some are repeated, some are other versions. A
 * test supplies the texts and the queries. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <origo/origo.h>

#include "lib/base/bits.h"
#include "tests/unit/source_support.h"

enum { DOCUMENTS_MOST = 700, TEXT_CAP = 4096 };

static struct made {
    char id[16];
    char text[TEXT_CAP];
    int64_t time;
    bool has_time;
} made[DOCUMENTS_MOST];
static unsigned n_made;

/* Id and time of document i by a number that was drawn, below 40. False: it is
 * the one three before it again, and complete. */
static inline bool make_names(unsigned i, unsigned lot)
{
    struct made *m = &made[i];
    if (i > 20 && lot == 0) {
        *m = made[i - 3];
        return false;
    }
    sprintf(m->id, "d%u", i > 20 && lot == 1 ? i - 2 : i);
    m->has_time = lot % 5 != 2;
    m->time = 1000 + (lot == 3 ? i / 2 : i);
    return true;
}

/* Texts of three parts of this many words, each followed by the beginning of an
 * earlier one as a quotation. */
static inline void make_quotations(unsigned i, uint64_t *random,
                                   unsigned n_words)
{
    struct made *m = &made[i];
    size_t at = 0;
    for (unsigned part = 0; part < 3; part++) {
        const unsigned from = (unsigned)(og_random_next(random) % (i + 1));
        for (unsigned n = 0; n < n_words; n++)
            at += (size_t)sprintf(m->text + at, "w%x ",
                                  (unsigned)(og_random_next(random) & 0xfff));
        if (from == i || at >= TEXT_CAP - 700) continue;
        const size_t len = strnlen(made[from].text, 600);
        memcpy(m->text + at, made[from].text, len);
        at += len;
        at += (size_t)sprintf(m->text + at, " ");
    }
}

static inline void make_quoting_documents(unsigned n, uint64_t seed,
                                          unsigned n_words)
{
    uint64_t random = seed;
    for (n_made = 0; n_made < n; n_made++) {
        const unsigned lot = (unsigned)(og_random_next(&random) % 40);
        if (make_names(n_made, lot)) make_quotations(n_made, &random, n_words);
    }
}

/* In no order: seven of ten come later than some document after them. What
 * comes again does so at its first time, or at another one. */
static inline void shuffle_times(uint64_t seed)
{
    uint64_t random = seed;
    for (unsigned i = 0; i < n_made; i++) {
        const uint64_t lot = og_random_next(&random);
        if (i > 3 && memcmp(&made[i], &made[i - 3], sizeof(*made)) == 0 &&
            lot % 2 == 0)
            made[i].time = made[i - 3].time;
        else if (lot % 10 < 7)
            made[i].time = 1000 + (int64_t)(lot >> 32) % n_made;
    }
}

static inline og_document document(unsigned i)
{
    return (og_document){.id = {made[i].id, strlen(made[i].id)},
                         .text = {made[i].text, strlen(made[i].text)},
                         .time = made[i].time,
                         .has_time = made[i].has_time};
}

static inline void remove_one(og_store *store)
{
    uint64_t n;
    og_error err;
    assert_int_equal(og_store_remove(store, (og_bytes){"d5", 2}, &n, &err),
                     OG_OK);
    assert_int_equal(n, 1);
}

/* ---- what is told ---- */

struct transcript {
    FILE *out;
    unsigned next;   /* document */
    uint64_t n_runs; /* that a test counted */
    char *text;
    size_t len;
};

static inline void begin_transcript(struct transcript *t, unsigned first)
{
    *t = (struct transcript){.next = first};
    t->out = open_memstream(&t->text, &t->len);
    assert_non_null(t->out);
}

static inline char *end_transcript(struct transcript *t, og_store *store)
{
    og_error err;
    fclose(t->out);
    assert_int_equal(og_store_close(store, &err), OG_OK);
    return t->text;
}

static inline og_status next_document(void *ctx, og_document *out,
                                      og_error *err)
{
    struct transcript *t = ctx;
    (void)err;
    if (t->next == n_made) return OG_END;
    *out = document(t->next++);
    return OG_OK;
}

static inline og_input input_of_documents(struct transcript *t,
                                          unsigned n_threads)
{
    og_input input = og_input_default();
    input.next = next_document;
    input.ctx = t;
    input.n_threads = n_threads;
    return input;
}

/* ---- both ways ---- */

/* A new store at `path` receives all documents: returns the answers, which the
 * caller frees. Without threads they are added one by one. */
typedef char *take_all_fn(const void *ctx, const char *path,
                          unsigned n_threads);

static inline void check_streams(bool on_disk, take_all_fn *take_all,
                                 const void *ctx)
{
#if OG_THREAD_CHECKER /* which takes its time */
    static const unsigned n_threads[] = {7};
#else
    static const unsigned n_threads[] = {1, 2, 7, 32};
#endif
    struct folder folder;
    char path[512];
    folder_make(&folder);
    sprintf(path, "%s/single", folder.path);
    char *expected = take_all(ctx, on_disk ? path : ":memory:", 0);
    for (size_t i = 0; i < sizeof(n_threads) / sizeof(*n_threads); i++) {
        sprintf(path, "%s/stream%zu", folder.path, i);
        char *got = take_all(ctx, on_disk ? path : ":memory:", n_threads[i]);
        assert_string_equal(got, expected);
        free(got);
    }
    free(expected);
    folder_remove(&folder);
}

#endif
