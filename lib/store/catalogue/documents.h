#ifndef OG_STORE_CATALOGUE_DOCUMENTS_H
#define OG_STORE_CATALOGUE_DOCUMENTS_H

/*   in:  entries of documents, in the order of their numbers  (lib/store/entry)
 *   out: entries by number, numbers by id, copiers by origin  (lib)
 *
 * The catalogue on disk: an LMDB environment in a folder of the store.
 *
 *     documents   number u32            -> entry (entry.h)
 *     ids         hash of the id u64    -> numbers u32, ascending
 *     copies      number of origin u32  -> copier u32 << 32 | n_tokens u32
 *     removed     number u32            -> nothing
 *     meta        "format" "uuid" "state" (sequence u64, count u64)
 *
 * It is written in batches, one synced transaction each: a reader sees all of a
 * batch or none of it, and a crash leaves the acknowledged batches. `sequence`
 * is that of the store: all records up to it are included.
 *
 * LMDB is used for writing only: its readers need write permission, and trust
 * their file. Ours (lmdb_read.h) do neither; pages of a catalogue that was
 * closed in order are compared with the sums that were written then, each when
 * it is read, and all before LMDB changes the first one. */

#include "lib/store/catalogue/entry.h"

#define OG_NO_DOC UINT32_MAX

struct og_lmdb_reader;

/* One environment. A process has a folder open once: a second open of the same
 * folder returns the same object (when both are for reading, or the first is
 * for writing), and the last close closes it. Opening for writing while the
 * same process has it open for reading is OG_ERR_USAGE.
 *
 * Threads: any thread may begin views; og_documents_write by one at a time. The
 * child of a fork must not use what its parent opened. */
struct og_documents;

struct og_documents_options {
    const uint8_t *uuid; /* 16 bytes of the store; copied */
    bool writable;       /* creates folder and environment when missing */
    bool is_settled;     /* everything is on disk: the last writer closed it */
    bool
        is_unread; /* og_documents_check() skipped pages, to be checked later */
    uint64_t map_len; /* 0: 1 TiB of addresses, less when the process
                         may not have so many */
    const og_allocator *allocator; /* LMDB's own memory is not from it */
};

/* OG_ERR_USAGE in a library that was built without LMDB. */
og_status og_documents_can_open(og_error *err);

/* `folder` is that of the catalogue; the sums are in the file "`folder`.sum".
 * OG_ERR_STORE: it belongs to another store, has a newer format, or is damaged.
 * OG_ERR_IO: the system's reason. */
og_status og_documents_open(const char *folder,
                            const struct og_documents_options *options,
                            struct og_documents **out, og_error *err);

/* All views must have been released. When the last close is that of a writer,
 * nothing failed, and the sums are out of date, it writes them; that can fail
 * (OG_ERR_IO), and then there are none, but the catalogue is complete. Frees in
 * any case. NULL is fine. */
og_status og_documents_close(struct og_documents *db, og_error *err);

/* Writes the sums of the current state, unless they are up to date; so does the
 * last close. Only after this may a store record that it was closed in
 * order. */
og_status og_documents_seal(struct og_documents *db, og_error *err);

struct og_documents_batch {
    uint32_t first;          /* the number of entries[0] */
    const og_bytes *entries; /* packed (og_entry_pack) */
    size_t n_entries;
    const uint32_t *removed; /* numbers; may be there already */
    size_t n_removed;
    uint64_t sequence;
};

/* Pages of the file after the last batch. */
uint64_t og_documents_pages(struct og_documents *db);

/* Releases the mapped pages. A batch touches most of the trees, queries touch
 * any page, and every page touched would count as memory of this process from
 * then on, without bound for a long stream. Nothing is lost: the file is mapped
 * for reading, and the system caches its pages as long as it has room. Any
 * thread; a batch does it at its end. */
void og_documents_let_go(struct og_documents *db);

/* One durable transaction. `first` must be og_documents_view_count() (so that
 * numbers have no gap) and `sequence` at least the previous one: else
 * OG_ERR_USAGE. A damaged entry is OG_ERR_STORE. On any failure nothing is
 * changed; after OG_ERR_IO (a full disk, a failed sync) the caller may try
 * again or close. The calling thread must hold no view. */
og_status og_documents_write(struct og_documents *db,
                             const struct og_documents_batch *batch,
                             og_error *err);

/* ---- views ---------------------------------------------------------------
 *
 * A view sees the documents that there were at its last begin; which of them
 * are removed, at that time or later. Each answer is of one committed state. It
 * takes no lock and needs no more than the right to read. One thread at a time
 * uses it. */
