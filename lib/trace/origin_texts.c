#include "lib/trace/origin_texts.h"

#include <string.h>

/* A share of what the table may take, within bounds. A mail takes 12 KB, an RFC
 * of 50 KB a quarter of a megabyte. */
#define LEAST_KEPT ((uint64_t)8 << 20)
#define MOST_KEPT  ((uint64_t)64 << 20)
#define SHARE_KEPT 8
/* Of that, for texts without their tokens. */
#define SHARE_TEXTS 3

static size_t most_kept(uint64_t memory)
{
    const uint64_t share = memory / SHARE_KEPT;
    if (share < LEAST_KEPT) return (size_t)LEAST_KEPT;
    return (size_t)(share < MOST_KEPT ? share : MOST_KEPT);
}

void og_origin_caches_init(struct og_origin_caches *caches,
                           const og_params *params,
                           const og_allocator *allocator)
{
    const size_t most = most_kept(params->memory);
    og_origin_cache_init(&caches->sides, most - most / SHARE_TEXTS, allocator);
    og_origin_cache_init(&caches->texts, most / SHARE_TEXTS, allocator);
}

void og_origin_caches_release(struct og_origin_caches *caches)
{
    og_origin_cache_release(&caches->sides);
    og_origin_cache_release(&caches->texts);
}

void og_origin_texts_init(struct og_origin_texts *origins,
                          struct og_lookup *lookup,
                          struct og_origin_caches *caches,
                          const og_params *params,
                          const og_allocator *allocator)
{
    *origins = (struct og_origin_texts){.allocator = allocator,
                                        .lookup = lookup,
                                        .caches = caches,
                                        .tokens = params->tokens,
                                        .fold = params->fold};
    og_text_init(&origins->folded, allocator);
    og_tokens_init(&origins->cut, allocator);
}

/* ---- what the document at hand has ---- */

static void give_back(struct og_origin_texts *origins,
                      struct og_origin_side *side)
{
    if (side != NULL) og_origin_cache_give(&origins->caches->sides, side);
}

void og_origin_texts_begin(struct og_origin_texts *origins)
{
    while (origins->n_held > 0)
        give_back(origins, origins->held[--origins->n_held].side);
    give_back(origins, origins->passing);
    origins->passing = NULL;
}

void og_origin_texts_release(struct og_origin_texts *origins)
{
    og_origin_texts_begin(origins);
    OG_UNGROW(origins->allocator, origins->held, origins->held_cap);
    og_text_release(&origins->folded);
    og_tokens_release(&origins->cut);
    og_text_reader_close(origins->reader);
    origins->reader = NULL;
}

static struct og_origin_side *find_held(const struct og_origin_texts *origins,
                                        uint32_t doc)
{
    for (size_t i = 0; i < origins->n_held; i++)
        if (origins->held[i].side->doc == doc) return origins->held[i].side;
    return NULL;
}

/* It stays with the document at hand, or until the next one is asked for. */
static og_status hold(struct og_origin_texts *origins,
                      struct og_origin_side *side, bool stays, og_error *err)
{
    if (!stays) {
        give_back(origins, origins->passing);
        origins->passing = side;
        return OG_OK;
    }
    if (!OG_GROW(origins->allocator, origins->held, origins->held_cap,
                 origins->n_held + 1)) {
        give_back(origins, side);
        return og_error_memory(err, sizeof(*origins->held),
                               "the text of an origin");
    }
    origins->held[origins->n_held++].side = side;
    return OG_OK;
}

/* ---- texts ---- */

enum { PADDING = 64 }; /* vector loads may touch it */

/* The next `len` bytes of a block, filled from `data`; zeros after them. */
static void *put_part(char **at, const void *data, size_t len)
{
    char *part = *at;
    if (len > 0) memcpy(part, data, len);
    memset(part + len, 0, PADDING);
    *at += (len + PADDING + 7) / 8 * 8;
    return part;
}

/* Everything in one block. The tables of a folder are large, so all texts are
 * folded and cut by one, and a side has a copy of what it made. */
static og_status fill_side(const struct og_origin_texts *origins,
                           og_bytes source, const struct og_text *text,
                           const struct og_tokens *tokens,
                           struct og_origin_side *side, og_error *err)
{
    enum { N_PARTS = 6 };
    const size_t steps_len = text->n_steps * sizeof(*text->steps);
    const size_t places_len = tokens->n * sizeof(*tokens->begin);
    const size_t hashes_len = tokens->n * sizeof(*tokens->hash);
    const size_t len = source.len + text->len + steps_len + 2 * places_len +
                       hashes_len + N_PARTS * (PADDING + 8);
    char *at = og_allocate(origins->allocator, len);
    if (at == NULL) return og_error_memory(err, len, "the text of an origin");
    side->block = at;
    side->block_len = len;
    side->tokens.n = tokens->n;
    side->tokens.hash = put_part(&at, tokens->hash, hashes_len);
    side->tokens.begin = put_part(&at, tokens->begin, places_len);
    side->tokens.end = put_part(&at, tokens->end, places_len);
    side->text.steps = put_part(&at, text->steps, steps_len);
    side->text.n_steps = text->n_steps;
    side->text.data = put_part(&at, text->data, text->len);
    side->text.len = text->len;
    side->text.source_len = text->source_len;
    side->text.n_repaired = text->n_repaired;
    side->source =
        (og_bytes){put_part(&at, source.data, source.len), source.len};
    side->has_text = true;
    return OG_OK;
}

