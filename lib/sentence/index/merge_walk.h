/* What the parts of a merge of segments share (segment_merge.c): the merge
 * itself, the shares of the hashes, and a walk over the sorted lists of all
 * segments. */
#ifndef ORIGO_LIB_SENTENCE_INDEX_MERGE_WALK_H
#define ORIGO_LIB_SENTENCE_INDEX_MERGE_WALK_H

#include <stdatomic.h>

#include "lib/os/pages.h"
#include "lib/sentence/index/segment_merge.h"
#include "lib/sentence/index/segment_output.h"
#include "lib/sentence/index/sentence_segment.h"

struct merge_share {
    uint64_t n, n_keys, n_places; /* in it; after adding up: before it */
};

/* The range of all hashes, in 2^bits shares. */
struct merge_cut {
    unsigned bits;
    size_t n;
    uint32_t *at; /* of each segment: n + 1 places in its list */
    struct merge_share *share;
};

struct merge {
    const struct og_sentence_segment *const *segments;
    size_t n;
    const og_allocator *allocator;
    const struct og_phases *phases;
    struct og_sentence_totals totals;
    struct og_segment_output out;
    /* For every segment: the totals of those before it. */
    uint64_t first_document[OG_SENTENCE_SEGMENTS_MOST],
        first_sentence[OG_SENTENCE_SEGMENTS_MOST];
    uint64_t first_name[OG_SENTENCE_SEGMENTS_MOST],
        first_text[OG_SENTENCE_SEGMENTS_MOST];
    uint64_t names_len, packed_len;
    bool is_mapped;   /* one of them, or the result */
    bool is_in_order; /* no document is earlier than one of a segment before */
    struct og_pages pages;
    uint32_t
        *number[OG_SENTENCE_SEGMENTS_MOST]; /* new numbers of its wordsets */
    struct merge_cut wordsets, words;
    _Atomic uint32_t *dropped; /* keys of each share of the words */
    void *scratch;
    size_t scratch_len;
};

/* ---- memory ---- */

/* Segments in files are read a share at a time. The pages that were read are
 * released regularly: at the end of each piece, and in it each time after so
 * many bytes. */
#define LOOK_AFTER ((size_t)1 << 20)
/* What reading one random position counts: the system also loads its
 * neighbourhood. */
#define FAR_LOOK ((size_t)64 << 10)

/* What a piece has read since memory was last released. */
struct merge_looks {
    const struct merge *merge;
    size_t n_bytes;
};

/* If there are too many. */
void og_merge_release_pages(const struct merge *m);

static inline void merge_count_looks(struct merge_looks *l, size_t n_bytes)
{
    l->n_bytes += n_bytes;
    if (l->n_bytes < LOOK_AFTER) return;
    l->n_bytes = 0;
    og_merge_release_pages(l->merge);
}

/* ---- walking over sorted lists ---- */

struct merge_walk {
    struct merge_looks looks;
    const uint64_t *list[OG_SENTENCE_SEGMENTS_MOST];
    size_t at[OG_SENTENCE_SEGMENTS_MOST], end[OG_SENTENCE_SEGMENTS_MOST];
    size_t n;
    uint64_t value;
    /* The segments that have the value, and where. */
    size_t n_here, segment[OG_SENTENCE_SEGMENTS_MOST],
        place[OG_SENTENCE_SEGMENTS_MOST];
};

/* Where the shares begin in the list of `segment`: n + 1 places. */
const uint32_t *og_merge_cut_of(const struct merge_cut *c, size_t segment);

struct merge_walk og_merge_walk_share(const struct merge *m,
                                      const struct merge_cut *c, size_t share);

bool og_merge_walk_next(struct merge_walk *w);

/* What is before share `i`; of all, after the last one. */
struct merge_share og_merge_share_at(const struct merge *m,
                                     const struct merge_cut *c, size_t i);

/* ---- pieces of the two phases that write ---- */

/* A share of the wordsets; after these the names and texts of each segment, id
 * hashes, starts of texts. */
og_status og_merge_wordset_piece(void *ctx, void *worker, size_t piece,
                                 og_error *err);

/* A share of the words; after these runs of documents and of sentences, so many
 * in all. */
og_status og_merge_word_piece(void *ctx, void *worker, size_t piece,
                              og_error *err);
size_t og_merge_n_runs(const struct merge *m);

#endif
