#include "lib/trace/origin_texts.h"

#include <string.h>

/* A share of the table's memory limit, within bounds. The hashes of a mail take
 * 3 KB and the rest of it 8 KB; those of an RFC of 50 KB 60 KB and 150 KB. */
#define LEAST_KEPT ((uint64_t)8 << 20)
#define MOST_KEPT  ((uint64_t)64 << 20)
#define SHARE_KEPT 8
/* Eighths of that; the rest is for the cache of texts alone. */
enum { HASHES_EIGHTHS = 3, PLACES_EIGHTHS = 3 };

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
    const size_t hashes = most / 8 * HASHES_EIGHTHS;
    const size_t places = most / 8 * PLACES_EIGHTHS;
    og_origin_cache_init(&caches->hashes, hashes, allocator);
    og_origin_cache_init(&caches->places, places, allocator);
    og_origin_cache_init(&caches->texts, most - hashes - places, allocator);
}

void og_origin_caches_release(struct og_origin_caches *caches)
{
    og_origin_cache_release(&caches->hashes);
    og_origin_cache_release(&caches->places);
    og_origin_cache_release(&caches->texts);
}

void og_origin_texts_init(struct og_origin_texts *origins,
                          struct og_lookup *lookup,
                          struct og_origin_caches *caches,
                          const og_params *params,
                          const og_allocator *allocator)
{
    *origins = (struct og_origin_texts){
        .allocator = allocator,
        .lookup = lookup,
        .caches = caches,
        .tokens = params->tokens,
        .fold = params->fold,
        .seed_len = og_text_seed_len(params->shingle_len)};
    og_text_init(&origins->folded, allocator);
    og_tokens_init(&origins->cut, allocator);
}

/* ---- the current document ---- */

static void give_back(struct og_held_side *held)
{
    if (held->side != NULL) og_origin_cache_give(held->cache, held->side);
    held->side = NULL;
}

void og_origin_texts_begin(struct og_origin_texts *origins)
{
    while (origins->n_held > 0)
        give_back(&origins->held[--origins->n_held]);
    give_back(&origins->passing);
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
                                        const struct og_origin_cache *cache,
                                        uint32_t doc)
{
    for (size_t i = 0; i < origins->n_held; i++)
        if (origins->held[i].doc == doc && origins->held[i].cache == cache)
            return origins->held[i].side;
    return NULL;
}

/* It is held as long as the current document, or until the next one is
 * fetched. */
static og_status hold(struct og_origin_texts *origins, struct og_held_side got,
                      bool stays, og_error *err)
{
    if (!stays) {
        give_back(&origins->passing);
        origins->passing = got;
        return OG_OK;
    }
    if (!OG_GROW(origins->allocator, origins->held, origins->held_cap,
                 origins->n_held + 1)) {
        give_back(&got);
        return og_error_memory(err, sizeof(*origins->held),
                               "the text of an origin");
    }
    origins->held[origins->n_held++] = got;
    return OG_OK;
}

/* ---- parts of a document ---- */

/* A document that was cut into tokens. */
struct cut_document {
    uint32_t oldest; /* segment that the text needs */
    const struct og_text *text;
    const struct og_tokens *tokens;
};

enum { PADDING = 64 }; /* vector loads may read it */

/* The next `len` bytes of a block, filled from `data`; zeros after them. */
static void *put_part(char **at, const void *data, size_t len)
{
    char *part = *at;
    if (len > 0) memcpy(part, data, len);
    memset(part + len, 0, PADDING);
    *at += (len + PADDING + 7) / 8 * 8;
    return part;
}

/* Reserves one block for all parts, which have this many bytes together. */
static og_status add_block(struct og_origin_cache *cache,
                           struct og_origin_side *side, size_t len,
                           size_t n_parts, og_error *err)
{
    const size_t whole = len + n_parts * (PADDING + 8);
    if (og_origin_side_reserve(cache, side, whole)) return OG_OK;
    return og_error_memory(err, whole, "the text of an origin");
}

static og_status fill_hashes(const struct og_origin_texts *origins,
                             const struct cut_document *d,
                             struct og_origin_side *side, og_error *err)
{
    const struct og_tokens *tokens = d->tokens;
    const size_t len = tokens->n * sizeof(*tokens->hash);
    const size_t samples_len =
        og_text_samples_count(tokens->n, origins->seed_len) *
        sizeof(*side->samples);
    TRY(add_block(&origins->caches->hashes, side, len + samples_len, 2, err));
    char *at = side->block;
    side->tokens.n = tokens->n;
    side->tokens.hash = put_part(&at, tokens->hash, len);
    side->samples = (uint32_t *)(void *)at;
    og_text_samples_make(tokens, origins->seed_len, side->samples);
    return OG_OK;
}

