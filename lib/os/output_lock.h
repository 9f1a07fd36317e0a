#ifndef OG_OS_OUTPUT_LOCK_H
#define OG_OS_OUTPUT_LOCK_H

/* One writer for an output that takes long to make: an empty file
 * ".NAME.origo-lock" beside it, locked as long as the run lives and removed at
 * its end. A run that was killed leaves the file without the lock, and the next
 * one takes it over. */

#include "lib/base/status.h"

struct og_output_lock {
    int fd; /* -1: none is needed, or not held */
    char *path;
};

/* Nothing to lock where `path` is no file that would be replaced ("-", a
 * device, a pipe), nor on a file system that knows no locks. OG_ERR_IO: another
 * process is writing `path`. */
og_status og_output_lock(struct og_output_lock *lock, const char *path,
                         og_error *err);

/* May be called again, and for a lock of {.fd = -1}. */
void og_output_unlock(struct og_output_lock *lock);

#endif
