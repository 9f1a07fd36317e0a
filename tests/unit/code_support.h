#ifndef OG_TESTS_CODE_SUPPORT_H
#define OG_TESTS_CODE_SUPPORT_H

/* What the tests of neighbour/ share: codes by lot, and the definition. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/hamming/code_index.h"
#include "tests/unit/levels.h"

static inline uint64_t flip_lots(uint64_t code, unsigned n, uint64_t *seed)
{
    for (; n != 0; n--)
        code ^= UINT64_C(1) << (og_random_next(seed) & 63);
    return code;
}

/* Groups of near codes, or a code in ten bits only, ascending, different. */
static inline size_t lot_of_codes(uint64_t *codes, size_t n, bool narrow,
                                  uint64_t *seed)
{
    uint64_t *spare = malloc((n + 1) * sizeof(*spare));
    for (size_t i = 0; i < n; i++) {
        codes[i] = i % 3 == 0 ? og_random_next(seed)
                              : flip_lots(codes[i - 1], i % 5, seed);
        if (narrow) codes[i] &= UINT64_C(0x8000000000007fff);
    }
    n = og_code_sort(codes, spare, n);
    free(spare);
    return n;
}

/* Matches as a set that does not know their order. */
struct matches {
    uint64_t n, sum;
};

static inline bool add_match(void *ctx, size_t question, uint64_t code)
{
    struct matches *m = ctx;
    m->n++;
    m->sum += og_mix64(code ^ og_mix64(question));
    return true;
}

/* The definition: positions where they differ, one by one. */
static inline unsigned distance_of(uint64_t a, uint64_t b)
{
    unsigned n = 0;
    for (uint64_t other = a ^ b; other != 0; other &= other - 1)
        n++;
    return n;
}

static inline struct matches true_matches(const uint64_t *codes, size_t n,
                                          const uint64_t *questions,
                                          size_t n_questions, unsigned k)
{
    struct matches m = {0};
    for (size_t q = 0; q < n_questions; q++)
        for (size_t i = 0; i < n; i++)
            if (distance_of(codes[i], questions[q]) <= k)
                add_match(&m, q, codes[i]);
    return m;
}

#endif
