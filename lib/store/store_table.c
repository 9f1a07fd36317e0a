#include "lib/store/store_table.h"

#include <stdatomic.h>
#include <string.h>

#include "lib/remote/remote_table.h"
#include "lib/store/catalogue/shared_documents.h"
#include "lib/store/store_disk.h"

/* ---- finding ---- */

void og_remote_found_release(struct og_remote_found *found,
                             const og_allocator *allocator)
{
    OG_UNGROW(allocator, found->lost, found->lost_cap);
    OG_UNGROW(allocator, found->holders, found->holders_cap);
    og_pack_release(&found->reversed);
    found->n = 0;
}

static og_status reserve_found(const og_store *store,
                               struct og_remote_found *found, size_t n,
                               og_error *err)
{
    const og_allocator *a = store->allocator;
    found->n = 0;
    found->reversed.allocator = a;
    if (OG_GROW(a, found->lost, found->lost_cap, n + 1) &&
        OG_GROW(a, found->holders, found->holders_cap, n + 1))
        return OG_OK;
    return og_error_memory(err, n * sizeof(*found->holders), "hits");
}

/* Makes sure that the marks of all holders are known: their order is needed
 * next. */
static og_status know_hits(og_store *store, const struct og_hit *hits, size_t n,
                           og_error *err)
{
    enum { GROUP = 256 };
    uint32_t numbers[GROUP];
    size_t n_numbers = 0;
    for (size_t i = 0; i < n; i++) {
        const bool is_new = hits[i].doc != OG_NO_DOC &&
                            !og_catalogue_knows(&store->catalogue, hits[i].doc);
        if (is_new) numbers[n_numbers++] = hits[i].doc;
        if (n_numbers < GROUP && i + 1 < n) continue;
        TRY(og_shared_know(store->shared, numbers, n_numbers, err));
        n_numbers = 0;
    }
    return OG_OK;
}

static og_status find_elsewhere(og_store *store, const struct og_selection *sel,
                                bool shared, struct og_hit *hits,
                                struct og_remote_found *found, og_error *err)
{
    const struct og_catalogue *catalogue = &store->catalogue;
    const uint32_t n_documents = store->shared != NULL ? OG_NO_DOC
                                 : shared ? atomic_load(&catalogue->n_published)
                                          : catalogue->n;
    struct og_remote_question question = {
        .fps = sel->fp, .n = sel->n, .hits = hits};
    if (store->shared != NULL) TRY(og_shared_refresh(store->shared, err));
    if (found != NULL) {
        TRY(reserve_found(store, found, sel->n, err));
        question.lost = found->lost;
    }
    TRY(og_remote_table_find(store->remote, &question, 1, n_documents, err));
    if (store->shared != NULL) TRY(know_hits(store, hits, sel->n, err));
    if (found == NULL) return OG_OK;
    for (size_t i = 0; i < sel->n; i++)
        found->holders[i] = hits[i].doc;
    found->n = sel->n;
    return OG_OK;
}

og_status og_store_find(og_store *store, const struct og_selection *sel,
                        bool shared, struct og_hit *hits,
                        struct og_remote_found *found, og_error *err)
{
    if (store->remote != NULL)
        return find_elsewhere(store, sel, shared, hits, found, err);
    if (store->disk != NULL) TRY(og_disk_know(store, sel->fp, sel->n, err));
    if (shared)
        og_table_find_shared(&store->table, sel->fp, sel->n, hits);
    else
        og_table_find_many(&store->table, sel->fp, sel->n, hits);
    return OG_OK;
}

/* ---- adding ---- */

static og_status observe(og_store *store, struct og_remote_found *found,
                         const struct og_additions *additions, uint32_t *n_new,
                         og_error *err)
{
    struct og_remote_document document = {.additions = additions};
    TRY(og_remote_reversed(found->holders, found->n, additions,
                           &found->reversed, &document.n_reversed, err));
    document.reversed = (const uint32_t *)found->reversed.data;
    TRY(og_remote_table_observe(store->remote, &document, 1, err));
    *n_new = document.n_new;
    return OG_OK;
}

og_status og_store_apply_elsewhere(og_store *store, const struct og_mark *mark,
                                   og_trace *trace,
                                   struct og_additions *additions,
                                   og_error *err)
{
    struct og_catalogue *catalogue = &store->catalogue;
    const bool is_last =
        store->n_removed == 0 &&
        og_catalogue_is_last(catalogue,
                             (struct og_doc_place){mark->time, catalogue->n});
    uint32_t n_new = 0;
    const uint32_t number = og_catalogue_append(catalogue, mark);
    additions->earlier = is_last ? NULL : og_catalogue_earlier;
    additions->ctx = catalogue;
    og_status status = og_disk_commit(store, err);
    if (status == OG_OK)
        status = observe(store, &trace->found, additions, &n_new, err);
    /* The table does not have it: the next writer to open the store adds it. */
    if (status != OG_OK) store->disk->has_failed = true;
    og_catalogue_set_new(catalogue, number, n_new);
    og_catalogue_publish(catalogue);
    return status;
}

