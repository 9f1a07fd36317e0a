#include "lib/store/store_batch.h"

#include <string.h>

#include "lib/base/checksum.h"
#include "lib/base/hash_table.h"
#include "lib/store/store_disk.h"
#include "lib/store/store_shared.h"
#include "lib/store/store_table.h"

/* A document of more fingerprints goes by itself; so do those after as many. */
#define MOST_FPS ((size_t)1 << 20)

/* Documents whose part of the catalogue is fetched before their turn; so many
 * are worth a piece of a phase. */
#define AHEAD          4
#define FEWEST_INDEXED 16

void og_store_batch_init(struct og_store_batch *b, og_store *store)
{
    *b = (struct og_store_batch){.store = store, .allocator = store->allocator};
    og_table_batch_init(&b->table, &store->table, store->allocator);
    if (store->remote != NULL)
        og_remote_batch_init(&b->remote, store->remote, store->allocator);
    if (store->shared == NULL) return;
    b->sharing = og_store_batch_sharing(b);
    b->remote.sharing = &b->sharing;
}

void og_store_batch_release(struct og_store_batch *b)
{
    for (size_t i = 0; i < b->docs_cap; i++) {
        og_pack_release(&b->docs[i].bytes);
        og_pack_release(&b->docs[i].extra);
    }
    OG_UNGROW(b->allocator, b->docs, b->docs_cap);
    OG_UNGROW(b->allocator, b->parts, b->parts_cap);
    OG_UNGROW(b->allocator, b->ids, b->ids_cap);
    OG_UNGROW(b->allocator, b->noted, b->noted_cap);
    og_table_batch_release(&b->table);
    if (b->store->remote != NULL) og_remote_batch_release(&b->remote);
}

static struct og_table_protocol protocol_of(struct og_store_batch *b)
{
    return b->store->remote != NULL ? og_remote_batch_protocol(&b->remote)
                                    : og_table_batch_protocol(&b->table);
}

og_status og_store_batch_begin(struct og_store_batch *b, size_t most,
                               og_error *err)
{
    const size_t had = b->docs_cap;
    if (most > OG_BATCH_PARTS) most = OG_BATCH_PARTS;
    b->n = b->n_ids = 0;
    const size_t n_ids = og_hash_slots_for(most, 16);
    if (!OG_GROW(b->allocator, b->docs, b->docs_cap, most))
        return og_error_memory(err, most * sizeof(*b->docs), "a batch");
    if (b->docs_cap > had)
        memset(b->docs + had, 0, (b->docs_cap - had) * sizeof(*b->docs));
    if (!OG_GROW(b->allocator, b->parts, b->parts_cap, most) ||
        !OG_GROW(b->allocator, b->ids, b->ids_cap, n_ids))
        return og_error_memory(err, most * sizeof(*b->parts), "a batch");
    memset(b->ids, 0, n_ids * sizeof(*b->ids));
    b->n_ids = n_ids;
    b->n_added = 0;
    b->n_fps = 0;
    b->has_late = b->displaces = false;
    /* Of a shared store no more is known than what the run itself has. */
    b->latest =
        b->store->shared != NULL ? INT64_MIN : b->store->catalogue.latest;
    return OG_OK;
}

/* False: a document of the run has this id, or one with the same hash. */
static bool put_id(struct og_store_batch *b, og_bytes id)
{
    const uint64_t hash = og_checksum(id.data, id.len) | 1;
    size_t at;
    OG_PROBE(at, hash >> 8, b->n_ids, b->ids[at] == 0 || b->ids[at] == hash)
    if (b->ids[at] != 0) return false;
    b->ids[at] = hash;
    return true;
}

/* Whether a hit may be of a document that is later, or that is gone. */
static bool must_compare(const og_store *store)
{
    return store->n_removed > 0 || store->shared != NULL;
}

static void set_part(struct og_store_batch *b, const struct og_run_doc *doc,
                     struct og_table_part *out)
{
    const og_params *params = &b->store->params;
    const bool shapes =
        og_labels_shape_table(params->estimate, params->evict) &&
        (doc->is_added || b->store->remote != NULL);
    *out = (struct og_table_part){
        .sel = &doc->subject.prepared->selection,
        .doc = doc->subject.place.number,
        .time = doc->subject.place.time,
        .is_asked = b->for_answer ||
                    (b->store->remote != NULL && must_compare(b->store)) ||
                    shapes,
        .is_added = doc->is_added,
        .is_apart = doc->subject.is_known,
    };
}

