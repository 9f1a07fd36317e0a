/* Files that appear whole or not at all.
 *
 * The order is what matters: write, fsync of the file, rename, fsync of the
 * folder. Without the first sync a crash can leave the new name with none of
 * its bytes; without the second the rename itself may be lost. Writes are
 * gathered, so that a delta of ten thousand small pieces costs few calls. */

#define _GNU_SOURCE
#include "lib/os/new_file.h"

#include "lib/os/file.h"
#include "lib/os/packer.h"
#include "lib/os/temp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BUFFER_LEN = 1 << 16,
    PUSH_LEN = 16 << 20,
    MOST_TRIES = 100,
    MOST_LINKS = 40 /* as the system follows at most */
};

og_status og_file_failure(og_error *err, const char *verb, const char *path,
                          int error)
{
    char text[128];
    const og_status status = error == ENOMEM ? OG_ERR_MEMORY : OG_ERR_IO;
    og_error_set(err, status, "cannot %s '%s': %s", verb, path,
                 og_file_error_text(error, text, sizeof(text)));
    return og_error_place(err, status, path, 0, 0);
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

int og_file_write_at(int fd, const void *data, size_t len, uint64_t off)
{
    size_t done = 0;
    while (done < len) {
        const ssize_t n = pwrite(fd, (const char *)data + done, len - done,
                                 (off_t)(off + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        done += (size_t)n;
    }
    return 0;
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
    if (file->fd > STDERR_FILENO) close(file->fd);
    if (file->copy_to > STDERR_FILENO) close(file->copy_to);
    free(file->path);
    free(file->temp_path);
    free(file->buffer);
    og_packer_free(file->packer);
    *file = (struct og_new_file){.fd = -1, .copy_to = -1, .status = OG_ERR_IO};
}

/* ---- the target of an output ---- */

/* The target of the link at `path`, relative to where `path` is. */
static char *read_link(const char *path)
{
    char to[PATH_MAX];
    char *joined;
    const ssize_t n = readlink(path, to, sizeof(to) - 1);
    if (n < 0) return NULL;
    to[n] = '\0';
    const char *slash = strrchr(path, '/');
    if (to[0] == '/' || slash == NULL) return strdup(to);
    if (asprintf(&joined, "%.*s%s", (int)(slash - path) + 1, path, to) < 0)
        return NULL;
    return joined;
}

/* /dev/stdout and the like: an open file, whatever its name was. */
static bool is_descriptor(const char *path)
{
    return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/dev/fd/", 8) == 0;
}

char *og_output_target(const char *path, bool *out_in_place)
{
    struct stat st;
    char *name = strdup(path);
    *out_in_place =
        strcmp(path, "-") == 0 ||
        (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
    for (int i = 0; name != NULL && !*out_in_place && og_file_is_link(name);
         i++) {
        char *next = NULL;
        *out_in_place = is_descriptor(name);
        if (*out_in_place) break;
        if (i < MOST_LINKS)
            next = read_link(name);
        else
            errno = ELOOP;
        free(name);
        name = next;
    }
    return name;
}

/* Only a descriptor can lead to a regular file here: earlier output to it is
 * kept. */
static int open_in_place(const char *path)
{
    struct stat st;
    const bool is_file = stat(path, &st) == 0 && S_ISREG(st.st_mode);
    if (strcmp(path, "-") == 0) return STDOUT_FILENO;
    return open(path,
                O_WRONLY | O_CLOEXEC | O_NOCTTY | (is_file ? O_APPEND : 0));
}

/* ---- opening ---- */

/* A name that does not exist yet: ".NAME.new-PID-N" beside the target. */
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

/* Allocates the buffer and takes over `path`. */
static og_status prepare(struct og_new_file *file, char *path, og_error *err)
{
    struct stat st;
    *file = (struct og_new_file){.fd = -1, .copy_to = -1, .path = path};
    file->buffer = malloc(BUFFER_LEN);
    if (file->path == NULL || file->buffer == NULL) {
        forget(file);
        return og_error_memory(err, BUFFER_LEN, "a new file");
    }
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) return OG_OK;
    const og_status status = og_file_failure(err, "write", path, EISDIR);
    forget(file);
    return status;
}

static og_status end_open(struct og_new_file *file, og_error *err)
{
    if (file->fd >= 0) return OG_OK;
    const og_status status = og_file_failure(err, "write", file->path, errno);
    forget(file);
    return status;
}

og_status og_new_file_open(struct og_new_file *file, const char *path,
                           unsigned mode, og_error *err)
{
    TRY(prepare(file, strdup(path), err));
    file->fd = open_temp(file, mode);
    return end_open(file, err);
}

static og_status open_spool(struct og_new_file *file, og_error *err)
{
    file->copy_to = file->fd;
    file->fd = og_temp_file_open(og_temp_folder(), err);
    if (file->fd >= 0) return OG_OK;
    forget(file);
    return OG_ERR_IO;
}

static og_status open_output(struct og_new_file *file, const char *path,
                             unsigned mode, bool reads_back, og_error *err)
{
    bool in_place;
    *file = (struct og_new_file){.fd = -1, .copy_to = -1};
    char *target = og_output_target(path, &in_place);
    if (target == NULL) return og_file_failure(err, "write", path, errno);
    TRY(prepare(file, target, err));
    file->fd = in_place ? open_in_place(target) : open_temp(file, mode);
    TRY(end_open(file, err));
    return in_place && reads_back ? open_spool(file, err) : OG_OK;
}

og_status og_output_open(struct og_new_file *file, const char *path,
                         bool reads_back, og_error *err)
{
    return open_output(file, path, 0666, reads_back, err);
}

og_status og_output_open_private(struct og_new_file *file, const char *path,
                                 og_error *err)
{
    return open_output(file, path, 0600, false, err);
}

/* ---- parts ---- */

/* A run that was killed between the renaming of two outputs left one of them
 * finished. It becomes a part again, and the run continues from there. */
static void take_back(const struct og_new_file *file, uint64_t len)
{
    struct stat st;
    if (access(file->temp_path, F_OK) == 0 || lstat(file->path, &st) != 0)
        return;
    if (S_ISREG(st.st_mode) && (uint64_t)st.st_size >= len)
        (void)rename(file->path, file->temp_path);
}

static og_status continue_part(struct og_new_file *file, uint64_t len,
                               og_error *err)
{
    struct stat st;
    if (fstat(file->fd, &st) != 0 || (uint64_t)st.st_size < len)
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s' has fewer bytes than its journal says",
                            file->temp_path);
    if (ftruncate(file->fd, (off_t)len) != 0 ||
        lseek(file->fd, (off_t)len, SEEK_SET) < 0)
        return og_file_failure(err, "write", file->temp_path, errno);
    file->len = file->pushed = file->file_len = len;
    return OG_OK;
}

static og_status open_part(struct og_new_file *file, enum og_part_state state,
                           uint64_t len, og_error *err)
{
    struct stat st;
    if (asprintf(&file->temp_path, "%s.part", file->path) < 0) {
        file->temp_path = NULL;
        return og_error_memory(err, BUFFER_LEN, "a file name");
    }
    if (state == OG_PART_RESUMED) take_back(file, len);
    file->fd = open(file->temp_path,
                    O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
                        (state == OG_PART_NEW ? O_EXCL : 0),
                    0666);
    if (file->fd < 0 && errno == EEXIST)
        return og_error_set(err, OG_ERR_IO,
                            "'%s' is in the way: it was not left by a run that "
                            "this one resumes",
                            file->temp_path);
    if (file->fd < 0 || fstat(file->fd, &st) != 0 || !S_ISREG(st.st_mode))
        return og_file_failure(err, "write", file->temp_path,
                               file->fd < 0 ? errno : EINVAL);
    return continue_part(file, state == OG_PART_RESUMED ? len : 0, err);
}

og_status og_output_open_part(struct og_new_file *file, const char *path,
                              enum og_part_state state, uint64_t len,
                              og_error *err)
{
    bool in_place;
    *file = (struct og_new_file){.fd = -1, .copy_to = -1};
    char *target = og_output_target(path, &in_place);
    if (target == NULL) return og_file_failure(err, "write", path, errno);
    if (in_place) {
        free(target);
        return og_error_set(err, OG_ERR_USAGE,
                            "'%s' is not a file: a run that writes it cannot "
                            "be resumed",
                            path);
    }
    TRY(prepare(file, target, err));
    const og_status status = open_part(file, state, len, err);
    if (status != OG_OK) forget(file); /* the existing file is not touched */
    return status;
}

/* ---- writing ---- */

static int write_raw(void *ctx, const void *data, size_t len)
{
    struct og_new_file *file = ctx;
    file->file_len += len;
    return og_file_write_all(file->fd, data, len);
}

static og_status check_write(struct og_new_file *file, int failed,
                             og_error *err)
{
    if (failed == 0) return OG_OK;
    file->status = OG_ERR_IO;
    return og_file_failure(err, "write", file->path, errno);
}

static og_status write_through(struct og_new_file *file, const void *data,
                               size_t len, og_error *err)
{
    return check_write(file,
                       file->packer != NULL
                           ? og_packer_write(file->packer, file, data, len)
                           : write_raw(file, data, len),
                       err);
}

/* Passes everything to the system, in a form that can end here. */
static og_status end_frame(struct og_new_file *file, bool is_last,
                           og_error *err)
{
    TRY(og_new_file_flush(file, err));
    if (file->packer == NULL) return OG_OK;
    const bool is_empty = is_last && file->file_len == 0;
    return check_write(file, og_packer_end(file->packer, file, is_empty), err);
}

og_status og_new_file_pack(struct og_new_file *file, og_packing packing,
                           const char *path, og_error *err)
{
    if (packing == OG_PACKING_AUTO) packing = og_packing_of(path);
    if (packing == OG_PACKING_NONE) return OG_OK;
    file->packer = og_packer_new(packing, write_raw);
    if (file->packer != NULL) return OG_OK;
    og_new_file_discard(file);
    return og_error_memory(err, BUFFER_LEN, "a packed file");
}

og_status og_new_file_flush(struct og_new_file *file, og_error *err)
{
    const size_t len = file->buffer_len;
    file->buffer_len = 0;
    return len == 0 ? OG_OK : write_through(file, file->buffer, len, err);
}

og_status og_new_file_sync(struct og_new_file *file, og_error *err)
{
    TRY(end_frame(file, false, err));
    if (file->temp_path == NULL || fdatasync(file->fd) == 0) return OG_OK;
    return og_file_failure(err, "write", file->path, errno);
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
    const uint64_t given = file->file_len;
    if (given - file->pushed < PUSH_LEN) return;
#ifdef SYNC_FILE_RANGE_WRITE
    (void)sync_file_range(file->fd, (off_t)file->pushed,
                          (off_t)(given - file->pushed), SYNC_FILE_RANGE_WRITE);
#endif
    file->pushed = given;
}

/* ---- the end ---- */

static og_status copy_spool(struct og_new_file *file, og_error *err)
{
    uint64_t off = 0;
    int64_t n;
    while ((n = og_file_read_at(file->fd, file->buffer, BUFFER_LEN, off)) > 0) {
        if (og_file_write_all(file->copy_to, file->buffer, (size_t)n) != 0)
            return og_file_failure(err, "write", file->path, errno);
        off += (uint64_t)n;
    }
    return n == 0 ? OG_OK : og_file_failure(err, "write", file->path, errno);
}

static og_status publish(struct og_new_file *file, og_error *err)
{
    if (file->temp_path == NULL)
        return file->copy_to < 0 ? OG_OK : copy_spool(file, err);
    if (fsync(file->fd) != 0 || rename(file->temp_path, file->path) != 0)
        return og_file_failure(err, "write", file->path, errno);
    return OG_OK;
}

og_status og_new_file_commit(struct og_new_file *file, og_error *err)
{
    og_status status = file->status;
    if (status == OG_OK) status = end_frame(file, true, err);
    if (status == OG_OK) status = publish(file, err);
    if (status != OG_OK) {
        og_new_file_discard(file);
        return status;
    }
    if (file->temp_path != NULL && og_file_sync_folder(file->path) != 0)
        status = og_file_failure(err, "write", file->path, errno);
    forget(file);
    return status;
}

void og_new_file_discard(struct og_new_file *file)
{
    if (file->fd < 0) return;
    if (file->temp_path != NULL) unlink(file->temp_path);
    forget(file);
}

bool og_new_file_is_leftover(const char *name)
{
    return name[0] == '.' && strstr(name, ".new-") != NULL;
}

void og_new_file_leave(struct og_new_file *file)
{
    if (file->fd < 0) return;
    (void)og_new_file_flush(file, NULL);
    forget(file);
}
