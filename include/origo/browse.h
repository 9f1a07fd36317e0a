#ifndef ORIGO_BROWSE_H
#define ORIGO_BROWSE_H

/* Access to single documents of a store, by number or id. */

#include <origo/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Documents are numbered from 0 in order of arrival. Returns how many numbers
 * are assigned, including those of removed documents; 0 if the documents are on
 * servers that do not answer. Any thread. */
OG_API uint64_t og_store_n_numbers(const og_store *store);
/* The number of documents, without removed ones. Writing thread only. */
OG_API uint64_t og_store_n_documents(const og_store *store);

#define OG_CARD_ORIGINS 16

/* What a store knows of one document. Views, valid until the next call with
 * the same browser. */
typedef struct og_card {
    uint64_t number;
    og_document doc; /* its text is empty unless requested */
    bool has_text;   /* it was requested, and the store has it */
    uint64_t text_len, n_tokens;
    /* The documents from which it copied most, as found when it arrived. */
    struct {
        uint64_t number, n_tokens;
    } origins[OG_CARD_ORIGINS];
    size_t n_origins;
} og_card;

/* May be used while a writer is active. One per thread; close it before the
 * store. */
typedef struct og_browser og_browser;
OG_API og_status og_browser_open(og_store *store, og_browser **out,
                                 og_error *err);
OG_API void og_browser_close(og_browser *browser); /* NULL is fine */

/* By number; *out_found is false if the document was removed or the number was
 * never assigned. */
OG_API og_status og_browser_get(og_browser *browser, uint64_t number,
                                bool with_text, bool *out_found, og_card *out,
                                og_error *err);
/* The latest document with this id. */
OG_API og_status og_browser_find(og_browser *browser, og_bytes id,
                                 bool with_text, bool *out_found, og_card *out,
                                 og_error *err);

#ifdef __cplusplus
}
#endif

#endif
