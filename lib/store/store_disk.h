#ifndef OG_STORE_STORE_DISK_H
#define OG_STORE_STORE_DISK_H

/* The part of a store that is on disk. It belongs to the writer, except
 * `documents` and the folder's name, which any thread may use. */

#include "lib/store/catalogue/bloom.h"
#include "lib/store/catalogue/catalogue_flush.h"
#include "lib/store/conf.h"
#include "lib/store/store.h"
#include "lib/store/store_texts.h"
#include "lib/store/text/texts.h"

#include <origo/store.h>

struct og_journal;

struct og_disk {
    char *folder;       /* of the store: conf and lock */
    char *data;         /* where the other files are: that folder, or one in
                           it */
    char *texts_folder; /* in `data` */
    struct og_conf conf;
    int lock_fd; /* -1: only read */
    struct og_checkpoint checkpoint;
    struct og_documents *documents;
    struct og_text_patches patches; /* a reader's: what segments lack */
    struct og_texts_end logged_end; /* after the last text in the journal */
    struct og_journal *journal;     /* NULL: nothing written yet */
    struct og_catalogue_flush flush;
    struct og_bloom bloom;    /* enabled: has the ids of all documents */
    uint64_t next_sequence;   /* while there is no journal */
    uint64_t next_journal;    /* the number of the file to write */
    uint64_t continued_len;   /* of that file, up to its last record; 0: new */
    uint64_t durable;         /* the last record known to be durable */
    bool is_settled;          /* the last session ended well */
    bool has_record;          /* of this session */
    uint64_t journal_len;     /* of all files since the checkpoint */
    bool has_failed;          /* a write did: no further writes */
    uint32_t next_generation; /* > 0: it was compacted to that one */
    /* Of the last opening. */
    uint64_t n_records;  /* that were replayed */
    uint64_t torn_bytes; /* after them, of an interrupted write */
};

/* Opens or creates it and brings `store` (params, allocator set, table not yet)
 * to the state after the last record. `table`: the one whose catalogue it is;
 * "": it has its own, or this is not checked. */
og_status og_disk_open(og_store *store, const char *path, og_access access,
                       const og_params *params, unsigned indexes,
                       const char *table, og_error *err);

/* Seconds that the processor has worked for its threads: the journal, the
 * texts and their dictionary, the catalogue. */
double og_disk_seconds(const struct og_disk *disk);

/* Commits, and writes a checkpoint if reading the journal at the next start
 * would take long. Frees in any case. */
og_status og_disk_close(og_store *store, og_error *err);

/* Verifies the pages of the table that contain these fingerprints. */
og_status og_disk_know(og_store *store, const uint64_t *fps, size_t n,
                       og_error *err);

/* Verifies all of them if adding these, or many with them, could make the table
 * grow, which then cannot fail. */
og_status og_disk_know_all(og_store *store,
                           const struct og_additions *additions, bool are_many,
                           og_error *err);

/* Whether a document may have this id. For the writer only. */
bool og_disk_may_have(const og_store *store, og_bytes id);
/* Records that one may; before og_disk_add(). */
void og_disk_note(og_store *store, og_bytes id);

/* Records: nothing is changed but the journal. The entry is the first
 * `entry_len` of `bytes`, after which the additions are packed, by any thread.
 */
og_status og_disk_pack_record(size_t entry_len,
                              const struct og_additions *additions,
                              struct og_pack *bytes, og_error *err);
og_status og_disk_add(og_store *store, size_t entry_len,
                      const struct og_pack *bytes, og_error *err);
og_status og_disk_sight(og_store *store, const struct og_pack *bytes,
                        og_error *err);
og_status og_disk_remove(og_store *store, const struct og_pack *bytes,
                         og_error *err);

/* Applies the bytes of a REMOVE in memory; for og_store_remove() and for
 * replaying. `data` must be aligned to a multiple of 8. OG_ERR_STORE: these are
 * not additions. */
struct og_unpacked_additions;
og_status og_removal_apply(og_store *store, const uint8_t *data, size_t len,
                           struct og_unpacked_additions *additions,
                           og_error *err);

/* Small texts are also written to the journal: one sync for both. */
void og_disk_log_texts(og_store *store, struct og_texts_options *options);

og_status og_disk_commit(og_store *store, og_error *err);

/* After one or more documents: pending entries are written to the catalogue on
 * disk, and a long journal ends in a checkpoint. */
og_status og_disk_tidy(og_store *store, size_t n_new, og_error *err);

/* Writes entries to the catalogue on disk now. */
og_status og_disk_flush(og_store *store, og_error *err);

/* Passes the table and its state to the system, in `folder`; to be committed or
 * discarded. */
struct og_new_file;
og_status og_disk_write_table(og_store *store, const char *folder,
                              struct og_new_file *file, og_error *err);

/* Removes the files of all generations but one. */
void og_disk_remove_others(const char *folder, uint32_t generation);

/* Now, whatever the length of the journal. */
og_status og_disk_checkpoint(og_store *store, og_error *err);

/* After the text of the last document that has one. */
og_status og_disk_texts_end(og_store *store, struct og_texts_end *out,
                            og_error *err);

#endif
