#ifndef OG_REMOTE_REMOTE_CATALOGUE_H
#define OG_REMOTE_REMOTE_CATALOGUE_H

/*   in:  entries and texts of documents, as bytes           (lib/store)
 *   out: the same, by number and by id                      (lib/store)
 *
 * The documents of a table, as keys of the servers that keep its partitions, so
 * that any number of front ends share them. NAME is that of the table; tags
 * spread the keys over the slots of a cluster.
 *
 *     origo:{TAG}:NAME              hash; besides the fields in remote_table.h:
 *                                     conf    the store's conf (conf.h)
 *                                     next    numbers of documents assigned
 *                                     count   documents that were committed
 *                                     texts   numbers of blobs assigned
 *     origo:{TAG}:NAME:{l}          sorted set of one: the latest time
 *     origo:{TAG}:NAME:{i}:ID       the number of the latest document with it
 *     origo:{TAG}:NAME:{d}:NUMBER   hash: e, the entry; s, it is in the table;
 *                                   r, it was removed
 *     origo:{TAG}:NAME:{c}:NUMBER   sorted set: who copied from the document
 *     origo:{TAG}:NAME:{v}:NUMBER   sorted set: its later versions
 *     origo:{TAG}:NAME:{t}:NUMBER   a blob: frames of packed texts
 *     origo:{TAG}:NAME:{r}:NUMBER   a log (remote_log.h): what was removed
 *
 * Numbers are assigned in blocks. Those of a front end that has gone are
 * unused, as are those that it did not need: no document has them.
 *
 * Repeated writes do no harm. Data read are untrusted: the caller checks their
 * content. Any thread. */

#include "lib/remote/table_address.h"

struct og_pack;
struct og_remote_catalogue;

/* Connects to nothing yet. OG_ERR_USAGE: it is not an address. */
og_status og_remote_catalogue_open(const char *address,
                                   const og_allocator *allocator,
                                   struct og_remote_catalogue **out,
                                   og_error *err);
void og_remote_catalogue_close(struct og_remote_catalogue *catalogue);
const char *og_remote_catalogue_name(const struct og_remote_catalogue *c);

/* The conf of the store: `offered` if there is none yet (len 0: nothing is
 * offered). If several front ends offer one at once, one of them wins for all.
 * *out is empty if there is none. */
og_status og_remote_catalogue_conf(struct og_remote_catalogue *catalogue,
                                   og_bytes offered, struct og_pack *out,
                                   og_error *err);

/* The same for another field of the head. */
og_status og_remote_catalogue_field(struct og_remote_catalogue *catalogue,
                                    const char *field, og_bytes offered,
                                    struct og_pack *out, og_error *err);

/* OG_ERR_USAGE: the table exists, and belongs to a catalogue elsewhere. */
og_status og_remote_catalogue_check_free(struct og_remote_catalogue *catalogue,
                                         og_error *err);

/* ---- numbers ---- */

struct og_remote_numbers {
    uint32_t first; /* of the block */
    int64_t latest; /* time of all documents; INT64_MIN: none */
};
/* A block of n numbers. OG_ERR_LIMIT: there are no more. */
og_status og_remote_catalogue_reserve(struct og_remote_catalogue *catalogue,
                                      uint32_t n, struct og_remote_numbers *out,
                                      og_error *err);
/* How many were assigned: all documents have a smaller one; and the number of
 * documents. */
struct og_remote_tally {
    uint32_t n_numbers;
    uint64_t n_documents;
};
og_status og_remote_catalogue_count(struct og_remote_catalogue *catalogue,
                                    struct og_remote_tally *out, og_error *err);

/* ---- ids ---- */

struct og_remote_id {
    og_bytes id;
    uint32_t number; /* to assign; OG_NO_DOC: only a look-up */
    uint32_t found;  /* output: its previous number; OG_NO_DOC: none */
};
/* Assigns numbers to ids that have none, exclusively. */
og_status og_remote_catalogue_claim(struct og_remote_catalogue *catalogue,
                                    struct og_remote_id *ids, size_t n,
                                    og_error *err);

/* ---- documents ---- */

struct og_remote_entry {
    uint32_t number;
    og_bytes id;
    bool sets_id;   /* from now on it is the latest document with its id */
    og_bytes entry; /* len 0: it already exists */
    const uint32_t *origins; /* it copied from these */
    size_t n_origins;
    bool is_version; /* of the document `series` */
    uint32_t series;
};
og_status og_remote_catalogue_put(struct og_remote_catalogue *catalogue,
                                  const struct og_remote_entry *entries,
                                  size_t n, og_error *err);

/* The table has these documents; the latest of them has this time. */
og_status og_remote_catalogue_commit(struct og_remote_catalogue *catalogue,
                                     const uint32_t *numbers, size_t n,
                                     int64_t latest, og_error *err);

/* What else the servers say of a document. */
#define OG_REMOTE_COMMITTED 1u
#define OG_REMOTE_REMOVED   2u
/* Entry i of the requested numbers; empty: none. A view. */
typedef og_status og_remote_entry_fn(void *ctx, size_t i, og_bytes entry,
                                     unsigned state, og_error *err);
og_status og_remote_catalogue_get(struct og_remote_catalogue *catalogue,
                                  const uint32_t *numbers, size_t n,
                                  og_remote_entry_fn *fn, void *ctx,
                                  og_error *err);

/* The documents that named `origin`, those with the smallest numbers first, at
 * most `max`. */
og_status og_remote_catalogue_copiers(struct og_remote_catalogue *catalogue,
                                      uint32_t origin, size_t max,
                                      uint32_t *out, size_t *out_n,
                                      og_error *err);

/* The same for the later versions of a document. */
og_status og_remote_catalogue_versions(struct og_remote_catalogue *catalogue,
                                       uint32_t series, size_t max,
                                       uint32_t *out, size_t *out_n,
                                       og_error *err);

/* ---- removing: remote_removal.c ---- */

/* It counts as removed from now on. */
og_status og_remote_catalogue_remove(struct og_remote_catalogue *catalogue,
                                     uint32_t number, og_error *err);
/* Nothing else is left of a removed document: `entry` is there instead of its
 * own, and its id is free. */
og_status og_remote_catalogue_purge(struct og_remote_catalogue *catalogue,
                                    uint32_t number, og_bytes id,
                                    og_bytes entry, og_error *err);
/* Bytes of a blob, unless they changed meanwhile: both are equally long. */
og_status og_remote_catalogue_change_text(struct og_remote_catalogue *catalogue,
                                          uint32_t number, uint64_t off,
                                          og_bytes before, og_bytes after,
                                          bool *out_is_done, og_error *err);

/* ---- texts ---- */

/* A new blob. */
og_status og_remote_catalogue_put_text(struct og_remote_catalogue *catalogue,
                                       og_bytes bytes, uint32_t *out_number,
                                       og_error *err);
/* At most `len` bytes of it from `off` on, as many as exist, into `out`. */
og_status og_remote_catalogue_get_text(struct og_remote_catalogue *catalogue,
                                       uint32_t number, uint64_t off, void *out,
                                       size_t len, size_t *out_len,
                                       og_error *err);

/* ---- replies, for tests ---- */

struct og_resp;
struct og_resp_item;
/* The number of a document in decimal digits. False: it is not one. */
bool og_remote_read_number(const struct og_resp_item *item, uint32_t *out);
/* An entry from a reply to HMGET. False: it is not such a reply. */
bool og_remote_read_entry(const struct og_resp *reply, og_bytes *out_entry,
                          unsigned *out_state);

#endif
