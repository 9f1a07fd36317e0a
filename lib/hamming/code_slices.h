#ifndef OG_HAMMING_CODE_SLICES_H
#define OG_HAMMING_CODE_SLICES_H

/* Transposed codes, for many queries at once: 512 codes are a block of 64
 * planes of 512 bits, plane i the bits i of all of them. A query reads a block
 * plane by plane, increments 512 counters at a time with a few logic
 * operations, and stops as soon as every counter has passed the distance, for
 * random codes after less than half of the planes. The block stays in the L1
 * cache while all queries of a batch pass over it. */

#include "lib/hamming/code_design.h"
#include "lib/os/pages.h"

enum {
    OG_CODE_BLOCK = 512,
    OG_CODE_SLICE_WORDS = 64 * 8, /* of one block */
};

struct og_code_slices {
    struct og_pages pages;
    size_t n; /* codes */
};

og_status og_code_slices_init(struct og_code_slices *slices,
                              const uint64_t *codes, size_t n,
                              const og_allocator *allocator, og_error *err);
void og_code_slices_release(struct og_code_slices *slices);

/* All pairs of a query and a code within max_distance, which is at most
 * OG_CODE_SLICES_MOST; for each query by index. Returns false if on_match
 * did. */
bool og_code_slices_ask(const struct og_code_slices *slices,
                        const uint64_t *questions, size_t n_questions,
                        unsigned max_distance, void *ctx,
                        bool (*on_match)(void *ctx, size_t question,
                                         size_t place));

/* Transposes 512 codes (fewer: padded with zeros) into one block. */
void og_code_slice_block(const uint64_t *codes, size_t n, uint64_t *out);

#endif
