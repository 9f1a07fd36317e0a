/* The list of a tree: see the head of sync_tree.h.
 *
 * Folders are listed too, so that empty ones are created; links are listed and
 * never followed. Other entries (sockets, devices) are skipped. */

#define _GNU_SOURCE
#include "lib/sync/sync_tree.h"

#include "lib/os/file.h"
#include "lib/os/new_file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void entry_release(const og_allocator *a, struct og_sync_entry *e)
{
    og_name_release(a, e->path);
    og_name_release(a, e->link);
}

void og_sync_list_release(struct og_sync_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        entry_release(list->allocator, &list->entries[i]);
    OG_UNGROW(list->allocator, list->entries, list->cap);
    list->n = 0;
}

char *og_sync_join(const og_allocator *a, const char *tree, const char *path)
{
    const char *slash = tree[0] == '\0' || path[0] == '\0' ? "" : "/";
    const size_t cap = strlen(tree) + strlen(slash) + strlen(path) + 1;
    char *joined = og_allocate(a, cap);
    if (joined != NULL) snprintf(joined, cap, "%s%s%s", tree, slash, path);
    return joined;
}

bool og_sync_path_is_safe(const char *path, size_t len)
{
    const size_t parts_len = strlen(OG_SYNC_PARTS);
    if (len == 0 || len >= PATH_MAX || memchr(path, '\0', len) != NULL)
        return false;
    if (len >= parts_len && memcmp(path, OG_SYNC_PARTS, parts_len) == 0 &&
        (len == parts_len || path[parts_len] == '/'))
        return false;
    for (size_t begin = 0; begin <= len;) {
        const char *slash = memchr(path + begin, '/', len - begin);
        const size_t end = slash == NULL ? len : (size_t)(slash - path);
        const size_t n = end - begin;
        const char *name = path + begin;
        if (n == 0 || n > NAME_MAX || (n == 1 && name[0] == '.') ||
            (n == 2 && name[0] == '.' && name[1] == '.'))
            return false;
        begin = end + 1;
    }
    return true;
}

size_t og_sync_list_find(const struct og_sync_list *list, const char *path)
{
    size_t low = 0, high = list->n;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        const int c = strcmp(list->entries[mid].path, path);
        if (c == 0) return mid;
        if (c < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return SIZE_MAX;
}

/* ---- scanning ---- */

static og_status add_entry(struct og_sync_list *list, const char *path,
                           const struct stat *st, og_error *err)
{
    struct og_sync_entry e = {.mode = st->st_mode & 0777,
                              .mtime = st->st_mtim.tv_sec};
    if (!OG_GROW(list->allocator, list->entries, list->cap, list->n + 1) ||
        (e.path = og_name_new(list->allocator, path, strlen(path))) == NULL)
        return og_error_memory(err, sizeof(e), "a list of files");
    e.kind = S_ISDIR(st->st_mode)   ? OG_SYNC_FOLDER
             : S_ISLNK(st->st_mode) ? OG_SYNC_LINK
                                    : OG_SYNC_FILE;
    /* A folder's time changes with every file in it: not worth a message. */
    if (e.kind == OG_SYNC_FOLDER) e.mtime = 0;
    list->entries[list->n++] = e;
    return OG_OK;
}

static og_status add_link(struct og_sync_list *list, const char *full,
                          og_error *err)
{
    char target[PATH_MAX];
    struct og_sync_entry *e = &list->entries[list->n - 1];
    const ssize_t n = readlink(full, target, sizeof(target) - 1);
    if (n < 0) return og_file_failure(err, "read", full, errno);
    target[n] = '\0';
    e->mtime = 0;
    e->link = og_name_new(list->allocator, target, (size_t)n);
    return e->link == NULL ? og_error_memory(err, (size_t)n, "a link") : OG_OK;
}

static int is_no_dot(const struct dirent *d)
{
    return strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
}

static og_status walk_folder(struct og_sync_list *list, const char *tree,
                             const char *folder, og_error *err);

static og_status walk_name(struct og_sync_list *list, const char *tree,
                           const char *path, og_error *err)
{
    struct stat st;
    char *full = og_sync_join(list->allocator, tree, path);
    if (full == NULL) return og_error_memory(err, strlen(path), "a path");
    og_status status = OG_OK;
    if (lstat(full, &st) != 0)
        status = og_file_failure(err, "read", full, errno);
    else if (S_ISDIR(st.st_mode) || S_ISLNK(st.st_mode) || S_ISREG(st.st_mode))
        status = add_entry(list, path, &st, err);
    if (status == OG_OK && S_ISLNK(st.st_mode))
        status = add_link(list, full, err);
    if (status == OG_OK && S_ISDIR(st.st_mode))
        status = walk_folder(list, tree, path, err);
    og_name_release(list->allocator, full);
    return status;
}

static og_status walk_folder(struct og_sync_list *list, const char *tree,
                             const char *folder, og_error *err)
{
    struct dirent **names = NULL;
    char *full = og_sync_join(list->allocator, tree, folder);
    if (full == NULL) return og_error_memory(err, strlen(folder), "a path");
    const int n = scandir(full, &names, is_no_dot, NULL);
    og_status status =
        n < 0 ? og_file_failure(err, "read", full, errno) : OG_OK;
    for (int i = 0; i < n; i++) {
        char *path = og_sync_join(list->allocator, folder, names[i]->d_name);
        if (path == NULL) status = og_error_memory(err, 0, "a path");
        if (status == OG_OK && og_sync_path_is_safe(path, strlen(path)))
            status = walk_name(list, tree, path, err);
        og_name_release(list->allocator, path);
        free(names[i]); /* scandir() uses malloc() only */
    }
    free(names);
    og_name_release(list->allocator, full);
    return status;
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const struct og_sync_entry *)a)->path,
                  ((const struct og_sync_entry *)b)->path);
}

