#ifndef OG_NEAR_NEAR_ENGINE_H
#define OG_NEAR_NEAR_ENGINE_H

/*   in:  the documents of a store, one after the other        (lib/index)
 *   out: those that are near a document                       (lib/index)
 *
 * An index that is derived from the documents of a store: it keeps a sketch and
 * the number of each; ids, times, texts and the log are those of the store.
 * near_files.h describes the files; later documents are sketched again when the
 * index is opened. */

#include "lib/base/packing.h"
#include "lib/fingerprint/fingerprint.h"
#include "lib/fingerprint/shingler.h"
#include "lib/near/near_files.h"
#include "lib/near/near_index.h"
#include "lib/sketch/band_sketch.h"
#include "lib/sketch/shingle_set.h"
#include "lib/store/store.h"
#include "lib/store/text/stored_texts.h"

#include <origo/neighbour.h>
#include <pthread.h>

struct og_dedup_texts;

/* The state of a querying thread: its buffers, the documents it has read. */
struct og_near_asker {
    struct og_shingler shingler;
    struct og_pack sketch; /* of the current document */
    /* Of a store with texts, for exact answers; otherwise NULL. */
    struct og_stored_texts *stored;
    struct og_dedup_texts *texts;
    struct og_shingle_set set; /* of the queried document, if has_set */
    bool has_set;
    struct og_near_found found;
    struct og_near_met *met; /* the matches of the last query */
    size_t n_met, met_cap;
    og_near_match *matches; /* the same, for og_near_find() */
    size_t matches_cap;
    uint32_t *expected; /* documents that are looked at next */
    size_t expected_cap;
};

/* A match: an entry of the index, or OG_NEAR_OF_RUN and its number in the
 * current run (near_batch.h). */
struct og_near_met {
    uint32_t entry, document;
    og_near_match match;
};
#define OG_NEAR_OF_RUN (UINT32_C(1) << 31)

/* An index to which other processes add: one log has the sketches of all of
 * them, in one order for all. A record is a document's number, in four bytes,
 * and its sketch. */
struct og_near_log {
    void *ctx;
    /* Appends records (n may be 0), and to `before` all that others appended
     * before them and that were not read yet. */
    og_status (*append)(void *ctx, og_bytes records, struct og_pack *before,
                        og_error *err);
};

/* One writer; any number of queries while it does not write. */
struct og_near {
    og_near_options options;
    struct og_near_index *index;
    size_t minhash_len, sketch_len;
    struct og_shingle_factors key;
    struct og_band_sketcher sketcher;
    struct og_near_asker own; /* for queries one by one */
    const uint8_t *uuid;      /* of the store */
    char *folder;             /* NULL: in memory */
    bool is_writable;
    uint32_t n_documents; /* of the store, that were added */
    struct og_near_files files;
    pthread_mutex_t counting; /* for what queries change: these counts, and
                                 which entries are kept longer */
    uint64_t n_exact, n_estimated;
    struct og_near_log log; /* append NULL: it is the process's own */
    struct og_pack records, others;
};
typedef struct og_near og_near;

/* Where an index is. `folder` NULL: in memory. A writer with `is_new` creates
 * an empty one, whatever is there. `stored` NULL: all answers are estimates. */
struct og_near_place {
    const char *folder;
    const uint8_t *uuid;
    bool is_writable, is_new;
    struct og_stored_texts *stored; /* must outlive the index */
};
og_status og_near_open(const struct og_near_place *place,
                       const og_near_options *options, og_near **out,
                       og_error *err);
void og_near_close(og_near *near); /* NULL is fine */

/* Adds document `number`, which comes after all added so far. */
og_status og_near_add(og_near *near, uint32_t number, og_bytes text,
                      og_error *err);

/* Sketches of other processes that came since; nothing for an index that has no
 * log. Not while it is asked. */
og_status og_near_catch_up(og_near *near, og_error *err);
/* The bytes of a record. */
size_t og_near_record_len(const og_near *near);
/* `records`: those of documents that are added here, after those of others. */
og_status og_near_share(og_near *near, og_error *err);

/* Which documents may be reported: called for each near one, which is skipped
 * if *out_is_reported is false, otherwise named. */
struct og_near_scope {
    void *ctx;
    og_status (*name)(void *ctx, uint32_t number, og_near_match *match,
                      bool *out_is_reported, og_error *err);
    /* These will be asked for next. May be NULL. */
    og_status (*expect)(void *ctx, const uint32_t *numbers, size_t n,
                        og_error *err);
};
/* Matches, the most similar first; valid until the asker's next query. NULL:
 * the index's own asker, for one thread at a time. */
og_status og_near_find(og_near *near, struct og_near_asker *asker,
                       og_bytes text, const og_near_query *query,
                       const struct og_near_scope *scope,
                       const og_near_match **out, size_t *out_n, og_error *err);

/* ---- near_ask.c: the steps of it, for runs of documents ---- */

/* `stored` NULL: estimates. `memory`: for cached shingles. */
og_status og_near_asker_init(struct og_near_asker *asker, const og_near *near,
                             struct og_stored_texts *stored, size_t memory,
                             og_error *err);
void og_near_asker_release(struct og_near_asker *asker);

/* Writes asker->sketch; the fingerprints remain in the shingler. */
og_status og_near_sketch(const og_near *near, struct og_near_asker *asker,
                         og_bytes text, og_error *err);

/* A query: what is near `sketch`, of the document `text`. Begins, then visits
 * sketches, each once; asker->met are the near ones. */
struct og_near_question {
    const uint8_t *sketch;
    og_bytes text;
    const og_near_query *query;
    const struct og_near_scope *scope;
};
og_status og_near_query_check(const og_near_query *query, og_error *err);
void og_near_begin(struct og_near_asker *asker);
og_status og_near_meet(const og_near *near, struct og_near_asker *asker,
                       const struct og_near_question *question, uint32_t entry,
                       const struct og_near_entry *known, og_error *err);
/* All entries of the index; `n_met` as in og_near_index_find(). */
og_status og_near_meet_index(const og_near *near, struct og_near_asker *asker,
                             const struct og_near_question *question,
                             const uint32_t *n_met, og_error *err);
/* The most similar first. */
void og_near_sort(struct og_near_asker *asker);

/* ---- near.c ---- */

/* Creates an empty index in memory for `near->options`. */
og_status og_near_index_make(og_near *near, og_error *err);
void og_near_index_unmake(og_near *near);

#endif
