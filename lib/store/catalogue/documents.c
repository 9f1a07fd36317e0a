/* The catalogue on disk: open and close. documents_write.c writes it and
 * documents_view.c reads it.
 *
 * LMDB allows one environment per file and process, because its locks belong to
 * the process: hence the list of open ones. It needs the length of its map in
 * advance: 1 TiB of addresses costs nothing where the process may have them;
 * otherwise the map grows when it is full. */

#include "lib/store/catalogue/documents.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"
#include "lib/store/catalogue/documents_env.h"
#include "lib/store/catalogue/page_sums.h"

enum {
    FORMAT = 1,
    N_READERS = 1024,
    N_TREES = 8,
    FULL_LEN =
        1 << 20, /* a disk with less free space counts as full for a batch */
};

#define MAP_LEN     ((uint64_t)1 << 40)
#define MAP_LEN_MIN ((uint64_t)16 << 20)

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct og_documents *list;

uint64_t og_documents_hash(og_bytes id)
{
    return og_checksum(id.data, id.len);
}

og_status og_documents_failure(const struct og_documents *db, int code,
                               const char *verb, og_error *err)
{
    struct statvfs disk;
    /* LMDB reports a short write as an I/O error. */
    if (code == EIO && statvfs(db->folder, &disk) == 0 &&
        disk.f_bavail * disk.f_frsize < FULL_LEN)
        code = ENOSPC;
    if (code > 0) return og_file_failure(err, verb, db->folder, code);
    const og_status status = code == MDB_MAP_FULL || code == MDB_READERS_FULL
                                 ? OG_ERR_LIMIT
                                 : OG_ERR_STORE;
    return og_error_set(err, status, "cannot %s '%s': %s", verb, db->folder,
                        mdb_strerror(code));
}

/* ---- the length of the map ---- */

void og_documents_enter(struct og_documents *db)
{
    pthread_mutex_lock(&db->lock);
    while (db->n_growers > 0)
        pthread_cond_wait(&db->changed, &db->lock);
    db->n_lookers++;
    pthread_mutex_unlock(&db->lock);
}

void og_documents_leave(struct og_documents *db)
{
    pthread_mutex_lock(&db->lock);
    db->n_lookers--;
    if (db->n_lookers == 0) pthread_cond_broadcast(&db->changed);
    pthread_mutex_unlock(&db->lock);
}

int og_documents_set_map(struct og_documents *db, size_t len)
{
    pthread_mutex_lock(&db->lock);
    db->n_growers++;
    while (db->n_lookers > 0)
        pthread_cond_wait(&db->changed, &db->lock);
    const int code = mdb_env_set_mapsize(db->env, len);
    db->n_growers--;
    pthread_cond_broadcast(&db->changed);
    pthread_mutex_unlock(&db->lock);
    return code;
}

/* ---- open ---- */

static void free_documents(struct og_documents *db)
{
    const og_allocator *allocator = db->allocator;
    if (db->env != NULL) mdb_env_close(db->env);
    if (db->fd >= 0) close(db->fd);
    og_page_sums_release(&db->sums);
    OG_UNGROW(allocator, db->path, db->path_cap);
    pthread_mutex_destroy(&db->lock);
    pthread_cond_destroy(&db->changed);
    OG_UNGROW(allocator, db->folder, db->folder_cap);
    og_release(allocator, db, sizeof(*db));
}

static struct og_documents *
new_documents(const char *folder, const struct og_documents_options *options)
{
    static const char name[] = "/data.mdb";
    const size_t len = strlen(folder) + 1;
    struct og_documents *db = og_allocate_zero(options->allocator, sizeof(*db));
    if (db == NULL) return NULL;
    db->allocator = options->allocator;
    db->writable = options->writable;
    db->is_unread = options->is_unread;
    db->fd = -1;
    db->n_opens = 1;
    memcpy(db->uuid, options->uuid, sizeof(db->uuid));
    pthread_mutex_init(&db->lock, NULL);
    pthread_cond_init(&db->changed, NULL);
    if (!OG_GROW(db->allocator, db->folder, db->folder_cap, len) ||
        !OG_GROW(db->allocator, db->path, db->path_cap, len + sizeof(name))) {
        free_documents(db);
        return NULL;
    }
    memcpy(db->folder, folder, len);
    memcpy(db->path, folder, len - 1);
    memcpy(db->path + len - 1, name, sizeof(name));
    return db;
}

static int open_env(struct og_documents *db, size_t map_len)
{
    int code = mdb_env_create(&db->env);
    if (code != 0) return code;
    if ((code = mdb_env_set_maxdbs(db->env, N_TREES)) == 0 &&
        (code = mdb_env_set_maxreaders(db->env, N_READERS)) == 0 &&
        (code = mdb_env_set_mapsize(db->env, map_len)) == 0 &&
        (code = mdb_env_open(db->env, db->folder, MDB_NOTLS, 0666)) == 0)
        return 0;
    mdb_env_close(db->env);
    db->env = NULL;
    return code;
}

