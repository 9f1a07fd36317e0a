/* The receiver of the exchange: requests what it does not have.
 *
 * A session receives the offer, lists and compares files, receives them batch
 * by batch, then publishes all of them. sync_send.c describes the order of the
 * messages, sync_spans.c determines which bytes are missing, sync_assemble.c
 * writes the files. The sender is not trusted: each count is bounded, each
 * length compared, each file verified by its root. */

#include "lib/sync/sync_receive.h"

#include "lib/os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WANTED = 1, WANTED_AS_OTHER = 2 };

static og_status receive_batch(struct og_receiver *r, og_error *err)
{
    TRY(og_sync_spans_receive(r, err));
    return og_sync_assemble(r, err);
}

/* ---- batches ---- */

static void batch_clear(struct og_receiver *r)
{
    for (size_t k = 0; k < r->n_objects; k++)
        OG_UNGROW(r->allocator, r->objects[k].spans, r->objects[k].cap);
    r->n_objects = 0;
}

static struct og_sync_object *batch_add(struct og_receiver *r)
{
    if (!OG_GROW(r->allocator, r->objects, r->objects_cap, r->n_objects + 1))
        return NULL;
    struct og_sync_object *o = &r->objects[r->n_objects++];
    *o = (struct og_sync_object){.entry = SIZE_MAX};
    return o;
}

/* A local file with this root, whatever its name. */
static const struct og_sync_old *find_root(const struct og_receiver *r,
                                           const struct og_sync_entry *e)
{
    const struct og_chunk_place *p =
        og_known_chunks_find(&r->roots, og_load64(e->root));
    if (p == NULL) return NULL;
    const struct og_sync_old *old = &r->olds[p->file];
    return old->len == e->len &&
                   memcmp(old->root, e->root, OG_SYNC_ROOT_LEN) == 0
               ? old
               : NULL;
}

static bool is_in_place(const struct og_receiver *r,
                        const struct og_sync_entry *e)
{
    const size_t at = og_sync_list_find(&r->old_list, e->path);
    return at != SIZE_MAX && r->old_list.entries[at].kind == OG_SYNC_FILE &&
           r->old_list.entries[at].len == e->len &&
           memcmp(r->old_list.entries[at].root, e->root, OG_SYNC_ROOT_LEN) == 0;
}

/* A file that exists under another name is copied: no message. */
static og_status copy_whole(struct og_receiver *r, size_t entry,
                            const struct og_sync_old *old, og_error *err)
{
    const uint32_t file = (uint32_t)(old - r->olds);
    const struct og_chunk_place place = {.file = file, .len = old->len};
    batch_clear(r);
    struct og_sync_object *o = batch_add(r);
    if (o == NULL) return og_error_memory(err, sizeof(*o), "a file");
    o->entry = entry;
    o->len = old->len;
    r->n_spans = 0;
    if (old->len > 0) TRY(og_sync_span_add(r, o, &place, 0, err));
    r->counts->n_files_renamed++;
    return og_sync_assemble(r, err);
}

static og_status redo_failed(struct og_receiver *r, og_error *err)
{
    uint64_t n = 0, next = 0;
    for (size_t k = 0; k < r->n_objects; k++)
        n += r->objects[k].is_wrong;
    if (n == 0 || r->options->dry_run) return OG_OK;
    r->message.len = 0;
    og_pack_number(&r->message, n);
    for (size_t k = 0; k < r->n_objects; k++) {
        struct og_sync_object *o = &r->objects[k];
        o->n = 0;
        o->is_finished = !o->is_wrong;
        if (!o->is_wrong) continue;
        og_pack_number(&r->message, k - next);
        next = k + 1;
        TRY(og_sync_span_add(r, o, NULL, 0, err));
    }
    r->counts->n_redone += n;
    TRY(og_wire_put(r->wire, OG_WIRE_REDO, &r->message, n, err));
    TRY(og_wire_flush(r->wire, err));
    TRY(og_sync_holes_receive(r, err));
    TRY(og_sync_assemble(r, err));
    for (size_t k = 0; k < r->n_objects; k++)
        if (r->objects[k].is_wrong) r->n_failed++;
    return OG_OK;
}

