#ifndef OG_ALIGN_TEXT_SEEDS_H
#define OG_ALIGN_TEXT_SEEDS_H

/*   in:  the tokens of a document, then those of one origin after another
 *   out: seeds: k consecutive tokens that the two have in common
 *
 * The table forgets, the texts do not: once the text of an origin is fetched
 * because of one hit, everything else that it has in common with the document
 * is found by one pass over its tokens. */

#include "lib/align/align.h"

struct og_text_seeds {
    const og_allocator *allocator;
    uint32_t k;
    size_t n;       /* shingles of the document, */
    size_t n_first; /* distinct ones */
    uint64_t *bits; /* a filter that rejects most shingles of an origin */
    size_t bits_cap, bit_mask;
    uint32_t stride, short_len; /* of samples: every how many tokens of an
                                   origin, and of how many */
    uint64_t *short_bits;       /* the filter for those */
    size_t short_bits_cap, short_mask;
    struct og_text_seed_slot *slots;
    size_t slots_cap, mask;
    uint64_t *sums; /* of each shingle */
    size_t sums_cap;
    uint32_t *first; /* per shingle: the first position with the same one */
    size_t first_cap;
    uint32_t *there; /* per first position: where in the origin, plus 1 */
    size_t there_cap;
    uint32_t begin, end; /* first positions with an entry are among these */
    uint32_t repeat_end; /* after the last shingle that is not the first */
    struct og_run *data; /* the result */
    size_t n_found, cap;
};

void og_text_seeds_init(struct og_text_seeds *seeds,
                        const og_allocator *allocator);
void og_text_seeds_release(struct og_text_seeds *seeds);

/* Tokens of a seed, when shingles have this many: fewer match by chance. */
static inline uint32_t og_text_seed_len(uint32_t shingle_len)
{
    enum { LEAST_TEXT_SEED = 8 };
    return shingle_len > LEAST_TEXT_SEED ? shingle_len : LEAST_TEXT_SEED;
}

/* og_align_side.samples of so many tokens, for seeds of k tokens. They are
 * optional: without them each search makes them again. */
size_t og_text_samples_count(size_t n_tokens, uint32_t k);
void og_text_samples_make(const struct og_tokens *tokens, uint32_t k,
                          uint32_t *out);

/* Sets the document; k is at least 1. */
og_status og_text_seeds_set(struct og_text_seeds *seeds,
                            const struct og_tokens *document, uint32_t k,
                            og_error *err);

/* seeds->data: maximal runs of k or more equal tokens, in the order of the
 * document. Of several places in the origin one is reported. Takes linear time
 * in the tokens of both. */
og_status og_text_seeds_find(struct og_text_seeds *seeds,
                             const struct og_tokens *document,
                             struct og_align_side origin, og_error *err);

/* Searches for the shingles of the document in another text, for the next two
 * functions. */
void og_text_seeds_mark(struct og_text_seeds *seeds,
                        struct og_align_side other);

/* How many of the distinct shingles of the document it contains, as a share. */
double og_text_seeds_share(const struct og_text_seeds *seeds);

/* The tokens begin .. end of the document that it contains, in whole
 * shingles. */
uint32_t og_text_seeds_count(const struct og_text_seeds *seeds,
                             const struct og_tokens *document,
                             const struct og_tokens *other, uint32_t begin,
                             uint32_t end);

/* The run of equal tokens that contains both positions, but nothing before
 * token `floor` of the document; len 0: the tokens there are not equal. */
struct og_run og_seed_grow(const struct og_tokens *document,
                           const struct og_tokens *origin, uint32_t here,
                           uint32_t there, uint32_t floor);

#endif
