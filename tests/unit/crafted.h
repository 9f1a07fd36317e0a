#ifndef TESTS_UNIT_CRAFTED_H
#define TESTS_UNIT_CRAFTED_H

/* An attack on public fingerprints, to see that it leads nowhere.
 *
 * A fingerprint is linear in the hashes of the words of its shingle. So two
 * shingles without a common word that have one fingerprint are eight words
 * whose contributions add up to 0 (exclusive or), which the generalised
 * birthday method (Wagner, 2002) finds in lists of 2^17 words each: pairs whose
 * sums agree in 17 bits, pairs of those in 17 more, and of those in the rest.
 * It takes a tenth of a second. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fingerprint/rabin.h"
#include "lib/token/tokens.h"

#define CRAFTED_BITS  17
#define CRAFTED_LISTS 8
#define CRAFTED_WORDS ((size_t)1 << CRAFTED_BITS)
#define CRAFTED_MOST  (4 * CRAFTED_WORDS)

struct crafted_sum {
    uint64_t sum;
    uint32_t left, right; /* places in the lists that it comes from */
};

struct crafted_list {
    struct crafted_sum *data;
    size_t n;
};

static inline size_t crafted_word(size_t list, uint32_t i, char out[24])
{
    return (size_t)snprintf(out, 24, "%c%06u", (char)('a' + list), (unsigned)i);
}

/* What a word at a place of a shingle of `k` words adds to its fingerprint. */
static inline uint64_t crafted_share(const char *word, size_t len, size_t at,
                                     size_t k)
{
    uint64_t words[32] = {0};
    const struct og_rabin *rabin = og_rabin_default();
    const uint64_t none = og_rabin_words(rabin, words, k);
    words[at] = og_token_hash(word, len, 0);
    return og_rabin_words(rabin, words, k) ^ none;
}

/* Sums of one of each whose bits from `shift` on are 0, CRAFTED_BITS of them or
 * all that are left. */
static inline struct crafted_list crafted_merge(const struct crafted_list *x,
                                                const struct crafted_list *y,
                                                unsigned shift, bool is_last)
{
    const size_t mask = CRAFTED_WORDS - 1;
    uint32_t *head = calloc(CRAFTED_WORDS, sizeof(*head));
    uint32_t *next = calloc(y->n + 1, sizeof(*next));
    struct crafted_list out = {malloc(CRAFTED_MOST * sizeof(*out.data)), 0};
    for (uint32_t j = 0; j < y->n; j++) {
        uint32_t *slot = &head[y->data[j].sum >> shift & mask];
        next[j] = *slot;
        *slot = j + 1;
    }
    for (uint32_t i = 0; i < x->n; i++) {
        uint32_t j = head[x->data[i].sum >> shift & mask];
        for (; j != 0 && out.n < CRAFTED_MOST; j = next[j - 1]) {
            const uint64_t sum = x->data[i].sum ^ y->data[j - 1].sum;
            if (is_last && sum != 0) continue;
            out.data[out.n++] = (struct crafted_sum){sum, i, j - 1};
        }
    }
    free(head);
    free(next);
    return out;
}

/* Two texts of k words, 5 at least, without a common one: their fingerprints
 * are equal. */
static inline bool crafted_pair(size_t k, char out[2][512])
{
    struct crafted_list lists[CRAFTED_LISTS], pairs[4], fours[2], all;
    char word[24];
    uint32_t chosen[CRAFTED_LISTS] = {0};
    uint64_t fixed = 0;
    for (size_t at = 4; at < k; at++) {
        for (size_t side = 0; side < 2; side++) {
            const size_t len = (size_t)snprintf(word, sizeof(word), "%c%zu",
                                                side == 0 ? 'x' : 'z', at);
            fixed ^= crafted_share(word, len, at, k);
        }
    }
    for (size_t l = 0; l < CRAFTED_LISTS; l++) {
        lists[l].n = CRAFTED_WORDS;
        lists[l].data = malloc(CRAFTED_WORDS * sizeof(*lists[l].data));
        for (uint32_t i = 0; i < CRAFTED_WORDS; i++) {
            const size_t len = crafted_word(l, i, word);
            lists[l].data[i] = (struct crafted_sum){
                crafted_share(word, len, l / 2, k) ^ (l == 0 ? fixed : 0), i,
                0};
        }
    }
    for (size_t i = 0; i < 4; i++)
        pairs[i] = crafted_merge(&lists[2 * i], &lists[2 * i + 1], 0, false);
    for (size_t i = 0; i < 2; i++)
        fours[i] = crafted_merge(&pairs[2 * i], &pairs[2 * i + 1], CRAFTED_BITS,
                                 false);
    all = crafted_merge(&fours[0], &fours[1], 2 * CRAFTED_BITS, true);
    const bool is_found = all.n > 0;
    for (size_t i = 0; is_found && i < 2; i++) {
        const uint32_t f = i == 0 ? all.data[0].left : all.data[0].right;
        for (size_t j = 0; j < 2; j++) {
            const struct crafted_sum *four = &fours[i].data[f];
            const uint32_t p = j == 0 ? four->left : four->right;
            chosen[4 * i + 2 * j] = pairs[2 * i + j].data[p].left;
            chosen[4 * i + 2 * j + 1] = pairs[2 * i + j].data[p].right;
        }
    }
    for (size_t side = 0; side < 2; side++) {
        size_t len = 0;
        for (size_t at = 0; at < k; at++) {
            const size_t l = 2 * at + side;
            if (at < 4)
                crafted_word(l, chosen[l], word);
            else
                snprintf(word, sizeof(word), "%c%zu", side == 0 ? 'x' : 'z',
                         at);
            len += (size_t)snprintf(out[side] + len, 512 - len, "%s%s",
                                    at > 0 ? " " : "", word);
        }
    }
    free(all.data);
    for (size_t i = 0; i < CRAFTED_LISTS; i++) {
        free(lists[i].data);
        if (i < 4) free(pairs[i].data);
        if (i < 2) free(fours[i].data);
    }
    return is_found;
}

#endif