struct og_documents_view {
    struct og_documents *db;
    struct og_lmdb_reader *reader; /* NULL: not yet */
    struct og_pack found;          /* the result of the last query */
    bool begun;
    bool is_fresh;     /* the reader has just begun */
    uint64_t n_states; /* of the reader, when `sequence` was read */
    uint64_t sequence; /* of the last begin */
    uint32_t count;
};

/* Allocates nothing. */
void og_documents_view_init(struct og_documents_view *view,
                            struct og_documents *db);
og_status og_documents_view_begin(struct og_documents_view *view,
                                  og_error *err);
/* The same for a query about document `number` alone: an entry never changes,
 * so the state read last is enough if it has the document. */
og_status og_documents_view_begin_for(struct og_documents_view *view,
                                      uint32_t number, og_error *err);
void og_documents_view_end(struct og_documents_view *view);
void og_documents_view_release(struct og_documents_view *view);

/* These need a begun view. The bytes they return are valid until the next query
 * or the end of the view. Failures are OG_ERR_STORE (a damaged page). */

/* Records up to this sequence are included, and documents 0 to count - 1. */
uint64_t og_documents_view_sequence(const struct og_documents_view *view);
uint32_t og_documents_view_count(const struct og_documents_view *view);

/* The entry as it was written, its checksum not compared (og_entry_unpack
 * does). For a number that does not exist, len is 0. */
og_status og_documents_get(struct og_documents_view *view, uint32_t number,
                           og_bytes *out, og_error *err);

/* The largest number with this id, removed or not; OG_NO_DOC: none. */
og_status og_documents_latest(struct og_documents_view *view, og_bytes id,
                              uint32_t *out, og_error *err);

/* Visitors return false to stop, which is not a failure. */
typedef bool og_document_visit(void *ctx, uint32_t number);
typedef bool og_copier_visit(void *ctx, uint32_t copier, uint32_t n_tokens);

/* All numbers with this id, the newest first. */
og_status og_documents_with_id(struct og_documents_view *view, og_bytes id,
                               og_document_visit *visit, void *ctx,
                               og_error *err);

/* The documents whose entries name `origin` among their origins, in ascending
 * order; at most `max` of them. */
og_status og_documents_copiers(struct og_documents_view *view, uint32_t origin,
                               size_t max, og_copier_visit *visit, void *ctx,
                               og_error *err);

og_status og_documents_is_removed(struct og_documents_view *view,
                                  uint32_t number, bool *out, og_error *err);

/* All removed numbers, ascending. */
og_status og_documents_removed(struct og_documents_view *view,
                               og_document_visit *visit, void *ctx,
                               og_error *err);

/* ---- sums ----------------------------------------------------------------
 *
 *     catalogue.sum   0  magic "OGcS"   4    16  transaction of LMDB      8
 *                     4  version        4    24  checksum of 0..23 and of
 *                     8  number of pages 8       the sums                 8
 *                                            32  a sum for each page of 4 KiB
 */

enum og_sums {
    OG_SUMS_NONE,  /* there is no file of sums (or no catalogue) */
    OG_SUMS_OLD,   /* they are of another transaction: nothing was compared */
    OG_SUMS_HEADS, /* the heads are unchanged; the rest of a long file was not
                      compared */
    OG_SUMS_EQUAL, /* every page is unchanged */
};

/* Reads data.mdb as a plain file; meant to be called before
 * og_documents_open(), but harmless after it (when a writer changes the file
 * meanwhile: OG_SUMS_OLD). `closed` says that the store was closed cleanly:
 * then missing or old sums are damage too. `max_len` > 0: of a longer file only
 * the heads are compared. OG_ERR_STORE names the file and the offset of the
 * page. */
og_status og_documents_check(const char *folder, bool closed, uint64_t max_len,
                             const og_allocator *allocator, enum og_sums *out,
                             og_error *err);

/* For files without valid sums, before og_documents_open(): checks that every
 * page that LMDB would follow exists and refers only to valid pages. Not while
 * another process writes. With `only_if_short` a file of the right length is
 * not checked. */
og_status og_documents_walk(const char *folder, bool only_if_short,
                            const og_allocator *allocator, og_error *err);

/* For files without valid sums, after og_documents_open(): every entry has its
 * checksum, and the other trees contain exactly what follows from the
 * entries. */
og_status og_documents_audit(struct og_documents *db, og_error *err);

#endif
