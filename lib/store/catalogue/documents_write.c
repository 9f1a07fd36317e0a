/* Writing the catalogue on disk: one batch, one transaction.
 *
 * Everything is put in the order of its keys, so that the pages of each tree
 * are visited once, from left to right. */

#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <sys/mman.h>

#include "lib/os/new_file.h"
#include "lib/store/catalogue/documents_env.h"
#include "lib/store/catalogue/page_sums.h"

/* A pair for a tree with many values per key. */
struct pair {
    uint64_t key, value;
};

struct pairs {
    const og_allocator *allocator;
    struct pair *list;
    size_t n, cap;
};

static bool add_pair(struct pairs *pairs, uint64_t key, uint64_t value)
{
    if (!OG_GROW(pairs->allocator, pairs->list, pairs->cap, pairs->n + 1))
        return false;
    pairs->list[pairs->n++] = (struct pair){key, value};
    return true;
}

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

/* What the entries of a batch add to the other trees, in order. */
struct links {
    struct pairs ids, copies;
};

static og_status add_links(struct links *links, const struct og_entry *entry,
                           uint32_t number, og_error *err)
{
    /* Purged documents cannot be found by id. */
    bool fits = entry->is_purged ||
                add_pair(&links->ids, og_documents_hash(entry->id), number);
    for (uint32_t i = 0; i < entry->n_origins && fits; i++)
        fits = add_pair(&links->copies, entry->origins[i].doc,
                        (uint64_t)number << 32 | entry->origins[i].n_tokens);
    return fits ? OG_OK : og_error_memory(err, 16, "a batch of documents");
}

static og_status find_links(struct links *links,
                            const struct og_documents_batch *batch,
                            og_error *err)
{
    for (size_t i = 0; i < batch->n_entries; i++) {
        struct og_entry entry;
        const uint32_t number = batch->first + (uint32_t)i;
        if (!og_entry_unpack(batch->entries[i], &entry))
            return og_error_set(
                err, OG_ERR_STORE,
                "document %" PRIu32 " has an entry that is damaged", number);
        TRY(add_links(links, &entry, number, err));
    }
    if (links->ids.n > 0)
        qsort(links->ids.list, links->ids.n, sizeof(struct pair),
              compare_pairs);
    if (links->copies.n > 0)
        qsort(links->copies.list, links->copies.n, sizeof(struct pair),
              compare_pairs);
    return OG_OK;
}

/* ---- the map ---- */

/* The address of LMDB's map, which LMDB does not provide: a small value lies in
 * a page that begins with its page number, and page 0 has the magic number of
 * the file. NULL: it could not be found. */
static uint8_t *map_of(const struct og_documents *db, MDB_txn *txn,
                       size_t page_len)
{
    enum { MARK_AT = 16 };
    static const uint8_t mark[4] = {0xde, 0xc0, 0xef, 0xbe};
    MDB_val key = {6, (void *)(uintptr_t) "format"};
    MDB_val value = {0, NULL};
    uint64_t number;
    if (mdb_get(txn, db->meta, &key, &value) != 0) return NULL;
    const uintptr_t page = (uintptr_t)value.mv_data & ~(page_len - 1);
    memcpy(&number, (const void *)page, sizeof(number));
    MDB_envinfo info;
    if (mdb_env_info(db->env, &info) != 0 || number > info.me_last_pgno)
        return NULL;
    uint8_t *map = (uint8_t *)(page - number * page_len);
    return memcmp(map + MARK_AT, mark, sizeof(mark)) == 0 ? map : NULL;
}

/* The mapped part of the file. Its pages may be released at any time: those
 * that a batch changes are elsewhere until it ends. */
struct mapped {
    uint8_t *map; /* NULL: not known */
    size_t len;
};

static struct mapped mapped_of(const struct og_documents *db)
{
    MDB_stat stat;
    MDB_envinfo info;
    MDB_txn *txn;
    if (mdb_env_stat(db->env, &stat) != 0 ||
        mdb_env_info(db->env, &info) != 0 ||
        mdb_txn_begin(db->env, NULL, MDB_RDONLY, &txn) != 0)
        return (struct mapped){0};
    uint8_t *map = map_of(db, txn, stat.ms_psize);
    mdb_txn_abort(txn);
    return (struct mapped){map, (info.me_last_pgno + 1) * stat.ms_psize};
}

