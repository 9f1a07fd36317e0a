#ifndef OG_OS_NEW_FILE_H
#define OG_OS_NEW_FILE_H

/* A file that appears whole or not at all: written under a name of its own
 * beside the target, synced, then renamed over it. Whoever reads the target
 * sees the old bytes or the new ones, also after a crash.
 *
 * Files of our own (in the folder of a store) are opened with
 * og_new_file_open(), which never follows a link. What a user names as an
 * output is opened with og_output_open(): links are followed, and a file that
 * is not regular (a device, a named pipe) is written in place, never
 * replaced. */

#include <stdint.h>

#include "lib/base/status.h"

#include <origo/output.h>

struct og_packer;

struct og_new_file {
    int fd; /* -1: not open */
    char *path;
    char *temp_path; /* NULL: written in place */
    int copy_to;     /* set if written in place, after everything was written;
                        -1: none */
    uint64_t len; /* written so far; of a resumed file, only whether it is 0 is
                     reliable */
    uint64_t file_len;        /* part of that passed to the system; as packed */
    struct og_packer *packer; /* NULL: uncompressed */
    uint64_t pushed; /* up to here the system was asked to start writing to
                        disk */
    og_status status;
    unsigned char *buffer; /* not yet passed to the system */
    size_t buffer_len;
};

/* Creates the temporary file, with the rights `mode` cut by the umask. The
 * message names `path`. After a failure there is nothing to close. */
og_status og_new_file_open(struct og_new_file *file, const char *path,
                           unsigned mode, og_error *err);

/* The same for an output named by a user; "-" is stdout. With `reads_back` the
 * descriptor can be read before the commit: output for a pipe is collected in a
 * temporary file. */
og_status og_output_open(struct og_new_file *file, const char *path,
                         bool reads_back, og_error *err);
/* The same, and only the owner may read the file. */
og_status og_output_open_private(struct og_new_file *file, const char *path,
                                 og_error *err);

/* An output that an interrupted run can resume: "PATH.part" until the
 * commit. */
enum og_part_state {
    OG_PART_NEW,    /* OG_ERR_IO if there is a file of that name, which is not
                       ours */
    OG_PART_OURS,   /* of a run without a result: truncated */
    OG_PART_RESUMED /* kept up to `len` bytes; OG_ERR_INPUT: it is shorter */
};
og_status og_output_open_part(struct og_new_file *file, const char *path,
                              enum og_part_state state, uint64_t len,
                              og_error *err);

/* From now on, before anything was written, the output is compressed;
 * OG_PACKING_AUTO: as the name `path` says. On failure the file is closed and
 * removed. */
og_status og_new_file_pack(struct og_new_file *file, og_packing packing,
                           const char *path, og_error *err);

/* The target of the links at `path`, for free(); NULL with errno. It need not
 * exist. *out_in_place: it is not a file that could be replaced. */
char *og_output_target(const char *path, bool *out_in_place);

/* Everything or a status; after the first failure every call fails. */
og_status og_new_file_write(struct og_new_file *file, const void *data,
                            size_t len, og_error *err);

/* Passes everything to the system, so that the descriptor can be read back. */
og_status og_new_file_flush(struct og_new_file *file, og_error *err);

/* Makes it durable as well: the first `file_len` bytes, at which the file may
 * be truncated and resumed. */
og_status og_new_file_sync(struct og_new_file *file, og_error *err);

/* A hint that the output so far may be written to disk, so that the sync at the
 * end of a long file does not have to write all of it. */
void og_new_file_push(struct og_new_file *file);

/* Sync, rename, sync of the folder. On failure the temporary file is gone and
 * the target is as it was. */
og_status og_new_file_commit(struct og_new_file *file, og_error *err);

/* Removes the temporary file. No effect after a commit, so that it may be
 * called at the end of every path. */
void og_new_file_discard(struct og_new_file *file);

/* Whether a name is one that og_new_file_open() gives until the commit. */
bool og_new_file_is_leftover(const char *name);

/* Closes it and keeps the temporary file, for a run that will be resumed. */
void og_new_file_leave(struct og_new_file *file);

/* "cannot write 'x': no space left on device", for the current errno. */
og_status og_file_failure(og_error *err, const char *verb, const char *path,
                          int error);

/* write(2) until everything is written; 0, or -1 with errno. */
int og_file_write_all(int fd, const void *data, size_t len);

/* pread(2) until everything is read or the file ends; bytes read, or -1. */
int64_t og_file_read_at(int fd, void *out, size_t len, uint64_t off);

/* pwrite(2) until everything is written; 0, or -1 with errno. */
int og_file_write_at(int fd, const void *data, size_t len, uint64_t off);

/* Makes the names in a folder durable; `path` is a file in it. 0 or -1. */
int og_file_sync_folder(const char *path);

#endif
