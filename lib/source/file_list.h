#ifndef OG_SOURCE_FILE_LIST_H
#define OG_SOURCE_FILE_LIST_H

/*   in:  a file that names files, or "-" for stdin
 *   out: the paths, one at a time                      (lib/source/walk.h)
 *
 * Each path is on a line of its own; empty lines are skipped. If there is a
 * zero byte in the first 64 KiB, paths end with zeros (`find -print0`), and a
 * newline is an ordinary character. Paths are bytes: they need not be UTF-8.
 * The list is read as needed, so it may have any length. */

#include "lib/base/memory.h"

/* No system accepts a longer path. */
#define OG_FILE_LIST_PATH_MAX ((size_t)32 << 10)

struct og_file_list {
    const og_allocator *allocator;
    const char *name; /* of the list itself */
    int fd;           /* -1: not open */
    bool is_open;     /* og_file_list_next() opens it the first time */
    bool is_ended;
    char separator;
    char *data; /* read but not yet returned: begin .. end */
    size_t begin, end, cap;
};

/* `name` must outlive it; NULL is an empty list. */
void og_file_list_init(struct og_file_list *list, const char *name,
                       const og_allocator *allocator);
void og_file_list_release(struct og_file_list *list);

/* The next path, zero-terminated and valid until the next call. OG_END after
 * the last. A list that cannot be read, or a path that is too long, gives
 * *out_path NULL and an errno, once, and then ends. */
og_status og_file_list_next(struct og_file_list *list, const char **out_path,
                            int *out_errno, og_error *err);

#endif
