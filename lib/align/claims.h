#ifndef OG_ALIGN_CLAIMS_H
#define OG_ALIGN_CLAIMS_H

/*   in:  the common parts of each origin and a document, earliest origin first
 *   out: which origin each token goes to                    (confirm.c)
 *
 * The first document to contain a shingle is its origin, but a passage is more
 * than its shingles: a paragraph copied from a letter contains a phrase or two
 * that occurred elsewhere before, and the letter is its origin all the same. So
 * a passage is assigned to the earliest document that contains most of it, and
 * a part of it to an earlier one only if that part is long enough to be a
 * passage by itself. */

#include "lib/align/align.h"

/* Tokens of the document that an origin has, with small edits among them. */
struct og_claim {
    uint32_t begin, end;
    uint32_t side; /* whose */
};

/* The claims of one origin. */
struct og_claimant {
    uint32_t side;
    size_t first, end;         /* in og_claims.blocks */
    size_t first_run, run_end; /* in og_claims.runs */
};

struct og_claims {
    const og_allocator *allocator;
    uint32_t shingle_len;    /* set by the caller: shingles are what is
                                counted */
    struct og_claim *blocks; /* the earliest origin first; those of one origin
                                by position, none inside another */
    size_t n, cap;
    struct og_claim *runs; /* without the edits: the parts of the blocks, in the
                              same order */
    size_t n_runs, runs_cap;
    struct og_claimant *claimants; /* the earliest first */
    size_t n_claimants, claimants_cap;
    size_t n_tokens;         /* of the document */
    struct og_claim *pieces; /* the free tokens among them */
    size_t n_pieces, pieces_cap;
    uint32_t *longest; /* per token: the longest piece that contains it, plus
                          1 */
    size_t longest_cap;
    uint32_t *side; /* the result: per token the side to which it is assigned,
                       plus 1; 0: none */
    size_t side_cap;
};

void og_claims_init(struct og_claims *claims, const og_allocator *allocator);
void og_claims_release(struct og_claims *claims);

/* Removes all origins. */
void og_claims_clear(struct og_claims *claims);

/* Adds the runs that the origin of number `side` has in common with the
 * document, in any order. Origins must be added in order of time. Sorts
 * `runs`. */
og_status og_claims_add(struct og_claims *claims, uint32_t side,
                        struct og_run *runs, size_t n_runs, og_error *err);

/* Decides; sets claims->side. Pieces of fewer than `least` tokens are not
 * assigned. */
og_status og_claims_settle(struct og_claims *claims, size_t n_tokens,
                           uint32_t least, og_error *err);

#endif
