#ifndef OG_SENTENCE_INDEX_MEASURE_H
#define OG_SENTENCE_INDEX_MEASURE_H

/* How much of a sentence Q is in a sentence R.
 *
 * The paper (section 2, after RECAP) says
 *
 *     S(Q, R) = |Q n R| / |Q|  *  sum of log(N / df) over the words of Q n R
 *
 * which grows with the length of Q and is not 1 for Q against itself, although
 * the paper's thresholds are shares. RECAP means two shares: of the words, and
 * of their weight. So the sum is divided by that over all of Q:
 *
 *     S(Q, R) = |Q n R| / |Q|  *  weight(Q n R) / weight(Q)
 *
 * which is 1 exactly if R has every word of Q, and 0 if it has none. The weight
 * of a word is log(1 + N / df), with N sentences of which df contain the word
 * (1 for a word never seen): the paper's log(N / df), except for words that
 * occur nearly everywhere, whose weight would be 0; in a small store that would
 * be all words.
 *
 * The measure is relative to Q: R may contain much more. */

#include "lib/base/memory.h"

double og_word_weight(uint64_t n_sentences, uint64_t df);

/* By the definition: ascending words, a weight for each of Q's. Tests compare
 * everything else with it. */
double og_overlap(const uint64_t *q, const double *weights, size_t n_q,
                  const uint64_t *r, size_t n_r);

/* The bit of a word in the bitmap of a sentence: 128 bits, one for each word,
 * so that a bit of Q that R lacks proves a word of Q that R lacks. */
struct og_word_bitmap {
    uint64_t half[2];
};
static inline unsigned og_word_bit(uint32_t key)
{
    return key >> 25;
}
static inline void og_word_bitmap_set(struct og_word_bitmap *bitmap,
                                      uint32_t key)
{
    const unsigned bit = og_word_bit(key);
    bitmap->half[bit / 64] |= (uint64_t)1 << bit % 64;
}
static inline unsigned og_word_bitmap_missing(const struct og_word_bitmap *q,
                                              const struct og_word_bitmap *r)
{
    return (unsigned)(__builtin_popcountll(q->half[0] & ~r->half[0]) +
                      __builtin_popcountll(q->half[1] & ~r->half[1]));
}

/* The bitmap folded to a quarter, small enough to be stored with every posting
 * of the sentence. Its missing bits prove missing words, too, only fewer. */
static inline uint32_t og_word_mark(const struct og_word_bitmap *bitmap)
{
    const uint64_t fold = bitmap->half[0] | bitmap->half[1];
    return (uint32_t)(fold | fold >> 32);
}

enum {
    OG_QUESTION_TABLE_BITS = 12,
    OG_QUESTION_TABLE_MOST = 63, /* words: one of 64 bits for each */
};

/* A query: the words of Q with their weights, and what follows from a
 * threshold. */
struct og_question {
    const og_allocator *allocator;
    size_t n, cap;
    uint64_t *words; /* ascending, distinct */
    uint64_t *df;
    double *weights;
    double total; /* sum of the weights */
    double threshold;
    struct og_word_bitmap bitmap;
    uint32_t *rare; /* indices of the words, the rarest first */
    /* A sentence without any of the n_prefix rarest words cannot reach the
     * threshold, nor can one whose bitmap lacks more than max_missing bits. */
    size_t n_prefix;
    unsigned max_missing;
    /* What a bit of the bitmap represents: R without it lacks all of these
     * words. Only bits of the bitmap are filled in. */
    double bit_weight[128], bit_words[128];
    /* The minimum of (words of R) * (their weight) at the threshold. */
    double least;
    /* The slot of a key of another sentence among the words, counted from 1: a
     * table without collisions. A factor of 0: there is none. */
    uint32_t factor;
    size_t n_table;
    uint32_t table_keys[OG_QUESTION_TABLE_MOST + 1];
    uint8_t table[1 << OG_QUESTION_TABLE_BITS];
};

void og_question_init(struct og_question *q, const og_allocator *allocator);
void og_question_release(struct og_question *q);

/* Sets the words; the caller fills in df and calls og_question_weigh(). */
og_status og_question_set(struct og_question *q, const uint64_t *words,
                          size_t n, og_error *err);
void og_question_weigh(struct og_question *q, uint64_t n_sentences,
                       double threshold);

static inline uint32_t og_question_slot(uint32_t factor, uint32_t key)
{
    return key * factor >> (32 - OG_QUESTION_TABLE_BITS);
}

/* The number of a word in the query, from 1; 0: it is not there. Only if the
 * factor is not 0. */
static inline unsigned og_question_find(const struct og_question *q,
                                        uint64_t word)
{
    const unsigned at =
        q->table[og_question_slot(q->factor, (uint32_t)(word >> 32))];
    return at != 0 && q->words[at - 1] == word ? at : 0;
}

/* False: a sentence whose bitmap lacks these bits cannot reach the
 * threshold. */
static inline bool og_question_allows(const struct og_question *q,
                                      const struct og_word_bitmap *r)
{
    double n = (double)q->n, weight = q->total;
    for (unsigned half = 0; half < 2; half++) {
        uint64_t bits = q->bitmap.half[half] & ~r->half[half];
        for (; bits != 0; bits &= bits - 1) {
            const unsigned bit = 64 * half + (unsigned)__builtin_ctzll(bits);
            n -= q->bit_words[bit];
            weight -= q->bit_weight[bit];
        }
    }
    return n * weight >= q->least;
}

/* The measure against a sentence whose keys are known (the upper halves of its
 * words, ascending). A value below the threshold may be returned as 0 with 0
 * words. *out_n_shared may be NULL. */
double og_question_overlap(const struct og_question *q, const uint32_t *keys,
                           size_t n_keys, uint32_t *out_n_shared);

#endif