static og_status want_batch(struct og_receiver *r, size_t *next, og_error *err)
{
    struct og_pack indices = {.allocator = r->allocator};
    uint64_t total = 0;
    size_t last = 0;
    batch_clear(r);
    for (; *next < r->list.n && r->n_objects < OG_SYNC_BATCH_FILES; ++*next) {
        const struct og_sync_entry *e = &r->list.entries[*next];
        if (r->is_wanted[*next] != WANTED) continue;
        if (r->n_objects > 0 && e->len > OG_SYNC_BATCH_LEN - total) break;
        struct og_sync_object *o = batch_add(r);
        if (o == NULL) return og_error_memory(err, sizeof(*o), "a file");
        o->entry = *next;
        o->len = e->len;
        og_pack_number(&indices, *next - last);
        last = *next;
        total += e->len < OG_SYNC_BATCH_LEN ? e->len : OG_SYNC_BATCH_LEN;
        if (total >= OG_SYNC_BATCH_LEN) {
            ++*next;
            break;
        }
    }
    r->message.len = 0;
    og_pack_number(&r->message, r->n_objects);
    og_pack_bytes(&r->message, indices.data, indices.len);
    const bool failed = indices.failed;
    og_pack_release(&indices);
    if (failed) return og_error_memory(err, 0, "a message");
    if (r->n_objects == 0) return OG_END;
    r->counts->n_files_changed += r->n_objects;
    TRY(og_wire_put(r->wire, OG_WIRE_WANT, &r->message, r->n_objects, err));
    TRY(og_wire_flush(r->wire, err));
    TRY(receive_batch(r, err));
    return redo_failed(r, err);
}

/* Decides for each file: in place, here under another name, equal to one that
 * is requested anyway (`wanted` finds it), or to be requested. */
static og_status decide(struct og_receiver *r, size_t i,
                        struct og_known_chunks *wanted, og_error *err)
{
    const struct og_sync_entry *e = &r->list.entries[i];
    if (e->kind != OG_SYNC_FILE || is_in_place(r, e)) return OG_OK;
    r->counts->new_len += e->len;
    const struct og_sync_old *old = find_root(r, e);
    if (old != NULL) {
        TRY(copy_whole(r, i, old, err));
        if (!r->objects[0].is_wrong) return OG_OK;
        /* It changed in the meantime: request it like any other. */
    }
    const uint64_t key = og_load64(e->root);
    if (og_known_chunks_find(wanted, key) != NULL) {
        r->is_wanted[i] = WANTED_AS_OTHER;
        return OG_OK;
    }
    r->is_wanted[i] = WANTED;
    return og_known_chunks_add(wanted, key, (uint32_t)i, 0, 1)
               ? OG_OK
               : og_error_memory(err, r->list.n, "a list of files");
}

/* Files whose bytes came for another file of this session. */
static og_status copy_others(struct og_receiver *r,
                             const struct og_known_chunks *wanted,
                             og_error *err)
{
    const struct og_chunk_tree none = {0};
    char name[OG_SYNC_PART_NAME];
    for (size_t i = 0; i < r->list.n; i++) {
        const struct og_sync_entry *e = &r->list.entries[i];
        if (r->is_wanted[i] != WANTED_AS_OTHER) continue;
        if (r->options->dry_run) { /* nothing is transferred, everything would
                                      be */
            r->counts->n_files_renamed++;
            continue;
        }
        const size_t other =
            og_known_chunks_find(wanted, og_load64(e->root))->file;
        if (!r->arrived[other]) {
            r->n_failed++;
            continue;
        }
        og_sync_part_name(r->list.entries[other].root, other, name);
        char *folder = og_sync_join(r->allocator, r->tree, OG_SYNC_PARTS);
        char *path =
            folder == NULL ? NULL : og_sync_join(r->allocator, folder, name);
        og_name_release(r->allocator, folder);
        TRY(og_sync_known_add(r, path, &none, err));
        r->olds[r->n_olds - 1].len = r->list.entries[other].len;
        TRY(copy_whole(r, i, &r->olds[r->n_olds - 1], err));
        if (r->objects[0].is_wrong) r->n_failed++;
    }
    return OG_OK;
}

