#ifndef OG_STORE_STORE_TABLE_H
#define OG_STORE_STORE_TABLE_H

/* The table of a store: its own, or one on servers (lib/remote) whose catalogue
 * the store is.
 *
 * A remote table is derived from the catalogue, as an index is: a document is
 * safe on disk before it is sent to the table, and documents that the table
 * lacks when the store is opened again are added from the texts. */

#include "lib/store/store.h"

/* Whether such a store can have a remote table. */
og_status og_store_check_elsewhere(const og_params *params, og_error *err);

/* After the rest of the store was opened: finds or creates the table, and
 * updates it if the store is written. */
og_status og_store_attach_table(og_store *store, const char *address,
                                og_access access, og_error *err);
/* Records that all documents are in. */
og_status og_store_note_table(og_store *store, og_error *err);

/* The hits of a selection. `shared`: any thread, otherwise the writer's. With a
 * remote table, `found` (may be NULL) receives additional results. */
og_status og_store_find(og_store *store, const struct og_selection *selection,
                        bool shared, struct og_hit *hits,
                        struct og_remote_found *found, og_error *err);

/* og_store_apply() for a remote table. Other holders of the fingerprints are in
 * trace->found. */
og_status og_store_apply_elsewhere(og_store *store, const struct og_mark *mark,
                                   og_trace *trace,
                                   struct og_additions *additions,
                                   og_error *err);
/* The same for a sighting: fingerprints with their weights. */
og_status og_store_see_elsewhere(og_store *store,
                                 const struct og_additions *seen,
                                 og_error *err);

void og_remote_found_release(struct og_remote_found *found,
                             const og_allocator *allocator);

#endif
