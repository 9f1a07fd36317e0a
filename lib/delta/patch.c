/* origo patch: the old files are found and verified, then the delta is applied
 * to a new file, which gets its name only if its root is right.
 *
 * Old files are found by length and root, not by name: the user may have
 * renamed them, and may give a folder. All of them are read and verified before
 * the first byte is written. */

#include "lib/delta/delta.h"

#include "lib/os/file.h"
#include "lib/source/walk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct patch {
    const char *delta_path;
    struct og_delta_source source;
    struct og_delta_head head;
    struct og_delta_olds olds; /* in the order of the delta's table */
    struct og_new_file out;
    const og_allocator *allocator;
    unsigned n_threads;
    /* The last file that was given and did not match, for the message. */
    char *wrong_path;
    uint64_t wrong_len;
    uint8_t wrong_root[OG_HASH_LEN];
    bool wrong_has_root;
};

static og_status open_delta(struct patch *p, og_error *err)
{
    struct stat st;
    const int fd = og_file_open(p->delta_path);
    if (fd < 0) return og_file_failure(err, "open", p->delta_path, errno);
    p->source = (struct og_delta_source){.fd = fd, .name = p->delta_path};
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return og_error_set(err, OG_ERR_INPUT, "'%s' is not a regular file",
                            p->delta_path);
    p->source.len = (uint64_t)st.st_size;
    return og_delta_read_head(&p->source, p->allocator, &p->head, err);
}

/* ---- finding the old files ---- */

static og_status remember_wrong(struct patch *p, const char *path, uint64_t len,
                                const uint8_t *root, og_error *err)
{
    og_name_release(p->allocator, p->wrong_path);
    p->wrong_path = og_name_new(p->allocator, path, strlen(path));
    if (p->wrong_path == NULL)
        return og_error_memory(err, strlen(path), "a path");
    p->wrong_len = len;
    p->wrong_has_root = root != NULL;
    if (root != NULL) memcpy(p->wrong_root, root, OG_HASH_LEN);
    return OG_OK;
}

static bool is_needed_len(const struct patch *p, uint64_t len)
{
    for (size_t i = 0; i < p->head.n_olds; i++)
        if (p->head.olds[i].len == len) return true;
    return false;
}

/* Assigns the file to every entry of the table that it matches. */
static og_status take_if_right(struct patch *p, const char *path, uint64_t len,
                               const uint8_t *root, og_error *err)
{
    bool taken = false;
    for (size_t i = 0; i < p->head.n_olds; i++) {
        const struct og_delta_entry *e = &p->head.olds[i];
        struct og_delta_old *old = &p->olds.files[i];
        if (e->len != len || memcmp(e->root, root, p->head.old_root_len) != 0)
            continue;
        taken = true;
        if (old->path != NULL) continue;
        old->fd = og_file_open(path);
        if (old->fd < 0) return og_file_failure(err, "open", path, errno);
        old->len = len;
        old->path = og_name_new(p->allocator, path, strlen(path));
        if (old->path == NULL)
            return og_error_memory(err, strlen(path), "a path");
        TRY(og_file_window_init(&old->window, old->fd, old->path, len,
                                p->allocator, err));
    }
    return taken ? OG_OK : remember_wrong(p, path, len, root, err);
}

static og_status try_old(struct patch *p, const char *path, og_error *err)
{
    struct og_chunk_tree tree;
    struct stat st;
    if (stat(path, &st) != 0) return og_file_failure(err, "open", path, errno);
    if (!is_needed_len(p, (uint64_t)st.st_size))
        return remember_wrong(p, path, (uint64_t)st.st_size, NULL, err);
    og_chunk_tree_init(&tree, p->allocator);
    og_status status =
        og_chunks_of_file(path, &p->head.cut, p->n_threads, &tree, err);
    if (status == OG_OK)
        status = take_if_right(p, path, tree.file_len, tree.root, err);
    og_chunk_tree_release(&tree);
    return status;
}

static og_status refuse(const struct patch *p, size_t i, og_error *err)
{
    const struct og_delta_entry *e = &p->head.olds[i];
    char name[208] = "";
    if (e->name[0] != '\0') snprintf(name, sizeof(name), " '%.200s'", e->name);
    if (p->wrong_path == NULL)
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s' needs the old file%s (%llu bytes), which was "
                            "not given",
                            p->delta_path, name, (unsigned long long)e->len);
    char is[40];
    if (p->wrong_has_root)
        snprintf(is, sizeof(is), "checksum %02x%02x%02x%02x", p->wrong_root[0],
                 p->wrong_root[1], p->wrong_root[2], p->wrong_root[3]);
    else
        snprintf(is, sizeof(is), "%llu bytes",
                 (unsigned long long)p->wrong_len);
    return og_error_set(err, OG_ERR_INPUT,
                        "'%.150s' (%s) is not the old file%.100s (%llu "
                        "bytes, checksum %02x%02x%02x%02x) that '%.100s' needs",
                        p->wrong_path, is, name, (unsigned long long)e->len,
                        e->root[0], e->root[1], e->root[2], e->root[3],
                        p->delta_path);
}

