/* Opens a store on disk: its conf (origo.conf), the last checkpoint, the
 * catalogue, then all records of the journal after them.
 *
 * A reader does the same as a writer, in memory of its own, and so gets the
 * same table. While it does, the writer may replace the checkpoint and remove
 * journals: the reader then misses a record and restarts. */

#define _GNU_SOURCE
#include "lib/store/store_disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/disk/journal.h"
#include "lib/disk/journal_format.h"
#include "lib/disk/journal_read.h"
#include "lib/disk/store_lock.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"
#include "lib/store/table/additions.h"
#include "lib/table/table_state.h"

/* A catalogue up to this size is compared with its sums when a writer opens it,
 * a longer one before its first change. Readers compare what they read. */
#define CHECKED_LEN ((uint64_t)16 << 20)
/* How often a reader restarts before it gives up. */
#define MOST_TRIES 20

/* ---- making ---- */

static bool is_ours(const char *name)
{
    static const char *const names[] = {
        ".",         "..",        "journal",       "texts",
        "lock",      "catalogue", "catalogue.sum", "near",
        "sentences", "origo.conf"};
    static const char *const begun[] = {".origo.conf.new-",
                                        ".catalogue.sum.new-"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(name, names[i]) == 0) return true;
    for (size_t i = 0; i < sizeof(begun) / sizeof(begun[0]); i++)
        if (strncmp(name, begun[i], strlen(begun[i])) == 0) return true;
    return false;
}

/* A folder with other content does not become a store. */
static og_status check_empty(const char *path, og_error *err)
{
    og_status status = OG_OK;
    DIR *dir = opendir(path);
    if (dir == NULL) return og_file_failure(err, "read", path, errno);
    const struct dirent *item;
    while (status == OG_OK && (item = readdir(dir)) != NULL)
        if (!is_ours(item->d_name))
            status = og_error_set(err, OG_ERR_NO_STORE,
                                  "'%s' is a folder with other things in it "
                                  "('%s') and no store",
                                  path, item->d_name);
    closedir(dir);
    return status;
}

static og_status make_folder(const char *path, og_error *err)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return og_file_failure(err, "create", path, errno);
    if (og_file_sync_folder(path) != 0)
        return og_file_failure(err, "sync", path, errno);
    return OG_OK;
}

/* One that was begun and never finished has another uuid. */
static void remove_catalogue(const char *folder)
{
    static const char *const names[] = {"/data.mdb", "/lock.mdb", ".sum"};
    char path[4200];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s%s", folder, names[i]);
        (void)unlink(path);
    }
}

/* The conf comes last: with it, the store exists. */
static og_status make_store(struct og_disk *disk, const og_params *params,
                            unsigned indexes, const char *table, og_error *err)
{
    char path[4096];
    struct og_documents *documents;
    TRY(og_params_check(params, err));
    if (params->no_texts && table[0] != 0)
        return og_error_set(err, OG_ERR_USAGE,
                            "the catalogue of a table on a server keeps texts");
    if (params->no_texts && indexes != OG_INDEX_PASSAGES)
        return og_error_set(err, OG_ERR_USAGE,
                            "a store without texts can have an index of "
                            "passages alone");
    TRY(check_empty(disk->folder, err));
    TRY(og_conf_init(&disk->conf, params, indexes, err));
    snprintf(disk->conf.table, sizeof(disk->conf.table), "%s", table);
    snprintf(path, sizeof(path), "%s/journal", disk->folder);
    TRY(make_folder(path, err));
    snprintf(path, sizeof(path), "%s/catalogue", disk->folder);
    const struct og_documents_options options = {.uuid = disk->conf.uuid,
                                                 .writable = true};
    remove_catalogue(path);
    TRY(og_documents_open(path, &options, &documents, err));
    TRY(og_documents_close(documents, err));
    return og_conf_write(&disk->conf, disk->folder, err);
}

