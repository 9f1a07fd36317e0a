/* A store on disk: records, commits, checkpoints, the end.
 *
 * Memory is changed only after the journal has the record, and the journal is
 * replayed at the next start (store_open.c), so what is in memory can always be
 * rebuilt. A checkpoint and the catalogue on disk only shorten the replay:
 *
 *     journal      1 2 3 ............................ 900 901 902
 *     catalogue on disk   up to 640 ->|
 *     checkpoint          up to 512 ->|
 *
 * Files of the journal that both have passed are removed. */

#define _GNU_SOURCE
#include "lib/store/store_disk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/base/limits.h"
#include "lib/disk/journal.h"
#include "lib/disk/journal_format.h"
#include "lib/disk/journal_read.h"
#include "lib/disk/store_lock.h"
#include "lib/os/new_file.h"
#include "lib/store/table/additions.h"
#include "lib/table/bucket.h"
#include "lib/table/common_fps.h"
#include "lib/table/table_state.h"

/* Entries wait in memory up to this, then go to the catalogue in one batch;
 * earlier when LMDB would keep more pages than this for it (20 MiB): a batch
 * costs two syncs, so it must not be small. While it is written
 * (catalogue_flush.c) as much gathers again. */
#define PENDING_LEN   OG_LIMIT((size_t)2 << 20, (size_t)4 << 10)
#define PENDING_PAGES ((size_t)5120)
/* After this many documents the pages of the catalogue are released. */
#define LET_GO_EACH 64
/* A journal is replayed at some 100 MB/s: longer ones end in a checkpoint when
 * the store is closed ... */
#define CLOSE_LEN OG_LIMIT((uint64_t)512 << 10, (uint64_t)24 << 10)
/* If the packed texts between two commits have at most this many bytes, they
 * are also in the journal: a small append then costs one sync. Larger ones are
 * worth a sync of their segment. */
#define LOGGED_LEN OG_LIMIT((size_t)64 << 10, (size_t)2 << 10)
/* ... and while it is open when they are twice as long as the table: so a
 * checkpoint adds half to what is written, however long a stream is. */
#define OPEN_LEN OG_LIMIT((uint64_t)64 << 20, (uint64_t)40 << 10)

/* A table that takes no more than this without its empty slots is packed. */
#define PACKED_LEN OG_LIMIT((size_t)8 << 20, (size_t)16 << 10)

/* ---- the journal ---- */

static og_status failed(const struct og_disk *disk, og_error *err)
{
    return og_error_set(
        err, OG_ERR_IO,
        "store '%s' accepts no more writes after a failed one; open it again",
        disk->folder);
}

/* Called by the journal's thread: texts must be safe before the records that
 * name them. A failure to train is ignored: texts without a dictionary are only
 * longer. */
static og_status sync_texts(void *ctx, og_error *err)
{
    struct og_texts *texts = ((og_store *)ctx)->keeping.texts;
    if (texts == NULL) return OG_OK;
    (void)og_texts_train(texts, NULL);
    return og_texts_sync(texts, NULL, err);
}

static og_status start_journal(og_store *store, og_error *err)
{
    struct og_disk *disk = store->disk;
    if (disk->has_failed) return failed(disk, err);
    if (disk->journal != NULL) return OG_OK;
    const struct og_journal_options options = {
        .folder = disk->data,
        .number = disk->next_journal,
        .first_sequence = disk->next_sequence,
        .continued_len = disk->continued_len,
        .durable = disk->durable,
        .uuid = disk->conf.uuid,
        .sync_first = sync_texts,
        .ctx = store,
    };
    return og_journal_new(&options, store->allocator, &disk->journal, err);
}

static og_status append_parts(og_store *store, uint32_t type,
                              const struct og_journal_part parts[2],
                              og_error *err)
{
    uint64_t sequence;
    struct og_disk *disk = store->disk;
    TRY(start_journal(store, err));
    TRY(og_journal_append(disk->journal, type, parts, 2, &sequence, err));
    disk->next_sequence = sequence + 1;
    disk->journal_len += og_journal_padded(parts[0].len + parts[1].len) + 32;
    disk->has_record = true;
    return OG_OK;
}

