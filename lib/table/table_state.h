#ifndef OG_TABLE_TABLE_STATE_H
#define OG_TABLE_TABLE_STATE_H

/* What a table knows beside its buckets: counters, the state of its lots, what
 * its eviction has learnt. With the bytes of the buckets it makes the same
 * table again. */

#include "lib/base/packing.h"
#include "lib/table/table.h"

void og_table_state_pack(const struct og_table *table, struct og_pack *out);

/* Into a table of the same options. False: these are no such bytes. */
bool og_table_state_unpack(struct og_table *table, struct og_unpacker *from);

#endif
