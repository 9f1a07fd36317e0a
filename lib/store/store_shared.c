#include "lib/store/store_shared.h"

#include <string.h>

#include "lib/remote/remote_catalogue.h"
#include "lib/store/catalogue/shared_documents.h"
#include "lib/store/store_table.h"
#include "lib/store/store_texts.h"
#include "lib/store/text/texts.h"

/* ---- opening ---- */

/* The store's own table holds nothing: it has the shape of fingerprints. */
#define NO_TABLE ((uint64_t)1 << 20)

static og_status open_texts(og_store *store, og_error *err)
{
    const struct og_texts_options options = {
        .uuid = store->shared->conf.uuid,
        .elsewhere = store->shared->remote,
        .allocator = store->allocator,
    };
    TRY(og_framer_init(&store->keeping.framer, store->allocator, err));
    return og_texts_open(NULL, &options, &store->keeping.texts, err);
}

static og_status open_parts(og_store *store, og_error *err)
{
    og_params small = store->params;
    if (small.memory > NO_TABLE) small.memory = NO_TABLE;
    const struct og_table_options options = og_store_table_options(&small);
    TRY(og_table_init(&store->table, &options, store->allocator, err));
    return store->params.no_texts ? OG_OK : open_texts(store, err);
}

static og_status check_params(const og_params *params, unsigned indexes,
                              og_error *err)
{
    TRY(og_params_check(params, err));
    TRY(og_store_check_elsewhere(params, err));
    if ((indexes & OG_INDEX_PASSAGES) == 0 ||
        (indexes & ~(unsigned)(OG_INDEX_PASSAGES | OG_INDEX_NEAR)) != 0)
        return og_error_set(err, OG_ERR_USAGE,
                            "a store on servers has an index of passages, and "
                            "may have one of near-duplicates, but no other");
    if (!params->no_texts || indexes == OG_INDEX_PASSAGES) return OG_OK;
    return og_error_set(err, OG_ERR_USAGE,
                        "a store without texts can have an index of passages "
                        "alone");
}

og_status og_store_open_shared(og_store *store, const char *address,
                               og_access access, const og_params *params,
                               unsigned indexes, og_error *err)
{
    const bool is_made = access == OG_CREATE;
    if (is_made) TRY(check_params(params, indexes, err));
    og_catalogue_init(&store->catalogue, NULL, 0, INT64_MIN, store->allocator);
    og_pending_init(&store->pending, 0, store->allocator);
    store->is_read_only = access == OG_READ;
    og_status status = og_catalogue_share(&store->catalogue, err);
    if (status == OG_OK)
        status = og_shared_open(address, is_made ? params : NULL, indexes,
                                &store->catalogue, store->allocator,
                                &store->shared, err);
    if (status == OG_OK) {
        store->params = store->shared->conf.params;
        store->table_memory = store->params.memory;
        store->indexes.on = store->shared->conf.indexes;
        status = open_parts(store, err);
    }
    if (status == OG_OK) return OG_OK;
    og_keeping_close(&store->keeping);
    og_store_close_shared(store);
    og_table_release(&store->table);
    og_pending_release(&store->pending);
    og_catalogue_release(&store->catalogue);
    return status;
}

void og_store_close_shared(og_store *store)
{
    if (store->alone != NULL) {
        og_store_batch_release(store->alone);
        og_release(store->allocator, store->alone, sizeof(*store->alone));
        store->alone = NULL;
    }
    og_shared_close(store->shared);
    store->shared = NULL;
}

/* ---- identifying ---- */

og_status og_store_claim(og_store *store, const struct og_id_asker *askers,
                         size_t n, og_error *err)
{
    if (store->shared == NULL) return OG_OK;
    return og_shared_claim(store->shared, askers, n, &store->catalogue.latest,
                           err);
}

/* The document with its id exists: the same one, an older version, or one that
 * was not committed. */
static void compare_with(const og_store *store, struct og_subject *subject,
                         const struct og_id_claim *claim,
                         const struct og_entry *entry, bool is_own)
{
    subject->latest = claim->found;
    subject->series = entry->series != OG_NO_DOC ? entry->series : claim->found;
    subject->takes_id = true;
    if (!og_subject_is_same(subject, entry, false) ||
        og_catalogue_is_removed(&store->catalogue, claim->found))
        return;
    subject->takes_id = false;
    subject->place = (struct og_doc_place){entry->time, claim->found};
    subject->is_known = claim->is_committed || is_own;
    if (subject->is_known) return;
    subject->latest = OG_NO_DOC;
    subject->series = entry->series;
}

