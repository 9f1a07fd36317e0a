/* Files that appear whole or not at all.
 *
 * The order is what matters: write, fsync of the file, rename, fsync of the
 * folder. Without the first sync a crash can leave the new name with none of
 * its bytes; without the second the rename itself may be lost. Writes are
 * gathered, so that a delta of ten thousand small pieces costs few calls. */

#define _GNU_SOURCE
#include "lib/os/new_file.h"

#include "lib/os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_LEN = 1 << 16, PUSH_LEN = 16 << 20, MOST_TRIES = 100 };

og_status og_file_failure(og_error *err, const char *verb, const char *path,
                          int error)
{
    char text[128];
    const og_status status = error == ENOMEM ? OG_ERR_MEMORY : OG_ERR_IO;
    return og_error_set(err, status, "cannot %s '%s': %s", verb, path,
                        og_file_error_text(error, text, sizeof(text)));
}

int og_file_write_all(int fd, const void *data, size_t len)
{
    const char *p = data;
    while (len > 0) {
        const ssize_t n = write(fd, p, len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        p += n;
        len -= (size_t)n;
    }
    return 0;
}

int64_t og_file_read_at(int fd, void *out, size_t len, uint64_t off)
{
    size_t done = 0;
    while (done < len) {
        const ssize_t n =
            pread(fd, (char *)out + done, len - done, (off_t)(off + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        if (n == 0) break;
        done += (size_t)n;
    }
    return (int64_t)done;
}

int og_file_sync_folder(const char *path)
{
    char *folder = strdup(path);
    if (folder == NULL) return -1;
    char *slash = strrchr(folder, '/');
    if (slash == folder) slash++;
    if (slash != NULL) *slash = '\0';
    const int fd =
        open(slash == NULL ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    if (fd < 0) return -1;
    /* Some file systems cannot sync a folder and say EINVAL: they then need
     * none. */
    const int failed = fsync(fd) != 0 && errno != EINVAL && errno != EROFS;
    close(fd);
    return failed ? -1 : 0;
}

static void forget(struct og_new_file *file)
{
    if (file->fd >= 0) close(file->fd);
    free(file->path);
    free(file->temp_path);
    free(file->buffer);
    *file = (struct og_new_file){.fd = -1, .status = OG_ERR_IO};
}

/* A name that nobody has yet: ".NAME.new-PID-N" beside the target. */
static int open_temp(struct og_new_file *file, unsigned mode)
{
    const char *slash = strrchr(file->path, '/');
    const size_t folder_len =
        slash == NULL ? 0 : (size_t)(slash - file->path) + 1;
    for (int i = 0; i < MOST_TRIES; i++) {
        free(file->temp_path);
        if (asprintf(&file->temp_path, "%.*s.%.200s.new-%ld-%d",
                     (int)folder_len, file->path, file->path + folder_len,
                     (long)getpid(), i) < 0) {
            file->temp_path = NULL;
            errno = ENOMEM;
            return -1;
        }
        const int fd =
            open(file->temp_path,
                 O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

og_status og_new_file_open(struct og_new_file *file, const char *path,
                           unsigned mode, og_error *err)
{
    struct stat st;
    *file = (struct og_new_file){.fd = -1};
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return og_file_failure(err, "write", path, EISDIR);
    file->path = strdup(path);
    file->buffer = malloc(BUFFER_LEN);
    if (file->path == NULL || file->buffer == NULL) {
        forget(file);
        return og_error_memory(err, BUFFER_LEN, "a new file");
    }
    file->fd = open_temp(file, mode);
    if (file->fd < 0) {
        const int error = errno;
        forget(file);
        return og_file_failure(err, "write", path, error);
    }
    return OG_OK;
}

static og_status write_through(struct og_new_file *file, const void *data,
                               size_t len, og_error *err)
{
    if (og_file_write_all(file->fd, data, len) == 0) return OG_OK;
    file->status = OG_ERR_IO;
    return og_file_failure(err, "write", file->path, errno);
}

og_status og_new_file_flush(struct og_new_file *file, og_error *err)
{
    const size_t len = file->buffer_len;
    file->buffer_len = 0;
    return len == 0 ? OG_OK : write_through(file, file->buffer, len, err);
}

og_status og_new_file_write(struct og_new_file *file, const void *data,
                            size_t len, og_error *err)
{
    if (file->status != OG_OK)
        return og_error_set(err, file->status, "cannot write '%s'", file->path);
    if (file->buffer_len + len > BUFFER_LEN) TRY(og_new_file_flush(file, err));
    if (len >= BUFFER_LEN) {
        TRY(write_through(file, data, len, err));
    } else if (len > 0) {
        memcpy(file->buffer + file->buffer_len, data, len);
        file->buffer_len += len;
    }
    file->len += len;
    return OG_OK;
}

void og_new_file_push(struct og_new_file *file)
{
    const uint64_t given = file->len - file->buffer_len;
    if (given - file->pushed < PUSH_LEN) return;
#ifdef SYNC_FILE_RANGE_WRITE
    (void)sync_file_range(file->fd, (off_t)file->pushed,
                          (off_t)(given - file->pushed), SYNC_FILE_RANGE_WRITE);
#endif
    file->pushed = given;
}

og_status og_new_file_commit(struct og_new_file *file, og_error *err)
{
    og_status status = file->status;
    if (status == OG_OK) status = og_new_file_flush(file, err);
    if (status == OG_OK &&
        (fsync(file->fd) != 0 || rename(file->temp_path, file->path) != 0))
        status = og_file_failure(err, "write", file->path, errno);
    if (status != OG_OK) {
        og_new_file_discard(file);
        return status;
    }
    if (og_file_sync_folder(file->path) != 0)
        status = og_file_failure(err, "write", file->path, errno);
    forget(file);
    return status;
}

void og_new_file_discard(struct og_new_file *file)
{
    if (file->fd < 0) return;
    unlink(file->temp_path);
    forget(file);
}
