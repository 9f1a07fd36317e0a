/* Removing a document.
 *
 * Its prints stay where they are; from now on nobody is told of them, and the
 * next document that holds one takes it over (og_catalogue_earlier). Documents
 * that had copied from it are known: they are offered to the table again, so
 * that the earliest of them becomes the origin at once. */

#include "lib/store_disk.h"

#include "lib/store/additions.h"

/* More copiers of one document than this are not asked again. */
#define MOST_COPIERS 10000

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

/* All versions that are not removed yet. */
static og_status find_versions(og_store *store, og_bytes id,
                               struct numbers *out, og_error *err)
{
    struct og_naming *naming = &store->own_trace->naming;
    TRY(og_documents_view_begin(&naming->view, err));
    const og_status status =
        og_documents_with_id(&naming->view, id, add_number, out, err);
    og_documents_view_end(&naming->view);
    return out->failed ? og_error_memory(err, out->n, "a list") : status;
}

static og_status find_copiers(og_store *store, uint32_t number,
                              struct numbers *out, og_error *err)
{
    struct og_naming *naming = &store->own_trace->naming;
    TRY(og_documents_view_begin(&naming->view, err));
    const og_status status = og_documents_copiers(
        &naming->view, number, MOST_COPIERS, add_copier, out, err);
    og_documents_view_end(&naming->view);
    return out->failed ? og_error_memory(err, out->n, "a list") : status;
}

static og_status mark_removed(og_store *store, uint32_t number, og_error *err)
{
    TRY(og_disk_remove(store, number, err));
    TRY(og_pending_remove(&store->pending, number, err));
    og_catalogue_remove(&store->catalogue, number);
    store->n_removed++;
    return OG_OK;
}

/* The prints of a document once more, under its number. */
static og_status offer_again(og_store *store, uint32_t number,
                             struct og_text_reader *reader, og_error *err)
{
    og_trace *trace = store->own_trace;
    const struct og_selection *sel = &trace->scratch.prepared.selection;
    struct og_entry entry;
    og_bytes text;
    if (og_catalogue_is_removed(&store->catalogue, number)) return OG_OK;
    og_naming_clear(&trace->naming);
    TRY(og_naming_get(&trace->naming, number, &entry, err));
    TRY(og_text_reader_get(reader, &entry.place, entry.text_len, &text, NULL,
                           err));
    TRY(og_scratch_prepare(&trace->scratch, text, &store->prepare, err));
    TRY(og_disk_know(store, sel->print, sel->n, err));
    struct og_additions additions = {.doc = number,
                                     .print = sel->print,
                                     .offset = sel->offset,
                                     .near = sel->near,
                                     .spare = sel->spare,
                                     .n = sel->n};
    TRY(og_disk_renew(store, &additions, &trace->bytes, err));
    og_store_apply_again(store, &additions);
    return OG_OK;
}

static og_status offer_copiers(og_store *store, uint32_t removed, og_error *err)
{
    struct numbers copiers = {.allocator = store->allocator};
    struct og_text_reader *reader = NULL;
    og_status status = find_copiers(store, removed, &copiers, err);
    if (status == OG_OK && copiers.n > 0)
        status = og_store_text_reader(store, &reader, err);
    for (size_t i = 0; i < copiers.n && status == OG_OK; i++)
        status = offer_again(store, copiers.data[i], reader, err);
    og_text_reader_close(reader);
    OG_UNGROW(store->allocator, copiers.data, copiers.cap);
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
        status = mark_removed(store, number, err);
        if (status == OG_OK && og_store_has_texts(store))
            status = offer_copiers(store, number, err);
        *out_n += status == OG_OK;
    }
    OG_UNGROW(store->allocator, versions.data, versions.cap);
    return status;
}

og_status og_store_remove(og_store *store, og_bytes id, uint64_t *out_n,
                          og_error *err)
{
    *out_n = 0;
    if (store->is_read_only || store->disk == NULL)
        return og_error_set(err, OG_ERR_USAGE,
                            "documents can only be removed from a store on "
                            "disk that is open for writing");
    if (store->own_trace == NULL) store->own_trace = og_trace_new(store);
    if (store->own_trace == NULL)
        return og_error_memory(err, sizeof(og_trace), "a trace");
    /* Everything in one place: the catalogue on disk. */
    TRY(og_disk_flush(store, err));
    return remove_versions(store, id, out_n, err);
}
