#ifndef OG_ALIGN_CLAIMS_H
#define OG_ALIGN_CLAIMS_H

/*   in:  what each origin has in common with a document, the earliest first
 *   out: which origin each token goes to                    (confirm.c)
 *
 * The first document ever to hold a shingle is its origin, but a passage is
 * more than its shingles: a paragraph that was taken from a letter holds a
 * phrase or two that was elsewhere before, and the letter is its origin all
 * the same. So a passage goes to the earliest document that contains most of
 * it, and a part of it to an earlier one only when that part is long enough to
 * be a passage by itself. */

#include "lib/align/align.h"

/* Tokens of the document that an origin has, with small edits among them. */
struct og_claim {
    uint32_t begin, end;
    uint32_t side; /* whose */
};

/* What one origin has. */
struct og_claimant {
    uint32_t side;
    size_t first, end;         /* in og_claims.blocks */
    size_t first_run, run_end; /* in og_claims.runs */
};

struct og_claims {
    const og_allocator *allocator;
    uint32_t shingle_len;    /* the caller's: what counts as held is shingles */
    struct og_claim *blocks; /* the earliest origin first; those of one origin
                                by their place, none inside another */
    size_t n, cap;
    struct og_claim *runs; /* without the edits: what the blocks are made of,
                              in the same order */
    size_t n_runs, runs_cap;
    struct og_claimant *claimants; /* the earliest first */
    size_t n_claimants, claimants_cap;
    size_t n_tokens;         /* of the document */
    struct og_claim *pieces; /* what of them nobody has taken */
    size_t n_pieces, pieces_cap;
    uint32_t *longest; /* of each token: the longest piece that holds it, plus
                          1 */
    size_t longest_cap;
    uint32_t *side; /* the outcome: of each token the side that it goes to,
                       plus 1; 0: nobody's */
    size_t side_cap;
};

void og_claims_init(struct og_claims *claims, const og_allocator *allocator);
void og_claims_release(struct og_claims *claims);

/* No origin has anything. */
void og_claims_clear(struct og_claims *claims);

/* The origin of number `side` has these runs in common with the document, in
 * any order. Origins come in the order of time. `runs` is sorted. */
og_status og_claims_add(struct og_claims *claims, uint32_t side,
                        struct og_run *runs, size_t n_runs, og_error *err);

/* Decides; claims->side is set. Pieces of fewer than `least` tokens go to
 * nobody. */
og_status og_claims_settle(struct og_claims *claims, size_t n_tokens,
                           uint32_t least, og_error *err);

#endif
