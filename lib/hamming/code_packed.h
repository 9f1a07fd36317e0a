#ifndef OG_HAMMING_CODE_PACKED_H
#define OG_HAMMING_CODE_PACKED_H

/* Ascending 64-bit values in about half their bits (section 3.2 of the
 * paper). Successive values agree in their first bits; h, the position of the
 * first bit where they differ, has low entropy. A block of 1,024 bytes is
 *
 *     the first value whole, 64 bits
 *     for each further one: the Huffman code of h, then the h bits below it
 *
 * as long as whole values fit. (The paper says that the first one takes 8f
 * bits; it takes f.) The key of a block is its last value, which also tells
 * where it ends. The values are distinct, so that h always exists: the paper
 * does not define it for equal values. */

#include "lib/os/pages.h"

enum {
    OG_PACKED_BLOCK = 1024,
    OG_PACKED_CODE_BITS = 12, /* longest Huffman code: one look-up decodes */
};

struct og_code_packed {
    size_t n_blocks;
    uint64_t n_bits;       /* used, to compute the bits per code */
    struct og_pages pages; /* blocks, then keys */
    const uint64_t *keys;
    uint8_t code_len[64]; /* 0: h does not occur */
    uint16_t code[64];
    /* By the next 12 bits: h, and the length of its code times 64. */
    uint16_t decode[1 << OG_PACKED_CODE_BITS];
};

/* `values` must be ascending and distinct. */
og_status og_code_packed_init(struct og_code_packed *packed,
                              const uint64_t *values, size_t n,
                              const og_allocator *allocator, og_error *err);
void og_code_packed_release(struct og_code_packed *packed);
uint64_t og_code_packed_bytes(const struct og_code_packed *packed);

/* Calls on_value with every value of first .. last, ascending, until it
 * returns false; then false. */
bool og_code_packed_walk(const struct og_code_packed *packed, uint64_t first,
                         uint64_t last, void *ctx,
                         bool (*on_value)(void *ctx, uint64_t value));

#endif