static bool has_conf(const char *folder)
{
    char path[4096];
    struct stat st;
    snprintf(path, sizeof(path), "%s/origo.conf", folder);
    return stat(path, &st) == 0;
}

static og_status check_own(const char *folder, const char *name, mode_t kind,
                           og_error *err)
{
    char path[4096 + 32];
    struct stat st;
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (lstat(path, &st) != 0 || (st.st_mode & S_IFMT) == kind) return OG_OK;
    return og_error_set(err, OG_ERR_STORE, "store '%s' is damaged: '%s' is %s",
                        folder, path,
                        S_ISLNK(st.st_mode) ? "a link"
                        : kind == S_IFDIR   ? "no folder"
                                            : "no regular file");
}

/* Somebody else may have made the folder: a link in it could lead to any file
 * of the user's, and LMDB and others would write there. */
static og_status check_links(const char *folder, og_error *err)
{
    static const char *const folders[] = {"journal", "texts", "catalogue",
                                          "near", "sentences"};
    static const char *const files[] = {
        "lock",         "origo.conf",         "catalogue.sum",
        "passages.tab", "catalogue/data.mdb", "catalogue/lock.mdb"};
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
        TRY(check_own(folder, folders[i], S_IFDIR, err));
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        TRY(check_own(folder, files[i], S_IFREG, err));
    return OG_OK;
}

/* Whoever may read a store may query it. Writing to another user's folder would
 * hand over documents, and change files that he relies on. */
static og_status check_owner(const char *folder, og_error *err)
{
    struct stat st;
    if (stat(folder, &st) != 0) return OG_OK; /* opening reports it */
    if (og_file_is_ours(&st)) return OG_OK;
    return og_error_set(err, OG_ERR_IO,
                        "cannot write to store '%s': it belongs to user %lu; "
                        "its owner, its group and root may write to it",
                        folder, (unsigned long)st.st_uid);
}

/* The lock first: two processes may make the same store at once. */
static og_status find_or_make(struct og_disk *disk, og_access access,
                              const og_params *params, unsigned indexes,
                              const char *table, og_error *err)
{
    TRY(check_links(disk->folder, err));
    if (access != OG_READ) TRY(check_owner(disk->folder, err));
    if (access == OG_CREATE && !has_conf(disk->folder)) {
        TRY(make_folder(disk->folder, err));
        TRY(check_empty(disk->folder, err)); /* a lock would stay there */
    }
    if (access != OG_READ && (access == OG_CREATE || has_conf(disk->folder)))
        TRY(og_store_lock(disk->folder, &disk->lock_fd, err));
    if (access == OG_CREATE && !has_conf(disk->folder))
        return make_store(disk, params, indexes, table, err);
    return og_conf_read(disk->folder, &disk->conf, err);
}

/* The requested table must have the name in the conf. */
static og_status check_table(const struct og_disk *disk, const char *table,
                             og_error *err)
{
    const char *own = disk->conf.table;
    if (table[0] == 0 || strcmp(own, table) == 0) return OG_OK;
    if (own[0] == 0)
        return og_error_set(err, OG_ERR_USAGE,
                            "store '%s' has its passages itself; it is not the "
                            "catalogue of a table on a server",
                            disk->folder);
    return og_error_set(err, OG_ERR_USAGE,
                        "store '%s' is the catalogue of table '%s', not of "
                        "'%s'",
                        disk->folder, own, table);
}

/* Removes the unfinished files of a writer that was killed. */
static void remove_leftovers(const char *folder)
{
    char path[4096 + 256];
    DIR *dir = opendir(folder);
    const struct dirent *item;
    while (dir != NULL && (item = readdir(dir)) != NULL) {
        if (!og_new_file_is_leftover(item->d_name)) continue;
        snprintf(path, sizeof(path), "%s/%s", folder, item->d_name);
        (void)unlink(path);
    }
    if (dir != NULL) closedir(dir);
}

