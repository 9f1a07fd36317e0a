#ifndef OG_STORE_STORE_H
#define OG_STORE_STORE_H

/* The internals of a store: its steps, for og_store_add() and for a stream,
 * which runs them on several threads. */

#include "lib/store/catalogue/catalogue.h"
#include "lib/store/index.h"
#include "lib/trace/answer.h"

#include <origo/compare.h>
#include <origo/trace.h>

struct og_disk;
struct og_remote_table;
struct og_shared;
struct og_store_batch;

/* What a remote table returns for the fingerprints of a document, besides the
 * hits (store_table.h). */
struct og_remote_found {
    uint8_t *lost;     /* 1: it is missing but may have been there once */
    uint32_t *holders; /* as found in the look-up; some hits are dropped */
    size_t n;          /* 0: not queried */
    size_t lost_cap, holders_cap;
    struct og_pack reversed;
};

/* What is not reported: filter.c. */
struct og_filter_rules {
    const og_allocator *allocator;
    og_trace_options asking;
    uint64_t *ignored; /* fingerprints of the text that never counts, sorted */
    size_t n_ignored, ignored_cap;
    uint8_t *mask, *rare;
    size_t mask_cap, rare_cap;
    struct og_formulae formulae;
    const struct og_catalogue *catalogue;
    uint32_t same; /* of the queried document */
};

/* The origins of an answer and other documents that copied from them:
 * copiers.c. */
struct og_copiers {
    const og_allocator *allocator;
    og_origin *origins;
    size_t n_origins, origins_cap;
    og_copier *copiers;
    size_t n_copiers, copiers_cap;
};

/* The texts: store_texts.h. */
struct og_keeping {
    struct og_texts *texts;        /* NULL: read-only, or no texts */
    struct og_framer framer;       /* of og_store_add() */
    struct og_text_reader *reader; /* of older versions; NULL: not yet */
};

/* Two documents with the same slot are not distinguished. */
#define OG_CHANGED_SLOTS 8192

struct og_store {
    const og_allocator *allocator;
    og_params params;
    struct og_shingle_factors shingle_factors;
    struct og_shingle_key shingle_key;
    struct og_prepare_options prepare;
    struct og_table table;
    struct og_remote_table *remote; /* a remote table; NULL: its own */
    uint64_t table_memory;          /* requested for a new remote table */
    /* Documents and texts are on the servers of that table, and other front
     * ends add to them; NULL: they are the store's own. */
    struct og_shared *shared;
    struct og_store_batch *alone; /* for documents that are added one by one
                                     there; NULL: not needed yet */
    struct og_catalogue catalogue;
    struct og_pending pending;
    uint32_t n_removed; /* documents */
    /* Changes when a document takes over fingerprints from later ones: until
     * then, and as long as the table evicts nothing, the holders before a
     * document stay the same. 0: documents were removed. `changed` is the order
     * since which nothing was taken over from a document, in a slot that it
     * shares with others, and `all_changed` that for all of them. */
    _Atomic uint64_t order;
    _Atomic uint64_t all_changed;
    _Atomic uint64_t changed[OG_CHANGED_SLOTS];
    struct og_disk *disk; /* NULL: in memory */
    struct og_keeping keeping;
    bool is_read_only;
    struct og_derived_indexes indexes;
    og_trace *own_trace; /* of og_store_add() without one; NULL: not yet */
    struct og_origin_caches origin_caches; /* shared by all traces */
};

struct og_trace {
    const og_allocator *allocator;
    og_store *store;
    struct og_scratch scratch;
    struct og_labels labels;
    struct og_remote_found found;
    /* Of an origin, to find those that contain its passages before it. */
    struct og_scratch origin_scratch;
    struct og_labels origin_labels;
    struct og_answering answering;
    struct og_lookup lookup;
    struct og_origin_texts origins;
    struct og_confirming confirming;
    og_comparison *comparison; /* with the last version; NULL: not needed yet */
    struct og_copiers chain;
    struct og_filter_rules filter;
    /* Later documents that contain what this one contains; as in og_entry. */
    struct og_entry_origin displaced[OG_ENTRY_ORIGINS];
    uint32_t n_displaced;
    /* Whose documents are being answered, when some of them are late; NULL:
     * there are none. */
    const struct og_store_batch *run;
    struct og_pack bytes;         /* of a record */
    void *askers[OG_INDEX_KINDS]; /* of other indexes; NULL: not yet */
};

void og_trace_init(og_trace *trace, og_store *store);
void og_trace_release(og_trace *trace);

/* The options of a store's table. */
struct og_table_options og_store_table_options(const og_params *params);

/* ---- the writer's steps, for one document, in this order ---- */

/* A document being processed by a store. */
struct og_subject {
    const og_document *doc;
    const struct og_prepared *prepared;
    uint64_t text_hash, text_len;
    struct og_text_place text; /* segment 0: its text is not kept */
    /* Set by og_store_identify(). */
    uint32_t same; /* hash of what params.same names; 0: nothing */
    struct og_doc_place place;
    uint32_t n_before; /* number of documents when it arrived */
    uint32_t latest;   /* the latest document with its id; OG_NO_DOC: none */
    uint32_t series;   /* the first one */
    bool is_known;     /* the latest one equals this document */
    bool takes_id;     /* of a shared store: its id refers to another
                          document */
};

