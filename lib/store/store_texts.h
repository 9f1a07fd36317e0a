#ifndef OG_STORE_STORE_TEXTS_H
#define OG_STORE_STORE_TEXTS_H

/*   in:  the text of a document that is added       (lib/trace)
 *   out: the texts of documents that were added     (lib/trace, lib/index)
 *
 * The texts of a store, wherever they are. */

#include "lib/store/store.h"

#include <origo/store.h>

bool og_store_has_texts(const og_store *store);

/* To be closed with og_text_reader_close(), before the store. */
og_status og_store_text_reader(og_store *store, struct og_text_reader **out,
                               og_error *err);
og_document og_entry_document(const struct og_entry *entry, og_bytes text);

/* Packs the text of a new document, as a version of the latest one with its id
 * if there is one, and sets subject->text. No effect if none are kept. */
og_status og_store_keep_text(og_store *store, struct og_subject *subject,
                             og_bytes text, struct og_lookup *lookup,
                             og_error *err);

void og_keeping_close(struct og_keeping *keeping);

/* ---- of a store in memory ---- */

/* Bytes of the cap that the table may take. */
uint64_t og_memory_table_share(const og_params *params);

og_status og_memory_texts_open(og_store *store, og_error *err);

/* Bytes that table and catalogue use now. */
uint64_t og_memory_used(const og_store *store);

/* Packed bytes that are kept, and that were dropped. */
void og_memory_texts_count(const og_store *store, uint64_t *out_kept,
                           uint64_t *out_gone);

/* After a document: texts get what the table and the catalogue leave. No effect
 * on disk. */
void og_memory_texts_limit(og_store *store);

#endif
