/* The chain of copies. For every document the store keeps the list of its
 * origins (og_entry.origins), and can look these lists up by origin. So the
 * origin of a span leads to all earlier documents that copied from it; those
 * that contain the same passage as the current document are its copiers. Their
 * texts are compared to confirm that. Without texts none is reported.
 *
 * An origin that arrived later than its copiers is not in their lists; but its
 * own list has the documents that it displaced from the table, and their lists
 * lead to the others. So the result does not depend on the order of arrival.
 *
 * A document is often copied from a copy. The earliest document is then the
 * origin, and the one it was really copied from has more in common with it: the
 * best match. */

#include "lib/trace/copiers.h"

#include <stdlib.h>
#include <string.h>

#include "lib/store/catalogue/shared_documents.h"
#include "lib/store/store_disk.h"

/* Copiers are reported for at most TOLD_ORIGINS origins. For each, at most
 * MOST_LOOKED_AT candidates are collected; the EARLIEST first and the LATEST
 * last of them, one of which may be the best match, are compared. */
enum {
    TOLD_ORIGINS = 4,
    EARLIEST = 6,
    LATEST = 4,
    MOST_LOOKED_AT = 256,
    MOST_DISPLACED = 64,
    MOST_COMPARED = EARLIEST + LATEST,
    MOST_TIMES =
        16, /* tokens compared, as a multiple of the document's length, ... */
    MOST_TOKENS = 8000, /* ... or this many, if that is more */
};

void og_copiers_init(struct og_copiers *chain, const og_allocator *allocator)
{
    *chain = (struct og_copiers){.allocator = allocator};
}

void og_copiers_release(struct og_copiers *chain)
{
    const og_allocator *a = chain->allocator;
    OG_UNGROW(a, chain->origins, chain->origins_cap);
    OG_UNGROW(a, chain->copiers, chain->copiers_cap);
}

/* ---- origins ---- */

/* Only of an origin that was compared with the document. */
static og_status origin_text(og_trace *trace, uint64_t number, og_bytes *out,
                             og_error *err)
{
    const struct og_confirming *c = &trace->confirming;
    *out = (og_bytes){"", 0};
    for (uint32_t i = 0; i < c->n_docs; i++)
        if (c->docs[i] == number && trace->origins.places[i] != NULL)
            return og_origin_texts_source(&trace->origins, (uint32_t)number,
                                          out, err);
    return OG_OK;
}

static og_status add_origin(struct og_copiers *chain, const og_span *span,
                            og_trace *trace, bool confirmed, og_error *err)
{
    struct og_entry entry;
    og_bytes text = {"", 0};
    if (!OG_GROW(chain->allocator, chain->origins, chain->origins_cap,
                 chain->n_origins + 1))
        return og_error_memory(err, sizeof(og_origin), "origins");
    if (confirmed && !trace->filter.asking.no_texts)
        TRY(origin_text(trace, span->origin, &text, err));
    TRY(og_lookup_get(&trace->lookup, (uint32_t)span->origin, &entry, err));
    chain->origins[chain->n_origins++] = (og_origin){
        .number = span->origin,
        .id = entry.id,
        .title = entry.title,
        .url = entry.url,
        .time = entry.has_time ? entry.time : 0,
        .has_time = entry.has_time,
        .time_source = entry.time_source,
        .text = text,
        .extra = entry.extra,
        .n_tokens = span->n_tokens,
        .n_matching = span->n_matching,
    };
    return OG_OK;
}