/* A subject that is not identified yet. */
struct og_subject og_subject_of(const og_document *doc,
                                const struct og_prepared *prepared);

/* The hash that distinguishes texts. */
uint64_t og_text_hash(og_bytes text);

/* Whether the store would keep it, by its length. */
bool og_store_keeps(const og_store *store, const struct og_prepared *prepared);

/* Whether hits can be compared with the texts of their origins. */
bool og_store_can_confirm(const og_store *store);

/* Determines whether it is known, and its place in the order. Any thread if
 * `shared`, otherwise the writer's, or others while it waits for them. */
og_status og_store_identify(og_store *store, struct og_subject *subject,
                            bool shared, og_trace *trace, og_error *err);

/* The same text under the same id, and no earlier than the entry says. */
bool og_subject_is_same(const struct og_subject *subject,
                        const struct og_entry *entry, bool only_asks);

/* Looks up and labels: trace->labels. If neither the answer nor the eviction
 * needs labels (`for_answer` is false), only reserves room for them. */
og_status og_store_ask(og_store *store, const struct og_subject *subject,
                       bool for_answer, og_trace *trace, og_error *err);

/* If the answer is wanted: compares the texts of its origins, if the store has
 * them, and fills trace->answering. */
og_status og_store_answer(og_store *store, const struct og_subject *subject,
                          og_trace *trace, og_error *err);

/* The parts of them that a batch takes on many threads (store_batch.c). Pages
 * of the table that are still only on disk are verified; hits that cannot be
 * origins of it are dropped; trace->labels is filled from hits (NULL: none are
 * needed); its entry is made, packed in trace->bytes. */
og_status og_store_know(og_store *store, const struct og_selection *selection,
                        og_error *err);
void og_store_drop(const og_store *store, const struct og_subject *subject,
                   struct og_hit *hits, og_trace *trace);
og_status og_store_label(const og_store *store,
                         const struct og_subject *subject,
                         const struct og_hit *hits, og_trace *trace,
                         og_error *err);
/* From trace->labels.hits. */
og_status og_store_estimate(const og_store *store,
                            const struct og_subject *subject, og_trace *trace,
                            og_error *err);
og_status og_store_entry(const og_store *store,
                         const struct og_subject *subject, og_trace *trace,
                         struct og_entry *out, og_error *err);
struct og_mark og_store_mark(const struct og_subject *subject);

/* All three, for a document that is already prepared; any thread, also while
 * the writer works. */
og_status og_store_trace_subject(og_store *store, struct og_subject *subject,
                                 og_trace *trace, og_error *err);

/* Finally: adds it, unless it is known. On failure nothing has changed. */
og_status og_store_take(og_store *store, const struct og_subject *subject,
                        og_trace *trace, og_error *err);

/* Alternatively: it was seen, and is not added. Its fingerprints in the table
 * count as found for the eviction. After og_store_ask(). */
og_status og_store_see(og_store *store, const struct og_subject *subject,
                       og_trace *trace, og_error *err);
/* The changes of its record in memory; false: it is not a sighting. */
bool og_store_apply_sighting(og_store *store, const uint8_t *data, size_t len);
/* The fingerprints of the record: n of them at `data` + 8. SIZE_MAX: it is not
 * valid. */
size_t og_sighting_count(const uint8_t *data, size_t len);

/* For og_store.order: results that depended on the order of documents are no
 * longer valid; and a number that is then another one, 0 if no such result can
 * be cached. The second is for any thread. */
void og_store_reorder(og_store *store);
uint64_t og_store_order(const og_store *store);
/* Documents that are added with an earlier time than others have, between
 * _begin and _end: og_additions.earlier, with this as its context, notes from
 * which documents they take over. The writer alone; the comparison on any
 * thread. */
struct og_late {
    og_store *store;
    uint64_t order; /* once they are in the table */
};
struct og_late og_store_late_begin(og_store *store);
void og_store_late_end(og_store *store);
bool og_store_takes_over(const void *late, uint32_t doc, uint32_t holder);
/* The slot of a document in og_store.changed. */
uint16_t og_store_changed_slot(uint32_t doc);
/* Whether the table still names the same documents for the fingerprints of a
 * document as when they were looked up. */
bool og_store_still_names(const og_store *store,
                          const struct og_ancestors *found);

/* Keeps its text in the trace: the next documents are often compared with
 * it. */
void og_store_keep_at_hand(const struct og_subject *subject, og_trace *trace);

/* The part of them in a record of the journal. */
struct og_additions og_store_journal_part(const og_store *store,
                                          const struct og_additions *additions);

/* The changes of a record of the journal in memory; for og_store_take() and for
 * replaying. `entry` is of document catalogue.n. */
void og_store_apply(og_store *store, const struct og_mark *mark,
                    struct og_additions *additions, bool may_reorder);
/* The same for a document that is already in the store. */
void og_store_apply_again(og_store *store, struct og_additions *additions);

#endif
