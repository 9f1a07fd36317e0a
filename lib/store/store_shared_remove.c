/* Removing documents of a store that is on servers.
 *
 *     {d}:N  r = 1           everyone who reads the entry sees it
 *     log {r}  ... N         front ends that have read it before are told
 *     partitions             documents that copied from it take its passages
 *     {t}:BLOB, {d}:N, {i}   with a purge: text, entry and id are erased
 *
 * A removal that was broken off leaves a document that is removed, and perhaps
 * no heir of its passages until the next document that has them. A purge can be
 * repeated. */

#include "lib/store/store_shared.h"

#include <stdlib.h>

#include "lib/remote/remote_catalogue.h"
#include "lib/store/catalogue/shared_documents.h"
#include "lib/store/store_texts.h"
#include "lib/store/text/text_files.h"

/* Of more copiers of one document than this, the rest are not offered again;
 * nor are more versions of a document found at once. */
#define MOST_COPIERS  10000
#define MOST_VERSIONS 10000

struct shared_removal {
    og_store *store;
    struct og_shared *shared;
    og_trace *trace;
    struct og_text_reader *reader; /* NULL: no text was read yet */
    bool is_purge;
    uint64_t n; /* documents removed, or purged */
};

static og_status get_entry(const struct shared_removal *r, uint32_t number,
                           struct og_entry *out, og_error *err)
{
    og_lookup_clear(&r->trace->lookup);
    return og_lookup_get(&r->trace->lookup, number, out, err);
}

static og_status get_text(struct shared_removal *r,
                          const struct og_entry *entry, og_bytes *out,
                          og_error *err)
{
    if (r->reader == NULL) TRY(og_store_text_reader(r->store, &r->reader, err));
    return og_text_reader_get(r->reader, &entry->place, entry->text_len, out,
                              NULL, err);
}

/* ---- heirs ---- */

/* The fingerprints of a copier once more: it takes over those that `removed`
 * holds, and no others. */
static og_status offer_copier(struct shared_removal *r, uint32_t number,
                              uint32_t removed, og_error *err)
{
    og_store *store = r->store;
    const struct og_selection *sel = &r->trace->scratch.prepared.selection;
    struct og_entry entry;
    og_bytes text;
    TRY(get_entry(r, number, &entry, err));
    TRY(get_text(r, &entry, &text, err));
    TRY(og_scratch_prepare(&r->trace->scratch, text, &store->prepare, err));
    if (sel->n == 0) return OG_OK;
    struct og_hit *before =
        og_allocate(store->allocator, sel->n * sizeof(*before));
    if (before == NULL)
        return og_error_memory(err, sel->n * sizeof(*before), "hits");
    const struct og_additions additions = {.doc = number,
                                           .fp = sel->fp,
                                           .offset = sel->offset,
                                           .near = sel->near,
                                           .spare = sel->spare,
                                           .n = sel->n};
    struct og_remote_document document = {.additions = &additions,
                                          .reversed = &removed,
                                          .n_reversed = 1,
                                          .before = before};
    const og_status status =
        og_remote_table_observe(store->remote, &document, 1, err);
    og_release(store->allocator, before, sel->n * sizeof(*before));
    return status;
}

/* The next in the order of the documents that was not offered yet. */
static uint32_t take_earliest(const og_store *store, uint32_t *numbers,
                              size_t n)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (numbers[i] != OG_NO_DOC &&
            (best == n || og_catalogue_earlier(&store->catalogue, numbers[i],
                                               numbers[best])))
            best = i;
    if (best == n) return OG_NO_DOC;
    const uint32_t number = numbers[best];
    numbers[best] = OG_NO_DOC;
    return number;
}

