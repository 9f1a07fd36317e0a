#ifndef OG_STORE_CATALOGUE_BLOOM_H
#define OG_STORE_CATALOGUE_BLOOM_H

/*   in:  hashes of ids                                        (lib)
 *   out: certainly never seen, or perhaps                     (lib)
 *
 * Most documents that are added have an id that was never seen. Finding that
 * out in the catalogue on disk takes a walk through its tree and a page fault;
 * here it takes one memory access. Two bytes an id; one in a hundred ids that
 * were not seen is reported as perhaps seen. */

#include "lib/base/memory.h"

#define OG_BLOOM_LAYERS 24 /* enough for 2^40 ids */

/* To be used by one thread. */
struct og_bloom {
    const og_allocator *allocator;
    bool is_on; /* false: every id may have been seen */
    struct {
        uint64_t *words;
        size_t n_words;
    } layers[OG_BLOOM_LAYERS];
    unsigned n_layers;
    size_t n_left; /* ids that the last layer has room for */
};

/* An empty filter that is on: nothing was seen. All zeros is one that is
 * off. */
void og_bloom_init(struct og_bloom *bloom, const og_allocator *allocator);
void og_bloom_release(struct og_bloom *bloom);

/* `hash` is evenly distributed (og_documents_hash). When memory runs out, the
 * filter is off from then on. */
void og_bloom_add(struct og_bloom *bloom, uint64_t hash);

/* False: it was never added. */
bool og_bloom_may_have(const struct og_bloom *bloom, uint64_t hash);

#endif
