#ifndef OG_TRACE_ORIGIN_TEXTS_H
#define OG_TRACE_ORIGIN_TEXTS_H

/*   in:  numbers of documents                               (lib/table)
 *   out: their texts and tokens                             (lib/align)
 *
 * The texts of the documents that one document is compared with, fetched from
 * the store. What was fetched is kept for the next documents, which often need
 * the same: unpacking and cutting a text into tokens takes longer than the
 * comparison. A document that was just added is kept as well, since its tokens
 * are at hand. One per thread; what is kept is of all threads of the store, in
 * memory that is bounded. */

#include "lib/align/confirm.h"
#include "lib/store/catalogue/lookup.h"
#include "lib/store/text/texts.h"
#include "lib/trace/origin_cache.h"

#include <origo/params.h>

/* What all threads of a store share: texts with their tokens, and more texts by
 * themselves, which take a fifth of it: reading one from a file means to unpack
 * all that were packed with it. */
struct og_origin_caches {
    struct og_origin_cache sides, texts;
};

struct og_held_side {
    struct og_origin_side *side;
};

struct og_origin_texts {
    const og_allocator *allocator;
    struct og_lookup *lookup;
    struct og_origin_caches *caches;
    struct og_text_reader *reader; /* NULL: the store has no texts */
    og_token_kind tokens;
    uint64_t token_key;    /* 0 after _init */
    uint32_t fold;         /* of the store */
    struct og_text folded; /* scratch */
    struct og_tokens cut;
    /* What the document at hand has of the cache, and the last one that need
     * not stay. */
    struct og_held_side *held;
    size_t n_held, held_cap;
    struct og_origin_side *passing;
    /* Those that og_origin_texts_side() gave for the document at hand. */
    const struct og_origin_side *sides[OG_CONFIRM_ORIGINS];
};

void og_origin_caches_init(struct og_origin_caches *caches,
                           const og_params *params,
                           const og_allocator *allocator);
void og_origin_caches_release(struct og_origin_caches *caches);

/* `lookup`, the caches and the reader, which becomes its own, must be of the
 * same store, which has these params. */
void og_origin_texts_init(struct og_origin_texts *origins,
                          struct og_lookup *lookup,
                          struct og_origin_caches *caches,
                          const og_params *params,
                          const og_allocator *allocator);
void og_origin_texts_release(struct og_origin_texts *origins);

/* Another document is at hand: what it does not ask for may go. */
void og_origin_texts_begin(struct og_origin_texts *origins);

/* The text of a document; has_text is false when the store keeps none of it.
 * Valid until the next call, or, when it `stays`, until another document is at
 * hand. */
og_status og_origin_texts_get(struct og_origin_texts *origins, uint32_t doc,
                              bool stays, const struct og_origin_side **out,
                              og_error *err);

/* Document `doc` is now in the store, with this text, which rests on segments
 * from `oldest` on, and these tokens: they are copied. Without memory it is
 * left out, and fetched when it is asked for. */
void og_origin_texts_put(struct og_origin_texts *origins, uint32_t doc,
                         uint32_t oldest, og_bytes source,
                         const struct og_text *text,
                         const struct og_tokens *tokens);

/* og_confirm_source.side; the origins are the context. */
og_status og_origin_texts_side(void *origins, uint32_t doc, uint32_t side,
                               struct og_align_side *out, og_error *err);

#endif