static og_status fill_places(struct og_origin_cache *cache,
                             const struct cut_document *d,
                             struct og_origin_side *side, og_error *err)
{
    const struct og_text *text = d->text;
    const struct og_tokens *tokens = d->tokens;
    const size_t steps_len = text->n_steps * sizeof(*text->steps);
    const size_t places_len = tokens->n * sizeof(*tokens->begin);
    const size_t len = text->len + steps_len + 2 * places_len;
    TRY(add_block(cache, side, len, 4, err));
    char *at = side->block;
    side->tokens.n = tokens->n;
    side->tokens.begin = put_part(&at, tokens->begin, places_len);
    side->tokens.end = put_part(&at, tokens->end, places_len);
    side->text.steps = put_part(&at, text->steps, steps_len);
    side->text.n_steps = text->n_steps;
    side->text.data = put_part(&at, text->data, text->len);
    side->text.len = text->len;
    side->text.source_len = text->source_len;
    side->text.n_repaired = text->n_repaired;
    return OG_OK;
}

/* The part of the document that the cache keeps. */
static og_status fill_side(const struct og_origin_texts *origins,
                           struct og_origin_cache *cache,
                           const struct cut_document *d,
                           struct og_origin_side *side, og_error *err)
{
    side->oldest = d->oldest;
    if (cache == &origins->caches->hashes)
        TRY(fill_hashes(origins, d, side, err));
    else
        TRY(fill_places(cache, d, side, err));
    side->has_text = true;
    return OG_OK;
}

/* ---- texts ---- */

static og_status fill_source(struct og_origin_cache *cache, og_bytes text,
                             uint32_t oldest, struct og_origin_side *side,
                             og_error *err)
{
    if (!og_origin_side_reserve(cache, side, text.len + 1))
        return og_error_memory(err, text.len, "the text of an origin");
    if (text.len > 0) memcpy(side->block, text.data, text.len);
    side->source = (og_bytes){side->block, text.len};
    side->oldest = oldest;
    side->has_text = true;
    return OG_OK;
}

/* Puts a text into the cache of texts and takes it from there. */
static og_status put_source(struct og_origin_texts *origins, uint32_t doc,
                            og_bytes text, uint32_t oldest,
                            struct og_origin_side **out, og_error *err)
{
    struct og_origin_cache *cache = &origins->caches->texts;
    struct og_origin_side *side = og_origin_side_new(doc, origins->allocator);
    if (side == NULL)
        return og_error_memory(err, sizeof(*side), "the text of an origin");
    const og_status status = fill_source(cache, text, oldest, side, err);
    if (status != OG_OK) {
        og_origin_side_free(side, origins->allocator);
        return status;
    }
    *out = og_origin_cache_put(cache, side);
    return OG_OK;
}

/* From the store; NULL: it is no longer kept. */
static og_status read_source(struct og_origin_texts *origins, uint32_t doc,
                             struct og_origin_side **out, og_error *err)
{
    struct og_entry entry;
    og_bytes text;
    *out = NULL;
    TRY(og_lookup_get(origins->lookup, doc, &entry, err));
    if (entry.place.segment == 0) return OG_OK;
    const og_status status = og_text_reader_get(
        origins->reader, &entry.place, entry.text_len, &text, NULL, err);
    if (status == OG_END) return OG_OK;
    if (status != OG_OK) return status;
    return put_source(origins, doc, text,
                      og_text_reader_oldest(origins->reader), out, err);
}

/* Texts that the store had to drop are dropped here too: otherwise an answer
 * would depend on which thread computes it. */
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

/* To be given back; NULL: it is not kept. */
static og_status take_source(struct og_origin_texts *origins, uint32_t doc,
                             struct og_origin_side **out, og_error *err)
{
    *out = take_kept(origins, &origins->caches->texts, doc);
    return *out != NULL ? OG_OK : read_source(origins, doc, out, err);
}

/* The tables for folding are large, so all texts are folded and cut with the
 * same ones, and a side gets a copy of the result. */
static og_status cut_text(struct og_origin_texts *origins,
                          struct og_origin_cache *cache,
                          const struct og_origin_side *source,
                          struct og_origin_side *side, og_error *err)
{
    const struct cut_document d = {source->oldest, &origins->folded,
                                   &origins->cut};
    origins->folded.fold = origins->fold;
    TRY(og_text_fold(&origins->folded, source->source, err));
    TRY(og_text_tokenise(&origins->folded, origins->tokens, origins->token_key,
                         &origins->cut, err));
    return fill_side(origins, cache, &d, side, err);
}

static og_status fetch(struct og_origin_texts *origins,
                       struct og_origin_cache *cache,
                       struct og_origin_side *side, og_error *err)
{
    struct og_origin_side *source;
    TRY(take_source(origins, side->doc, &source, err));
    if (source == NULL) return OG_OK;
    const og_status status = cut_text(origins, cache, source, side, err);
    og_origin_cache_give(&origins->caches->texts, source);
    return status;
}

static og_status add_side(struct og_origin_texts *origins,
                          struct og_origin_cache *cache, uint32_t doc,
                          struct og_origin_side **out, og_error *err)
{
    struct og_origin_side *side = og_origin_side_new(doc, origins->allocator);
    if (side == NULL)
        return og_error_memory(err, sizeof(*side), "the text of an origin");
    const og_status status = fetch(origins, cache, side, err);
    if (status != OG_OK) {
        og_origin_side_free(side, origins->allocator);
        return status;
    }
    *out = og_origin_cache_put(cache, side);
    return OG_OK;
}

