#ifndef OG_OS_FILE_H
#define OG_OS_FILE_H

/* Files as streams of bytes: the few calls that need care with signals and
 * with child processes. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Opens for reading, closed on exec. -1 with errno set. */
int og_file_open(const char *path);

/* Whether files with this owner and mode may be written: it is our own, or
 * root's, or writable by a group that we are in and not by everybody; root may
 * write anywhere. */
bool og_file_is_ours(const struct stat *st);

/* A file of our own, inside the folder of a store: never through a link, and
 * only a regular one (else -1 and EINVAL); to write, only one that has no other
 * name (EMLINK), which may be a file of the user's, and that is ours (EPERM).
 * `flags` as for open(2). */
int og_file_open_own(const char *path, int flags, unsigned mode);

/* Whether `path` itself is a link. Folders inside a store are not links. */
bool og_file_is_link(const char *path);

/* read(2) that continues after a signal. Bytes read, 0 at the end, -1. */
ssize_t og_file_read(int fd, void *out, size_t cap);

/* The system's words for an errno, in lower case, so that they end a message:
 * "no such file or directory". Writes into `buffer` and returns it. */
const char *og_file_error_text(int error, char *buffer, size_t cap);

#endif