/* Servers say what the table knows, but not in what order. */
static bool takes_late(const struct og_store_batch *b,
                       const struct og_subject *subject)
{
    return b->store->remote == NULL &&
           (!b->repeats_alone || subject->latest == OG_NO_DOC);
}

bool og_store_batch_add(struct og_store_batch *b, struct og_subject *subject,
                        bool is_added)
{
    const size_t n_fps = subject->prepared->selection.n;
    const og_document *doc = subject->doc;
    const bool is_late =
        !subject->is_known && doc->has_time && doc->time < b->latest;
    const bool is_shared = b->store->shared != NULL;
    const bool is_alone = is_shared && b->n == 0 && n_fps <= OG_BATCH_FPS;
    if (b->n >= b->n_ids / 2) return false;
    if (b->n_fps + n_fps > MOST_FPS && !is_alone) return false;
    if (is_late && !takes_late(b, subject)) return false;
    if (!put_id(b, doc->id)) return false;
    struct og_run_doc *one = &b->docs[b->n];
    if (!is_shared) subject->n_before += b->n_added;
    if (!subject->is_known) {
        if (!is_shared) subject->place.number += b->n_added;
        if (!doc->has_time && subject->place.time < b->latest)
            subject->place.time = b->latest;
        if (is_added && subject->place.time > b->latest)
            b->latest = subject->place.time;
    }
    one->subject = *subject;
    one->is_added = is_added && !subject->is_known;
    one->has_met = false;
    one->bytes.allocator = one->extra.allocator = b->allocator;
    set_part(b, one, &b->parts[b->n]);
    b->has_late |= is_late;
    b->n_added += one->is_added;
    b->n_fps += n_fps;
    b->n++;
    return true;
}

/* ---- labels ---- */

static struct og_run_doc *doc_of(const struct og_store_batch *b,
                                 const struct og_table_part *part)
{
    return &b->docs[part - b->parts];
}

static og_status know_part(void *ctx, void *worker, struct og_table_part *part,
                           og_error *err)
{
    struct og_store_batch *b = ctx;
    (void)worker;
    return og_store_know(b->store, part->sel, err);
}

static og_status drop_hits(void *ctx, void *worker, struct og_table_part *part,
                           og_error *err)
{
    struct og_store_batch *b = ctx;
    const struct og_subject *subject = &doc_of(b, part)->subject;
    og_trace *trace;
    if (!subject->is_known && !must_compare(b->store)) return OG_OK;
    TRY(b->trace_of(b->ctx, worker, &trace, err));
    og_store_drop(b->store, subject, part->hits, trace);
    return OG_OK;
}

static enum og_holding compare_holder(void *ctx, uint32_t holder,
                                      const struct og_table_part *part)
{
    struct og_store_batch *b = ctx;
    const struct og_catalogue *catalogue = &b->store->catalogue;
    if (og_catalogue_is_removed(catalogue, holder)) return OG_HOLDING_REMOVED;
    return og_catalogue_is_before(catalogue, holder,
                                  doc_of(b, part)->subject.place)
               ? OG_HOLDING_EARLIER
               : OG_HOLDING_LATER;
}

static bool has_origins(const struct og_additions *add)
{
    for (size_t i = 0; add->origin != NULL && i < add->n; i++)
        if (add->origin[i] != OG_NO_DOC) return true;
    return false;
}

static bool has_weights(const struct og_additions *add)
{
    for (size_t i = 0; add->weight != NULL && i < add->n; i++)
        if (add->weight[i] != 1) return true;
    return false;
}

/* The arrays of a trace are another's soon. Most documents need none of them:
 * weights of 1, no origin that was lost, places as they were selected. */
static og_status keep_additions(struct og_run_doc *doc,
                                const struct og_selection *sel,
                                struct og_additions *add, og_error *err)
{
    struct og_pack *extra = &doc->extra;
    const bool origins = has_origins(add);
    const bool weights = has_weights(add);
    const size_t n = add->n;
    extra->len = 0;
    extra->failed = false;
    if (origins) {
        og_pack_bytes(extra, add->origin, n * sizeof(*add->origin));
        og_pack_bytes(extra, add->offset, n * sizeof(*add->offset));
    }
    if (weights) og_pack_bytes(extra, add->weight, n);
    if (extra->failed) return og_error_memory(err, 7 * n, "additions");
    const uint8_t *at = extra->data;
    add->origin = origins ? (const uint32_t *)at : NULL;
    if (origins) at += n * sizeof(*add->origin);
    add->offset = origins ? (const uint16_t *)at : sel->offset;
    if (origins) at += n * sizeof(*add->offset);
    add->weight = weights ? at : NULL;
    return OG_OK;
}

