/* A store: a table of fingerprints, the order of the documents, their names; in
 * memory, or on disk as well (store_disk.c).
 *
 * A document goes through the stages (prepare.c), is looked up, labelled and
 * answered (answer.c), and at last taken in: first the journal, then the
 * catalogue, then the table, then it is published. In this order a reader that
 * finds a number in the table always finds its mark in the catalogue, and what
 * is in memory is in the journal.
 *
 * Only an *earlier* document can be an origin. As long as documents come in the
 * order of their times all that the table contains is earlier, and nothing has
 * to be compared. A document that comes late drops the hits whose holder is
 * later than itself, and takes those origins over when it is added. */

#include "lib/store/store.h"

#include <assert.h>
#include <string.h>

#include "lib/align/comparison.h"
#include "lib/base/checksum.h"
#include "lib/base/stopping.h"
#include "lib/store/store_disk.h"
#include "lib/table/common_fps.h"
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
    og_scratch_init(&trace->origin_scratch, allocator);
    og_labels_init(&trace->origin_labels, allocator);
    trace->labels.earlier = og_catalogue_earlier;
    trace->labels.ctx = &store->catalogue;
    og_answering_init(&trace->answering, allocator);
    og_lookup_init(&trace->lookup, &store->pending,
                   store->disk != NULL ? store->disk->documents : NULL,
                   allocator);
    og_origin_texts_init(&trace->origins, &trace->lookup, &store->params,
                         allocator);
    trace->origins.token_key = store->prepare.token_key;
    og_confirming_init(&trace->confirming, allocator);
    trace->comparison = NULL;
    og_copiers_init(&trace->chain, allocator);
    og_filter_rules_init(&trace->filter, allocator);
    trace->bytes = (struct og_pack){.allocator = allocator};
}

