#ifndef ORIGO_STORE_H
#define ORIGO_STORE_H

/* A store: opening, closing, maintenance. */

#include <origo/document.h>
#include <origo/params.h>
#include <origo/reading.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct og_store og_store;

/* An index answers one kind of question. All indexes but the passages are
 * derived from the texts and can be built and dropped later. */
typedef enum og_index {
    OG_INDEX_PASSAGES = 1,  /* og_store_trace() */
    OG_INDEX_NEAR = 2,      /* og_store_near() */
    OG_INDEX_SENTENCES = 4, /* og_store_quote() */
} og_index;
#define OG_INDEXES_ALL 7u

/* Convert "passages,near" to a sum of og_index values and back. On failure,
 * parse returns false and leaves *out unchanged. */
OG_API bool og_indexes_parse(og_bytes names, unsigned *out);
OG_API void og_indexes_name(unsigned indexes, char out[64]);

typedef enum og_access {
    OG_READ = 0, /* any number of processes, also while one writes */
    OG_WRITE,    /* one process; the store must be there */
    OG_CREATE,   /* like OG_WRITE, and makes the store when there is none */
} og_access;

/* All zeros is the default, also for members that later versions add.
 * Pointed-to data is copied. */
typedef struct og_store_options {
    /* Used when the store is created, and for ":memory:". NULL:
     * og_params_default(). */
    const og_params *params;
    /* Indexes of a new store, a sum of og_index values; 0: passages. */
    unsigned indexes;
    /* Options of a new index; NULL: the default. */
    const struct og_near_options *near_options;
    const struct og_sentences_options *sentence_options;
    /* Progress while an index is built: documents done, and all. May be
     * NULL. */
    void (*on_step)(void *ctx, const char *what, uint64_t done, uint64_t total);
    void *step_ctx;
    /* A table on servers of Redis or Valkey that the module of origo is loaded
     * in, instead of one of the store's own; the store is its catalogue:
     *     redis://[[USER]:PASSWORD@]HOST[:PORT][,HOST...]/TABLE[?OPTIONS]
     * (rediss:// over TLS). Made when there is none, if the store is opened for
     * writing, with the memory of `params`. NULL: none; a store that is the
     * catalogue of one can do all but og_store_trace() then. */
    const char *table;
} og_store_options;

/* `path` is a folder, or ":memory:" for a store that exists until it is closed
 * and is always writable. `options` may be NULL. OG_ERR_NO_STORE: there is no
 * store. OG_ERR_BUSY: another process is writing to it; the message says
 * which. OG_ERR_STORE: it is damaged or has an unknown version; the message
 * names the file and the position. */
OG_API og_status og_store_open(const char *path, og_access access,
                               const og_store_options *options, og_store **out,
                               og_error *err);

/* Waits until all added documents are safe on disk: from then on they survive
 * a crash of the process or the machine. Returns OG_OK at once for a store in
 * memory. */
OG_API og_status og_store_commit(og_store *store, og_error *err);

/* Commits, returns the status of the commit, and closes the store in any case.
 * `store` may be NULL. */
OG_API og_status og_store_close(og_store *store, og_error *err);
OG_API const og_params *og_store_params(const og_store *store);
/* Whether its fingerprints depend on a secret key (og_params). */
OG_API bool og_store_is_keyed(const og_store *store);

/* The name of the table on servers that it is the catalogue of, or that it is;
 * "": it has its own. */
OG_API const char *og_store_table(const og_store *store);
/* Whether documents and texts are on servers, too: other processes add to them
 * at the same time. */
OG_API bool og_store_is_shared(const og_store *store);

/* The existing indexes. */
OG_API unsigned og_store_indexes(const og_store *store);
/* Builds those that do not exist yet, from the texts. OG_ERR_USAGE: the store
 * keeps no texts. Uses near_options, sentence_options and on_step of
 * `options`.
 */
OG_API og_status og_store_index_add(og_store *store, unsigned indexes,
                                    const og_store_options *options,
                                    og_error *err);
/* Opens those that are not open yet and brings them up to date; otherwise the
 * first query does so. From then on a document is in them when og_store_add()
 * returns, and og_trace_near() and og_trace_quote() can be called. To be
 * called by the writing thread. */
OG_API og_status og_store_index_load(og_store *store, unsigned indexes,
                                     og_error *err);
/* Removes indexes and their files. The documents remain. */
OG_API og_status og_store_index_drop(og_store *store, unsigned indexes,
                                     og_error *err);