/* ---- the parts ---- */

/* The last record of the last journal says whether the writer ended well. It
 * is empty, so it is the last 32 bytes. */
static bool was_closed(const char *folder)
{
    char path[4096];
    uint64_t first;
    uint64_t last;
    struct stat st;
    uint8_t record[32];
    bool closed = false;
    if (og_journal_list(folder, &first, &last, NULL) != OG_OK || last == 0)
        return false;
    og_journal_path(path, sizeof(path), folder, last);
    const int fd = og_file_open_own(path, O_RDONLY, 0);
    if (fd < 0) return false;
    if (fstat(fd, &st) == 0 && st.st_size >= 96 &&
        og_file_read_at(fd, record, 32, (uint64_t)st.st_size - 32) == 32) {
        const uint64_t sum = og_checksum(record, 24);
        closed = og_load32(record) == 0 &&
                 og_load32(record + 4) == OG_JOURNAL_CLOSED &&
                 og_load64(record + 24) == sum;
    }
    close(fd);
    return closed;
}

static og_status open_documents(og_store *store, og_access access,
                                og_error *err)
{
    struct og_disk *disk = store->disk;
    char folder[4096];
    enum og_sums sums;
    const bool closed = was_closed(disk->data);
    /* A writer has checked it already, and is changing it. */
    const bool is_quiet =
        access != OG_READ || !og_store_is_locked(disk->folder);
    snprintf(folder, sizeof(folder), "%s/catalogue", disk->data);
    TRY(og_documents_check(folder, closed, access == OG_READ ? 1 : CHECKED_LEN,
                           store->allocator, &sums, err));
    const bool has_sums = sums == OG_SUMS_EQUAL || sums == OG_SUMS_HEADS;
    if (!has_sums && is_quiet)
        TRY(og_documents_walk(folder, closed, store->allocator, err));
    const struct og_documents_options options = {
        .uuid = disk->conf.uuid,
        .writable = access != OG_READ,
        .is_settled = closed && has_sums,
        .is_unread = sums == OG_SUMS_HEADS,
        .allocator = store->allocator,
    };
    TRY(og_documents_open(folder, &options, &disk->documents, err));
    return !has_sums && is_quiet && !closed
               ? og_documents_audit(disk->documents, err)
               : OG_OK;
}

static og_status unpack_table(og_store *store,
                              const struct og_table_options *options,
                              og_error *err)
{
    struct og_checkpoint *c = &store->disk->checkpoint;
    TRY(og_table_init(&store->table, options, store->allocator, err));
    TRY(og_checkpoint_know(c, 0, c->table_len, err));
    struct og_unpacker from = {.at = c->table, .end = c->table + c->table_len};
    if (og_table_buckets_unpack(&store->table, &from) && from.at == from.end)
        return OG_OK;
    return og_error_set(err, OG_ERR_STORE,
                        "'%s' is damaged: its buckets are none", c->path);
}

/* With a checkpoint the table is in its map, unless it is small; else in
 * memory. */
static og_status open_table(og_store *store, og_error *err)
{
    struct og_disk *disk = store->disk;
    const struct og_table_options options =
        og_store_table_options(&store->params);
    const og_status status =
        og_checkpoint_open(&disk->checkpoint, disk->data, disk->conf.uuid,
                           og_table_bytes(&options), store->allocator, err);
    if (status == OG_END)
        return og_table_init(&store->table, &options, store->allocator, err);
    if (status != OG_OK) return status;
    struct og_checkpoint *c = &disk->checkpoint;
    if ((c->features & OG_TABLE_PACKED) != 0)
        TRY(unpack_table(store, &options, err));
    else
        TRY(og_table_init_over(&store->table, &options, c->table, c->table_len,
                               store->allocator, err));
    struct og_unpacker from = {.at = (const uint8_t *)c->state.data,
                               .end = (const uint8_t *)c->state.data +
                                      c->state.len};
    const int64_t latest = (int64_t)og_take_fixed(&from, 8);
    if (!og_table_state_unpack(&store->table, &from) || from.at != from.end)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' is damaged: its state is none", c->path);
    og_catalogue_init(&store->catalogue, c->marks, c->n_documents, latest,
                      store->allocator);
    for (uint32_t i = 0; i < c->n_documents; i++)
        store->n_removed += (c->marks[i].flags & OG_MARK_REMOVED) != 0;
    if (store->n_removed > 0) store->order = 0;
    return OG_OK;
}