static int by_tokens(const void *a, const void *b)
{
    const og_origin *x = a;
    const og_origin *y = b;
    if (x->n_tokens != y->n_tokens) return x->n_tokens > y->n_tokens ? -1 : 1;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static og_status gather_origins(struct og_copiers *chain,
                                const og_answer *answer, og_trace *trace,
                                bool confirmed, og_error *err)
{
    chain->n_origins = 0;
    for (size_t i = 0; i < answer->n_spans; i++) {
        const og_span *span = &answer->spans[i];
        size_t j = 0;
        while (j < chain->n_origins && chain->origins[j].number != span->origin)
            j++;
        if (j == chain->n_origins) {
            TRY(add_origin(chain, span, trace, confirmed, err));
            continue;
        }
        chain->origins[j].n_tokens += span->n_tokens;
        chain->origins[j].n_matching += span->n_matching;
    }
    if (chain->n_origins > 1)
        qsort(chain->origins, chain->n_origins, sizeof(og_origin), by_tokens);
    return OG_OK;
}

/* ---- candidates ---- */

struct candidates {
    uint32_t data[MOST_LOOKED_AT];
    size_t n;
    uint32_t self; /* the document itself, if it is known */
    uint32_t end;  /* documents from here on arrived after the query */
};

static bool add_candidate(void *ctx, uint32_t copier, uint32_t n_tokens)
{
    struct candidates *c = ctx;
    (void)n_tokens;
    if (copier != c->self && copier < c->end && c->n < MOST_LOOKED_AT)
        c->data[c->n++] = copier;
    return c->n < MOST_LOOKED_AT;
}

static og_status look_elsewhere(og_store *store, uint32_t origin,
                                struct candidates *out, og_error *err)
{
    uint32_t numbers[MOST_LOOKED_AT];
    size_t n;
    TRY(og_shared_copiers(store->shared, origin, MOST_LOOKED_AT, numbers, &n,
                          err));
    for (size_t i = 0; i < n; i++)
        (void)add_candidate(out, numbers[i], 0);
    return OG_OK;
}

/* First from the catalogue on disk, except the pending entries, then those. A
 * view may be newer than what a reader has replayed: for such documents its own
 * pending entries take precedence. */
static og_status look_for(og_store *store, og_trace *trace, uint32_t origin,
                          uint32_t first, struct candidates *out, og_error *err)
{
    uint32_t pending[MOST_LOOKED_AT];
    struct og_documents_view *view = &trace->lookup.view;
    const uint32_t end = out->end;
    og_status status = OG_OK;
    if (store->shared != NULL) return look_elsewhere(store, origin, out, err);
    if (trace->lookup.documents != NULL) {
        out->end = first < end ? first : end;
        TRY(og_documents_view_begin(view, err));
        status = og_documents_copiers(view, origin, MOST_LOOKED_AT,
                                      add_candidate, out, err);
        og_documents_view_end(view);
        out->end = end;
    }
    const size_t n =
        og_pending_copiers(&store->pending, origin, MOST_LOOKED_AT, pending);
    for (size_t i = 0; i < n; i++)
        if (pending[i] >= first) (void)add_candidate(out, pending[i], 0);
    return status;
}

/* Retries when the writer of this process has just flushed the pending ones. */
static og_status find_candidates(og_store *store, og_trace *trace,
                                 uint32_t origin, struct candidates *out,
                                 og_error *err)
{
    enum { MOST_TRIES = 4 };
    const size_t n = out->n;
    for (int i = 0; i < MOST_TRIES; i++) {
        const uint32_t first = og_pending_first(&store->pending);
        out->n = n;
        TRY(look_for(store, trace, origin, first, out, err));
        if (og_pending_first(&store->pending) == first) break;
    }
    return OG_OK;
}

/* The documents that `doc` displaced from the table when it arrived late. */
static og_status add_displaced(og_store *store, og_trace *trace, uint32_t doc,
                               uint32_t *queue, size_t *n, og_error *err)
{
    struct og_entry entry;
    TRY(og_lookup_get(&trace->lookup, doc, &entry, err));
    if (store->shared != NULL)
        TRY(og_shared_know_origins(store->shared, &entry, err));
    for (uint32_t i = 0; i < entry.n_origins && *n < MOST_DISPLACED; i++) {
        const uint32_t other = entry.origins[i].doc;
        bool is_new = og_catalogue_earlier(&store->catalogue, doc, other);
        for (size_t j = 0; j < *n && is_new; j++)
            is_new = queue[j] != other;
        if (is_new) queue[(*n)++] = other;
    }
    return OG_OK;
}

/* Documents that arrived before the origin but are later, and their copiers. */
static og_status find_displaced(og_store *store, og_trace *trace,
                                uint32_t origin, struct candidates *out,
                                og_error *err)
{
    uint32_t queue[MOST_DISPLACED];
    size_t n = 0;
    TRY(add_displaced(store, trace, origin, queue, &n, err));
    for (size_t i = 0; i < n && out->n < MOST_LOOKED_AT; i++) {
        (void)add_candidate(out, queue[i], 0);
        TRY(find_candidates(store, trace, queue[i], out, err));
        TRY(add_displaced(store, trace, queue[i], queue, &n, err));
    }
    return OG_OK;
}

static bool is_before(struct og_doc_place a, struct og_doc_place b)
{
    return a.time != b.time ? a.time < b.time : a.number < b.number;
}

/* In the order of time, each once, without those that cannot be copiers. Most
 * arrive in that order, so little is moved. */
static void sort_candidates(const struct og_catalogue *catalogue,
                            uint32_t origin, struct candidates *c)
{
    const struct og_doc_place begin = {
        og_catalogue_get(catalogue, origin)->time, origin};
    struct og_doc_place places[MOST_LOOKED_AT];
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        __builtin_prefetch(og_catalogue_get(catalogue, c->data[i]));
    for (size_t i = 0; i < c->n; i++) {
        const uint32_t doc = c->data[i];
        const struct og_doc_place place = {
            og_catalogue_get(catalogue, doc)->time, doc};
        size_t at = n;
        if (og_catalogue_is_removed(catalogue, doc) || !is_before(begin, place))
            continue;
        while (at > 0 && is_before(place, places[at - 1]))
            at--;
        if (at > 0 && c->data[at - 1] == doc) continue;
        memmove(c->data + at + 1, c->data + at, (n - at) * sizeof(doc));
        memmove(places + at + 1, places + at, (n - at) * sizeof(place));
        c->data[at] = doc;
        places[at] = place;
        n++;
    }
    c->n = n;
}

/* The earliest and the latest of many. */
static void choose_candidates(struct candidates *c)
{
    if (c->n <= MOST_COMPARED) return;
    memmove(c->data + EARLIEST, c->data + c->n - LATEST,
            LATEST * sizeof(*c->data));
    c->n = MOST_COMPARED;
}

/* ---- comparing ---- */

/* A text that was compared. A document that copied from one of the origins
 * often copied from the others too, so it is scanned once for all of them. */
struct compared {
    uint32_t doc;
    size_t n_tokens;
    double share;
    uint64_t n_shared[TOLD_ORIGINS]; /* tokens of the passages from each */
};

struct comparing {
    struct og_copiers *chain;
    og_store *store;
    og_trace *trace;
    const struct og_tokens *document;
    struct og_doc_place place; /* of the document */
    uint32_t n_before;         /* documents in the store when it came */
    size_t budget;             /* tokens of texts that may still be compared */
    double best;               /* share that a copier must have */
    og_answer *answer;
    size_t n_told; /* origins */
    struct compared compared[TOLD_ORIGINS * MOST_COMPARED];
    size_t n_compared;
};

static struct og_align_side scanned(const struct og_origin_side *side)
{
    return (struct og_align_side){.tokens = &side->tokens,
                                  .samples = side->samples};
}

/* Counts for each origin the tokens of the document's passages from it that the
 * other text has too, in whole shingles. og_text_seeds_mark() must have been
 * called for that text. */
static void count_shared(const struct comparing *c,
                         const struct og_tokens *other, uint64_t *out)
{
    const struct og_answering *a = &c->trace->answering;
    for (size_t i = 0; i < c->n_told; i++)
        out[i] = 0;
    for (size_t i = 0; i < a->n_pieces; i++) {
        const struct og_answer_piece *piece = &a->pieces[i];
        size_t at = 0;
        while (at < c->n_told && c->chain->origins[at].number != piece->doc)
            at++;
        if (at < c->n_told)
            out[at] += og_text_seeds_count(&c->trace->confirming.text_seeds,
                                           c->document, other, piece->begin,
                                           piece->end);
    }
    for (size_t i = 0; i < c->n_told; i++) /* a passage may occur here twice */
        if (out[i] > other->n) out[i] = other->n;
}

static struct compared *find_compared(struct comparing *c, uint32_t doc)
{
    for (size_t i = 0; i < c->n_compared; i++)
        if (c->compared[i].doc == doc) return &c->compared[i];
    return NULL;
}

/* Fetches all of them before the first is compared, so that they are loaded
 * from memory while others are compared. */
static og_status fetch_candidates(struct comparing *c,
                                  const struct candidates *candidates,
                                  og_error *err)
{
    const struct og_origin_side *side;
    og_origin_texts_expect(&c->trace->origins, candidates->data, candidates->n);
    for (size_t i = 0; i < candidates->n; i++)
        if (find_compared(c, candidates->data[i]) == NULL)
            TRY(og_origin_texts_hashes(&c->trace->origins, candidates->data[i],
                                       true, &side, err));
    return OG_OK;
}

/* Compares it unless that was done already. NULL: it has no text, or a longer
 * one than may still be compared. */
static og_status compare_text(struct comparing *c, uint32_t doc,
                              const struct compared **out, og_error *err)
{
    struct og_text_seeds *seeds = &c->trace->confirming.text_seeds;
    const struct og_origin_side *side = NULL;
    struct compared *known = find_compared(c, doc);
    const bool is_new = known == NULL;
    *out = NULL;
    if (is_new) {
        TRY(og_origin_texts_hashes(&c->trace->origins, doc, true, &side, err));
        if (!side->has_text) return OG_OK;
        known = &c->compared[c->n_compared];
        known->n_tokens = side->tokens.n;
    }
    if (known->n_tokens > c->budget) return OG_OK;
    c->budget -= known->n_tokens;
    *out = known;
    if (!is_new) return OG_OK;
    og_text_seeds_mark(seeds, scanned(side));
    known->doc = doc;
    known->share = og_text_seeds_share(seeds);
    count_shared(c, &side->tokens, known->n_shared);
    c->n_compared++;
    return OG_OK;
}

static og_status compare_copier(struct comparing *c, size_t origin,
                                uint32_t doc, og_error *err)
{
    struct og_copiers *chain = c->chain;
    const struct compared *compared;
    struct og_entry entry;
    TRY(compare_text(c, doc, &compared, err));
    if (compared == NULL || compared->n_shared[origin] == 0) return OG_OK;
    TRY(og_lookup_get(&c->trace->lookup, doc, &entry, err));
    chain->copiers[chain->n_copiers++] = (og_copier){
        .number = doc,
        .id = entry.id,
        .time = entry.has_time ? entry.time : 0,
        .has_time = entry.has_time,
        .n_tokens = compared->n_shared[origin],
    };
    if (origin != 0 || compared->share <= c->best ||
        !og_catalogue_is_before(&c->store->catalogue, doc, c->place))
        return OG_OK;
    c->best = compared->share;
    c->answer->best_id = entry.id;
    c->answer->best_share = compared->share;
    return OG_OK;
}

static og_status gather_copiers(struct comparing *c, size_t at, uint32_t self,
                                og_error *err)
{
    og_origin *origin = &c->chain->origins[at];
    const uint32_t number = (uint32_t)origin->number;
    const size_t first = c->chain->n_copiers;
    struct candidates candidates = {.self = self, .end = c->n_before};
    TRY(find_candidates(c->store, c->trace, number, &candidates, err));
    TRY(find_displaced(c->store, c->trace, number, &candidates, err));
    sort_candidates(&c->store->catalogue, number, &candidates);
    choose_candidates(&candidates);
    TRY(fetch_candidates(c, &candidates, err));
    for (size_t i = 0; i < candidates.n; i++)
        TRY(compare_copier(c, at, candidates.data[i], err));
    origin->copiers = c->chain->copiers + first;
    origin->n_copiers = c->chain->n_copiers - first;
    return OG_OK;
}

static og_status compare_copiers(struct comparing *c,
                                 const struct og_subject *subject,
                                 og_error *err)
{
    struct og_copiers *chain = c->chain;
    const size_t n =
        chain->n_origins < TOLD_ORIGINS ? chain->n_origins : TOLD_ORIGINS;
    const uint32_t self = subject->is_known ? subject->latest : OG_NO_DOC;
    const struct og_origin_side *side = NULL;
    if (n == 0) return OG_OK;
    if (!OG_GROW(chain->allocator, chain->copiers, chain->copiers_cap,
                 TOLD_ORIGINS * MOST_COMPARED))
        return og_error_memory(err, sizeof(og_copier), "copiers");
    TRY(og_origin_texts_hashes(&c->trace->origins,
                               (uint32_t)chain->origins[0].number, true, &side,
                               err));
    if (side->has_text) {
        og_text_seeds_mark(&c->trace->confirming.text_seeds, scanned(side));
        c->best = og_text_seeds_share(&c->trace->confirming.text_seeds);
    }
    c->n_told = n;
    for (size_t i = 0; i < n; i++)
        TRY(gather_copiers(c, i, self, err));
    return OG_OK;
}

og_status og_copiers_fill(struct og_copiers *chain, og_answer *answer,
                          const struct og_subject *subject, og_store *store,
                          og_trace *trace, bool confirmed, og_error *err)
{
    const size_t n_tokens = subject->prepared->tokens.n;
    TRY(gather_origins(chain, answer, trace, confirmed, err));
    chain->n_copiers = 0;
    if (confirmed) {
        struct comparing c = {
            .chain = chain,
            .store = store,
            .trace = trace,
            .document = &subject->prepared->tokens,
            .place = subject->place,
            .n_before = subject->n_before,
            .budget = MOST_TIMES * n_tokens > MOST_TOKENS
                          ? MOST_TIMES * n_tokens
                          : MOST_TOKENS,
            .answer = answer,
        };
        TRY(compare_copiers(&c, subject, err));
    }
    answer->origins = chain->origins;
    answer->n_origins = chain->n_origins;
    return OG_OK;
}
