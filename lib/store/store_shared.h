#ifndef OG_STORE_STORE_SHARED_H
#define OG_STORE_STORE_SHARED_H

/* A store of which nothing is local: its table is on servers, and so are
 * documents and texts (catalogue/shared_documents.h). Any number of processes
 * add to it at the same time.
 *
 * Unlike in other stores, documents that come late need not be added one by
 * one: every hit is compared with the order of the documents, since another
 * front end may have added any of them. */

#include "lib/store/store_batch.h"

/* `store` has its allocator, nothing else. With OG_CREATE it is created if
 * there is none. */
og_status og_store_open_shared(og_store *store, const char *address,
                               og_access access, const og_params *params,
                               unsigned indexes, og_error *err);
void og_store_close_shared(og_store *store);

/* Before og_store_identify() of documents to be added: those of a block, at
 * ascending addresses. No effect if the store is not shared. */
struct og_id_asker;
og_status og_store_claim(og_store *store, const struct og_id_asker *askers,
                         size_t n, og_error *err);

/* og_store_identify() for the writer. */
og_status og_store_identify_shared(og_store *store, struct og_subject *subject,
                                   og_trace *trace, og_error *err);

/* og_store_batch_take(): all documents of the run. They are committed when
 * other indexes have them, too: og_store_batch_tidy(). */
og_status og_store_batch_take_shared(struct og_store_batch *batch,
                                     const struct og_phases *phases,
                                     og_error *err);
og_status og_store_batch_commit_shared(struct og_store_batch *batch,
                                       og_error *err);
/* og_store_take(): a run of one. */
og_status og_store_take_alone(og_store *store, const struct og_subject *subject,
                              og_trace *trace, og_error *err);

/* og_store_remove(); with `is_purge` nothing is left of them. */
og_status og_store_remove_shared(og_store *store, og_bytes id, bool is_purge,
                                 uint64_t *out_n, og_error *err);

/* og_store_check(), of one that is open. */
og_status og_store_check_shared(og_store *store, og_check *out,
                                void (*on_step)(void *ctx, const char *what,
                                                uint64_t done, uint64_t total),
                                void *ctx, og_error *err);

/* The callbacks by which the batch learns of documents of other front ends. */
struct og_remote_sharing og_store_batch_sharing(struct og_store_batch *batch);

#endif
