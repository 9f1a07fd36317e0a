#ifndef OG_PARTITION_PARTITION_H
#define OG_PARTITION_PARTITION_H

/*   in:  requests: batches of fingerprints, as bytes     (lib/remote, redis/)
 *   out: replies: the hits of each, as bytes
 *
 * One partition of a table: a table of full size from the start, so that its
 * memory is known when it is created, and additions need no more.
 * <origo/partition.h> describes the format of its requests. */

#include <origo/partition.h>

#include "lib/table/table.h"

struct og_partition {
    og_partition_options options;
    struct og_table table;
    /* Of og_table_len() bytes those already loaded: all of them, except while
     * chunks are being loaded. */
    size_t n_loaded;
};

/* The table of such a partition. */
struct og_table_options
og_partition_table_options(const og_partition_options *options);

/* The slot of a cluster that the key of a partition has. */
unsigned og_partition_slot(uint32_t number, unsigned n_bits);

/* The slot of a cluster that any key has. */
unsigned og_partition_key_slot(og_bytes key);

/* OG_ERR_BUSY while chunks are missing. */
og_status og_partition_check_loaded(const og_partition *partition,
                                    og_error *err);

/* Room for len bytes; what was there may be gone. */
og_status og_partition_bytes_reserve(og_partition_bytes *bytes, size_t len,
                                     og_error *err);

#endif
