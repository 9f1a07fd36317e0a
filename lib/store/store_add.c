/* Adding to a store: first the journal, then the catalogue, then the table,
 * then it is published. In this order a reader that finds a number in the table
 * always finds its mark in the catalogue, and everything in memory is in the
 * journal. */

#include "lib/store/store.h"

#include <assert.h>

#include "lib/base/stopping.h"
#include "lib/store/catalogue/shared_documents.h"
#include "lib/store/store_disk.h"
#include "lib/store/store_shared.h"
#include "lib/store/store_table.h"

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

/* By the writer alone. */
static void count_order(og_store *store)
{
    if (store->order != 0) store->order++;
}

void og_store_reorder(og_store *store)
{
    count_order(store);
    store->all_changed = store->order;
}

uint64_t og_store_order(const og_store *store)
{
    if (store->remote != NULL || !og_table_is_growing(&store->table)) return 0;
    return store->order;
}

uint16_t og_store_changed_slot(uint32_t doc)
{
    return (uint16_t)(doc % OG_CHANGED_SLOTS);
}

bool og_store_still_names(const og_store *store,
                          const struct og_ancestors *found)
{
    const uint64_t order = og_store_order(store);
    if (order == 0 || found->order < store->all_changed) return false;
    if (found->order == order) return true;
    if (found->n_named > OG_NAMED) return false;
    for (uint32_t i = 0; i < found->n_named; i++)
        if (store->changed[found->named[i]] > found->order) return false;
    return true;
}

bool og_store_takes_over(const void *ctx, uint32_t doc, uint32_t holder)
{
    const struct og_late *late = ctx;
    if (!og_catalogue_earlier(&late->store->catalogue, doc, holder))
        return false;
    late->store->changed[og_store_changed_slot(holder)] = late->order;
    return true;
}

/* The order changes once before, for threads that have found something and not
 * yet noted it, and once after, for threads that search meanwhile. */
struct og_late og_store_late_begin(og_store *store)
{
    const uint64_t order = store->order != 0 ? store->order + 2 : 0;
    count_order(store);
    return (struct og_late){store, order};
}

void og_store_late_end(og_store *store)
{
    count_order(store);
}

static void add_late(og_store *store, struct og_additions *additions)
{
    const struct og_late late = og_store_late_begin(store);
    additions->earlier = og_store_takes_over;
    additions->ctx = &late;
    og_table_add_many(&store->table, additions);
    og_store_late_end(store);
    additions->earlier = og_catalogue_earlier;
    additions->ctx = &store->catalogue;
}

void og_store_apply(og_store *store, const struct og_mark *mark,
                    struct og_additions *additions, bool may_reorder)
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
    if (!is_last && may_reorder)
        add_late(store, additions);
    else
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
            og_entry_count_origin(entry->origins, &entry->n_origins,
                                  label[i].doc,
                                  (uint32_t)(end - i) + shingle_len - 1);
    }
    for (uint32_t i = 0; i < trace->n_displaced; i++)
        og_entry_count_origin(entry->origins, &entry->n_origins,
                              trace->displaced[i].doc,
                              trace->displaced[i].n_tokens + shingle_len - 1);
    og_entry_sort_origins(entry->origins, entry->n_origins);
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

/* The journal has no fingerprints that are elsewhere: the texts have them. */
struct og_additions og_store_journal_part(const og_store *store,
                                          const struct og_additions *additions)
{
    struct og_additions part = *additions;
    if (store->remote != NULL)
        part = (struct og_additions){.doc = additions->doc};
    return part;
}

static og_status take(og_store *store, const struct og_subject *subject,
                      og_trace *trace, og_error *err)
{
    const struct og_mark mark = og_store_mark(subject);
    struct og_additions additions =
        og_labels_additions(&trace->labels, &subject->prepared->selection,
                            &store->table, store->catalogue.n);
    const struct og_additions kept = og_store_journal_part(store, &additions);
    const struct og_entry entry = entry_of(store, subject, trace);
    TRY(pack_entry(subject, &entry, trace, err));
    const size_t entry_len = trace->bytes.len;
    TRY(og_catalogue_reserve(&store->catalogue, err));
    TRY(og_pending_reserve(&store->pending, err));
    if (store->disk != NULL) {
        TRY(og_disk_know_all(store, &kept, false, err));
        og_disk_note(store, subject->doc->id);
        TRY(og_disk_pack_record(entry_len, &kept, &trace->bytes, err));
        TRY(og_disk_add(store, entry_len, &trace->bytes, err));
    }
    const og_bytes bytes = {(const char *)trace->bytes.data, entry_len};
    const og_status status =
        og_pending_append(&store->pending, bytes, &entry, err);
    if (status != OG_OK) {
        /* It is in the journal but not in memory: the two must not diverge. */
        if (store->disk != NULL) store->disk->has_failed = true;
        return status;
    }
    if (store->remote != NULL)
        TRY(og_store_apply_elsewhere(store, &mark, trace, &additions, err));
    else
        og_store_apply(store, &mark, &additions,
                       trace->n_displaced > 0 ||
                           !og_labels_shape_table(store->params.estimate,
                                                  store->params.evict));
    if (store->disk != NULL)
        TRY(og_disk_tidy(store, 1, err));
    else
        og_memory_texts_limit(store);
    return OG_OK;
}

/* The document is added completely before a request to stop is checked
 * again. */
static og_status take_whole(og_store *store, const struct og_subject *subject,
                            og_trace *trace, og_error *err)
{
    const struct og_stop_asked asked = og_stop_pause();
    const og_status status = take(store, subject, trace, err);
    og_stop_resume(asked);
    return status;
}

/* Not for a version: its text depends on other texts. */
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
    if (store->shared != NULL) {
        TRY(og_store_take_alone(store, subject, trace, err));
        og_store_keep_at_hand(subject, trace);
        return OG_OK;
    }
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

/* The record, as what it is of. */
static og_status see_elsewhere(og_store *store, struct og_pack *bytes,
                               og_error *err)
{
    const size_t n = og_sighting_count(bytes->data, bytes->len);
    uint64_t *fps = (uint64_t *)(bytes->data + 8);
    for (size_t i = 0; i < n; i++)
        fps[i] = og_load64(bytes->data + 8 + i * 8);
    const struct og_additions seen = {.doc = store->catalogue.n,
                                      .fp = fps,
                                      .weight = bytes->data + 8 + n * 8,
                                      .n = n};
    return og_store_see_elsewhere(store, &seen, err);
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
    if (store->remote != NULL) return see_elsewhere(store, bytes, err);
    if (store->disk != NULL) TRY(og_disk_sight(store, bytes, err));
    (void)og_store_apply_sighting(store, bytes->data, bytes->len);
    return store->disk != NULL ? og_disk_tidy(store, 0, err) : OG_OK;
}

/* ---- all steps ---- */

static og_status add_document(og_store *store, const og_document *doc,
                              bool for_answer, og_trace *trace, og_error *err)
{
    const struct og_prepared *p = &trace->scratch.prepared;
    TRY(og_scratch_prepare(&trace->scratch, doc->text, &store->prepare, err));
    struct og_subject subject = og_subject_of(doc, p);
    const struct og_id_asker asker = {doc, !store->is_read_only &&
                                               og_store_keeps(store, p)};
    TRY(og_store_claim(store, &asker, 1, err));
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