/* ---- the journal ---- */

struct replay {
    og_store *store;
    uint64_t in_table, in_catalogue; /* the last sequence that each has */
    bool is_closed;                  /* the last record says so */
    struct og_unpacked_additions additions;
};

static og_status bad_record(uint64_t sequence, const char *what, og_error *err)
{
    return og_error_set(err, OG_ERR_STORE,
                        "record %llu of the journal is damaged: %s",
                        (unsigned long long)sequence, what);
}

/* The parts of a record of a document. */
static bool cut_document(const struct og_journal_view *record, og_bytes *entry,
                         const uint8_t **additions, size_t *additions_len)
{
    if (record->len < 8) return false;
    const uint64_t len = og_load32(record->data);
    const uint64_t padded = og_journal_padded(len);
    if (padded > record->len - 8) return false;
    *entry = (og_bytes){(const char *)record->data + 8, len};
    *additions = record->data + 8 + padded;
    *additions_len = record->len - 8 - padded;
    return true;
}

static og_status apply_document(struct replay *r, const struct og_entry *entry,
                                const uint8_t *data, size_t len,
                                uint64_t sequence, og_error *err)
{
    og_store *store = r->store;
    const struct og_mark mark = {
        .time = entry->time,
        .same = entry->same,
        .flags = entry->has_time ? OG_MARK_HAS_TIME : 0,
    };
    TRY(og_additions_unpack(&r->additions, data, len,
                            store->table.options.fields, err));
    if (r->additions.add.doc != store->catalogue.n)
        return bad_record(sequence, "a document has a different number", err);
    for (size_t i = 0;
         r->additions.add.origin != NULL && i < r->additions.add.n; i++)
        if (r->additions.add.origin[i] != OG_NO_DOC &&
            r->additions.add.origin[i] >= store->catalogue.n)
            return bad_record(sequence, "an origin is not there", err);
    TRY(og_disk_know(store, r->additions.add.fp, r->additions.add.n, err));
    TRY(og_disk_know_all(store, &r->additions.add, false, err));
    TRY(og_catalogue_reserve(&store->catalogue, err));
    og_store_apply(store, &mark, &r->additions.add, true);
    return OG_OK;
}

static og_status replay_document(struct replay *r,
                                 const struct og_journal_view *record,
                                 og_error *err)
{
    og_store *store = r->store;
    og_bytes bytes;
    struct og_entry entry;
    const uint8_t *additions;
    size_t len;
    if (!cut_document(record, &bytes, &additions, &len) ||
        !og_entry_unpack(bytes, &entry))
        return bad_record(record->sequence, "it holds no document", err);
    if (record->sequence > r->in_table)
        TRY(apply_document(r, &entry, additions, len, record->sequence, err));
    if (record->sequence <= r->in_catalogue) return OG_OK;
    TRY(og_pending_reserve(&store->pending, err));
    return og_pending_append(&store->pending, bytes, &entry, err);
}

static og_status replay_remove(struct replay *r,
                               const struct og_journal_view *record,
                               og_error *err)
{
    og_store *store = r->store;
    const uint32_t number = record->len >= 8 ? og_load32(record->data) : 0;
    if (record->len < 8 || number >= store->catalogue.n)
        return bad_record(record->sequence, "it names no document", err);
    if (record->sequence > r->in_catalogue)
        TRY(og_pending_remove(&store->pending, number, err));
    if (record->sequence <= r->in_table) return OG_OK;
    return og_removal_apply(store, record->data, record->len, &r->additions,
                            err);
}

