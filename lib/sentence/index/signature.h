#ifndef OG_SENTENCE_INDEX_SIGNATURE_H
#define OG_SENTENCE_INDEX_SIGNATURE_H

/* Signatures of sentences, as in qSign: every word sets l of m bits,
 * and sentences with nearly the same words differ in few bits. And the
 * probabilities of section 2.1.2.
 *
 * m is 16, 32, 64 or 128. The letters of the paper: m bits, l bits a word, n
 * words that two sentences share, k words that only one has, d bits of
 * difference. */

#include "lib/base/bits.h"
#include "lib/base/status.h"

struct og_signature {
    uint64_t half[2]; /* bits beyond m are 0 */
};

/* Converts between a signature and its bytes in a file, of which the first m /
 * 8 are kept: low one first, on every machine. */
static inline struct og_signature og_signature_le(struct og_signature s)
{
    return (struct og_signature){{og_le64(s.half[0]), og_le64(s.half[1])}};
}

bool og_signature_bits_are(uint32_t m);

/* The bits of one word, by its key: l distinct ones. */
void og_signature_add(struct og_signature *s, uint32_t key, uint32_t m,
                      uint32_t l);

static inline unsigned og_signature_distance(const struct og_signature *a,
                                             const struct og_signature *b)
{
    return (unsigned)(__builtin_popcountll(a->half[0] ^ b->half[0]) +
                      __builtin_popcountll(a->half[1] ^ b->half[1]));
}

/* l as the paper chooses it: the smallest with C(m, l) >= n_dictionary, so that
 * every word can have bits of its own. Its experiments use fewer, 1 of 16 and 2
 * of 32, and rightly: with more, sentences fill their signatures. So l is
 * limited so that a sentence of mean_words leaves half of the bits at 0, which
 * gives just these two. */
uint32_t og_signature_word_bits(uint32_t m, double n_dictionary,
                                double mean_words);

/* The probability that a bit differs between two sentences that share
 * n_shared words, have n_added and n_removed of their own. With n_removed 0
 * this is the paper's P_bitswitch(m, l, n, k). */
double og_bit_switch(uint32_t m, uint32_t l, double n_shared, double n_added,
                     double n_removed);

/* Probability that exactly t, or at most d, bits of m differ, if each does with
 * probability p. */
double og_exact_bit_diff(uint32_t m, double p, uint32_t t);
double og_max_bit_diff(uint32_t m, double p, uint32_t d);

/* The distance to search: the largest d such that sentences of n words with
 * more than k words added come within d with a probability of at most
 * max_false; -1: none. */
int og_signature_radius(uint32_t m, uint32_t l, double n, double k,
                        double max_false);

#endif
