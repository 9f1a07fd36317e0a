#ifndef OG_REMOTE_REMOTE_BATCH_H
#define OG_REMOTE_REMOTE_BATCH_H

/* The protocol (lib/table/table_protocol.h) with a table on servers: a batch is
 * one look-up in each partition, and one addition. Keeps its memory for the
 * next batch; one for the table's writer. */

#include "lib/base/packing.h"
#include "lib/remote/remote_table.h"
#include "lib/table/settle.h"

/* For a table to which other front ends add at the same time. The results of
 * the look-up may be outdated when the batch is observed; so the answer
 * contains what each document found, and if that is another document than in
 * the look-up, the store is informed:
 *
 *     it comes before this one   it is its origin: the hit is corrected
 *     it comes after it          it is displaced, by another observation
 *
 * So in the end the earliest document has a fingerprint, whichever came
 * first. */
struct og_remote_sharing {
    void *ctx;
    /* From now on the order of these documents must be known. */
    og_status (*know)(void *ctx, const uint32_t *numbers, size_t n,
                      og_error *err);
    /* Part `part` has met one more document, at one fingerprint. */
    void (*meet)(void *ctx, size_t part, uint32_t number);
};

struct og_remote_batch {
    const og_allocator *allocator;
    struct og_remote_table *table;
    const struct og_remote_sharing *sharing; /* NULL: this one adds alone */
    struct og_settling settling;
    uint32_t n_documents; /* known to the caller before the batch */
    struct og_hit *hits;
    uint8_t *lost;
    uint32_t *holders; /* as found in the look-up: some hits are dropped */
    size_t hits_cap, lost_cap, holders_cap;
    struct og_remote_question *questions; /* of each part */
    struct og_remote_document *documents;
    size_t *members; /* the part of each of the documents */
    size_t questions_cap, documents_cap, members_cap;
    struct og_hit *before; /* with `sharing` */
    size_t before_cap;
    bool *is_again; /* the part is observed again */
    size_t again_cap;
    struct og_pack met;      /* numbers */
    struct og_pack reversed; /* of all documents of the batch */
    struct og_pack list;     /* of one */
};

void og_remote_batch_init(struct og_remote_batch *batch,
                          struct og_remote_table *table,
                          const og_allocator *allocator);
void og_remote_batch_release(struct og_remote_batch *batch);
/* Set n_documents before each batch. */
struct og_table_protocol
og_remote_batch_protocol(struct og_remote_batch *batch);

#endif
