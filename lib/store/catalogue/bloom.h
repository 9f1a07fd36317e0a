#ifndef OG_STORE_CATALOGUE_BLOOM_H
#define OG_STORE_CATALOGUE_BLOOM_H

/*   in:  hashes of ids                                        (lib)
 *   out: certainly never seen, or perhaps                     (lib)
 *
 * Most documents that are added have an id that was never seen. To find that
 * out in the catalogue on disk takes a walk through its tree and a page fault;
 * here it takes one memory access. Two bytes an id; one in a hundred that were
 * not seen counts as perhaps. */

#include "lib/base/memory.h"

#define OG_BLOOM_LAYERS 24 /* enough for 2^40 ids */

/* Of one thread. */
struct og_bloom {
    const og_allocator *allocator;
    bool is_on; /* false: everything was perhaps seen */
    struct {
        uint64_t *words;
        size_t n_words;
    } layers[OG_BLOOM_LAYERS];
    unsigned n_layers;
    size_t n_left; /* ids that the last layer still takes */
};

/* An empty one, on: nothing was seen. All zero is one that is off. */
void og_bloom_init(struct og_bloom *bloom, const og_allocator *allocator);
void og_bloom_release(struct og_bloom *bloom);

/* `hash` is evenly spread (og_documents_hash). When there is no memory for it,
 * the sieve is off from then on. */
void og_bloom_add(struct og_bloom *bloom, uint64_t hash);

/* False: it was never added. */
bool og_bloom_may_have(const struct og_bloom *bloom, uint64_t hash);

#endif
