/* Removing a document.
 *
 * Its fingerprints stay where they are; from now on they are not reported, and
 * the next document that contains one takes it over (og_catalogue_earlier).
 * Documents that had copied from it are known: they are offered to the table
 * again, so that the earliest of them becomes the origin at once. */

#include "lib/store/store_disk.h"
#include "lib/store/store_shared.h"

#include "lib/disk/journal_format.h"
#include "lib/store/table/additions.h"

/* Of more copiers of one document than this, the rest are not offered again. */
#define MOST_COPIERS 10000
/* Nor when their fingerprints are longer than this: they are in one record. */
#define MOST_BYTES ((size_t)64 << 20)

struct numbers {
    const og_allocator *allocator;
    uint32_t *data;
    size_t n, cap;
    bool failed;
};

static bool add_number(void *ctx, uint32_t number)
{
    struct numbers *list = ctx;
    list->failed =
        !OG_GROW(list->allocator, list->data, list->cap, list->n + 1);
    if (!list->failed) list->data[list->n++] = number;
    return !list->failed;
}

static bool add_copier(void *ctx, uint32_t copier, uint32_t n_tokens)
{
    (void)n_tokens;
    return add_number(ctx, copier);
}

/* All versions, with those that are removed: remove_versions() skips them. */
static og_status find_versions(og_store *store, og_bytes id,
                               struct numbers *out, og_error *err)
{
    struct og_lookup *lookup = &store->own_trace->lookup;
    TRY(og_documents_view_begin(&lookup->view, err));
    const og_status status =
        og_documents_with_id(&lookup->view, id, add_number, out, err);
    og_documents_view_end(&lookup->view);
    return out->failed ? og_error_memory(err, out->n, "a list") : status;
}

static og_status find_copiers(og_store *store, uint32_t number,
                              struct numbers *out, og_error *err)
{
    struct og_lookup *lookup = &store->own_trace->lookup;
    TRY(og_documents_view_begin(&lookup->view, err));
    const og_status status = og_documents_copiers(
        &lookup->view, number, MOST_COPIERS, add_copier, out, err);
    og_documents_view_end(&lookup->view);
    return out->failed ? og_error_memory(err, out->n, "a list") : status;
}

/* ---- the record ---- */

/* The fingerprints of a document once more, under its number. */
static og_status pack_again(og_store *store, uint32_t number,
                            struct og_text_reader *reader, og_error *err)
{
    static const uint8_t zeros[8];
    og_trace *trace = store->own_trace;
    struct og_pack *bytes = &trace->bytes;
    const struct og_selection *sel = &trace->scratch.prepared.selection;
    struct og_entry entry;
    og_bytes text;
    og_lookup_clear(&trace->lookup);
    TRY(og_lookup_get(&trace->lookup, number, &entry, err));
    TRY(og_text_reader_get(reader, &entry.place, entry.text_len, &text, NULL,
                           err));
    TRY(og_scratch_prepare(&trace->scratch, text, &store->prepare, err));
    TRY(og_disk_know(store, sel->fp, sel->n, err));
    const struct og_additions additions = {.doc = number,
                                           .fp = sel->fp,
                                           .offset = sel->offset,
                                           .near = sel->near,
                                           .spare = sel->spare,
                                           .n = sel->n};
    TRY(og_disk_know_all(store, &additions, false, err));
    const size_t head = bytes->len;
    og_pack_fixed(bytes, 0, 8);
    og_additions_pack(&additions, bytes);
    const size_t len = bytes->len - head - 8;
    og_pack_bytes(bytes, zeros, og_journal_padded(len) - len);
    if (bytes->failed) return og_error_memory(err, 12 * sel->n, "a record");
    og_store32(bytes->data + head, (uint32_t)len);
    return OG_OK;
}

/* Packs the documents that copied from it and still exist. */
static og_status pack_copiers(og_store *store, uint32_t removed,
                              uint32_t *out_n, og_error *err)
{
    struct numbers copiers = {.allocator = store->allocator};
    struct og_text_reader *reader = NULL;
    og_status status = find_copiers(store, removed, &copiers, err);
    if (status == OG_OK && copiers.n > 0)
        status = og_store_text_reader(store, &reader, err);
    for (size_t i = 0; i < copiers.n && status == OG_OK; i++) {
        if (og_catalogue_is_removed(&store->catalogue, copiers.data[i]))
            continue;
        if (store->own_trace->bytes.len > MOST_BYTES) break;
        status = pack_again(store, copiers.data[i], reader, err);
        (*out_n)++;
    }
    og_text_reader_close(reader);
    OG_UNGROW(store->allocator, copiers.data, copiers.cap);
    return status;
}

/* All in one record: a crash leaves the document or removes it, and never
 * removes it without its heirs. */
