#ifndef OG_HAMMING_CODE_SLICES_H
#define OG_HAMMING_CODE_SLICES_H

/* Codes turned on their side, for many questions at once: 512 codes are a
 * block of 64 planes of 512 bits, plane i the bits i of all of them. One
 * question reads a block plane by plane, adds 512 counters at a time with a
 * few logic operations, and leaves as soon as every counter has passed the
 * distance, for random codes after less than half of the planes. The block
 * stays in the first cache while all questions of a batch pass over it. */

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

/* All pairs of a question and a code within max_distance, which is at most
 * OG_CODE_SLICES_MOST; for one question by place. Returns false when on_match
 * did. */
bool og_code_slices_ask(const struct og_code_slices *slices,
                        const uint64_t *questions, size_t n_questions,
                        unsigned max_distance, void *ctx,
                        bool (*on_match)(void *ctx, size_t question,
                                         size_t place));

/* Turns 512 codes (fewer: zeros follow) into one block. */
void og_code_slice_block(const uint64_t *codes, size_t n, uint64_t *out);

#endif
