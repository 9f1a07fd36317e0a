/* A store that lives in memory: a table of prints and a catalogue of documents.
 *
 * A document goes through the stages (scratch.c), is looked up, labelled and
 * answered (answer.c), and at last taken in: first the catalogue, then the
 * table, then it is published. In this order a reader that finds a number in
 * the table always finds its entry in the catalogue.
 *
 * Only an *earlier* document can be an origin. As long as documents come in the
 * order of their times all that the table holds is earlier, and nothing has to
 * be compared. A document that comes late drops the hits whose holder is later
 * than itself, and takes those origins over when it is added. */

#include "lib/store_memory.h"

#include <assert.h>
#include <string.h>

/* ---- traces ---- */

void og_trace_init(og_trace *trace, const og_allocator *allocator)
{
    trace->allocator = allocator;
    og_scratch_init(&trace->scratch, allocator);
    og_labels_init(&trace->labels, allocator);
    og_answering_init(&trace->answering, allocator);
}

void og_trace_release(og_trace *trace)
{
    og_answering_release(&trace->answering);
    og_labels_release(&trace->labels);
    og_scratch_release(&trace->scratch);
}

og_trace *og_trace_new(og_store *store)
{
    og_trace *trace = og_allocate(store->allocator, sizeof(*trace));
    if (trace != NULL) og_trace_init(trace, store->allocator);
    return trace;
}

void og_trace_free(og_trace *trace)
{
    if (trace == NULL) return;
    og_trace_release(trace);
    og_release(trace->allocator, trace, sizeof(*trace));
}

const og_answer *og_trace_answer(const og_trace *trace)
{
    return &trace->answering.answer;
}

/* ---- opening and closing ---- */

static void set_stages(og_store *store)
{
    const og_params *p = &store->params;
    og_shingle_key_init(&store->shingle_key, og_rabin_default(),
                        p->shingle_len);
    store->prepare = (struct og_prepare_options){
        .tokens = p->tokens,
        .token_key = p->key,
        .shingle_key = &store->shingle_key,
        .select = p->select,
        .note = og_estimate_note(p->estimate),
    };
}

static og_status make_table(og_store *store, og_error *err)
{
    const og_params *p = &store->params;
    const struct og_table_options options = {
        .layout = p->layout,
        .evict = p->evict,
        .fields = og_estimate_fields(p->estimate),
        .bucket_slots = p->bucket_slots,
        .memory = p->memory,
    };
    return og_table_init(&store->table, &options, store->allocator, err);
}

og_status og_store_open_in(const char *path, const og_params *params,
                           const og_allocator *allocator, og_store **out,
                           og_error *err)
{
    *out = NULL;
    const og_params used = params != NULL ? *params : og_params_default();
    if (strcmp(path, ":memory:") != 0)
        return og_error_set(err, OG_ERR_STORE,
                            "cannot open store '%s': this version keeps stores "
                            "in memory only; use ':memory:'",
                            path);
    TRY(og_params_check(&used, err));
    og_store *store = og_allocate_zero(allocator, sizeof(*store));
    if (store == NULL) return og_error_memory(err, sizeof(*store), "a store");
    store->allocator = allocator;
    store->params = used;
    set_stages(store);
    og_catalogue_init(&store->catalogue, allocator);
    const og_status status = make_table(store, err);
    if (status != OG_OK) {
        og_release(allocator, store, sizeof(*store));
        return status;
    }
    *out = store;
    return OG_OK;
}

og_status og_store_open(const char *path, const og_params *params,
                        og_store **out, og_error *err)
{
    return og_store_open_in(path, params, NULL, out, err);
}

void og_store_close(og_store *store)
{
    if (store == NULL) return;
    og_trace_free(store->own_trace);
    og_catalogue_release(&store->catalogue);
    og_table_release(&store->table);
    og_release(store->allocator, store, sizeof(*store));
}

void og_store_warm(og_store *store)
{
    og_pages_touch(&store->table.pages);
}

const og_params *og_store_params(const og_store *store)
{
    return &store->params;
}

void og_store_info_get(const og_store *store, og_store_info *out)
{
    *out = (og_store_info){
        .n_documents = store->catalogue.n,
        .table_bytes = store->table.pages.len,
        .n_slots = og_table_slots(&store->table),
        .n_slots_used = store->table.n_used,
        .n_evicted = store->table.n_evicted,
    };
}

/* ---- asking ---- */

