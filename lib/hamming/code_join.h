#ifndef OG_HAMMING_CODE_JOIN_H
#define OG_HAMMING_CODE_JOIN_H

/* Parts of a join, as text:
 *
 *     #origo hamming-join 1 bits=64 distance=3 queries=SUM shard=2/4
 *     query id<TAB>id<TAB>distance
 *     ...
 *     #end 17 pairs of a file of 4711 bytes, sum SUM
 *
 * A join without shards writes only the pairs. Ids are written as they were
 * read, except for control characters, which could control a terminal: those
 * become "\\u001b". */

#include "lib/base/packing.h"
#include "lib/os/new_file.h"

struct og_part_head {
    unsigned n_bits, max_distance;
    uint64_t questions; /* checksum of the queries */
    uint32_t shard, n_shards;
    bool is_part;
    uint64_t file; /* bytes of the whole file; in the last line */
};

struct og_part_writer {
    struct og_part_head head;
    struct og_new_file file; /* if there is a path */
    bool to_stdout;
    uint64_t n_pairs, sum;
    struct og_pack shown[2]; /* ids with control characters, escaped */
};

/* `path` NULL or "-": stdout. */
og_status og_part_writer_open(struct og_part_writer *writer, const char *path,
                              const struct og_part_head *head, og_error *err);
og_status og_part_writer_pair(struct og_part_writer *writer, og_bytes question,
                              og_bytes id, unsigned distance, og_error *err);
/* End or drop it, once. */
og_status og_part_writer_end(struct og_part_writer *writer, og_error *err);
void og_part_writer_drop(struct og_part_writer *writer);

#endif