static og_status make_record(struct og_store_batch *b, struct og_run_doc *doc,
                             struct og_table_part *part, og_trace *trace,
                             og_error *err)
{
    og_store *store = b->store;
    TRY(og_store_entry(store, &doc->subject, trace, &doc->entry, err));
    doc->bytes.len = 0;
    doc->bytes.failed = false;
    og_pack_bytes(&doc->bytes, trace->bytes.data, trace->bytes.len);
    doc->entry_len = doc->bytes.len;
    if (doc->bytes.failed)
        return og_error_memory(err, trace->bytes.len, "an entry");
    if (store->disk == NULL) return OG_OK;
    const struct og_additions kept =
        og_store_journal_part(store, &part->additions);
    return og_disk_pack_record(doc->entry_len, &kept, &doc->bytes, err);
}

/* Those that it comes before, though they were here first, unless a document of
 * the run has displaced them before it. */
static void count_displaced(const struct og_store_batch *b,
                            const struct og_table_part *part, og_trace *trace)
{
    const struct og_catalogue *catalogue = &b->store->catalogue;
    const struct og_doc_place place = doc_of(b, part)->subject.place;
    const uint32_t *holders = b->remote.holders + (part->hits - b->remote.hits);
    for (size_t i = 0; i < part->sel->n; i++)
        if (holders[i] != OG_NO_DOC && holders[i] != place.number &&
            part->hits[i].doc == OG_NO_DOC &&
            !og_catalogue_is_removed(catalogue, holders[i]) &&
            !og_catalogue_is_before(catalogue, holders[i], place))
            og_entry_count_origin(trace->displaced, &trace->n_displaced,
                                  holders[i], 1);
}

/* The same in a run with late documents, which all holders were followed in. */
static void count_followed(struct og_store_batch *b,
                           const struct og_table_part *part, og_trace *trace)
{
    const struct og_catalogue *catalogue = &b->store->catalogue;
    for (size_t i = 0; i < part->sel->n; i++) {
        if (part->before[i] == 0 || part->hits[i].doc != OG_NO_DOC) continue;
        const uint32_t holder = og_settling_doc(b->parts, part->before[i]);
        if (holder == part->doc || (holder < catalogue->n &&
                                    og_catalogue_is_removed(catalogue, holder)))
            continue;
        og_entry_count_origin(trace->displaced, &trace->n_displaced, holder, 1);
    }
    if (trace->n_displaced > 0)
        __atomic_store_n(&b->displaces, true, __ATOMIC_RELAXED);
}

static og_status label_part(void *ctx, void *worker, struct og_table_part *part,
                            og_error *err)
{
    struct og_store_batch *b = ctx;
    og_store *store = b->store;
    struct og_run_doc *doc = doc_of(b, part);
    const struct og_selection *sel = part->sel;
    og_trace *trace;
    if (!doc->is_added) return OG_OK;
    TRY(b->trace_of(b->ctx, worker, &trace, err));
    TRY(og_store_label(store, &doc->subject, part->is_asked ? part->hits : NULL,
                       trace, err));
    if (store->shared != NULL) count_displaced(b, part, trace);
    if (b->has_late && part->is_asked) count_followed(b, part, trace);
    trace->labels.lost = part->lost;
    part->additions =
        og_labels_additions(&trace->labels, sel, &store->table, part->doc);
    TRY(keep_additions(doc, sel, &part->additions, err));
    part->additions.earlier =
        must_compare(store) || b->has_late ? og_catalogue_earlier : NULL;
    part->additions.ctx = &store->catalogue;
    return make_record(b, doc, part, trace, err);
}

static struct og_table_part_steps steps_of(struct og_store_batch *b)
{
    const bool knows = b->store->disk != NULL && b->store->remote == NULL;
    return (struct og_table_part_steps){.ctx = b,
                                        .before = knows ? know_part : NULL,
                                        .found = b->has_late ? NULL : drop_hits,
                                        .settled = label_part,
                                        .compare = b->has_late ? compare_holder
                                                               : NULL};
}

