/* The sender of the exchange: sends hashes from the top down, then bytes.
 *
 *     offer   ->   options, length and root of the list of files
 *             <-   have    how many chunks are known, whether the list is
 *     the list as a batch of one, unless it is known; then for each batch:
 *             <-   want    these files
 *     hashes  ->   of the top of each tree         \  until no node
 *             <-   miss    those that are unknown  /  is unknown
 *     pieces  ->   hashes of small pieces of the rest
 *             <-   miss
 *     holes   ->   how long, then the bytes
 *             <-   redo    when a root came out wrong; want; or done
 *
 * An item is a part of a file that the receiver lacks: a node, later a chunk,
 * in the end a range of bytes. Items of a file are in order; known ones are
 * dropped. */

#include "lib/sync/sync.h"

#include "lib/os/file.h"
#include "lib/os/new_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct item {
    uint64_t off, len;
    uint64_t index;
    uint8_t level; /* 0: a chunk, or a range of bytes */
    bool asked;    /* its hash is in the message awaiting an answer */
};

struct object {
    const uint8_t *memory; /* the list; NULL: a file */
    char *path;
    int fd;
    struct og_chunk_tree tree;
    struct item *items;
    size_t n, cap;
};

/* Chunks of a file that was read for the list. They are kept while there are
 * few, so that a requested file need not be read and hashed again. */
struct kept {
    og_chunk *chunks; /* NULL: not kept, or taken */
    size_t n;
};

/* For all files together: 12 MB. */
#define KEPT_MOST ((size_t)256 << 10)

struct sender {
    struct og_wire *wire;
    const char *tree;
    const og_sync_options *options;
    const og_allocator *allocator;
    og_sync_counts *counts;
    struct og_sync_list list;
    struct og_pack packed_list;
    uint64_t n_chunks; /* of all files */
    struct kept *kept; /* one per entry of the list, as far as filled */
    size_t n_kept, kept_cap, n_kept_chunks;
    size_t hash_len;
    struct object *objects; /* of the batch */
    size_t n_objects, objects_cap;
    struct og_pack message;
};

/* ---- objects ---- */

static void object_release(const og_allocator *a, struct object *o)
{
    og_chunk_tree_release(&o->tree);
    OG_UNGROW(a, o->items, o->cap);
    og_name_release(a, o->path);
    if (o->fd >= 0) close(o->fd);
}

static void batch_clear(struct sender *s)
{
    for (size_t i = 0; i < s->n_objects; i++)
        object_release(s->allocator, &s->objects[i]);
    s->n_objects = 0;
}

static struct object *batch_add(struct sender *s)
{
    if (!OG_GROW(s->allocator, s->objects, s->objects_cap, s->n_objects + 1))
        return NULL;
    struct object *o = &s->objects[s->n_objects++];
    *o = (struct object){.fd = -1};
    og_chunk_tree_init(&o->tree, s->allocator);
    return o;
}

static void drop_kept(const og_allocator *a, struct kept *kept)
{
    og_release(a, kept->chunks, kept->n * sizeof(*kept->chunks));
    *kept = (struct kept){0};
}

static void release_kept(struct sender *s)
{
    for (size_t i = 0; i < s->n_kept; i++)
        drop_kept(s->allocator, &s->kept[i]);
    OG_UNGROW(s->allocator, s->kept, s->kept_cap);
    s->n_kept = 0;
}

/* Entries come in order. Chunks are dropped if there is no memory for them. */
static void keep_chunks(struct sender *s, size_t entry,
                        const struct og_chunk_tree *tree)
{
    if (tree->n_chunks == 0 || tree->n_chunks > KEPT_MOST - s->n_kept_chunks ||
        !OG_GROW(s->allocator, s->kept, s->kept_cap, entry + 1))
        return;
    const size_t size = tree->n_chunks * sizeof(*tree->chunks);
    while (s->n_kept <= entry)
        s->kept[s->n_kept++] = (struct kept){0};
    struct kept *kept = &s->kept[entry];
    kept->chunks = og_allocate(s->allocator, size);
    if (kept->chunks == NULL) return;
    memcpy(kept->chunks, tree->chunks, size);
    kept->n = tree->n_chunks;
    s->n_kept_chunks += kept->n;
}

/* The chunks that were kept, or those of the current file. */
static og_status find_chunks(struct sender *s, size_t entry, struct object *o,
                             og_error *err)
{
    const og_cut_options *cut = &s->options->cut;
    if (entry >= s->n_kept || s->kept[entry].chunks == NULL)
        return og_chunks_of_file(o->path, cut, s->options->n_threads, &o->tree,
                                 err);
    struct kept *kept = &s->kept[entry];
    o->tree.options = *cut;
    o->tree.chunks = kept->chunks;
    o->tree.n_chunks = o->tree.chunks_cap = kept->n;
    *kept = (struct kept){0};
    return og_chunk_tree_build(&o->tree, err);
}

