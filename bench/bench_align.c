/* How long does a comparison take, and a verification from seeds?
 *
 * Texts are drawn by lot from a vocabulary like that of a language (the n-th
 * word is n times rarer than the first), with copies in them whose words were
 * changed here and there. Text and tokens are ready: this is the aligner
 * alone. The fastest of many runs. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/machine.h"
#include "lib/align/align.h"
#include "lib/base/bits.h"
#include "lib/os/clock.h"

enum { N_WORDS = 20000, WORD_LEN = 16 };

struct side {
    char *data;
    size_t len;
    struct og_text text;
    struct og_tokens tokens;
};

static uint64_t seed = 5;

static void *must_have(void *ptr)
{
    if (ptr != NULL) return ptr;
    fprintf(stderr, "bench_align: out of memory\n");
    exit(3);
}

static uint32_t lot_below(uint32_t n)
{
    return (uint32_t)og_mul_high(og_random_next(&seed), n);
}

/* Zipf's law: uniform in the logarithm of the rank. */
static uint32_t draw_word(void)
{
    uint32_t rank = 1;
    while (rank < N_WORDS && lot_below(100) < 93)
        rank += 1 + lot_below(rank);
    return rank % N_WORDS;
}

static void add_word(struct side *s, uint32_t word)
{
    s->len +=
        (size_t)snprintf(s->data + s->len, WORD_LEN + 2, "%x%s",
                         word * 2654435761u, lot_below(18) == 0 ? ". " : " ");
}

static void finish(struct side *s)
{
    og_text_init(&s->text, NULL);
    og_tokens_init(&s->tokens, NULL);
    if (og_text_fold(&s->text, (og_bytes){s->data, s->len}, NULL) != OG_OK ||
        og_text_tokenise(&s->text, OG_TOKEN_WORDS, 0, &s->tokens, NULL) !=
            OG_OK)
        must_have(NULL);
    free(s->data);
}

static void release(struct side *s)
{
    og_tokens_release(&s->tokens);
    og_text_release(&s->text);
}

/* `n` words of which those from `from` on, `n_copied`, are in both texts, one
 * in `edit` of them changed. */
static void make_pair(struct side *a, struct side *b, uint32_t n, uint32_t from,
                      uint32_t n_copied, uint32_t edit)
{
    *a = *b = (struct side){0};
    a->data = must_have(malloc((size_t)n * (WORD_LEN + 2) + 64));
    b->data = must_have(malloc((size_t)n * (WORD_LEN + 2) + 64));
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t word = draw_word();
        const bool copied = i >= from && i < from + n_copied;
        const bool changed = copied && lot_below(edit) == 0;
        add_word(a, word);
        add_word(b, copied && !changed ? word : draw_word());
    }
    finish(a);
    finish(b);
}

struct figures {
    double seconds;
    size_t n_passages;
    uint32_t n_tokens; /* of the longest */
};

static void note(struct figures *f, const struct og_alignment *found,
                 double seconds)
{
    if (seconds < f->seconds) f->seconds = seconds;
    f->n_passages = found->n_passages;
    f->n_tokens = 0;
    for (size_t i = 0; i < found->n_passages; i++) {
        const uint32_t n = found->passages[i].end - found->passages[i].begin;
        if (n > f->n_tokens) f->n_tokens = n;
    }
}

static struct figures run(struct side *a, struct side *b, bool reworded,
                          const struct og_run *seeds, size_t n_seeds,
                          int n_runs)
{
    struct og_aligner *aligner = must_have(og_aligner_new(NULL));
    const struct og_align_side here = {.text = &a->text, .tokens = &a->tokens};
    const struct og_align_side there = {.text = &b->text, .tokens = &b->tokens};
    struct og_align_options options = OG_ALIGN_OPTIONS_DEFAULT;
    struct figures f = {.seconds = 1e9};
    struct og_run *copy = must_have(calloc(n_seeds + 1, sizeof(*copy)));
    options.reworded = reworded;
    for (int i = 0; i < n_runs; i++) {
        struct og_alignment found;
        if (n_seeds > 0) memcpy(copy, seeds, n_seeds * sizeof(*copy));
        const double began = og_clock_seconds();
        const og_status status =
            n_seeds > 0
                ? og_verify(aligner, here, there, copy, n_seeds, &options,
                            &found, NULL)
                : og_align(aligner, here, there, &options, &found, NULL);
        const double took = og_clock_seconds() - began;
        if (status != OG_OK) must_have(NULL);
        note(&f, &found, took);
    }
    free(copy);
    og_aligner_free(aligner);
    return f;
}

static void fp(const char *what, const struct side *a, const struct figures *f)
{
    printf("%-44s %9zu %12.1f %9zu %9u\n", what, a->tokens.n, 1e6 * f->seconds,
           f->n_passages, f->n_tokens);
}

/* One seed in six tokens, as a selection keeps them. */
static size_t make_seeds(struct og_run *seeds, uint32_t from, uint32_t n)
{
    size_t n_seeds = 0;
    for (uint32_t i = from; i + 8 < from + n; i += 6)
        seeds[n_seeds++] = (struct og_run){i, i, 8};
    return n_seeds;
}

static void bench_verify(uint32_t n, uint32_t n_copied, const char *what)
{
    struct side a, b;
    struct og_run *seeds = must_have(calloc(n_copied, sizeof(*seeds)));
    const uint32_t from = (n - n_copied) / 2;
    make_pair(&a, &b, n, from, n_copied, 30);
    const size_t n_seeds = make_seeds(seeds, from, n_copied);
    const struct figures f = run(&a, &b, false, seeds, n_seeds, 200);
    fp(what, &a, &f);
    free(seeds);
    release(&a);
    release(&b);
}

static void bench_align(uint32_t n, bool reworded, const char *what)
{
    struct side a, b;
    make_pair(&a, &b, n, n / 4, n / 2, 30);
    const struct figures f = run(&a, &b, reworded, NULL, 0, 50);
    fp(what, &a, &f);
    release(&a);
    release(&b);
}

static void bench_repeated(uint32_t n)
{
    struct side a = {0}, b = {0};
    a.data = must_have(malloc((size_t)n * 2 + 64));
    b.data = must_have(malloc((size_t)n * 2 + 64));
    for (uint32_t i = 0; i < n; i++) {
        memcpy(a.data + 2 * (size_t)i, "a ", 2);
        memcpy(b.data + 2 * (size_t)i, "a ", 2);
    }
    a.len = b.len = 2 * (size_t)n;
    finish(&a);
    finish(&b);
    const struct figures f = run(&a, &b, true, NULL, 0, 3);
    fp("og_align, one token repeated", &a, &f);
    release(&a);
    release(&b);
}

int main(void)
{
    machine_print(OG_BENCH_FLAGS);
    printf("%-44s %9s %12s %9s %9s\n", "what", "tokens", "us", "passages",
           "longest");
    bench_verify(1300, 1000, "og_verify, a copy of 1,000 tokens");
    bench_verify(17000, 1000, "og_verify, the same in 100 kB");
    bench_verify(17000, 16000, "og_verify, 100 kB copied");
    bench_align(17000, false, "og_align, 100 kB, copies alone");
    bench_align(17000, true, "og_align, 100 kB, reworded too");
    bench_align(1000, true, "og_align, 6 kB, reworded too");
    bench_repeated(1000000);
    return 0;
}
