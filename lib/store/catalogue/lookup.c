#include "lib/store/catalogue/lookup.h"

#include "lib/store/catalogue/shared_documents.h"

/* An arena that grew larger is shrunk when it is cleared. */
#define KEEP_LEN ((size_t)1 << 20)

void og_lookup_init(struct og_lookup *lookup, struct og_pending *pending,
                    struct og_documents *documents,
                    const og_allocator *allocator)
{
    *lookup = (struct og_lookup){.pending = pending, .documents = documents};
    og_arena_init(&lookup->arena, allocator);
    if (documents != NULL) og_documents_view_init(&lookup->view, documents);
}

void og_lookup_release(struct og_lookup *lookup)
{
    if (lookup->documents != NULL) og_documents_view_release(&lookup->view);
    og_arena_release(&lookup->arena);
}

void og_lookup_clear(struct og_lookup *lookup)
{
    og_arena_clear(&lookup->arena, KEEP_LEN);
    lookup->has_last = false;
}

/* What is not pending is on disk: entries are cleared from memory only after
 * they are on disk, and a view that begins now sees them. */
static og_status copy_from_disk(struct og_lookup *lookup, uint32_t number,
                                og_bytes *out, og_error *err)
{
    og_bytes entry = {NULL, 0};
    *out = entry;
    if (lookup->documents == NULL) return OG_OK;
    TRY(og_documents_view_begin_for(&lookup->view, number, err));
    const og_status status =
        og_documents_get(&lookup->view, number, &entry, err);
    if (status == OG_OK && entry.len > 0) {
        out->data = og_arena_copy(&lookup->arena, entry.data, entry.len, 1);
        out->len = entry.len;
    }
    og_documents_view_end(&lookup->view);
    return status;
}

og_status og_lookup_get(struct og_lookup *lookup, uint32_t number,
                        struct og_entry *out, og_error *err)
{
    og_bytes packed;
    if (lookup->has_last && lookup->last_number == number) {
        *out = lookup->last;
        return OG_OK;
    }
    if (lookup->shared != NULL)
        TRY(og_shared_get(lookup->shared, number, &lookup->arena, &packed,
                          err));
    else if (!og_pending_get(lookup->pending, number, &lookup->arena, &packed))
        TRY(copy_from_disk(lookup, number, &packed, err));
    if (packed.len > 0 && packed.data == NULL)
        return og_error_memory(err, packed.len, "an entry");
    if (packed.len == 0 || !og_entry_unpack(packed, out))
        return og_error_set(err, OG_ERR_STORE,
                            "the catalogue has no valid entry of document %u",
                            number);
    lookup->last = *out;
    lookup->last_number = number;
    lookup->has_last = true;
    return OG_OK;
}

struct latest {
    uint32_t below, number;
};

static bool is_latest(void *ctx, uint32_t number)
{
    struct latest *latest = ctx;
    if (number >= latest->below) return true;
    latest->number = number;
    return false;
}

og_status og_lookup_latest(struct og_lookup *lookup, og_bytes id,
                           uint32_t below, uint32_t *out, og_error *err)
{
    struct latest latest = {below, OG_NO_DOC};
    if (lookup->shared != NULL)
        return og_shared_latest(lookup->shared, id, out, err);
    if (og_pending_latest(lookup->pending, id, out) && *out < below)
        return OG_OK;
    *out = OG_NO_DOC;
    if (lookup->documents == NULL) return OG_OK;
    TRY(og_documents_view_begin(&lookup->view, err));
    const og_status status =
        og_documents_with_id(&lookup->view, id, is_latest, &latest, err);
    og_documents_view_end(&lookup->view);
    *out = latest.number;
    return status;
}
