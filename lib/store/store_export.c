/* Documents out of a store again. */

#include <stdatomic.h>

#include "lib/store/store_disk.h"

static og_status export_one(og_store *store, uint32_t number,
                            struct og_lookup *lookup,
                            struct og_text_reader *reader,
                            og_document_fn *on_document, void *ctx,
                            og_error *err)
{
    struct og_entry entry;
    og_bytes text;
    if (og_catalogue_is_removed(&store->catalogue, number)) return OG_OK;
    og_lookup_clear(lookup);
    TRY(og_lookup_get(lookup, number, &entry, err));
    const og_status status = og_text_reader_get(
        reader, &entry.place, entry.text_len, &text, NULL, err);
    if (status == OG_END)
        return og_error_set(err, OG_ERR_LIMIT,
                            "the text of document %u is no longer in memory",
                            number);
    if (status != OG_OK) return status;
    const og_document doc = og_entry_document(&entry, text);
    if (!on_document(ctx, &doc))
        return og_error_set(err, OG_ERR_STOPPED, "stopped by the caller");
    return OG_OK;
}

og_status og_store_export(og_store *store, og_document_fn *on_document,
                          void *ctx, og_error *err)
{
    struct og_text_reader *reader = NULL;
    og_trace *trace;
    TRY(og_store_text_reader(store, &reader, err));
    trace = og_trace_new(store);
    og_status status =
        trace != NULL ? OG_OK : og_error_memory(err, sizeof(*trace), "names");
    const uint32_t n = atomic_load(&store->catalogue.n_published);
    for (uint32_t i = 0; i < n && status == OG_OK; i++)
        status =
            export_one(store, i, &trace->lookup, reader, on_document, ctx, err);
    og_trace_free(trace);
    og_text_reader_close(reader);
    return status;
}
