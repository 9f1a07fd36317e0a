/* The kinds of indexes that are derived from the documents of a store. */

#include "lib/index/index_kinds.h"

#include <stdatomic.h>

#include "lib/store/store.h"
#include "lib/store/store_texts.h"
#include "lib/store/text/stored_texts.h"

const struct og_index_ops *const og_index_kinds[OG_INDEX_KINDS] = {
    &og_index_near, &og_index_sentences};

og_status og_asked_index_new(og_store *store, size_t size, void **out,
                             og_error *err)
{
    struct og_asked_index *index = og_allocate_zero(store->allocator, size);
    *out = NULL;
    if (index == NULL) return og_error_memory(err, size, "an index");
    index->store = store;
    index->trace = og_trace_new(store);
    if (index->trace == NULL) {
        og_release(store->allocator, index, size);
        return og_error_memory(err, sizeof(*index->trace), "an index");
    }
    *out = index;
    return OG_OK;
}

void og_asked_index_free(struct og_asked_index *index, size_t size)
{
    og_trace_free(index->trace);
    og_release(index->store->allocator, index, size);
}

uint32_t og_asked_index_now(const struct og_asked_index *index)
{
    return atomic_load(&index->store->catalogue.n_published);
}

void og_asked_index_begin(struct og_asked_index *index,
                          const struct og_index_run *run)
{
    index->run = run;
    index->n_documents = og_asked_index_now(index);
}

bool og_asked_index_shows(const struct og_asked_index *index,
                          uint32_t n_documents, uint32_t number)
{
    return number < n_documents &&
           !og_catalogue_is_removed(&index->store->catalogue, number);
}

/* ---- runs ---- */

og_status og_run_asker_new(og_store *store, og_trace *trace, size_t size,
                           void **out, og_error *err)
{
    struct og_run_asker *asker = og_allocate_zero(NULL, size);
    *out = NULL;
    if (asker == NULL) return og_error_memory(err, size, "a question");
    asker->trace = trace;
    og_arena_init(&asker->arena, NULL);
    if (og_store_has_texts(store)) {
        const og_status status = og_stored_texts_of(store, &asker->stored, err);
        if (status != OG_OK) {
            og_run_asker_free(asker, size);
            return status;
        }
    }
    *out = asker;
    return OG_OK;
}

void og_run_asker_free(struct og_run_asker *asker, size_t size)
{
    og_stored_texts_close(asker->stored);
    og_arena_release(&asker->arena);
    og_release(NULL, asker, size);
}

og_status og_run_asker_get(const struct og_index_run *run, void *worker,
                           const struct og_index_ops *ops, void *index,
                           void **out, og_error *err)
{
    enum { KEEP_LEN = 1 << 16 }; /* for each thread */
    og_trace *trace;
    TRY(run->trace_of(run->ctx, worker, &trace, err));
    TRY(og_index_asker(trace, ops, index, out, err));
    struct og_run_asker *asker = *out;
    if (asker->lot == run->lot) return OG_OK;
    og_arena_clear(&asker->arena, KEEP_LEN);
    asker->lot = run->lot;
    return OG_OK;
}