static og_status find_olds(struct patch *p, const char *const *paths,
                           size_t n_paths, og_error *err)
{
    struct og_walk walk;
    struct og_walk_entry entry;
    og_status status;
    const size_t n = p->head.n_olds;
    p->olds.allocator = p->allocator;
    if (!OG_GROW(p->allocator, p->olds.files, p->olds.cap, n + 1))
        return og_error_memory(err, n, "old files");
    for (size_t i = 0; i < n; i++)
        p->olds.files[i] = (struct og_delta_old){.fd = -1};
    p->olds.n = n;
    og_walk_init(&walk, paths, n_paths, p->allocator);
    while ((status = og_walk_next(&walk, &entry, err)) == OG_OK) {
        if (entry.kind == OG_WALK_FAILED)
            status = og_file_failure(err, "read", entry.path, entry.error);
        if (status == OG_OK && entry.kind == OG_WALK_FILE)
            status = try_old(p, entry.path, err);
        if (status != OG_OK) break;
    }
    og_walk_release(&walk);
    if (status != OG_END) return status;
    for (size_t i = 0; i < n; i++)
        if (p->olds.files[i].path == NULL) return refuse(p, i, err);
    return OG_OK;
}

/* ---- playing ---- */

static og_status read_old(void *ctx, uint32_t old, uint64_t off, size_t len,
                          uint8_t *out, og_error *err)
{
    struct patch *p = ctx;
    struct og_delta_old *file = &p->olds.files[old];
    const int64_t n = og_file_read_at(file->fd, out, len, off);
    if (n < 0) return og_file_failure(err, "read", file->path, errno);
    if ((size_t)n < len)
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s' became shorter while it was read",
                            file->path);
    return OG_OK;
}

static og_status write_new(void *ctx, const uint8_t *data, size_t len,
                           og_error *err)
{
    struct patch *p = ctx;
    return og_new_file_write(&p->out, data, len, err);
}

/* Reads what was written: the root shows whether it is the file from which the
 * delta was made. */
static og_status check_result(struct patch *p, const char *out_path,
                              og_error *err)
{
    struct og_chunk_tree tree;
    og_chunk_tree_init(&tree, p->allocator);
    og_status status = og_new_file_flush(&p->out, err);
    if (status == OG_OK)
        status = og_chunks_of_fd(p->out.fd, out_path, &p->head.cut,
                                 p->n_threads, &tree, err);
    if (status == OG_OK &&
        (tree.file_len != p->head.new_len ||
         memcmp(tree.root, p->head.new_root, p->head.new_root_len) != 0))
        status = og_error_set(err, OG_ERR_INPUT,
                              "'%s' does not give the file that it was made "
                              "from: the checksum of '%s' is wrong, nothing "
                              "was written",
                              p->delta_path, out_path);
    og_chunk_tree_release(&tree);
    return status;
}

static og_status play(struct patch *p, const char *out_path, og_error *err)
{
    const struct og_delta_sink sink = {p, read_old, write_new};
    TRY(og_output_open(&p->out, out_path, true, err));
    TRY(og_delta_read_blocks(&p->source, &p->head, &sink, err));
    TRY(check_result(p, out_path, err));
    return og_new_file_commit(&p->out, err);
}

static void release(struct patch *p)
{
    og_new_file_discard(&p->out);
    og_delta_olds_release(&p->olds);
    og_delta_head_release(&p->head);
    if (p->source.fd >= 0) close(p->source.fd);
    og_name_release(p->allocator, p->wrong_path);
}

og_status og_delta_apply(const char *const *old_paths, size_t n_old,
                         const char *delta_path, const char *out_path,
                         const og_delta_options *options,
                         og_delta_info *out_info, og_error *err)
{
    const og_delta_options defaults = og_delta_options_default();
    if (options == NULL) options = &defaults;
    struct patch p = {.delta_path = delta_path,
                      .source = {.fd = -1},
                      .out = {.fd = -1},
                      .allocator = NULL,
                      .n_threads = options->n_threads};
    og_status status = open_delta(&p, err);
    if (status == OG_OK) status = find_olds(&p, old_paths, n_old, err);
    if (status == OG_OK) status = play(&p, out_path, err);
    if (status == OG_OK && out_info != NULL)
        *out_info = (og_delta_info){.n_old = p.head.n_olds,
                                    .new_len = p.head.new_len,
                                    .delta_len = p.source.len};
    release(&p);
    return status;
}
