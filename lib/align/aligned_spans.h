#ifndef OG_ALIGN_ALIGNED_SPANS_H
#define OG_ALIGN_ALIGNED_SPANS_H

/*   in:  the passages of an alignment, in tokens            (lib/estimate)
 *   out: verified spans, in bytes of the two texts          (lib/report)   */

#include "lib/align/align.h"

#include <origo/trace.h>

struct og_aligned_spans {
    const og_allocator *allocator;
    og_span *spans; /* in order, not overlapping; without their origin */
    size_t n_spans, spans_cap;
    og_match *matches; /* of all spans */
    size_t n_matches, matches_cap;
    uint64_t n_old;      /* tokens in spans */
    uint64_t n_matching; /* tokens in matches */
};

void og_aligned_spans_init(struct og_aligned_spans *verified,
                           const og_allocator *allocator);
void og_aligned_spans_release(struct og_aligned_spans *verified);

/* Replaces the content of `verified`. Fills in offsets, n_tokens, n_matching,
 * how, score and matches of each span; the caller knows the origin. A passage
 * without a byte of its own (two passages meet inside a character that folds to
 * several tokens) is merged into the previous span. OG_ERR_MEMORY; it is then
 * empty. */
og_status og_aligned_spans_set(struct og_aligned_spans *verified,
                               struct og_align_side document,
                               struct og_align_side origin,
                               const struct og_alignment *alignment,
                               og_error *err);

#endif
