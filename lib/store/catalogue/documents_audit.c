/* The trees of a catalogue against each other. The entries have checksums; what
 * the trees of ids and of copies must hold follows from them. Both are summed
 * up in an order that does not matter, so each tree is read once, front to
 * back. */

#include <inttypes.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/store/catalogue/documents_env.h"

struct totals {
    uint64_t n, sum;
};

static void count_pair(struct totals *t, uint64_t key, uint64_t value)
{
    t->n++;
    t->sum += og_mix64(og_mix64(key) + value);
}

static og_status unsound(const struct og_documents *db, const char *what,
                         og_error *err)
{
    return og_error_set(err, OG_ERR_STORE, "'%s' is not sound: %s", db->folder,
                        what);
}

static og_status add_entry(const struct og_documents *db, uint32_t number,
                           const MDB_val *key, const MDB_val *value,
                           struct totals *ids, struct totals *copies,
                           og_error *err)
{
    struct og_entry entry;
    uint32_t seen;
    const og_bytes bytes = {value->mv_data, value->mv_size};
    if (key->mv_size == sizeof(seen)) memcpy(&seen, key->mv_data, sizeof(seen));
    if (key->mv_size != sizeof(seen) || seen != number ||
        !og_entry_unpack(bytes, &entry))
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' is not sound: the entry of document %" PRIu32
                            " is not as it was written",
                            db->folder, number);
    count_pair(ids, og_documents_hash(entry.id), number);
    for (uint32_t i = 0; i < entry.n_origins; i++)
        count_pair(copies, entry.origins[i].doc,
                   (uint64_t)number << 32 | entry.origins[i].n_tokens);
    return OG_OK;
}

static og_status read_entries(struct og_documents *db, MDB_txn *txn,
                              uint32_t count, struct totals *ids,
                              struct totals *copies, og_error *err)
{
    MDB_cursor *cursor;
    MDB_val key = {0, NULL}, value = {0, NULL};
    uint32_t number = 0;
    og_status status = OG_OK;
    int code = mdb_cursor_open(txn, db->documents, &cursor);
    if (code != 0) return og_documents_failure(db, code, "read", err);
    while (status == OG_OK &&
           (code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) == 0)
        status = add_entry(db, number++, &key, &value, ids, copies, err);
    mdb_cursor_close(cursor);
    if (status != OG_OK) return status;
    if (code != MDB_NOTFOUND)
        return og_documents_failure(db, code, "read", err);
    return number == count
               ? OG_OK
               : unsound(db, "entries of documents are missing", err);
}

static uint64_t number_of(const MDB_val *v)
{
    uint32_t small = 0;
    uint64_t large = 0;
    if (v->mv_size == sizeof(small)) memcpy(&small, v->mv_data, sizeof(small));
    if (v->mv_size == sizeof(large)) memcpy(&large, v->mv_data, sizeof(large));
    return v->mv_size == sizeof(small) ? small : large;
}

static og_status read_pairs(struct og_documents *db, MDB_txn *txn, MDB_dbi tree,
                            struct totals *out, og_error *err)
{
    MDB_cursor *cursor;
    MDB_val key = {0, NULL}, value = {0, NULL};
    int code = mdb_cursor_open(txn, tree, &cursor);
    if (code != 0) return og_documents_failure(db, code, "read", err);
    while ((code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) == 0)
        count_pair(out, number_of(&key), number_of(&value));
    mdb_cursor_close(cursor);
    return code == MDB_NOTFOUND ? OG_OK
                                : og_documents_failure(db, code, "read", err);
}

static og_status compare_trees(struct og_documents_view *view, og_error *err)
{
    struct og_documents *db = view->db;
    struct totals ids = {0}, copies = {0}, seen_ids = {0}, seen_copies = {0};
    TRY(read_entries(db, view->txn, view->count, &ids, &copies, err));
    TRY(read_pairs(db, view->txn, db->ids, &seen_ids, err));
    TRY(read_pairs(db, view->txn, db->copies, &seen_copies, err));
    if (ids.n != seen_ids.n || ids.sum != seen_ids.sum)
        return unsound(db, "its ids are not those of its entries", err);
    if (copies.n != seen_copies.n || copies.sum != seen_copies.sum)
        return unsound(db, "its copies are not those of its entries", err);
    return OG_OK;
}

og_status og_documents_audit(struct og_documents *db, og_error *err)
{
    struct og_documents_view view;
    og_documents_view_init(&view, db);
    og_status status = og_documents_view_begin(&view, err);
    if (status == OG_OK) status = compare_trees(&view, err);
    og_documents_view_release(&view);
    return status;
}
