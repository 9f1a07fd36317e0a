/* Between a command and the disk (LD_PRELOAD): logs every change of files below
 * SHIM_ROOT, with its bytes, and can make the n-th of them fail.
 *
 *     SHIM_ROOT   the folder that is watched (and all below it)
 *     SHIM_LOG    what happened, for tests/crash/power.py; unset: nothing
 *     SHIM_FAIL   N:WHAT[:stay]  the N-th change fails with WHAT (enospc, eio,
 *                 or short: half of the bytes are written, the next change
 *                 fails with ENOSPC); with stay, all after it too
 *     SHIM_KILL   N: the process kills itself after the N-th change
 *     SHIM_COUNT  a file that gets the number of changes at the end
 *
 * A change is: open that creates or empties, write, ftruncate, fsync, rename,
 * unlink, mkdir. Calls inside the C library cannot be intercepted: stdio is
 * not, except fflush(stdout), by which a line is acknowledged, and which is
 * logged as such. Nor are stores to maps, of which there are none (except
 * LMDB's lock.mdb, which the first process to open it recreates).
 *
 * A record of the log: op 1 | flags 1 | path length 2 | fd's file 4 | off 8 |
 * length 4 | path | bytes, in the order of the machine. One lock is held while
 * a change is made and logged, so the order of the log is the order of the
 * changes. */

/* Both names of each call are given below. */
#undef _FILE_OFFSET_BITS
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum op {
    OP_CREATE = 'c', /* path, file */
    OP_EMPTY = 'e',  /* file */
    OP_WRITE = 'w',  /* file, off, bytes; flags 1: synced by itself */
    OP_CUT = 't',    /* file, off */
    OP_SYNC = 's',   /* file */
    OP_SYNC_DIR = 'd',
    OP_RENAME = 'r', /* path, bytes: the new one */
    OP_UNLINK = 'u',
    OP_MKDIR = 'm',
    OP_ACK = 'a',
};

enum { N_FDS = 1024 };

