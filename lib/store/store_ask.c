/* Querying a store: identifying a document, looking up its fingerprints, and
 * finding its origins.
 *
 * Only an *earlier* document can be an origin. As long as documents come in the
 * order of their times everything in the table is earlier, and nothing has to
 * be compared. A document that comes late drops the hits whose holder is later
 * than itself, and takes over those origins when it is added. */

#include "lib/store/store.h"

#include <string.h>

#include "lib/align/comparison.h"
#include "lib/base/checksum.h"
#include "lib/store/catalogue/shared_documents.h"
#include "lib/store/store_batch.h"
#include "lib/store/store_disk.h"
#include "lib/store/store_shared.h"
#include "lib/store/store_table.h"
#include "lib/trace/copiers.h"
#include "lib/trace/filter.h"

/* ---- traces ---- */

void og_trace_init(og_trace *trace, og_store *store)
{
    const og_allocator *allocator = store->allocator;
    trace->allocator = allocator;
    trace->store = store;
    og_scratch_init(&trace->scratch, allocator);
    og_labels_init(&trace->labels, allocator);
    trace->found = (struct og_remote_found){.reversed.allocator = allocator};
    og_scratch_init(&trace->origin_scratch, allocator);
    og_labels_init(&trace->origin_labels, allocator);
    trace->labels.earlier = og_catalogue_earlier;
    trace->labels.ctx = &store->catalogue;
    og_answering_init(&trace->answering, allocator);
    og_lookup_init(&trace->lookup, &store->pending,
                   store->disk != NULL ? store->disk->documents : NULL,
                   allocator);
    trace->lookup.shared = store->shared;
    og_origin_texts_init(&trace->origins, &trace->lookup, &store->origin_caches,
                         &store->params, allocator);
    trace->origins.token_key = store->prepare.token_key;
    og_confirming_init(&trace->confirming, allocator);
    trace->comparison = NULL;
    trace->run = NULL;
    og_copiers_init(&trace->chain, allocator);
    og_filter_rules_init(&trace->filter, allocator);
    trace->bytes = (struct og_pack){.allocator = allocator};
    memset(trace->askers, 0, sizeof(trace->askers));
}

void og_trace_release(og_trace *trace)
{
    og_index_askers_free(trace);
    og_pack_release(&trace->bytes);
    og_filter_rules_release(&trace->filter);
    og_copiers_release(&trace->chain);
    og_comparison_free(trace->comparison);
    og_confirming_release(&trace->confirming);
    og_origin_texts_release(&trace->origins);
    og_lookup_release(&trace->lookup);
    og_answering_release(&trace->answering);
    og_labels_release(&trace->labels);
    og_remote_found_release(&trace->found, trace->allocator);
    og_scratch_release(&trace->origin_scratch);
    og_labels_release(&trace->origin_labels);
    og_scratch_release(&trace->scratch);
}

