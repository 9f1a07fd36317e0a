#ifndef OG_STORE_INDEX_H
#define OG_STORE_INDEX_H

/* Indexes that are derived from the documents of a store.
 *
 * The passages' table is written together with the documents. The others, near
 * and sentences, can always be rebuilt from the texts, so they need no log of
 * their own: each knows how many documents are in its files, and a process that
 * opens it adds the later ones, from their texts, in memory. A writer puts them
 * into files when there are many.
 *
 *     documents        0 ..................................... n
 *     files of an index    n_saved ->|
 *     index in memory               n_covered ---------->|
 *
 * An index is opened when it is queried, or when it lags far behind: a store
 * that is only traced, or that gets a document now and then, does not pay for
 * it. The store does not know what an index is: lib/index does (a table of
 * functions, so that the layers above can build on the store). */

#include "lib/base/memory.h"
#include "lib/base/status.h"

#include <origo/neighbour.h>
#include <origo/sentence.h>
#include <pthread.h>

struct og_phases;
struct og_subject;

enum { OG_INDEX_KINDS = 2 }; /* that are derived */

/* A document of a run. */
struct og_index_doc {
    const og_document *doc;
    /* What og_store_identify() set before it was added; NULL: not called. */
    const struct og_subject *subject;
    uint32_t number; /* OG_NO_DOC: it is not added */
    int64_t time;    /* of the catalogue */
    /* Output: an array of n, whose type depends on the kind of index. */
    const void *answer;
    size_t n_answer;
};

/* Consecutive documents, in the store already if they are added. The index is
 * queried for each as if those after it did not exist, and then adds them; in
 * phases, on all threads. */
struct og_index_run {
    struct og_index_doc *docs;
    size_t n;
    const void *question; /* the options of the query; NULL: none */
    uint64_t lot;   /* answers are cached while it is unchanged; ascending */
    unsigned asked; /* kinds of indexes that have the documents already */
    const struct og_phases *phases;
    /* The trace of a worker. */
    og_status (*trace_of)(void *ctx, void *worker, og_trace **out,
                          og_error *err);
    void *ctx;
};

/* The parameters with which an index was made. */
struct og_index_making {
    og_near_options near;
    og_sentences_options sentences;
    char stop[8], stem[8]; /* what `sentences` points to */
};

struct og_index_ops {
    const char *name; /* in origo.conf, and its folder */
    unsigned bit;     /* OG_INDEX_NEAR, ... */
    /* Opens the files in `folder` (NULL: in memory); `is_new`: creates an empty
     * index there. *out_n: the number of documents in it. */
    og_status (*open)(og_store *store, const char *folder, bool is_new,
                      const og_store_options *options, void **out,
                      uint32_t *out_n, og_error *err);
    void (*close)(void *index);
    /* How many documents are in the files, without opening it. */
    og_status (*n_saved)(const og_store *store, const char *folder,
                         uint32_t *out, og_error *err);
    og_status (*add)(void *index, uint32_t number, const og_document *doc,
                     int64_t time, og_error *err);
    /* A run, step by step: reserve room for its documents; prepare one of them;
     * query and add all; the answer to one. */
    og_status (*begin_run)(void *index, const struct og_index_run *run,
                           og_error *err);
    void (*put_run_doc)(void *index, size_t i, const struct og_index_doc *doc);
    og_status (*take_run)(void *index, const struct og_index_run *run,
                          og_error *err);
    void (*get_answer)(const void *index, size_t i, struct og_index_doc *doc);
    /* The number of documents of the store that it has, also after a run that
     * failed. */
    uint32_t (*n_documents)(const void *index);
    /* Adds what other processes have added since. NULL: none can. */
    og_status (*refresh)(void *index, og_error *err);
    /* The state of a thread for a run. It is owned by a trace. */
    og_status (*new_asker)(void *index, og_trace *trace, void **out,
                           og_error *err);
    void (*free_asker)(void *asker);
    /* Document `number` has nothing to add: it was removed. */
    void (*skip)(void *index, uint32_t number);
    /* Writes everything added to files, in phases. The documents are durable
     * already. */
    og_status (*flush)(void *index, const struct og_phases *phases,
                       og_error *err);
    /* Its parameters, so that it can be rebuilt. */
    void (*describe)(const void *index, struct og_index_making *out);
    /* Whether a file in its folder is the index's own. */
    bool (*is_file)(const char *name);
};

