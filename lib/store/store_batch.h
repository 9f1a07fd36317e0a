#ifndef OG_STORE_STORE_BATCH_H
#define OG_STORE_STORE_BATCH_H

/*   in:  consecutive documents, prepared                     (lib/select)
 *   out: their hits; then the store with all of them added  (lib/trace)
 *
 * The writer's steps for a run of documents: those of og_store_add() for one
 * after another, in the phases of lib/table/table_batch.h.
 *
 *     add      the caller, in order: identify it (og_store_batch_add)
 *     label    all threads: hits, labels, entry and record of each
 *     take     the caller, in order: journal, catalogue;
 *              all threads: the table
 *
 * No two documents of a run have the same id: one that has an id again ends the
 * run. So does a late document when hits come from elsewhere. */

#include "lib/remote/remote_batch.h"
#include "lib/store/store.h"
#include "lib/table/table_batch.h"

/* A document of a run. */
struct og_run_doc {
    struct og_subject subject; /* its text is in the store, if it is kept */
    bool is_added;
    struct og_entry entry;
    struct og_pack bytes; /* the entry, then the rest of a record */
    size_t entry_len;
    struct og_pack extra; /* additions that are not those of the selection */
    bool has_met; /* of a shared store: another document since its look-up */
};

struct og_store_batch {
    og_store *store;
    const og_allocator *allocator;
    struct og_table_batch table;
    struct og_remote_batch remote; /* in its place, for a remote table */
    struct og_remote_sharing sharing;
    struct og_run_doc *docs;
    struct og_table_part *parts; /* of each document */
    size_t n, docs_cap, parts_cap;
    uint32_t n_added;
    int64_t latest; /* of the catalogue and the run */
    size_t n_fps;
    bool for_answer;
    /* The caller's: a late document whose id is in the store ends a run. A
     * query may take it for the one that is there, at that one's time. */
    bool repeats_alone;
    bool has_late;  /* documents that are older than one before them */
    bool displaces; /* and some of them take over origins */
    uint64_t lot;   /* og_index_run.lot; the caller's */
    unsigned asked; /* og_index_run.asked; the caller sets it */
    struct og_index_doc *noted; /* for the other indexes */
    size_t noted_cap;
    uint64_t *ids; /* hashes; 0: free */
    size_t n_ids, ids_cap;
    /* The trace of a worker. */
    og_status (*trace_of)(void *ctx, void *worker, og_trace **out,
                          og_error *err);
    void *ctx;
};

void og_store_batch_init(struct og_store_batch *batch, og_store *store);
void og_store_batch_release(struct og_store_batch *batch);

/* Begins a run of at most this many documents. */
og_status og_store_batch_begin(struct og_store_batch *batch, size_t most,
                               og_error *err);

/* Adds a document, which og_store_identify() examined before the run changed
 * anything; its place is corrected. False: it ends the run, and is not in it;
 * if it would be the first, it is processed alone, by og_store_ask() and the
 * rest. */
bool og_store_batch_add(struct og_store_batch *batch,
                        struct og_subject *subject, bool is_added);

/* Which document held a fingerprint when the store had so many documents, all
 * others being those of the run; the table now has `now`. Any thread, until the
 * next run begins. */
uint32_t og_store_batch_holder(const struct og_store_batch *batch, uint64_t fp,
                               uint32_t n_docs, uint32_t now);

/* Looks up, settles, labels. Nothing has changed when it fails. */
og_status og_store_batch_label(struct og_store_batch *batch,
                               const struct og_phases *phases, og_error *err);

/* Adds those that are to be added. After a failure *out_n (of the run) are in.
 * og_store_batch_tidy() follows once their texts are no longer needed. */
og_status og_store_batch_take(struct og_store_batch *batch,
                              const struct og_phases *phases, size_t *out_n,
                              og_error *err);
og_status og_store_batch_tidy(struct og_store_batch *batch,
                              const struct og_phases *phases, og_error *err);

#endif
