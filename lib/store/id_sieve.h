#ifndef OG_STORE_ID_SIEVE_H
#define OG_STORE_ID_SIEVE_H

/*   in:  hashes of ids                                        (lib)
 *   out: certainly never seen, or perhaps                     (lib)
 *
 * Most documents that are added have an id that was never seen. To find that
 * out in the catalogue on disk takes a walk through its tree and a page fault;
 * here it takes one memory access. Two bytes an id; one in a hundred that were
 * not seen counts as perhaps. */

#include "lib/base/memory.h"

#define OG_SIEVE_LAYERS 24 /* enough for 2^40 ids */

/* Of one thread. */
struct og_id_sieve {
    const og_allocator *allocator;
    bool is_on; /* false: everything was perhaps seen */
    struct {
        uint64_t *words;
        size_t n_words;
    } layers[OG_SIEVE_LAYERS];
    unsigned n_layers;
    size_t n_left; /* ids that the last layer still takes */
};

/* An empty one, on: nothing was seen. All zero is one that is off. */
void og_id_sieve_init(struct og_id_sieve *sieve, const og_allocator *allocator);
void og_id_sieve_release(struct og_id_sieve *sieve);

/* `hash` is evenly spread (og_documents_hash). When there is no memory for it,
 * the sieve is off from then on. */
void og_id_sieve_add(struct og_id_sieve *sieve, uint64_t hash);

/* False: it was never added. */
bool og_id_sieve_may_have(const struct og_id_sieve *sieve, uint64_t hash);

#endif