/* Defined in lib/index. */
extern const struct og_index_ops *const og_index_kinds[OG_INDEX_KINDS];

struct og_derived_index {
    const struct og_index_ops *ops;
    void *opened;       /* NULL: not yet */
    uint32_t n_covered; /* when it is open */
    uint32_t n_saved;   /* documents in its files */
    uint64_t lag_bytes; /* of text that is not in its files, or a bound */
    /* Threads other than the writer hold it for reading. New readers wait at
     * the gate while the writer waits, which would otherwise wait for ever. */
    pthread_rwlock_t lock;
    pthread_mutex_t gate;
};

struct og_derived_indexes {
    unsigned on; /* OG_INDEX_* */
    struct og_derived_index one[OG_INDEX_KINDS];
    struct og_stored_texts *stored; /* to catch up from; NULL: not opened yet */
    bool is_stopped; /* they are behind; the next process that opens the store
                        continues */
};

/* After the store was opened. `options` are for those that are new. */
og_status og_indexes_open(og_store *store, const og_store_options *options,
                          og_error *err);
/* Before the store is closed, while it can still be written: indexes that lag
 * far behind are written to files. */
og_status og_indexes_finish(og_store *store, const struct og_phases *phases,
                            og_error *err);
void og_indexes_close(og_store *store);
/* The same; they are not used afterwards. */
void og_indexes_release(og_store *store);

/* The work was stopped: nothing more is written to files. */
void og_indexes_stop(og_store *store);

/* Document `number` was added; its text is available, or doc->text.len is 0 and
 * `text_len` is not. */
og_status og_indexes_note(og_store *store, uint32_t number,
                          const og_document *doc, uint64_t text_len,
                          og_error *err);

/* The same for those of a run that have a number; these are consecutive. */
og_status og_indexes_note_run(og_store *store, const struct og_index_run *run,
                              og_error *err);

/* A query for each document of a run: `index` is what og_index_get() returned
 * before they were added. Those with a number are in the index by then. */
og_status og_index_ask_run(og_store *store, unsigned bit,
                           const struct og_index_run *run, og_error *err);

/* The trace's state for this index. */
og_status og_index_asker(og_trace *trace, const struct og_index_ops *ops,
                         void *index, void **out, og_error *err);
void og_index_askers_free(og_trace *trace);

/* The index of this kind, with all documents in it. OG_ERR_USAGE: it is off.
 */
og_status og_index_get(og_store *store, unsigned bit, void **out,
                       og_error *err);

/* The same while the writer works, on any thread: nothing is added to the index
 * until og_index_leave(). `alone`: no other thread queries it meanwhile.
 * OG_ERR_USAGE: it is off, or not loaded (og_store_index_load()). */
og_status og_index_enter(og_store *store, unsigned bit, bool alone, void **out,
                         og_error *err);
void og_index_leave(og_store *store, unsigned bit, bool alone);

/* OG_ERR_USAGE: the index of passages, which is not a derived one, is off. */
og_status og_index_need_passages(const og_store *store, og_error *err);

/* Rebuilds all indexes that are on, from the texts, below another folder than
 * that of the store. */
og_status og_indexes_copy(og_store *store, const char *folder,
                          void (*on_step)(void *ctx, const char *what,
                                          uint64_t done, uint64_t total),
                          void *ctx, og_error *err);

/* OG_ERR_STORE: there are files of an index that is not on, and that was not
 * made from the documents of this store. */
og_status og_indexes_check_own(og_store *store, og_error *err);

/* Opens all that are on, which verifies every byte of their files. */
og_status og_indexes_check(og_store *store, og_error *err);

/* All documents that were added so far, with their texts; of a store that keeps
 * texts. */
og_status og_store_stored(og_store *store, struct og_stored_texts **out,
                          og_error *err);

#endif