og_status og_store_identify_shared(og_store *store, struct og_subject *subject,
                                   og_trace *trace, og_error *err)
{
    const struct og_shared *shared = store->shared;
    const struct og_id_claim *claim = og_shared_claim_of(shared, subject->doc);
    struct og_id_claim found = {.number = OG_NO_DOC - 1, .is_committed = true};
    struct og_entry entry;
    if (claim == NULL) { /* it is only queried */
        TRY(og_shared_latest(store->shared, subject->doc->id, &found.found,
                             err));
        found.is_there = found.found != OG_NO_DOC;
        claim = &found;
    }
    subject->place.number = subject->n_before = claim->number;
    subject->takes_id = false;
    if (claim->found == OG_NO_DOC) return OG_OK;
    const bool is_own =
        claim->found >= shared->first && claim->found < shared->end;
    if (!claim->is_there && !is_own) {
        /* The front end that claimed the id has gone, or is slow. The document
         * is added under the claimed number: if the other one adds it after
         * all, it adds the same, and the document exists once. */
        subject->place.number = claim->found;
        return OG_OK;
    }
    /* From this block, and not yet put: it will be identified again. */
    if (is_own && !og_catalogue_knows(&store->catalogue, claim->found)) {
        subject->latest = subject->series = claim->found;
        return OG_OK;
    }
    TRY(og_lookup_get(&trace->lookup, claim->found, &entry, err));
    compare_with(store, subject, claim, &entry, is_own);
    return OG_OK;
}

/* ---- other front ends ---- */

static og_status know(void *ctx, const uint32_t *numbers, size_t n,
                      og_error *err)
{
    const struct og_store_batch *b = ctx;
    return og_shared_know(b->store->shared, numbers, n, err);
}

static void meet(void *ctx, size_t part, uint32_t number)
{
    const struct og_store_batch *b = ctx;
    struct og_run_doc *doc = &b->docs[part];
    if (og_catalogue_is_removed(&b->store->catalogue, number)) return;
    og_entry_count_origin(doc->entry.origins, &doc->entry.n_origins, number, 1);
    doc->has_met = true;
}

struct og_remote_sharing og_store_batch_sharing(struct og_store_batch *b)
{
    return (struct og_remote_sharing){b, know, meet};
}

/* ---- adding ---- */

/* What put and commit are given, for all documents of a run. */
struct putting {
    struct og_remote_entry *entries;
    uint32_t *numbers, *origins;
    size_t entries_cap, numbers_cap, origins_cap;
    size_t n, n_origins;
};

static og_status reserve_putting(const struct og_store_batch *b,
                                 struct putting *p, og_error *err)
{
    if (OG_GROW(b->allocator, p->entries, p->entries_cap, b->n) &&
        OG_GROW(b->allocator, p->numbers, p->numbers_cap, b->n) &&
        OG_GROW(b->allocator, p->origins, p->origins_cap,
                b->n * OG_ENTRY_ORIGINS))
        return OG_OK;
    return og_error_memory(err, b->n * sizeof(*p->entries), "a batch");
}

static void release_putting(const struct og_store_batch *b, struct putting *p)
{
    OG_UNGROW(b->allocator, p->entries, p->entries_cap);
    OG_UNGROW(b->allocator, p->numbers, p->numbers_cap);
    OG_UNGROW(b->allocator, p->origins, p->origins_cap);
}

static void add_putting(struct putting *p, const struct og_run_doc *doc)
{
    const struct og_entry *e = &doc->entry;
    struct og_remote_entry *out = &p->entries[p->n];
    *out = (struct og_remote_entry){
        .number = doc->subject.place.number,
        .id = doc->subject.doc->id,
        .sets_id = doc->subject.takes_id,
        .entry = {(const char *)doc->bytes.data, doc->entry_len},
        .origins = p->origins + p->n_origins,
        .n_origins = e->n_origins,
        .is_version = e->series != OG_NO_DOC,
        .series = e->series,
    };
    for (uint32_t i = 0; i < e->n_origins; i++)
        p->origins[p->n_origins++] = e->origins[i].doc;
    p->numbers[p->n++] = out->number;
}

