#include "lib/naming.h"

/* An arena that held more gives it back. */
#define KEEP_LEN ((size_t)1 << 20)

void og_naming_init(struct og_naming *naming, struct og_pending *pending,
                    struct og_documents *documents,
                    const og_allocator *allocator)
{
    *naming = (struct og_naming){.pending = pending, .documents = documents};
    og_arena_init(&naming->arena, allocator);
    if (documents != NULL) og_documents_view_init(&naming->view, documents);
}

void og_naming_release(struct og_naming *naming)
{
    if (naming->documents != NULL) og_documents_view_release(&naming->view);
    og_arena_release(&naming->arena);
}

void og_naming_clear(struct og_naming *naming)
{
    og_arena_clear(&naming->arena, KEEP_LEN);
    naming->has_last = false;
}

/* What is not pending is on disk: entries are cleared from memory only after
 * they are there, and a view that begins now sees them. */
static og_status copy_from_disk(struct og_naming *naming, uint32_t number,
                                og_bytes *out, og_error *err)
{
    og_bytes entry = {NULL, 0};
    *out = entry;
    if (naming->documents == NULL) return OG_OK;
    TRY(og_documents_view_begin(&naming->view, err));
    const og_status status =
        og_documents_get(&naming->view, number, &entry, err);
    if (status == OG_OK && entry.len > 0) {
        out->data = og_arena_copy(&naming->arena, entry.data, entry.len, 1);
        out->len = entry.len;
    }
    og_documents_view_end(&naming->view);
    return status;
}

og_status og_naming_get(struct og_naming *naming, uint32_t number,
                        struct og_entry *out, og_error *err)
{
    og_bytes packed;
    if (naming->has_last && naming->last_number == number) {
        *out = naming->last;
        return OG_OK;
    }
    if (!og_pending_get(naming->pending, number, &naming->arena, &packed))
        TRY(copy_from_disk(naming, number, &packed, err));
    if (packed.len > 0 && packed.data == NULL)
        return og_error_memory(err, packed.len, "an entry");
    if (packed.len == 0 || !og_entry_unpack(packed, out))
        return og_error_set(err, OG_ERR_STORE,
                            "the catalogue has no sound entry of document %u",
                            number);
    naming->last = *out;
    naming->last_number = number;
    naming->has_last = true;
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

og_status og_naming_latest(struct og_naming *naming, og_bytes id,
                           uint32_t below, uint32_t *out, og_error *err)
{
    struct latest latest = {below, OG_NO_DOCUMENT};
    if (og_pending_latest(naming->pending, id, out) && *out < below)
        return OG_OK;
    *out = OG_NO_DOCUMENT;
    if (naming->documents == NULL) return OG_OK;
    TRY(og_documents_view_begin(&naming->view, err));
    const og_status status =
        og_documents_with_id(&naming->view, id, is_latest, &latest, err);
    og_documents_view_end(&naming->view);
    *out = latest.number;
    return status;
}
