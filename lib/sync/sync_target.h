#ifndef OG_SYNC_SYNC_TARGET_H
#define OG_SYNC_SYNC_TARGET_H

/*   in:  files that have arrived, by their roots
 *   out: the receiver's tree, changed all at once at the end
 *
 * New files are written in OG_SYNC_PARTS, a folder in the tree, under the hex
 * digits of their roots. They get their names once every file has arrived, so
 * that old files can be copied from until then. Parts left by a broken
 * connection are read by the next receive as old content. No step follows a
 * link: a hostile path cannot lead out of the tree. */

#include "lib/sync/sync_tree.h"

struct og_sync_target {
    const char *tree;
    int tree_fd, parts_fd; /* -1: not there */
    bool sync_each;        /* few files: each is synced instead of the file
                              system */
};

/* Opens the tree, creates it and its parts folder if `create`. */
og_status og_sync_target_open(struct og_sync_target *target, const char *tree,
                              bool create, og_error *err);
void og_sync_target_close(struct og_sync_target *target);

/* The root's digits, a dash, the number of the entry. */
enum { OG_SYNC_PART_NAME = 2 * OG_SYNC_ROOT_LEN + 24 };
void og_sync_part_name(const uint8_t root[OG_SYNC_ROOT_LEN], size_t entry,
                       char out[OG_SYNC_PART_NAME]);

/* A new part, empty, for writing and reading. */
og_status og_sync_part_open(struct og_sync_target *target, const char *name,
                            int *out_fd, og_error *err);
void og_sync_part_remove(struct og_sync_target *target, const char *name);

/* Makes everything written durable: the parts before they get their names, the
 * names before the peer is told that all is done. Many files are synced by one
 * call for the whole file system, few one by one; `n_parts` decides for
 * both. */
og_status og_sync_target_flush(struct og_sync_target *target, size_t n_parts,
                               og_error *err);

/* Gives an arrived file its permissions, time and name. `part` is NULL for
 * folders and links, and for a file whose bytes are already right. */
og_status og_sync_target_publish(struct og_sync_target *target,
                                 const struct og_sync_entry *entry,
                                 const char *part, og_error *err);

/* Removes a file, a link or an empty folder; it need not exist. */
og_status og_sync_target_remove(struct og_sync_target *target,
                                const struct og_sync_entry *entry,
                                og_error *err);

/* At the end of a successful session. */
void og_sync_target_remove_parts(struct og_sync_target *target);

#endif
