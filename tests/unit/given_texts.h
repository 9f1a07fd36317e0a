#ifndef TESTS_UNIT_GIVEN_TEXTS_H
#define TESTS_UNIT_GIVEN_TEXTS_H

/* Texts that a stream gets by callback, as many times as it wants them. */

#include <origo/origo.h>
#include <stdio.h>
#include <string.h>

enum { GIVEN_TEXTS = 200, GIVEN_TEXT_CAP = 2048 };

struct given {
    char text[GIVEN_TEXTS][GIVEN_TEXT_CAP];
    size_t n, next;
};

static inline og_status next_text(void *ctx, og_document *out, og_error *err)
{
    struct given *g = ctx;
    (void)err;
    if (g->next == g->n) return OG_END;
    out->text = (og_bytes){g->text[g->next], strlen(g->text[g->next])};
    g->next++;
    return OG_OK;
}

static inline og_status rewind_texts(void *ctx, og_error *err)
{
    (void)err;
    ((struct given *)ctx)->next = 0;
    return OG_OK;
}

static inline og_input input_of_texts(struct given *g, unsigned n_threads)
{
    og_input input = og_input_default();
    g->next = 0;
    input.ctx = g;
    input.next = next_text;
    input.rewind = rewind_texts;
    input.n_threads = n_threads;
    return input;
}

/* n words from `first` on; returns how long they are. */
static inline size_t put_words(char *out, unsigned first, unsigned n)
{
    size_t len = 0;
    for (unsigned i = 0; i < n; i++)
        len += (size_t)sprintf(out + len, "word%u ", first + i);
    return len;
}

#endif