/* A file that no longer exists or cannot be read is empty here; the receiver
 * detects the wrong root and reports it. */
static og_status add_file(struct sender *s, size_t entry, og_error *err)
{
    const struct og_sync_entry *e = &s->list.entries[entry];
    struct object *o = batch_add(s);
    if (o == NULL ||
        (o->path = og_sync_join(s->allocator, s->tree, e->path)) == NULL)
        return og_error_memory(err, sizeof(*o), "a file to send");
    const og_status status = find_chunks(s, entry, o, err);
    if (status == OG_ERR_MEMORY) return status;
    s->counts->n_files_changed++;
    s->counts->new_len += o->tree.file_len;
    return OG_OK;
}

static og_status add_list(struct sender *s, og_error *err)
{
    const og_cut_options cut =
        og_cut_options_default(OG_CUT_GEAR, OG_SYNC_LIST_AVERAGE);
    struct object *o = batch_add(s);
    if (o == NULL) return og_error_memory(err, sizeof(*o), "a list");
    o->memory = s->packed_list.data;
    return og_chunks_of_memory(o->memory, s->packed_list.len, &cut, 1, &o->tree,
                               err);
}

static og_status read_object(struct object *o, uint64_t off, size_t len,
                             uint8_t *out, og_error *err)
{
    if (o->memory != NULL) {
        memcpy(out, o->memory + off, len);
        return OG_OK;
    }
    if (o->fd < 0) o->fd = og_file_open(o->path);
    if (o->fd < 0) return og_file_failure(err, "open", o->path, errno);
    const int64_t n = og_file_read_at(o->fd, out, len, off);
    if (n < 0) return og_file_failure(err, "read", o->path, errno);
    /* It was truncated: zeros keep the message complete, the root will not
     * match, and the receiver requests it again. */
    memset(out + n, 0, len - (size_t)n);
    return OG_OK;
}

/* Descriptors are limited; one object is read at a time. */
static void close_object(struct object *o)
{
    if (o->fd >= 0) close(o->fd);
    o->fd = -1;
}

/* ---- levels ---- */

static const uint8_t *item_hash(const struct object *o, const struct item *i)
{
    return i->level == 0 ? o->tree.chunks[i->index].hash
                         : o->tree.levels[i->level - 1].nodes[i->index].hash;
}

static bool append_item(const struct sender *s, struct object *o,
                        unsigned level, uint64_t index)
{
    struct item item = {.index = index, .level = (uint8_t)level, .asked = true};
    if (level == 0) {
        item.off = o->tree.chunks[index].offset;
        item.len = o->tree.chunks[index].len;
    } else {
        item.off = o->tree.levels[level - 1].nodes[index].offset;
        item.len = o->tree.levels[level - 1].nodes[index].len;
    }
    if (!OG_GROW(s->allocator, o->items, o->cap, o->n + 1)) return false;
    o->items[o->n++] = item;
    return true;
}

static void put_hash(struct sender *s, const struct object *o, size_t i)
{
    og_pack_bytes(&s->message, item_hash(o, &o->items[i]), s->hash_len);
}

static og_status ask_top(struct sender *s, uint64_t *n_asked, og_error *err)
{
    for (size_t k = 0; k < s->n_objects; k++) {
        struct object *o = &s->objects[k];
        const unsigned top = o->tree.n_levels;
        const size_t n =
            top == 0 ? o->tree.n_chunks : o->tree.levels[top - 1].n;
        og_pack_number(&s->message, top);
        og_pack_number(&s->message, n);
        for (size_t i = 0; i < n; i++) {
            if (!append_item(s, o, top, i))
                return og_error_memory(err, n, "items to send");
            put_hash(s, o, o->n - 1);
        }
        *n_asked += n;
    }
    return OG_OK;
}

