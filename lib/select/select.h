#ifndef OG_SELECT_SELECT_H
#define OG_SELECT_SELECT_H

/*   in:  all fingerprints of a document, in order           (lib/fingerprint)
 *   out: the fingerprints worth keeping, in order           (lib/table)     */

#include "lib/fingerprint/fingerprint.h"

#include <origo/params.h>

/* For shingles pos[i] .. pos[i] + shingle_len are the tokens of fp[i]. Hash
 * breaking and DCT select segments of any length instead. */
struct og_selection {
    const og_allocator *allocator;
    uint64_t *fp;
    uint32_t *pos; /* index of the first token */
    uint32_t *len; /* number of tokens */
    uint16_t
        *offset; /* with `near`: what the table keeps beside a fingerprint, */
    uint16_t *near; /* written by og_selection_add_context() */
    uint8_t *spare; /* 1: to be kept only where there is room (S forms) */
    size_t n, cap;
    size_t n_shingles;    /* that there were to choose from */
    uint32_t shingle_len; /* 0: these are segments, not shingles */
};

void og_selection_init(struct og_selection *sel, const og_allocator *allocator);
void og_selection_release(struct og_selection *sel);

/* Replaces the content of `sel`. */
og_status og_fps_select(const struct og_tokens *tokens,
                        const struct og_fps *fps,
                        const struct og_shingle_factors *key,
                        const og_select_options *options,
                        struct og_selection *sel, og_error *err);

/* What is stored with each fingerprint, for the estimation. */
typedef enum og_context_kind {
    OG_CONTEXT_NONE = 0,
    /* As in the paper: offset is the number of selected shingles before it,
     * modulo 2^8; near holds the first byte of the fingerprint of the selected
     * shingle before (low) and after it (high), 0 where there is none. */
    OG_CONTEXT_ORDER,
    /* offset is the index of its first token, modulo 2^16; near holds two bits
     * of each of the four tokens before and after it, see context_bits.c. */
    OG_CONTEXT_BITS,
} og_context_kind;

void og_selection_add_context(struct og_selection *sel,
                              const struct og_tokens *tokens,
                              og_context_kind kind);

/* OG_CONTEXT_BITS: on how many tokens, going outwards from the shingle, two
 * notes agree; 0 to 4 on either side. */
#define OG_CONTEXT_TOKENS 4

/* Pairs of bits before the first one that differs. */
static inline uint32_t og_context_agreeing(unsigned differences)
{
    const unsigned end = 1u << 2 * OG_CONTEXT_TOKENS;
    return (uint32_t)__builtin_ctz(differences | end) / 2;
}

static inline uint32_t og_context_before(uint16_t near_a, uint16_t near_b)
{
    return og_context_agreeing((unsigned)(near_a ^ near_b) & 0xff);
}

static inline uint32_t og_context_after(uint16_t near_a, uint16_t near_b)
{
    return og_context_agreeing((unsigned)(near_a ^ near_b) >> 8);
}

#endif
