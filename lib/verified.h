#ifndef OG_VERIFIED_H
#define OG_VERIFIED_H

/*   in:  the passages of an alignment, in tokens            (lib/estimate)
 *   out: verified spans, in bytes of the two texts          (lib/report)   */

#include "lib/estimate/align.h"

struct og_verified {
    const og_allocator *allocator;
    og_span *spans; /* in order, not overlapping; without their origin */
    size_t n_spans, spans_cap;
    og_match *matches; /* of all spans */
    size_t n_matches, matches_cap;
    uint64_t n_old; /* tokens in spans */
};

void og_verified_init(struct og_verified *verified,
                      const og_allocator *allocator);
void og_verified_release(struct og_verified *verified);

/* Replaces what `verified` held. Offsets, n_tokens, how, score and matches of
 * each span are filled in; whose text the origin is, the caller knows. A
 * passage that has no byte of its own (two passages meet inside a character
 * that folds to several tokens) is joined to the span before. OG_ERR_MEMORY;
 * it is empty then. */
og_status og_verified_set(struct og_verified *verified,
                          struct og_align_side document,
                          struct og_align_side origin,
                          const struct og_alignment *alignment, og_error *err);

#endif