og_status og_store_see_elsewhere(og_store *store,
                                 const struct og_additions *seen, og_error *err)
{
    struct og_remote_document document = {.additions = seen, .is_seen = true};
    return og_remote_table_observe(store->remote, &document, 1, err);
}

og_status og_store_note_table(og_store *store, og_error *err)
{
    if (og_remote_table_documents(store->remote) == store->catalogue.n)
        return OG_OK;
    return og_remote_table_note(store->remote, store->catalogue.n, err);
}

/* ---- catching up ---- */

/* How many documents are recorded at a time as added. */
#define NOTE_EACH 1024

static og_status add_again(og_store *store, uint32_t number, og_trace *trace,
                           struct og_text_reader *reader, og_error *err)
{
    const struct og_prepared *p = &trace->scratch.prepared;
    struct og_entry entry;
    og_bytes text;
    uint32_t n_new;
    og_lookup_clear(&trace->lookup);
    TRY(og_lookup_get(&trace->lookup, number, &entry, err));
    TRY(og_text_reader_get(reader, &entry.place, entry.text_len, &text, NULL,
                           err));
    TRY(og_scratch_prepare(&trace->scratch, text, &store->prepare, err));
    const og_document doc = og_entry_document(&entry, text);
    const struct og_subject subject = {
        .doc = &doc, .prepared = p, .place = {entry.time, number}};
    TRY(og_labels_reserve(&trace->labels, p->selection.n, err));
    TRY(og_store_find(store, &p->selection, false, trace->labels.hits,
                      &trace->found, err));
    og_store_drop(store, &subject, trace->labels.hits, trace);
    TRY(og_store_estimate(store, &subject, trace, err));
    trace->labels.lost = trace->found.lost;
    struct og_additions additions = og_labels_additions(
        &trace->labels, &p->selection, &store->table, number);
    additions.earlier = og_catalogue_earlier;
    additions.ctx = &store->catalogue;
    return observe(store, &trace->found, &additions, &n_new, err);
}

static og_status add_missing(og_store *store, og_trace *trace,
                             struct og_text_reader *reader, og_error *err)
{
    const uint32_t first = og_remote_table_documents(store->remote);
    for (uint32_t i = first; i < store->catalogue.n; i++) {
        if (og_catalogue_is_removed(&store->catalogue, i)) continue;
        TRY(add_again(store, i, trace, reader, err));
        if ((i + 1) % NOTE_EACH == 0)
            TRY(og_remote_table_note(store->remote, i + 1, err));
    }
    return og_store_note_table(store, err);
}

static og_status catch_up(og_store *store, og_error *err)
{
    struct og_text_reader *reader = NULL;
    og_trace *trace = og_trace_new(store);
    if (trace == NULL) return og_error_memory(err, sizeof(*trace), "a trace");
    og_status status = og_store_text_reader(store, &reader, err);
    if (status == OG_OK) status = add_missing(store, trace, reader, err);
    og_text_reader_close(reader);
    og_trace_free(trace);
    return status;
}

/* ---- opening ---- */

/* The counts that a store's own table keeps are needed to distinguish very
 * common phrases from copies. */
og_status og_store_check_elsewhere(const og_params *p, og_error *err)
{
    enum { LEAST_WORDS = 8 };
    if (p->tokens == OG_TOKEN_WORDS && p->shingle_len < LEAST_WORDS)
        return og_error_set(err, OG_ERR_USAGE,
                            "with a table on a server a shingle has %d words "
                            "or more",
                            LEAST_WORDS);
    return OG_OK;
}

static og_status check_documents(const og_store *store, og_error *err)
{
    const uint32_t n = og_remote_table_documents(store->remote);
    if (n <= store->catalogue.n) return OG_OK;
    /* A reader may lag a little behind a writer. */
    if (store->is_read_only) return OG_OK;
    return og_error_set(err, OG_ERR_STORE,
                        "table '%s' has %u documents, of which store '%s' "
                        "knows %u: it is not the catalogue that the table was "
                        "last written with",
                        og_remote_table_name(store->remote), n,
                        store->disk->folder, store->catalogue.n);
}

og_status og_store_attach_table(og_store *store, const char *address,
                                og_access access, og_error *err)
{
    struct og_remote_options options = {.address = address,
                                        .is_made = access != OG_READ};
    TRY(og_store_check_elsewhere(&store->params, err));
    memcpy(options.catalogue,
           store->shared != NULL ? store->shared->conf.uuid
                                 : store->disk->conf.uuid,
           OG_UUID_LEN);
    options.table = og_store_table_options(&store->params);
    options.table.memory = store->table_memory;
    TRY(og_remote_table_open(&options, store->allocator, &store->remote, err));
    store->params.memory = og_remote_table_memory(store->remote);
    if (store->shared != NULL) return OG_OK; /* it is whole as it is */
    TRY(check_documents(store, err));
    if (store->is_read_only) return OG_OK;
    return og_remote_table_documents(store->remote) < store->catalogue.n
               ? catch_up(store, err)
               : OG_OK;
}
