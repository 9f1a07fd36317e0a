#ifndef OG_TRACE_ORIGIN_TEXTS_H
#define OG_TRACE_ORIGIN_TEXTS_H

/*   in:  numbers of documents                               (lib/table)
 *   out: their texts and tokens                             (lib/align)
 *
 * The texts of the documents that one document is compared with, fetched from
 * the store. What was fetched is kept for the next documents, which often need
 * the same: unpacking and cutting a text into tokens takes longer than the
 * comparison. A document that was just added is kept as well, since its tokens
 * are at hand. The memory of it is bounded; one per thread. */

#include "lib/align/confirm.h"
#include "lib/store/catalogue/lookup.h"
#include "lib/store/text/texts.h"

#include <origo/params.h>

struct og_origin_side {
    uint32_t doc; /* OG_NO_DOC: this place is free */
    bool has_text;
    bool was_used;   /* since the search for a place came by */
    uint64_t epoch;  /* of the last document that needs it to stay */
    uint32_t oldest; /* segment that the text rests on: og_text_reader_has() */
    char *block;     /* all that the others point to */
    size_t block_len;
    og_bytes source; /* the text as it was given */
    struct og_text text;
    struct og_tokens tokens;
};

/* Kept apart from the sides, which a search must not touch in vain. */
struct og_origin_place {
    uint32_t doc;                /* of the side; OG_NO_DOC: it is free */
    uint32_t next;               /* place with the same hash, plus 1 */
    struct og_origin_side *side; /* it stays where it is */
};

#define OG_ORIGIN_HEADS 4096

struct og_origin_texts {
    const og_allocator *allocator;
    struct og_lookup *lookup;
    struct og_text_reader *reader; /* NULL: the store has no texts */
    og_token_kind tokens;
    uint64_t token_key;    /* 0 after _init */
    uint32_t fold;         /* of the store */
    struct og_text folded; /* scratch */
    struct og_tokens cut;
    struct og_origin_place *places;
    size_t n, cap, hand;
    size_t bytes; /* of all of them */
    size_t most;  /* bytes that are kept beside what the document at hand
                     needs */
    uint64_t epoch;
    uint32_t heads[OG_ORIGIN_HEADS]; /* places, plus 1 */
    /* Those that og_origin_texts_side() gave for the document at hand. */
    const struct og_origin_side *sides[OG_CONFIRM_ORIGINS];
};

/* `lookup` and the reader, which becomes its own, must be of the same store,
 * which has these params. */
void og_origin_texts_init(struct og_origin_texts *origins,
                          struct og_lookup *lookup, const og_params *params,
                          const og_allocator *allocator);
void og_origin_texts_release(struct og_origin_texts *origins);

/* One of so many that have the memory of one. */
void og_origin_texts_share(struct og_origin_texts *origins, unsigned n);

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