static og_status replay_sighting(struct replay *r,
                                 const struct og_journal_view *record,
                                 og_error *err)
{
    const size_t n = og_sighting_count(record->data, record->len);
    if (record->sequence <= r->in_table) return OG_OK;
    if (n == SIZE_MAX)
        return bad_record(record->sequence, "it holds no fingerprints", err);
    for (size_t i = 0; i < n; i++) {
        const uint64_t fp = og_load64(record->data + 8 + i * 8);
        TRY(og_disk_know(r->store, &fp, 1, err));
    }
    (void)og_store_apply_sighting(r->store, record->data, record->len);
    return OG_OK;
}

/* Those of a checkpoint are safe in their segment. */
static og_status replay_texts(struct replay *r,
                              const struct og_journal_view *record,
                              og_error *err)
{
    struct og_disk *disk = r->store->disk;
    if (record->len < 16 || og_load64(record->data) > UINT32_MAX)
        return bad_record(record->sequence, "it holds no texts", err);
    const uint32_t segment = (uint32_t)og_load64(record->data);
    const uint64_t off = og_load64(record->data + 8);
    const og_bytes frames = {(const char *)record->data + 16, record->len - 16};
    if (record->sequence <= r->in_table) return OG_OK;
    TRY(og_texts_redo(&disk->patches, disk->texts_folder, disk->conf.uuid,
                      !r->store->is_read_only, segment, off, frames, err));
    disk->logged_end = (struct og_texts_end){segment, off + frames.len};
    return OG_OK;
}

static og_status replay_record(struct replay *r,
                               const struct og_journal_view *record,
                               og_error *err)
{
    switch (record->type) {
    case OG_JOURNAL_DOCUMENT: return replay_document(r, record, err);
    case OG_JOURNAL_REMOVE: return replay_remove(r, record, err);
    case OG_JOURNAL_TEXTS: return replay_texts(r, record, err);
    case OG_JOURNAL_SIGHTING: return replay_sighting(r, record, err);
    default: return OG_OK;
    }
}

static og_status replay_all(struct replay *r, struct og_journal_reader *reader,
                            og_error *err)
{
    struct og_journal_view record;
    og_status status;
    while ((status = og_journal_reader_next(reader, &record, err)) == OG_OK) {
        r->store->disk->journal_len += record.len + 32;
        r->store->disk->n_records++;
        r->is_closed = record.type == OG_JOURNAL_CLOSED;
        TRY(replay_record(r, &record, err));
    }
    return status == OG_END ? OG_OK : status;
}

/* Where the next record goes. All that came before CLOSED was safe when that
 * was written; after a crash open_parts() makes it so. */
static void find_journal_end(struct og_disk *disk, const struct replay *r,
                             const struct og_journal_reader *reader)
{
    const bool continues = reader->version >= 2;
    disk->next_sequence = reader->next_sequence;
    disk->next_journal = continues ? reader->number : reader->number + 1;
    disk->continued_len = continues ? reader->off : 0;
    disk->torn_bytes = og_journal_reader_torn(reader);
    disk->is_settled = r->is_closed && disk->torn_bytes == 0;
    disk->durable = disk->next_sequence - (disk->is_settled ? 2 : 1);
}

