/* A store: a table of fingerprints, the order of the documents, their names; in
 * memory, or on disk as well (store_disk.c). This file opens and closes it.
 *
 * A document goes through the stages (prepare.c), is looked up, labelled and
 * answered (store_ask.c), and finally added (store_add.c). */

#include "lib/store/store.h"

#include <string.h>

#include "lib/remote/remote_table.h"
#include "lib/store/catalogue/shared_documents.h"
#include "lib/store/store_disk.h"
#include "lib/store/store_shared.h"
#include "lib/store/store_table.h"
#include "lib/stream/phases.h"
#include "lib/table/common_fps.h"

static void set_stages(og_store *store)
{
    const og_params *p = &store->params;
    const bool is_keyed = og_store_is_keyed(store);
    og_shingle_key_init(&store->shingle_key, p->key);
    og_shingle_factors_init(&store->shingle_factors, og_rabin_default(),
                            p->shingle_len);
    store->prepare = (struct og_prepare_options){
        .tokens = p->tokens,
        .token_key = is_keyed ? 0 : p->key,
        .shingle_factors = &store->shingle_factors,
        .shingle_key = is_keyed ? &store->shingle_key : NULL,
        .select = p->select,
        .note = og_estimate_context_kind(p->estimate),
        .fold = p->fold,
        .no_fps = (store->indexes.on & OG_INDEX_PASSAGES) == 0,
    };
}

struct og_table_options og_store_table_options(const og_params *params)
{
    return (struct og_table_options){
        .layout = params->layout,
        .evict = params->evict,
        .fields = og_estimate_fields(params->estimate),
        .bucket_slots = params->bucket_slots,
        .memory = params->memory,
        /* A cell of 12 bytes for a slot in 40 or so: few fingerprints are
           common. */
        .common_len = params->memory / 64 / OG_COMMON_LINE * OG_COMMON_LINE,
    };
}

static og_status open_in_memory(og_store *store, const og_params *params,
                                unsigned indexes, og_error *err)
{
    TRY(og_params_check(params, err));
    store->indexes.on = indexes;
    store->params = *params;
    store->params.key = og_conf_new_key(params->key);
    if ((indexes & OG_INDEX_PASSAGES) == 0) store->params.no_texts = true;
    og_params share = store->params;
    share.memory = og_memory_table_share(&share);
    const struct og_table_options options = og_store_table_options(&share);
    TRY(og_table_init(&store->table, &options, store->allocator, err));
    const og_status status = og_memory_texts_open(store, err);
    if (status != OG_OK) {
        og_table_release(&store->table);
        return status;
    }
    og_catalogue_init(&store->catalogue, NULL, 0, INT64_MIN, store->allocator);
    og_pending_init(&store->pending, 0, store->allocator);
    return OG_OK;
}

/* Without passages the table is of no use: as small as it may be. */
#define NO_TABLE ((uint64_t)1 << 20)

/* The options, made explicit. */
struct opening {
    og_params params;
    unsigned indexes;
    char table[OG_CONF_TABLE_LEN]; /* on servers; "": none requested */
    uint64_t table_memory;
    bool is_shared; /* all of it is on servers */
};

static og_params params_of(const og_store_options *options, unsigned indexes)
{
    og_params params =
        options->params != NULL ? *options->params : og_params_default();
    if ((indexes & OG_INDEX_PASSAGES) == 0 && params.memory > NO_TABLE)
        params.memory = NO_TABLE;
    return params;
}

static og_status plan_opening(const char *path, og_access access,
                              const og_store_options *options,
                              struct opening *out, og_error *err)
{
    struct og_table_address address;
    *out = (struct opening){.indexes = options->indexes};
    if (out->indexes == 0) out->indexes = OG_INDEX_PASSAGES;
    out->is_shared = og_table_address_is(path);
    if (out->is_shared && options->table != NULL)
        return og_error_set(err, OG_ERR_USAGE,
                            "the catalogue of a table on a server is a store "
                            "in a folder");
    if (options->table != NULL) {
        if (strcmp(path, ":memory:") == 0)
            return og_error_set(err, OG_ERR_USAGE,
                                "the catalogue of a table on a server is a "
                                "store in a folder");
        TRY(og_table_address_parse(options->table, &address, err));
        memcpy(out->table, address.table, sizeof(out->table));
        memset(&address, 0, sizeof(address));
        out->indexes &= ~(unsigned)OG_INDEX_PASSAGES;
        out->table_memory = options->params != NULL
                                ? options->params->memory
                                : og_params_default().memory;
    }
    out->params = params_of(options, out->indexes);
    return options->table != NULL && access == OG_CREATE
               ? og_store_check_elsewhere(&out->params, err)
               : OG_OK;
}

static og_status open_parts(og_store *store, const char *path, og_access access,
                            const struct opening *opening, og_error *err)
{
    store->table_memory = opening->table_memory;
    if (opening->is_shared)
        return og_store_open_shared(store, path, access, &opening->params,
                                    opening->indexes, err);
    return strcmp(path, ":memory:") == 0
               ? open_in_memory(store, &opening->params, opening->indexes, err)
               : og_disk_open(store, path, access, &opening->params,
                              opening->indexes, opening->table, err);
}

