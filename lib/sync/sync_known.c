/* What the receiver has: the chunks of its files, and of the parts that a
 * broken session left, by their hashes. Old file 0 is the list of the tree
 * itself, which is received like a file. */

#include "lib/sync/sync_receive.h"

#include "lib/os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static og_status add_place(struct og_receiver *r, const uint8_t *hash,
                           uint32_t file, uint64_t off, uint64_t len,
                           og_error *err)
{
    if (!OG_GROW(r->allocator, r->places, r->places_cap, r->n_places + 1))
        return og_error_memory(err, r->n_places, "known chunks");
    r->places[r->n_places++] =
        (struct og_chunk_place){og_load64(hash), off, len, file};
    return OG_OK;
}

static og_status add_tree(struct og_receiver *r, uint32_t file,
                          const struct og_chunk_tree *tree, og_error *err)
{
    for (unsigned l = 0; l < tree->n_levels; l++)
        for (size_t i = 0; i < tree->levels[l].n; i++) {
            const og_chunk_node *node = &tree->levels[l].nodes[i];
            TRY(add_place(r, node->hash, file, node->offset, node->len, err));
        }
    for (size_t i = 0; i < tree->n_chunks; i++) {
        const og_chunk *chunk = &tree->chunks[i];
        TRY(add_place(r, chunk->hash, file, chunk->offset, chunk->len, err));
    }
    return OG_OK;
}

og_status og_sync_known_add(struct og_receiver *r, char *path,
                            const struct og_chunk_tree *tree, og_error *err)
{
    if (path == NULL ||
        !OG_GROW(r->allocator, r->olds, r->olds_cap, r->n_olds + 1)) {
        og_name_release(r->allocator, path);
        return og_error_memory(err, sizeof(*r->olds), "old files");
    }
    struct og_sync_old *old = &r->olds[r->n_olds];
    *old = (struct og_sync_old){.path = path, .len = tree->file_len};
    memcpy(old->root, tree->root, OG_SYNC_ROOT_LEN);
    if (r->n_olds > 0 && !og_known_chunks_add(&r->roots, og_load64(old->root),
                                              (uint32_t)r->n_olds, 0, 1)) {
        og_name_release(r->allocator, path);
        return og_error_memory(err, r->roots.cap, "old files");
    }
    return add_tree(r, (uint32_t)r->n_olds++, tree, err);
}

static og_status on_old_tree(void *ctx, size_t entry,
                             const struct og_chunk_tree *tree, og_error *err)
{
    struct og_receiver *r = ctx;
    return og_sync_known_add(
        r, og_sync_join(r->allocator, r->tree, r->old_list.entries[entry].path),
        tree, err);
}

/* Parts of an earlier session are renamed first, since this session will write
 * files of the same names: it reads the former and writes the latter. Returns
 * the new path, for og_name_release(); NULL if it is gone. */
static char *keep_part(const og_allocator *a, const char *folder,
                       const char *name)
{
    char kept[256];
    char *from = og_sync_join(a, folder, name), *to = NULL;
    snprintf(kept, sizeof(kept), "%.240s", name);
    for (int i = 0; from != NULL && i < 20; i++) {
        char longer[256];
        og_name_release(a, to);
        snprintf(longer, sizeof(longer), "kept-%.240s", kept);
        memcpy(kept, longer, sizeof(kept));
        to = og_sync_join(a, folder, kept);
        if (to == NULL || access(to, F_OK) != 0) break;
    }
    if (from == NULL || to == NULL || rename(from, to) != 0) {
        og_name_release(a, to);
        to = NULL;
    }
    og_name_release(a, from);
    return to;
}

static og_status scan_part(struct og_receiver *r, const char *folder,
                           const char *name, og_error *err)
{
    struct og_chunk_tree tree;
    char *path = keep_part(r->allocator, folder, name);
    if (path == NULL) return OG_OK;
    og_chunk_tree_init(&tree, r->allocator);
    og_status status =
        og_chunks_of_file(path, &r->cut, r->options->n_threads, &tree, err);
    if (status == OG_OK)
        status = og_sync_known_add(r, path, &tree, err);
    else
        og_name_release(r->allocator, path);
    og_chunk_tree_release(&tree);
    return status;
}

static og_status scan_parts(struct og_receiver *r, og_error *err)
{
    struct og_sync_list parts = {.allocator = r->allocator};
    char *folder = og_sync_join(r->allocator, r->tree, OG_SYNC_PARTS);
    if (r->options->dry_run || folder == NULL) {
        og_name_release(r->allocator, folder);
        return OG_OK;
    }
    og_status status = og_sync_list_names(&parts, folder, err);
    for (size_t i = 0; status == OG_OK && i < parts.n; i++)
        if (parts.entries[i].kind == OG_SYNC_FILE)
            status = scan_part(r, folder, parts.entries[i].path, err);
    og_sync_list_release(&parts);
    og_name_release(r->allocator, folder);
    return status;
}

/* The own list is old file 0: the new list is built from it. */
og_status og_sync_known_scan(struct og_receiver *r, og_error *err)
{
    const og_cut_options cut =
        og_cut_options_default(OG_CUT_GEAR, OG_SYNC_LIST_AVERAGE);
    struct og_chunk_tree tree;
    og_chunk_tree_init(&tree, r->allocator);
    og_status status =
        og_sync_known_add(r, og_name_new(r->allocator, "", 0), &tree, err);
    if (status == OG_OK)
        status = og_sync_list_scan(&r->old_list, r->tree, true, &r->cut,
                                   r->options->n_threads, on_old_tree, r, err);
    if (status == OG_OK) status = scan_parts(r, err);
    og_sync_list_pack(&r->old_list, &r->old_packed);
    if (status == OG_OK && r->old_packed.failed)
        status = og_error_memory(err, r->old_packed.len, "a list of files");
    if (status == OG_OK)
        status = og_chunks_of_memory(r->old_packed.data, r->old_packed.len,
                                     &cut, 1, &tree, err);
    if (status == OG_OK) {
        r->olds[0].len = tree.file_len;
        memcpy(r->olds[0].root, tree.root, OG_SYNC_ROOT_LEN);
        status = add_tree(r, 0, &tree, err);
    }
    og_chunk_tree_release(&tree);
    return status;
}

og_status og_sync_known_build(struct og_receiver *r, og_error *err)
{
    r->hash_len = og_sync_hash_len(r->n_new_chunks, r->n_places);
    for (size_t i = 0; i < r->n_places; i++) {
        const struct og_chunk_place *p = &r->places[i];
        if (!og_known_chunks_add(&r->known,
                                 og_sync_cut_key(p->key, r->hash_len), p->file,
                                 p->off, p->len))
            return og_error_memory(err, r->known.cap, "known chunks");
    }
    OG_UNGROW(r->allocator, r->places, r->places_cap);
    return OG_OK;
}
