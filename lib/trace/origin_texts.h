#ifndef OG_TRACE_ORIGIN_TEXTS_H
#define OG_TRACE_ORIGIN_TEXTS_H

/*   in:  numbers of documents                               (lib/table)
 *   out: their texts and tokens                             (lib/align)
 *
 * The texts of the documents that one document is compared with, fetched from
 * the store. What was fetched is kept for the next documents, which often need
 * the same: unpacking and cutting a text into tokens takes longer than the
 * comparison. A document that was just added is kept as well, since its tokens
 * are available. One per thread; the cached texts are shared by all threads of
 * the store, in bounded memory. */

#include "lib/align/confirm.h"
#include "lib/store/catalogue/lookup.h"
#include "lib/store/text/texts.h"
#include "lib/trace/origin_cache.h"

#include <origo/params.h>

/* Shared by all threads of a store. Every document that is compared is scanned
 *by the hashes of its tokens, with their samples 9 bytes each;
reporting it, which happens for
 * one in three of them, needs the places of the tokens and the folded text, 14
 * bytes more. So the two are kept apart, and the memory holds the hashes of
 * many more documents. Texts as they were given have a third cache: reading one
 * from a file means unpacking all that were packed with it. */
struct og_origin_caches {
    struct og_origin_cache hashes, places, texts;
};

/* An entry of a cache that is held for the current document. */
struct og_held_side {
    struct og_origin_cache *cache;
    struct og_origin_side *side; /* NULL: nothing */
    uint32_t doc;
};

struct og_origin_texts {
    const og_allocator *allocator;
    struct og_lookup *lookup;
    struct og_origin_caches *caches;
    struct og_text_reader *reader; /* NULL: the store has no texts */
    og_token_kind tokens;
    uint64_t token_key;    /* 0 after _init */
    uint32_t fold;         /* of the store */
    uint32_t seed_len;     /* of its seeds in texts */
    bool keeps_sources;    /* texts are reported: those of new documents are
                              kept as well */
    struct og_text folded; /* scratch */
    struct og_tokens cut;
    /* Entries that are held for the current document, and the last one that
     * need not be kept. */
    struct og_held_side *held;
    size_t n_held, held_cap;
    struct og_held_side passing;
    /* What og_origin_texts_side() and _whole() returned for the current
     * document, by number; NULL: not requested. */
    const struct og_origin_side *hashes[OG_CONFIRM_ORIGINS];
    const struct og_origin_side *places[OG_CONFIRM_ORIGINS];
    struct og_tokens joined[OG_CONFIRM_ORIGINS]; /* views of both */
};

void og_origin_caches_init(struct og_origin_caches *caches,
                           const og_params *params,
                           const og_allocator *allocator);
void og_origin_caches_release(struct og_origin_caches *caches);

/* `lookup`, the caches and the reader (which it takes over) must be of the same
 * store, which has these params. */
void og_origin_texts_init(struct og_origin_texts *origins,
                          struct og_lookup *lookup,
                          struct og_origin_caches *caches,
                          const og_params *params,
                          const og_allocator *allocator);
void og_origin_texts_release(struct og_origin_texts *origins);

/* Begins another document: what it does not request may be evicted. */
void og_origin_texts_begin(struct og_origin_texts *origins);

/* The hashes of these documents will be requested next. */
void og_origin_texts_expect(struct og_origin_texts *origins,
                            const uint32_t *docs, size_t n);

/* The hashes of the tokens of a document, and nothing else; has_text is false
 * when the store keeps no text of it. Valid until the next call, or, if
 * `stays`, until the next og_origin_texts_begin(). */
og_status og_origin_texts_hashes(struct og_origin_texts *origins, uint32_t doc,
                                 bool stays, const struct og_origin_side **out,
                                 og_error *err);

/* Its folded text and the places of the tokens, without their hashes. Otherwise
 * the same. */
og_status og_origin_texts_places(struct og_origin_texts *origins, uint32_t doc,
                                 bool stays, const struct og_origin_side **out,
                                 og_error *err);

/* Its text as it was given, valid until the next og_origin_texts_begin(); empty
 * when the store keeps none. */
og_status og_origin_texts_source(struct og_origin_texts *origins, uint32_t doc,
                                 og_bytes *out, og_error *err);

/* Document `doc` is now in the store, with this text, which needs segments from
 * `oldest` on, and these tokens, which are copied. If there is no memory it is
 * left out, and fetched when it is needed. */
void og_origin_texts_put(struct og_origin_texts *origins, uint32_t doc,
                         uint32_t oldest, og_bytes source,
                         const struct og_text *text,
                         const struct og_tokens *tokens);

/* og_confirm_source.side: the hashes; `origins` is its context. */
og_status og_origin_texts_side(void *origins, uint32_t doc, uint32_t side,
                               struct og_align_side *out, og_error *err);

/* og_confirm_source.whole, to be called after _side. */
og_status og_origin_texts_whole(void *origins, uint32_t doc, uint32_t side,
                                struct og_align_side *out, og_error *err);

#endif