void og_trace_release(og_trace *trace)
{
    og_pack_release(&trace->bytes);
    og_filter_rules_release(&trace->filter);
    og_copiers_release(&trace->chain);
    og_comparison_free(trace->comparison);
    og_confirming_release(&trace->confirming);
    og_origin_texts_release(&trace->origins);
    og_lookup_release(&trace->lookup);
    og_answering_release(&trace->answering);
    og_labels_release(&trace->labels);
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

/* ---- opening and closing ---- */

static void set_stages(og_store *store)
{
    const og_params *p = &store->params;
    const bool is_keyed = og_store_is_keyed(store);
    og_shingle_key_init(&store->shingle_key, p->key);
    og_shingle_factors_init(&store->shingle_factors, og_rabin_default(),
                            p->shingle_len);
    store->prepare = (struct og_prepare_options){
        .tokens = p->tokens,
        .token_key = is_keyed ? 0 : p->key,
        .shingle_factors = &store->shingle_factors,
        .shingle_key = is_keyed ? &store->shingle_key : NULL,
        .select = p->select,
        .note = og_estimate_context_kind(p->estimate),
        .fold = p->fold,
        .no_fps = (store->indexes.on & OG_INDEX_PASSAGES) == 0,
    };
}

struct og_table_options og_store_table_options(const og_params *params)
{
    return (struct og_table_options){
        .layout = params->layout,
        .evict = params->evict,
        .fields = og_estimate_fields(params->estimate),
        .bucket_slots = params->bucket_slots,
        .memory = params->memory,
        /* A cell of 12 bytes for a slot in 40 or so: few fingerprints are
           common. */
        .noise_len = params->memory / 64 / OG_COMMON_LINE * OG_COMMON_LINE,
    };
}

static og_status open_in_memory(og_store *store, const og_params *params,
                                unsigned indexes, og_error *err)
{
    TRY(og_params_check(params, err));
    store->indexes.on = indexes;
    store->params = *params;
    store->params.key = og_conf_new_key(params->key);
    if ((indexes & OG_INDEX_PASSAGES) == 0) store->params.no_texts = true;
    og_params share = store->params;
    share.memory = og_memory_table_share(&share);
    const struct og_table_options options = og_store_table_options(&share);
    TRY(og_table_init(&store->table, &options, store->allocator, err));
    const og_status status = og_memory_texts_open(store, err);
    if (status != OG_OK) {
        og_table_release(&store->table);
        return status;
    }
    og_catalogue_init(&store->catalogue, NULL, 0, INT64_MIN, store->allocator);
    og_pending_init(&store->pending, 0, store->allocator);
    return OG_OK;
}

/* Without passages the table is of no use: as small as it may be. */
#define NO_TABLE ((uint64_t)1 << 20)

static og_params params_of(const og_store_options *options, unsigned indexes)
{
    og_params params =
        options->params != NULL ? *options->params : og_params_default();
    if ((indexes & OG_INDEX_PASSAGES) == 0 && params.memory > NO_TABLE)
        params.memory = NO_TABLE;
    return params;
}

og_status og_store_open(const char *path, og_access access,
                        const og_store_options *options, og_store **out,
                        og_error *err)
{
    static const og_store_options none;
    *out = NULL;
    if (options == NULL) options = &none;
    const unsigned indexes =
        options->indexes != 0 ? options->indexes : OG_INDEX_PASSAGES;
    const og_params used = params_of(options, indexes);
    og_store *store = og_allocate_zero(NULL, sizeof(*store));
    if (store == NULL) return og_error_memory(err, sizeof(*store), "a store");
    og_status status =
        strcmp(path, ":memory:") == 0
            ? open_in_memory(store, &used, indexes, err)
            : og_disk_open(store, path, access, &used, indexes, err);
    if (status != OG_OK) {
        og_release(NULL, store, sizeof(*store));
        return status;
    }
    set_stages(store);
    status = og_indexes_open(store, options, err);
    if (status != OG_OK) {
        (void)og_store_close(store, NULL);
        return status;
    }
    *out = store;
    return OG_OK;
}

og_status og_store_close(og_store *store, og_error *err)
{
    og_status status = OG_OK;
    if (store == NULL) return OG_OK;
    if (store->disk != NULL && !store->is_read_only)
        status = og_indexes_finish(store, err);
    og_indexes_close(store);
    og_trace_free(store->own_trace);
    if (store->disk != NULL) {
        const og_status closed =
            og_disk_close(store, status == OG_OK ? err : NULL);
        if (status == OG_OK) status = closed;
    }
    og_keeping_close(&store->keeping);
    og_pending_release(&store->pending);
    og_catalogue_release(&store->catalogue);
    og_table_release(&store->table);
    og_release(store->allocator, store, sizeof(*store));
    return status;
}

og_status og_store_commit(og_store *store, og_error *err)
{
    return store->disk != NULL ? og_disk_commit(store, err) : OG_OK;
}

void og_store_warm(og_store *store)
{
    /* Without memory of its own the table works as well, only slower. */
    if (og_table_take_over(&store->table, NULL) == OG_OK)
        og_pages_touch(&store->table.pages);
}

bool og_store_is_keyed(const og_store *store)
{
    return store->params.key != 0 &&
           (store->disk == NULL || store->disk->conf.is_keyed);
}

const og_params *og_store_params(const og_store *store)
{
    return &store->params;
}

/* In so many documents a passage is taken for boilerplate by info. */
#define COMMON 100

void og_store_info_get(const og_store *store, og_store_info *out)
{
    *out = (og_store_info){
        .n_documents = store->catalogue.n - store->n_removed,
        .n_removed = store->n_removed,
        .table_bytes = og_table_bytes(&store->table.options),
        .table_used_bytes = og_table_len(&store->table),
        .n_slots = og_table_slots(&store->table),
        .n_slots_used = store->table.n_used,
        .n_evicted = store->table.n_evicted,
        .n_noise = og_common_fps_over(store->table.noise,
                                      store->table.n_noise_lines, COMMON),
        .journal_bytes = store->disk != NULL ? store->disk->journal_len : 0,
    };
    og_memory_texts_count(store, &out->text_bytes, &out->text_bytes_gone);
}

/* ---- who is it? ---- */

uint64_t og_text_hash(og_bytes text)
{
    return og_checksum(text.data, text.len);
}

/* The same text again under its own id, at the same time or later (a file that
 * was touched): nothing new, and no copy of itself. One that is earlier must
 * take its place in the order, unless it is only asked about. */
static bool is_same(const struct og_subject *subject,
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
    if (!shared && store->disk != NULL &&
        !og_disk_may_have(store, subject->doc->id))
        return OG_OK;
    TRY(og_lookup_latest(&trace->lookup, subject->doc->id,
                         subject->place.number, &subject->latest, err));
    if (subject->latest == OG_NO_DOC) return OG_OK;
    TRY(og_lookup_get(&trace->lookup, subject->latest, &entry, err));
    subject->series =
        entry.series != OG_NO_DOC ? entry.series : subject->latest;
    if (!is_same(subject, &entry, shared) ||
        og_catalogue_is_removed(catalogue, subject->latest))
        return OG_OK;
    subject->is_known = true;
    subject->place = (struct og_doc_place){entry.time, subject->latest};
    return OG_OK;
}

/* ---- asking ---- */

/* The documents of most shingles; there are few, so a list will do. */
static void count_origin(struct og_entry_origin *list, uint32_t *n_list,
                         uint32_t doc, uint32_t n)
{
    uint32_t least = 0;
    for (uint32_t i = 0; i < *n_list; i++) {
        if (list[i].doc == doc) {
            list[i].n_tokens += n;
            return;
        }
        if (list[i].n_tokens < list[least].n_tokens) least = i;
    }
    const struct og_entry_origin origin = {doc, n};
    if (*n_list < OG_ENTRY_ORIGINS)
        list[(*n_list)++] = origin;
    else if (n > list[least].n_tokens)
        list[least] = origin;
}

/* A holder that is not earlier than the document is not its origin, and one
 * that was removed is nobody's. */
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
        if (!is_before && !is_removed)
            count_origin(trace->displaced, &trace->n_displaced, hit->doc, 1);
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

static og_status know_pages(og_store *store,
                            const struct og_selection *selection, og_error *err)
{
    if (store->disk == NULL) return OG_OK;
    return og_disk_know(store, selection->fp, selection->n, err);
}

/* The hits are whole, whatever the writer does meanwhile. */
static og_status ask_shared(og_store *store, const struct og_subject *subject,
                            og_trace *trace, og_error *err)
{
    const struct og_selection *selection = &subject->prepared->selection;
    struct og_labels *labels = &trace->labels;
    TRY(og_labels_reserve(labels, selection->n, err));
    TRY(know_pages(store, selection, err));
    og_table_find_shared(&store->table, selection->fp, selection->n,
                         labels->hits);
    trace->n_displaced = 0;
    drop_others(&store->catalogue, subject->place, labels->hits, labels->n,
                trace);
    return estimate(store, selection, labels, err);
}

/* As if it had the number that it would get, and nothing was removed. */
static bool needs_no_look(const og_store *store,
                          const struct og_subject *subject)
{
    return !subject->is_known && store->n_removed == 0 &&
           og_catalogue_is_last(&store->catalogue, subject->place);
}

og_status og_store_ask(og_store *store, const struct og_subject *subject,
                       bool for_answer, og_trace *trace, og_error *err)
{
    const struct og_selection *selection = &subject->prepared->selection;
    trace->n_displaced = 0;
    TRY(og_labels_reserve(&trace->labels, selection->n, err));
    TRY(know_pages(store, selection, err));
    if (!for_answer &&
        !og_labels_shape_table(store->params.estimate, store->params.evict))
        return OG_OK;
    og_table_find_many(&store->table, selection->fp, selection->n,
                       trace->labels.hits);
    if (!needs_no_look(store, subject))
        drop_others(&store->catalogue, subject->place, trace->labels.hits,
                    trace->labels.n, trace);
    return estimate(store, selection, &trace->labels, err);
}

og_status og_store_know(og_store *store, const struct og_selection *selection,
                        og_error *err)
{
    return know_pages(store, selection, err);
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
    return estimate(store, selection, &trace->labels, err);
}

/* Without a place in the origin a hit leads nowhere. */
bool og_store_can_confirm(const og_store *store)
{
    return og_store_has_texts(store) &&
           store->params.estimate == OG_ESTIMATE_CONTEXT;
}

/* Of four bases any few in a row are near, whatever was copied. */
#define LEAST_BASES 9

/* The context of what confirming asks for. */
struct confirm_context {
    og_store *store;
    og_trace *trace;
    struct og_doc_place place; /* of the document */
};

static og_status give_side(void *ctx, uint32_t doc, uint32_t side,
                           struct og_align_side *out, og_error *err)
{
    const struct confirm_context *c = ctx;
    return og_origin_texts_side(&c->trace->origins, doc, side, out, err);
}

/* Those of the most shingles first; of equal ones that which comes first. */
static void sort_origins(struct og_entry_origin *list, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        const struct og_entry_origin one = list[i];
        uint32_t at = i;
        for (; at > 0 && list[at - 1].n_tokens < one.n_tokens; at--)
            list[at] = list[at - 1];
        list[at] = one;
    }
}

