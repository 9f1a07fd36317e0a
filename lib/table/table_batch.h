#ifndef OG_TABLE_TABLE_BATCH_H
#define OG_TABLE_TABLE_BATCH_H

/* The protocol with a table of this process (table_protocol.h). */

#include "lib/table/settle.h"

/* Keeps its memory for the next batch; one for the table's writer. */
struct og_table_batch {
    const og_allocator *allocator;
    struct og_table *table;
    struct og_hit *hits;
    size_t hits_cap;
    struct og_settling settling;
    uint32_t *order, *starts, *n_new;
    size_t order_cap, starts_cap, n_new_cap;
    uint8_t *is_counted;
    size_t counted_cap;
    struct og_lane *lanes;
    size_t n_lanes, lanes_cap;
    size_t *pieces; /* the first part of each */
    size_t n_pieces, pieces_cap;
};

void og_table_batch_init(struct og_table_batch *batch, struct og_table *table,
                         const og_allocator *allocator);
void og_table_batch_release(struct og_table_batch *batch);
struct og_table_protocol og_table_batch_protocol(struct og_table_batch *batch);

#endif
