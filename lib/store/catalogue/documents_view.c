/* Reading the catalogue on disk while another thread or process may be writing
 * it. Each query reads the newest state, and is repeated when that did not last
 * until the answer was complete: so an answer is collected first and then
 * reported. */

#include <inttypes.h>

#include "lib/store/catalogue/documents_env.h"
#include "lib/store/catalogue/lmdb_format.h"

/* A query is repeated only if two batches, each with its syncs, end during
 * it. */
#define MOST_TRIES 1000

void og_documents_view_init(struct og_documents_view *view,
                            struct og_documents *db)
{
    *view = (struct og_documents_view){.db = db};
    if (db != NULL) view->found.allocator = db->allocator;
}

void og_documents_view_release(struct og_documents_view *view)
{
    if (view->reader != NULL) {
        og_lmdb_reader_release(view->reader);
        og_release(view->db->allocator, view->reader, sizeof(*view->reader));
    }
    og_pack_release(&view->found);
    *view = (struct og_documents_view){0};
}

/* ---- queries ---- */

static og_status make_reader(struct og_documents_view *view, og_error *err)
{
    const struct og_documents *db = view->db;
    if (view->reader != NULL) return OG_OK;
    view->reader = og_allocate_zero(db->allocator, sizeof(*view->reader));
    if (view->reader == NULL)
        return og_error_memory(err, sizeof(*view->reader), "a view");
    og_lmdb_reader_init(view->reader, db->fd, db->path, &db->sums,
                        db->allocator);
    return OG_OK;
}

static og_status scan_tree(struct og_documents_view *view,
                           const struct og_catalogue_question *q, og_error *err)
{
    struct og_lmdb_tree tree;
    view->found.len = 0;
    view->found.failed = false;
    const og_status status =
        og_lmdb_tree_find(view->reader, q->tree, &tree, err);
    if (status == OG_END)
        return og_error_set(err, OG_ERR_STORE, "'%s' has no tree of %s",
                            view->db->path, q->tree);
    TRY(status);
    TRY(og_lmdb_scan(view->reader, tree, q->from.len > 0 ? &q->from : NULL,
                     q->visit, q->ctx, err));
    if (view->found.failed)
        return og_error_memory(err, view->found.len, "an answer");
    return OG_OK;
}

og_status og_documents_ask(struct og_documents_view *view,
                           const struct og_catalogue_question *q, og_error *err)
{
    TRY(make_reader(view, err));
    for (int i = 0; i < MOST_TRIES; i++) {
        if (!view->is_fresh) TRY(og_lmdb_reader_begin(view->reader, err));
        view->is_fresh = false;
        if (q->restart != NULL) q->restart(q->ctx);
        const og_status status = scan_tree(view, q, err);
        if (og_lmdb_reader_is_steady(view->reader)) return status;
    }
    return og_error_set(err, OG_ERR_BUSY,
                        "'%s' changes faster than it can be read",
                        view->db->path);
}

/* ---- values of one key ---- */

struct key_search {
    struct og_documents_view *view;
    og_bytes key;
    size_t max, n;
    size_t value_len; /* 0: any */
    bool is_found, is_bad;
};

static void restart_search(void *ctx)
{
    struct key_search *search = ctx;
    search->n = 0;
    search->is_found = search->is_bad = false;
}

static bool take_value(void *ctx, og_bytes key, og_bytes value)
{
    struct key_search *search = ctx;
    if (key.len != search->key.len ||
        memcmp(key.data, search->key.data, key.len) != 0)
        return false;
    search->is_found = true;
    search->is_bad |= search->value_len > 0 && value.len != search->value_len;
    og_pack_bytes(&search->view->found, value.data, value.len);
    return ++search->n < search->max && !search->is_bad;
}

/* Collects all values of `key` in view->found, one after the other, at most
 * `max`; those of length `value_len`, unless that is 0. */
static og_status find_values(struct og_documents_view *view, const char *tree,
                             og_bytes key, size_t value_len, size_t max,
                             struct key_search *out, og_error *err)
{
    *out = (struct key_search){
        .view = view, .key = key, .max = max, .value_len = value_len};
    const struct og_catalogue_question q = {.tree = tree,
                                            .from = key,
                                            .visit = take_value,
                                            .restart = restart_search,
                                            .ctx = out};
    if (max == 0) return OG_OK;
    TRY(og_documents_ask(view, &q, err));
    return out->is_bad
               ? og_error_set(err, OG_ERR_STORE,
                              "'%s': a value of %s has a different length",
                              view->db->path, tree)
               : OG_OK;
}

static og_bytes number_key(const uint32_t *number)
{
    return (og_bytes){(const char *)number, sizeof(*number)};
}

og_status og_documents_find_meta(struct og_documents_view *view,
                                 const char *name, og_bytes *out, og_error *err)
{
    struct key_search search;
    const og_bytes key = {name, strlen(name)};
    TRY(find_values(view, "meta", key, 0, 1, &search, err));
    *out = (og_bytes){(const char *)view->found.data, view->found.len};
    return OG_OK;
}

/* ---- the view ---- */

og_status og_documents_view_begin(struct og_documents_view *view, og_error *err)
{
    og_bytes state;
    if (view->begun) og_documents_view_end(view);
    TRY(make_reader(view, err));
    TRY(og_lmdb_reader_begin(view->reader, err));
    view->is_fresh = true;
    /* Usually nothing was written since. */
    if (view->n_states == view->reader->n_states) {
        view->begun = true;
        return OG_OK;
    }
    TRY(og_documents_find_meta(view, "state", &state, err));
    if (state.len != OG_DOCUMENTS_STATE_LEN ||
        og_load64(state.data + 8) > OG_NO_DOC)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' does not say how many documents it has",
                            view->db->folder);
    view->sequence = og_load64(state.data);
    view->count = (uint32_t)og_load64(state.data + 8);
    view->n_states = view->reader->n_states;
    view->begun = true;
    return OG_OK;
}