/* The table is asked again: what it said when `doc` came depends on what had
 * come by then. */
static og_status give_ancestors(void *ctx, uint32_t doc,
                                const struct og_tokens *tokens, uint32_t max,
                                uint32_t *out, uint32_t *out_n, og_error *err)
{
    const struct confirm_context *c = ctx;
    const struct og_catalogue *catalogue = &c->store->catalogue;
    struct og_labels *labels = &c->trace->origin_labels;
    const struct og_selection *selection =
        &c->trace->origin_scratch.prepared.selection;
    struct og_entry_origin list[OG_ENTRY_ORIGINS];
    uint32_t n = 0;
    *out_n = 0;
    TRY(og_scratch_select(&c->trace->origin_scratch, tokens, &c->store->prepare,
                          err));
    TRY(og_labels_reserve(labels, selection->n, err));
    TRY(know_pages(c->store, selection, err));
    og_table_find_shared(&c->store->table, selection->fp, selection->n,
                         labels->hits);
    for (size_t i = 0; i < selection->n; i++) {
        const uint32_t other = labels->hits[i].doc;
        if (other != OG_NO_DOC && other != doc &&
            og_catalogue_earlier(catalogue, other, doc) &&
            og_catalogue_is_before(catalogue, other, c->place) &&
            !og_catalogue_is_removed(catalogue, other))
            count_origin(list, &n, other, 1);
    }
    sort_origins(list, n);
    for (; *out_n < n && *out_n < max; (*out_n)++)
        out[*out_n] = list[*out_n].doc;
    return OG_OK;
}