static og_status receive_files(struct og_receiver *r, og_error *err)
{
    struct og_known_chunks wanted;
    og_status status = OG_OK;
    r->is_wanted = og_allocate_zero(r->allocator, r->list.n + 1);
    if (r->is_wanted == NULL)
        return og_error_memory(err, r->list.n, "a list of files");
    og_known_chunks_init(&wanted, r->allocator);
    for (size_t i = 0; status == OG_OK && i < r->list.n; i++)
        status = decide(r, i, &wanted, err);
    for (size_t next = 0; status == OG_OK;)
        status = want_batch(r, &next, err);
    if (status == OG_END) status = copy_others(r, &wanted, err);
    og_known_chunks_release(&wanted);
    return status;
}

/* ---- the end ---- */

static bool is_same_entry(const struct og_sync_entry *a,
                          const struct og_sync_entry *b)
{
    return a->kind == b->kind && a->mode == b->mode && a->mtime == b->mtime &&
           a->len == b->len &&
           memcmp(a->root, b->root, OG_SYNC_ROOT_LEN) == 0 &&
           (a->kind != OG_SYNC_LINK || strcmp(a->link, b->link) == 0);
}

/* Folders get their permissions last: they may forbid writing. */
static og_status publish(struct og_receiver *r, bool folders, og_error *err)
{
    char name[OG_SYNC_PART_NAME];
    for (size_t i = 0; i < r->list.n; i++) {
        const size_t at = folders ? r->list.n - 1 - i : i;
        const struct og_sync_entry *e = &r->list.entries[at];
        const size_t old = og_sync_list_find(&r->old_list, e->path);
        if ((e->kind == OG_SYNC_FOLDER) != folders) continue;
        if (old != SIZE_MAX && is_same_entry(e, &r->old_list.entries[old]))
            continue;
        const bool is_new = e->kind == OG_SYNC_FILE && !is_in_place(r, e);
        if (is_new && !r->arrived[at]) continue;
        og_sync_part_name(e->root, at, name);
        TRY(og_sync_target_publish(&r->target, e, is_new ? name : NULL, err));
        if (r->options->on_file != NULL && e->kind != OG_SYNC_FOLDER)
            r->options->on_file(r->options->ctx, e->path);
    }
    return OG_OK;
}

static og_status delete_extra(struct og_receiver *r, og_error *err)
{
    if (!r->options->delete_extra) return OG_OK;
    for (size_t i = r->old_list.n; i-- > 0;) {
        const struct og_sync_entry *e = &r->old_list.entries[i];
        if (og_sync_list_find(&r->list, e->path) == SIZE_MAX)
            TRY(og_sync_target_remove(&r->target, e, err));
    }
    return OG_OK;
}

/* ---- a file where a folder was, a folder where a file was ---- */

static bool is_folder(const struct og_sync_entry *e)
{
    return e->kind == OG_SYNC_FOLDER;
}

/* Whether the path, or a folder that contains it, will be of another kind than
 * in the old tree. Files that have not arrived do not count. */
