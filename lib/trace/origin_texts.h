#ifndef OG_TRACE_ORIGIN_TEXTS_H
#define OG_TRACE_ORIGIN_TEXTS_H

/*   in:  numbers of documents                               (lib/table)
 *   out: their texts and tokens, a few at a time            (lib/estimate)
 *
 * The texts of the origins of one document, fetched from the store for
 * og_confirm(). One per thread; memory stays warm. */

#include "lib/align/confirm.h"
#include "lib/store/catalogue/lookup.h"
#include "lib/store/text/texts.h"

struct og_origin_side {
    uint32_t doc;
    bool has_text;
    char *source; /* the text as it was given */
    size_t source_len, source_cap;
    struct og_text text;
    struct og_tokens tokens;
};

struct og_origin_texts {
    const og_allocator *allocator;
    struct og_lookup *lookup;
    struct og_text_reader *reader; /* NULL: the store has no texts */
    og_token_kind tokens;
    uint64_t token_key;
    struct og_origin_side sides[OG_CONFIRM_ORIGINS];
};

/* `naming` and the reader, which becomes its own, must be of the same store. */
void og_origin_texts_init(struct og_origin_texts *origins,
                          struct og_lookup *lookup, og_token_kind tokens,
                          uint64_t token_key, const og_allocator *allocator);
void og_origin_texts_release(struct og_origin_texts *origins);

/* og_confirm_source.side; the origins are the context. */
og_status og_origin_texts_side(void *origins, uint32_t doc, uint32_t side,
                               struct og_align_side *out, og_error *err);

#endif