static og_status append(og_store *store, uint32_t type, const void *data,
                        size_t len, og_error *err)
{
    const struct og_journal_part parts[] = {{"", 0}, {data, len}};
    return append_parts(store, type, parts, err);
}

static og_status log_texts(void *ctx, uint32_t segment, uint64_t off,
                           const void *frames, size_t len, og_error *err)
{
    uint8_t place[16];
    og_store64(place, segment);
    og_store64(place + 8, off);
    const struct og_journal_part parts[] = {{place, 16}, {frames, len}};
    return append_parts(ctx, OG_JOURNAL_TEXTS, parts, err);
}

void og_disk_log_texts(og_store *store, struct og_texts_options *options)
{
    options->log = log_texts;
    options->ctx = store;
    options->log_most = LOGGED_LEN;
}

og_status og_disk_pack_record(size_t entry_len,
                              const struct og_additions *additions,
                              struct og_pack *bytes, og_error *err)
{
    static const uint8_t zeros[8];
    og_pack_bytes(bytes, zeros, og_journal_padded(entry_len) - entry_len);
    og_additions_pack(additions, bytes);
    if (bytes->failed)
        return og_error_memory(err, 12 * additions->n, "a record");
    return OG_OK;
}

og_status og_disk_add(og_store *store, size_t entry_len,
                      const struct og_pack *bytes, og_error *err)
{
    uint8_t head[8] = {0};
    og_store32(head, (uint32_t)entry_len);
    const struct og_journal_part parts[] = {{head, 8},
                                            {bytes->data, bytes->len}};
    return append_parts(store, OG_JOURNAL_DOCUMENT, parts, err);
}

og_status og_disk_sight(og_store *store, const struct og_pack *bytes,
                        og_error *err)
{
    return append(store, OG_JOURNAL_SIGHTING, bytes->data, bytes->len, err);
}

og_status og_disk_remove(og_store *store, const struct og_pack *bytes,
                         og_error *err)
{
    return append(store, OG_JOURNAL_REMOVE, bytes->data, bytes->len, err);
}

og_status og_disk_commit(og_store *store, og_error *err)
{
    struct og_disk *disk = store->disk;
    if (disk->has_failed) return failed(disk, err);
    if (disk->journal == NULL) return OG_OK;
    const og_status status = og_journal_commit(disk->journal, err);
    if (status != OG_OK) disk->has_failed = true;
    return status;
}

/* ---- pages of the checkpoint ---- */

og_status og_disk_know(og_store *store, const uint64_t *fps, size_t n,
                       og_error *err)
{
    struct og_checkpoint *c = &store->disk->checkpoint;
    const struct og_table *t = &store->table;
    if (c->map == NULL || og_checkpoint_all_known(c)) return OG_OK;
    const struct og_table_view view = og_table_view(t);
    if (view.base != c->table) return OG_OK; /* it has moved: all was known */
    for (size_t i = 0; i < n; i++) {
        const uint64_t mixed = og_mix64(fps[i]);
        const size_t begin =
            (og_home_of(t, mixed) >> view.level) * view.bucket_len;
        TRY(og_checkpoint_know(c, begin, begin + view.bucket_len, err));
        if (t->n_common_lines == 0 || view.level > 0) continue;
        const size_t line =
            t->common_off + og_common_fps_off(t->n_common_lines, mixed);
        TRY(og_checkpoint_know(c, line, line + OG_COMMON_LINE, err));
    }
    return OG_OK;
}

og_status og_disk_know_all(og_store *store,
                           const struct og_additions *additions, bool are_many,
                           og_error *err)
{
    struct og_checkpoint *c = &store->disk->checkpoint;
    const struct og_table *t = &store->table;
    if (c->map == NULL || t->base != c->table || t->level == 0) return OG_OK;
    if (!are_many && !og_table_may_grow(t, additions->fp, additions->n))
        return OG_OK;
    return og_checkpoint_know(c, 0, c->table_len, err);
}

/* ---- ids ---- */

bool og_disk_may_have(const og_store *store, og_bytes id)
{
    const struct og_bloom *bloom = &store->disk->bloom;
    return og_bloom_may_have(bloom, og_checksum(id.data, id.len));
}

void og_disk_note(og_store *store, og_bytes id)
{
    og_bloom_add(&store->disk->bloom, og_checksum(id.data, id.len));
}

/* ---- the catalogue on disk ---- */