og_status og_sync_list_names(struct og_sync_list *list, const char *tree,
                             og_error *err)
{
    struct stat st;
    if (stat(tree, &st) != 0 && errno == ENOENT) return OG_OK;
    return walk_folder(list, tree, "", err);
}

og_status og_sync_list_scan(struct og_sync_list *list, const char *tree,
                            bool may_miss, const og_cut_options *cut,
                            unsigned n_threads, og_sync_on_tree on_tree,
                            void *ctx, og_error *err)
{
    struct og_chunk_tree chunks;
    struct stat st;
    if (stat(tree, &st) != 0) {
        if (may_miss && errno == ENOENT) return OG_OK;
        return og_file_failure(err, "read", tree, errno);
    }
    if (!S_ISDIR(st.st_mode))
        return og_error_set(err, OG_ERR_INPUT, "'%s' is not a folder", tree);
    TRY(walk_folder(list, tree, "", err));
    if (list->n > 0)
        qsort(list->entries, list->n, sizeof(*list->entries), compare_entries);
    og_chunk_tree_init(&chunks, list->allocator);
    og_status status = OG_OK;
    for (size_t i = 0; status == OG_OK && i < list->n; i++) {
        struct og_sync_entry *e = &list->entries[i];
        if (e->kind != OG_SYNC_FILE) continue;
        char *full = og_sync_join(list->allocator, tree, e->path);
        status = full == NULL
                     ? og_error_memory(err, strlen(e->path), "a path")
                     : og_chunks_of_file(full, cut, n_threads, &chunks, err);
        og_name_release(list->allocator, full);
        e->len = chunks.file_len;
        memcpy(e->root, chunks.root, OG_SYNC_ROOT_LEN);
        if (status == OG_OK && on_tree != NULL)
            status = on_tree(ctx, i, &chunks, err);
    }
    og_chunk_tree_release(&chunks);
    return status;
}

/* ---- as bytes ---- */

void og_sync_list_pack(const struct og_sync_list *list, struct og_pack *out)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct og_sync_entry *e = &list->entries[i];
        og_pack_number(out, e->kind);
        og_pack_number(out, strlen(e->path));
        og_pack_bytes(out, e->path, strlen(e->path));
        og_pack_number(out, e->mode);
        if (e->kind == OG_SYNC_LINK) {
            og_pack_number(out, strlen(e->link));
            og_pack_bytes(out, e->link, strlen(e->link));
        } else if (e->kind == OG_SYNC_FILE) {
            og_pack_signed(out, e->mtime);
            og_pack_number(out, e->len);
            og_pack_bytes(out, e->root, OG_SYNC_ROOT_LEN);
        }
    }
}

/* NULL: it is damaged, or *no_memory. */
static char *take_string(struct og_unpacker *u, const og_allocator *a,
                         bool must_be_safe, bool *no_memory)
{
    const uint64_t len = og_take_number(u);
    const uint8_t *p = len >= PATH_MAX ? NULL : og_take_bytes(u, len);
    if (p == NULL || len == 0 || memchr(p, '\0', len) != NULL ||
        (must_be_safe && !og_sync_path_is_safe((const char *)p, len)))
        return NULL;
    char *string = og_name_new(a, p, len);
    *no_memory = string == NULL;
    return string;
}

static bool take_entry(struct og_unpacker *u, const og_allocator *a,
                       struct og_sync_entry *e, bool *no_memory)
{
    e->kind = (enum og_sync_kind)og_take_number(u);
    e->path = take_string(u, a, true, no_memory);
    e->mode = og_take_number(u) & 0777;
    if (e->path == NULL) return false;
    if (e->kind == OG_SYNC_LINK) {
        e->link = take_string(u, a, false, no_memory);
        return e->link != NULL;
    }
    if (e->kind == OG_SYNC_FOLDER) return !u->bad;
    e->mtime = og_take_signed(u);
    e->len = og_take_number(u);
    const uint8_t *root = og_take_bytes(u, OG_SYNC_ROOT_LEN);
    if (root == NULL || e->kind != OG_SYNC_FILE || e->len > INT64_MAX)
        return false;
    memcpy(e->root, root, OG_SYNC_ROOT_LEN);
    return true;
}

og_status og_sync_list_parse(struct og_sync_list *list, const uint8_t *data,
                             size_t len, og_error *err)
{
    struct og_unpacker u = {data, data + len, false};
    while (og_unpacker_left(&u) > 0) {
        struct og_sync_entry e = {0};
        bool no_memory = false;
        if (!OG_GROW(list->allocator, list->entries, list->cap, list->n + 1))
            return og_error_memory(err, sizeof(e), "a list of files");
        const bool is_sound =
            take_entry(&u, list->allocator, &e, &no_memory) &&
            (list->n == 0 ||
             strcmp(list->entries[list->n - 1].path, e.path) < 0);
        if (no_memory) {
            entry_release(list->allocator, &e);
            return og_error_memory(err, len, "a list of files");
        }
        if (!is_sound) {
            og_error_set(err, OG_ERR_INPUT,
                         "the list of the other side is refused: '%.300s' is "
                         "not a path within the tree, or its entry is damaged",
                         e.path == NULL ? "?" : e.path);
            entry_release(list->allocator, &e);
            return OG_ERR_INPUT;
        }
        list->entries[list->n++] = e;
    }
    return OG_OK;
}
