/* Keys and lengths of chunks, and windows on files.
 *
 * Windows rather than mappings: if a mapped file is truncated meanwhile, the
 * process ends with a signal; a short read is a status with a message. */

#include "lib/chunk/file_chunks.h"

#include "lib/os/new_file.h"

#include <errno.h>

void og_file_chunks_init(struct og_file_chunks *chunks,
                         const og_allocator *allocator)
{
    *chunks = (struct og_file_chunks){.allocator = allocator};
}

void og_file_chunks_release(struct og_file_chunks *chunks)
{
    OG_UNGROW(chunks->allocator, chunks->keys, chunks->keys_cap);
    OG_UNGROW(chunks->allocator, chunks->lens, chunks->lens_cap);
    chunks->n = 0;
}

og_status og_file_chunks_take(struct og_file_chunks *chunks,
                              const struct og_chunk_tree *tree, og_error *err)
{
    const size_t n = tree->n_chunks;
    if (!OG_GROW(chunks->allocator, chunks->keys, chunks->keys_cap, n) ||
        !OG_GROW(chunks->allocator, chunks->lens, chunks->lens_cap, n))
        return og_error_memory(err, n * 12, "the chunks of a file");
    for (size_t i = 0; i < n; i++) {
        chunks->keys[i] = og_hash_key(tree->chunks[i].hash);
        chunks->lens[i] = (uint32_t)tree->chunks[i].len;
    }
    chunks->n = n;
    chunks->file_len = tree->file_len;
    memcpy(chunks->hash, tree->root, OG_HASH_LEN);
    return OG_OK;
}

og_status og_file_chunks_read(struct og_file_chunks *chunks, const char *path,
                              const og_cut_options *options, unsigned n_threads,
                              og_error *err)
{
    struct og_chunk_tree tree;
    og_chunk_tree_init(&tree, chunks->allocator);
    og_status status = og_chunks_of_file(path, options, n_threads, &tree, err);
    if (status == OG_OK) status = og_file_chunks_take(chunks, &tree, err);
    og_chunk_tree_release(&tree);
    return status;
}

/* ---- windows ---- */

og_status og_file_window_init(struct og_file_window *window, int fd,
                              const char *name, uint64_t file_len,
                              const og_allocator *allocator, og_error *err)
{
    *window = (struct og_file_window){
        .allocator = allocator, .fd = fd, .name = name, .file_len = file_len};
    window->data = og_allocate(allocator, OG_WINDOW_LEN);
    if (window->data == NULL)
        return og_error_memory(err, OG_WINDOW_LEN, "a window on a file");
    return OG_OK;
}

void og_file_window_release(struct og_file_window *window)
{
    if (window->data != NULL)
        og_release(window->allocator, window->data, OG_WINDOW_LEN);
    window->data = NULL;
}

static og_status fill(struct og_file_window *w, uint64_t off, og_error *err)
{
    const uint64_t left = w->file_len - off;
    const size_t want = left < OG_WINDOW_LEN ? (size_t)left : OG_WINDOW_LEN;
    w->len = 0;
    const int64_t n = og_file_read_at(w->fd, w->data, want, off);
    if (n < 0) return og_file_failure(err, "read", w->name, errno);
    if ((size_t)n < want)
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s' became shorter while it was read: %llu of "
                            "%llu bytes are left",
                            w->name, (unsigned long long)off + (size_t)n,
                            (unsigned long long)w->file_len);
    w->off = off;
    w->len = want;
    return OG_OK;
}

og_status og_file_window_at(struct og_file_window *w, uint64_t off, size_t *len,
                            const uint8_t **out, og_error *err)
{
    if (off < w->off || off - w->off >= w->len) TRY(fill(w, off, err));
    const size_t skip = (size_t)(off - w->off);
    if (*len > w->len - skip) *len = w->len - skip;
    *out = w->data + skip;
    return OG_OK;
}

og_status og_file_window_before(struct og_file_window *w, uint64_t off,
                                size_t *len, const uint8_t **out, og_error *err)
{
    if (off <= w->off || off - w->off > w->len) {
        /* The place in the middle, so that steps in both directions are
         * near. */
        const uint64_t half = OG_WINDOW_LEN / 2;
        TRY(fill(w, off < half ? 0 : off - half, err));
    }
    const size_t have = (size_t)(off - w->off);
    if (*len > have) *len = have;
    *out = w->data + have - *len;
    return OG_OK;
}

og_status og_file_window_read(struct og_file_window *w, uint64_t off,
                              size_t len, uint8_t *out, og_error *err)
{
    while (len > 0) {
        const uint8_t *p;
        size_t n = len;
        TRY(og_file_window_at(w, off, &n, &p, err));
        memcpy(out, p, n);
        out += n;
        off += n;
        len -= n;
    }
    return OG_OK;
}
