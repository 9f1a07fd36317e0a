#ifndef OG_DEDUP_DECIDE_BATCH_H
#define OG_DEDUP_DECIDE_BATCH_H

/*   in:  the documents of a batch, with their sketches    (lib/dedup)
 *   out: for each, the result of og_decide(), one after the other
 *
 * For stars only. A batch has the same content for any number of threads and
 * goes through five phases:
 *
 *     group   any thread: which of its documents share a band with an earlier
 *             one of the same batch
 *     look    all threads, document by document: candidates in the table as it
 *             was before the batch are compared; the first similar one counts
 *     try     all threads: documents without one are compared with the first of
 *             the batch that shares a band with them, which may be kept or not
 *     next    one thread, in order: the result so far, or a comparison with
 *             those of the batch that were kept before; kept documents get a
 *             number
 *     add     all threads, band by band: those that were kept
 *
 * A document is a copy of the first kept document that is similar to it.
 * Everything that was in the table before the batch precedes what the batch
 * adds: so a match of the look phase is final, and only documents without one
 * are compared with others of their batch. Full bands count as they would one
 * by one. */

#include "lib/dedup/dedup_decide.h"

struct og_summary_note; /* a summary made in the look phase */
struct og_pair_note;    /* a comparison made in the try phase */

/* The result of the look phase for one document. */
struct og_decide_look {
    struct og_verdict verdict; /* kept, or a copy */
    uint64_t n_met, n_compared;
    const struct og_summary_note *notes;
    const struct og_wide_parity *mine; /* its own, if it was made */
    const struct og_pair_note *pairs;
};

/* The state of one thread. */
struct og_decide_thread {
    struct og_decide_reader reader;
    struct og_arena arena; /* of summaries, until the batch is done */
    uint64_t batch;        /* the batch that they belong to */
    struct og_decide_look *look;
};

struct og_decide_batch {
    struct og_decider *decider;
    uint64_t number;         /* of the batch, from 1 */
    size_t n;                /* documents */
    const uint32_t *leaders; /* [document][band]; NULL: no sketches */
    struct og_decide_look *looks;
    uint16_t *found; /* [document][band]: in the table */
    size_t looks_cap, found_cap;
    /* Documents of the batch that were kept: entries after the table's last. */
    struct og_band_new *kept;
    uint32_t *doc_of; /* by kept document: its number in the batch */
    size_t n_kept, kept_cap, doc_of_cap;
    /* By [leader][band]: how many of the group are in the band, and the last;
     * the previous one, by [kept][band]. Counted from 1. */
    uint32_t *n_in, *last, *before;
    size_t n_in_cap, last_cap, before_cap;
};

/* The first document of the batch with the same samples, for each of `n`
 * sketches and each band: out[document * n_bands + band]. `slots` is scratch.
 */
struct og_group_scratch {
    uint32_t *slots;
    size_t slots_cap;
};
og_status og_decide_group(const struct og_band_design *design,
                          const uint8_t *const *sketches, size_t n,
                          struct og_group_scratch *scratch, uint32_t *out,
                          og_error *err);

og_status og_decide_thread_init(struct og_decide_thread *thread,
                                const struct og_dedup_texts *texts,
                                size_t memory, og_error *err);
void og_decide_thread_release(struct og_decide_thread *thread);

void og_decide_batch_release(struct og_decide_batch *batch);

/* Begins a batch: `leaders` are from og_decide_group() and must remain valid
 * until it is done. */
og_status og_decide_batch_begin(struct og_decide_batch *batch, size_t n,
                                const uint32_t *leaders, og_error *err);
/* Any thread, each document once. Its number and place are not needed. */
og_status og_decide_batch_look(struct og_decide_batch *batch,
                               struct og_decide_thread *thread, size_t at,
                               const struct og_decide_doc *doc, og_error *err);
/* Any thread, each document once, after all looks. `docs` are those of the
 * batch, which the texts lend under their numbers. */
og_status og_decide_batch_try(struct og_decide_batch *batch,
                              struct og_decide_thread *thread, size_t at,
                              const struct og_decide_doc *docs, og_error *err);
/* In order. decider->reader.hits.found says how many were met in each band. */
og_status og_decide_batch_next(struct og_decide_batch *batch, size_t at,
                               const struct og_decide_doc *doc,
                               struct og_verdict *out, og_error *err);
/* Any thread, each band once; then the batch is done. */
og_status og_decide_batch_add(struct og_decide_batch *batch, uint32_t band,
                              og_error *err);
void og_decide_batch_end(struct og_decide_batch *batch);

#endif