/* The files of an index. */
typedef struct og_index_info {
    const char *name;
    bool is_on;
    uint64_t n_documents; /* that are in its files; the rest is added from the
                             journal or the texts when the index is asked */
    uint64_t bytes;       /* of its files */
} og_index_info;
/* `index` is one of og_index. For a store in memory, everything is 0 except
 * name and is_on. */
OG_API void og_store_index_info(const og_store *store, og_index index,
                                og_index_info *out);

/* Indexes whose folders contain files that this version cannot use: from an
 * earlier version, whose indexes had their own documents, or from another
 * store. They do no harm until such an index is built. */
OG_API unsigned og_store_old_indexes(const og_store *store);
/* Moves those files into folders NAME.old (NAME.old-2, ...) in the folder of
 * the store, and builds the indexes from the texts. *out tells which.
 * OG_ERR_USAGE: the store keeps no texts. */
OG_API og_status og_store_upgrade(og_store *store, unsigned *out,
                                  og_error *err);

/* Allocates all memory of the table now. Otherwise each page is allocated when
 * a fingerprint is first written to it, which is noticeable in a busy server
 * or a benchmark. Writing thread only. */
OG_API void og_store_warm(og_store *store);

typedef struct og_store_info {
    uint64_t n_documents; /* that were added and not removed */
    uint64_t n_removed;
    uint64_t table_bytes; /* at its cap: never more than params.memory */
    uint64_t n_slots;     /* fingerprints that the table has room for */
    uint64_t n_slots_used;
    uint64_t n_evicted;
    uint64_t n_boilerplate; /* fingerprints that were counted in 100 documents
                               or more */
    uint64_t journal_bytes; /* to be replayed at the next start; 0 in memory */
    uint64_t table_used_bytes; /* of table_bytes, so far */
    /* Of a store in memory: packed texts that are kept, and that had to go. */
    uint64_t text_bytes, text_bytes_gone;
} og_store_info;
OG_API void og_store_info_get(const og_store *store, og_store_info *out);

/* Of a table on servers, as they say now. */
typedef struct og_servers_info {
    uint64_t n_partitions;        /* 0: a table in plain keys */
    uint64_t n_servers;           /* masters that have partitions of it */
    double least_full, most_full; /* shares of the slots of a partition */
    /* Numbers for documents that were assigned; 0: the documents are in a
     * folder. */
    uint64_t n_numbers;
} og_servers_info;
/* OG_ERR_USAGE: the store has no table on servers. */
OG_API og_status og_store_servers(og_store *store, og_servers_info *out,
                                  og_error *err);

/* A run of documents in order of arrival, and how much the table remembers of
 * them. */
typedef struct og_age {
    uint64_t n_documents;
    int64_t first_time, last_time; /* the least and the largest of them */
    uint64_t n_born; /* fingerprints that they brought into the table */
    uint64_t n_kept; /* fingerprints that name them today */
    /* A sample of them was traced again, as if each arrived once more: the
     * share of tokens that were recognised. n_asked 0: the store has no
     * texts. */
    uint64_t n_asked;
    double recall;
} og_age;

#define OG_AGES 10

typedef struct og_survey {
    og_age ages[OG_AGES]; /* equally many documents each, the oldest first */
    size_t n_ages;
    bool has_oldest; /* false: the table is empty */
    int64_t oldest;  /* time of the oldest document that a fingerprint names */
} og_survey;

/* Examines the whole table and traces some documents again; takes about as
 * long as reading the table from disk. Any thread. */
OG_API og_status og_store_survey(og_store *store, og_survey *out,
                                 og_error *err);

/* Removes all versions of a document; its bytes remain in the files of the
 * store until og_store_compact(). If the store keeps texts, passages that
 * others copied from it are attributed to the earliest of them. *out_n is the
 * number of versions; 0: there is no such document. Durable after
 * og_store_commit(). */
OG_API og_status og_store_remove(og_store *store, og_bytes id, uint64_t *out_n,
                                 og_error *err);

/* The same, and nothing is left of them: neither text nor id, title, address
 * and fields; also of documents with this id that were removed before. For a
 * store on servers; one in a folder is rewritten (og_store_compact()).
 * Fingerprints, from which no text can be told, stay until they are evicted. */
OG_API og_status og_store_purge(og_store *store, og_bytes id, uint64_t *out_n,
                                og_error *err);

typedef struct og_compaction {
    uint64_t n_documents, n_removed;    /* that are there, that were removed */
    uint64_t bytes_before, bytes_after; /* of all files of the store */
} og_compaction;

