#ifndef OG_SYNC_SYNC_RECEIVE_H
#define OG_SYNC_SYNC_RECEIVE_H

/* What the files of the receiver share: sync_receive.c (the course of a
 * session), sync_known.c (what the receiver has), sync_spans.c (which bytes are
 * missing), sync_pieces.c (small pieces in old files), sync_assemble.c (new
 * files). */

#include "lib/chunk/known.h"
#include "lib/sync/sync.h"
#include "lib/sync/sync_target.h"

#include <origo/files.h>

#define OG_SYNC_HOLE UINT32_MAX

/* A stretch of a new file. */
struct og_span_of_file {
    uint64_t off, len; /* in the old file; for a hole, its length in the end */
    uint32_t file;     /* OG_SYNC_HOLE: unknown */
    uint8_t level;     /* of a hole: that of its node */
};

struct og_sync_object {
    size_t entry; /* in the list; SIZE_MAX: the list itself */
    uint64_t len;
    struct og_span_of_file *spans;
    size_t n, cap;
    bool is_wrong;    /* it was assembled and its root does not match */
    bool is_finished; /* nothing to do in this round */
};

struct og_sync_old {
    char *path;
    uint64_t len;
    uint8_t root[OG_SYNC_ROOT_LEN];
};

struct og_receiver {
    struct og_wire *wire;
    const char *tree;
    const og_sync_options *options;
    const og_allocator *allocator;
    og_sync_counts *counts;
    struct og_sync_target target;
    og_cut_options cut; /* the sender's */
    uint32_t fine_len;
    uint64_t n_new_chunks;
    uint64_t list_len;
    uint8_t list_root[OG_SYNC_ROOT_LEN];
    size_t hash_len;
    /* What the receiver has. Old file 0 is the list of the old tree. */
    struct og_sync_list old_list;
    struct og_pack old_packed;
    struct og_sync_old *olds;
    size_t n_olds, olds_cap;
    struct og_chunk_place *places; /* until the length of hashes is agreed on */
    size_t n_places, places_cap;
    struct og_known_chunks known, roots;
    struct og_known_chunks pieces; /* of the current stretch */
    int old_fd;                    /* of the last old file read, or -1 */
    uint32_t old_fd_file;
    uint8_t *window; /* bytes of it from window_off on */
    size_t window_cap, window_len;
    uint64_t window_off;
    /* The new tree. */
    struct og_sync_list list;
    struct og_pack list_packed;
    uint8_t *is_wanted, *arrived; /* of each entry */
    struct og_sync_object *objects;
    size_t n_objects, objects_cap;
    uint64_t n_spans, n_bits, n_failed;
    struct og_pack message;
};

static inline og_status og_sync_nonsense(og_error *err, const char *what)
{
    return og_error_set(err, OG_ERR_INPUT, "the other side sends nonsense: %s",
                        what);
}

/* ---- known content: sync_known.c ---- */

/* Finds the chunks of all files of the tree, and of the parts of a broken
 * session. */
og_status og_sync_known_scan(struct og_receiver *r, og_error *err);
/* Builds the keys with the agreed length. */
og_status og_sync_known_build(struct og_receiver *r, og_error *err);
/* Adds a file to copy from; takes the path. NULL: there was no memory. */
og_status og_sync_known_add(struct og_receiver *r, char *path,
                            const struct og_chunk_tree *tree, og_error *err);

/* ---- missing bytes: sync_spans.c ---- */

/* `place` NULL: a hole of the level. */
og_status og_sync_span_add(struct og_receiver *r, struct og_sync_object *o,
                           const struct og_chunk_place *place, unsigned level,
                           og_error *err);
/* The messages about the objects of a batch, from hashes to holes. */
og_status og_sync_spans_receive(struct og_receiver *r, og_error *err);
/* The lengths of the holes. */
og_status og_sync_holes_receive(struct og_receiver *r, og_error *err);

/* ---- */

/* Bytes of an old file. OG_ERR_INPUT if it was truncated. */
og_status og_sync_read_old(struct og_receiver *r, uint32_t file, uint64_t off,
                           size_t len, uint8_t *out, og_error *err);

/* Fills r->pieces with the pieces of the old bytes at the position of the hole
 * spans[i] of the object. */
og_status og_sync_pieces_find(struct og_receiver *r,
                              const struct og_sync_object *o,
                              const struct og_span_of_file *spans, size_t n,
                              size_t i, og_error *err);

/* Reads the bytes of the holes of all objects off the wire and writes every
 * object: the list to list_packed, a file to its part. Sets is_wrong and
 * arrived. Reads everything even if a file turns out wrong. */
og_status og_sync_assemble(struct og_receiver *r, og_error *err);

#endif
