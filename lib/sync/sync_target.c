/* The receiver's tree: see the head of sync_target.h. */

#define _GNU_SOURCE
#include "lib/sync/sync_target.h"

#include "lib/os/new_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

og_status og_sync_target_open(struct og_sync_target *t, const char *tree,
                              bool create, og_error *err)
{
    *t = (struct og_sync_target){.tree = tree, .tree_fd = -1, .parts_fd = -1};
    if (!create) return OG_OK;
    if (mkdir(tree, 0777) != 0 && errno != EEXIST)
        return og_file_failure(err, "make", tree, errno);
    /* The tree itself was named by the user: it may be a link. */
    t->tree_fd = open(tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (t->tree_fd < 0) return og_file_failure(err, "open", tree, errno);
    if (mkdirat(t->tree_fd, OG_SYNC_PARTS, 0700) != 0 && errno != EEXIST)
        return og_file_failure(err, "write into", tree, errno);
    t->parts_fd = openat(t->tree_fd, OG_SYNC_PARTS, FOLDER_FLAGS);
    if (t->parts_fd < 0) return og_file_failure(err, "write into", tree, errno);
    return OG_OK;
}

void og_sync_target_close(struct og_sync_target *t)
{
    if (t->parts_fd >= 0) close(t->parts_fd);
    if (t->tree_fd >= 0) close(t->tree_fd);
    t->parts_fd = t->tree_fd = -1;
}

void og_sync_part_name(const uint8_t root[OG_SYNC_ROOT_LEN], size_t entry,
                       char out[OG_SYNC_PART_NAME])
{
    for (size_t i = 0; i < OG_SYNC_ROOT_LEN; i++)
        sprintf(out + 2 * i, "%02x", root[i]);
    sprintf(out + 2 * OG_SYNC_ROOT_LEN, "-%zu", entry);
}

/* A new session may copy from an earlier part of the same name: the new part is
 * another file, and the old descriptor stays valid. */
og_status og_sync_part_open(struct og_sync_target *t, const char *name,
                            int *out_fd, og_error *err)
{
    unlinkat(t->parts_fd, name, 0);
    *out_fd = openat(t->parts_fd, name,
                     O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return *out_fd < 0 ? og_file_failure(err, "write into", t->tree, errno)
                       : OG_OK;
}

void og_sync_part_remove(struct og_sync_target *t, const char *name)
{
    if (t->parts_fd >= 0) unlinkat(t->parts_fd, name, 0);
}

/* Syncing a single file waits for the disk once or twice: with many files that
 * dominates the time. */
enum { SYNC_EACH_MOST = 8 };

og_status og_sync_target_flush(struct og_sync_target *t, size_t n_parts,
                               og_error *err)
{
    t->sync_each = n_parts <= SYNC_EACH_MOST;
    if (t->sync_each || syncfs(t->tree_fd) == 0) return OG_OK;
    return og_file_failure(err, "write into", t->tree, errno);
}

static int sync_part(const struct og_sync_target *t, const char *part)
{
    const int fd = openat(t->parts_fd, part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    const int failed = fd < 0 || fsync(fd) != 0;
    if (fd >= 0) close(fd);
    return failed ? -1 : 0;
}

/* ---- names ---- */

static og_status refuse_parent(const struct og_sync_target *t, const char *path,
                               og_error *err)
{
    char text[300];
    const int error = errno;
    snprintf(text, sizeof(text), "%.100s/%.180s", t->tree, path);
    if (error == ELOOP || error == ENOTDIR)
        return og_error_set(
            err, OG_ERR_INPUT,
            "'%s' is refused: a part of its path is not a folder", text);
    return og_file_failure(err, "write", text, error);
}

/* Opens the parent folder of a path, step by step and never through a link.
 * *out_name is the last name. */
static og_status open_parent(struct og_sync_target *t, const char *path,
                             bool create, int *out_fd, const char **out_name,
                             og_error *err)
{
    int fd = dup(t->tree_fd);
    const char *begin = path;
    for (const char *slash; fd >= 0 && (slash = strchr(begin, '/')) != NULL;
         begin = slash + 1) {
        char name[256];
        snprintf(name, sizeof(name), "%.*s", (int)(slash - begin), begin);
        if (create && mkdirat(fd, name, 0777) != 0 && errno != EEXIST) {
            const og_status status = refuse_parent(t, path, err);
            close(fd);
            return status;
        }
        const int next = openat(fd, name, FOLDER_FLAGS);
        const int error = errno;
        close(fd);
        errno = error;
        fd = next;
    }
    if (fd < 0) return refuse_parent(t, path, err);
    *out_fd = fd;
    *out_name = begin;
    return OG_OK;
}

static int set_facts(int folder, const char *name,
                     const struct og_sync_entry *e)
{
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT},
                                      {.tv_sec = e->mtime}};
    struct stat st;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
        S_ISLNK(st.st_mode))
        return -1;
    if (fchmodat(folder, name, e->mode, 0) != 0) return -1;
    if (e->kind == OG_SYNC_FOLDER) return 0;
    return utimensat(folder, name, times, AT_SYMLINK_NOFOLLOW);
}