/* ---- in and out ---- */

static void put_side(struct og_origin_texts *origins,
                     struct og_origin_cache *cache, uint32_t doc,
                     const struct cut_document *d)
{
    struct og_origin_side *side = og_origin_side_new(doc, origins->allocator);
    if (side == NULL) return;
    if (fill_side(origins, cache, d, side, NULL) == OG_OK)
        og_origin_cache_give(cache, og_origin_cache_put(cache, side));
    else
        og_origin_side_free(side, origins->allocator);
}

void og_origin_texts_put(struct og_origin_texts *origins, uint32_t doc,
                         uint32_t oldest, og_bytes source,
                         const struct og_text *text,
                         const struct og_tokens *tokens)
{
    const struct cut_document d = {oldest, text, tokens};
    struct og_origin_side *kept;
    /* The store may already have had to give it up: another thread that looks
     * for it at this moment must not find it here. */
    if (!og_text_reader_has(origins->reader, oldest)) return;
    put_side(origins, &origins->caches->hashes, doc, &d);
    put_side(origins, &origins->caches->places, doc, &d);
    if (origins->keeps_sources &&
        put_source(origins, doc, source, oldest, &kept, NULL) == OG_OK)
        og_origin_cache_give(&origins->caches->texts, kept);
}

static og_status get_side(struct og_origin_texts *origins,
                          struct og_origin_cache *cache, uint32_t doc,
                          bool stays, const struct og_origin_side **out,
                          og_error *err)
{
    struct og_origin_side *side = find_held(origins, cache, doc);
    *out = side;
    if (side != NULL) return OG_OK;
    side = take_kept(origins, cache, doc);
    if (side == NULL) TRY(add_side(origins, cache, doc, &side, err));
    TRY(hold(origins, (struct og_held_side){cache, side, doc}, stays, err));
    *out = side;
    return OG_OK;
}

/* Prefetches the first samples while others are compared; the hardware
 * prefetcher loads the rest once it sees the access pattern. */
static void expect(const uint32_t *samples, size_t n)
{
    enum { A_LINE = 16, MOST = 32 * A_LINE };
    for (size_t i = 0; i < n && i < MOST; i += A_LINE)
        __builtin_prefetch(samples + i);
}

void og_origin_texts_expect(struct og_origin_texts *origins,
                            const uint32_t *docs, size_t n)
{
    og_origin_cache_expect(&origins->caches->hashes, docs, n);
}

og_status og_origin_texts_hashes(struct og_origin_texts *origins, uint32_t doc,
                                 bool stays, const struct og_origin_side **out,
                                 og_error *err)
{
    TRY(get_side(origins, &origins->caches->hashes, doc, stays, out, err));
    expect((*out)->samples,
           og_text_samples_count((*out)->tokens.n, origins->seed_len));
    return OG_OK;
}

og_status og_origin_texts_places(struct og_origin_texts *origins, uint32_t doc,
                                 bool stays, const struct og_origin_side **out,
                                 og_error *err)
{
    return get_side(origins, &origins->caches->places, doc, stays, out, err);
}

og_status og_origin_texts_source(struct og_origin_texts *origins, uint32_t doc,
                                 og_bytes *out, og_error *err)
{
    struct og_origin_cache *cache = &origins->caches->texts;
    struct og_origin_side *side = find_held(origins, cache, doc);
    *out = (og_bytes){"", 0};
    if (side == NULL) {
        TRY(take_source(origins, doc, &side, err));
        if (side == NULL) return OG_OK;
        TRY(hold(origins, (struct og_held_side){cache, side, doc}, true, err));
    }
    *out = side->source;
    return OG_OK;
}

og_status og_origin_texts_side(void *ctx, uint32_t doc, uint32_t number,
                               struct og_align_side *out, og_error *err)
{
    struct og_origin_texts *origins = ctx;
    const struct og_origin_side *side = NULL;
    origins->hashes[number] = origins->places[number] = NULL;
    *out = (struct og_align_side){.tokens = NULL};
    if (origins->reader == NULL) return OG_OK;
    TRY(og_origin_texts_hashes(origins, doc, true, &side, err));
    origins->hashes[number] = side;
    if (side->has_text)
        *out = (struct og_align_side){.tokens = &side->tokens,
                                      .samples = side->samples};
    return OG_OK;
}

og_status og_origin_texts_whole(void *ctx, uint32_t doc, uint32_t number,
                                struct og_align_side *out, og_error *err)
{
    struct og_origin_texts *origins = ctx;
    const struct og_origin_side *hashes = origins->hashes[number];
    const struct og_origin_side *side = NULL;
    *out = (struct og_align_side){.tokens = NULL};
    TRY(og_origin_texts_places(origins, doc, true, &side, err));
    if (!side->has_text) return OG_OK;
    origins->places[number] = side;
    struct og_tokens *joined = &origins->joined[number];
    *joined = side->tokens;
    joined->hash = hashes->tokens.hash;
    *out = (struct og_align_side){
        .text = &side->text, .tokens = joined, .samples = hashes->samples};
    return OG_OK;
}
