#ifndef OG_STORE_TEXT_STORED_TEXTS_H
#define OG_STORE_TEXT_STORED_TEXTS_H

/*   in:  a store that `origo add` made                     (lib/store)
 *   out: its documents with their texts, by number                 (lib/stream)
 *
 * For comparing with what a store knows. Only reads: a writer may be at work
 * meanwhile; what it adds later is not seen. One thread at a time. */

#include "lib/base/status.h"

#include <origo/store.h>

struct og_stored_texts;

/* Whether `path` is a folder that contains a store, valid or not. */
bool og_is_store(const char *path);

/* OG_ERR_USAGE: the store keeps no texts. */
og_status og_stored_texts_open(const char *path, struct og_stored_texts **out,
                               og_error *err);
/* Of a store that is open, and that must outlive it: also documents that are
 * added later. */
og_status og_stored_texts_of(og_store *store, struct og_stored_texts **out,
                             og_error *err);
void og_stored_texts_close(struct og_stored_texts *stored); /* NULL is fine */

/* Documents, with those that were removed. */
uint32_t og_stored_texts_n(const struct og_stored_texts *stored);
const char *og_stored_texts_path(const struct og_stored_texts *stored);

/* Views until the next call. *out_is_there false: it was removed, or its text
 * is no longer kept. */
og_status og_stored_texts_get(struct og_stored_texts *stored, uint32_t number,
                              og_document *out, bool *out_is_there,
                              og_error *err);

/* Whether the latest document with this id is this very document: the same
 * text, and the same time if both have one. */
og_status og_stored_texts_has(struct og_stored_texts *stored,
                              const og_document *doc, bool *out, og_error *err);

#endif
