/* Temporary and part files; temp_file.h tells. */

#define _GNU_SOURCE
#include "lib/os/temp_file.h"

#include "lib/os/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_LEN = 1 << 18 };

/* ---- without a name ---- */

int og_temp_file_open(const char *folder, og_error *err)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0) return fd;
    /* A file system that knows no files without a name. */
    char *path;
    if (asprintf(&path, "%s/.origo-XXXXXX", folder) < 0) {
        og_error_memory(err, strlen(folder), "a file name");
        return -1;
    }
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    else
        og_file_failure(err, "write a temporary file in", folder, errno);
    free(path);
    return fd;
}

char *og_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) return strdup(".");
    const size_t len = slash == path ? 1 : (size_t)(slash - path);
    char *folder = malloc(len + 1);
    if (folder == NULL) return NULL;
    memcpy(folder, path, len);
    folder[len] = '\0';
    return folder;
}

/* ---- parts ---- */

static void forget(struct og_part_file *f)
{
    if (f->fd >= 0 && !f->is_stdout) close(f->fd);
    free(f->path);
    free(f->part_path);
    free(f->buffer);
    *f = (struct og_part_file){.fd = -1, .status = OG_ERR_IO};
}

/* A run that was killed between the names of two outputs left one of them
 * finished. Its bytes are a part again, and the run goes on from there. */
static void take_back(const struct og_part_file *f, uint64_t len)
{
    struct stat st;
    if (access(f->part_path, F_OK) == 0 || stat(f->path, &st) != 0) return;
    if (S_ISREG(st.st_mode) && (uint64_t)st.st_size >= len)
        (void)rename(f->path, f->part_path);
}

static og_status open_part(struct og_part_file *f, bool goes_on, uint64_t len,
                           og_error *err)
{
    struct stat st;
    if (goes_on) take_back(f, len);
    if (stat(f->path, &st) == 0 && S_ISDIR(st.st_mode))
        return og_file_failure(err, "write", f->path, EISDIR);
    f->fd = open(f->part_path,
                 O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW |
                     (goes_on ? 0 : O_TRUNC),
                 0666);
    if (f->fd < 0) return og_file_failure(err, "write", f->path, errno);
    if (!goes_on) return OG_OK;
    if (fstat(f->fd, &st) != 0 || (uint64_t)st.st_size < len)
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s' has fewer bytes than its journal says",
                            f->part_path);
    if (ftruncate(f->fd, (off_t)len) != 0 ||
        lseek(f->fd, (off_t)len, SEEK_SET) < 0)
        return og_file_failure(err, "write", f->part_path, errno);
    f->len = len;
    return OG_OK;
}

og_status og_part_file_open(struct og_part_file *f, const char *path,
                            bool goes_on, uint64_t len, og_error *err)
{
    *f = (struct og_part_file){.fd = -1, .is_stdout = strcmp(path, "-") == 0};
    f->path = strdup(path);
    f->buffer = malloc(BUFFER_LEN);
    if (f->path == NULL || f->buffer == NULL ||
        asprintf(&f->part_path, "%s.part", path) < 0) {
        f->part_path = NULL;
        forget(f);
        return og_error_memory(err, BUFFER_LEN, "a file");
    }
    if (f->is_stdout) {
        f->fd = STDOUT_FILENO;
        return OG_OK;
    }
    const og_status status = open_part(f, goes_on, len, err);
    if (status != OG_OK) forget(f);
    return status;
}

static og_status write_through(struct og_part_file *f, const void *data,
                               size_t len, og_error *err)
{
    if (og_file_write_all(f->fd, data, len) == 0) return OG_OK;
    f->status = OG_ERR_IO;
    return og_file_failure(err, "write", f->path, errno);
}

og_status og_part_file_flush(struct og_part_file *f, bool is_durable,
                             og_error *err)
{
    const size_t len = f->buffer_len;
    f->buffer_len = 0;
    if (len > 0) TRY(write_through(f, f->buffer, len, err));
    if (is_durable && !f->is_stdout && fdatasync(f->fd) != 0)
        return og_file_failure(err, "write", f->path, errno);
    return OG_OK;
}

og_status og_part_file_write(struct og_part_file *f, const void *data,
                             size_t len, og_error *err)
{
    if (f->status != OG_OK)
        return og_error_set(err, f->status, "cannot write '%s'", f->path);
    if (f->buffer_len + len > BUFFER_LEN)
        TRY(og_part_file_flush(f, false, err));
    if (len >= BUFFER_LEN) {
        TRY(write_through(f, data, len, err));
    } else if (len > 0) {
        memcpy(f->buffer + f->buffer_len, data, len);
        f->buffer_len += len;
    }
    f->len += len;
    return OG_OK;
}

og_status og_part_file_commit(struct og_part_file *f, og_error *err)
{
    og_status status =
        f->status == OG_OK ? og_part_file_flush(f, false, err) : f->status;
    if (status == OG_OK && !f->is_stdout &&
        (fsync(f->fd) != 0 || rename(f->part_path, f->path) != 0 ||
         og_file_sync_folder(f->path) != 0))
        status = og_file_failure(err, "write", f->path, errno);
    if (status != OG_OK)
        og_part_file_close(f, false);
    else
        forget(f);
    return status;
}

void og_part_file_close(struct og_part_file *f, bool is_kept)
{
    if (f->fd < 0) return;
    if (!is_kept && !f->is_stdout) unlink(f->part_path);
    forget(f);
}
