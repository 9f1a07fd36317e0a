#ifndef OG_OS_OUTPUT_LOCK_H
#define OG_OS_OUTPUT_LOCK_H

/* One writer for an output that takes long to make: an empty file
 * ".NAME.origo-lock" beside it, locked as long as the run lives and removed at
 * its end. A killed run leaves the file without the lock, and the next one
 * takes it over. */

#include "lib/base/status.h"

struct og_output_lock {
    int fd; /* -1: not needed, or not held */
    char *path;
};

/* Locks nothing if `path` is not a file that would be replaced ("-", a device,
 * a pipe), or on a file system without locks. OG_ERR_BUSY: another process is
 * writing `path`. */
og_status og_output_lock(struct og_output_lock *lock, const char *path,
                         og_error *err);

/* May be called again, and for a lock of {.fd = -1}. */
void og_output_unlock(struct og_output_lock *lock);

#endif
