#ifndef OG_STORE_CATALOGUE_DOCUMENTS_ENV_H
#define OG_STORE_CATALOGUE_DOCUMENTS_ENV_H

/* The inside of struct og_documents, for documents.c, documents_write.c,
 * documents_view.c and documents_audit.c. */

#include <lmdb.h>
#include <pthread.h>
#include <sys/types.h>

#include "lib/store/catalogue/documents.h"
#include "lib/store/catalogue/lmdb_read.h"

struct og_documents {
    struct og_documents *next; /* in the list of those that are open */
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
    bool is_unread;  /* its pages must be compared before the first change */
    /* For views. */
    int fd;     /* of data.mdb */
    char *path; /* of it */
    size_t path_cap;
    struct og_page_sums sums; /* of the state when it was opened */
    MDB_env *env;             /* for writing; NULL: read-only */
    MDB_dbi documents, ids, copies, removed, meta;

    /* The map can grow only while no thread reads it. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned n_lookers;
    unsigned n_growers; /* threads waiting for the lookers to leave */
};

/* The value of "state" in `meta`. */
struct og_documents_state {
    uint64_t sequence;
    uint32_t count;
};

og_status og_documents_read_state(struct og_documents *db, MDB_txn *txn,
                                  struct og_documents_state *out,
                                  og_error *err);

/* Returns LMDB's code. */
int og_documents_put_state(struct og_documents *db, MDB_txn *txn,
                           uint64_t sequence, uint32_t count);

/* The message for LMDB's `code`: "cannot VERB 'FOLDER': reason". */
og_status og_documents_failure(const struct og_documents *db, int code,
                               const char *verb, og_error *err);

enum { OG_DOCUMENTS_STATE_LEN = 16 }; /* sequence 8 | count 8 */

/* A scan of a tree, repeated until one state lasts for all of it. */
struct og_catalogue_question {
    const char *tree;
    og_bytes from; /* len 0: all of it */
    og_lmdb_visit *visit;
    void (*restart)(void *ctx); /* forgets what was visited; NULL: nothing */
    void *ctx;
};

og_status og_documents_ask(struct og_documents_view *view,
                           const struct og_catalogue_question *q,
                           og_error *err);

/* len 0: there is none. Valid until the next question. */
og_status og_documents_find_meta(struct og_documents_view *view,
                                 const char *name, og_bytes *out,
                                 og_error *err);

/* Count the threads that use LMDB's map; enter waits while it is resized. */
void og_documents_enter(struct og_documents *db);
void og_documents_leave(struct og_documents *db);

/* Sets the length of the map once no thread uses it. */
int og_documents_set_map(struct og_documents *db, size_t len);

/* The key of an id in `ids`. */
uint64_t og_documents_hash(og_bytes id);

#endif