static og_status replay(og_store *store, uint64_t in_catalogue, og_error *err)
{
    struct og_disk *disk = store->disk;
    struct og_journal_reader reader;
    struct replay r = {.store = store,
                       .in_table = disk->checkpoint.sequence,
                       .in_catalogue = in_catalogue,
                       .additions.allocator = store->allocator};
    const uint64_t least =
        r.in_table < in_catalogue ? r.in_table : in_catalogue;
    const uint64_t most = r.in_table < in_catalogue ? in_catalogue : r.in_table;
    const uint64_t safe = og_store_lock_safe(disk->folder);
    disk->next_sequence = least + 1;
    disk->next_journal = 1;
    disk->continued_len = 0;
    disk->is_settled = false;
    og_status status = og_journal_reader_open(
        &reader, disk->data, disk->conf.uuid, least + 1, store->allocator, err);
    if (status == OG_END) {
        /* A new store has none; later there is always one. */
        if (most == 0 && safe == 0) return OG_OK;
        return og_error_set(err, OG_ERR_STORE,
                            "the journal of store '%s' is missing",
                            disk->folder);
    }
    if (status != OG_OK) return status;
    status = replay_all(&r, &reader, err);
    find_journal_end(disk, &r, &reader);
    og_unpacked_additions_release(&r.additions);
    og_journal_reader_close(&reader);
    if (status == OG_OK &&
        disk->next_sequence - 1 < (safe > most ? safe : most))
        status = og_error_set(err, OG_ERR_STORE,
                              "the journal of store '%s' ends with record "
                              "%llu, but %llu were safe on disk",
                              disk->folder,
                              (unsigned long long)disk->next_sequence - 1,
                              (unsigned long long)(safe > most ? safe : most));
    return status;
}

static og_status catalogue_state(og_store *store, uint64_t *out_sequence,
                                 uint32_t *out_count, og_error *err)
{
    struct og_documents_view view;
    og_documents_view_init(&view, store->disk->documents);
    const og_status status = og_documents_view_begin(&view, err);
    if (status == OG_OK) {
        *out_sequence = og_documents_view_sequence(&view);
        *out_count = og_documents_view_count(&view);
    }
    og_documents_view_release(&view);
    return status;
}

/* ---- texts ---- */

/* After the text of the last document that has one. */
og_status og_disk_texts_end(og_store *store, struct og_texts_end *out,
                            og_error *err)
{
    struct og_disk *disk = store->disk;
    struct og_lookup lookup;
    struct og_entry entry = {0};
    og_status status = OG_OK;
    *out = (struct og_texts_end){0};
    og_lookup_init(&lookup, &store->pending, disk->documents, store->allocator);
    for (uint32_t n = store->catalogue.n; n > 0 && status == OG_OK; n--) {
        og_lookup_clear(&lookup);
        status = og_lookup_get(&lookup, n - 1, &entry, err);
        if (entry.place.segment != 0) break;
    }
    if (status == OG_OK && entry.place.segment != 0)
        status = og_texts_end_of(disk->texts_folder, disk->conf.uuid,
                                 &entry.place, &disk->patches, out, err);
    og_lookup_release(&lookup);
    return status;
}

static bool is_farther(const struct og_texts_end *a,
                       const struct og_texts_end *b)
{
    return a->segment != b->segment ? a->segment > b->segment : a->off > b->off;
}

static og_status open_texts(og_store *store, og_error *err)
{
    struct og_disk *disk = store->disk;
    struct og_texts_options options = {.uuid = disk->conf.uuid,
                                       .allocator = store->allocator};
    if (store->params.no_texts) return OG_OK;
    TRY(og_disk_texts_end(store, &options.end, err));
    /* A position is not reused, even if a crash lost its document: the journal
     * would restore the old text there. */
    if (is_farther(&disk->logged_end, &options.end))
        options.end = disk->logged_end;
    TRY(og_texts_find_end(disk->texts_folder, disk->conf.uuid, store->allocator,
                          &options.end, &options.continues, err));
    og_disk_log_texts(store, &options);
    TRY(og_framer_init(&store->keeping.framer, store->allocator, err));
    return og_texts_open(disk->texts_folder, &options, &store->keeping.texts,
                         err);
}

/* ---- the whole ---- */

/* Records that a killed writer left with the system count, since they were
 * replayed: so they must be safe before others follow them. */
