#ifndef OG_TRACE_ANSWER_H
#define OG_TRACE_ANSWER_H

/*   in:  the labels of a document                           (lib/estimate)
 *   out: its answer: spans, novel ranges, dominant origin   (lib/report)   */

#include "lib/estimate/estimate.h"
#include "lib/select/prepare.h"
#include "lib/trace/formulae.h"
#include "lib/trace/origin_texts.h"

#include <origo/trace.h>

/* An answer and its memory. */
struct og_answering {
    const og_allocator *allocator;
    struct og_copies copies;
    struct og_answer_piece *pieces; /* the pieces of the spans, in order */
    size_t n_pieces, pieces_cap;
    og_span *spans;
    size_t spans_cap;
    og_match *matches;
    size_t n_matches, matches_cap;
    og_range *novel;
    size_t novel_cap;
    og_answer answer; /* views of the above and of the names */
};

void og_answering_init(struct og_answering *a, const og_allocator *allocator);
void og_answering_release(struct og_answering *a);

/* A run of tokens with one origin, according to the labels or confirmed. */
struct og_answer_piece {
    uint32_t begin, end;
    uint32_t doc;
    og_how how;
    uint32_t n_matching;                  /* tokens that are in the origin */
    const struct og_confirmed *confirmed; /* NULL: from the labels alone */
};

/* What is not reported. */
struct og_filter {
    const uint8_t *mask; /* per token: 1 if it does not count; may be NULL */
    uint32_t min_tokens; /* of a piece */
    /* Per token: 1 if it is in a shingle that was found and that few documents
     * have. A piece without such a token needs a run of `long_run` equal
     * tokens. NULL: no such condition. */
    const uint8_t *rare;
    uint32_t long_run;
    struct og_formulae *formulae; /* weights of its tokens; NULL: all count 1 */
    /* Whether a document must not be an origin; NULL: all may be. */
    bool (*is_barred)(const void *ctx, uint32_t doc);
    const void *ctx;
};

/* The result of comparing with the texts of origins. */
struct og_evidence {
    struct og_confirming *confirming;
    const struct og_origin_texts *origins; /* as og_confirm() left them */
};

/* Replaces a->answer; `evidence` and `filter` may be NULL. The answer is empty
 * after a failure (OG_ERR_MEMORY, or what the names fail with). Ids are valid
 * until the names are cleared. */
og_status og_answering_build(struct og_answering *a,
                             const struct og_prepared *prepared,
                             struct og_labels *labels, struct og_lookup *lookup,
                             const struct og_evidence *evidence,
                             const struct og_filter *filter, og_error *err);

/* Copies the answer and all that it refers to into `arena`. False: no memory.
 */
bool og_answer_keep(const og_answer *answer, struct og_arena *arena,
                    og_answer *out);

#endif