/* Uses a shorter map when the process may not have so many addresses. */
static og_status open_some_env(struct og_documents *db, uint64_t map_len,
                               og_error *err)
{
    int code;
    while ((code = open_env(db, map_len)) == ENOMEM && map_len > MAP_LEN_MIN)
        map_len /= 4;
    return code == 0 ? OG_OK : og_documents_failure(db, code, "open", err);
}

static int open_trees(struct og_documents *db, MDB_txn *txn)
{
    const unsigned many = MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP;
    const struct {
        const char *name;
        unsigned flags;
        MDB_dbi *out;
    } trees[] = {
        {"documents", MDB_INTEGERKEY, &db->documents},
        {"ids", MDB_INTEGERKEY | many, &db->ids},
        {"copies", MDB_INTEGERKEY | many, &db->copies},
        {"removed", MDB_INTEGERKEY, &db->removed},
        {"meta", 0, &db->meta},
    };
    for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
        const int code = mdb_dbi_open(
            txn, trees[i].name, trees[i].flags | MDB_CREATE, trees[i].out);
        if (code != 0) return code;
    }
    return 0;
}

static MDB_val name_of(const char *name)
{
    return (MDB_val){strlen(name), (void *)(uintptr_t)name};
}

static int put_meta(struct og_documents *db, MDB_txn *txn, const char *name,
                    const void *data, size_t len)
{
    MDB_val key = name_of(name);
    MDB_val value = {len, (void *)(uintptr_t)data};
    return mdb_put(txn, db->meta, &key, &value, 0);
}

int og_documents_put_state(struct og_documents *db, MDB_txn *txn,
                           uint64_t sequence, uint32_t count)
{
    uint8_t bytes[OG_DOCUMENTS_STATE_LEN];
    og_store64(bytes, sequence);
    og_store64(bytes + 8, count);
    return put_meta(db, txn, "state", bytes, sizeof(bytes));
}

og_status og_documents_read_state(struct og_documents *db, MDB_txn *txn,
                                  struct og_documents_state *out, og_error *err)
{
    MDB_val key = name_of("state");
    MDB_val value = {0, NULL};
    const int code = mdb_get(txn, db->meta, &key, &value);
    if (code != 0) return og_documents_failure(db, code, "read", err);
    if (value.mv_size != OG_DOCUMENTS_STATE_LEN ||
        og_load64((uint8_t *)value.mv_data + 8) > OG_NO_DOC)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' does not say how many documents it has",
                            db->folder);
    out->sequence = og_load64(value.mv_data);
    out->count = (uint32_t)og_load64((uint8_t *)value.mv_data + 8);
    return OG_OK;
}

static int put_first_meta(struct og_documents *db, MDB_txn *txn)
{
    uint8_t format[4];
    og_store32(format, FORMAT);
    int code = put_meta(db, txn, "format", format, sizeof(format));
    if (code == 0) code = put_meta(db, txn, "uuid", db->uuid, 16);
    return code == 0 ? og_documents_put_state(db, txn, 0, 0) : code;
}

/* Does it belong to this store, and is its format known? */
static og_status check_meta(struct og_documents_view *view, og_error *err)
{
    const struct og_documents *db = view->db;
    og_bytes value;
    TRY(og_documents_find_meta(view, "format", &value, err));
    if (value.len != 4 || og_load32(value.data) != FORMAT)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' has a format that this version of origo "
                            "does not read (it reads %d)",
                            db->folder, FORMAT);
    TRY(og_documents_find_meta(view, "uuid", &value, err));
    if (value.len != 16 || memcmp(value.data, db->uuid, 16) != 0)
        return og_error_set(err, OG_ERR_STORE, "'%s' belongs to another store",
                            db->folder);
    return og_documents_view_begin(view, err);
}

static og_status open_views(struct og_documents *db, og_error *err)
{
    struct og_documents_view view;
    db->fd = og_file_open_own(db->path, O_RDONLY, 0);
    if (db->fd < 0) return og_file_failure(err, "read", db->path, errno);
    TRY(og_page_sums_load(&db->sums, db->folder, db->allocator, err));
    og_documents_view_init(&view, db);
    const og_status status = check_meta(&view, err);
    og_documents_view_release(&view);
    return status;
}

static int load_trees_in(struct og_documents *db, MDB_txn *txn)
{
    MDB_val key = name_of("format");
    MDB_val value = {0, NULL};
    int code = open_trees(db, txn);
    if (code == 0) code = mdb_get(txn, db->meta, &key, &value);
    return code == MDB_NOTFOUND ? put_first_meta(db, txn) : code;
}

static og_status load_trees(struct og_documents *db, og_error *err)
{
    MDB_txn *txn;
    int code = mdb_txn_begin(db->env, NULL, 0, &txn);
    if (code != 0) return og_documents_failure(db, code, "open", err);
    code = load_trees_in(db, txn);
    if (code == 0)
        code = mdb_txn_commit(txn); /* keeps the trees open */
    else
        mdb_txn_abort(txn);
    return code == 0 ? OG_OK : og_documents_failure(db, code, "open", err);
}

static og_status make_folder(const char *folder, og_error *err)
{
    if (mkdir(folder, 0777) == 0) {
        if (og_file_sync_folder(folder) == 0) return OG_OK;
    } else if (errno == EEXIST) {
        return OG_OK;
    }
    return og_file_failure(err, "make the folder", folder, errno);
}

