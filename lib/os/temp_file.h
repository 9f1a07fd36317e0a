#ifndef OG_OS_TEMP_FILE_H
#define OG_OS_TEMP_FILE_H

/* Files for one run. A temporary file has no name: it is gone with the
 * process, however that ends. A part file stands under the name of its target
 * with ".part" behind it until it is whole, so that a run that was stopped can
 * go on with it. */

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

/* In `folder`. -1 with the story in err. */
int og_temp_file_open(const char *folder, og_error *err);

/* The folder that `path` stands in, to be freed with free(); NULL: no memory.
 */
char *og_folder_of(const char *path);

struct og_part_file {
    int fd; /* -1: not open */
    bool is_stdout;
    char *path, *part_path;
    char *buffer;
    size_t buffer_len;
    uint64_t len; /* written, the buffer included */
    og_status status;
};

/* "-" is stdout, which is written as it comes. An old part file is emptied,
 * or with `goes_on` kept up to `len` bytes (OG_ERR_INPUT: it has less). */
og_status og_part_file_open(struct og_part_file *file, const char *path,
                            bool goes_on, uint64_t len, og_error *err);
og_status og_part_file_write(struct og_part_file *file, const void *data,
                             size_t len, og_error *err);
/* Gives all of it to the system; with `is_durable` it is on the disk then. */
og_status og_part_file_flush(struct og_part_file *file, bool is_durable,
                             og_error *err);
/* Sync, rename, sync of the folder. */
og_status og_part_file_commit(struct og_part_file *file, og_error *err);
/* Closes it; `is_kept` leaves the part for a run that goes on. Nothing after
 * a commit. */
void og_part_file_close(struct og_part_file *file, bool is_kept);

#endif
