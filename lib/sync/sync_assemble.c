/* Builds new files from old bytes and from bytes off the wire.
 *
 * A file is written sequentially: a broken connection leaves its beginning,
 * which the next session recognises by its chunks. Bytes on the wire are in
 * frames that are independent of files. */

#include "lib/sync/sync_receive.h"

#include "lib/os/file.h"
#include "lib/os/new_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
    COPY_LEN = 1 << 17,
    /* Spans are short and close together: the surroundings of a short one are
     * read with it, and output is collected until it is worth a call. */
    WINDOW_LEN = 1 << 15,
    WRITE_LEN = 1 << 16,
};

struct assembler {
    struct og_receiver *r;
    struct og_unpacker frame; /* the rest of the current frame */
    uint8_t *copy;
    int fd; /* of the part; -1: the list, a dry run, or a file that failed */
    char part[OG_SYNC_PART_NAME];
    uint64_t written;
    uint8_t *waiting; /* bytes not yet written to the part */
    size_t n_waiting;
};

/* Reads bytes of the open old file through a window. False: they do not fit
 * into one, or do not exist. */
static bool read_window(struct og_receiver *r, uint64_t off, size_t len,
                        uint8_t *out)
{
    if (len > WINDOW_LEN / 2) return false;
    if (off < r->window_off || off - r->window_off > r->window_len ||
        len > r->window_len - (off - r->window_off)) {
        if (!OG_GROW(r->allocator, r->window, r->window_cap, WINDOW_LEN))
            return false;
        const int64_t n =
            og_file_read_at(r->old_fd, r->window, WINDOW_LEN, off);
        r->window_off = off;
        r->window_len = n > 0 ? (size_t)n : 0;
    }
    if (len > r->window_len - (off - r->window_off)) return false;
    memcpy(out, r->window + (off - r->window_off), len);
    return true;
}

og_status og_sync_read_old(struct og_receiver *r, uint32_t file, uint64_t off,
                           size_t len, uint8_t *out, og_error *err)
{
    const struct og_sync_old *old = &r->olds[file];
    if (file == 0) {
        if (off > r->old_packed.len || len > r->old_packed.len - off)
            return og_error_set(err, OG_ERR_INPUT, "the old list is shorter");
        memcpy(out, r->old_packed.data + off, len);
        return OG_OK;
    }
    if (r->old_fd < 0 || r->old_fd_file != file) {
        if (r->old_fd >= 0) close(r->old_fd);
        r->old_fd = og_file_open(old->path);
        r->old_fd_file = file;
        r->window_len = 0;
        if (r->old_fd < 0)
            return og_error_set(err, OG_ERR_INPUT,
                                "'%s' went away while it was read", old->path);
    }
    if (read_window(r, off, len, out)) return OG_OK;
    const int64_t n = og_file_read_at(r->old_fd, out, len, off);
    if (n < 0 || (size_t)n < len)
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s' became shorter while it was read", old->path);
    return OG_OK;
}

static og_status write_part(struct assembler *a, const struct og_sync_object *o,
                            const uint8_t *data, size_t len, og_error *err)
{
    struct og_receiver *r = a->r;
    if (a->fd < 0 || len == 0 || og_file_write_all(a->fd, data, len) == 0)
        return OG_OK;
    const int error = errno;
    /* Its partial content takes room that others could use. */
    close(a->fd);
    a->fd = -1;
    og_sync_part_remove(&r->target, a->part);
    return og_file_failure(err, "write", r->list.entries[o->entry].path, error);
}

static og_status write_waiting(struct assembler *a,
                               const struct og_sync_object *o, og_error *err)
{
    const size_t n = a->n_waiting;
    a->n_waiting = 0;
    return write_part(a, o, a->waiting, n, err);
}

static og_status write_bytes(struct assembler *a,
                             const struct og_sync_object *o,
                             const uint8_t *data, size_t len, og_error *err)
{
    struct og_receiver *r = a->r;
    a->written += len;
    if (o->entry == SIZE_MAX) {
        /* The offered length bounds the memory. */
        if (a->written <= o->len) og_pack_bytes(&r->list_packed, data, len);
        return r->list_packed.failed ? og_error_memory(err, len, "a list")
                                     : OG_OK;
    }
    if (a->fd < 0 || a->written > o->len) return OG_OK;
    const bool is_long = len > WRITE_LEN / 2;
    if (is_long || len > WRITE_LEN - a->n_waiting)
        TRY(write_waiting(a, o, err));
    if (is_long) return write_part(a, o, data, len, err);
    memcpy(a->waiting + a->n_waiting, data, len);
    a->n_waiting += len;
    return OG_OK;
}

