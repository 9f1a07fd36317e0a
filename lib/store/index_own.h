#ifndef OG_STORE_INDEX_OWN_H
#define OG_STORE_INDEX_OWN_H

/* What the files about indexes share: store_indexes.c keeps them up to date and
 * queries them, store_index_change.c builds, drops, upgrades and copies
 * them. */

#include "lib/store/index.h"

#define OG_INDEX_PATH 4096

/* The folder of its files. */
void og_index_folder(const og_store *store,
                     const struct og_derived_index *index,
                     char out[OG_INDEX_PATH]);
/* For messages. */
const char *og_index_store_name(const og_store *store);
bool og_index_is_on(const og_store *store,
                    const struct og_derived_index *index);
/* Whether there are any, of whatever store. */
bool og_index_has_files(const og_store *store,
                        const struct og_derived_index *index);

/* Opens it, unless it is open; `is_new`: creates its folder. */
og_status og_index_open(og_store *store, struct og_derived_index *index,
                        bool is_new, const og_store_options *options,
                        og_error *err);

/* Adds the documents that it does not have yet, all or up to `end`. */
og_status og_index_catch_up(og_store *store, struct og_derived_index *index,
                            const og_store_options *options, og_error *err);
og_status og_index_catch_up_to(og_store *store, struct og_derived_index *index,
                               uint32_t end, const og_store_options *options,
                               og_error *err);

/* Writes its content in memory to its files. */
og_status og_index_flush(og_store *store, struct og_derived_index *index,
                         const struct og_phases *phases, og_error *err);
/* The same on the calling thread. */
og_status og_index_flush_alone(og_store *store, struct og_derived_index *index,
                               og_error *err);

#endif
