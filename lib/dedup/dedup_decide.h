#ifndef OG_DEDUP_DEDUP_DECIDE_H
#define OG_DEDUP_DEDUP_DECIDE_H

/*   in:  documents with their sketches, in order of preference
 *   out: for each, whether it is kept, or of which one it is a copy (lib/dedup)
 *
 * A star: a document is removed if it is similar to one that was kept before
 * it; of several, the one that was kept first counts. So every removed document
 * was compared with one that is kept, and a chain A~B~C in which A and C are
 * not similar keeps both ends. Documents are reported in the order of
 * preference. */

#include "lib/dedup/band_table.h"
#include "lib/dedup/dedup_texts.h"
#include "lib/dedup/set_summaries.h"

#include <origo/dedup.h>

struct og_decide_options {
    struct og_band_design design;
    og_measure_kind measure;
    double threshold;
    og_cluster_kind cluster;
    uint64_t memory;         /* of the table; 0: no limit */
    size_t summaries_memory; /* 0: no limit */
};

struct og_decide_doc {
    uint64_t number;
    struct og_dedup_place place;
    const uint8_t *sketch;
    struct og_set_parity parity; /* if it is known */
    const uint64_t *words;       /* NULL: its text is fetched if needed */
    size_t n_tokens;
    const uint16_t
        *before;     /* entries of each band in earlier rounds, or NULL */
    bool is_against; /* kept in any case */
};

struct og_dedup_entry {
    uint64_t number;
    struct og_dedup_place place;
};

struct og_verdict {
    enum {
        OG_VERDICT_KEPT,
        OG_VERDICT_COPY,
        OG_VERDICT_JOINED, /* components: equal to one that is remembered */
        OG_VERDICT_LATER,  /* no copy so far, but no room to remember it */
    } kind;
    struct og_dedup_entry of; /* of a copy */
    double similarity;
    uint32_t entry; /* of one that is kept */
};

/* The state of a thread that compares a document with others. */
struct og_decide_reader {
    struct og_dedup_texts *texts;
    struct og_band_hits hits; /* of the last document */
    struct og_shingle_set set;
    uint64_t *distinct; /* what the set was filled with */
    size_t distinct_cap;
    bool is_open;                      /* the set is that of the document */
    bool is_marked;                    /* the set, for its tags */
    bool has_mine;                     /* and the summary, too */
    struct og_set_summary mine, other; /* of the two that are compared */
    /* Summaries made for entries that have none: passed to this, if it is not
     * NULL, instead of stored. */
    void *ctx;
    og_status (*on_summary)(void *ctx, uint32_t entry,
                            const struct og_wide_parity *summary,
                            og_error *err);
    uint64_t n_compared;
};

struct og_decider {
    struct og_decide_options options;
    struct og_band_table table;
    struct og_decide_reader reader; /* of the thread that decides */
    struct og_set_summaries summaries;
    struct og_dedup_entry *entries;
    size_t entries_cap;
    struct og_band_filter filter; /* which candidates are worth a comparison */
    struct og_parity_limits limits;
    bool is_full;
    uint64_t n_candidates, n_compared;
    /* For components: receives every similar pair. */
    void *ctx;
    og_status (*on_pair)(void *ctx, uint64_t number,
                         const struct og_dedup_entry *of, double similarity,
                         og_error *err);
    bool (*is_joined)(void *ctx, uint64_t number, uint64_t other);
};

/* Pairs with fewer equal samples are not worth a comparison. */
uint32_t og_decide_least_equal(const struct og_band_design *design,
                               og_measure_kind measure, double threshold);

og_status og_decider_init(struct og_decider *d,
                          const struct og_decide_options *options,
                          struct og_dedup_texts *texts, og_error *err);
void og_decider_release(struct og_decider *d);

/* Begins the next round: forgets the kept documents. */
void og_decider_clear(struct og_decider *d);

/* One document after the other. */
og_status og_decide(struct og_decider *d, const struct og_decide_doc *doc,
                    struct og_verdict *out, og_error *err);

/* The similarity of two documents, also below the threshold. */
og_status og_decide_similarity(struct og_decider *d,
                               const struct og_dedup_entry *a,
                               const struct og_dedup_entry *b, double *out,
                               og_error *err);

/* ---- its parts (lib/dedup/decide_batch.c) ---- */

void og_decide_reader_init(struct og_decide_reader *r,
                           struct og_dedup_texts *texts);
void og_decide_reader_release(struct og_decide_reader *r);

/* Removes those of the candidates in r->hits.met that their summaries rule
 * out. */
og_status og_decide_pass_over(const struct og_decider *d,
                              struct og_decide_reader *r,
                              const struct og_decide_doc *doc, og_error *err);
/* The similarity of two documents; 0: below the threshold. The other one is
 * lent by the texts, or it has a place. */
og_status og_decide_pair(const struct og_decider *d, struct og_decide_reader *r,
                         const struct og_decide_doc *doc,
                         const struct og_decide_doc *other, double *out,
                         og_error *err);
/* Compares with r->hits.hits, in order: the first similar one. */
og_status og_decide_compare(struct og_decider *d, struct og_decide_reader *r,
                            const struct og_decide_doc *doc,
                            struct og_verdict *out, og_error *err);

#endif
