#ifndef OG_ALIGN_CONFIRM_H
#define OG_ALIGN_CONFIRM_H

/*   in:  the hits of a document, and the texts of their origins  (lib/store)
 *   out: passages that were compared word by word                (lib/report)
 *
 * A hit is a seed: it tells where to look in the origin's text. The passage
 * then extends as far as the texts agree, across small edits, also where the
 * table has forgotten shingles; and a coincidental hit finds nothing. A passage
 * goes to the earliest origin that contains most of it (claims.h).
 *
 * Or a hit is only a hint which document to compare with (`reworded`): the
 * whole texts are then aligned, which also finds reworded passages without a
 * common shingle. Copies are assigned tokens first, then the reworded passages,
 * those with the most evidence before the others. */

#include "lib/align/align.h"
#include "lib/align/candidates.h"
#include "lib/align/claims.h"
#include "lib/align/text_seeds.h"

/* The most texts fetched for one document: those with the most hits. The
 * passages of other origins are those of the labels. Beyond the first few only
 * short ones are fetched. */
#define OG_CONFIRM_ORIGINS 64

/* For each of them, the number of documents that may have had its passages
 * before. */
#define OG_CONFIRM_ANCESTORS 16

struct og_confirmed {
    uint32_t begin, end; /* tokens of the document */
    uint32_t doc;
    uint32_t origin_begin, origin_end; /* tokens of the origin */
    size_t first_run, n_runs;          /* in og_confirming.runs */
    uint32_t side;                     /* which origin, in order of the
                                          queries */
    enum og_passage_kind kind;
    float weight;
};

/* The heaviest first, of equal ones the earlier. */
struct og_ranked {
    float weight;
    size_t found;
};

/* Where the texts come from. */
struct og_confirm_source {
    void *ctx;
    /* `side` is called for these documents next. May be NULL. */
    void (*expect)(void *ctx, const uint32_t *docs, size_t n);
    /* The tokens of document `doc`, valid until the next call, except those of
     * the same `side` number, 0 .. OG_CONFIRM_ORIGINS - 1. Only hashes are
     * required. Tokens NULL: its text is not stored. */
    og_status (*side)(void *ctx, uint32_t doc, uint32_t side,
                      struct og_align_side *out, og_error *err);
    /* The same with its text and the positions of the tokens in it, for a side
     * that has something to report; valid as long as the first. NULL: `side`
     * returns everything. */
    og_status (*whole)(void *ctx, uint32_t doc, uint32_t side,
                       struct og_align_side *out, og_error *err);
    /* The documents that contain passages of `doc`, whose tokens these are,
     * before it, as far as they may be origins: those with the most first, at
     * most `max` of them. The result must not depend on the order of arrival.
     * May be NULL. */
    og_status (*ancestors)(void *ctx, uint32_t doc,
                           const struct og_tokens *tokens, uint32_t max,
                           uint32_t *out, uint32_t *out_n, og_error *err);
    struct og_time_order order;
};

struct og_confirming {
    const og_allocator *allocator;
    bool reworded; /* set by the caller: find reworded passages, too. Needs the
                      texts of both sides, not only their tokens */
    struct og_aligner *aligner;
    struct og_text_seeds text_seeds;
    uint32_t least;     /* set by the caller: minimum tokens of a copy to
                           report */
    uint32_t least_end; /* set by the caller: equal tokens after a gap with
                           which a copy may end; 0: the default for words */
    struct og_claims claims;
    struct og_run *seeds; /* of all origins */
    size_t n_seeds, seeds_cap;
    size_t first_seed[OG_CONFIRM_ORIGINS], side_seeds[OG_CONFIRM_ORIGINS];
    struct og_confirmed *data; /* in order, not overlapping */
    size_t n, cap;
    struct og_run *runs;
    size_t n_runs, runs_cap;
    struct og_confirmed *found; /* before overlaps are resolved */
    size_t n_found, found_cap;
    struct og_ranked *ranked; /* the reworded ones of `found` */
    size_t ranked_cap;
    uint32_t *owner; /* per token: its index in `found`, plus 1 */
    size_t owner_cap;
    uint8_t *is_old; /* whether the token is in a run that some origin has,
                        reported or not */
    size_t is_old_cap;
    struct og_copies rest;             /* see og_confirm_rest() */
    uint32_t docs[OG_CONFIRM_ORIGINS]; /* the compared documents */
    struct og_align_side sides[OG_CONFIRM_ORIGINS];
    uint32_t n_docs;
    size_t n_fetched; /* tokens of their texts */
};

void og_confirming_init(struct og_confirming *c, const og_allocator *allocator);
void og_confirming_release(struct og_confirming *c);

/* From labels->hits to c->data. `document` has the tokens of `sel`. */
og_status og_confirm(struct og_confirming *c, struct og_align_side document,
                     const struct og_selection *sel,
                     const struct og_labels *labels,
                     const struct og_confirm_source *source, og_error *err);

/* What the labels say beyond the confirmed passages, written to c->rest: copies
 * of origins whose text was not compared. Labels of compared origins are
 * ignored: a passage that is not in the text was not copied from it, whatever
 * the table says (two fingerprints collided, or an estimation filled the
 * slot). */
og_status og_confirm_rest(struct og_confirming *c,
                          const struct og_copies *copies, size_t n_tokens,
                          og_error *err);

#endif