/* The text alone goes to those without tokens; not without memory. */
static void keep_text(const struct og_origin_texts *origins, uint32_t doc,
                      og_bytes text, uint32_t oldest)
{
    struct og_origin_cache *cache = &origins->caches->texts;
    struct og_origin_side *side = og_origin_side_new(doc, origins->allocator);
    if (side == NULL) return;
    side->block = og_allocate(origins->allocator, text.len + 1);
    if (side->block == NULL) {
        og_origin_side_free(side, origins->allocator);
        return;
    }
    side->block_len = text.len + 1;
    if (text.len > 0) memcpy(side->block, text.data, text.len);
    side->source = (og_bytes){side->block, text.len};
    side->oldest = oldest;
    og_origin_cache_give(cache, og_origin_cache_put(cache, side));
}

static og_status cut_text(struct og_origin_texts *origins, og_bytes text,
                          uint32_t oldest, struct og_origin_side *side,
                          og_error *err)
{
    side->oldest = oldest;
    origins->folded.fold = origins->fold;
    TRY(og_text_fold(&origins->folded, text, err));
    TRY(og_text_tokenise(&origins->folded, origins->tokens, origins->token_key,
                         &origins->cut, err));
    return fill_side(origins, text, &origins->folded, &origins->cut, side, err);
}

static og_status read_text(struct og_origin_texts *origins,
                           struct og_origin_side *side, og_error *err)
{
    struct og_entry entry;
    og_bytes text;
    TRY(og_lookup_get(origins->lookup, side->doc, &entry, err));
    if (entry.place.segment == 0) return OG_OK;
    const og_status status = og_text_reader_get(
        origins->reader, &entry.place, entry.text_len, &text, NULL, err);
    if (status == OG_END) return OG_OK; /* it is not kept any more */
    if (status != OG_OK) return status;
    const uint32_t oldest = og_text_reader_oldest(origins->reader);
    keep_text(origins, side->doc, text, oldest);
    return cut_text(origins, text, oldest, side, err);
}

/* What the store had to give up is gone here, too: else an answer would depend
 * on which thread gives it. */
static struct og_origin_side *take_kept(const struct og_origin_texts *origins,
                                        struct og_origin_cache *cache,
                                        uint32_t doc)
{
    struct og_origin_side *side = og_origin_cache_take(cache, doc);
    if (side == NULL || side->block == NULL ||
        og_text_reader_has(origins->reader, side->oldest))
        return side;
    og_origin_cache_forget(cache, side);
    og_origin_cache_give(cache, side);
    return NULL;
}

static og_status fetch(struct og_origin_texts *origins,
                       struct og_origin_side *side, og_error *err)
{
    struct og_origin_cache *texts = &origins->caches->texts;
    struct og_origin_side *kept = take_kept(origins, texts, side->doc);
    if (kept == NULL) return read_text(origins, side, err);
    const og_status status =
        cut_text(origins, kept->source, kept->oldest, side, err);
    og_origin_cache_give(texts, kept);
    return status;
}

static og_status add_side(struct og_origin_texts *origins, uint32_t doc,
                          struct og_origin_side **out, og_error *err)
{
    struct og_origin_side *side = og_origin_side_new(doc, origins->allocator);
    if (side == NULL)
        return og_error_memory(err, sizeof(*side), "the text of an origin");
    const og_status status = fetch(origins, side, err);
    if (status != OG_OK) {
        og_origin_side_free(side, origins->allocator);
        return status;
    }
    *out = og_origin_cache_put(&origins->caches->sides, side);
    return OG_OK;
}

void og_origin_texts_put(struct og_origin_texts *origins, uint32_t doc,
                         uint32_t oldest, og_bytes source,
                         const struct og_text *text,
                         const struct og_tokens *tokens)
{
    /* The store may have had to give it up at once: another thread that asks
     * for it just now must not find it here. */
    if (!og_text_reader_has(origins->reader, oldest)) return;
    struct og_origin_side *side = og_origin_side_new(doc, origins->allocator);
    if (side == NULL) return;
    side->oldest = oldest;
    if (fill_side(origins, source, text, tokens, side, NULL) == OG_OK)
        give_back(origins, og_origin_cache_put(&origins->caches->sides, side));
    else
        og_origin_side_free(side, origins->allocator);
}

og_status og_origin_texts_get(struct og_origin_texts *origins, uint32_t doc,
                              bool stays, const struct og_origin_side **out,
                              og_error *err)
{
    struct og_origin_side *side = find_held(origins, doc);
    *out = side;
    if (side != NULL) return OG_OK;
    side = take_kept(origins, &origins->caches->sides, doc);
    if (side == NULL) TRY(add_side(origins, doc, &side, err));
    TRY(hold(origins, side, stays, err));
    *out = side;
    return OG_OK;
}

og_status og_origin_texts_side(void *ctx, uint32_t doc, uint32_t number,
                               struct og_align_side *out, og_error *err)
{
    struct og_origin_texts *origins = ctx;
    const struct og_origin_side *side = NULL;
    origins->sides[number] = NULL;
    *out = (struct og_align_side){.tokens = NULL};
    if (origins->reader == NULL) return OG_OK;
    TRY(og_origin_texts_get(origins, doc, true, &side, err));
    origins->sides[number] = side;
    if (side->has_text)
        *out = (struct og_align_side){&side->text, &side->tokens};
    return OG_OK;
}