uint32_t og_store_batch_holder(const struct og_store_batch *b, uint64_t fp,
                               uint32_t n_docs, uint32_t now)
{
    return og_settling_holder(&b->table.settling, b->parts, fp, n_docs, now);
}

og_status og_store_batch_label(struct og_store_batch *b,
                               const struct og_phases *phases, og_error *err)
{
    const struct og_table_protocol table = protocol_of(b);
    const struct og_table_part_steps steps = steps_of(b);
    b->remote.n_documents =
        b->store->shared != NULL ? OG_NO_DOC : b->store->catalogue.n;
    TRY(table.look_up(table.ctx, phases, b->parts, b->n, &steps, err));
    return table.settle(table.ctx, phases, b->parts, b->n, &steps, err);
}

/* ---- adding ---- */

static og_status write_record(struct og_store_batch *b,
                              const struct og_run_doc *doc, og_error *err)
{
    og_store *store = b->store;
    const og_bytes bytes = {(const char *)doc->bytes.data, doc->entry_len};
    const struct og_mark mark = og_store_mark(&doc->subject);
    TRY(og_catalogue_reserve(&store->catalogue, err));
    if (store->disk != NULL) {
        og_disk_note(store, doc->subject.doc->id);
        TRY(og_disk_add(store, doc->entry_len, &doc->bytes, err));
    }
    const og_status status =
        og_pending_append_bytes(&store->pending, bytes, err);
    if (status != OG_OK) {
        /* It is in the journal but not in memory: the two must not diverge. */
        if (store->disk != NULL) store->disk->has_failed = true;
        return status;
    }
    (void)og_catalogue_append(&store->catalogue, &mark);
    return OG_OK;
}

/* Of the first *out_n documents of the run. */
static og_status write_records(struct og_store_batch *b, size_t *out_n,
                               og_error *err)
{
    size_t n_origins = 0;
    for (size_t i = 0; i < b->n; i++)
        if (b->docs[i].is_added) n_origins += b->docs[i].entry.n_origins;
    TRY(og_pending_reserve_all(&b->store->pending, b->n_added, n_origins, err));
    for (size_t i = 0; i < b->n; i++, *out_n = i)
        if (b->docs[i].is_added) TRY(write_record(b, &b->docs[i], err));
    return OG_OK;
}

/* A phase, and one piece more in the first one that runs: the documents of the
 * run become known by their ids and their origins. Nobody asks for that before
 * the phase ends, and it takes about as long as a lane. */
struct indexing {
    const struct og_phases *phases;
    struct og_store_batch *batch;
    size_t n;
    og_piece_fn *piece; /* of the phase */
    void *ctx;
    bool is_done;
};

static void index_documents(struct indexing *x)
{
    struct og_pending *pending = &x->batch->store->pending;
    const struct og_run_doc *docs = x->batch->docs;
    for (size_t i = 0; i < x->n; i++) {
        if (i + 2 * AHEAD < x->n && docs[i + 2 * AHEAD].is_added)
            og_pending_expect(pending, &docs[i + 2 * AHEAD].entry);
        if (i + AHEAD < x->n && docs[i + AHEAD].is_added)
            og_pending_expect_lists(pending, &docs[i + AHEAD].entry);
        if (docs[i].is_added)
            og_pending_index(pending, x->batch->parts[i].doc, &docs[i].entry);
    }
    x->is_done = true;
}

static og_status indexing_piece(void *ctx, void *worker, size_t number,
                                og_error *err)
{
    struct indexing *x = ctx;
    if (number > 0) return x->piece(x->ctx, worker, number - 1, err);
    index_documents(x);
    return OG_OK;
}

static og_status share_indexing(const struct og_phases *with, size_t n,
                                og_piece_fn *piece, void *ctx, og_error *err)
{
    struct indexing *x = (struct indexing *)with->ctx;
    if (x->is_done)
        return og_phases_step(x->phases, with->step, n, piece, ctx, err);
    x->piece = piece;
    x->ctx = ctx;
    return og_phases_step(x->phases, with->step, n + 1, indexing_piece, x, err);
}

