/* Small pieces: the old bytes at the position of something unknown.
 *
 * When an edit breaks a chunk of 2 KiB, most of its bytes are still in the old
 * file, between the old positions of the known chunks before and after it. That
 * stretch is cut into pieces just as the sender cuts his, and pieces are
 * compared by short keys: among the few hundred of one stretch 4 bytes are
 * enough. */

#include "lib/sync/sync_receive.h"

#include <string.h>

enum {
    GAP_MOST = 1 << 18, /* between two known places */
    SIDE_LEN = 1 << 15, /* after or before a single one */
};

static og_status add_region(struct og_receiver *r, uint32_t file, uint64_t off,
                            uint64_t len, og_error *err)
{
    const og_cut_options cut = og_sync_piece_cut(r->fine_len);
    const uint64_t file_len = r->olds[file].len;
    struct og_cuts cuts;
    if (off >= file_len) return OG_OK;
    if (len > file_len - off) len = file_len - off;
    uint8_t *data = og_allocate(r->allocator, (size_t)len + 1);
    if (data == NULL) return og_error_memory(err, (size_t)len, "pieces");
    og_cuts_init(&cuts, r->allocator);
    og_status status = og_sync_read_old(r, file, off, (size_t)len, data, err);
    if (status == OG_OK)
        status = og_cut_all(data, (size_t)len, &cut, &cuts, err);
    uint64_t begin = 0;
    for (size_t i = 0; status == OG_OK && i < cuts.n; i++) {
        const uint64_t key =
            og_sync_piece_key(data + begin, (size_t)(cuts.end[i] - begin));
        if (!og_known_chunks_add(&r->pieces, key, file, off + begin,
                                 cuts.end[i] - begin))
            status = og_error_memory(err, cuts.n, "pieces");
        begin = cuts.end[i];
    }
    og_cuts_release(&cuts);
    og_release(r->allocator, data, (size_t)len + 1);
    /* An old file that changed meanwhile has nothing to offer. */
    return status == OG_ERR_MEMORY ? status : OG_OK;
}

/* The old file of the same path, if nothing nearby is known. */
static uint32_t same_path(const struct og_receiver *r,
                          const struct og_sync_object *o)
{
    if (o->entry == SIZE_MAX) return 0;
    const char *path = r->list.entries[o->entry].path;
    const size_t tree_len = strlen(r->tree);
    for (size_t i = 1; i < r->n_olds; i++)
        if (strncmp(r->olds[i].path, r->tree, tree_len) == 0 &&
            r->olds[i].path[tree_len] == '/' &&
            strcmp(r->olds[i].path + tree_len + 1, path) == 0)
            return (uint32_t)i;
    return OG_SYNC_HOLE;
}

static const struct og_span_of_file *
neighbour(const struct og_span_of_file *spans, size_t n, size_t i, int step)
{
    const size_t at = i + (size_t)step;
    return at >= n || spans[at].file == OG_SYNC_HOLE ? NULL : &spans[at];
}

og_status og_sync_pieces_find(struct og_receiver *r,
                              const struct og_sync_object *o,
                              const struct og_span_of_file *spans, size_t n,
                              size_t i, og_error *err)
{
    const struct og_span_of_file *before = neighbour(spans, n, i, -1);
    const struct og_span_of_file *after = neighbour(spans, n, i, 1);
    const uint64_t end = before == NULL ? 0 : before->off + before->len;
    og_known_chunks_clear(&r->pieces);
    if (before != NULL && after != NULL && before->file == after->file &&
        end <= after->off && after->off - end <= GAP_MOST)
        return add_region(r, before->file, end, after->off - end, err);
    if (before != NULL) TRY(add_region(r, before->file, end, SIDE_LEN, err));
    if (after != NULL) {
        const uint64_t len = after->off < SIDE_LEN ? after->off : SIDE_LEN;
        TRY(add_region(r, after->file, after->off - len, len, err));
    }
    if (before != NULL || after != NULL) return OG_OK;
    const uint32_t file = same_path(r, o);
    if (file == OG_SYNC_HOLE) return OG_OK;
    return add_region(r, file, 0, GAP_MOST, err);
}
