/* A cache with a clock: a hand goes round over the places, passes by those that
 * were used since it came last, and empties the next one. */

#include "lib/trace/origin_texts.h"

#include <string.h>

#include "lib/base/bits.h"

/* A share of what the table may take, within bounds. A mail takes 12 KB, an RFC
 * of 50 KB a quarter of a megabyte. */
#define LEAST_KEPT ((uint64_t)8 << 20)
#define MOST_KEPT  ((uint64_t)64 << 20)
#define SHARE_KEPT 8
/* Of each, where several threads share it. */
#define LEAST_SHARE ((size_t)1 << 20)

static size_t most_kept(uint64_t memory)
{
    const uint64_t share = memory / SHARE_KEPT;
    if (share < LEAST_KEPT) return (size_t)LEAST_KEPT;
    return (size_t)(share < MOST_KEPT ? share : MOST_KEPT);
}

void og_origin_texts_init(struct og_origin_texts *origins,
                          struct og_lookup *lookup, const og_params *params,
                          const og_allocator *allocator)
{
    *origins = (struct og_origin_texts){.allocator = allocator,
                                        .lookup = lookup,
                                        .tokens = params->tokens,
                                        .fold = params->fold,
                                        .most = most_kept(params->memory)};
    og_text_init(&origins->folded, allocator);
    og_tokens_init(&origins->cut, allocator);
}

static void empty_side(struct og_origin_texts *origins,
                       struct og_origin_side *side)
{
    og_release(origins->allocator, side->block, side->block_len);
    *side = (struct og_origin_side){.doc = OG_NO_DOC};
}

void og_origin_texts_release(struct og_origin_texts *origins)
{
    for (size_t i = 0; i < origins->n; i++) {
        struct og_origin_side *side = origins->places[i].side;
        empty_side(origins, side);
        og_release(origins->allocator, side, sizeof(*side));
    }
    OG_UNGROW(origins->allocator, origins->places, origins->cap);
    og_text_release(&origins->folded);
    og_tokens_release(&origins->cut);
    og_text_reader_close(origins->reader);
    origins->reader = NULL;
    origins->n = 0;
}

void og_origin_texts_share(struct og_origin_texts *origins, unsigned n)
{
    if (n > 1) origins->most /= n;
    if (origins->most < LEAST_SHARE) origins->most = LEAST_SHARE;
}

void og_origin_texts_begin(struct og_origin_texts *origins)
{
    origins->epoch++;
}

/* ---- places ---- */

static uint32_t *head_of(struct og_origin_texts *origins, uint32_t doc)
{
    return &origins->heads[og_mix64(doc) % OG_ORIGIN_HEADS];
}

static struct og_origin_side *find_side(struct og_origin_texts *origins,
                                        uint32_t doc)
{
    uint32_t at = *head_of(origins, doc);
    while (at != 0 && origins->places[at - 1].doc != doc)
        at = origins->places[at - 1].next;
    return at != 0 ? origins->places[at - 1].side : NULL;
}

/* Empties the place of a document. */
static void remove_side(struct og_origin_texts *origins,
                        struct og_origin_side *side)
{
    uint32_t *link = head_of(origins, side->doc);
    while (origins->places[*link - 1].side != side)
        link = &origins->places[*link - 1].next;
    struct og_origin_place *place = &origins->places[*link - 1];
    *link = place->next;
    place->doc = OG_NO_DOC;
    origins->bytes -= sizeof(*side) + side->block_len;
    empty_side(origins, side);
}

/* Empties places until there is room again. One that the document at hand
 * needs stays, so it may be in vain; then the caches are larger for a while. */
static void make_room(struct og_origin_texts *origins)
{
    for (size_t i = 0; i < 2 * origins->n && origins->bytes > origins->most;
         i++) {
        struct og_origin_side *side = origins->places[origins->hand].side;
        origins->hand = (origins->hand + 1) % origins->n;
        if (side->doc == OG_NO_DOC || side->epoch == origins->epoch) continue;
        if (side->was_used) {
            side->was_used = false;
            continue;
        }
        remove_side(origins, side);
    }
}