static og_status confirm(og_store *store, const struct og_subject *subject,
                         og_trace *trace, og_error *err)
{
    const struct og_prepared *p = subject->prepared;
    struct confirm_context context = {store, trace, subject->place};
    const struct og_confirm_source source = {
        .ctx = &context,
        .side = give_side,
        .ancestors = give_ancestors,
        .order = {og_catalogue_earlier, &store->catalogue},
    };
    trace->confirming.reworded = trace->filter.asking.reworded;
    trace->confirming.least =
        og_filter_min_span(&trace->filter, &store->params);
    if (store->params.tokens == OG_TOKEN_DNA)
        trace->confirming.least_end = LEAST_BASES;
    if (trace->origins.reader == NULL)
        TRY(og_store_text_reader(store, &trace->origins.reader, err));
    og_origin_texts_begin(&trace->origins);
    return og_confirm(&trace->confirming,
                      (struct og_align_side){&p->text, &p->tokens},
                      &p->selection, &trace->labels, &source, err);
}

/* The latest version before this one; nothing, when it is the first or the last
 * one was removed. */
static og_status read_last_version(og_store *store, uint32_t number,
                                   og_trace *trace, og_document *out,
                                   og_error *err)
{
    const struct og_origin_side *side;
    struct og_entry entry;
    *out = (og_document){.id = {"", 0}, .text = {"", 0}};
    if (number == OG_NO_DOC ||
        og_catalogue_is_removed(&store->catalogue, number))
        return OG_OK;
    if (trace->origins.reader == NULL)
        TRY(og_store_text_reader(store, &trace->origins.reader, err));
    og_origin_texts_begin(&trace->origins);
    TRY(og_origin_texts_get(&trace->origins, number, true, &side, err));
    TRY(og_lookup_get(&trace->lookup, number, &entry, err));
    *out = og_entry_document(&entry, side->has_text ? side->source : out->text);
    return OG_OK;
}

