/* Reading the catalogue on disk. Everything that is given out lies in LMDB's
 * map; a view is one of its read transactions, kept from one use to the next
 * because its slot in the table of readers is what costs. */

#include <inttypes.h>

#include "lib/store/catalogue/documents_env.h"

void og_documents_view_init(struct og_documents_view *view,
                            struct og_documents *db)
{
    *view = (struct og_documents_view){.db = db};
}

static int begin_txn(struct og_documents_view *view)
{
    struct og_documents *db = view->db;
    if (view->txn != NULL) return mdb_txn_renew(view->txn);
    MDB_txn *txn = NULL;
    int code = mdb_txn_begin(db->env, NULL, MDB_RDONLY, &txn);
    int n_dead = 0;
    if (code == MDB_READERS_FULL && mdb_reader_check(db->env, &n_dead) == 0 &&
        n_dead > 0)
        code = mdb_txn_begin(db->env, NULL, MDB_RDONLY, &txn);
    if (code == 0) view->txn = txn;
    return code;
}

/* Another process may have made the map longer. */
static int begin_in_map(struct og_documents_view *view)
{
    for (;;) {
        og_documents_enter(view->db);
        int code = begin_txn(view);
        if (code == 0) return 0;
        og_documents_leave(view->db);
        if (code != MDB_MAP_RESIZED) return code;
        code = og_documents_set_map(view->db, 0);
        if (code != 0) return code;
    }
}

og_status og_documents_view_begin(struct og_documents_view *view, og_error *err)
{
    struct og_documents_state state;
    if (view->begun) og_documents_view_end(view);
    const int code = begin_in_map(view);
    if (code != 0) return og_documents_failure(view->db, code, "read", err);
    view->begun = true;
    const og_status status =
        og_documents_read_state(view->db, view->txn, &state, err);
    if (status != OG_OK) {
        og_documents_view_end(view);
        return status;
    }
    view->sequence = state.sequence;
    view->count = state.count;
    return OG_OK;
}

void og_documents_view_end(struct og_documents_view *view)
{
    if (!view->begun) return;
    mdb_txn_reset(view->txn);
    view->begun = false;
    og_documents_leave(view->db);
}

void og_documents_view_release(struct og_documents_view *view)
{
    og_documents_view_end(view);
    if (view->txn != NULL) mdb_txn_abort(view->txn);
    *view = (struct og_documents_view){0};
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
    MDB_val key = {sizeof(number), &number};
    MDB_val value = {0, NULL};
    *out = (og_bytes){"", 0};
    const int code = mdb_get(view->txn, view->db->documents, &key, &value);
    if (code == MDB_NOTFOUND) return OG_OK;
    if (code != 0) return og_documents_failure(view->db, code, "read", err);
    *out = (og_bytes){value.mv_data, value.mv_size};
    return OG_OK;
}

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
                            " is not sound",
                            view->db->folder, number);
    *out = entry.id.len == id.len &&
           (id.len == 0 || memcmp(entry.id.data, id.data, id.len) == 0);
    return OG_OK;
}

static uint32_t load_number(const MDB_val *value)
{
    uint32_t number;
    memcpy(&number, value->mv_data, sizeof(number));
    return number;
}

static og_status walk_ids(struct og_documents_view *view, MDB_cursor *cursor,
                          og_bytes id, og_document_visit *visit, void *ctx,
                          og_error *err)
{
    uint64_t hash = og_documents_hash(id);
    MDB_val key = {sizeof(hash), &hash};
    MDB_val value = {0, NULL};
    int code = mdb_cursor_get(cursor, &key, &value, MDB_SET);
    if (code == 0) code = mdb_cursor_get(cursor, &key, &value, MDB_LAST_DUP);
    while (code == 0) {
        bool is_same = false;
        const uint32_t number = load_number(&value);
        TRY(has_id(view, number, id, &is_same, err));
        if (is_same && !visit(ctx, number)) return OG_OK;
        code = mdb_cursor_get(cursor, &key, &value, MDB_PREV_DUP);
    }
    if (code == MDB_NOTFOUND) return OG_OK;
    return og_documents_failure(view->db, code, "read", err);
}

og_status og_documents_with_id(struct og_documents_view *view, og_bytes id,
                               og_document_visit *visit, void *ctx,
                               og_error *err)
{
    MDB_cursor *cursor;
    const int code = mdb_cursor_open(view->txn, view->db->ids, &cursor);
    if (code != 0) return og_documents_failure(view->db, code, "read", err);
    const og_status status = walk_ids(view, cursor, id, visit, ctx, err);
    mdb_cursor_close(cursor);
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

static int walk_copiers(MDB_cursor *cursor, uint32_t origin, size_t max,
                        og_copier_visit *visit, void *ctx)
{
    MDB_val key = {sizeof(origin), &origin};
    MDB_val value = {0, NULL};
    int code = mdb_cursor_get(cursor, &key, &value, MDB_SET);
    for (size_t i = 0; i < max && code == 0; i++) {
        uint64_t packed;
        memcpy(&packed, value.mv_data, sizeof(packed));
        if (!visit(ctx, (uint32_t)(packed >> 32), (uint32_t)packed)) return 0;
        code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT_DUP);
    }
    return code == MDB_NOTFOUND ? 0 : code;
}

og_status og_documents_copiers(struct og_documents_view *view, uint32_t origin,
                               size_t max, og_copier_visit *visit, void *ctx,
                               og_error *err)
{
    MDB_cursor *cursor;
    int code = mdb_cursor_open(view->txn, view->db->copies, &cursor);
    if (code != 0) return og_documents_failure(view->db, code, "read", err);
    code = walk_copiers(cursor, origin, max, visit, ctx);
    mdb_cursor_close(cursor);
    return code == 0 ? OG_OK
                     : og_documents_failure(view->db, code, "read", err);
}

og_status og_documents_is_removed(struct og_documents_view *view,
                                  uint32_t number, bool *out, og_error *err)
{
    MDB_val key = {sizeof(number), &number};
    MDB_val value = {0, NULL};
    const int code = mdb_get(view->txn, view->db->removed, &key, &value);
    *out = code == 0;
    if (code == 0 || code == MDB_NOTFOUND) return OG_OK;
    return og_documents_failure(view->db, code, "read", err);
}

og_status og_documents_removed(struct og_documents_view *view,
                               og_document_visit *visit, void *ctx,
                               og_error *err)
{
    MDB_cursor *cursor;
    MDB_val key, value;
    int code = mdb_cursor_open(view->txn, view->db->removed, &cursor);
    if (code != 0) return og_documents_failure(view->db, code, "read", err);
    while ((code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) == 0)
        if (!visit(ctx, load_number(&key))) break;
    mdb_cursor_close(cursor);
    if (code == 0 || code == MDB_NOTFOUND) return OG_OK;
    return og_documents_failure(view->db, code, "read", err);
}