struct watched {
    uint32_t file; /* 0: not watched */
    bool is_dir, is_synced;
    char path[PATH_MAX];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct watched *fds; /* N_FDS */
static char root[PATH_MAX];
static size_t root_len;
static int log_fd = -1;
static uint64_t n_changes, fail_at, kill_at;
static int fail_with;
static bool fails_short, fails_on, has_failed;
static bool is_ready;

#define REAL(name)               real_##name
#define DECLARE(type, name, ...) static type (*REAL(name))(__VA_ARGS__)
DECLARE(int, open, const char *, int, ...);
DECLARE(int, openat, int, const char *, int, ...);
DECLARE(int, close, int);
DECLARE(ssize_t, write, int, const void *, size_t);
DECLARE(ssize_t, pwrite, int, const void *, size_t, off_t);
DECLARE(ssize_t, writev, int, const struct iovec *, int);
DECLARE(ssize_t, pwritev, int, const struct iovec *, int, off_t);
DECLARE(int, ftruncate, int, off_t);
DECLARE(int, fsync, int);
DECLARE(int, fdatasync, int);
DECLARE(int, rename, const char *, const char *);
DECLARE(int, unlink, const char *);
DECLARE(int, mkdir, const char *, mode_t);
DECLARE(int, fflush, FILE *);

static void find_all(void)
{
#define FIND(name) *(void **)&REAL(name) = dlsym(RTLD_NEXT, #name)
    FIND(open);
    FIND(openat);
    FIND(close);
    FIND(write);
    FIND(pwrite);
    FIND(writev);
    FIND(pwritev);
    FIND(ftruncate);
    FIND(fsync);
    FIND(fdatasync);
    FIND(rename);
    FIND(unlink);
    FIND(mkdir);
    FIND(fflush);
}

static void parse_fail(const char *s)
{
    char *end;
    if (s == NULL) return;
    fail_at = strtoull(s, &end, 10);
    fails_short = strncmp(end, ":short", 6) == 0;
    fail_with = strncmp(end, ":eio", 4) == 0 ? EIO : ENOSPC;
    fails_on = strstr(end, ":stay") != NULL;
}

static void set_up(void)
{
    if (is_ready) return;
    find_all();
    const char *path = getenv("SHIM_ROOT");
    fds = calloc(N_FDS, sizeof(*fds));
    if (path != NULL) {
        snprintf(root, sizeof(root), "%s", path);
        root_len = strlen(root);
    }
    if (getenv("SHIM_LOG") != NULL)
        log_fd = REAL(open)(getenv("SHIM_LOG"),
                            O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    parse_fail(getenv("SHIM_FAIL"));
    if (getenv("SHIM_KILL") != NULL)
        kill_at = strtoull(getenv("SHIM_KILL"), NULL, 10);
    is_ready = true;
}

__attribute__((constructor)) static void begin(void)
{
    set_up();
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("SHIM_COUNT");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file == NULL) return;
    fprintf(file, "%llu\n", (unsigned long long)n_changes);
    fclose(file);
}

/* ---- the log ---- */

static void put(enum op op, unsigned flags, uint32_t file, uint64_t off,
                const char *path, const struct iovec *parts, int n_parts,
                size_t len)
{
    uint8_t head[20] = {(uint8_t)op, (uint8_t)flags};
    const uint16_t path_len = (uint16_t)strlen(path);
    uint32_t left = (uint32_t)len;
    if (log_fd < 0) return;
    memcpy(head + 2, &path_len, 2);
    memcpy(head + 4, &file, 4);
    memcpy(head + 8, &off, 8);
    memcpy(head + 16, &left, 4);
    if (REAL(write)(log_fd, head, sizeof(head)) != sizeof(head) ||
        REAL(write)(log_fd, path, path_len) != path_len)
        abort();
    for (int i = 0; i < n_parts && left > 0; i++) {
        const size_t n = parts[i].iov_len < left ? parts[i].iov_len : left;
        if (REAL(write)(log_fd, parts[i].iov_base, n) != (ssize_t)n) abort();
        left -= (uint32_t)n;
    }
}

static bool is_below(const char *path)
{
    return root_len > 0 && strncmp(path, root, root_len) == 0 &&
           (path[root_len] == '/' || path[root_len] == 0);
}

/* ---- failures ---- */

enum verdict { GO_ON, FAIL, HALF };

static enum verdict next_change(void)
{
    n_changes++;
    if (fail_at == 0) return GO_ON;
    if (has_failed && fails_on) {
        errno = fail_with;
        return FAIL;
    }
    if (n_changes < fail_at || has_failed) return GO_ON;
    if (fails_short && n_changes == fail_at) return HALF;
    has_failed = true;
    errno = fail_with;
    return FAIL;
}

#define LOCK() pthread_mutex_lock(&lock)

/* What was changed is written down by now. */
static void let_go(void)
{
    if (kill_at > 0 && n_changes >= kill_at) raise(SIGKILL);
    pthread_mutex_unlock(&lock);
}
#define UNLOCK() let_go()

/* ---- names ---- */

static int note_open(int fd, const char *path, int flags, bool was_there)
{
    if (fd < 0 || fd >= N_FDS) return fd;
    struct watched *w = &fds[fd];
    struct stat st;
    fstat(fd, &st);
    snprintf(w->path, sizeof(w->path), "%s", path);
    w->is_dir = S_ISDIR(st.st_mode);
    w->is_synced = (flags & (O_DSYNC | O_SYNC)) != 0;
    /* The same under every name, descriptor and process. */
    w->file = w->is_dir ? UINT32_MAX : (uint32_t)st.st_ino;
    if ((flags & O_CREAT) != 0 && !was_there)
        put(OP_CREATE, 0, w->file, 0, path, NULL, 0, 0);
    else if ((flags & O_TRUNC) != 0)
        put(OP_EMPTY, 0, w->file, 0, path, NULL, 0, 0);
    return fd;
}

static int watched_open(const char *path, int flags, mode_t mode)
{
    struct stat st;
    const bool was_there = stat(path, &st) == 0;
    const bool changes =
        (flags & O_TRUNC) != 0 || ((flags & O_CREAT) != 0 && !was_there);
    LOCK();
    int fd = -1;
    if (!changes || next_change() == GO_ON) {
        fd = REAL(open)(path, flags, mode);
        note_open(fd, path, flags, was_there);
    } else if (errno == 0) {
        errno = ENOSPC;
    }
    const int error = errno;
    UNLOCK();
    errno = error;
    return fd;
}

EXPORT int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(args, mode_t) : 0;
    va_end(args);
    set_up();
    if (!is_below(path)) return REAL(open)(path, flags, mode);
    return watched_open(path, flags, mode);
}