/* What a document has of its last version, and of nothing else. A version is
 * expected to have most of the one before: so few tokens in a row are no
 * chance. */
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

static struct og_subject guest_of(const og_document *doc,
                                  const struct og_prepared *prepared)
{
    return (struct og_subject){.doc = doc,
                               .prepared = prepared,
                               .text_hash = og_text_hash(doc->text),
                               .text_len = doc->text.len};
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
    struct og_subject subject = guest_of(doc, p);
    return og_store_trace_subject(store, &subject, trace, err);
}

og_status og_store_trace(og_store *store, const og_document *doc,
                         og_trace *trace, og_error *err)
{
    trace->answering.answer = (og_answer){0};
    TRY(og_index_need_passages(store, err));
    return trace_document(store, doc, trace, err);
}

/* ---- taking in ---- */

bool og_store_keeps(const og_store *store, const struct og_prepared *prepared)
{
    return prepared->tokens.n >= store->params.min_tokens;
}

void og_store_apply_again(og_store *store, struct og_additions *additions)
{
    struct og_catalogue *catalogue = &store->catalogue;
    additions->earlier = og_catalogue_earlier;
    additions->ctx = catalogue;
    og_table_add_many(&store->table, additions);
}

void og_store_apply(og_store *store, const struct og_mark *mark,
                    struct og_additions *additions)
{
    struct og_catalogue *catalogue = &store->catalogue;
    const struct og_table *table = &store->table;
    const bool is_last =
        store->n_removed == 0 &&
        og_catalogue_is_last(catalogue,
                             (struct og_doc_place){mark->time, catalogue->n});
    const uint64_t before = table->n_used + table->n_evicted;
    const uint32_t number = og_catalogue_append(catalogue, mark);
    assert(number == additions->doc);
    additions->earlier = is_last ? NULL : og_catalogue_earlier;
    additions->ctx = catalogue;
    og_table_add_many(&store->table, additions);
    og_catalogue_set_new(catalogue, number,
                         (uint32_t)(table->n_used + table->n_evicted - before));
    og_catalogue_publish(catalogue);
}

/* `displaced` are listed too: so an origin that arrives late is known to be
 * related to those that it is the origin of. */
static void set_origins(struct og_entry *entry, const struct og_labels *labels,
                        uint32_t shingle_len, const og_trace *trace)
{
    const bool all = labels->n_every > 0;
    const struct og_label *label = all ? labels->every : labels->data;
    const size_t n = all ? labels->n_every : labels->n;
    size_t end;
    for (size_t i = 0; i < n; i = end) {
        end = all ? og_labels_run_end(labels, i) : i + 1;
        if (label[i].doc != OG_NO_DOC)
            count_origin(entry->origins, &entry->n_origins, label[i].doc,
                         (uint32_t)(end - i) + shingle_len - 1);
    }
    for (uint32_t i = 0; i < trace->n_displaced; i++)
        count_origin(entry->origins, &entry->n_origins, trace->displaced[i].doc,
                     trace->displaced[i].n_tokens + shingle_len - 1);
    sort_origins(entry->origins, entry->n_origins);
}

static struct og_entry entry_of(const og_store *store,
                                const struct og_subject *subject,
                                const og_trace *trace)
{
    const og_document *doc = subject->doc;
    struct og_entry entry = {
        .id = doc->id,
        .title = doc->title,
        .url = doc->url,
        .extra = doc->extra,
        .time = subject->place.time,
        .has_time = doc->has_time,
        .time_source = doc->time_source,
        .text_hash = subject->text_hash,
        .text_len = subject->text_len,
        .n_tokens = subject->prepared->tokens.n,
        .series = subject->series,
        .same = subject->same,
        .place = subject->text,
    };
    if (og_labels_shape_table(store->params.estimate, store->params.evict))
        set_origins(&entry, &trace->labels, store->params.shingle_len, trace);
    return entry;
}

