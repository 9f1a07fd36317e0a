#include "lib/near/near_batch.h"

#include <string.h>

#include "lib/base/hash_table.h"

#define NOT_ADDED UINT32_MAX

void og_near_batch_release(struct og_near_batch *r)
{
    OG_UNGROW(NULL, r->docs, r->docs_cap);
    OG_UNGROW(NULL, r->buckets, r->buckets_cap);
    OG_UNGROW(NULL, r->before, r->before_cap);
    OG_UNGROW(NULL, r->newest, r->newest_cap);
    OG_UNGROW(NULL, r->moves, r->moves_cap);
    OG_UNGROW(NULL, r->moved, r->moved_cap);
}

og_status og_near_batch_begin(struct og_near_batch *r, size_t n, og_error *err)
{
    if (!OG_GROW(NULL, r->docs, r->docs_cap, n))
        return og_error_memory(err, n * sizeof(*r->docs), "a run");
    if (n > 0) memset(r->docs, 0, n * sizeof(*r->docs));
    r->n = n;
    return OG_OK;
}

static bool is_added(const struct og_near_batch_doc *d)
{
    return d->number != NOT_ADDED;
}

static og_status make_room(struct og_near_batch *r, og_error *err)
{
    const size_t n_bands = og_near_index_bands(r->near->index);
    const size_t n = r->n;
    r->n_newest = og_hash_slots_for(n, 16);
    if (!OG_GROW(NULL, r->buckets, r->buckets_cap, n * n_bands) ||
        !OG_GROW(NULL, r->before, r->before_cap, n * n_bands) ||
        !OG_GROW(NULL, r->newest, r->newest_cap, r->n_newest * n_bands) ||
        !OG_GROW(NULL, r->moves, r->moves_cap, n) ||
        !OG_GROW(NULL, r->moved, r->moved_cap, n * 2 * r->near->sketch_len))
        return og_error_memory(err, n * n_bands * 8, "a run");
    return OG_OK;
}

/* ---- sketches ---- */

static og_status sketch_document(void *ctx, void *worker, size_t i,
                                 og_error *err)
{
    struct og_near_batch *r = ctx;
    struct og_near_batch_doc *d = &r->docs[i];
    struct og_near_thread t;
    TRY(r->thread_of(r->ctx, worker, i, &t, err));
    TRY(og_near_sketch(r->near, t.asker, d->text, err));
    d->sketch = og_arena_copy(t.arena, t.asker->sketch.data,
                              r->near->sketch_len, _Alignof(uint64_t));
    og_shingler_trim(&t.asker->shingler);
    return d->sketch != NULL
               ? OG_OK
               : og_error_memory(err, r->near->sketch_len, "a sketch");
}

/* What others have added comes before all of the run. */
static og_status share_run(struct og_near_batch *r, og_error *err)
{
    og_near *near = r->near;
    struct og_pack *records = &near->records;
    if (near->log.append == NULL) return OG_OK;
    records->len = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (!is_added(&r->docs[i])) continue;
        og_pack_fixed(records, r->docs[i].number, sizeof(uint32_t));
        og_pack_bytes(records, r->docs[i].sketch, near->sketch_len);
    }
    if (records->failed) return og_error_memory(err, r->n * 64, "a run");
    return og_near_share(near, err);
}

/* ---- the run itself ---- */

static og_status link_band(void *ctx, void *worker, size_t band, og_error *err)
{
    struct og_near_batch *r = ctx;
    const struct og_near_index *index = r->near->index;
    const size_t n_bands = og_near_index_bands(index);
    uint32_t *newest = r->newest + band * r->n_newest;
    (void)worker, (void)err;
    memset(newest, 0, r->n_newest * sizeof(*newest));
    for (size_t i = 0; i < r->n; i++) {
        const uint32_t bucket =
            og_near_index_bucket(index, r->docs[i].sketch, band);
        uint32_t *at = &newest[bucket & (r->n_newest - 1)];
        r->buckets[i * n_bands + band] = bucket;
        r->before[i * n_bands + band] = *at;
        if (is_added(&r->docs[i])) *at = (uint32_t)i + 1;
    }
    return OG_OK;
}

/* Those before document i that share a band with it, the newest first, as they
 * would be in the chains of the index; n_met: how many were met in each. */
static og_status meet_run(const struct og_near_batch *r,
                          struct og_near_asker *asker,
                          const struct og_near_question *q, size_t i,
                          uint32_t *n_met, og_error *err)
{
    const struct og_near_index *index = r->near->index;
    const size_t n_bands = og_near_index_bands(index);
    for (size_t b = 0; b < n_bands; b++) {
        const uint32_t bucket = r->buckets[i * n_bands + b];
        n_met[b] = 0;
        for (uint32_t at = r->before[i * n_bands + b];
             at != 0 && n_met[b] < OG_NEAR_MOST_MET;
             at = r->before[(at - 1) * n_bands + b]) {
            const struct og_near_batch_doc *other = &r->docs[at - 1];
            const struct og_near_entry known = {.sketch = other->sketch,
                                                .document = other->number};
            if (r->buckets[(at - 1) * n_bands + b] != bucket) continue;
            n_met[b]++;
            if (og_near_index_is_first(index, other->sketch, q->sketch, b))
                TRY(og_near_meet(r->near, asker, q, OG_NEAR_OF_RUN | (at - 1),
                                 &known, err));
        }
    }
    return OG_OK;
}