/* Replaces every node by its children. */
static og_status expand_object(struct sender *s, struct object *o,
                               uint64_t *n_asked, og_error *err)
{
    struct item *old = o->items;
    const size_t n_old = o->n, old_cap = o->cap;
    og_status status = OG_OK;
    o->items = NULL;
    o->n = o->cap = 0;
    for (size_t i = 0; status == OG_OK && i < n_old; i++) {
        bool fits = true;
        if (old[i].level == 0) {
            fits = OG_GROW(s->allocator, o->items, o->cap, o->n + 1);
            if (fits) o->items[o->n++] = old[i];
        } else {
            const og_chunk_node *node =
                &o->tree.levels[old[i].level - 1].nodes[old[i].index];
            og_pack_number(&s->message, node->n_children);
            for (uint32_t c = 0; fits && c < node->n_children; c++) {
                fits =
                    append_item(s, o, old[i].level - 1u, node->first_child + c);
                if (fits) put_hash(s, o, o->n - 1);
            }
            *n_asked += node->n_children;
        }
        if (!fits) status = og_error_memory(err, o->n, "items to send");
    }
    og_release(s->allocator, old, old_cap * sizeof(*old));
    return status;
}

/* One bit for each item that was asked about, in the same order. */
static og_status take_misses(struct sender *s, uint64_t n_asked, og_error *err)
{
    struct og_unpacker u;
    uint64_t bit = 0;
    TRY(og_wire_get(s->wire, OG_WIRE_MISS, &u, err));
    const uint8_t *bits = og_take_bytes(&u, (n_asked + 7) / 8);
    if (bits == NULL || og_unpacker_left(&u) > 0)
        return og_error_set(err, OG_ERR_INPUT,
                            "the other side answers %zu bytes to %llu hashes",
                            s->wire->message.len, (unsigned long long)n_asked);
    for (size_t k = 0; k < s->n_objects; k++) {
        struct object *o = &s->objects[k];
        size_t n = 0;
        for (size_t i = 0; i < o->n; i++) {
            bool stays = true;
            if (o->items[i].asked) {
                stays = (bits[bit / 8] >> bit % 8 & 1) != 0;
                bit++;
            }
            o->items[i].asked = false;
            if (stays) o->items[n++] = o->items[i];
        }
        o->n = n;
    }
    return OG_OK;
}

static bool has_nodes(const struct sender *s)
{
    for (size_t k = 0; k < s->n_objects; k++)
        for (size_t i = 0; i < s->objects[k].n; i++)
            if (s->objects[k].items[i].level > 0) return true;
    return false;
}

static og_status ask_hashes(struct sender *s, og_error *err)
{
    bool is_first = true;
    while (is_first || has_nodes(s)) {
        uint64_t n_asked = 0;
        s->message.len = 0;
        if (is_first) TRY(ask_top(s, &n_asked, err));
        for (size_t k = 0; !is_first && k < s->n_objects; k++)
            TRY(expand_object(s, &s->objects[k], &n_asked, err));
        is_first = false;
        TRY(og_wire_put(s->wire, OG_WIRE_HASHES, &s->message, n_asked, err));
        TRY(take_misses(s, n_asked, err));
    }
    return OG_OK;
}

/* ---- pieces ---- */

/* Merges adjacent items. Returns whether there are any. */
static bool join_runs(struct sender *s)
{
    bool any = false;
    for (size_t k = 0; k < s->n_objects; k++) {
        struct object *o = &s->objects[k];
        size_t n = 0;
        for (size_t i = 0; i < o->n; i++) {
            if (n > 0 &&
                o->items[n - 1].off + o->items[n - 1].len == o->items[i].off)
                o->items[n - 1].len += o->items[i].len;
            else
                o->items[n++] = o->items[i];
        }
        o->n = n;
        any = any || n > 0;
    }
    return any;
}

static og_status cut_run(struct sender *s, struct object *o, struct item run,
                         struct og_cuts *cuts, uint8_t *data, uint64_t *n_asked,
                         og_error *err)
{
    const og_cut_options cut = og_sync_piece_cut(s->options->fine_len);
    const bool is_fine = run.len <= OG_SYNC_MAX_RUN;
    cuts->n = 0;
    if (is_fine) {
        TRY(read_object(o, run.off, (size_t)run.len, data, err));
        TRY(og_cut_all(data, (size_t)run.len, &cut, cuts, err));
    }
    og_pack_number(&s->message, cuts->n);
    if (!OG_GROW(s->allocator, o->items, o->cap, o->n + cuts->n + 1))
        return og_error_memory(err, cuts->n, "items to send");
    if (!is_fine) {
        o->items[o->n++] = run;
        return OG_OK;
    }
    uint64_t begin = 0;
    for (size_t i = 0; i < cuts->n; i++) {
        const size_t len = (size_t)(cuts->end[i] - begin);
        og_pack_fixed(&s->message, og_sync_piece_key(data + begin, len),
                      OG_SYNC_PIECE_KEY_LEN);
        o->items[o->n++] =
            (struct item){.off = run.off + begin, .len = len, .asked = true};
        begin = cuts->end[i];
    }
    *n_asked += cuts->n;
    return OG_OK;
}

