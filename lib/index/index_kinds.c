/* The kinds of indexes that are derived from the documents of a store. */

#include "lib/index/index_kinds.h"

#include <stdatomic.h>

#include "lib/store/store.h"

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

void og_asked_index_begin(struct og_asked_index *index)
{
    index->n_documents = atomic_load(&index->store->catalogue.n_published);
}

bool og_asked_index_shows(const struct og_asked_index *index, uint32_t number)
{
    return number < index->n_documents &&
           !og_catalogue_is_removed(&index->store->catalogue, number);
}