static bool is_in_the_way(const struct og_receiver *r,
                          const struct og_sync_entry *old)
{
    char path[PATH_MAX];
    const size_t at = og_sync_list_find(&r->list, old->path);
    if (at != SIZE_MAX)
        return is_folder(&r->list.entries[at]) != is_folder(old) &&
               (r->list.entries[at].kind != OG_SYNC_FILE || r->arrived[at]);
    snprintf(path, sizeof(path), "%s", old->path);
    for (char *slash; (slash = strrchr(path, '/')) != NULL;) {
        *slash = '\0';
        const size_t above = og_sync_list_find(&r->list, path);
        if (above == SIZE_MAX || is_folder(&r->list.entries[above])) continue;
        return r->list.entries[above].kind != OG_SYNC_FILE || r->arrived[above];
    }
    return false;
}

/* Everything has arrived by now and is in the parts folder, so conflicting
 * entries of the old tree can be removed first. They are removed only if
 * deleting is allowed. */
static og_status make_way(struct og_receiver *r, og_error *err)
{
    for (size_t i = r->old_list.n; i-- > 0;) {
        const struct og_sync_entry *e = &r->old_list.entries[i];
        if (!is_in_the_way(r, e)) continue;
        if (!r->options->delete_extra)
            return og_error_set(err, OG_ERR_INPUT,
                                "'%.300s' is in the way: the other side has %s "
                                "there, and nothing may be deleted",
                                e->path,
                                is_folder(e) ? "no folder" : "a folder");
        TRY(og_sync_target_remove(&r->target, e, err));
    }
    return OG_OK;
}

static og_status finish(struct og_receiver *r, og_error *err)
{
    if (!r->options->dry_run) {
        size_t n_parts = 0;
        for (size_t i = 0; i < r->list.n; i++)
            n_parts += r->arrived[i];
        TRY(og_sync_target_flush(&r->target, n_parts, err));
        TRY(make_way(r, err));
        TRY(publish(r, false, err));
        TRY(delete_extra(r, err));
        TRY(publish(r, true, err));
        TRY(og_sync_target_flush(&r->target, n_parts, err));
    }
    if (r->n_failed > 0)
        return og_error_set(err, OG_ERR_INPUT,
                            "%llu files changed while they were sent and did "
                            "not arrive; the others did",
                            (unsigned long long)r->n_failed);
    if (!r->options->dry_run) og_sync_target_remove_parts(&r->target);
    TRY(og_wire_put_bytes(r->wire, OG_WIRE_DONE, NULL, 0, 0, err));
    return og_wire_flush(r->wire, err);
}

/* ---- the course of a session ---- */

static og_status take_offer(struct og_receiver *r, og_error *err)
{
    struct og_unpacker u;
    TRY(og_wire_get(r->wire, OG_WIRE_OFFER, &u, err));
    const uint64_t kind = og_take_number(&u), least = og_take_number(&u);
    const uint64_t average = og_take_number(&u), most = og_take_number(&u);
    const uint64_t fine = og_take_number(&u);
    r->n_new_chunks = og_take_number(&u);
    r->list_len = og_take_number(&u);
    const uint8_t *root = og_take_bytes(&u, OG_SYNC_ROOT_LEN);
    if (root == NULL || kind > OG_CUT_WINNOW_FAST || least > UINT32_MAX ||
        average > UINT32_MAX || most > UINT32_MAX || fine > UINT16_MAX)
        return og_sync_nonsense(err, "its offer is damaged");
    r->cut = (og_cut_options){(og_cut_kind)kind, (uint32_t)least,
                              (uint32_t)average, (uint32_t)most};
    const og_cut_options pieces =
        og_sync_piece_cut(fine == 0 ? 128 : (uint32_t)fine);
    if (og_cut_options_check(&r->cut, NULL) != OG_OK ||
        og_cut_options_check(&pieces, NULL) != OG_OK)
        return og_sync_nonsense(err, "its chunk sizes are invalid");
    if (r->list_len > OG_SYNC_MAX_LIST)
        return og_sync_nonsense(err, "its list of files is too long");
    r->fine_len = (uint32_t)fine;
    memcpy(r->list_root, root, OG_SYNC_ROOT_LEN);
    return OG_OK;
}

