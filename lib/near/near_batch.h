#ifndef OG_NEAR_NEAR_BATCH_H
#define OG_NEAR_NEAR_BATCH_H

/*   in:  consecutive documents                               (lib/index)
 *   out: what is near each; the index with all of them added (lib/index)
 *
 * og_near_find() and og_near_add() for one document after another, in phases on
 * all threads:
 *
 *     sketch   a document: its sketch
 *     share    if there is a log: the run goes to its end, and what others have
 *              added before it comes to the index
 *     link     a band: the earlier documents of the run in the same bucket
 *     ask      a document: what is near it, in the index as it was before the
 *              run and among the earlier ones of the run
 *     grow     a band: chained again, when the index gets more buckets
 *     in order: entries that an earlier document of the run evicted are not
 *              reported; matches are kept longer; each gets its place in the
 *              index
 *     chain    a band: all additions and evictions
 *
 * The answers are the same as one by one. Only where more than OG_NEAR_MOST_MET
 * are in one bucket, those that the run evicts still count among them. */

#include "lib/base/arena.h"
#include "lib/near/near_engine.h"
#include "lib/stream/phases.h"

/* What a piece uses of its thread. */
struct og_near_thread {
    struct og_near_asker *asker;
    struct og_arena *arena; /* for what the run keeps */
    struct og_near_scope scope;
};

/* Which document matched: as in struct og_near_met. */
struct og_near_ref {
    uint32_t entry, document;
};

struct og_near_batch_doc {
    og_bytes text;
    uint32_t number; /* of the store; UINT32_MAX: it is not added */
    /* Out: in the arenas of the threads. */
    const uint8_t *sketch;
    struct og_near_ref *refs; /* of the matches, until it is settled */
    og_near_match *matches;
    size_t n_matches;
    uint32_t place; /* in the index, if it was added */
};

struct og_near_batch {
    const struct og_phases *phases;
    void *ctx;
    /* For document i of the run. */
    og_status (*thread_of)(void *ctx, void *worker, size_t i,
                           struct og_near_thread *out, og_error *err);
    const og_near_query *query; /* NULL: no queries */
    struct og_near_batch_doc *docs;
    size_t n, docs_cap;
    /* Of each document and band. */
    uint32_t *buckets;
    uint32_t *before; /* the previous one there, from 1 on; 0: none */
    size_t buckets_cap, before_cap;
    uint32_t *newest; /* of each band: a table of buckets */
    size_t newest_cap, n_newest;
    struct og_near_move *moves;
    uint8_t *moved; /* their sketches */
    size_t n_moves, moves_cap, moved_cap;
    og_near *near;
};

void og_near_batch_release(struct og_near_batch *run);

/* Reserves room for n documents, to be filled in. */
og_status og_near_batch_begin(struct og_near_batch *run, size_t n,
                              og_error *err);
/* After a failure nothing was added. */
og_status og_near_batch_take(struct og_near_batch *run, og_near *near,
                             og_error *err);

#endif