og_status og_store_open(const char *path, og_access access,
                        const og_store_options *options, og_store **out,
                        og_error *err)
{
    static const og_store_options none;
    struct opening opening;
    *out = NULL;
    if (options == NULL) options = &none;
    TRY(plan_opening(path, access, options, &opening, err));
    og_store *store = og_allocate_zero(NULL, sizeof(*store));
    if (store == NULL) return og_error_memory(err, sizeof(*store), "a store");
    store->order = 1;
    og_status status = open_parts(store, path, access, &opening, err);
    if (status != OG_OK) {
        og_release(NULL, store, sizeof(*store));
        return status;
    }
    set_stages(store);
    og_origin_caches_init(&store->origin_caches, &store->params,
                          store->allocator);
    status = og_indexes_open(store, options, err);
    if (status == OG_OK && (options->table != NULL || opening.is_shared))
        status = og_store_attach_table(
            store, opening.is_shared ? path : options->table, access, err);
    if (status != OG_OK) {
        (void)og_store_close(store, NULL);
        return status;
    }
    *out = store;
    return OG_OK;
}

og_status og_store_close(og_store *store, og_error *err)
{
    og_status status = OG_OK;
    if (store == NULL) return OG_OK;
    if (store->disk != NULL && !store->is_read_only) {
        const struct og_phases alone = og_phases_alone(NULL);
        status = og_indexes_finish(store, &alone, err);
    }
    og_indexes_release(store);
    if (status == OG_OK && store->remote != NULL && !store->is_read_only &&
        store->disk != NULL && !store->disk->has_failed)
        status = og_store_note_table(store, err);
    og_trace_free(store->own_trace);
    og_origin_caches_release(&store->origin_caches);
    if (store->disk != NULL) {
        const og_status closed =
            og_disk_close(store, status == OG_OK ? err : NULL);
        if (status == OG_OK) status = closed;
    }
    og_keeping_close(&store->keeping);
    og_store_close_shared(store);
    og_pending_release(&store->pending);
    og_catalogue_release(&store->catalogue);
    og_table_release(&store->table);
    og_remote_table_close(store->remote);
    og_release(store->allocator, store, sizeof(*store));
    return status;
}

og_status og_store_commit(og_store *store, og_error *err)
{
    return store->disk != NULL ? og_disk_commit(store, err) : OG_OK;
}

void og_store_warm(og_store *store)
{
    /* Without memory of its own the table works as well, only slower. */
    if (og_table_take_over(&store->table, NULL) == OG_OK)
        og_pages_touch(&store->table.pages);
}

bool og_store_is_keyed(const og_store *store)
{
    return store->params.key != 0 &&
           (store->disk == NULL || store->disk->conf.is_keyed);
}

const char *og_store_table(const og_store *store)
{
    if (store->remote != NULL) return og_remote_table_name(store->remote);
    return store->disk != NULL ? store->disk->conf.table : "";
}

bool og_store_is_shared(const og_store *store)
{
    return store->shared != NULL;
}

const og_params *og_store_params(const og_store *store)
{
    return &store->params;
}

/* info counts a passage in this many documents as boilerplate. */
#define COMMON 100

/* Zeros: it does not answer. */
static void count_elsewhere(const og_store *store, og_store_info *out)
{
    struct og_remote_counts counts;
    if (og_remote_table_count(store->remote, &counts, NULL) != OG_OK)
        counts = (struct og_remote_counts){0};
    out->table_bytes = og_remote_table_memory(store->remote);
    out->table_used_bytes = counts.n_bytes;
    out->n_slots = counts.n_slots;
    out->n_slots_used = counts.n_used;
    out->n_evicted = counts.n_evicted;
    out->n_boilerplate = 0;
}

/* When they do not answer: as it was when it was opened. */
static void count_documents(const struct og_shared *shared, og_store_info *out)
{
    struct og_shared_counts counts;
    out->n_documents = shared->n_documents;
    if (og_shared_count(shared, &counts, NULL) != OG_OK) return;
    out->n_documents = counts.n_documents;
    out->n_removed = counts.n_removed;
}

void og_store_info_get(const og_store *store, og_store_info *out)
{
    *out = (og_store_info){
        .n_documents = store->catalogue.n - store->n_removed,
        .n_removed = store->n_removed,
        .table_bytes = og_table_bytes(&store->table.options),
        .table_used_bytes = og_table_len(&store->table),
        .n_slots = og_table_slots(&store->table),
        .n_slots_used = store->table.n_used,
        .n_evicted = store->table.n_evicted,
        .n_boilerplate = og_common_fps_over(
            store->table.common, store->table.n_common_lines, COMMON),
        .journal_bytes = store->disk != NULL ? store->disk->journal_len : 0,
    };
    if (store->shared != NULL) count_documents(store->shared, out);
    if (store->remote != NULL) count_elsewhere(store, out);
    og_memory_texts_count(store, &out->text_bytes, &out->text_bytes_gone);
}
