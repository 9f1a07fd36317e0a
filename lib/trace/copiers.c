/* The chain of copies. The store keeps for every document which origins it has
 * and how much of each (og_entry.origins), and finds those lists by origin. So
 * the origin of a span leads to everybody who took from it before.
 *
 * A document is often copied from a copy. The earliest document is then the
 * origin, and the one it was really taken from has more in common with it: the
 * best match. Copiers of the main origin are compared by the fingerprints that
 * would be stored of them. */

#include "lib/trace/copiers.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "lib/store/store_disk.h"

/* Copiers are told of so many origins, so many of each; and so many of the
 * latest are compared. */
enum { TOLD_ORIGINS = 4, TOLD_COPIERS = 32, COMPARED = 6 };

void og_copiers_init(struct og_copiers *chain, const og_allocator *allocator)
{
    *chain = (struct og_copiers){.allocator = allocator};
    og_scratch_init(&chain->scratch, allocator);
}

void og_copiers_release(struct og_copiers *chain)
{
    const og_allocator *a = chain->allocator;
    OG_UNGROW(a, chain->origins, chain->origins_cap);
    OG_UNGROW(a, chain->copiers, chain->copiers_cap);
    OG_UNGROW(a, chain->fps, chain->fps_cap);
    og_scratch_release(&chain->scratch);
}

/* ---- origins ---- */

static const struct og_origin_side *side_of(const og_trace *trace,
                                            uint64_t number)
{
    const struct og_confirming *c = &trace->confirming;
    for (uint32_t i = 0; i < c->n_docs; i++)
        if (c->docs[i] == number && trace->origins.sides[i].has_text)
            return &trace->origins.sides[i];
    return NULL;
}

