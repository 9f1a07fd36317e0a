#ifndef OG_OS_NEW_FILE_H
#define OG_OS_NEW_FILE_H

/* A file that appears whole or not at all: written under a name of its own
 * beside the target, synced, then renamed over it. Whoever reads the target
 * sees the old bytes or the new ones, also after a crash. */

#include <stdint.h>

#include "lib/base/status.h"

struct og_new_file {
    int fd; /* -1: not open */
    char *path, *temp_path;
    uint64_t len;    /* written so far */
    uint64_t pushed; /* so much of it was said to be ready for the disk */
    og_status status;
    unsigned char *buffer; /* what was not yet given to the system */
    size_t buffer_len;
};

/* Creates the temporary file, with the rights `mode` cut by the umask. The
 * message names `path`. After a failure there is nothing to close. */
og_status og_new_file_open(struct og_new_file *file, const char *path,
                           unsigned mode, og_error *err);

/* All of it or a status; after the first failure every call fails. */
og_status og_new_file_write(struct og_new_file *file, const void *data,
                            size_t len, og_error *err);

/* Gives all of it to the system, so that the descriptor can be read back. */
og_status og_new_file_flush(struct og_new_file *file, og_error *err);

/* A hint that what was written may go to the disk by now, so that the sync at
 * the end of a long file does not have all of it before it. */
void og_new_file_push(struct og_new_file *file);

/* Sync, rename, sync of the folder. On failure the temporary file is gone and
 * the target is as it was. */
og_status og_new_file_commit(struct og_new_file *file, og_error *err);

/* Removes the temporary file. Does nothing after a commit, so that it may
 * stand at the end of every path. */
void og_new_file_discard(struct og_new_file *file);

/* "cannot write 'x': no space left on device", for the errno at hand. */
og_status og_file_failure(og_error *err, const char *verb, const char *path,
                          int error);

/* write(2) until all is written; 0, or -1 with errno. */
int og_file_write_all(int fd, const void *data, size_t len);

/* pread(2) until all is there or the file ends; bytes read, or -1. */
int64_t og_file_read_at(int fd, void *out, size_t len, uint64_t off);

/* Makes the names in a folder durable; `path` is a file in it. 0 or -1. */
int og_file_sync_folder(const char *path);

#endif
