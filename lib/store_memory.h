#ifndef OG_STORE_MEMORY_H
#define OG_STORE_MEMORY_H

/* A store from the inside: its steps, for og_store_add() and for a stream,
 * which takes them on several threads. */

#include "lib/answer.h"

struct og_store {
    const og_allocator *allocator;
    og_params params;
    struct og_shingle_key shingle_key;
    struct og_prepare_options prepare;
    struct og_table table;
    struct og_catalogue catalogue;
    og_trace *own_trace; /* of og_store_add() without one; NULL: not yet */
};

struct og_trace {
    const og_allocator *allocator;
    struct og_scratch scratch;
    struct og_labels labels;
    struct og_answering answering;
};

void og_trace_init(og_trace *trace, const og_allocator *allocator);
void og_trace_release(og_trace *trace);

/* og_store_open() with an allocator, which must outlive the store. */
og_status og_store_open_in(const char *path, const og_params *params,
                           const og_allocator *allocator, og_store **out,
                           og_error *err);

/* ---- the writer's steps, for one document, in this order ---- */

/* Whether the store would keep it, by its length. */
bool og_store_keeps(const og_store *store, const struct og_prepared *prepared);

/* Looks up and labels: trace->labels. When neither the answer nor the eviction
 * needs labels (`for_answer` is false), makes only room for them. */
og_status og_store_ask(const og_store *store, const og_document *doc,
                       const struct og_prepared *prepared, bool for_answer,
                       og_trace *trace, og_error *err);

/* Then og_answering_build(), if the answer is wanted, and at last: takes it
 * in. On failure nothing has changed. */
og_status og_store_take(og_store *store, const og_document *doc,
                        const struct og_prepared *prepared, og_trace *trace,
                        og_error *err);

#endif
