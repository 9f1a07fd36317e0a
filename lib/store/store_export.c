/* Exports the documents of a store, one after the other.
 *
 *   in:  the catalogue and the texts      (lib/store)
 *   out: documents, in order of arrival   (the caller's)
 *
 * Only the current document is in memory: a store larger than memory can be
 * read from its first document to its last. */

#include <stdatomic.h>

#include "lib/store/catalogue/shared_documents.h"
#include "lib/store/store_disk.h"

struct og_export {
    og_store *store;
    struct og_text_reader *reader;
    og_trace *trace; /* for its names */
    uint32_t next, n;
    /* Of documents on servers: what is known up to `walked`. */
    uint32_t walked;
    enum og_shared_state states[OG_SHARED_WALK];
};

/* Numbers that were assigned; not all have a document. */
static og_status count_shared(og_export *e, og_error *err)
{
    struct og_shared_counts counts;
    TRY(og_shared_count(e->store->shared, &counts, err));
    e->n = counts.n_numbers;
    return OG_OK;
}

/* Documents that were added completely, and were not removed. */
static og_status skip_shared(og_export *e, og_error *err)
{
    for (; e->next < e->n; e->next++) {
        if (e->next == e->walked) {
            const uint32_t left = e->n - e->next;
            const uint32_t n = left < OG_SHARED_WALK ? left : OG_SHARED_WALK;
            TRY(og_shared_walk(e->store->shared, e->next, n, e->states, err));
            e->walked = e->next + n;
        }
        if (e->states[e->next % OG_SHARED_WALK] == OG_SHARED_WHOLE) break;
    }
    return OG_OK;
}

og_status og_export_open(og_store *store, og_export **out, og_error *err)
{
    const og_allocator *a = store->allocator;
    *out = NULL;
    struct og_export *e = og_allocate_zero(a, sizeof(*e));
    if (e == NULL) return og_error_memory(err, sizeof(*e), "an export");
    e->store = store;
    og_status status = og_store_text_reader(store, &e->reader, err);
    if (status == OG_OK) {
        e->trace = og_trace_new(store);
        if (e->trace == NULL)
            status = og_error_memory(err, sizeof(*e->trace), "names");
    }
    if (status != OG_OK) {
        og_export_close(e);
        return status;
    }
    if (store->shared != NULL) {
        const og_status counted = count_shared(e, err);
        if (counted != OG_OK) og_export_close(e);
        if (counted != OG_OK) return counted;
    } else {
        e->n = atomic_load(&store->catalogue.n_published);
    }
    *out = e;
    return OG_OK;
}

void og_export_close(og_export *e)
{
    if (e == NULL) return;
    og_trace_free(e->trace);
    og_text_reader_close(e->reader);
    og_release(e->store->allocator, e, sizeof(*e));
}

static og_status export_one(og_export *e, uint32_t number, og_document *out,
                            og_error *err)
{
    struct og_entry entry;
    og_bytes text;
    og_lookup_clear(&e->trace->lookup);
    TRY(og_lookup_get(&e->trace->lookup, number, &entry, err));
    const og_status status = og_text_reader_get(
        e->reader, &entry.place, entry.text_len, &text, NULL, err);
    if (status == OG_END)
        return og_error_set(err, OG_ERR_LIMIT,
                            "the text of document %u is no longer in memory",
                            number);
    if (status == OG_OK) *out = og_entry_document(&entry, text);
    return status;
}

og_status og_export_next(og_export *e, og_document *out, og_error *err)
{
    if (e->store->shared != NULL) TRY(skip_shared(e, err));
    while (e->store->shared == NULL && e->next < e->n &&
           og_catalogue_is_removed(&e->store->catalogue, e->next))
        e->next++;
    if (e->next == e->n) return OG_END;
    return export_one(e, e->next++, out, err);
}

og_status og_store_export(og_store *store, og_document_fn *on_document,
                          void *ctx, og_error *err)
{
    og_export *e = NULL;
    og_document doc;
    og_status status;
    TRY(og_export_open(store, &e, err));
    while ((status = og_export_next(e, &doc, err)) == OG_OK)
        if (!on_document(ctx, &doc)) {
            status = og_error_set(err, OG_ERR_STOPPED, "stopped by the caller");
            break;
        }
    og_export_close(e);
    return status == OG_END ? OG_OK : status;
}