static og_status add_origin(struct og_copiers *chain, const og_span *span,
                            og_trace *trace, bool confirmed, og_error *err)
{
    struct og_entry entry;
    if (!OG_GROW(chain->allocator, chain->origins, chain->origins_cap,
                 chain->n_origins + 1))
        return og_error_memory(err, sizeof(og_origin), "origins");
    TRY(og_lookup_get(&trace->lookup, (uint32_t)span->origin, &entry, err));
    const struct og_origin_side *side =
        confirmed ? side_of(trace, span->origin) : NULL;
    chain->origins[chain->n_origins++] = (og_origin){
        .number = span->origin,
        .id = entry.id,
        .title = entry.title,
        .url = entry.url,
        .time = entry.has_time ? entry.time : 0,
        .has_time = entry.has_time,
        .time_source = entry.time_source,
        .text = side != NULL ? (og_bytes){side->source, side->source_len}
                             : (og_bytes){"", 0},
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

/* ---- copiers ---- */

struct copies {
    struct og_pending_copy data[TOLD_COPIERS];
    size_t n;
    uint32_t self; /* the document itself, if it is known */
    uint32_t end;  /* documents from here on came later than the question */
};

static bool add_copy(void *ctx, uint32_t copier, uint32_t n_tokens)
{
    struct copies *c = ctx;
    if (copier != c->self && copier < c->end)
        c->data[c->n++] =
            (struct og_pending_copy){.copier = copier, .n_tokens = n_tokens};
    return c->n < TOLD_COPIERS;
}

/* From the catalogue on disk what is not pending, then what is. A view may be
 * newer than what a reader has replayed: its own pending entries go first. */
static og_status look_for_copies(og_store *store, og_trace *trace,
                                 uint32_t origin, uint32_t first,
                                 struct copies *out, og_error *err)
{
    struct og_pending_copy pending[TOLD_COPIERS];
    struct og_documents_view *view = &trace->lookup.view;
    const uint32_t end = out->end;
    out->n = 0;
    out->end = first < end ? first : end;
    TRY(og_documents_view_begin(view, err));
    const og_status status =
        og_documents_copiers(view, origin, TOLD_COPIERS, add_copy, out, err);
    og_documents_view_end(view);
    out->end = end;
    const size_t n =
        og_pending_copiers(&store->pending, origin, TOLD_COPIERS, pending);
    for (size_t i = 0; i < n && out->n < TOLD_COPIERS; i++)
        if (pending[i].copier >= first)
            (void)add_copy(out, pending[i].copier, pending[i].n_tokens);
    return status;
}

/* Again when the writer of this process has just emptied the pending ones. */
static og_status find_copies(og_store *store, og_trace *trace, uint32_t origin,
                             struct copies *out, og_error *err)
{
    enum { MOST_TRIES = 4 };
    for (int i = 0; i < MOST_TRIES; i++) {
        const uint32_t first = og_pending_first(&store->pending);
        TRY(look_for_copies(store, trace, origin, first, out, err));
        if (og_pending_first(&store->pending) == first) break;
    }
    return OG_OK;
}

static int by_time(const void *a, const void *b)
{
    const og_copier *x = a;
    const og_copier *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static og_status add_copiers(struct og_copiers *chain, og_store *store,
                             og_trace *trace, const struct copies *copies,
                             og_error *err)
{
    struct og_entry entry;
    for (size_t i = 0; i < copies->n; i++) {
        const uint32_t number = copies->data[i].copier;
        if (og_catalogue_is_removed(&store->catalogue, number)) continue;
        TRY(og_lookup_get(&trace->lookup, number, &entry, err));
        chain->copiers[chain->n_copiers++] = (og_copier){
            .number = number,
            .id = entry.id,
            .time = entry.has_time ? entry.time : 0,
            .has_time = entry.has_time,
            .n_tokens = copies->data[i].n_tokens,
        };
    }
    return OG_OK;
}

static og_status gather_copiers(struct og_copiers *chain, og_store *store,
                                const struct og_subject *subject,
                                og_trace *trace, og_error *err)
{
    const size_t n =
        chain->n_origins < TOLD_ORIGINS ? chain->n_origins : TOLD_ORIGINS;
    chain->n_copiers = 0;
    if (!OG_GROW(chain->allocator, chain->copiers, chain->copiers_cap,
                 TOLD_ORIGINS * TOLD_COPIERS))
        return og_error_memory(err, sizeof(og_copier), "copiers");
    for (size_t i = 0; i < n; i++) {
        og_origin *origin = &chain->origins[i];
        struct copies copies = {
            .n = 0,
            .self = subject->is_known ? subject->latest : OG_NO_DOC,
            .end = atomic_load(&store->catalogue.n_published)};
        const size_t first = chain->n_copiers;
        TRY(find_copies(store, trace, (uint32_t)origin->number, &copies, err));
        TRY(add_copiers(chain, store, trace, &copies, err));
        origin->copiers = chain->copiers + first;
        origin->n_copiers = chain->n_copiers - first;
        if (origin->n_copiers > 1)
            qsort(chain->copiers + first, origin->n_copiers, sizeof(og_copier),
                  by_time);
    }
    return OG_OK;
}

/* ---- the best match ---- */

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;
    return (*x > *y) - (*x < *y);
}

static og_status sort_fps(struct og_copiers *chain,
                          const struct og_selection *sel, og_error *err)
{
    if (!OG_GROW(chain->allocator, chain->fps, chain->fps_cap, sel->n))
        return og_error_memory(err, 8 * sel->n, "fingerprints");
    memcpy(chain->fps, sel->fp, sel->n * sizeof(uint64_t));
    qsort(chain->fps, sel->n, sizeof(uint64_t), by_value);
    return OG_OK;
}

/* The share of the document's fingerprints that this one has. Every fingerprint
 * is counted once: it is taken out of the list, as it were, by its mark. */
static og_status share_with(struct og_copiers *chain, og_store *store,
                            uint32_t number, size_t n, og_trace *trace,
                            double *out, og_error *err)
{
    const struct og_selection *sel = &chain->scratch.prepared.selection;
    struct og_entry entry;
    og_bytes text;
    size_t n_shared = 0;
    TRY(og_lookup_get(&trace->lookup, number, &entry, err));
    TRY(og_text_reader_get(trace->origins.reader, &entry.place, entry.text_len,
                           &text, NULL, err));
    TRY(og_scratch_prepare(&chain->scratch, text, &store->prepare, err));
    uint64_t *found = sel->fp;
    for (size_t i = 0; i < sel->n; i++)
        if (bsearch(&sel->fp[i], chain->fps, n, sizeof(uint64_t), by_value) !=
            NULL)
            found[n_shared++] = sel->fp[i];
    if (n_shared > 1) qsort(found, n_shared, sizeof(uint64_t), by_value);
    size_t n_once = 0;
    for (size_t i = 0; i < n_shared; i++)
        n_once += i == 0 || found[i] != found[i - 1];
    *out = (double)n_once / (double)n;
    og_scratch_trim(&chain->scratch);
    return OG_OK;
}

static og_status find_best(struct og_copiers *chain, og_answer *answer,
                           const struct og_subject *subject, og_store *store,
                           og_trace *trace, og_error *err)
{
    const struct og_selection *sel = &subject->prepared->selection;
    if (chain->n_origins == 0 || trace->origins.reader == NULL || sel->n == 0)
        return OG_OK;
    const og_origin *origin = &chain->origins[0];
    double best = 0;
    double share = 0;
    TRY(sort_fps(chain, sel, err));
    TRY(share_with(chain, store, (uint32_t)origin->number, sel->n, trace, &best,
                   err));
    for (size_t i = 0; i < origin->n_copiers && i < COMPARED; i++) {
        const og_copier *copier = &origin->copiers[origin->n_copiers - 1 - i];
        if (!og_catalogue_is_before(&store->catalogue, (uint32_t)copier->number,
                                    subject->place))
            continue;
        TRY(share_with(chain, store, (uint32_t)copier->number, sel->n, trace,
                       &share, err));
        if (share <= best) continue;
        best = share;
        answer->best_id = copier->id;
        answer->best_share = share;
    }
    return OG_OK;
}

og_status og_copiers_fill(struct og_copiers *chain, og_answer *answer,
                          const struct og_subject *subject, og_store *store,
                          og_trace *trace, og_error *err)
{
    const bool confirmed = trace->origins.reader != NULL;
    TRY(gather_origins(chain, answer, trace, confirmed, err));
    TRY(gather_copiers(chain, store, subject, trace, err));
    answer->origins = chain->origins;
    answer->n_origins = chain->n_origins;
    return find_best(chain, answer, subject, store, trace, err);
}