static og_status cut_runs(struct sender *s, struct object *o,
                          struct og_cuts *cuts, uint8_t *data,
                          uint64_t *n_asked, og_error *err)
{
    struct item *runs = o->items;
    const size_t n = o->n, cap = o->cap;
    og_status status = OG_OK;
    o->items = NULL;
    o->n = o->cap = 0;
    for (size_t i = 0; status == OG_OK && i < n; i++)
        status = cut_run(s, o, runs[i], cuts, data, n_asked, err);
    close_object(o);
    og_release(s->allocator, runs, cap * sizeof(*runs));
    return status;
}

static og_status ask_pieces(struct sender *s, og_error *err)
{
    struct og_cuts cuts;
    uint64_t n_asked = 0;
    if (!join_runs(s) || s->options->fine_len == 0) return OG_OK;
    uint8_t *data = og_allocate(s->allocator, OG_SYNC_MAX_RUN);
    if (data == NULL) return og_error_memory(err, OG_SYNC_MAX_RUN, "pieces");
    og_cuts_init(&cuts, s->allocator);
    s->message.len = 0;
    og_status status = OG_OK;
    for (size_t k = 0; status == OG_OK && k < s->n_objects; k++)
        status = cut_runs(s, &s->objects[k], &cuts, data, &n_asked, err);
    og_cuts_release(&cuts);
    og_release(s->allocator, data, OG_SYNC_MAX_RUN);
    TRY(status);
    TRY(og_wire_put(s->wire, OG_WIRE_PIECES, &s->message, n_asked, err));
    TRY(take_misses(s, n_asked, err));
    join_runs(s);
    return OG_OK;
}

/* ---- bytes ---- */

static og_status send_range(struct sender *s, struct object *o, uint64_t off,
                            uint64_t len, struct og_pack *frame, og_error *err)
{
    while (len > 0) {
        const size_t room = OG_WIRE_DATA_LEN - frame->len;
        const size_t n = len < room ? (size_t)len : room;
        TRY(read_object(o, off, n, frame->data + frame->len, err));
        frame->len += n;
        off += n;
        len -= n;
        if (frame->len < OG_WIRE_DATA_LEN) continue;
        TRY(og_wire_put(s->wire, OG_WIRE_BYTES, frame, frame->len, err));
        frame->len = 0;
    }
    return OG_OK;
}

static og_status send_bytes(struct sender *s, og_error *err)
{
    struct og_pack frame = {.allocator = s->allocator};
    uint64_t n_holes = 0;
    og_status status = OG_OK;
    s->message.len = 0;
    for (size_t k = 0; k < s->n_objects; k++)
        for (size_t i = 0; i < s->objects[k].n; i++, n_holes++)
            og_pack_number(&s->message, s->objects[k].items[i].len);
    if (n_holes == 0) return OG_OK;
    TRY(og_wire_put(s->wire, OG_WIRE_HOLES, &s->message, n_holes, err));
    if (!OG_GROW(s->allocator, frame.data, frame.cap, OG_WIRE_DATA_LEN))
        return og_error_memory(err, OG_WIRE_DATA_LEN, "bytes to send");
    for (size_t k = 0; status == OG_OK && k < s->n_objects; k++) {
        struct object *o = &s->objects[k];
        for (size_t i = 0; status == OG_OK && i < o->n; i++) {
            status =
                send_range(s, o, o->items[i].off, o->items[i].len, &frame, err);
            s->counts->literal_len += o->items[i].len;
        }
        close_object(o);
    }
    if (status == OG_OK && frame.len > 0)
        status = og_wire_put(s->wire, OG_WIRE_BYTES, &frame, frame.len, err);
    og_pack_release(&frame);
    return status;
}

static og_status send_batch(struct sender *s, og_error *err)
{
    TRY(ask_hashes(s, err));
    TRY(ask_pieces(s, err));
    TRY(send_bytes(s, err));
    return og_wire_flush(s->wire, err);
}

/* ---- the course of a session ---- */

static og_status count_chunks(void *ctx, size_t entry,
                              const struct og_chunk_tree *tree, og_error *err)
{
    struct sender *s = ctx;
    (void)err;
    s->n_chunks += tree->n_chunks;
    keep_chunks(s, entry, tree);
    return OG_OK;
}

