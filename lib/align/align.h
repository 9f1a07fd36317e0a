#ifndef OG_ALIGN_ALIGN_H
#define OG_ALIGN_ALIGN_H

/*   in:  the tokens of a document and of one other text     (lib/token)
 *   out: the passages they have in common, ends on both sides (lib/report)
 *
 * Two entry points, one implementation:
 *
 *   og_align   knows nothing but the two texts. Finds everything: copies
 *              word for word and with small edits, and passages that were
 *              reworded (translated, shuffled, summarised).
 *   og_verify  knows where to look: seeds, which are places that the table says
 *              are equal. It only extends them by comparing the texts.
 *
 *     runs.c      equal tokens in a row
 *     chain.c     runs that follow one another in both texts: a copy
 *     reworded.c  sentences with the same meaning, in groups
 *     passages.c  passages that do not overlap
 *     matches.c   the equal words inside each passage
 *
 * Everything is a function of the two texts alone: the same input gives the
 * same passages. Work is bounded, see OG_ALIGN_WORK. */

#include "lib/align/thresholds.h"
#include "lib/token/tokens.h"

/* One of the compared texts, folded, and its tokens. Offsets of passages count
 * tokens. og_verify() does not need the text (NULL). */
struct og_align_side {
    const struct og_text *text;
    const struct og_tokens *tokens;
    const uint32_t *samples; /* of the tokens, for og_text_seeds; may be NULL */
};

/* Whether a token is a character of a script without spaces. Without the text
 * every token is assumed to be a word. */
bool og_align_is_character(struct og_align_side side, uint32_t token);

/* Equal tokens in a row. */
struct og_run {
    uint32_t begin, origin_begin;
    uint32_t len;
};

enum og_passage_kind {
    OG_PASSAGE_COPY,     /* equal runs with small edits between them */
    OG_PASSAGE_REWORDED, /* largely the same words, in another order or form */
};

struct og_passage {
    uint32_t begin, end; /* tokens of the document */
    uint32_t origin_begin, origin_end;
    enum og_passage_kind kind;
    float weight;       /* evidence: decides between two overlapping passages */
    float score;        /* share of the tokens of both sides in matches */
    uint32_t first_run; /* its matches: aligner->matches[first_run ..] */
    uint32_t n_runs;    /* in the order of the document, not overlapping */
};

/* What counts as a passage. */
struct og_align_options {
    uint32_t min_copy;   /* equal tokens of a copy, minus its gaps */
    bool reworded;       /* find reworded passages, too */
    uint32_t min_tokens; /* of a reworded passage, on either side */
};
#define OG_ALIGN_OPTIONS_DEFAULT                                               \
    {                                                                          \
        .min_copy = 12, .reworded = true, .min_tokens = 16                     \
    }

/* The limit: for texts of n and m tokens no step does more than this many token
 * comparisons per token of n + m, whatever the texts are (plus n log n for
 * sorting). When a budget is used up the search ends with what it has found;
 * real text uses a tenth of it. */
#define OG_ALIGN_WORK 64u

struct og_aligner; /* reusable scratch memory; one per thread */
struct og_aligner *og_aligner_new(const og_allocator *allocator);
void og_aligner_free(struct og_aligner *aligner); /* NULL is fine */
/* Thresholds other than the defaults, to measure them. */
void og_aligner_set_thresholds(struct og_aligner *aligner,
                               const struct og_align_thresholds *thresholds);

/* The result; valid until the next call with the same aligner. */
struct og_alignment {
    const struct og_passage *passages; /* in order, not overlapping here; in
                                          the origin they may */
    size_t n_passages;
    const struct og_run *matches;
};

/* OG_ERR_MEMORY; *out is then empty. */
og_status og_align(struct og_aligner *aligner, struct og_align_side document,
                   struct og_align_side origin,
                   const struct og_align_options *options,
                   struct og_alignment *out, og_error *err);

/* A seed says that the document from `begin` on is the origin from
 * `origin_begin` on, about `len` tokens. It is only a hint: wrong ones (a
 * collision, an origin that has changed, places outside the texts) find
 * nothing. A passage may extend beyond the seeds. `seeds` is sorted by the
 * call. options->reworded is ignored. */
og_status og_verify(struct og_aligner *aligner, struct og_align_side document,
                    struct og_align_side origin, struct og_run *seeds,
                    size_t n_seeds, const struct og_align_options *options,
                    struct og_alignment *out, og_error *err);

#endif
