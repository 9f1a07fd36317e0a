#ifndef OG_FINGERPRINT_SHINGLE_KEY_H
#define OG_FINGERPRINT_SHINGLE_KEY_H

/*   in:  the hashes of the tokens of a selected shingle      (lib/select)
 *   out: its fingerprint under the key of a store           (lib/table)
 *
 * Rabin fingerprints are public and linear: they are good for choosing shingles
 * and no good as keys of a table that strangers fill. Whoever writes a document
 * could choose the bucket that it fills, or write another shingle that a table
 * takes for a given one. So what a store keeps of a selected shingle depends on
 * a key that nobody else knows; which shingles are selected does not. */

#include <stddef.h>
#include <stdint.h>

#define OG_SHINGLE_KEY_WORDS 32

struct og_shingle_key {
    uint64_t words[OG_SHINGLE_KEY_WORDS];
    uint64_t finish[2];
};

void og_shingle_key_init(struct og_shingle_key *key, uint64_t secret);

/* The fingerprint of n tokens in a row. */
uint64_t og_shingle_keyed(const struct og_shingle_key *key,
                          const uint64_t *hash, size_t n);

#endif