static bool has_pending(const og_store *store)
{
    const struct og_pending_batch *young = og_pending_active(&store->pending);
    return young->n > 0 || young->n_removed > 0 ||
           og_pending_frozen(&store->pending) != NULL;
}

/* Starts writing the pending entries, once the previous flush has ended. */
static og_status start_filing(og_store *store, og_error *err)
{
    struct og_disk *disk = store->disk;
    struct og_catalogue_flush *flush = &disk->flush;
    TRY(og_catalogue_flush_end(flush, err));
    if (!has_pending(store)) return OG_OK;
    /* The last journal must not end with CLOSED while the catalogue changes;
     * the flush commits before it does. */
    if (!disk->has_record) TRY(append(store, OG_JOURNAL_OPENED, "", 0, err));
    flush->pending = &store->pending;
    flush->documents = disk->documents;
    flush->journal = disk->journal;
    og_catalogue_flush_start(flush, disk->next_sequence - 1);
    return OG_OK;
}

/* A lot that failed before goes first, so there can be two. */
og_status og_disk_flush(og_store *store, og_error *err)
{
    struct og_catalogue_flush *flush = &store->disk->flush;
    TRY(og_catalogue_flush_end(flush, err));
    while (has_pending(store)) {
        TRY(start_filing(store, err));
        TRY(og_catalogue_flush_end(flush, err));
    }
    return OG_OK;
}

/* ---- checkpoints ---- */

static const struct og_mark *mark_of(const void *ctx, uint32_t number)
{
    return og_catalogue_get(ctx, number);
}

/* A small table is written without its empty slots: rebuilding it
 * takes some milliseconds. A large one is mapped as it is. */
static bool is_packed(const struct og_table *table)
{
    return table->level > 0 && og_table_buckets_packed_len(table) <= PACKED_LEN;
}

/* Bytes of the old checkpoint that were not verified yet are copied to the new
 * one: they must be valid. */
og_status og_disk_write_table(og_store *store, const char *folder,
                              struct og_new_file *file, og_error *err)
{
    struct og_disk *disk = store->disk;
    const struct og_table *table = &store->table;
    struct og_pack state = {.allocator = store->allocator};
    struct og_pack buckets = {.allocator = store->allocator};
    if (disk->checkpoint.map != NULL)
        TRY(og_checkpoint_know(&disk->checkpoint, 0, disk->checkpoint.table_len,
                               err));
    og_pack_fixed(&state, (uint64_t)store->catalogue.latest, 8);
    og_table_state_pack(table, &state);
    if (is_packed(table)) og_table_buckets_pack(table, &buckets);
    const struct og_checkpoint_parts parts = {
        .sequence = disk->next_sequence - 1,
        .table = is_packed(table) ? buckets.data : table->base,
        .table_len = is_packed(table) ? buckets.len : og_table_len(table),
        .features = (table->level > 0 ? OG_TABLE_GROWING : 0) |
                    (is_packed(table) ? OG_TABLE_PACKED : 0),
        .n_documents = store->catalogue.n,
        .mark = mark_of,
        .ctx = &store->catalogue,
        .state = {(const char *)state.data, state.len},
    };
    const og_status status =
        state.failed || buckets.failed
            ? og_error_memory(err, PACKED_LEN, "a checkpoint")
            : og_checkpoint_write(folder, disk->conf.uuid, &parts,
                                  store->allocator, file, err);
    og_pack_release(&buckets);
    og_pack_release(&state);
    return status;
}

/* Those before the one that is being written. */
static void remove_old_journals(const struct og_disk *disk, uint64_t keep)
{
    char path[4096];
    uint64_t first;
    uint64_t last;
    if (og_journal_list(disk->data, &first, &last, NULL) != OG_OK) return;
    for (uint64_t i = first; i != 0 && i < keep && i <= last; i++)
        if (og_journal_path(path, sizeof(path), disk->data, i))
            (void)unlink(path);
}

/* The table is written while the last entries are on their way. It gets its
 * name when they have arrived. */
