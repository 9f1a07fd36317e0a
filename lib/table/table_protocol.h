#ifndef OG_TABLE_TABLE_PROTOCOL_H
#define OG_TABLE_TABLE_PROTOCOL_H

/*   in:  the selections of a batch of documents             (lib/select)
 *   out: their hits; then the table with all of them in     (lib/estimate)
 *
 * The queries and additions of a batch of documents, in three steps, each on
 * all threads, one after the other:
 *
 *     look up   what the table knew before the batch
 *     settle    what the documents of the batch share with each other: where
 *               the table knew nothing, the first document of the batch with
 *               a fingerprint is the origin for those after it
 *     observe   additions, sightings, evictions, in the order of the documents
 *
 * Between settling and observing each document is labelled, on any thread. A
 * table elsewhere can offer the same steps (lib/remote): looking up and
 * observing are its own, settling is that of settle.h.
 *
 * Documents of a batch come in the order of (time, arrival), and after all that
 * the table knows, unless the steps say how to compare holders: then they may
 * be late. A late document takes over what later ones hold, so one fingerprint
 * may have several holders in the course of a batch.
 *
 * As long as no bucket is full at the cap, hits and table are, to the byte,
 * those of documents that come one by one. Beyond that the table that results
 * from a sequence of additions is still the same for any batches and any number
 * of threads (random choices and lessons follow from the additions alone); only
 * a look-up is as old as its batch: it does not see what earlier documents of
 * the batch evicted from a full bucket, nor what they restored with an old
 * origin. */

#include "lib/stream/phases.h"
#include "lib/table/table.h"

/* A document of a batch. */
struct og_table_part {
    const struct og_selection *sel;
    uint32_t doc;  /* its number */
    int64_t time;  /* with the number, its place in the order */
    bool is_asked; /* hits are requested */
    bool is_added; /* it will be observed */
    bool is_apart; /* it is no later than the batch: it shares nothing with
                      it */
    struct og_hit *hits;           /* output: one per selected fingerprint */
    struct og_additions additions; /* before it is observed */
    uint32_t n_new;                /* set then: slots that it filled */
    /* The table's own: what to do in each lane, and with each part of the lines
     * of common fingerprints. NULL: everything, in order. */
    uint32_t *order, *starts;
    uint32_t *line_order, *line_starts;
    uint8_t *is_counted;
    const uint8_t *lost; /* of a remote table: 1 where the fingerprint is
                            missing but may have been there once. NULL: the
                            table can tell */
    uint32_t *places; /* of each that had no hit: in the table of the batch */
    uint64_t *before; /* of a batch with late documents: what held each
                         fingerprint at its turn (settle.h) */
    bool is_settled;
};

/* What a holder is to a document that has its fingerprint: its origin; one that
 * is later, or that was removed, from which it takes over. */
enum og_holding { OG_HOLDING_EARLIER, OG_HOLDING_LATER, OG_HOLDING_REMOVED };

/* More than this, or longer ones, are no batch. */
#define OG_BATCH_PARTS ((size_t)1 << 20)
#define OG_BATCH_FPS   ((size_t)1 << 26)

typedef og_status og_table_part_fn(void *ctx, void *worker,
                                   struct og_table_part *part, og_error *err);

/* Called for each part, on any thread; may be NULL. */
struct og_table_part_steps {
    void *ctx;
    og_table_part_fn *before;  /* before it is looked up */
    og_table_part_fn *found;   /* after the look-up: may drop hits */
    og_table_part_fn *settled; /* sets its additions */
    /* Set when documents of the batch are late: what a document that was in the
     * table before the batch is to a part. Any thread. `found` is NULL then. */
    enum og_holding (*compare)(void *ctx, uint32_t holder,
                               const struct og_table_part *part);
};

struct og_table_protocol {
    void *ctx;
    og_status (*look_up)(void *ctx, const struct og_phases *phases,
                         struct og_table_part *parts, size_t n,
                         const struct og_table_part_steps *steps,
                         og_error *err);
    og_status (*settle)(void *ctx, const struct og_phases *phases,
                        struct og_table_part *parts, size_t n,
                        const struct og_table_part_steps *steps, og_error *err);
    /* Cannot fail half way: look_up reserved what it needs. */
    og_status (*observe)(void *ctx, const struct og_phases *phases,
                         struct og_table_part *parts, size_t n, og_error *err);
};

#endif