/* Syncs what a process that died has written: from now on other data depends on
 * it. LMDB never syncs the name of its file. */
static og_status settle(struct og_documents *db, og_error *err)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/data.mdb", db->folder);
    const int code = mdb_env_sync(db->env, 1);
    if (code != 0) return og_documents_failure(db, code, "sync", err);
    if (og_file_sync_folder(path) != 0)
        return og_file_failure(err, "sync", path, errno);
    return OG_OK;
}

static bool has_data(const struct og_documents *db)
{
    struct stat st;
    return lstat(db->path, &st) == 0 && st.st_size > 0;
}

/* LMDB writes in place: a file with a second hard link may be the user's. */
static og_status check_names(const struct og_documents *db, og_error *err)
{
    static const char *const names[] = {"data.mdb", "lock.mdb"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[4200];
        struct stat st;
        snprintf(path, sizeof(path), "%s/%s", db->folder, names[i]);
        if (lstat(path, &st) == 0 && st.st_nlink > 1)
            return og_error_set(err, OG_ERR_STORE,
                                "'%s' is also linked under another name, and "
                                "is not written to",
                                path);
    }
    return OG_OK;
}

/* Existing files are checked before LMDB opens them. */
static og_status open_parts(struct og_documents *db,
                            const struct og_documents_options *options,
                            og_error *err)
{
    const uint64_t map_len = options->map_len > 0 ? options->map_len : MAP_LEN;
    const bool is_there = !db->writable || has_data(db);
    if (is_there) TRY(open_views(db, err));
    if (!db->writable) return OG_OK;
    TRY(check_names(db, err));
    TRY(open_some_env(db, map_len, err));
    TRY(load_trees(db, err));
    if (!options->is_settled) TRY(settle(db, err));
    return is_there ? OG_OK : open_views(db, err);
}

/* Shares one that is already open; the caller holds list_lock. */
static og_status share(struct og_documents *db,
                       const struct og_documents_options *options,
                       struct og_documents **out, og_error *err)
{
    if (options->writable && !db->writable)
        return og_error_set(err, OG_ERR_USAGE,
                            "'%s' is open for reading in this process and "
                            "cannot be opened for writing",
                            db->folder);
    if (memcmp(db->uuid, options->uuid, sizeof(db->uuid)) != 0)
        return og_error_set(err, OG_ERR_STORE, "'%s' belongs to another store",
                            db->folder);
    db->n_opens++;
    *out = db;
    return OG_OK;
}

static og_status open_locked(const char *folder,
                             const struct og_documents_options *options,
                             struct og_documents **out, og_error *err)
{
    struct stat st;
    if (options->writable) TRY(make_folder(folder, err));
    if (stat(folder, &st) != 0)
        return og_file_failure(err, "open", folder, errno);
    for (struct og_documents *db = list; db != NULL; db = db->next)
        if (db->device == st.st_dev && db->inode == st.st_ino)
            return share(db, options, out, err);
    struct og_documents *db = new_documents(folder, options);
    if (db == NULL) return og_error_memory(err, sizeof(*db), "a catalogue");
    db->device = st.st_dev;
    db->inode = st.st_ino;
    og_status status = open_parts(db, options, err);
    if (status != OG_OK) {
        free_documents(db);
        return status;
    }
    db->next = list;
    list = db;
    *out = db;
    return OG_OK;
}

og_status og_documents_can_open(og_error *err)
{
    (void)err;
    return OG_OK;
}

og_status og_documents_open(const char *folder,
                            const struct og_documents_options *options,
                            struct og_documents **out, og_error *err)
{
    pthread_mutex_lock(&list_lock);
    const og_status status = open_locked(folder, options, out, err);
    pthread_mutex_unlock(&list_lock);
    return status;
}

/* ---- close ---- */

static void leave_list(struct og_documents *db)
{
    struct og_documents **at = &list;
    while (*at != db)
        at = &(*at)->next;
    *at = db->next;
}

/* Transactions are written with write() and synced, not through the map: a
 * plain reader of the file sees all of them. */
og_status og_documents_seal(struct og_documents *db, og_error *err)
{
    if (db->is_failed)
        return og_error_set(err, OG_ERR_IO,
                            "'%s' could not be written and has no sums",
                            db->folder);
    if (!db->writable) return OG_OK;
    if (!db->is_changed && og_page_sums_exist(db->folder)) return OG_OK;
    TRY(og_page_sums_write(db->folder, db->allocator, err));
    db->is_changed = false;
    return OG_OK;
}

static og_status close_last(struct og_documents *db, og_error *err)
{
    const og_status status = og_documents_seal(db, err);
    free_documents(db);
    return status;
}

og_status og_documents_close(struct og_documents *db, og_error *err)
{
    og_status status = OG_OK;
    if (db == NULL) return OG_OK;
    pthread_mutex_lock(&list_lock);
    if (--db->n_opens == 0) {
        leave_list(db);
        status = close_last(db, err);
    }
    pthread_mutex_unlock(&list_lock);
    return status;
}
