#ifndef OG_SOURCE_WALK_H
#define OG_SOURCE_WALK_H

/*   in:  the paths of a user: files, folders, "-"; a list of further paths
 *   out: files, one at a time, in a fixed order        (lib/source/source.c)
 *
 * The files of a folder come in the byte order of their names, subfolders in
 * their place among them. Of a folder's entries only regular files are read,
 * and none whose name begins with a dot; a link to a file is a file; a link to
 * a folder is reported and not followed, so no loop can arise. A path that the
 * user names is always read, be it a link, a pipe or a hidden file. */

#include "lib/source/file_list.h"

enum og_walk_kind {
    OG_WALK_FILE,
    OG_WALK_STDIN,
    OG_WALK_FAILED, /* a folder, or the list, that cannot be read; `error` is
                       the errno */
    OG_WALK_LINK,   /* to a folder */
};

struct og_walk_entry {
    enum og_walk_kind kind;
    const char *path; /* valid until the next og_walk_next() */
    int error;
};

/* A folder that is being walked. */
struct og_walk_folder {
    char *names; /* one after another, each zero-terminated */
    size_t names_len, names_cap;
    const char **sorted;
    size_t n_names, sorted_cap, next;
    size_t path_len; /* of the folder, with its slash */
};

struct og_walk {
    const og_allocator *allocator;
    const char *const *paths;
    size_t n_paths, next_path;
    char *path;
    size_t path_cap;
    struct og_walk_folder *folders; /* from the one that the user named down to
                                       the deepest */
    size_t n_folders, folders_cap;
    struct og_file_list list;
};

void og_walk_init(struct og_walk *walk, const char *const *paths,
                  size_t n_paths, const og_allocator *allocator);
void og_walk_release(struct og_walk *walk);

/* Adds the paths that a list names, after the others (file_list.h). `name` must
 * outlive the walk; "-" is stdin, NULL: no list. */
void og_walk_take_list(struct og_walk *walk, const char *name);

/* OG_END after the last; OG_ERR_MEMORY. */
og_status og_walk_next(struct og_walk *walk, struct og_walk_entry *out,
                       og_error *err);

#endif