static og_status offer(struct sender *s, bool *list_is_known, og_error *err)
{
    const og_cut_options *cut = &s->options->cut;
    struct og_pack *m = &s->message;
    struct og_unpacker u;
    TRY(og_sync_list_scan(&s->list, s->tree, false, cut, s->options->n_threads,
                          count_chunks, s, err));
    s->counts->n_files = s->list.n;
    og_sync_list_pack(&s->list, &s->packed_list);
    if (s->packed_list.failed)
        return og_error_memory(err, s->packed_list.len, "a list of files");
    if (s->packed_list.len > OG_SYNC_MAX_LIST)
        return og_error_set(err, OG_ERR_LIMIT, "'%s' has too many files",
                            s->tree);
    TRY(add_list(s, err));
    m->len = 0;
    og_pack_number(m, cut->kind);
    og_pack_number(m, cut->min_len);
    og_pack_number(m, cut->average_len);
    og_pack_number(m, cut->max_len);
    og_pack_number(m, s->options->fine_len);
    og_pack_number(m, s->n_chunks);
    og_pack_number(m, s->packed_list.len);
    og_pack_bytes(m, s->objects[0].tree.root, OG_SYNC_ROOT_LEN);
    TRY(og_wire_put(s->wire, OG_WIRE_OFFER, m, s->list.n, err));
    TRY(og_wire_get(s->wire, OG_WIRE_HAVE, &u, err));
    const uint64_t n_old = og_take_number(&u), known = og_take_number(&u);
    if (u.bad || known > 1)
        return og_error_set(err, OG_ERR_INPUT,
                            "the other side's answer is invalid");
    s->hash_len = og_sync_hash_len(s->n_chunks, n_old);
    *list_is_known = known == 1;
    return OG_OK;
}

static og_status take_want(struct sender *s, struct og_unpacker *u,
                           og_error *err)
{
    uint64_t last = 0;
    batch_clear(s);
    for (uint64_t n = og_take_number(u); n > 0; n--) {
        last += og_take_number(u);
        if (u->bad || last >= s->list.n ||
            s->list.entries[last].kind != OG_SYNC_FILE ||
            s->n_objects >= OG_SYNC_BATCH_FILES)
            return og_error_set(err, OG_ERR_INPUT,
                                "the other side wants a file that was not "
                                "offered");
        TRY(add_file(s, last, err));
    }
    return send_batch(s, err);
}

/* Sends the whole of those files of the batch that came out wrong. */
static og_status take_redo(struct sender *s, struct og_unpacker *u,
                           og_error *err)
{
    uint64_t next = 0;
    for (size_t k = 0; k < s->n_objects; k++)
        s->objects[k].n = 0;
    for (uint64_t n = og_take_number(u); n > 0; n--) {
        next += og_take_number(u);
        if (u->bad || next >= s->n_objects)
            return og_error_set(err, OG_ERR_INPUT,
                                "the other side wants a file again that it did "
                                "not want");
        struct object *o = &s->objects[next++];
        if (!OG_GROW(s->allocator, o->items, o->cap, 1))
            return og_error_memory(err, 1, "items to send");
        o->items[0] = (struct item){.len = o->tree.file_len};
        o->n = 1;
        s->counts->n_redone++;
    }
    TRY(send_bytes(s, err));
    return og_wire_flush(s->wire, err);
}

static og_status run_session(struct sender *s, og_error *err)
{
    bool list_is_known = false;
    TRY(offer(s, &list_is_known, err));
    if (!list_is_known) TRY(send_batch(s, err));
    for (;;) {
        struct og_unpacker u;
        enum og_wire_kind kind;
        TRY(og_wire_get_any(s->wire, &kind, &u, err));
        if (kind == OG_WIRE_DONE) return OG_OK;
        if (kind == OG_WIRE_WANT)
            TRY(take_want(s, &u, err));
        else if (kind == OG_WIRE_REDO)
            TRY(take_redo(s, &u, err));
        else
            return og_error_set(err, OG_ERR_INPUT,
                                "the other side says '%s' where 'want' is due",
                                og_wire_kind_name(kind));
    }
}

og_status og_sync_send_over(struct og_wire *wire, const char *tree,
                            const og_sync_options *options, og_sync_counts *out,
                            og_error *err)
{
    const og_allocator *a = NULL;
    struct sender s = {.wire = wire,
                       .tree = tree,
                       .options = options,
                       .allocator = a,
                       .counts = out,
                       .list = {.allocator = a},
                       .packed_list = {.allocator = a},
                       .message = {.allocator = a}};
    const og_status status = run_session(&s, err);
    batch_clear(&s);
    OG_UNGROW(s.allocator, s.objects, s.objects_cap);
    og_pack_release(&s.message);
    og_pack_release(&s.packed_list);
    release_kept(&s);
    og_sync_list_release(&s.list);
    return status;
}
