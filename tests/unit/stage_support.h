#ifndef OG_TESTS_STAGE_SUPPORT_H
#define OG_TESTS_STAGE_SUPPORT_H

/* What the tests of the stages from fingerprint/ to eval/ share: cmocka, lots,
 * every level of the machine, and documents that are nothing but hashes. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/select/select.h"
#include "tests/unit/levels.h"

static inline uint32_t lot_below(uint64_t *seed, uint32_t n)
{
    return (uint32_t)og_mul_high(og_random_next(seed), n);
}

/* A document passing through the stages. `hash` is exactly as long as the
 * document plus the tail that tokens.h guarantees, so that a memory checker
 * detects reads past it. */
struct stage {
    struct og_tokens tokens;
    struct og_shingle_factors key;
    struct og_fps fps;
    struct og_selection sel;
};

static inline void stage_init(struct stage *s, uint32_t shingle_len)
{
    *s = (struct stage){0};
    og_shingle_factors_init(&s->key, og_rabin_default(), shingle_len);
    og_fps_init(&s->fps, NULL);
    og_selection_init(&s->sel, NULL);
}

static inline void stage_release(struct stage *s)
{
    og_fps_release(&s->fps);
    og_selection_release(&s->sel);
    free(s->tokens.hash);
}

static inline void stage_resize(struct stage *s, size_t n)
{
    free(s->tokens.hash);
    s->tokens.hash = calloc(n + 8, sizeof(uint64_t));
    assert_non_null(s->tokens.hash);
    s->tokens.n = n;
}

static inline void stage_print(struct stage *s)
{
    assert_int_equal(og_tokens_fingerprint(&s->tokens, &s->key, &s->fps, NULL),
                     OG_OK);
}

/* n tokens out of n_words words; 0: every token another one. */
static inline void stage_fill(struct stage *s, size_t n, uint32_t n_words,
                              uint64_t *seed)
{
    stage_resize(s, n);
    for (size_t i = 0; i < n; i++)
        s->tokens.hash[i] = n_words == 0
                                ? og_random_next(seed)
                                : og_mix64(lot_below(seed, n_words) + 1u);
    stage_print(s);
}

static inline void stage_select(struct stage *s, og_select_options options)
{
    assert_int_equal(
        og_fps_select(&s->tokens, &s->fps, &s->key, &options, &s->sel, NULL),
        OG_OK);
    assert_int_equal(s->sel.n_shingles, s->fps.n);
}

#endif