static og_status offer_all(struct shared_removal *r, uint32_t *copiers,
                           size_t n, uint32_t removed, og_error *err)
{
    const struct og_catalogue *catalogue = &r->store->catalogue;
    for (size_t i = 0; i < n; i++)
        if (og_catalogue_is_removed(catalogue, copiers[i]))
            copiers[i] = OG_NO_DOC;
    for (;;) {
        const uint32_t number = take_earliest(r->store, copiers, n);
        if (number == OG_NO_DOC) return OG_OK;
        TRY(offer_copier(r, number, removed, err));
    }
}

static og_status offer_copiers(struct shared_removal *r, uint32_t removed,
                               og_error *err)
{
    size_t n = 0;
    if (!og_store_has_texts(r->store)) return OG_OK;
    uint32_t *copiers =
        og_allocate(r->store->allocator, MOST_COPIERS * sizeof(*copiers));
    if (copiers == NULL)
        return og_error_memory(err, MOST_COPIERS * sizeof(*copiers), "a list");
    og_status status =
        og_shared_copiers(r->shared, removed, MOST_COPIERS, copiers, &n, err);
    if (status == OG_OK) status = offer_all(r, copiers, n, removed, err);
    og_release(r->store->allocator, copiers, MOST_COPIERS * sizeof(*copiers));
    return status;
}

/* ---- purging ---- */

/* `len` bytes of the frame, or fewer if the blob ends there. */
static og_status read_blob(struct shared_removal *r,
                           const struct og_text_place *place, size_t len,
                           struct og_pack *out, og_error *err)
{
    if (!OG_GROW(out->allocator, out->data, out->cap, len))
        return og_error_memory(err, len, "a text");
    return og_remote_catalogue_get_text(r->shared->remote, place->segment,
                                        place->frame_off - OG_SEGMENT_HEAD,
                                        out->data, len, &out->len, err);
}

/* As it was at one moment: its head may say another length than a moment
 * before. What is no frame, og_frame_blank() refuses. */
static og_status read_frame(struct shared_removal *r,
                            const struct og_text_place *place,
                            struct og_pack *out, og_error *err)
{
    struct og_frame f;
    size_t wanted = OG_FRAME_HEADER;
    for (;;) {
        TRY(read_blob(r, place, wanted, out, err));
        if (out->len < wanted || og_frame_unpack(out->data, &f) != NULL)
            return OG_OK;
        const size_t len = OG_FRAME_HEADER + (size_t)f.packed_len;
        if (wanted >= len) {
            out->len = len;
            return OG_OK;
        }
        wanted = len;
    }
}

/* Texts of one frame belong to several documents, of which others may be purged
 * at the same time: who comes too late begins again. */
static og_status blank_text(struct shared_removal *r,
                            const struct og_entry *entry, og_error *err)
{
    struct og_remote_catalogue *remote = r->shared->remote;
    const struct og_text_place *place = &entry->place;
    struct og_pack blank = {.allocator = r->store->allocator};
    bool is_done = place->segment == 0;
    og_status status = OG_OK;
    while (!is_done && status == OG_OK) {
        struct og_pack frame = {.allocator = r->store->allocator};
        blank.len = 0;
        status = read_frame(r, place, &frame, err);
        const og_bytes before = {(const char *)frame.data, frame.len};
        if (status == OG_OK)
            status = og_frame_blank(before, place->text_off, entry->text_len,
                                    &blank, err);
        if (status == OG_OK)
            status = og_remote_catalogue_change_text(
                remote, place->segment, place->frame_off - OG_SEGMENT_HEAD,
                before, (og_bytes){(const char *)blank.data, blank.len},
                &is_done, err);
        og_pack_release(&frame);
    }
    og_pack_release(&blank);
    return status;
}

static og_status purge_version(struct shared_removal *r, uint32_t number,
                               const struct og_entry *entry, og_error *err)
{
    struct og_entry left = *entry;
    struct og_pack bytes = {.allocator = r->store->allocator};
    TRY(blank_text(r, entry, err));
    og_entry_purge(&left);
    og_entry_pack(&left, &bytes);
    const og_status status =
        bytes.failed
            ? og_error_memory(err, 64, "an entry")
            : og_remote_catalogue_purge(
                  r->shared->remote, number, entry->id,
                  (og_bytes){(const char *)bytes.data, bytes.len}, err);
    og_pack_release(&bytes);
    return status;
}

