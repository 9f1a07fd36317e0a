#include "lib/trace/origin_texts.h"

#include <string.h>

/* Buffers that held more give it back. */
#define KEEP_LEN ((size_t)1 << 20)

void og_origin_texts_init(struct og_origin_texts *origins,
                          struct og_lookup *lookup, og_token_kind tokens,
                          uint64_t token_key, const og_allocator *allocator)
{
    *origins = (struct og_origin_texts){.allocator = allocator,
                                        .lookup = lookup,
                                        .tokens = tokens,
                                        .token_key = token_key};
    for (size_t i = 0; i < OG_CONFIRM_ORIGINS; i++) {
        og_text_init(&origins->sides[i].text, allocator);
        og_tokens_init(&origins->sides[i].tokens, allocator);
    }
}

static void release_side(struct og_origin_texts *origins,
                         struct og_origin_side *side)
{
    og_tokens_release(&side->tokens);
    og_text_release(&side->text);
    OG_UNGROW(origins->allocator, side->source, side->source_cap);
    side->source_len = 0;
    side->has_text = false;
}

void og_origin_texts_release(struct og_origin_texts *origins)
{
    for (size_t i = 0; i < OG_CONFIRM_ORIGINS; i++)
        release_side(origins, &origins->sides[i]);
    og_text_reader_close(origins->reader);
    origins->reader = NULL;
}

/* The reader's bytes are its own until the next call: they are copied, with
 * the bytes behind them that vector loads may touch. */
static og_status fetch(struct og_origin_texts *origins,
                       struct og_origin_side *side, og_error *err)
{
    enum { PADDING = 64 };
    struct og_entry entry;
    og_bytes text;
    TRY(og_lookup_get(origins->lookup, side->doc, &entry, err));
    if (entry.place.segment == 0) return OG_OK;
    TRY(og_text_reader_get(origins->reader, &entry.place, entry.text_len, &text,
                           NULL, err));
    if (!OG_GROW(origins->allocator, side->source, side->source_cap,
                 text.len + PADDING))
        return og_error_memory(err, text.len, "the text of an origin");
    if (text.len > 0) memcpy(side->source, text.data, text.len);
    memset(side->source + text.len, 0, PADDING);
    side->source_len = text.len;
    const og_bytes source = {side->source, side->source_len};
    TRY(og_text_fold(&side->text, source, err));
    TRY(og_text_tokenise(&side->text, origins->tokens, origins->token_key,
                         &side->tokens, err));
    side->has_text = true;
    return OG_OK;
}

og_status og_origin_texts_side(void *ctx, uint32_t doc, uint32_t number,
                               struct og_align_side *out, og_error *err)
{
    struct og_origin_texts *origins = ctx;
    struct og_origin_side *side = &origins->sides[number];
    if (side->source_cap > KEEP_LEN) release_side(origins, side);
    side->doc = doc;
    side->has_text = false;
    if (origins->reader != NULL) TRY(fetch(origins, side, err));
    *out = (struct og_align_side){
        .text = &side->text,
        .tokens = side->has_text ? &side->tokens : NULL,
    };
    return OG_OK;
}