static og_status copy_span(struct assembler *a, struct og_sync_object *o,
                           const struct og_span_of_file *span, og_error *err)
{
    if (a->r->options->dry_run && o->entry != SIZE_MAX) {
        a->written += span->len;
        return OG_OK;
    }
    for (uint64_t done = 0; done < span->len;) {
        const uint64_t left = span->len - done;
        const size_t n = left < COPY_LEN ? (size_t)left : COPY_LEN;
        if (a->written > o->len) break; /* it is already wrong */
        if (og_sync_read_old(a->r, span->file, span->off + done, n, a->copy,
                             NULL) != OG_OK)
            memset(a->copy, 0, n); /* the root will detect it */
        TRY(write_bytes(a, o, a->copy, n, err));
        done += n;
    }
    return OG_OK;
}

static og_status fill_hole(struct assembler *a, struct og_sync_object *o,
                           uint64_t len, og_error *err)
{
    while (len > 0) {
        if (og_unpacker_left(&a->frame) == 0) {
            TRY(og_wire_get(a->r->wire, OG_WIRE_BYTES, &a->frame, err));
            if (og_unpacker_left(&a->frame) == 0)
                return og_error_set(err, OG_ERR_INPUT,
                                    "the other side sends empty bytes");
        }
        const size_t have = og_unpacker_left(&a->frame);
        const size_t n = len < have ? (size_t)len : have;
        TRY(write_bytes(a, o, og_take_bytes(&a->frame, n), n, err));
        a->r->counts->literal_len += n;
        len -= n;
    }
    return OG_OK;
}

/* ---- one file ---- */

static og_status check_root(struct assembler *a, struct og_sync_object *o,
                            og_error *err)
{
    struct og_receiver *r = a->r;
    const og_cut_options list_cut =
        og_cut_options_default(OG_CUT_GEAR, OG_SYNC_LIST_AVERAGE);
    const bool is_list = o->entry == SIZE_MAX;
    struct og_chunk_tree tree;
    og_chunk_tree_init(&tree, r->allocator);
    og_status status = OG_OK;
    o->is_wrong = a->written != o->len;
    if (is_list)
        status = og_chunks_of_memory(r->list_packed.data, r->list_packed.len,
                                     &list_cut, 1, &tree, err);
    else if (a->fd >= 0)
        status = og_chunks_of_fd(a->fd, r->list.entries[o->entry].path, &r->cut,
                                 r->options->n_threads, &tree, err);
    if (status == OG_OK && (is_list || a->fd >= 0)) {
        const uint8_t *root =
            is_list ? r->list_root : r->list.entries[o->entry].root;
        o->is_wrong = o->is_wrong || tree.file_len != o->len ||
                      memcmp(tree.root, root, OG_SYNC_ROOT_LEN) != 0;
    }
    og_chunk_tree_release(&tree);
    return status;
}

static og_status finish_part(struct assembler *a, struct og_sync_object *o,
                             og_error *err)
{
    struct og_receiver *r = a->r;
    if (a->fd < 0) return OG_OK;
    const char *path = r->list.entries[o->entry].path;
    og_status status = OG_OK;
    if (close(a->fd) != 0) status = og_file_failure(err, "write", path, errno);
    a->fd = -1;
    if (o->is_wrong || status != OG_OK)
        og_sync_part_remove(&r->target, a->part);
    else
        r->arrived[o->entry] = 1;
    return status;
}

static og_status assemble_object(struct assembler *a, struct og_sync_object *o,
                                 og_error *err)
{
    struct og_receiver *r = a->r;
    a->written = a->n_waiting = 0;
    if (o->entry != SIZE_MAX && !r->options->dry_run) {
        og_sync_part_name(r->list.entries[o->entry].root, o->entry, a->part);
        TRY(og_sync_part_open(&r->target, a->part, &a->fd, err));
    }
    for (size_t i = 0; i < o->n; i++)
        TRY(o->spans[i].file == OG_SYNC_HOLE
                ? fill_hole(a, o, o->spans[i].len, err)
                : copy_span(a, o, &o->spans[i], err));
    TRY(write_waiting(a, o, err));
    TRY(check_root(a, o, err));
    return finish_part(a, o, err);
}

og_status og_sync_assemble(struct og_receiver *r, og_error *err)
{
    struct assembler a = {.r = r, .fd = -1};
    og_status status = OG_OK;
    a.copy = og_allocate(r->allocator, COPY_LEN + WRITE_LEN);
    if (a.copy == NULL) return og_error_memory(err, COPY_LEN, "a copy");
    a.waiting = a.copy + COPY_LEN;
    for (size_t k = 0; status == OG_OK && k < r->n_objects; k++)
        if (!r->objects[k].is_finished)
            status = assemble_object(&a, &r->objects[k], err);
    /* An incomplete part is kept: the next session resumes from it. */
    if (a.fd >= 0 && a.n_waiting > 0)
        (void)!og_file_write_all(a.fd, a.waiting, a.n_waiting);
    if (a.fd >= 0) close(a.fd);
    if (status == OG_OK && og_unpacker_left(&a.frame) > 0)
        status = og_error_set(err, OG_ERR_INPUT,
                              "the other side sends more bytes than it said");
    og_release(r->allocator, a.copy, COPY_LEN + WRITE_LEN);
    return status;
}