static og_status receive_list(struct og_receiver *r, bool is_known,
                              og_error *err)
{
    if (is_known) {
        r->list_packed.len = 0;
        og_pack_bytes(&r->list_packed, r->old_packed.data, r->old_packed.len);
        if (r->list_packed.failed) return og_error_memory(err, 0, "a list");
    } else {
        struct og_sync_object *o = batch_add(r);
        if (o == NULL) return og_error_memory(err, sizeof(*o), "a list");
        o->len = r->list_len;
        TRY(receive_batch(r, err));
        if (r->objects[0].is_wrong)
            return og_sync_nonsense(
                err, "its list of files does not match its root");
    }
    TRY(og_sync_list_parse(&r->list, r->list_packed.data, r->list_packed.len,
                           err));
    r->counts->n_files = r->list.n;
    r->arrived = og_allocate_zero(r->allocator, r->list.n + 1);
    return r->arrived == NULL ? og_error_memory(err, r->list.n, "a list")
                              : OG_OK;
}

static og_status run_session(struct og_receiver *r, og_error *err)
{
    TRY(take_offer(r, err));
    TRY(og_sync_target_open(&r->target, r->tree, !r->options->dry_run, err));
    TRY(og_sync_known_scan(r, err));
    const uint64_t n_old = r->n_places;
    const bool is_known =
        r->olds[0].len == r->list_len &&
        memcmp(r->olds[0].root, r->list_root, OG_SYNC_ROOT_LEN) == 0;
    TRY(og_sync_known_build(r, err));
    r->message.len = 0;
    og_pack_number(&r->message, n_old);
    og_pack_number(&r->message, is_known);
    TRY(og_wire_put(r->wire, OG_WIRE_HAVE, &r->message, n_old, err));
    TRY(og_wire_flush(r->wire, err));
    TRY(receive_list(r, is_known, err));
    TRY(receive_files(r, err));
    return finish(r, err);
}

static void release(struct og_receiver *r)
{
    batch_clear(r);
    OG_UNGROW(r->allocator, r->objects, r->objects_cap);
    for (size_t i = 0; i < r->n_olds; i++)
        og_name_release(r->allocator, r->olds[i].path);
    OG_UNGROW(r->allocator, r->olds, r->olds_cap);
    OG_UNGROW(r->allocator, r->places, r->places_cap);
    if (r->old_fd >= 0) close(r->old_fd);
    OG_UNGROW(r->allocator, r->window, r->window_cap);
    og_known_chunks_release(&r->known);
    og_known_chunks_release(&r->pieces);
    og_known_chunks_release(&r->roots);
    og_pack_release(&r->message);
    og_pack_release(&r->old_packed);
    og_pack_release(&r->list_packed);
    og_sync_list_release(&r->old_list);
    og_release(r->allocator, r->is_wanted, r->list.n + 1);
    og_release(r->allocator, r->arrived, r->list.n + 1);
    og_sync_list_release(&r->list);
    og_sync_target_close(&r->target);
}

og_status og_sync_receive_over(struct og_wire *wire, const char *tree,
                               const og_sync_options *options,
                               og_sync_counts *out, og_error *err)
{
    const og_allocator *a = NULL;
    struct og_receiver r = {.wire = wire,
                            .tree = tree,
                            .options = options,
                            .allocator = a,
                            .counts = out,
                            .old_fd = -1,
                            .target = {.tree_fd = -1, .parts_fd = -1},
                            .old_list = {.allocator = a},
                            .list = {.allocator = a},
                            .old_packed = {.allocator = a},
                            .list_packed = {.allocator = a},
                            .message = {.allocator = a}};
    og_known_chunks_init(&r.known, a);
    og_known_chunks_init(&r.roots, a);
    og_known_chunks_init(&r.pieces, a);
    const og_status status = run_session(&r, err);
    release(&r);
    return status;
}