static int publish_file(struct og_sync_target *t, int folder, const char *name,
                        const struct og_sync_entry *e, const char *part)
{
    if (part == NULL) return set_facts(folder, name, e);
    if (set_facts(t->parts_fd, part, e) != 0) return -1;
    if (t->sync_each && sync_part(t, part) != 0) return -1;
    if (renameat(t->parts_fd, part, folder, name) != 0) return -1;
    return t->sync_each && fsync(folder) != 0 && errno != EINVAL ? -1 : 0;
}

static int publish_folder(int folder, const char *name,
                          const struct og_sync_entry *e)
{
    if (mkdirat(folder, name, 0777) != 0 && errno != EEXIST) return -1;
    return set_facts(folder, name, e);
}

static int publish_link(struct og_sync_target *t, int folder, const char *name,
                        const struct og_sync_entry *e)
{
    static const char temporary[] = "link";
    unlinkat(t->parts_fd, temporary, 0);
    if (symlinkat(e->link, t->parts_fd, temporary) != 0) return -1;
    return renameat(t->parts_fd, temporary, folder, name);
}

og_status og_sync_target_publish(struct og_sync_target *t,
                                 const struct og_sync_entry *e,
                                 const char *part, og_error *err)
{
    int folder = -1;
    const char *name = "";
    TRY(open_parent(t, e->path, true, &folder, &name, err));
    const int failed =
        e->kind == OG_SYNC_FILE     ? publish_file(t, folder, name, e, part)
        : e->kind == OG_SYNC_FOLDER ? publish_folder(folder, name, e)
                                    : publish_link(t, folder, name, e);
    const int error = errno;
    close(folder);
    return failed ? og_file_failure(err, "write", e->path, error) : OG_OK;
}

og_status og_sync_target_remove(struct og_sync_target *t,
                                const struct og_sync_entry *e, og_error *err)
{
    int folder = -1;
    const char *name = "";
    if (open_parent(t, e->path, false, &folder, &name, NULL) != OG_OK)
        return OG_OK; /* its folder is gone, or a link now: so is the file */
    const int flags = e->kind == OG_SYNC_FOLDER ? AT_REMOVEDIR : 0;
    const int failed = unlinkat(folder, name, flags) != 0 && errno != ENOENT &&
                       errno != ENOTEMPTY && errno != EEXIST &&
                       errno != ENOTDIR;
    const int error = errno;
    close(folder);
    return failed ? og_file_failure(err, "remove", e->path, error) : OG_OK;
}

void og_sync_target_remove_parts(struct og_sync_target *t)
{
    if (t->parts_fd < 0) return;
    DIR *dir = fdopendir(dup(t->parts_fd));
    if (dir != NULL) {
        rewinddir(dir);
        for (struct dirent *d; (d = readdir(dir)) != NULL;)
            if (d->d_name[0] != '.') unlinkat(t->parts_fd, d->d_name, 0);
        closedir(dir);
    }
    unlinkat(t->tree_fd, OG_SYNC_PARTS, AT_REMOVEDIR);
}
