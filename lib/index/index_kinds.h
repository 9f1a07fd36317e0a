#ifndef OG_INDEX_INDEX_KINDS_H
#define OG_INDEX_INDEX_KINDS_H

/*   in:  the documents of a store                            (lib/store)
 *   out: questions to it: near ones, reused sentences        (include/origo)
 *
 * What the engines of lib/near and lib/sentence need of a store, and what the
 * store needs of them (lib/store/index.h). */

#include "lib/base/arena.h"
#include "lib/store/index.h"

/* Common to all indexes through which a store is queried: the first member of
 * their struct. */
struct og_asked_index {
    og_store *store;
    og_trace *trace;                /* for looking documents up */
    uint32_t n_documents;           /* of the store, for the current run */
    const struct og_index_run *run; /* the current one */
};

/* Zeroed memory of `size` bytes that begins with a struct og_asked_index. */
og_status og_asked_index_new(og_store *store, size_t size, void **out,
                             og_error *err);
void og_asked_index_free(struct og_asked_index *index, size_t size);

/* The number of documents that the store has now. */
uint32_t og_asked_index_now(const struct og_asked_index *index);
/* Begins a run: documents that come later do not count. */
void og_asked_index_begin(struct og_asked_index *index,
                          const struct og_index_run *run);
/* Whether a document may be in an answer: it is not removed, and is one of the
 * n that the store had at the time of the query (the files of an index may be
 * newer than a reader). */
bool og_asked_index_shows(const struct og_asked_index *index,
                          uint32_t n_documents, uint32_t number);

/* Common to all per-thread states of a run: the first member of their
 * struct. */
struct og_run_asker {
    og_trace *trace;                /* that owns it */
    struct og_stored_texts *stored; /* of a store with texts; else NULL */
    struct og_arena arena;          /* for what is kept of a lot */
    uint64_t lot;
};
/* Zeroed memory of `size` bytes that begins with a struct og_run_asker. */
og_status og_run_asker_new(og_store *store, og_trace *trace, size_t size,
                           void **out, og_error *err);
void og_run_asker_free(struct og_run_asker *asker, size_t size);
/* The state of a worker for the lot of `run`: what it kept of another lot is
 * released. */
og_status og_run_asker_get(const struct og_index_run *run, void *worker,
                           const struct og_index_ops *ops, void *index,
                           void **out, og_error *err);

extern const struct og_index_ops og_index_near;
extern const struct og_index_ops og_index_sentences;

#endif