/* Rewrites a store without its removed documents and frees their space:
 * afterwards no file in its folder contains any part of their texts, ids,
 * titles, addresses or other fields. Their times remain, and so do
 * fingerprints in the table, which refer to no document. A crash leaves either
 * the old store or the new one. Needs as much disk space again while it runs.
 * No other process may write to the store. Readers continue, or fail with
 * OG_ERR_IO when they need a text that is gone, and can open the store again.
 * `on_step` may be NULL.
 */
OG_API og_status og_store_compact(const char *path, og_compaction *out,
                                  void (*on_step)(void *ctx, const char *what,
                                                  uint64_t done,
                                                  uint64_t total),
                                  void *ctx, og_error *err);

/* Rewrites all files of a store, with the indexes of `options` and its params
 * if they are set. This is how to add passages to a store that was created
 * without them. Removed documents are gone afterwards, as after
 * og_store_compact(), whose notes on other processes apply here as well.
 * OG_ERR_USAGE: the store keeps no texts. */
OG_API og_status og_store_rebuild(const char *path,
                                  const og_store_options *options,
                                  og_error *err);

/* Passes all documents to the callback in order of arrival, with their texts;
 * views valid until the callback returns. OG_ERR_USAGE: the store keeps no
 * texts. */
OG_API og_status og_store_export(og_store *store, og_document_fn *on_document,
                                 void *ctx, og_error *err);

/* The same, one document per call: the documents that the store had at
 * og_export_open() and still has. `out` is a view, valid until the next call;
 * OG_END after the last one. Close it before the store. One thread at a time;
 * others may use the store. */
typedef struct og_export og_export;
OG_API og_status og_export_open(og_store *store, og_export **out,
                                og_error *err);
OG_API og_status og_export_next(og_export *exporting, og_document *out,
                                og_error *err);
OG_API void og_export_close(og_export *exporting); /* NULL is fine */

typedef struct og_check {
    uint64_t n_documents, n_removed;
    uint64_t n_records;  /* of the journal, after the checkpoint */
    uint64_t torn_bytes; /* at its end, of a write that a crash broke off */
    uint64_t table_bytes, text_bytes, packed_bytes;
    /* Of a store on servers: partitions of its table; documents that no front
     * end has finished adding; numbers without a document. */
    uint64_t n_partitions, n_incomplete, n_unused;
} og_check;

/* Reads every byte of a store, verifies its checksums, and compares every
 * entry with its text. OG_ERR_STORE names the file and the position of damage.
 * May run while a writer is active. `on_step` may be NULL. */
OG_API og_status og_store_check(const char *path, og_check *out,
                                void (*on_step)(void *ctx, const char *what,
                                                uint64_t done, uint64_t total),
                                void *ctx, og_error *err);

/* ---- a damaged store ---- */

/* Damage that was found, or a document that could not be saved completely. */
typedef struct og_loss {
    og_bytes id;        /* of the document; empty: not known, or none */
    uint64_t number;    /* of the document; UINT64_MAX: not of one */
    uint64_t n;         /* documents from `number` on, when it is of some */
    const char *reason; /* with file and place, where they are known */
} og_loss;

typedef struct og_repair {
    uint64_t n_saved;   /* documents with all that was known of them */
    uint64_t n_lost;    /* documents that were not saved, or not whole */
    uint64_t n_removed; /* documents that had been removed, and are not given */
    uint64_t n_pieces;  /* texts without an id, which are given one */
    uint64_t n_damaged; /* other damage that was met */
    bool is_certain;    /* no other document can have been there */
    /* Of the store, before the first document. */
    bool has_params;
    og_params params;
    unsigned indexes;
} og_repair;

/* Passes everything that can be read from a damaged store, in order of
 * arrival, to `on_document`, and reports what cannot be read to `on_loss`
 * (which may be NULL). Documents are as they were written: texts are compared
 * with their hashes. Texts whose ids are lost come last, as documents with ids
 * "repair-SEGMENT-FRAME-OFFSET"; such a piece may contain several documents.
 * Nothing in the folder is changed; no process may be writing. Returns OG_OK
 * when it reaches the end, whatever was lost. */
OG_API og_status og_store_repair(const char *path, og_document_fn *on_document,
                                 void (*on_loss)(void *ctx,
                                                 const og_loss *loss),
                                 void *ctx, og_repair *out, og_error *err);

#ifdef __cplusplus
}
#endif

#endif