static og_status settle(const struct og_disk *disk, og_error *err)
{
    char path[4096];
    if (disk->is_settled) return OG_OK;
    snprintf(path, sizeof(path), "%s/journal", disk->data);
    if (og_file_sync_folder(path) != 0)
        return og_file_failure(err, "sync", disk->data, errno);
    const uint64_t last = disk->next_journal - (disk->continued_len == 0);
    if (last == 0) return OG_OK;
    og_journal_path(path, sizeof(path), disk->data, last);
    const int fd = og_file_open_own(path, O_RDONLY, 0);
    if (fd < 0) return og_file_failure(err, "open", path, errno);
    og_status status = OG_OK;
    if (fdatasync(fd) != 0 || og_file_sync_folder(path) != 0)
        status = og_file_failure(err, "sync", path, errno);
    close(fd);
    return status;
}

static og_status open_parts(og_store *store, og_access access, og_error *err)
{
    uint64_t in_catalogue = 0;
    uint32_t n_documents = 0;
    TRY(open_table(store, err));
    TRY(open_documents(store, access, err));
    TRY(catalogue_state(store, &in_catalogue, &n_documents, err));
    og_pending_begin(&store->pending, n_documents);
    TRY(replay(store, in_catalogue, err));
    const size_t n_known = n_documents + og_pending_active(&store->pending)->n;
    if (store->catalogue.n != n_known)
        return og_error_set(err, OG_ERR_STORE,
                            "store '%s' is damaged: its checkpoint knows %u "
                            "documents, its catalogue %zu",
                            store->disk->folder, store->catalogue.n, n_known);
    if (access == OG_READ) return OG_OK;
    TRY(settle(store->disk, err));
    remove_leftovers(store->disk->folder);
    remove_leftovers(store->disk->data);
    remove_leftovers(store->disk->texts_folder);
    og_disk_remove_others(store->disk->folder, store->disk->conf.generation);
    /* To read the ids of others would make the start long. */
    if (store->catalogue.n == 0)
        og_bloom_init(&store->disk->bloom, store->allocator);
    return open_texts(store, err);
}

static void close_parts(og_store *store)
{
    struct og_disk *disk = store->disk;
    og_keeping_close(&store->keeping);
    (void)og_documents_close(disk->documents, NULL);
    og_pending_release(&store->pending);
    og_catalogue_release(&store->catalogue);
    og_table_release(&store->table);
    og_checkpoint_close(&disk->checkpoint);
    og_text_patches_release(&disk->patches);
    disk->documents = NULL;
    disk->logged_end = (struct og_texts_end){0};
    store->n_removed = 0;
    og_store_reorder(store);
    disk->journal_len = 0;
    disk->n_records = 0;
}

/* How far the journal goes, as far as names and lengths show. */
struct journal_end {
    uint64_t number, len;
};

static struct journal_end end_of_journal(const struct og_disk *disk)
{
    char path[4096];
    uint64_t first;
    struct stat st;
    struct journal_end end = {0, 0};
    (void)og_journal_list(disk->data, &first, &end.number, NULL);
    if (end.number > 0 &&
        og_journal_path(path, sizeof(path), disk->data, end.number) &&
        lstat(path, &st) == 0)
        end.len = (uint64_t)st.st_size;
    return end;
}

/* Did a writer add anything while we were reading? */
static bool is_newer_now(const struct og_disk *disk, uint64_t sequence,
                         struct journal_end before)
{
    const struct journal_end end = end_of_journal(disk);
    if (end.number != before.number || end.len != before.len) return true;
    struct og_checkpoint now;
    struct og_table_options options =
        og_store_table_options(&disk->conf.params);
    if (og_checkpoint_open(&now, disk->data, disk->conf.uuid,
                           og_table_bytes(&options), NULL, NULL) != OG_OK)
        return false;
    const bool is_newer = now.sequence != sequence;
    og_checkpoint_close(&now);
    return is_newer;
}