/* A holder that is not earlier than the document is not its origin. */
static void drop_later(const struct og_catalogue *catalogue,
                       struct og_place place, struct og_labels *labels)
{
    for (size_t i = 0; i < labels->n; i++) {
        struct og_hit *hit = &labels->hits[i];
        if (hit->doc != OG_NO_DOC &&
            !og_catalogue_is_before(catalogue, hit->doc, place))
            *hit = (struct og_hit){.doc = OG_NO_DOC};
    }
}

static og_status estimate(const og_store *store,
                          const struct og_selection *selection,
                          struct og_labels *labels, og_error *err)
{
    const struct og_estimate_options options = {
        .kind = store->params.estimate,
        .bridge_limit = store->params.bridge_limit,
    };
    return og_estimate(selection, &options, labels, err);
}

static og_status trace_document(const og_store *store, const og_document *doc,
                                og_trace *trace, og_error *err)
{
    const struct og_prepared *p = &trace->scratch.prepared;
    struct og_labels *labels = &trace->labels;
    TRY(og_scratch_prepare(&trace->scratch, doc->text, &store->prepare, err));
    TRY(og_labels_reserve(labels, p->selection.n, err));
    const struct og_place place =
        og_catalogue_place_shared(&store->catalogue, doc);
    og_table_find_shared(&store->table, p->selection.print, p->selection.n,
                         labels->hits);
    drop_later(&store->catalogue, place, labels);
    TRY(estimate(store, &p->selection, labels, err));
    return og_answering_build(&trace->answering, p, labels, &store->catalogue,
                              err);
}

og_status og_store_trace(og_store *store, const og_document *doc,
                         og_trace *trace, og_error *err)
{
    trace->answering.answer = (og_answer){0};
    return trace_document(store, doc, trace, err);
}

/* ---- taking in ---- */

bool og_store_keeps(const og_store *store, const struct og_prepared *prepared)
{
    return prepared->tokens.n >= store->params.min_tokens;
}

og_status og_store_ask(const og_store *store, const og_document *doc,
                       const struct og_prepared *prepared, bool for_answer,
                       og_trace *trace, og_error *err)
{
    const struct og_selection *selection = &prepared->selection;
    const struct og_place place = og_catalogue_place(&store->catalogue, doc);
    TRY(og_labels_reserve(&trace->labels, selection->n, err));
    if (!for_answer &&
        !og_labels_shape_table(store->params.estimate, store->params.evict))
        return OG_OK;
    og_table_find_many(&store->table, selection->print, selection->n,
                       trace->labels.hits);
    if (!og_catalogue_is_last(&store->catalogue, place))
        drop_later(&store->catalogue, place, &trace->labels);
    return estimate(store, selection, &trace->labels, err);
}

og_status og_store_take(og_store *store, const og_document *doc,
                        const struct og_prepared *prepared, og_trace *trace,
                        og_error *err)
{
    const struct og_selection *selection = &prepared->selection;
    struct og_catalogue *catalogue = &store->catalogue;
    const bool is_last =
        og_catalogue_is_last(catalogue, og_catalogue_place(catalogue, doc));
    TRY(og_catalogue_append(catalogue, doc, err));
    struct og_additions additions = og_labels_additions(
        &trace->labels, selection, store->params.evict, catalogue->n - 1);
    additions.earlier = is_last ? NULL : og_catalogue_earlier;
    additions.ctx = catalogue;
    og_table_add_many(&store->table, &additions);
    og_catalogue_publish(catalogue);
    return OG_OK;
}

static og_status add_document(og_store *store, const og_document *doc,
                              bool for_answer, og_trace *trace, og_error *err)
{
    const struct og_prepared *p = &trace->scratch.prepared;
    TRY(og_scratch_prepare(&trace->scratch, doc->text, &store->prepare, err));
    TRY(og_store_ask(store, doc, p, for_answer, trace, err));
    if (for_answer)
        TRY(og_answering_build(&trace->answering, p, &trace->labels,
                               &store->catalogue, err));
    if (!og_store_keeps(store, p)) return OG_OK;
    return og_store_take(store, doc, p, trace, err);
}

og_status og_store_add(og_store *store, const og_document *doc, og_trace *trace,
                       og_error *err)
{
    if (trace != NULL) {
        trace->answering.answer = (og_answer){0};
        return add_document(store, doc, true, trace, err);
    }
    if (store->own_trace == NULL) store->own_trace = og_trace_new(store);
    if (store->own_trace == NULL)
        return og_error_memory(err, sizeof(og_trace), "a trace");
    const og_status status =
        add_document(store, doc, false, store->own_trace, err);
    og_scratch_trim(&store->own_trace->scratch);
    return status;
}
