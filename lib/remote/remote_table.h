#ifndef OG_REMOTE_REMOTE_TABLE_H
#define OG_REMOTE_REMOTE_TABLE_H

/*   in:  fingerprints of documents                          (lib/select)
 *   out: hits; and the remote table with them added        (lib/estimate)
 *
 * A table whose partitions are on servers (redis/, docs/cluster.md). Beside
 * them there is a hash under the key "origo:{TAG}:NAME":
 *
 *     catalogue   the store whose documents its numbers name
 *     documents   of them, how many the table has
 *     bits, memory, layout, evict, slots, offset, near   of the partitions
 *     mode        plain: there are no partitions, but a key for each
 *                 fingerprint (plain_table.h)
 *     ttl, fingerprints, evicted   of a plain table: seconds that its keys
 *                 live; those that were set, about; 1 once its servers have
 *                 evicted keys
 *
 * Numbers of documents are meaningful in one catalogue only, so a table belongs
 * to one. The number of documents in the hash is written after they were added:
 * a front end that finds fewer there than in the catalogue adds the rest again,
 * which does no harm to those already added. */

#include "lib/remote/table_address.h"
#include "lib/table/table.h"

struct og_remote_table;

struct og_remote_options {
    const char *address;
    uint8_t catalogue[16];         /* its uuid */
    bool is_made;                  /* if it does not exist */
    struct og_table_options table; /* its required parameters; memory: of a new
                                      one, all partitions together */
};

/* OG_ERR_NO_STORE: there is none. OG_ERR_USAGE: it belongs to another
 * catalogue, or has other parameters. Otherwise as og_redis_client_run(). */
og_status og_remote_table_open(const struct og_remote_options *options,
                               const og_allocator *allocator,
                               struct og_remote_table **out, og_error *err);
void og_remote_table_close(struct og_remote_table *table); /* NULL is fine */

/* The number when it was opened, or of the last og_remote_table_note(). */
uint32_t og_remote_table_documents(const struct og_remote_table *table);
uint64_t og_remote_table_memory(const struct og_remote_table *table);
const char *og_remote_table_name(const struct og_remote_table *table);
/* A table without buckets with the same equality of fingerprints. */
const struct og_table *og_remote_table_shape(const struct og_remote_table *t);

/* Any thread. */
struct og_remote_question {
    const uint64_t *fps;
    size_t n;
    struct og_hit *hits; /* output */
    uint8_t *lost;       /* output: 1 where a fingerprint is missing but may
                            have been there once; may be NULL */
};
/* Hits of documents from `n_documents` on are dropped: the caller does not know
 * them yet. */
og_status og_remote_table_find(struct og_remote_table *table,
                               const struct og_remote_question *questions,
                               size_t n, uint32_t n_documents, og_error *err);

/* The writer's. */
struct og_remote_document {
    const struct og_additions *additions; /* its `earlier` is not called: */
    const uint32_t *reversed; /* documents for which the numbers are not the
                                 order; ascending. With `before`: those that
                                 come after this one */
    size_t n_reversed;
    bool is_seen;   /* not added: its fingerprints were seen again */
    uint32_t n_new; /* output */
    /* For several front ends that add at once: output, the holder of each
     * fingerprint just before this document was added. Only listed holders are
     * displaced. NULL: this one adds alone, and its look-up is still valid. All
     * documents of a call have it, or none. */
    struct og_hit *before;
};
og_status og_remote_table_observe(struct og_remote_table *table,
                                  struct og_remote_document *documents,
                                  size_t n, og_error *err);
/* Records that all documents below `n` are in the table. */
og_status og_remote_table_note(struct og_remote_table *table, uint32_t n,
                               og_error *err);

struct og_remote_counts {
    uint64_t n_slots, n_used, n_evicted, n_bytes;
    /* Of partitions: where they are, how full the emptiest and the fullest
     * are. */
    uint64_t n_partitions, n_servers;
    double least_full, most_full;
};
og_status og_remote_table_count(struct og_remote_table *table,
                                struct og_remote_counts *out, og_error *err);

/* Sorts them and removes duplicates. Returns their number. */
size_t og_numbers_unique(uint32_t *numbers, size_t n);

/* Of the documents that hold the fingerprints of `doc` now (OG_NO_DOC: none),
 * those whose order is not that of the numbers. */
struct og_pack;
og_status og_remote_reversed(const uint32_t *holders, size_t n,
                             const struct og_additions *additions,
                             struct og_pack *out, size_t *out_n, og_error *err);

#endif