static og_status pack_entry(const struct og_subject *subject,
                            const struct og_entry *entry, og_trace *trace,
                            og_error *err)
{
    if (subject->doc->id.len > UINT32_MAX / 4)
        return og_error_set(err, OG_ERR_LIMIT, "an id of %zu bytes is too long",
                            subject->doc->id.len);
    trace->bytes.len = 0;
    trace->bytes.failed = false;
    og_entry_pack(entry, &trace->bytes);
    return trace->bytes.failed ? og_error_memory(err, 256, "an entry") : OG_OK;
}

struct og_mark og_store_mark(const struct og_subject *subject)
{
    return (struct og_mark){
        .time = subject->place.time,
        .same = subject->same,
        .flags = subject->doc->has_time ? OG_MARK_HAS_TIME : 0,
    };
}

og_status og_store_entry(const og_store *store,
                         const struct og_subject *subject, og_trace *trace,
                         struct og_entry *out, og_error *err)
{
    *out = entry_of(store, subject, trace);
    return pack_entry(subject, out, trace, err);
}

static og_status take(og_store *store, const struct og_subject *subject,
                      og_trace *trace, og_error *err)
{
    const struct og_mark mark = og_store_mark(subject);
    struct og_additions additions =
        og_labels_additions(&trace->labels, &subject->prepared->selection,
                            &store->table, store->catalogue.n);
    const struct og_entry entry = entry_of(store, subject, trace);
    TRY(pack_entry(subject, &entry, trace, err));
    const size_t entry_len = trace->bytes.len;
    TRY(og_catalogue_reserve(&store->catalogue, err));
    TRY(og_pending_reserve(&store->pending, err));
    if (store->disk != NULL) {
        TRY(og_disk_know_all(store, &additions, false, err));
        og_disk_note(store, subject->doc->id);
        TRY(og_disk_pack_record(entry_len, &additions, &trace->bytes, err));
        TRY(og_disk_add(store, entry_len, &trace->bytes, err));
    }
    const og_bytes bytes = {(const char *)trace->bytes.data, entry_len};
    const og_status status =
        og_pending_append(&store->pending, bytes, &entry, err);
    if (status != OG_OK) {
        /* It is in the journal and not in memory: the two must not part. */
        if (store->disk != NULL) store->disk->has_failed = true;
        return status;
    }
    og_store_apply(store, &mark, &additions);
    if (store->disk != NULL)
        TRY(og_disk_tidy(store, 1, err));
    else
        og_memory_texts_limit(store);
    return OG_OK;
}

/* It is added whole; only then anybody is asked whether to continue. */
static og_status take_whole(og_store *store, const struct og_subject *subject,
                            og_trace *trace, og_error *err)
{
    const struct og_stop_asked asked = og_stop_pause();
    const og_status status = take(store, subject, trace, err);
    og_stop_resume(asked);
    return status;
}

/* A version rests on the texts of others. */
void og_store_keep_at_hand(const struct og_subject *subject, og_trace *trace)
{
    const struct og_prepared *p = subject->prepared;
    if (trace->origins.reader == NULL || subject->latest != OG_NO_DOC) return;
    og_origin_texts_put(&trace->origins, subject->place.number,
                        subject->text.segment, subject->doc->text, &p->text,
                        &p->tokens);
}

og_status og_store_take(og_store *store, const struct og_subject *subject,
                        og_trace *trace, og_error *err)
{
    if (store->is_read_only)
        return og_error_set(err, OG_ERR_USAGE,
                            "the store was opened for reading only");
    if (subject->is_known) return OG_OK;
    TRY(take_whole(store, subject, trace, err));
    TRY(og_indexes_note(store, store->catalogue.n - 1, subject->doc,
                        subject->text_len, err));
    /* Texts are compared with the next documents, often with this one. */
    og_store_keep_at_hand(subject, trace);
    return OG_OK;
}

/* ---- sightings ---- */