/* The names of matches are those of a look-up that is soon overwritten. */
static og_status keep_met(struct og_near_batch_doc *d,
                          const struct og_near_thread *t, og_error *err)
{
    const struct og_near_asker *asker = t->asker;
    const size_t n = asker->n_met;
    if (n == 0) return OG_OK;
    d->refs = og_arena_get(t->arena, n * sizeof(*d->refs),
                           _Alignof(struct og_near_ref));
    d->matches = og_arena_get(t->arena, n * sizeof(*d->matches),
                              _Alignof(og_near_match));
    if (d->refs == NULL || d->matches == NULL)
        return og_error_memory(err, n * sizeof(*d->matches), "matches");
    for (size_t i = 0; i < n; i++) {
        const struct og_near_met *met = &asker->met[i];
        const og_bytes id = met->match.id;
        d->refs[i] = (struct og_near_ref){met->entry, met->document};
        d->matches[i] = met->match;
        d->matches[i].id.data = og_arena_copy(t->arena, id.data, id.len, 1);
        if (d->matches[i].id.data == NULL)
            return og_error_memory(err, id.len, "matches");
    }
    d->n_matches = n;
    return OG_OK;
}

static og_status ask_document(void *ctx, void *worker, size_t i, og_error *err)
{
    struct og_near_batch *r = ctx;
    struct og_near_batch_doc *d = &r->docs[i];
    struct og_near_thread t;
    uint32_t n_met[OG_NEAR_BANDS_MAX];
    TRY(r->thread_of(r->ctx, worker, i, &t, err));
    const struct og_near_question question = {.sketch = d->sketch,
                                              .text = d->text,
                                              .query = r->query,
                                              .scope = &t.scope};
    og_near_begin(t.asker);
    TRY(meet_run(r, t.asker, &question, i, n_met, err));
    TRY(og_near_meet_index(r->near, t.asker, &question, n_met, err));
    og_near_sort(t.asker);
    og_shingler_trim(&t.asker->shingler);
    return keep_met(d, &t, err);
}

/* ---- in order ---- */

/* The place of a match; NOT_ADDED: it was evicted. */
static uint32_t place_of(const struct og_near_batch *r,
                         const struct og_near_ref *ref)
{
    const uint32_t place = (ref->entry & OG_NEAR_OF_RUN) != 0
                               ? r->docs[ref->entry & ~OG_NEAR_OF_RUN].place
                               : ref->entry;
    return og_near_index_has(r->near->index, place, ref->document) ? place
                                                                   : NOT_ADDED;
}

static void settle_matches(const struct og_near_batch *r,
                           struct og_near_batch_doc *d)
{
    og_near *near = r->near;
    size_t n = 0;
    for (size_t k = 0; k < d->n_matches; k++) {
        const og_near_match match = d->matches[k];
        const uint32_t place = place_of(r, &d->refs[k]);
        if (place == NOT_ADDED) continue;
        og_near_index_touch(near->index, place);
        *(match.is_exact ? &near->n_exact : &near->n_estimated) += 1;
        d->matches[n++] = match;
    }
    d->n_matches = n;
}

static void place_document(struct og_near_batch *r, struct og_near_batch_doc *d)
{
    const struct og_near_entry entry = {.sketch = d->sketch,
                                        .document = d->number};
    struct og_near_move *move = &r->moves[r->n_moves];
    move->sketches = r->moved + r->n_moves++ * 2 * r->near->sketch_len;
    og_near_index_place(r->near->index, &entry, move);
    d->place = move->place;
    r->near->n_documents = d->number + 1;
}

static og_status rechain_band(void *ctx, void *worker, size_t band,
                              og_error *err)
{
    const struct og_near_batch *r = ctx;
    (void)worker, (void)err;
    og_near_index_rechain(r->near->index, band);
    return OG_OK;
}

static og_status reserve(struct og_near_batch *r, og_error *err)
{
    struct og_near_index *index = r->near->index;
    size_t n_added = 0;
    for (size_t i = 0; i < r->n; i++)
        n_added += is_added(&r->docs[i]);
    if (!og_near_index_reserve(index, n_added)) return OG_OK;
    return og_phases_step(r->phases, "grow", og_near_index_bands(index),
                          rechain_band, r, err);
}

static void settle(struct og_near_batch *r)
{
    r->n_moves = 0;
    for (size_t i = 0; i < r->n; i++) {
        settle_matches(r, &r->docs[i]);
        if (is_added(&r->docs[i])) place_document(r, &r->docs[i]);
    }
}

static og_status chain_band(void *ctx, void *worker, size_t band, og_error *err)
{
    const struct og_near_batch *r = ctx;
    (void)worker, (void)err;
    og_near_index_chain(r->near->index, band, r->moves, r->n_moves);
    return OG_OK;
}

og_status og_near_batch_take(struct og_near_batch *r, og_near *near,
                             og_error *err)
{
    const struct og_phases *phases = r->phases;
    const size_t n_bands = og_near_index_bands(near->index);
    r->near = near;
    if (r->query != NULL) TRY(og_near_query_check(r->query, err));
    TRY(make_room(r, err));
    TRY(og_phases_step(phases, "sketch", r->n, sketch_document, r, err));
    TRY(share_run(r, err));
    if (r->query != NULL) {
        TRY(og_phases_step(phases, "link", n_bands, link_band, r, err));
        TRY(og_phases_step(phases, "ask", r->n, ask_document, r, err));
    }
    TRY(reserve(r, err));
    settle(r);
    if (r->n_moves == 0) return OG_OK;
    return og_phases_step(phases, "chain", n_bands, chain_band, r, err);
}