og_status og_documents_view_begin_for(struct og_documents_view *view,
                                      uint32_t number, og_error *err)
{
    if (view->reader == NULL || number >= view->count)
        return og_documents_view_begin(view, err);
    og_lmdb_reader_resume(view->reader);
    view->begun = view->is_fresh = true;
    return OG_OK;
}

void og_documents_view_end(struct og_documents_view *view)
{
    view->begun = view->is_fresh = false;
}

uint64_t og_documents_view_sequence(const struct og_documents_view *view)
{
    return view->sequence;
}

uint32_t og_documents_view_count(const struct og_documents_view *view)
{
    return view->count;
}

og_status og_documents_get(struct og_documents_view *view, uint32_t number,
                           og_bytes *out, og_error *err)
{
    struct key_search search;
    *out = (og_bytes){"", 0};
    if (number >= view->count) return OG_OK; /* it was added after the begin */
    TRY(find_values(view, "documents", number_key(&number), 0, 1, &search,
                    err));
    if (search.is_found && view->found.len > 0)
        *out = (og_bytes){(const char *)view->found.data, view->found.len};
    return OG_OK;
}

/* ---- lists ---- */

/* Whether document `number` really has this id and not only its hash. */
static og_status has_id(struct og_documents_view *view, uint32_t number,
                        og_bytes id, bool *out, og_error *err)
{
    og_bytes bytes;
    struct og_entry entry;
    TRY(og_documents_get(view, number, &bytes, err));
    if (!og_entry_unpack(bytes, &entry))
        return og_error_set(err, OG_ERR_STORE,
                            "'%s': the entry of document %" PRIu32
                            " is damaged",
                            view->db->folder, number);
    *out = entry.id.len == id.len &&
           (id.len == 0 || memcmp(entry.id.data, id.data, id.len) == 0);
    return OG_OK;
}

/* Moves the list out of view->found, which further queries overwrite. */
static struct og_pack take_found(struct og_documents_view *view)
{
    struct og_pack list = view->found;
    view->found = (struct og_pack){.allocator = list.allocator};
    return list;
}

static og_status visit_with_id(struct og_documents_view *view,
                               const struct og_pack *list, og_bytes id,
                               og_document_visit *visit, void *ctx,
                               og_error *err)
{
    for (size_t at = list->len; at >= 4; at -= 4) {
        bool is_same = false;
        const uint32_t number = og_lmdb_u32(list->data + at - 4);
        if (number >= view->count) continue;
        TRY(has_id(view, number, id, &is_same, err));
        if (is_same && !visit(ctx, number)) break;
    }
    return OG_OK;
}

og_status og_documents_with_id(struct og_documents_view *view, og_bytes id,
                               og_document_visit *visit, void *ctx,
                               og_error *err)
{
    struct key_search search;
    const uint64_t hash = og_documents_hash(id);
    const og_bytes key = {(const char *)&hash, sizeof(hash)};
    TRY(find_values(view, "ids", key, 4, SIZE_MAX, &search, err));
    struct og_pack list = take_found(view);
    const og_status status = visit_with_id(view, &list, id, visit, ctx, err);
    og_pack_release(&list);
    return status;
}

static bool take_first(void *ctx, uint32_t number)
{
    *(uint32_t *)ctx = number;
    return false;
}

og_status og_documents_latest(struct og_documents_view *view, og_bytes id,
                              uint32_t *out, og_error *err)
{
    *out = OG_NO_DOC;
    return og_documents_with_id(view, id, take_first, out, err);
}

og_status og_documents_copiers(struct og_documents_view *view, uint32_t origin,
                               size_t max, og_copier_visit *visit, void *ctx,
                               og_error *err)
{
    struct key_search search;
    TRY(find_values(view, "copies", number_key(&origin), 8, max, &search, err));
    struct og_pack list = take_found(view);
    for (size_t at = 0; at + 8 <= list.len; at += 8) {
        const uint64_t packed = og_lmdb_u64(list.data + at);
        if (packed >> 32 >= view->count) break;
        if (!visit(ctx, (uint32_t)(packed >> 32), (uint32_t)packed)) break;
    }
    og_pack_release(&list);
    return OG_OK;
}

og_status og_documents_is_removed(struct og_documents_view *view,
                                  uint32_t number, bool *out, og_error *err)
{
    struct key_search search;
    TRY(find_values(view, "removed", number_key(&number), 0, 1, &search, err));
    *out = search.is_found;
    return OG_OK;
}

static bool take_key(void *ctx, og_bytes key, og_bytes value)
{
    struct og_documents_view *view = ctx;
    (void)value;
    if (key.len == 4) og_pack_bytes(&view->found, key.data, 4);
    return true;
}

og_status og_documents_removed(struct og_documents_view *view,
                               og_document_visit *visit, void *ctx,
                               og_error *err)
{
    const struct og_catalogue_question q = {
        .tree = "removed", .visit = take_key, .ctx = view};
    TRY(og_documents_ask(view, &q, err));
    struct og_pack list = take_found(view);
    for (size_t at = 0; at + 4 <= list.len; at += 4)
        if (!visit(ctx, og_lmdb_u32(list.data + at))) break;
    og_pack_release(&list);
    return OG_OK;
}