static og_status observe(struct og_store_batch *b,
                         const struct og_phases *phases, size_t n,
                         og_error *err)
{
    const struct og_table_protocol table = protocol_of(b);
    struct indexing x = {.phases = phases, .batch = b, .n = n};
    struct og_phases with = *phases;
    with.ctx = &x;
    with.share = share_indexing;
    if (n < FEWEST_INDEXED) index_documents(&x);
    const og_status status = table.observe(table.ctx, &with, b->parts, n, err);
    if (!x.is_done) index_documents(&x);
    return status;
}

/* The table may grow: the checkpoint it is mapped from must have been verified
 * by then. */
static og_status know_table(struct og_store_batch *b, og_error *err)
{
    const bool is_mapped = b->store->disk != NULL && b->store->remote == NULL;
    for (size_t i = 0; is_mapped && i < b->n; i++)
        if (b->docs[i].is_added)
            TRY(og_disk_know_all(b->store, &b->parts[i].additions, b->n > 1,
                                 err));
    return OG_OK;
}

static void begin_late(struct og_store_batch *b, struct og_late *late)
{
    *late = og_store_late_begin(b->store);
    for (size_t i = 0; i < b->n; i++) {
        b->parts[i].additions.earlier = og_store_takes_over;
        b->parts[i].additions.ctx = late;
    }
}

og_status og_store_batch_take(struct og_store_batch *b,
                              const struct og_phases *phases, size_t *out_n,
                              og_error *err)
{
    og_store *store = b->store;
    *out_n = 0;
    if (store->shared != NULL) {
        TRY(og_store_batch_take_shared(b, phases, err));
        *out_n = b->n;
        return OG_OK;
    }
    og_status status = know_table(b, err);
    size_t n = 0;
    if (status == OG_OK) status = write_records(b, &n, err);
    *out_n = n;
    if (n == 0) return status;
    og_error second = {0};
    og_status observed = OG_OK;
    if (store->remote != NULL) observed = og_store_commit(store, &second);
    /* As og_store_apply() does. */
    const bool reorders =
        b->displaces ||
        (b->has_late &&
         !og_labels_shape_table(store->params.estimate, store->params.evict));
    struct og_late late;
    if (reorders) begin_late(b, &late);
    if (observed == OG_OK)
        observed = observe(b, phases, n, &second);
    else
        index_documents(&(struct indexing){.batch = b, .n = n});
    if (reorders) og_store_late_end(store);
    if (observed != OG_OK && store->disk != NULL)
        store->disk->has_failed = true;
    for (size_t i = 0; i < n; i++)
        if (b->docs[i].is_added)
            og_catalogue_set_new(&store->catalogue, b->parts[i].doc,
                                 b->parts[i].n_new);
    og_catalogue_publish(&store->catalogue);
    /* Here it cannot fail; a server can. */
    if (store->remote == NULL || status != OG_OK) return status;
    if (observed != OG_OK) return og_error_pass(err, &second);
    return og_store_note_table(store, err);
}

/* Documents of a run that are added have consecutive ascending numbers. */
static og_status note_added(struct og_store_batch *b,
                            const struct og_phases *phases, og_error *err)
{
    struct og_index_run run = {.lot = b->lot,
                               .asked = b->asked,
                               .phases = phases,
                               .trace_of = b->trace_of,
                               .ctx = b->ctx};
    if ((b->store->indexes.on & ~OG_INDEX_PASSAGES) == 0) return OG_OK;
    if (!OG_GROW(b->allocator, b->noted, b->noted_cap, b->n))
        return og_error_memory(err, b->n * sizeof(*b->noted), "a batch");
    for (size_t i = 0; i < b->n; i++)
        if (b->docs[i].is_added)
            b->noted[run.n++] =
                (struct og_index_doc){.doc = b->docs[i].subject.doc,
                                      .subject = &b->docs[i].subject,
                                      .number = b->parts[i].doc,
                                      .time = b->docs[i].subject.place.time};
    run.docs = b->noted;
    return og_indexes_note_run(b->store, &run, err);
}

og_status og_store_batch_tidy(struct og_store_batch *b,
                              const struct og_phases *phases, og_error *err)
{
    og_store *store = b->store;
    if (store->disk != NULL)
        TRY(og_disk_tidy(store, b->n_added, err));
    else
        og_memory_texts_limit(store);
    TRY(note_added(b, phases, err));
    return store->shared != NULL ? og_store_batch_commit_shared(b, err) : OG_OK;
}