EXPORT int open64(const char *path, int flags, ...)
    __attribute__((alias("open")));

EXPORT int openat(int folder, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(args, mode_t) : 0;
    va_end(args);
    set_up();
    if (!is_below(path)) return REAL(openat)(folder, path, flags, mode);
    return watched_open(path, flags, mode);
}

EXPORT int close(int fd)
{
    set_up();
    LOCK();
    if (fd >= 0 && fd < N_FDS) fds[fd].file = 0;
    UNLOCK();
    return REAL(close)(fd);
}

EXPORT int rename(const char *from, const char *to)
{
    set_up();
    if (!is_below(from)) return REAL(rename)(from, to);
    LOCK();
    const struct iovec name = {(void *)(uintptr_t)to, strlen(to)};
    int result = -1;
    if (next_change() == GO_ON) {
        result = REAL(rename)(from, to);
        if (result == 0) put(OP_RENAME, 0, 0, 0, from, &name, 1, name.iov_len);
    }
    const int error = errno;
    UNLOCK();
    errno = error;
    return result;
}

static int change_name(const char *path, enum op op, mode_t mode)
{
    LOCK();
    int result = -1;
    /* Taking a name away needs no room. */
    if (op == OP_UNLINK || next_change() == GO_ON) {
        result = op == OP_UNLINK ? REAL(unlink)(path) : REAL(mkdir)(path, mode);
        if (result == 0) put(op, 0, 0, 0, path, NULL, 0, 0);
    }
    const int error = errno;
    UNLOCK();
    errno = error;
    return result;
}

EXPORT int unlink(const char *path)
{
    set_up();
    return is_below(path) ? change_name(path, OP_UNLINK, 0)
                          : REAL(unlink)(path);
}

EXPORT int mkdir(const char *path, mode_t mode)
{
    set_up();
    struct stat st;
    if (!is_below(path) || stat(path, &st) == 0) return REAL(mkdir)(path, mode);
    return change_name(path, OP_MKDIR, mode);
}

/* ---- bytes ---- */

static struct watched *watched(int fd)
{
    set_up();
    if (fd < 0 || fd >= N_FDS || fds[fd].file == 0) return NULL;
    return &fds[fd];
}

static size_t sum_of(const struct iovec *parts, int n)
{
    size_t len = 0;
    for (int i = 0; i < n; i++)
        len += parts[i].iov_len;
    return len;
}

/* off -1: at the descriptor's own place. */
static ssize_t write_parts(int fd, const struct watched *w,
                           const struct iovec *parts, int n, off_t off)
{
    ssize_t done = -1;
    LOCK();
    const off_t at = off >= 0 ? off : lseek(fd, 0, SEEK_CUR);
    const enum verdict verdict = next_change();
    if (verdict == GO_ON) {
        done = off >= 0 ? REAL(pwritev)(fd, parts, n, off)
                        : REAL(writev)(fd, parts, n);
    } else if (verdict == HALF) {
        const size_t half = (parts[0].iov_len + 1) / 2;
        done = off >= 0 ? REAL(pwrite)(fd, parts[0].iov_base, half, off)
                        : REAL(write)(fd, parts[0].iov_base, half);
        fails_short = false;
        fail_at++;
    }
    if (done > 0)
        put(OP_WRITE, w->is_synced, w->file, (uint64_t)at, w->path, parts, n,
            (size_t)done);
    const int error = errno;
    UNLOCK();
    errno = error;
    return done;
}