og_status og_disk_checkpoint(og_store *store, og_error *err)
{
    struct og_disk *disk = store->disk;
    struct og_new_file file;
    TRY(start_journal(store, err));
    TRY(og_disk_commit(store, err));
    TRY(start_filing(store, err));
    /* The journal that has some of them goes. */
    if (store->keeping.texts != NULL)
        TRY(og_texts_settle(store->keeping.texts, err));
    TRY(og_disk_write_table(store, disk->data, &file, err));
    og_status status = og_disk_flush(store, err);
    if (status != OG_OK) {
        og_new_file_discard(&file);
        return status;
    }
    status = og_new_file_commit(&file, err);
    if (status == OG_OK) status = og_journal_rotate(disk->journal, err);
    if (status != OG_OK) {
        disk->has_failed = true;
        return status;
    }
    disk->journal_len = 0;
    remove_old_journals(disk, og_journal_number(disk->journal));
    return OG_OK;
}

/* LMDB keeps every page that a batch changes until it is written. In a large
 * catalogue each id changes a page of its own; copies are stored next to their
 * origins, most of which are young and share pages. */
static bool is_pending_enough(const og_store *store)
{
    const struct og_pending_batch *lot = og_pending_active(&store->pending);
    const size_t n_pages = lot->n + lot->n_copies / 4;
    if (lot->bytes > PENDING_LEN) return true;
    return n_pages > PENDING_PAGES &&
           og_documents_pages(store->disk->documents) > PENDING_PAGES;
}

og_status og_disk_tidy(og_store *store, size_t n_new, og_error *err)
{
    struct og_disk *disk = store->disk;
    const uint64_t table_len = og_table_len(&store->table);
    const uint64_t by_table = OG_LIMIT(2 * table_len, table_len / 4);
    const uint64_t most = by_table > OPEN_LEN ? by_table : OPEN_LEN;
    if (og_catalogue_flush_has_failed(&disk->flush))
        return og_catalogue_flush_end(&disk->flush, err);
    if (disk->journal_len > most) return og_disk_checkpoint(store, err);
    if (is_pending_enough(store)) return start_filing(store, err);
    if (og_pending_active(&store->pending)->n % LET_GO_EACH + n_new >=
        LET_GO_EACH)
        og_documents_let_go(disk->documents);
    return OG_OK;
}

/* ---- the end ---- */

static og_status finish(og_store *store, og_error *err)
{
    struct og_disk *disk = store->disk;
    if (disk->has_failed) return failed(disk, err);
    if (disk->journal == NULL || disk->next_generation > 0) return OG_OK;
    const uint64_t table_len = og_table_len(&store->table);
    const uint64_t most =
        table_len / 128 > CLOSE_LEN ? table_len / 128 : CLOSE_LEN;
    TRY(og_disk_commit(store, err));
    if (disk->journal_len > most) TRY(og_disk_checkpoint(store, err));
    TRY(og_catalogue_flush_end(&disk->flush, err));
    TRY(og_disk_commit(store, err));
    TRY(og_documents_seal(disk->documents, err));
    const uint64_t safe = disk->next_sequence - 1;
    /* If it is lost, the next opening only has to check the catalogue. */
    TRY(append(store, OG_JOURNAL_CLOSED, "", 0, err));
    TRY(og_journal_write_out(disk->journal, err));
    og_store_lock_end(disk->lock_fd, safe);
    return OG_OK;
}

double og_disk_seconds(const struct og_disk *disk)
{
    const double flush = 1e-6 * (double)atomic_load(&disk->flush.microseconds);
    return flush +
           (disk->journal != NULL ? og_journal_seconds(disk->journal) : 0);
}

og_status og_disk_close(og_store *store, og_error *err)
{
    struct og_disk *disk = store->disk;
    const og_status status = finish(store, err);
    (void)og_catalogue_flush_end(&disk->flush, NULL);
    og_text_patches_release(&disk->patches);
    og_journal_free(disk->journal);
    og_keeping_close(&store->keeping);
    (void)og_documents_close(disk->documents, NULL);
    og_checkpoint_close(&disk->checkpoint);
    og_bloom_release(&disk->bloom);
    if (disk->next_generation > 0)
        og_disk_remove_others(disk->folder, disk->next_generation);
    if (disk->lock_fd >= 0) close(disk->lock_fd);
    free(disk->texts_folder);
    free(disk->data);
    free(disk->folder);
    og_release(store->allocator, disk, sizeof(*disk));
    store->disk = NULL;
    return status;
}
