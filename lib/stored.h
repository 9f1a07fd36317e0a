#ifndef OG_STORED_H
#define OG_STORED_H

/*   in:  a store that `origo add` made                     (lib/store)
 *   out: its documents with their texts, by number         (lib/dedup_stream.c)
 *
 * For comparing with what a store knows. Only reads: a writer may be at work
 * meanwhile; what it adds later is not seen. One thread at a time. */

#include "lib/base/status.h"

struct og_stored;

/* Whether `path` is a folder with a store in it, sound or not. */
bool og_is_store(const char *path);

/* OG_ERR_USAGE: the store keeps no texts. */
og_status og_stored_open(const char *path, struct og_stored **out,
                         og_error *err);
void og_stored_close(struct og_stored *stored); /* NULL is fine */

/* Documents, with those that were removed. */
uint32_t og_stored_n(const struct og_stored *stored);
const char *og_stored_path(const struct og_stored *stored);

/* Views until the next call. *out_is_there false: it was removed. */
og_status og_stored_get(struct og_stored *stored, uint32_t number,
                        og_document *out, bool *out_is_there, og_error *err);

#endif