EXPORT ssize_t write(int fd, const void *data, size_t len)
{
    const struct watched *w = watched(fd);
    const struct iovec part = {(void *)(uintptr_t)data, len};
    return w == NULL ? REAL(write)(fd, data, len)
                     : write_parts(fd, w, &part, 1, -1);
}

EXPORT ssize_t pwrite(int fd, const void *data, size_t len, off_t off)
{
    const struct watched *w = watched(fd);
    const struct iovec part = {(void *)(uintptr_t)data, len};
    return w == NULL ? REAL(pwrite)(fd, data, len, off)
                     : write_parts(fd, w, &part, 1, off);
}

EXPORT ssize_t pwrite64(int fd, const void *data, size_t len, off_t off)
    __attribute__((alias("pwrite")));

EXPORT ssize_t writev(int fd, const struct iovec *parts, int n)
{
    const struct watched *w = watched(fd);
    return w == NULL || sum_of(parts, n) == 0
               ? REAL(writev)(fd, parts, n)
               : write_parts(fd, w, parts, n, -1);
}

EXPORT ssize_t pwritev(int fd, const struct iovec *parts, int n, off_t off)
{
    const struct watched *w = watched(fd);
    return w == NULL || sum_of(parts, n) == 0
               ? REAL(pwritev)(fd, parts, n, off)
               : write_parts(fd, w, parts, n, off);
}

EXPORT ssize_t pwritev64(int fd, const struct iovec *parts, int n, off_t off)
    __attribute__((alias("pwritev")));

EXPORT int ftruncate(int fd, off_t len)
{
    const struct watched *w = watched(fd);
    if (w == NULL) return REAL(ftruncate)(fd, len);
    LOCK();
    int result = -1;
    if (next_change() == GO_ON) {
        result = REAL(ftruncate)(fd, len);
        if (result == 0)
            put(OP_CUT, 0, w->file, (uint64_t)len, w->path, NULL, 0, 0);
    }
    const int error = errno;
    UNLOCK();
    errno = error;
    return result;
}

EXPORT int ftruncate64(int fd, off_t len) __attribute__((alias("ftruncate")));

/* A sync that fails has done nothing. */
static int sync_file(int fd, const struct watched *w)
{
    LOCK();
    int result = -1;
    const enum verdict verdict = next_change();
    if (verdict == GO_ON) {
        /* The log is the disk: the real one need not be waited for. */
        result = 0;
        put(w->is_dir ? OP_SYNC_DIR : OP_SYNC, 0, w->file, 0, w->path, NULL, 0,
            0);
    } else if (verdict == HALF) {
        errno = EIO;
    }
    const int error = errno;
    UNLOCK();
    (void)fd;
    errno = error;
    return result;
}

EXPORT int fsync(int fd)
{
    const struct watched *w = watched(fd);
    return w == NULL ? REAL(fsync)(fd) : sync_file(fd, w);
}

EXPORT int fdatasync(int fd)
{
    const struct watched *w = watched(fd);
    return w == NULL ? REAL(fdatasync)(fd) : sync_file(fd, w);
}

/* ---- what was acknowledged ---- */

EXPORT int fflush(FILE *file)
{
    set_up();
    const int result = REAL(fflush)(file);
    if (file == stdout && result == 0) {
        LOCK();
        put(OP_ACK, 0, 0, 0, "", NULL, 0, 0);
        UNLOCK();
    }
    return result;
}
