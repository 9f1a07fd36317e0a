#ifndef ORIGO_BROWSE_H
#define ORIGO_BROWSE_H

/* Documents of a store again, one by one. */

#include <origo/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Documents are numbered as they arrive, from 0. How many numbers are given
 * away, those of removed documents too. Any thread. */
OG_API uint64_t og_store_n_numbers(const og_store *store);
/* Documents that are there; the writer's thread. */
OG_API uint64_t og_store_n_documents(const og_store *store);

#define OG_CARD_ORIGINS 16

/* What a store knows of one document. Views, valid until the next question. */
typedef struct og_card {
    uint64_t number;
    og_document doc; /* its text is empty unless it was asked for */
    bool has_text;   /* it was asked for, and the store keeps it */
    uint64_t text_len, n_tokens;
    /* The documents that it has most from, as far as its arrival showed. */
    struct {
        uint64_t number, n_tokens;
    } origins[OG_CARD_ORIGINS];
    size_t n_origins;
} og_card;

/* Asks beside the writer; one per thread, to be closed before the store. */
typedef struct og_browser og_browser;
OG_API og_status og_browser_open(og_store *store, og_browser **out,
                                 og_error *err);
OG_API void og_browser_close(og_browser *browser); /* NULL is fine */

/* By number; *out_found is false when it was removed, or never given away. */
OG_API og_status og_browser_get(og_browser *browser, uint64_t number,
                                bool with_text, bool *out_found, og_card *out,
                                og_error *err);
/* The latest with this id. */
OG_API og_status og_browser_find(og_browser *browser, og_bytes id,
                                 bool with_text, bool *out_found, og_card *out,
                                 og_error *err);

#ifdef __cplusplus
}
#endif

#endif
