#ifndef OG_ALIGN_ALIGNER_H
#define OG_ALIGN_ALIGNER_H

/* The steps of align.h and the data passed between them. */

#include "lib/align/align.h"
#include "lib/align/thresholds.h"

/* Scores count words; in scripts without spaces a token is a character. Thai
 * words have four letters on average, Chinese ones one and a half. */
#define OG_CHARACTERS_TO_A_WORD 3

/* Growing arrays that are passed between the steps. */
struct og_runs {
    const og_allocator *allocator;
    struct og_run *data;
    size_t n, cap;
};

struct og_passages {
    const og_allocator *allocator;
    struct og_passage *data;
    size_t n, cap;
};

void og_runs_init(struct og_runs *runs, const og_allocator *allocator);
void og_runs_release(struct og_runs *runs);
og_status og_runs_add(struct og_runs *runs, struct og_run run, og_error *err);
/* By document, then by origin, longer ones first; removes duplicates. */
void og_runs_sort(struct og_runs *runs);

void og_passages_init(struct og_passages *passages,
                      const og_allocator *allocator);
void og_passages_release(struct og_passages *passages);
og_status og_passages_add(struct og_passages *passages,
                          struct og_passage passage, og_error *err);

/* ---- runs.c ---- */

/* The length of a hash table for n entries: a power of two, so that bits of a
 * mixed hash are an index. */
static inline size_t og_power_above(size_t n)
{
    size_t power = 64;
    while (power < n)
        power *= 2;
    return power;
}

/* Hashes of the compared tokens. */
struct og_hashes {
    const uint64_t *data;
    uint32_t n;
};

/* The end of the last run on a diagonal. */
struct og_diagonal {
    uint32_t diagonal;
    uint32_t end;
};

struct og_run_finder {
    const og_allocator *allocator;
    uint32_t *heads, *next; /* the origin's short shingles */
    size_t heads_cap, next_cap;
    uint8_t *alone; /* whether no other has its hash */
    size_t alone_cap;
    struct og_diagonal *diagonals;
    size_t diagonals_cap;
};

void og_run_finder_init(struct og_run_finder *finder,
                        const og_allocator *allocator);
void og_run_finder_release(struct og_run_finder *finder);

/* A rectangle of the two texts, in tokens. */
struct og_align_window {
    uint32_t begin, end;
    uint32_t origin_begin, origin_end;
};

/* Adds runs of OG_RUN_MIN equal tokens or more that cannot be extended and that
 * pass through `window`. Some of those that repeat inside a longer one are
 * omitted, and the shortest of a million. In no order. */
#define OG_RUN_MIN 3
og_status og_runs_find(struct og_run_finder *finder, struct og_hashes document,
                       struct og_hashes origin, struct og_align_window window,
                       struct og_runs *out, og_error *err);

/* ---- chain.c ---- */

struct og_align_link {
    float worth;       /* of a token of this run, in words */
    float score;       /* of the best chain that ends with this run */
    uint32_t previous; /* the run that precedes it in that chain */
    bool used;         /* it belongs to a chain that was taken */
};

struct og_chain_end {
    float score;
    uint32_t run;
};

struct og_chainer {
    const og_allocator *allocator;
    struct og_runs runs;         /* the runs to be chained */
    struct og_align_link *links; /* of each run */
    size_t links_cap;
    struct og_chain_end *ends;
    size_t ends_cap;
    uint32_t *strong; /* indices of the longer runs */
    size_t strong_cap;
    uint32_t look_back; /* how many previous runs a run may follow, and how many
                           long ones */
};

void og_chainer_init(struct og_chainer *chainer, const og_allocator *allocator);
void og_chainer_release(struct og_chainer *chainer);

/* From sorted runs to copies with a score of at least `min_score`, added to
 * `out`, the best first; they may overlap. Their runs are in `chained`. */
og_status og_runs_chain(struct og_chainer *chainer,
                        struct og_align_side document,
                        const struct og_runs *runs, float min_score,
                        struct og_runs *chained, struct og_passages *out,
                        og_error *err);

/* ---- passages.c ---- */

/* Resolves overlaps, leaving passages in the order of the document: the one of
 * more weight keeps the overlap, and the other is cut back. */
void og_passages_settle(struct og_passages *passages);
/* For passages without overlaps: adjacent ones whose sources are spread over
 * the whole origin are merged. */
void og_passages_join_drawn(struct og_passages *passages,
                            const struct og_align_thresholds *thresholds);

/* ---- matches.c ---- */

struct og_word {
    uint64_t hash;
    uint32_t pos;
};

struct og_matcher {
    const og_allocator *allocator;
    struct og_runs inside;
    uint8_t *taken; /* tokens of a passage, on both sides, that have a match */
    size_t taken_cap;
    struct og_word *words;
    size_t words_cap;
};

void og_matcher_init(struct og_matcher *matcher, const og_allocator *allocator);
void og_matcher_release(struct og_matcher *matcher);

/* The equal words of each passage, written to `out`: for a copy from the runs
 * of its chain and the tokens between them, for a reworded passage from all
 * `runs`, which are sorted. Fills first_run, n_runs and score, and sets the
 * ends of a copy to those of the outermost matches. */
og_status og_passages_match(struct og_matcher *matcher,
                            struct og_passages *passages,
                            const struct og_runs *chained,
                            const struct og_runs *runs,
                            struct og_hashes document, struct og_hashes origin,
                            struct og_runs *out, og_error *err);

/* Compares the words of all matches, byte by byte, and drops those that are
 * equal by hash only: such a copy ends with its last equal words, and is
 * dropped if it has fewer than `min_copy`. Both sides must have a text. */
og_status og_passages_read(struct og_passages *passages,
                           struct og_align_side document,
                           struct og_align_side origin, uint32_t min_copy,
                           struct og_runs *matches, og_error *err);

#endif
