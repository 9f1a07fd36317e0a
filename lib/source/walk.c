/* Walks folders without recursion: a stack of name lists. A list is read whole
 * and sorted before its first file is returned, so the order does not depend on
 * the file system, and no folder stays open. */

#include "lib/source/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void og_walk_init(struct og_walk *walk, const char *const *paths,
                  size_t n_paths, const og_allocator *allocator)
{
    memset(walk, 0, sizeof(*walk));
    walk->allocator = allocator;
    walk->paths = paths;
    walk->n_paths = n_paths;
    og_file_list_init(&walk->list, NULL, allocator);
}

void og_walk_take_list(struct og_walk *walk, const char *name)
{
    og_file_list_init(&walk->list, name, walk->allocator);
}

static void release_folder(const og_allocator *a, struct og_walk_folder *folder)
{
    OG_UNGROW(a, folder->names, folder->names_cap);
    OG_UNGROW(a, folder->sorted, folder->sorted_cap);
}

void og_walk_release(struct og_walk *walk)
{
    while (walk->n_folders > 0)
        release_folder(walk->allocator, &walk->folders[--walk->n_folders]);
    OG_UNGROW(walk->allocator, walk->folders, walk->folders_cap);
    OG_UNGROW(walk->allocator, walk->path, walk->path_cap);
    og_file_list_release(&walk->list);
}

/* ---- one folder ---- */

static og_status add_name(const og_allocator *a, struct og_walk_folder *folder,
                          const char *name, og_error *err)
{
    const size_t len = strlen(name) + 1;
    if (!OG_GROW(a, folder->names, folder->names_cap, folder->names_len + len))
        return og_error_memory(err, folder->names_len + len, "file names");
    memcpy(folder->names + folder->names_len, name, len);
    folder->names_len += len;
    folder->n_names++;
    return OG_OK;
}

/* *out_error is the errno of a folder that could not be read to its end. */
static og_status read_names(const og_allocator *a, const char *path,
                            struct og_walk_folder *folder, int *out_error,
                            og_error *err)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *const dir = fd < 0 ? NULL : fdopendir(fd);
    if (dir == NULL) {
        *out_error = errno;
        if (fd >= 0) close(fd);
        return OG_OK;
    }
    og_status status = OG_OK;
    const struct dirent *entry;
    while (status == OG_OK && (errno = 0, entry = readdir(dir)) != NULL)
        if (entry->d_name[0] != '.')
            status = add_name(a, folder, entry->d_name, err);
    *out_error = status == OG_OK ? errno : 0;
    closedir(dir);
    return status;
}

/* strcmp compares bytes as unsigned: the order of C and of UTF-8. */
static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static og_status sort_names(const og_allocator *a,
                            struct og_walk_folder *folder, og_error *err)
{
    if (folder->n_names == 0) return OG_OK;
    if (!OG_GROW(a, folder->sorted, folder->sorted_cap, folder->n_names))
        return og_error_memory(err, folder->n_names * sizeof(char *),
                               "file names");
    const char *name = folder->names;
    for (size_t i = 0; i < folder->n_names; i++) {
        folder->sorted[i] = name;
        name += strlen(name) + 1;
    }
    qsort(folder->sorted, folder->n_names, sizeof(*folder->sorted),
          compare_names);
    return OG_OK;
}

/* ---- the walk ---- */

/* Replaces everything after the first `at` bytes of the path. */
static og_status set_path(struct og_walk *walk, size_t at, const char *name,
                          og_error *err)
{
    const size_t need = at + strlen(name) + 2; /* with a slash and a zero */
    if (!OG_GROW(walk->allocator, walk->path, walk->path_cap, need))
        return og_error_memory(err, need, "a path");
    strcpy(walk->path + at, name);
    return OG_OK;
}