/* A free place, or NULL: no memory. */
static struct og_origin_side *free_side(struct og_origin_texts *origins,
                                        uint32_t *out_place)
{
    for (size_t i = 0; i < origins->n; i++) {
        const size_t at = (origins->hand + origins->n - 1 - i) % origins->n;
        if (origins->places[at].doc != OG_NO_DOC) {
            if (i < 8) continue; /* those just emptied lie behind the hand */
            break;
        }
        *out_place = (uint32_t)at + 1;
        return origins->places[at].side;
    }
    if (!OG_GROW(origins->allocator, origins->places, origins->cap,
                 origins->n + 1))
        return NULL;
    struct og_origin_side *side =
        og_allocate_zero(origins->allocator, sizeof(*side));
    if (side == NULL) return NULL;
    side->doc = OG_NO_DOC;
    origins->places[origins->n++] =
        (struct og_origin_place){OG_NO_DOC, 0, side};
    *out_place = (uint32_t)origins->n;
    return side;
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
static og_status fill_side(struct og_origin_texts *origins, og_bytes source,
                           const struct og_text *text,
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

static og_status fetch(struct og_origin_texts *origins, uint32_t doc,
                       struct og_origin_side *side, og_error *err)
{
    struct og_entry entry;
    og_bytes text;
    TRY(og_lookup_get(origins->lookup, doc, &entry, err));
    if (entry.place.segment == 0) return OG_OK;
    const og_status status = og_text_reader_get(
        origins->reader, &entry.place, entry.text_len, &text, NULL, err);
    if (status == OG_END) return OG_OK; /* it is not kept any more */
    if (status != OG_OK) return status;
    side->oldest = og_text_reader_oldest(origins->reader);
    origins->folded.fold = origins->fold;
    TRY(og_text_fold(&origins->folded, text, err));
    TRY(og_text_tokenise(&origins->folded, origins->tokens, origins->token_key,
                         &origins->cut, err));
    return fill_side(origins, text, &origins->folded, &origins->cut, side, err);
}

static void link_side(struct og_origin_texts *origins,
                      struct og_origin_side *side, uint32_t place, uint32_t doc)
{
    uint32_t *head = head_of(origins, doc);
    side->doc = doc;
    origins->places[place - 1].doc = doc;
    origins->places[place - 1].next = *head;
    *head = place;
    origins->bytes += sizeof(*side) + side->block_len;
}

static og_status add_side(struct og_origin_texts *origins, uint32_t doc,
                          struct og_origin_side **out, og_error *err)
{
    uint32_t place = 0;
    make_room(origins);
    struct og_origin_side *side = free_side(origins, &place);
    if (side == NULL)
        return og_error_memory(err, sizeof(*side), "the text of an origin");
    const og_status status = fetch(origins, doc, side, err);
    if (status != OG_OK) {
        empty_side(origins, side);
        return status;
    }
    link_side(origins, side, place, doc);
    *out = side;
    return OG_OK;
}

void og_origin_texts_put(struct og_origin_texts *origins, uint32_t doc,
                         uint32_t oldest, og_bytes source,
                         const struct og_text *text,
                         const struct og_tokens *tokens)
{
    uint32_t place = 0;
    if (find_side(origins, doc) != NULL) return;
    make_room(origins);
    struct og_origin_side *side = free_side(origins, &place);
    if (side == NULL) return;
    side->oldest = oldest;
    if (fill_side(origins, source, text, tokens, side, NULL) == OG_OK)
        link_side(origins, side, place, doc);
}

/* What the store had to give up is gone here, too: else an answer would depend
 * on which thread gives it. Not while the document at hand has it. */
static bool has_gone(const struct og_origin_texts *origins,
                     const struct og_origin_side *side)
{
    return side->has_text && side->epoch != origins->epoch &&
           !og_text_reader_has(origins->reader, side->oldest);
}

og_status og_origin_texts_get(struct og_origin_texts *origins, uint32_t doc,
                              bool stays, const struct og_origin_side **out,
                              og_error *err)
{
    struct og_origin_side *side = find_side(origins, doc);
    *out = NULL;
    if (side != NULL && has_gone(origins, side)) {
        remove_side(origins, side);
        side = NULL;
    }
    if (side == NULL) TRY(add_side(origins, doc, &side, err));
    side->was_used = true;
    if (stays) side->epoch = origins->epoch;
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