/* ---- versions ---- */

static og_status mark_removed(struct shared_removal *r, uint32_t number,
                              og_error *err)
{
    uint8_t record[4];
    struct og_remote_log log = og_shared_removals(r->shared);
    struct og_pack others = {.allocator = r->store->allocator};
    og_store32(record, number);
    TRY(og_remote_catalogue_remove(r->shared->remote, number, err));
    og_status status = og_remote_log_open(&log, true, err);
    if (status == OG_OK)
        status = og_remote_log_append(&log, (og_bytes){(const char *)record, 4},
                                      &others, err);
    og_pack_release(&others);
    return status == OG_OK ? og_shared_forget(r->shared, number, err) : status;
}

static og_status remove_version(struct shared_removal *r, uint32_t number,
                                og_error *err)
{
    struct og_entry entry;
    enum og_shared_state state;
    TRY(og_shared_walk(r->shared, number, 1, &state, err));
    if (state == OG_SHARED_UNUSED) return OG_OK;
    TRY(get_entry(r, number, &entry, err));
    const bool is_here = state != OG_SHARED_REMOVED;
    if (!is_here && (entry.is_purged || !r->is_purge)) return OG_OK;
    if (is_here) TRY(mark_removed(r, number, err));
    if (is_here) TRY(offer_copiers(r, number, err));
    if (r->is_purge) {
        TRY(get_entry(r, number, &entry, err));
        TRY(purge_version(r, number, &entry, err));
    }
    r->n++;
    return OG_OK;
}

static og_status remove_series(struct shared_removal *r, uint32_t series,
                               og_error *err)
{
    size_t n = 0;
    uint32_t *versions =
        og_allocate(r->store->allocator, MOST_VERSIONS * sizeof(*versions));
    if (versions == NULL)
        return og_error_memory(err, MOST_VERSIONS * sizeof(*versions),
                               "a list");
    og_status status = og_remote_catalogue_versions(
        r->shared->remote, series, MOST_VERSIONS, versions, &n, err);
    /* The newest first: an older one would leave its passages to it. */
    for (size_t i = n; i-- > 0 && status == OG_OK;)
        if (versions[i] != series) status = remove_version(r, versions[i], err);
    if (status == OG_OK) status = remove_version(r, series, err);
    og_release(r->store->allocator, versions,
               MOST_VERSIONS * sizeof(*versions));
    return status;
}

/* The latest document with the id leads to all others. */
static og_status remove_id(struct shared_removal *r, og_bytes id, og_error *err)
{
    struct og_remote_id one = {.id = id, .number = OG_NO_DOC};
    struct og_entry entry;
    enum og_shared_state state;
    TRY(og_remote_catalogue_claim(r->shared->remote, &one, 1, err));
    if (one.found == OG_NO_DOC) return OG_OK;
    TRY(og_shared_walk(r->shared, one.found, 1, &state, err));
    if (state == OG_SHARED_UNUSED) return OG_OK;
    TRY(get_entry(r, one.found, &entry, err));
    return remove_series(
        r, entry.series != OG_NO_DOC ? entry.series : one.found, err);
}

og_status og_store_remove_shared(og_store *store, og_bytes id, bool is_purge,
                                 uint64_t *out_n, og_error *err)
{
    if (store->own_trace == NULL) store->own_trace = og_trace_new(store);
    if (store->own_trace == NULL)
        return og_error_memory(err, sizeof(og_trace), "a trace");
    struct shared_removal r = {.store = store,
                               .shared = store->shared,
                               .trace = store->own_trace,
                               .is_purge = is_purge};
    const og_status status = remove_id(&r, id, err);
    og_text_reader_close(r.reader);
    *out_n = r.n;
    return status;
}
