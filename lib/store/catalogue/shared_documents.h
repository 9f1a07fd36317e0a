#ifndef OG_STORE_CATALOGUE_SHARED_DOCUMENTS_H
#define OG_STORE_CATALOGUE_SHARED_DOCUMENTS_H

/*   in:  numbers and ids of documents                      (lib/table)
 *   out: their entries and marks, from servers             (lib/store)
 *
 * The catalogue of a table that several front ends share
 * (lib/remote/remote_catalogue.h), as seen by a store. Nothing is loaded in
 * advance: the mark of a document is fetched when it is first needed, and kept;
 * its entry is cached for a while. Callers that need many fetch all of them at
 * once (og_shared_know). A number without a document counts as removed.
 *
 * A document is added in four steps; repeating them, after any of them, does no
 * harm:
 *
 *     claim     its id gets its number, unless it has one
 *     put       entry and text are there
 *     observe   the table has its fingerprints (lib/remote/remote_table.h)
 *     commit    it is said to be whole
 *
 * A document that was not committed is added again under its number when it
 * arrives again. */

#include "lib/remote/remote_log.h"
#include "lib/store/catalogue/catalogue.h"
#include "lib/store/catalogue/entry.h"
#include "lib/store/conf.h"
#include "lib/trace/origin_cache.h"

#include <pthread.h>

struct og_arena;
struct og_remote_catalogue;
struct og_remote_entry;

/* What is known about the id of a document that is to be added. */
struct og_id_claim {
    const og_document *doc;
    uint32_t number; /* assigned to it, if it is a new document */
    uint32_t found;  /* the latest document with its id; OG_NO_DOC: none, so
                        that the id is ours now */
    bool is_committed, is_there; /* about that document */
};

struct og_shared {
    const og_allocator *allocator;
    struct og_remote_catalogue *remote;
    struct og_catalogue *marks; /* the store's */
    struct og_conf conf;
    struct og_origin_cache entries; /* packed, by number */
    /* Those that existed when it was opened, plus those added here since. */
    _Atomic uint64_t n_documents;
    /* Numbers of documents that are removed while it is open. */
    pthread_mutex_t refreshing; /* for both: */
    struct og_remote_log removals;
    double refreshed; /* when it was last read */
    /* Writing thread only: for the documents of a block, in their order. */
    struct og_id_claim *claims;
    size_t n_claims, claims_cap;
    uint32_t first, end; /* numbers of the block */
    double patience;     /* seconds to wait for a document whose id another
                            front end has claimed */
};

/* Connects and reads the conf of the store; with `params` it is created when
 * there is none. `marks` must outlive it. */
og_status og_shared_open(const char *address, const og_params *params,
                         unsigned indexes, struct og_catalogue *marks,
                         const og_allocator *allocator, struct og_shared **out,
                         og_error *err);
void og_shared_close(struct og_shared *shared); /* NULL is fine */

/* ---- any thread ---- */

/* Makes sure that the marks of all of them are in the catalogue; the numbers
 * come from the table. There may be duplicates, known ones, and OG_NO_DOC. */
og_status og_shared_know(struct og_shared *shared, const uint32_t *numbers,
                         size_t n, og_error *err);

/* The same for numbers that do not come from the table: a document that does
 * not exist may come later. */
og_status og_shared_look_for(struct og_shared *shared, const uint32_t *numbers,
                             size_t n, og_error *err);
/* The same for the origins of an entry. */
og_status og_shared_know_origins(struct og_shared *shared,
                                 const struct og_entry *entry, og_error *err);

/* A copy of the packed entry in `arena`; empty: there is no such document. */
og_status og_shared_get(struct og_shared *shared, uint32_t number,
                        struct og_arena *arena, og_bytes *out, og_error *err);

/* The latest document with this id, if it exists; OG_NO_DOC: none. */
og_status og_shared_latest(struct og_shared *shared, og_bytes id, uint32_t *out,
                           og_error *err);

/* The documents that name `origin`, in ascending order; their marks are
 * known. */
og_status og_shared_copiers(struct og_shared *shared, uint32_t origin,
                            size_t max, uint32_t *out, size_t *out_n,
                            og_error *err);

/* Documents that other processes have removed count as removed within a
 * second, if this is called before documents are asked about. */
og_status og_shared_refresh(struct og_shared *shared, og_error *err);
/* The log of them, not open yet; a document of it. */
struct og_remote_log og_shared_removals(const struct og_shared *shared);
og_status og_shared_forget(struct og_shared *shared, uint32_t number,
                           og_error *err);

/* ---- all documents ---- */

enum og_shared_state {
    OG_SHARED_UNUSED,     /* no document has this number (yet) */
    OG_SHARED_INCOMPLETE, /* it was not committed (yet) */
    OG_SHARED_WHOLE,
    OG_SHARED_REMOVED,
};
/* Numbers that are asked for at a time. */
#define OG_SHARED_WALK 256u

/* What is there from `first` on; n is at most OG_SHARED_WALK. Their entries are
 * in the cache then. */
og_status og_shared_walk(struct og_shared *shared, uint32_t first, uint32_t n,
                         enum og_shared_state *out, og_error *err);

/* As it is now. */
struct og_shared_counts {
    uint32_t n_numbers; /* that were assigned */
    uint64_t n_documents, n_removed;
};
og_status og_shared_count(const struct og_shared *shared,
                          struct og_shared_counts *out, og_error *err);

/* ---- writing thread only ---- */

/* A document of a block. */
struct og_id_asker {
    const og_document *doc;
    bool is_added; /* or only queried */
};

/* Numbers for all documents, which must be at rising addresses; ids for those
 * that are to be added. `latest` is raised to that of all documents. */
og_status og_shared_claim(struct og_shared *shared,
                          const struct og_id_asker *askers, size_t n,
                          int64_t *latest, og_error *err);
/* NULL: it is not in the last claim. */
const struct og_id_claim *og_shared_claim_of(const struct og_shared *shared,
                                             const og_document *doc);
void og_shared_forget_claims(struct og_shared *shared);

/* Puts entries, and marks. An entry that was put before is replaced. */
og_status og_shared_put(struct og_shared *shared,
                        const struct og_remote_entry *entries, size_t n,
                        og_error *err);

/* The mark of an entry. */
struct og_mark og_entry_mark(const struct og_entry *entry);

#endif
