#ifndef OG_STORE_CATALOGUE_DOCUMENTS_ENV_H
#define OG_STORE_CATALOGUE_DOCUMENTS_ENV_H

/* The inside of struct og_documents, for documents.c, documents_write.c and
 * documents_view.c. */

#include <lmdb.h>
#include <pthread.h>
#include <sys/types.h>

#include "lib/store/catalogue/documents.h"

struct og_documents {
    struct og_documents *next; /* in the list of what this process has open */
    unsigned n_opens;
    dev_t device;
    ino_t inode;

    const og_allocator *allocator;
    char *folder;
    size_t folder_cap;
    uint8_t uuid[16];
    bool writable;
    bool is_changed; /* the sums were removed */
    bool is_failed;  /* a write failed: no sums at the end */
    MDB_env *env;
    MDB_dbi documents, ids, copies, removed, meta;

    /* The map can grow only when no view is begun. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned n_views;   /* begun */
    unsigned n_growers; /* who wait for them to end */
};

/* What "state" in `meta` holds. */
struct og_documents_state {
    uint64_t sequence;
    uint32_t count;
};

og_status og_documents_read_state(struct og_documents *db, MDB_txn *txn,
                                  struct og_documents_state *out,
                                  og_error *err);

/* LMDB's code. */
int og_documents_put_state(struct og_documents *db, MDB_txn *txn,
                           uint64_t sequence, uint32_t count);

/* The story of LMDB's `code`: "cannot VERB 'FOLDER': reason". */
og_status og_documents_failure(const struct og_documents *db, int code,
                               const char *verb, og_error *err);

/* Counts a view that begins or ended; the first waits while the map grows. */
void og_documents_enter(struct og_documents *db);
void og_documents_leave(struct og_documents *db);

/* Sets the length of the map (0: as the file says) when no view is begun. */
int og_documents_set_map(struct og_documents *db, size_t len);

/* The key of an id in `ids`. */
uint64_t og_documents_hash(og_bytes id);

#endif