og_trace *og_trace_new(og_store *store)
{
    og_trace *trace = og_allocate(store->allocator, sizeof(*trace));
    if (trace != NULL) og_trace_init(trace, store);
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

/* ---- identifying ---- */

struct og_subject og_subject_of(const og_document *doc,
                                const struct og_prepared *prepared)
{
    return (struct og_subject){.doc = doc,
                               .prepared = prepared,
                               .text_hash = og_text_hash(doc->text),
                               .text_len = doc->text.len};
}

uint64_t og_text_hash(og_bytes text)
{
    return og_checksum(text.data, text.len);
}

/* The same text again under its own id, at the same time or later (a file that
 * was touched): nothing new, and not a copy of itself. An earlier one must take
 * its place in the order, unless it is only queried. */
bool og_subject_is_same(const struct og_subject *subject,
                        const struct og_entry *entry, bool only_asks)
{
    const og_document *doc = subject->doc;
    return entry->text_hash == subject->text_hash &&
           entry->text_len == subject->text_len &&
           (only_asks || (entry->has_time == doc->has_time &&
                          (!doc->has_time || entry->time <= doc->time)));
}

og_status og_store_identify(og_store *store, struct og_subject *subject,
                            bool shared, og_trace *trace, og_error *err)
{
    const struct og_catalogue *catalogue = &store->catalogue;
    struct og_entry entry;
    og_lookup_clear(&trace->lookup);
    subject->place = shared ? og_catalogue_place_shared(catalogue, subject->doc)
                            : og_catalogue_place(catalogue, subject->doc);
    subject->n_before = subject->place.number;
    subject->same = og_same_of(store->params.same, subject->doc);
    subject->latest = subject->series = OG_NO_DOC;
    subject->is_known = false;
    if (!shared && store->shared != NULL)
        return og_store_identify_shared(store, subject, trace, err);
    if (!shared && store->disk != NULL &&
        !og_disk_may_have(store, subject->doc->id))
        return OG_OK;
    TRY(og_lookup_latest(&trace->lookup, subject->doc->id,
                         subject->place.number, &subject->latest, err));
    if (subject->latest == OG_NO_DOC) return OG_OK;
    TRY(og_lookup_get(&trace->lookup, subject->latest, &entry, err));
    subject->series =
        entry.series != OG_NO_DOC ? entry.series : subject->latest;
    if (!og_subject_is_same(subject, &entry, shared) ||
        og_catalogue_is_removed(catalogue, subject->latest))
        return OG_OK;
    subject->is_known = true;
    subject->place = (struct og_doc_place){entry.time, subject->latest};
    return OG_OK;
}

/* ---- queries ---- */

/* A holder that is not earlier than the document is not its origin, and a
 * removed document is no origin at all. */
static void drop_others(const struct og_catalogue *catalogue,
                        struct og_doc_place place, struct og_hit *hits,
                        size_t n, og_trace *trace)
{
    for (size_t i = 0; i < n; i++) {
        struct og_hit *hit = &hits[i];
        if (hit->doc == OG_NO_DOC) continue;
        const bool is_before =
            og_catalogue_is_before(catalogue, hit->doc, place);
        const bool is_removed = og_catalogue_is_removed(catalogue, hit->doc);
        if (is_before && !is_removed) continue;
        if (!is_before && !is_removed && hit->doc != place.number)
            og_entry_count_origin(trace->displaced, &trace->n_displaced,
                                  hit->doc, 1);
        *hit = (struct og_hit){.doc = OG_NO_DOC};
    }
}

/* A query of a shared store comes after all documents, however many others add:
 * those at the time of opening suffice. */
static uint32_t documents_before(const og_store *store,
                                 const struct og_subject *subject)
{
    if (store->shared == NULL || subject->n_before < OG_NO_DOC - 1)
        return subject->n_before;
    const uint64_t n = store->shared->n_documents;
    return n < OG_NO_DOC ? (uint32_t)n : OG_NO_DOC;
}

static og_status estimate(const og_store *store,
                          const struct og_subject *subject,
                          struct og_labels *labels, og_error *err)
{
    const struct og_estimate_options options = {
        .kind = store->params.estimate,
        .bridge_limit = store->params.bridge_limit,
        .n_docs = documents_before(store, subject),
    };
    return og_estimate(&subject->prepared->selection, &options, labels, err);
}

/* The hits are whole, whatever the writer does meanwhile. */
static og_status ask_shared(og_store *store, const struct og_subject *subject,
                            og_trace *trace, og_error *err)
{
    const struct og_selection *selection = &subject->prepared->selection;
    struct og_labels *labels = &trace->labels;
    TRY(og_labels_reserve(labels, selection->n, err));
    TRY(og_store_find(store, selection, true, labels->hits, NULL, err));
    trace->n_displaced = 0;
    drop_others(&store->catalogue, subject->place, labels->hits, labels->n,
                trace);
    return estimate(store, subject, labels, err);
}

/* As if it had the number that it would get, and nothing was removed. */
static bool needs_no_look(const og_store *store,
                          const struct og_subject *subject)
{
    return !subject->is_known && store->n_removed == 0 &&
           store->shared == NULL &&
           og_catalogue_is_last(&store->catalogue, subject->place);
}

/* A remote table must be given the order of the holders when it is not that of
 * their numbers. */
static bool needs_hits(const og_store *store, const struct og_subject *subject)
{
    return og_labels_shape_table(store->params.estimate, store->params.evict) ||
           (store->remote != NULL && !needs_no_look(store, subject));
}

og_status og_store_ask(og_store *store, const struct og_subject *subject,
                       bool for_answer, og_trace *trace, og_error *err)
{
    const struct og_selection *selection = &subject->prepared->selection;
    trace->n_displaced = 0;
    TRY(og_labels_reserve(&trace->labels, selection->n, err));
    trace->found.n = 0;
    if (!for_answer && !needs_hits(store, subject))
        return og_store_know(store, selection, err);
    TRY(og_store_find(store, selection, false, trace->labels.hits,
                      &trace->found, err));
    trace->labels.lost = store->remote != NULL ? trace->found.lost : NULL;
    if (!needs_no_look(store, subject))
        drop_others(&store->catalogue, subject->place, trace->labels.hits,
                    trace->labels.n, trace);
    return estimate(store, subject, &trace->labels, err);
}

og_status og_store_know(og_store *store, const struct og_selection *selection,
                        og_error *err)
{
    if (store->disk == NULL || store->remote != NULL) return OG_OK;
    return og_disk_know(store, selection->fp, selection->n, err);
}

og_status og_store_estimate(const og_store *store,
                            const struct og_subject *subject, og_trace *trace,
                            og_error *err)
{
    return estimate(store, subject, &trace->labels, err);
}

void og_store_drop(const og_store *store, const struct og_subject *subject,
                   struct og_hit *hits, og_trace *trace)
{
    trace->n_displaced = 0;
    drop_others(&store->catalogue, subject->place, hits,
                subject->prepared->selection.n, trace);
}

og_status og_store_label(const og_store *store,
                         const struct og_subject *subject,
                         const struct og_hit *hits, og_trace *trace,
                         og_error *err)
{
    const struct og_selection *selection = &subject->prepared->selection;
    trace->n_displaced = 0;
    TRY(og_labels_reserve(&trace->labels, selection->n, err));
    if (hits == NULL) return OG_OK;
    if (selection->n > 0)
        memcpy(trace->labels.hits, hits, selection->n * sizeof(*hits));
    return estimate(store, subject, &trace->labels, err);
}

/* Without a place in the origin a hit leads nowhere. */
bool og_store_can_confirm(const og_store *store)
{
    return og_store_has_texts(store) &&
           store->params.estimate == OG_ESTIMATE_CONTEXT;
}

/* With only four bases, short runs match by chance. */
#define LEAST_BASES 9

/* The context of the callbacks for confirming. */
struct confirm_context {
    og_store *store;
    og_trace *trace;
    struct og_doc_place place; /* of the document */
    uint32_t n_before;         /* documents that there were when it came */
    bool was_other;            /* the table has changed since */
};

static void expect_sides(void *ctx, const uint32_t *docs, size_t n)
{
    const struct confirm_context *c = ctx;
    og_origin_texts_expect(&c->trace->origins, docs, n);
}

static og_status give_side(void *ctx, uint32_t doc, uint32_t side,
                           struct og_align_side *out, og_error *err)
{
    const struct confirm_context *c = ctx;
    return og_origin_texts_side(&c->trace->origins, doc, side, out, err);
}

static og_status give_whole(void *ctx, uint32_t doc, uint32_t side,
                            struct og_align_side *out, og_error *err)
{
    const struct confirm_context *c = ctx;
    return og_origin_texts_whole(&c->trace->origins, doc, side, out, err);
}

static void note_named(struct og_ancestors *out, uint32_t doc)
{
    const uint16_t slot = og_store_changed_slot(doc);
    if (out->n_named > OG_NAMED) return; /* they do not fit */
    for (uint32_t i = out->n_named; i > 0; i--)
        if (out->named[i - 1] == slot) return;
    if (out->n_named < OG_NAMED) out->named[out->n_named] = slot;
    out->n_named++;
}

/* What the table had when the document came. A later one of its run may have
 * taken the fingerprint over since. */
static uint32_t holder_then(struct confirm_context *c, uint64_t fp,
                            uint32_t now)
{
    const struct og_store_batch *run = c->trace->run;
    if (run == NULL || now == OG_NO_DOC || now < c->n_before) return now;
    const uint32_t then = og_store_batch_holder(run, fp, c->n_before, now);
    c->was_other |= then != now;
    return then;
}

/* The table is queried again: its answer when `doc` was added depends on what
 * had been added by then. */
static og_status find_ancestors(struct confirm_context *c, uint32_t doc,
                                const struct og_tokens *tokens,
                                struct og_ancestors *out, og_error *err)
{
    const struct og_catalogue *catalogue = &c->store->catalogue;
    struct og_labels *labels = &c->trace->origin_labels;
    const struct og_selection *selection =
        &c->trace->origin_scratch.prepared.selection;
    struct og_entry_origin list[OG_ENTRY_ORIGINS];
    uint32_t n = 0;
    *out = (struct og_ancestors){0};
    note_named(out, doc);
    TRY(og_scratch_select(&c->trace->origin_scratch, tokens, &c->store->prepare,
                          err));
    TRY(og_labels_reserve(labels, selection->n, err));
    TRY(og_store_find(c->store, selection, true, labels->hits, NULL, err));
    for (size_t i = 0; i < selection->n; i++) {
        const uint32_t other =
            holder_then(c, selection->fp[i], labels->hits[i].doc);
        if (other == OG_NO_DOC || other == doc) continue;
        note_named(out, other);
        if (og_catalogue_earlier(catalogue, other, doc) &&
            og_catalogue_is_before(catalogue, other, c->place) &&
            !og_catalogue_is_removed(catalogue, other))
            og_entry_count_origin(list, &n, other, 1);
    }
    og_entry_sort_origins(list, n);
    for (out->n = 0; out->n < n && out->n < OG_CONFIRM_ANCESTORS; out->n++)
        out->docs[out->n] = list[out->n].doc;
    return OG_OK;
}

/* They are cached for the next document that needs them: every such document
 * comes after `doc`, so that its position makes no difference. Those of a
 * document that is being added to the table are not. */
static og_status recall_ancestors(struct confirm_context *c, uint32_t doc,
                                  const struct og_tokens *tokens,
                                  struct og_ancestors *out, og_error *err)
{
    struct og_origin_cache *cache = &c->store->origin_caches.hashes;
    const uint32_t n_whole = c->store->catalogue.n_published;
    const uint64_t order = og_store_order(c->store);
    /* Others of a run with late documents may have cached what a later one
     * found: only what was there before the run holds for all of it. */
    const struct og_store_batch *run = c->trace->run;
    const bool displaces = run != NULL && run->displaces;
    if (order != 0 && og_origin_cache_recall(cache, doc, out) &&
        !(displaces && out->order == order) &&
        og_store_still_names(c->store, out))
        return OG_OK;
    c->was_other = false;
    TRY(find_ancestors(c, doc, tokens, out, err));
    out->order = order;
    if (order != 0 && doc < n_whole && !c->was_other &&
        og_store_order(c->store) == order)
        og_origin_cache_remember(cache, doc, out);
    return OG_OK;
}

static og_status give_ancestors(void *ctx, uint32_t doc,
                                const struct og_tokens *tokens, uint32_t max,
                                uint32_t *out, uint32_t *out_n, og_error *err)
{
    struct og_ancestors found;
    *out_n = 0;
    TRY(recall_ancestors(ctx, doc, tokens, &found, err));
    for (; *out_n < found.n && *out_n < max; (*out_n)++)
        out[*out_n] = found.docs[*out_n];
    return OG_OK;
}

static og_status confirm(og_store *store, const struct og_subject *subject,
                         og_trace *trace, og_error *err)
{
    const struct og_prepared *p = subject->prepared;
    struct confirm_context context = {.store = store,
                                      .trace = trace,
                                      .place = subject->place,
                                      .n_before = subject->n_before};
    const struct og_confirm_source source = {
        .ctx = &context,
        .expect = expect_sides,
        .side = give_side,
        .whole = give_whole,
        .ancestors = give_ancestors,
        .order = {og_catalogue_earlier, &store->catalogue},
    };
    trace->confirming.reworded = trace->filter.asking.reworded;
    trace->confirming.least =
        og_filter_min_span(&trace->filter, &store->params, p->tokens.n);
    if (store->params.tokens == OG_TOKEN_DNA)
        trace->confirming.least_end = LEAST_BASES;
    if (trace->origins.reader == NULL)
        TRY(og_store_text_reader(store, &trace->origins.reader, err));
    og_origin_texts_begin(&trace->origins);
    trace->origins.keeps_sources = !trace->filter.asking.no_texts;
    return og_confirm(
        &trace->confirming,
        (struct og_align_side){.text = &p->text, .tokens = &p->tokens},
        &p->selection, &trace->labels, &source, err);
}

/* The latest version before this one; nothing, when it is the first or the last
 * one was removed. */
static og_status read_last_version(og_store *store, uint32_t number,
                                   og_trace *trace, og_document *out,
                                   og_error *err)
{
    struct og_entry entry;
    og_bytes text;
    *out = (og_document){.id = {"", 0}, .text = {"", 0}};
    if (number == OG_NO_DOC ||
        og_catalogue_is_removed(&store->catalogue, number))
        return OG_OK;
    if (trace->origins.reader == NULL)
        TRY(og_store_text_reader(store, &trace->origins.reader, err));
    og_origin_texts_begin(&trace->origins);
    TRY(og_origin_texts_source(&trace->origins, number, &text, err));
    TRY(og_lookup_get(&trace->lookup, number, &entry, err));
    *out = og_entry_document(&entry, text);
    return OG_OK;
}

/* What a document shares with its last version, and with nothing else. A
 * version is expected to share most of the previous one: even a few consecutive
 * tokens are significant. */
enum { LEAST_KEPT = 3 };

static og_status answer_since_last(og_store *store,
                                   const struct og_subject *subject,
                                   og_trace *trace, og_error *err)
{
    og_compare_options options = og_compare_options_default();
    og_document last;
    options.tokens = store->params.tokens;
    options.reworded = false;
    options.min_copy = LEAST_KEPT;
    if (trace->comparison == NULL) trace->comparison = og_comparison_new();
    if (trace->comparison == NULL)
        return og_error_memory(err, sizeof(last), "a comparison");
    TRY(read_last_version(store, subject->latest, trace, &last, err));
    TRY(og_compare(trace->comparison, subject->doc, &last, &options, err));
    og_comparison_number(trace->comparison, subject->latest);
    trace->answering.answer = *og_comparison_answer(trace->comparison);
    return OG_OK;
}

og_status og_store_answer(og_store *store, const struct og_subject *subject,
                          og_trace *trace, og_error *err)
{
    if (trace->filter.asking.since_last)
        return answer_since_last(store, subject, trace, err);
    const struct og_evidence evidence = {&trace->confirming, &trace->origins};
    const bool confirmed =
        og_store_can_confirm(store) && !trace->filter.asking.no_verify;
    struct og_filter filter;
    TRY(og_filter_apply(&trace->filter, store, subject, &trace->labels, &filter,
                        err));
    if (confirmed) TRY(confirm(store, subject, trace, err));
    TRY(og_answering_build(&trace->answering, subject->prepared, &trace->labels,
                           &trace->lookup, confirmed ? &evidence : NULL,
                           &filter, err));
    return og_copiers_fill(&trace->chain, &trace->answering.answer, subject,
                           store, trace, confirmed, err);
}

og_status og_store_trace_subject(og_store *store, struct og_subject *subject,
                                 og_trace *trace, og_error *err)
{
    TRY(og_store_identify(store, subject, true, trace, err));
    TRY(ask_shared(store, subject, trace, err));
    return og_store_answer(store, subject, trace, err);
}

static og_status trace_document(og_store *store, const og_document *doc,
                                og_trace *trace, og_error *err)
{
    const struct og_prepared *p = &trace->scratch.prepared;
    TRY(og_scratch_prepare(&trace->scratch, doc->text, &store->prepare, err));
    struct og_subject subject = og_subject_of(doc, p);
    return og_store_trace_subject(store, &subject, trace, err);
}

og_status og_store_trace(og_store *store, const og_document *doc,
                         og_trace *trace, og_error *err)
{
    trace->answering.answer = (og_answer){0};
    TRY(og_index_need_passages(store, err));
    return trace_document(store, doc, trace, err);
}