/* n 8 | n fingerprints, 8 bytes each | n weights */
size_t og_sighting_count(const uint8_t *data, size_t len)
{
    const uint64_t n = len >= 8 ? og_load64(data) : UINT64_MAX;
    return n < len && 8 + n * 9 == len ? (size_t)n : SIZE_MAX;
}

bool og_store_apply_sighting(og_store *store, const uint8_t *data, size_t len)
{
    enum { GROUP = 64 };
    uint64_t fps[GROUP];
    const size_t n = og_sighting_count(data, len);
    if (n == SIZE_MAX) return false;
    for (size_t i = 0; i < n; i += GROUP) {
        const size_t most = n - i < GROUP ? n - i : GROUP;
        for (size_t j = 0; j < most; j++)
            fps[j] = og_load64(data + 8 + (i + j) * 8);
        og_table_see_many(&store->table, fps, data + 8 + n * 8 + i, most);
    }
    return true;
}

static void pack_sighting(struct og_pack *bytes,
                          const struct og_additions *seen,
                          const struct og_hit *hits)
{
    uint8_t word[8];
    uint64_t n = 0;
    bytes->len = 0;
    bytes->failed = false;
    for (size_t i = 0; i < seen->n; i++)
        n += hits[i].doc != OG_NO_DOC;
    og_store64(word, n);
    og_pack_bytes(bytes, word, 8);
    for (size_t i = 0; i < seen->n; i++) {
        if (hits[i].doc == OG_NO_DOC) continue;
        og_store64(word, seen->fp[i]);
        og_pack_bytes(bytes, word, 8);
    }
    for (size_t i = 0; i < seen->n; i++)
        if (hits[i].doc != OG_NO_DOC) og_pack_bytes(bytes, &seen->weight[i], 1);
}

og_status og_store_see(og_store *store, const struct og_subject *subject,
                       og_trace *trace, og_error *err)
{
    struct og_pack *bytes = &trace->bytes;
    if (store->is_read_only)
        return og_error_set(err, OG_ERR_USAGE,
                            "the store was opened for reading only");
    const struct og_additions seen =
        og_labels_additions(&trace->labels, &subject->prepared->selection,
                            &store->table, store->catalogue.n);
    pack_sighting(bytes, &seen, trace->labels.hits);
    if (bytes->failed) return og_error_memory(err, 9 * seen.n, "a record");
    if (bytes->len == 8) return OG_OK;
    if (store->disk != NULL) TRY(og_disk_sight(store, bytes, err));
    (void)og_store_apply_sighting(store, bytes->data, bytes->len);
    return store->disk != NULL ? og_disk_tidy(store, 0, err) : OG_OK;
}

static og_status add_document(og_store *store, const og_document *doc,
                              bool for_answer, og_trace *trace, og_error *err)
{
    const struct og_prepared *p = &trace->scratch.prepared;
    TRY(og_scratch_prepare(&trace->scratch, doc->text, &store->prepare, err));
    struct og_subject subject = guest_of(doc, p);
    TRY(og_store_identify(store, &subject, false, trace, err));
    TRY(og_store_ask(store, &subject, for_answer, trace, err));
    if (for_answer) TRY(og_store_answer(store, &subject, trace, err));
    if (!og_store_keeps(store, p)) return OG_OK;
    if (!subject.is_known)
        TRY(og_store_keep_text(store, &subject, doc->text, &trace->lookup,
                               err));
    return og_store_take(store, &subject, trace, err);
}

og_status og_store_add(og_store *store, const og_document *doc, og_trace *trace,
                       og_error *err)
{
    if (trace != NULL) {
        trace->answering.answer = (og_answer){0};
        const og_status status = add_document(store, doc, true, trace, err);
        if (status != OG_OK) trace->answering.answer = (og_answer){0};
        return status;
    }
    if (store->own_trace == NULL) store->own_trace = og_trace_new(store);
    if (store->own_trace == NULL)
        return og_error_memory(err, sizeof(og_trace), "a trace");
    const og_status status =
        add_document(store, doc, false, store->own_trace, err);
    og_scratch_trim(&store->own_trace->scratch);
    return status;
}
