#ifndef OG_SYNC_SYNC_TREE_H
#define OG_SYNC_SYNC_TREE_H

/*   in:  a tree of files                         (lib/chunk/chunk_tree.h)
 *   out: its list: path, kind, mode, time, length and root of each file
 *
 * The list is serialised, sorted by path, and sent like any other file: cut
 * into chunks, so that equal parts of it are not sent. */

#include "lib/base/packing.h"
#include "lib/chunk/chunk_tree.h"

#include <origo/files.h>

enum { OG_SYNC_ROOT_LEN = 16 }; /* of a root, in the list */

/* The folder for incomplete files in the receiver's tree. */
#define OG_SYNC_PARTS ".origo-parts"

enum og_sync_kind { OG_SYNC_FILE = 1, OG_SYNC_FOLDER = 2, OG_SYNC_LINK = 3 };

struct og_sync_entry {
    char *path; /* relative to the tree, no dots, no slash at its ends */
    char *link; /* the target of a link; NULL */
    enum og_sync_kind kind;
    uint32_t mode; /* the nine bits */
    int64_t mtime; /* seconds */
    uint64_t len;
    uint8_t root[OG_SYNC_ROOT_LEN];
};

struct og_sync_list {
    struct og_sync_entry *entries; /* sorted by path, bytewise */
    size_t n, cap;
    const og_allocator *allocator;
};
void og_sync_list_release(struct og_sync_list *list);

/* Reads every file below `tree`. A missing tree is an empty list if `may_miss`.
 * `on_tree` (may be NULL) receives the chunks of each file. */
typedef og_status (*og_sync_on_tree)(void *ctx, size_t entry,
                                     const struct og_chunk_tree *tree,
                                     og_error *err);
og_status og_sync_list_scan(struct og_sync_list *list, const char *tree,
                            bool may_miss, const og_cut_options *cut,
                            unsigned n_threads, og_sync_on_tree on_tree,
                            void *ctx, og_error *err);

/* Only the names, without reading the files; a missing folder has none. */
og_status og_sync_list_names(struct og_sync_list *list, const char *tree,
                             og_error *err);

/* Serialises and parses. Parsing checks every path: og_sync_path_is_safe(). */
void og_sync_list_pack(const struct og_sync_list *list, struct og_pack *out);
og_status og_sync_list_parse(struct og_sync_list *list, const uint8_t *data,
                             size_t len, og_error *err);

/* No "", no "/" at the front or the end, no ".", "..", no empty name, no NUL,
 * not in OG_SYNC_PARTS: a path that stays in its tree. */
bool og_sync_path_is_safe(const char *path, size_t len);

/* The entry with this path, or SIZE_MAX. */
size_t og_sync_list_find(const struct og_sync_list *list, const char *path);

/* "tree/path", for og_name_release(); one of them may be "". NULL: no memory.
 */
char *og_sync_join(const og_allocator *a, const char *tree, const char *path);

#endif