static void let_go(struct mapped mapped)
{
    if (mapped.map != NULL)
        (void)madvise(mapped.map, mapped.len, MADV_DONTNEED);
}

void og_documents_let_go(struct og_documents *db)
{
    og_documents_enter(db);
    let_go(mapped_of(db));
    og_documents_leave(db);
}

/* ---- batches ---- */

static int put_entries(struct og_documents *db, MDB_txn *txn,
                       const struct og_documents_batch *batch)
{
    MDB_cursor *cursor;
    int code = mdb_cursor_open(txn, db->documents, &cursor);
    for (size_t i = 0; i < batch->n_entries && code == 0; i++) {
        uint32_t number = batch->first + (uint32_t)i;
        MDB_val key = {sizeof(number), &number};
        MDB_val value = {batch->entries[i].len,
                         (void *)(uintptr_t)batch->entries[i].data};
        code = mdb_cursor_put(cursor, &key, &value, MDB_APPEND);
    }
    return code; /* the cursor goes with the transaction */
}

/* Whether the cursor has moved to another leaf page; *at is its last address.
 * Changed pages may be anywhere; at worst, two adjacent ones count as one. */
static bool is_other_page(MDB_cursor *cursor, uintptr_t *at)
{
    enum { PAGE = 4096 };
    MDB_val key = {0, NULL};
    MDB_val value = {0, NULL};
    if (mdb_cursor_get(cursor, &key, &value, MDB_GET_CURRENT) != 0) return true;
    const uintptr_t before = *at;
    *at = (uintptr_t)key.mv_data;
    return *at - before >= PAGE && before - *at >= PAGE;
}

/* `key_len` and `value_len` are 4 or 8: numbers in the byte order of the
 * machine, as LMDB requires. Releasing pages costs as much as several puts, so
 * pages are counted: neighbouring keys share them. Long lists of values have
 * their own pages, hence the limit on puts. */
static int put_pairs(MDB_txn *txn, MDB_dbi tree, const struct pairs *pairs,
                     size_t key_len, size_t value_len, struct mapped mapped)
{
    enum { MOST_PAGES = 32, MOST_PUTS = 512 };
    MDB_cursor *cursor;
    uintptr_t at = 0;
    unsigned n_pages = 0;
    unsigned n_puts = 0;
    int code = mdb_cursor_open(txn, tree, &cursor);
    for (size_t i = 0; i < pairs->n && code == 0; i++) {
        const struct pair *p = &pairs->list[i];
        uint32_t small_key = (uint32_t)p->key;
        uint32_t small_value = (uint32_t)p->value;
        uint64_t large_key = p->key, large_value = p->value;
        MDB_val key = {key_len,
                       key_len == 4 ? (void *)&small_key : (void *)&large_key};
        MDB_val value = {value_len, value_len == 4 ? (void *)&small_value
                                                   : (void *)&large_value};
        code = mdb_cursor_put(cursor, &key, &value, MDB_NODUPDATA);
        if (code == MDB_KEYEXIST) code = 0;
        n_pages += is_other_page(cursor, &at);
        if (++n_puts < MOST_PUTS && n_pages < MOST_PAGES) continue;
        let_go(mapped);
        n_puts = n_pages = 0;
    }
    return code;
}

static int put_removed(struct og_documents *db, MDB_txn *txn,
                       const struct og_documents_batch *batch)
{
    int code = 0;
    for (size_t i = 0; i < batch->n_removed && code == 0; i++) {
        uint32_t number = batch->removed[i];
        MDB_val key = {sizeof(number), &number};
        MDB_val value = {0, NULL};
        code = mdb_put(txn, db->removed, &key, &value, 0);
    }
    return code;
}

static int put_batch(struct og_documents *db, MDB_txn *txn,
                     const struct og_documents_batch *batch,
                     const struct links *links, struct mapped mapped)
{
    int code = put_entries(db, txn, batch);
    if (code == 0) code = put_pairs(txn, db->ids, &links->ids, 8, 4, mapped);
    if (code == 0)
        code = put_pairs(txn, db->copies, &links->copies, 4, 8, mapped);
    if (code == 0) code = put_removed(db, txn, batch);
    if (code == 0)
        code =
            og_documents_put_state(db, txn, batch->sequence,
                                   batch->first + (uint32_t)batch->n_entries);
    return code;
}