static og_status new_disk(og_store *store, const char *path, og_error *err)
{
    struct og_disk *disk = og_allocate_zero(store->allocator, sizeof(*disk));
    if (disk == NULL) return og_error_memory(err, sizeof(*disk), "a store");
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/') /* else its parent is not found */
        len--;
    store->disk = disk;
    disk->lock_fd = -1;
    og_text_patches_init(&disk->patches, store->allocator);
    if (len > 3900)
        return og_error_set(err, OG_ERR_USAGE,
                            "the name of a store is too "
                            "long");
    if (asprintf(&disk->folder, "%.*s", (int)len, path) < 0)
        disk->folder = NULL;
    return disk->folder != NULL ? OG_OK
                                : og_error_memory(err, strlen(path), "a store");
}

/* As the conf says. */
static og_status find_data(struct og_disk *disk, og_error *err)
{
    char data[4096];
    free(disk->texts_folder);
    free(disk->data);
    disk->texts_folder = NULL;
    (void)og_conf_data_folder(disk->folder, disk->conf.generation, data,
                              sizeof(data));
    disk->data = strdup(data);
    if (disk->data == NULL ||
        asprintf(&disk->texts_folder, "%s/texts", data) < 0) {
        disk->texts_folder = NULL;
        return og_error_memory(err, strlen(data), "a store");
    }
    if (disk->conf.generation == 0) return OG_OK;
    TRY(check_own(disk->folder, data + strlen(disk->folder) + 1, S_IFDIR, err));
    return check_links(disk->data, err);
}

/* A reader finds that the store was compacted since its conf was read. */
static bool was_compacted(struct og_disk *disk)
{
    struct og_conf now;
    if (og_conf_read(disk->folder, &now, NULL) != OG_OK ||
        now.generation == disk->conf.generation)
        return false;
    disk->conf = now;
    return find_data(disk, NULL) == OG_OK;
}

static og_status try_parts(og_store *store, og_access access, og_error *err)
{
    og_status status = OG_OK;
    for (int i = 0; i < MOST_TRIES; i++) {
        const struct journal_end before = end_of_journal(store->disk);
        og_pending_init(&store->pending, 0, store->allocator);
        og_catalogue_init(&store->catalogue, NULL, 0, INT64_MIN,
                          store->allocator);
        store->table = (struct og_table){0};
        status = open_parts(store, access, err);
        if (status == OG_OK) return OG_OK;
        const uint64_t sequence = store->disk->checkpoint.sequence;
        close_parts(store);
        if (access != OG_READ) break;
        if (was_compacted(store->disk)) continue;
        if (status != OG_ERR_STORE ||
            !is_newer_now(store->disk, sequence, before))
            break;
    }
    return status;
}

static void free_disk(og_store *store)
{
    struct og_disk *disk = store->disk;
    if (disk == NULL) return;
    if (disk->lock_fd >= 0) close(disk->lock_fd);
    free(disk->texts_folder);
    free(disk->data);
    free(disk->folder);
    og_release(store->allocator, disk, sizeof(*disk));
    store->disk = NULL;
}

og_status og_disk_open(og_store *store, const char *path, og_access access,
                       const og_params *params, unsigned indexes,
                       const char *table, og_error *err)
{
    TRY(og_documents_can_open(err));
    og_status status = new_disk(store, path, err);
    if (status == OG_OK)
        status = find_or_make(store->disk, access, params, indexes, table, err);
    if (status == OG_OK) status = check_table(store->disk, table, err);
    if (status == OG_OK) status = find_data(store->disk, err);
    if (status == OG_OK) {
        store->params = store->disk->conf.params;
        store->indexes.on = store->disk->conf.indexes;
        if (table[0] != 0) store->indexes.on |= OG_INDEX_PASSAGES;
        store->is_read_only = access == OG_READ;
        status = try_parts(store, access, err);
    }
    if (status != OG_OK) free_disk(store);
    return status;
}
