/* Simhashes of features that the caller supplies. They need no text, so they
 * are also in the smallest library (-Dlibrary=sketch). */

#include "lib/sketch/simhash.h"

unsigned og_simhash_distance(const og_simhash *a, const og_simhash *b)
{
    return (unsigned)(__builtin_popcountll(a->word[0] ^ b->word[0]) +
                      __builtin_popcountll(a->word[1] ^ b->word[1]));
}

og_status og_simhash_features(const uint64_t *hash, const float *weight,
                              size_t n, unsigned n_bits, og_simhash *out,
                              og_error *err)
{
    /* Only read. */
    const struct og_features features = {.hash = (uint64_t *)(uintptr_t)hash,
                                         .weight = (float *)(uintptr_t)weight,
                                         .n = n,
                                         .is_weighted = weight != NULL};
    struct og_simhash_scratch scratch;
    og_simhash_scratch_init(&scratch, NULL);
    const og_status status =
        og_simhash_make(&features, n_bits, &scratch, out, err);
    og_simhash_scratch_release(&scratch);
    return status;
}