static og_status check_batch(struct og_documents *db, MDB_txn *txn,
                             const struct og_documents_batch *batch,
                             og_error *err)
{
    struct og_documents_state state = {0};
    TRY(og_documents_read_state(db, txn, &state, err));
    if (batch->n_entries > OG_NO_DOC - state.count)
        return og_error_set(err, OG_ERR_LIMIT,
                            "'%s' cannot have more documents", db->folder);
    if (batch->first != state.count || batch->sequence < state.sequence)
        return og_error_set(err, OG_ERR_USAGE,
                            "'%s' ends at document %" PRIu32 ", record %" PRIu64
                            ", not at %" PRIu32 ", record %" PRIu64,
                            db->folder, state.count, state.sequence,
                            batch->first, batch->sequence);
    return OG_OK;
}

/* One attempt. *out_code is LMDB's code if LMDB failed. */
static og_status write_batch(struct og_documents *db,
                             const struct og_documents_batch *batch,
                             const struct links *links, int *out_code,
                             og_error *err)
{
    MDB_txn *txn;
    const struct mapped mapped = mapped_of(db);
    int code = mdb_txn_begin(db->env, NULL, 0, &txn);
    og_status status = OG_OK;
    if (code == 0) {
        status = check_batch(db, txn, batch, err);
        if (status == OG_OK) code = put_batch(db, txn, batch, links, mapped);
        if (status == OG_OK && code == 0)
            code = mdb_txn_commit(txn); /* also frees it when it fails */
        else
            mdb_txn_abort(txn);
    }
    *out_code = code;
    return code == 0 ? status : og_documents_failure(db, code, "write", err);
}

static int grow_map(struct og_documents *db)
{
    MDB_envinfo info;
    const int code = mdb_env_info(db->env, &info);
    if (code != 0) return code;
    if (info.me_mapsize > SIZE_MAX / 2) return MDB_MAP_FULL;
    return og_documents_set_map(db, 2 * info.me_mapsize);
}

/* LMDB would trust pages that were not checked yet, so they are checked first.
 * And even a transaction that is never committed can have changed pages that
 * were free, so that the sums of the state before it would not match: they are
 * removed first, durably. */
static og_status remove_sums(struct og_documents *db, og_error *err)
{
    enum og_sums sums;
    if (db->is_changed) return OG_OK;
    if (db->is_unread)
        TRY(og_documents_check(db->folder, false, 0, db->allocator, &sums,
                               err));
    db->is_unread = false;
    TRY(og_page_sums_remove(db->folder, err));
    if (og_file_sync_folder(db->folder) != 0)
        return og_file_failure(err, "sync", db->folder, errno);
    db->is_changed = true;
    return OG_OK;
}

static og_status write_links(struct og_documents *db,
                             const struct og_documents_batch *batch,
                             const struct links *links, og_error *err)
{
    int code;
    og_status status;
    TRY(remove_sums(db, err));
    do {
        status = write_batch(db, batch, links, &code, err);
    } while (code == MDB_MAP_FULL && (code = grow_map(db)) == 0);
    db->is_failed = status == OG_ERR_IO || status == OG_ERR_STORE;
    return status;
}

uint64_t og_documents_pages(struct og_documents *db)
{
    MDB_envinfo info;
    og_documents_enter(db); /* it reads the map */
    const int code = mdb_env_info(db->env, &info);
    og_documents_leave(db);
    return code == 0 ? info.me_last_pgno : 0;
}

og_status og_documents_write(struct og_documents *db,
                             const struct og_documents_batch *batch,
                             og_error *err)
{
    struct links links = {{.allocator = db->allocator},
                          {.allocator = db->allocator}};
    if (!db->writable)
        return og_error_set(err, OG_ERR_USAGE, "'%s' is open for reading",
                            db->folder);
    og_status status = find_links(&links, batch, err);
    if (status == OG_OK) status = write_links(db, batch, &links, err);
    if (status == OG_OK) og_documents_let_go(db);
    OG_UNGROW(db->allocator, links.ids.list, links.ids.cap);
    OG_UNGROW(db->allocator, links.copies.list, links.copies.cap);
    return status;
}
