#ifndef OG_TABLE_TABLE_STATE_H
#define OG_TABLE_TABLE_STATE_H

/* The state of a table beside the og_table_len() bytes of its buckets:
 * counters, the state of its random generator, what its eviction has learned;
 * above level 0 also the lines that count common fingerprints. Both restore the
 * same table. */

#include "lib/base/packing.h"
#include "lib/table/table.h"

void og_table_state_pack(const struct og_table *table, struct og_pack *out);

/* Into a table of the same options and level. False: the bytes are invalid. */
bool og_table_state_unpack(struct og_table *table, struct og_unpacker *from);

/* Whether buckets of a table at its full size that somebody else has filled are
 * valid: then no operation accesses memory outside. False: *out_bucket is the
 * first invalid one, or n_buckets if their number of used slots is not
 * n_used. */
bool og_table_is_valid(const struct og_table *table, uint64_t *out_bucket);

/* The buckets of a table above level 0, without the slots that are not used:
 *
 *     level 4 | used slots of each bucket, 2 each |
 *     of each bucket: tags | states | payloads
 */
void og_table_buckets_pack(const struct og_table *table, struct og_pack *out);
size_t og_table_buckets_packed_len(const struct og_table *table);

/* Into a new table of the same options, on its first level. */
bool og_table_buckets_unpack(struct og_table *table, struct og_unpacker *from);

#endif