static og_status pack_removal(og_store *store, uint32_t number, og_error *err)
{
    struct og_pack *bytes = &store->own_trace->bytes;
    uint32_t n = 0;
    bytes->len = 0;
    bytes->failed = false;
    og_pack_fixed(bytes, number, 4);
    og_pack_fixed(bytes, 0, 4);
    if (bytes->failed) return og_error_memory(err, 8, "a record");
    if (og_store_has_texts(store)) TRY(pack_copiers(store, number, &n, err));
    og_store32(bytes->data + 4, n);
    return OG_OK;
}

/* ---- its work ---- */

static og_status no_removal(og_error *err)
{
    return og_error_set(err, OG_ERR_STORE,
                        "a record of the journal removes nothing that is "
                        "there");
}

static og_status offer_again(og_store *store, struct og_unpacker *from,
                             struct og_unpacked_additions *u, og_error *err)
{
    const uint64_t len = og_take_fixed(from, 8);
    const uint8_t *data = og_take_bytes(from, og_journal_padded(len));
    if (data == NULL || len > UINT32_MAX) return no_removal(err);
    TRY(og_additions_unpack(u, data, len, store->table.options.fields, err));
    if (u->add.doc >= store->catalogue.n || u->add.origin != NULL)
        return no_removal(err);
    TRY(og_disk_know(store, u->add.fp, u->add.n, err));
    TRY(og_disk_know_all(store, &u->add, false, err));
    og_store_apply_again(store, &u->add);
    return OG_OK;
}

og_status og_removal_apply(og_store *store, const uint8_t *data, size_t len,
                           struct og_unpacked_additions *additions,
                           og_error *err)
{
    struct og_unpacker from = {.at = data, .end = data + len};
    const uint32_t number = (uint32_t)og_take_fixed(&from, 4);
    const uint64_t n = og_take_fixed(&from, 4);
    if (from.bad || number >= store->catalogue.n ||
        og_catalogue_is_removed(&store->catalogue, number))
        return no_removal(err);
    og_catalogue_remove(&store->catalogue, number);
    store->n_removed++;
    store->order = 0;
    for (uint64_t i = 0; i < n; i++)
        TRY(offer_again(store, &from, additions, err));
    return from.at == from.end ? OG_OK : no_removal(err);
}

static og_status remove_one(og_store *store, uint32_t number, og_error *err)
{
    struct og_unpacked_additions additions = {.allocator = store->allocator};
    const struct og_pack *bytes = &store->own_trace->bytes;
    TRY(pack_removal(store, number, err));
    TRY(og_disk_remove(store, bytes, err));
    og_status status = og_pending_remove(&store->pending, number, err);
    if (status == OG_OK)
        status =
            og_removal_apply(store, bytes->data, bytes->len, &additions, err);
    /* It is in the journal but not in memory: the two must not diverge. */
    if (status != OG_OK) store->disk->has_failed = true;
    og_unpacked_additions_release(&additions);
    return status;
}

static og_status remove_versions(og_store *store, og_bytes id, uint64_t *out_n,
                                 og_error *err)
{
    struct numbers versions = {.allocator = store->allocator};
    og_status status = find_versions(store, id, &versions, err);
    for (size_t i = 0; i < versions.n && status == OG_OK; i++) {
        const uint32_t number = versions.data[i];
        if (og_catalogue_is_removed(&store->catalogue, number)) continue;
        status = remove_one(store, number, err);
        *out_n += status == OG_OK;
    }
    OG_UNGROW(store->allocator, versions.data, versions.cap);
    return status;
}

og_status og_store_remove(og_store *store, og_bytes id, uint64_t *out_n,
                          og_error *err)
{
    *out_n = 0;
    if (store->shared != NULL && !store->is_read_only)
        return og_store_remove_shared(store, id, false, out_n, err);
    if (store->is_read_only || store->disk == NULL)
        return og_error_set(err, OG_ERR_USAGE,
                            "documents can only be removed from a store on "
                            "disk or on servers that is open for writing");
    if (store->remote != NULL)
        return og_error_set(err, OG_ERR_USAGE,
                            "documents are removed from a catalogue while its "
                            "table is not open");
    if (store->own_trace == NULL) store->own_trace = og_trace_new(store);
    if (store->own_trace == NULL)
        return og_error_memory(err, sizeof(og_trace), "a trace");
    /* Everything in one place: the catalogue on disk. */
    TRY(og_disk_flush(store, err));
    return remove_versions(store, id, out_n, err);
}

og_status og_store_purge(og_store *store, og_bytes id, uint64_t *out_n,
                         og_error *err)
{
    *out_n = 0;
    if (store->shared == NULL || store->is_read_only)
        return og_error_set(err, OG_ERR_USAGE,
                            "single documents are purged from a store on "
                            "servers that is open for writing; one in a folder "
                            "is rewritten");
    return og_store_remove_shared(store, id, true, out_n, err);
}
