#ifndef ORIGO_STORE_H
#define ORIGO_STORE_H

/* A store: opening, closing, looking after it. */

#include <origo/document.h>
#include <origo/params.h>
#include <origo/reading.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct og_store og_store;

/* What a store keeps in order to answer one kind of question. All but the
 * passages are derived from the texts and can be built, and dropped, later. */
typedef enum og_index {
    OG_INDEX_PASSAGES = 1,  /* og_store_trace() */
    OG_INDEX_NEAR = 2,      /* og_store_near() */
    OG_INDEX_SENTENCES = 4, /* og_store_quote() */
} og_index;
#define OG_INDEXES_ALL 7u

/* "passages,near" to the sum of them, and back; parse returns false and leaves
 * *out alone. */
OG_API bool og_indexes_parse(og_bytes names, unsigned *out);
OG_API void og_indexes_name(unsigned indexes, char out[64]);

typedef enum og_access {
    OG_READ = 0, /* any number of processes, also while one writes */
    OG_WRITE,    /* one process; the store must be there */
    OG_CREATE,   /* like OG_WRITE, and makes the store when there is none */
} og_access;

/* All zero is the default, also of what a later version adds. What is pointed
 * to is copied. */
typedef struct og_store_options {
    /* Matter when the store is made, and for ":memory:". NULL:
     * og_params_default(). */
    const og_params *params;
    /* Those that a new store has, og_index added up; 0: passages. */
    unsigned indexes;
    /* What a new index is like; NULL: the default. */
    const struct og_near_options *near_options;
    const struct og_sentences_options *sentence_options;
    /* While an index is built: documents done, of all. NULL: nobody asks. */
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

/* `path` is a folder, or ":memory:" for a store that lives until it is closed
 * and that can always be written. `options` NULL: the default.
 * OG_ERR_NO_STORE: there is none. OG_ERR_BUSY: another process writes to it;
 * the message says which. OG_ERR_STORE: it is damaged or of a version that this
 * library does not know; the message names the file and the place. */
OG_API og_status og_store_open(const char *path, og_access access,
                               const og_store_options *options, og_store **out,
                               og_error *err);

/* Waits until all that was added is safe on disk: from then on it survives a
 * crash of the process and of the machine. OG_OK at once in memory. */
OG_API og_status og_store_commit(og_store *store, og_error *err);

/* Commits as well, and says whether that went well; `store` is closed in any
 * case. NULL is fine. */
OG_API og_status og_store_close(og_store *store, og_error *err);
OG_API const og_params *og_store_params(const og_store *store);
/* Whether what it keeps of texts depends on a key (og_params). */
OG_API bool og_store_is_keyed(const og_store *store);

/* The name of the table on servers that it is the catalogue of, or that it is;
 * "": it has its own. */
OG_API const char *og_store_table(const og_store *store);
/* Whether documents and texts are on servers, too: other processes add to them
 * at the same time. */
OG_API bool og_store_is_shared(const og_store *store);

/* The indexes that are on. */
OG_API unsigned og_store_indexes(const og_store *store);
/* Builds those that are not on yet, from the texts. OG_ERR_USAGE: the store
 * keeps none. Of `options`, near_options, sentence_options and on_step count.
 */
OG_API og_status og_store_index_add(og_store *store, unsigned indexes,
                                    const og_store_options *options,
                                    og_error *err);
/* Opens those of these that are not open yet, with all documents in them; else
 * the first question does. From then on a document is in them when
 * og_store_add() returns, and og_trace_near() and og_trace_quote() can be
 * called. By the thread that adds. */
OG_API og_status og_store_index_load(og_store *store, unsigned indexes,
                                     og_error *err);
/* Removes them and their files. The documents stay. */
OG_API og_status og_store_index_drop(og_store *store, unsigned indexes,
                                     og_error *err);

/* What is on disk of an index. */
typedef struct og_index_info {
    const char *name;
    bool is_on;
    uint64_t n_documents; /* that are in its files; the rest is added from the
                             journal or the texts when the index is asked */
    uint64_t bytes;       /* of its files */
} og_index_info;
/* `index` is one of og_index. Of a store in memory all is 0 but name and
 * is_on. */
OG_API void og_store_index_info(const og_store *store, og_index index,
                                og_index_info *out);

/* Indexes whose folders hold files that this version cannot use: of a former
 * version, whose indexes had documents of their own, or of another store. They
 * are in nobody's way until such an index is to be built. */
OG_API unsigned og_store_old_indexes(const og_store *store);
/* Puts those files aside, into folders NAME.old (NAME.old-2, ...) in the
 * store's folder, and builds the indexes from the texts. *out: which.
 * OG_ERR_USAGE: the store keeps no texts. */
OG_API og_status og_store_upgrade(og_store *store, unsigned *out,
                                  og_error *err);

/* Takes all memory of the table from the system now. Without it each page is
 * taken when a fingerprint first falls into it, which a busy server or a
 * measurement notices. The writer's thread only. */
OG_API void og_store_warm(og_store *store);

typedef struct og_store_info {
    uint64_t n_documents; /* that were added and not removed */
    uint64_t n_removed;
    uint64_t table_bytes; /* at its cap: never more than params.memory */
    uint64_t n_slots;     /* fingerprints that the table has room for */
    uint64_t n_slots_used;
    uint64_t n_evicted;
    uint64_t
        n_noise; /* fingerprints that were counted in 100 documents or more */
    uint64_t journal_bytes; /* to be replayed at the next start; 0 in memory */
    uint64_t table_used_bytes; /* of table_bytes, so far */
    /* Of a store in memory: packed texts that are kept, and that had to go. */
    uint64_t text_bytes, text_bytes_gone;
} og_store_info;
OG_API void og_store_info_get(const og_store *store, og_store_info *out);

/* Documents that arrived one after the other, and what is left of them. */
typedef struct og_age {
    uint64_t n_documents;
    int64_t first_time, last_time; /* the least and the largest of them */
    uint64_t n_born; /* fingerprints that they brought into the table */
    uint64_t n_kept; /* fingerprints that name them today */
    /* A sample of them was asked about again, as if each came once more: the
     * share of tokens that were recognised. 0 asked: the store has no texts. */
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

/* Looks at the whole table and asks about some documents again: takes about as
 * long as reading the table from disk. Any thread. */
OG_API og_status og_store_survey(og_store *store, og_survey *out,
                                 og_error *err);

/* Removes all versions of a document; its bytes stay in the files of the store
 * until og_store_compact(). Passages that others have copied from
 * them belong to the earliest of those afterwards, if the store keeps texts.
 * *out_n is the number of versions; 0: there is no such document. Durable
 * after og_store_commit(). */
OG_API og_status og_store_remove(og_store *store, og_bytes id, uint64_t *out_n,
                                 og_error *err);

typedef struct og_compaction {
    uint64_t n_documents, n_removed;    /* that are there, that were removed */
    uint64_t bytes_before, bytes_after; /* of all files of the store */
} og_compaction;

/* Writes what is left of a store anew and gives the space of removed documents
 * back: afterwards no file in its folder has anything of their texts, ids,
 * titles, addresses or other fields. Their times stay, and so do fingerprints
 * in the table, which name nobody. A crash leaves the store as it was or as it
 * will be. Takes as much room on disk again while it is at work. Nobody else
 * may write to the store; readers continue, or fail with OG_ERR_IO when a
 * text is asked for that is gone, and can open it again. `on_step` may be NULL.
 */
OG_API og_status og_store_compact(const char *path, og_compaction *out,
                                  void (*on_step)(void *ctx, const char *what,
                                                  uint64_t done,
                                                  uint64_t total),
                                  void *ctx, og_error *err);

/* Writes all files of a store anew, with the indexes of `options` and, where it
 * has some, its params: the way to passages that were left out when the store
 * was made. Removed documents are gone afterwards, as after og_store_compact(),
 * which also says what holds for others meanwhile. OG_ERR_USAGE: the store
 * keeps no texts. */
OG_API og_status og_store_rebuild(const char *path,
                                  const og_store_options *options,
                                  og_error *err);

/* All documents in the order of their arrival, with their texts; views until
 * the call returns. OG_ERR_USAGE: the store keeps no texts. */
OG_API og_status og_store_export(og_store *store, og_document_fn *on_document,
                                 void *ctx, og_error *err);

/* The same for a caller that asks for one after the other: the documents that
 * the store had at og_export_open() and has still. `out` is a view until the
 * next call; OG_END after the last one. Close it before the store. One thread
 * at a time; others may use the store. */
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
} og_check;

/* Reads every byte of a store and compares it with its checksum, every entry
 * with its text. OG_ERR_STORE names the file and the place that is wrong. May
 * run while a writer is at work. `on_step` may be NULL. */
OG_API og_status og_store_check(const char *path, og_check *out,
                                void (*on_step)(void *ctx, const char *what,
                                                uint64_t done, uint64_t total),
                                void *ctx, og_error *err);

/* ---- a damaged store ---- */

/* Damage that was met, or a document that could not be saved whole. */
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

/* Gives all that can be read of a damaged store, in the order of arrival, to
 * `on_document`, and what cannot to `on_loss` (which may be NULL). What is
 * given is as it was written: texts are compared with their hashes. Texts whose
 * ids are lost come last, as documents with ids "repair-SEGMENT-FRAME-OFFSET";
 * such a piece may hold several documents. Nothing in the folder is changed;
 * nobody may be writing. OG_OK when it came to its end, whatever was lost. */
OG_API og_status og_store_repair(const char *path, og_document_fn *on_document,
                                 void (*on_loss)(void *ctx,
                                                 const og_loss *loss),
                                 void *ctx, og_repair *out, og_error *err);

#ifdef __cplusplus
}
#endif

#endif