/* The folder at walk->path. A failure to read it is an entry, not a status. */
static og_status enter_folder(struct og_walk *walk, struct og_walk_entry *out,
                              bool *out_is_entry, og_error *err)
{
    const og_allocator *const a = walk->allocator;
    if (!OG_GROW(a, walk->folders, walk->folders_cap, walk->n_folders + 1))
        return og_error_memory(err, walk->folders_cap, "folders");
    struct og_walk_folder *const folder = &walk->folders[walk->n_folders++];
    *folder = (struct og_walk_folder){.path_len = strlen(walk->path)};
    int error;
    TRY(read_names(a, walk->path, folder, &error, err));
    TRY(sort_names(a, folder, err));
    *out_is_entry = error != 0;
    *out = (struct og_walk_entry){OG_WALK_FAILED, walk->path, error};
    return OG_OK;
}

static og_status next_of_folder(struct og_walk *walk, struct og_walk_entry *out,
                                bool *out_is_entry, og_error *err)
{
    struct og_walk_folder *const folder = &walk->folders[walk->n_folders - 1];
    *out_is_entry = false;
    if (folder->next == folder->n_names) {
        release_folder(walk->allocator, folder);
        walk->n_folders--;
        return OG_OK;
    }
    size_t at = folder->path_len;
    if (at > 0 && walk->path[at - 1] != '/') walk->path[at++] = '/';
    TRY(set_path(walk, at, folder->sorted[folder->next++], err));
    struct stat info;
    if (lstat(walk->path, &info) != 0) return OG_OK; /* removed meanwhile */
    if (S_ISDIR(info.st_mode))
        return enter_folder(walk, out, out_is_entry, err);
    const bool is_link = S_ISLNK(info.st_mode);
    if (is_link && stat(walk->path, &info) != 0)
        info.st_mode = S_IFREG; /* opening it will report the error */
    const bool is_folder = S_ISDIR(info.st_mode);
    *out_is_entry = is_folder || S_ISREG(info.st_mode);
    *out = (struct og_walk_entry){is_folder ? OG_WALK_LINK : OG_WALK_FILE,
                                  walk->path, 0};
    return OG_OK;
}

/* A path that the user named. */
static og_status enter_path(struct og_walk *walk, const char *path,
                            struct og_walk_entry *out, bool *out_is_entry,
                            og_error *err)
{
    TRY(set_path(walk, 0, path, err));
    struct stat info;
    const bool is_stdin = strcmp(path, "-") == 0;
    if (!is_stdin && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return enter_folder(walk, out, out_is_entry, err);
    *out_is_entry = true;
    *out = (struct og_walk_entry){is_stdin ? OG_WALK_STDIN : OG_WALK_FILE,
                                  walk->path, 0};
    return OG_OK;
}

/* A list on stdin cannot name stdin, which has been consumed. */
static og_status next_of_list(struct og_walk *walk, struct og_walk_entry *out,
                              bool *out_is_entry, og_error *err)
{
    const char *const name = walk->list.name;
    const char *path;
    int error;
    TRY(og_file_list_next(&walk->list, &path, &error, err));
    if (path != NULL && strcmp(path, "-") == 0 && strcmp(name, "-") == 0)
        error = EBUSY;
    if (error == 0) return enter_path(walk, path, out, out_is_entry, err);
    TRY(set_path(walk, 0, name, err));
    *out_is_entry = true;
    *out = (struct og_walk_entry){OG_WALK_FAILED, walk->path, error};
    return OG_OK;
}

og_status og_walk_next(struct og_walk *walk, struct og_walk_entry *out,
                       og_error *err)
{
    bool is_entry = false;
    while (!is_entry) {
        if (walk->n_folders > 0)
            TRY(next_of_folder(walk, out, &is_entry, err));
        else if (walk->next_path < walk->n_paths)
            TRY(enter_path(walk, walk->paths[walk->next_path++], out, &is_entry,
                           err));
        else
            TRY(next_of_list(walk, out, &is_entry, err));
    }
    return OG_OK;
}
