/* The lock of an output. The file is removed while the lock is held, so a
 * process that obtains a lock checks whether the name still refers to the file
 * that it locked. */

#define _GNU_SOURCE
#include "lib/os/output_lock.h"

#include "lib/os/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_TRIES = 100 };

static char *lock_path(const char *target)
{
    char *path;
    const char *slash = strrchr(target, '/');
    const int folder_len = slash == NULL ? 0 : (int)(slash - target) + 1;
    if (asprintf(&path, "%.*s.%.200s.origo-lock", folder_len, target,
                 target + folder_len) < 0)
        return NULL;
    return path;
}

/* An empty file, or it is not ours. */
static bool is_ours(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0;
}

static bool is_still_there(int fd, const char *path)
{
    struct stat mine, there;
    return fstat(fd, &mine) == 0 && lstat(path, &there) == 0 &&
           mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

static bool knows_no_locks(int error)
{
    return error == ENOLCK || error == EOPNOTSUPP || error == ENOSYS ||
           error == EINVAL;
}

/* OG_END: the name was reassigned meanwhile, try again. */
static og_status try_lock(struct og_output_lock *lock, const char *target,
                          og_error *err)
{
    lock->fd =
        open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
             0666);
    if (lock->fd < 0) return og_file_failure(err, "write", target, errno);
    if (!is_ours(lock->fd))
        return og_error_set(err, OG_ERR_IO,
                            "'%s' is in the way: a lock would be an empty file",
                            lock->path);
    if (flock(lock->fd, LOCK_EX | LOCK_NB) != 0 && !knows_no_locks(errno))
        return errno == EWOULDBLOCK
                   ? og_error_set(err, OG_ERR_BUSY,
                                  "another process is writing '%s'", target)
                   : og_file_failure(err, "lock", lock->path, errno);
    return is_still_there(lock->fd, lock->path) ? OG_OK : OG_END;
}

static void forget(struct og_output_lock *lock)
{
    if (lock->fd >= 0) close(lock->fd);
    free(lock->path);
    *lock = (struct og_output_lock){.fd = -1};
}

og_status og_output_lock(struct og_output_lock *lock, const char *path,
                         og_error *err)
{
    bool in_place;
    *lock = (struct og_output_lock){.fd = -1};
    char *target = og_output_target(path, &in_place);
    if (target == NULL) return og_file_failure(err, "write", path, errno);
    if (in_place) {
        free(target);
        return OG_OK;
    }
    lock->path = lock_path(target);
    og_status status = lock->path != NULL
                           ? OG_END
                           : og_error_memory(err, strlen(target), "a lock");
    for (int i = 0; status == OG_END && i < MOST_TRIES; i++) {
        if (lock->fd >= 0) close(lock->fd);
        status = try_lock(lock, target, err);
    }
    if (status == OG_END)
        status = og_file_failure(err, "lock", lock->path, EAGAIN);
    if (status != OG_OK) forget(lock);
    free(target);
    return status;
}

void og_output_unlock(struct og_output_lock *lock)
{
    if (lock->fd >= 0 && is_ours(lock->fd)) unlink(lock->path);
    forget(lock);
}