/* `only_met`: those that met other documents since. */
static og_status put_documents(struct og_store_batch *b, struct putting *p,
                               bool only_met, og_error *err)
{
    p->n = p->n_origins = 0;
    for (size_t i = 0; i < b->n; i++)
        if (b->docs[i].is_added && (!only_met || b->docs[i].has_met))
            add_putting(p, &b->docs[i]);
    return og_shared_put(b->store->shared, p->entries, p->n, err);
}

/* Their entries now name the documents that arrived meanwhile. */
static og_status put_met(struct og_store_batch *b, struct putting *p,
                         og_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++) {
        struct og_run_doc *doc = &b->docs[i];
        if (!doc->is_added || !doc->has_met) continue;
        og_entry_sort_origins(doc->entry.origins, doc->entry.n_origins);
        doc->bytes.len = 0;
        og_entry_pack(&doc->entry, &doc->bytes);
        if (doc->bytes.failed) return og_error_memory(err, 256, "an entry");
        doc->entry_len = doc->bytes.len;
        n++;
    }
    return n > 0 ? put_documents(b, p, true, err) : OG_OK;
}

static og_status commit_documents(struct og_store_batch *b, struct putting *p,
                                  og_error *err)
{
    int64_t *latest = &b->store->catalogue.latest;
    p->n = 0;
    for (size_t i = 0; i < b->n; i++) {
        const struct og_doc_place *place = &b->docs[i].subject.place;
        if (!b->docs[i].is_added) continue;
        p->numbers[p->n++] = place->number;
        if (place->time > *latest) *latest = place->time;
    }
    TRY(og_remote_catalogue_commit(b->store->shared->remote, p->numbers, p->n,
                                   *latest, err));
    b->store->shared->n_documents += p->n;
    return OG_OK;
}

og_status og_store_batch_take_shared(struct og_store_batch *b,
                                     const struct og_phases *phases,
                                     og_error *err)
{
    const struct og_table_protocol table = og_remote_batch_protocol(&b->remote);
    struct putting p = {0};
    og_status status = reserve_putting(b, &p, err);
    if (status == OG_OK) status = put_documents(b, &p, false, err);
    if (status == OG_OK)
        status = table.observe(table.ctx, phases, b->parts, b->n, err);
    if (status == OG_OK) status = put_met(b, &p, err);
    release_putting(b, &p);
    return status;
}

og_status og_store_batch_commit_shared(struct og_store_batch *b, og_error *err)
{
    struct putting p = {0};
    og_status status = reserve_putting(b, &p, err);
    if (status == OG_OK) status = commit_documents(b, &p, err);
    release_putting(b, &p);
    return status;
}

/* ---- by itself ---- */

static og_status same_trace(void *ctx, void *worker, og_trace **out,
                            og_error *err)
{
    (void)worker, (void)err;
    *out = ctx;
    return OG_OK;
}

static og_status new_alone(og_store *store, og_error *err)
{
    if (store->alone != NULL) return OG_OK;
    store->alone = og_allocate_zero(store->allocator, sizeof(*store->alone));
    if (store->alone == NULL)
        return og_error_memory(err, sizeof(*store->alone), "a batch");
    og_store_batch_init(store->alone, store);
    store->alone->trace_of = same_trace;
    return OG_OK;
}

og_status og_store_take_alone(og_store *store, const struct og_subject *subject,
                              og_trace *trace, og_error *err)
{
    const struct og_phases phases = og_phases_alone(NULL);
    struct og_subject one = *subject;
    TRY(new_alone(store, err));
    struct og_store_batch *b = store->alone;
    b->ctx = trace;
    TRY(og_store_batch_begin(b, 1, err));
    if (!og_store_batch_add(b, &one, true))
        return og_error_set(err, OG_ERR_LIMIT,
                            "a document of %zu fingerprints is too long",
                            subject->prepared->selection.n);
    b->lot++;
    TRY(og_store_batch_label(b, &phases, err));
    TRY(og_store_batch_take_shared(b, &phases, err));
    return og_store_batch_tidy(b, &phases, err);
}
