#ifndef OG_ESTIMATE_ESTIMATE_H
#define OG_ESTIMATE_ESTIMATE_H

/*   in:  the hits of a document's selection                 (lib/table)
 *   out: a label for every selected shingle, and the spans  (lib/report)
 *
 * Section 2.3 of the paper: what the table has forgotten is guessed from what
 * it still knows. NB guesses nothing; E (expansion) uses the neighbours of a
 * hit; B (bridging) fills the gap between two hits that are as far apart here
 * as in their common origin; BE does both, and bridges only where the
 * neighbours agree. CX is origo's own (context.c). */

#include "lib/table/table.h"

#include <origo/trace.h>

struct og_label {
    uint32_t doc;      /* OG_NO_DOC: new, or unknown */
    uint32_t hit : 30; /* the selected shingle of the hit that it comes from */
    uint32_t how : 2;  /* og_how */
};
_Static_assert(sizeof(struct og_label) == 8, "there is one for every shingle");

struct og_labels {
    const og_allocator *allocator;
    struct og_label *data; /* one per selected shingle */
    size_t n, cap;
    /* CX also labels shingles that were not selected: one label per shingle of
     * the document. n_every is 0 for the others. */
    struct og_label *every;
    size_t n_every, every_cap;
    struct og_hit *hits;
    size_t hits_cap;
    /* For a table elsewhere: 1 where a fingerprint is missing but may have been
     * there once. Owned by the caller. NULL: the table can tell. */
    const uint8_t *lost;
    /* What the table should write, see og_labels_additions(). */
    uint8_t *weights;
    size_t weights_cap;
    uint32_t *origins;
    size_t origins_cap;
    uint16_t *offsets;
    size_t offsets_cap;
    /* Scratch of the bridges: the last hit of every (origin, diagonal), and
     * the next shingle without a label. */
    struct og_anchor *anchors;
    size_t anchors_cap, anchors_mask;
    uint32_t *next;
    size_t next_cap;
    /* Whether document a comes before b; NULL: by their numbers. */
    bool (*earlier)(const void *ctx, uint32_t a, uint32_t b);
    const void *ctx;
};

void og_labels_init(struct og_labels *labels, const og_allocator *allocator);
void og_labels_release(struct og_labels *labels);

/* Reserves room for n shingles; then labels->hits can be filled. */
og_status og_labels_reserve(struct og_labels *labels, size_t n, og_error *err);

struct og_estimate_options {
    og_estimate_kind kind;
    uint32_t bridge_limit; /* T */
    uint32_t n_docs;       /* that arrived before this document */
};

/* The fields that a table must keep for an estimation. */
struct og_table_fields og_estimate_fields(og_estimate_kind kind);
og_context_kind og_estimate_context_kind(og_estimate_kind kind);

/* From labels->hits, one per shingle of `sel`, to labels->data. */
og_status og_estimate(const struct og_selection *sel,
                      const struct og_estimate_options *options,
                      struct og_labels *labels, og_error *err);

/* Whether the content of the table depends on the labels: then every document
 * must be estimated before it is added, queried or not. */
bool og_labels_shape_table(og_estimate_kind estimate, og_evict_kind evict);

/* Sets labels->weights as the eviction needs them. */
void og_labels_weigh(struct og_labels *labels, og_evict_kind evict);

/* What the table should add for document `doc`: its selection with weights and,
 * where CX knows a shingle that `table` (where they are added) has lost, its
 * former origin. Views into `sel` and `labels`. */
struct og_additions og_labels_additions(struct og_labels *labels,
                                        const struct og_selection *sel,
                                        const struct og_table *table,
                                        uint32_t doc);

/* With CX: the end of the run of shingles that begins at `first` and has one
 * origin, or none. */
static inline size_t og_labels_run_end(const struct og_labels *labels,
                                       size_t first)
{
    size_t end = first + 1;
    while (end < labels->n_every &&
           labels->every[end].doc == labels->every[first].doc)
        end++;
    return end;
}

/* A run of tokens with one origin. */
struct og_copy {
    uint32_t begin, end; /* tokens, half-open */
    uint32_t doc;
    og_how how;
    uint32_t n_hit;   /* tokens covered by the shingle of a hit */
    uint32_t hit_end; /* end of the last of them */
    /* The same for hits and their agreeing neighbours. The text between two
     * hits may have been changed. */
    uint32_t n_matching, matching_end;
};

struct og_copies {
    const og_allocator *allocator;
    struct og_copy *data; /* in order, not overlapping */
    size_t n, cap;
    uint64_t n_old; /* tokens in them */
};

void og_copies_init(struct og_copies *copies, const og_allocator *allocator);
void og_copies_release(struct og_copies *copies);

/* Joins labels to runs: adjacent or overlapping shingles of one origin are one
 * copy; where two origins overlap, the first keeps the tokens. */
og_status og_labels_join(const struct og_selection *sel,
                         const struct og_labels *labels,
                         struct og_copies *copies, og_error *err);

/* The origin of the most shingles that could be labelled: the selected ones,
 * with CX all. OG_NO_DOC if that is the document itself, which counts all
 * shingles without a label and wins ties; otherwise the earlier origin wins. */
struct og_dominant {
    uint32_t doc;
    size_t n;     /* shingles that have it */
    size_t total; /* of so many */
};
og_status og_labels_dominant(struct og_labels *labels, struct og_dominant *out,
                             og_error *err);

#endif
