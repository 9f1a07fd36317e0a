#ifndef EVAL_SUPPORT_H
#define EVAL_SUPPORT_H

/* What the tests of the evaluation share: a small stream of documents that copy
 * from one another, in a file, and how it is opened and run. */

#include <stdio.h>
#include <unistd.h>

#include "tests/unit/input_support.h"
#include "tests/unit/stage_support.h"

#include "eval/evaluation.h"
#include "eval/measure/eval_state.h"

#define N_DOCS     70
#define MAX_TOKENS 120
#define MIN_TOKENS 20
#define K          8

/* ---- a stream ---- */

struct doc {
    uint32_t word[MAX_TOKENS]; /* tokens are "w17" for 17 */
    uint32_t n;
    int64_t time; /* seconds; -1: none is written */
};

struct stream {
    struct doc doc[N_DOCS]; /* in the order of the file */
    char path[64];
};

static inline void copy_passage(struct doc *to, const struct doc *from,
                                uint64_t *seed)
{
    uint32_t n = 10 + lot_below(seed, 40);
    if (n > from->n) n = from->n;
    if (n > MAX_TOKENS - to->n) n = MAX_TOKENS - to->n;
    const uint32_t at = lot_below(seed, from->n - n + 1);
    memcpy(to->word + to->n, from->word + at, n * sizeof(*to->word));
    to->n += n;
}

static inline void write_new(struct doc *to, uint64_t *seed)
{
    uint32_t n = 5 + lot_below(seed, 30);
    for (; n > 0 && to->n < MAX_TOKENS; n--)
        to->word[to->n++] = lot_below(seed, 5000);
}

/* Passages of own words and of other documents, alternating. Copies are taken
 * from all earlier documents in the file; `time` decides later which was first.
 * A few documents are too short to count. */
static inline void stream_fill(struct stream *s, uint64_t seed)
{
    memset(s, 0, sizeof(*s));
    for (uint32_t d = 0; d < N_DOCS; d++) {
        struct doc *doc = &s->doc[d];
        const uint32_t wanted = d % 13 == 5 ? 4 : 40 + lot_below(&seed, 60);
        doc->time = 1000 + d;
        while (doc->n < wanted) {
            if (d > 0 && lot_below(&seed, 2))
                copy_passage(doc, &s->doc[lot_below(&seed, d)], &seed);
            else
                write_new(doc, &seed);
        }
        if (d % 13 == 5) doc->n = 12; /* under MIN_TOKENS */
    }
}

static inline void stream_write(struct stream *s)
{
    strcpy(s->path, "/tmp/origo_test_eval_XXXXXX");
    const int fd = mkstemp(s->path);
    assert_true(fd >= 0);
    strcat(s->path, ".jsonl");
    close(fd);
    FILE *f = fopen(s->path, "w");
    assert_non_null(f);
    for (uint32_t d = 0; d < N_DOCS; d++) {
        const struct doc *doc = &s->doc[d];
        fprintf(f, "{\"id\":\"d%u\",", d);
        if (doc->time >= 0) fprintf(f, "\"time\":%lld,", (long long)doc->time);
        fprintf(f, "\"text\":\"");
        for (uint32_t i = 0; i < doc->n; i++)
            fprintf(f, "w%u%s", doc->word[i], i % 9 == 8 ? ". " : " ");
        fprintf(f, "\"}\n");
    }
    assert_int_equal(fclose(f), 0);
}

static inline void stream_remove(struct stream *s)
{
    remove(s->path);
    s->path[strlen(s->path) - strlen(".jsonl")] = 0;
    remove(s->path); /* what mkstemp made */
}

/* ---- opening and running it ---- */

static inline og_eval *open_stream(const struct stream *s, unsigned n_threads)
{
    og_eval_options options = og_eval_options_default();
    const char *path = s->path;
    og_eval *eval;
    og_error err;
    options.shingle_len = K;
    options.min_tokens = MIN_TOKENS;
    options.n_threads = n_threads;
    assert_int_equal(og_eval_open(FILES(&path, 1), &options, &eval, &err),
                     OG_OK);
    return eval;
}

static inline og_eval_run run_of(og_select_options select, og_evict_kind evict,
                                 og_estimate_kind estimate,
                                 og_layout_kind layout)
{
    return (og_eval_run){.select = select,
                         .evict = evict,
                         .estimate = estimate,
                         .layout = layout,
                         .bridge_limit = 30,
                         .bucket_slots = 64,
                         .memory_bytes = 4000000};
}

static inline void assert_near(double a, double b)
{
    assert_true(a - b < 1e-12 && b - a < 1e-12);
}

#endif
