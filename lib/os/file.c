#define _GNU_SOURCE
#include "lib/os/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int og_file_open(const char *path)
{
    int fd;
    do {
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    } while (fd < 0 && errno == EINTR);
    /* A hint: files are read once, from the front. Pipes refuse it. */
    if (fd >= 0) (void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return fd;
}

static bool is_in_group(gid_t group)
{
    enum { MOST = 1024 };
    gid_t groups[MOST];
    if (group == getegid()) return true;
    const int n = getgroups(MOST, groups);
    for (int i = 0; i < n; i++)
        if (groups[i] == group) return true;
    return false;
}

bool og_file_is_ours(const struct stat *st)
{
    const uid_t us = geteuid();
    if (us == 0 || st->st_uid == us || st->st_uid == 0) return true;
    return (st->st_mode & S_IWGRP) != 0 && (st->st_mode & S_IWOTH) == 0 &&
           is_in_group(st->st_gid);
}

int og_file_open_own(const char *path, int flags, unsigned mode)
{
    struct stat st;
    int fd;
    do {
        fd = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY,
                  mode);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) return fd;
    const bool is_known = fstat(fd, &st) == 0;
    const bool writes = (flags & O_ACCMODE) != O_RDONLY;
    const bool is_plain = is_known && S_ISREG(st.st_mode);
    const bool has_one_name = is_plain && st.st_nlink <= 1;
    if (is_plain && (!writes || (has_one_name && og_file_is_ours(&st))))
        return fd;
    close(fd);
    errno = !is_plain ? EINVAL : !has_one_name ? EMLINK : EPERM;
    return -1;
}

bool og_file_is_link(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

ssize_t og_file_read(int fd, void *out, size_t cap)
{
    ssize_t n;
    do {
        n = read(fd, out, cap);
    } while (n < 0 && errno == EINTR);
    return n;
}

const char *og_file_error_text(int error, char *buffer, size_t cap)
{
    /* The GNU form may answer with a string of its own. */
    const char *text = strerror_r(error, buffer, cap);
    if (text != buffer) snprintf(buffer, cap, "%s", text);
    /* "I/O error" and the like stay as they are. */
    if (cap > 1 && islower((unsigned char)buffer[1]))
        buffer[0] = (char)tolower((unsigned char)buffer[0]);
    return buffer;
}
