#ifndef OG_REMOTE_REMOTE_BATCH_H
#define OG_REMOTE_REMOTE_BATCH_H

/* The protocol (lib/table/table_protocol.h) with a table on servers: a batch is
 * one question to each partition, and one addition. Keeps its memory for the
 * next batch; one for the table's writer. */

#include "lib/base/packing.h"
#include "lib/remote/remote_table.h"
#include "lib/table/settle.h"

struct og_remote_batch {
    const og_allocator *allocator;
    struct og_remote_table *table;
    struct og_settling settling;
    uint32_t n_documents; /* that the caller knows, before the batch */
    struct og_hit *hits;
    uint8_t *lost;
    uint32_t *holders; /* as they were found: some hits are dropped */
    size_t hits_cap, lost_cap, holders_cap;
    struct og_remote_question *questions; /* of each part */
    struct og_remote_document *documents;
    size_t questions_cap, documents_cap;
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
