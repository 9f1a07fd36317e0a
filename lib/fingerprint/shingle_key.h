#ifndef OG_FINGERPRINT_SHINGLE_KEY_H
#define OG_FINGERPRINT_SHINGLE_KEY_H

/*   in:  the hashes of the tokens of a selected shingle      (lib/select)
 *   out: its fingerprint under the key of a store           (lib/table)
 *
 * Rabin fingerprints are public and linear: they are good for selecting
 * shingles but not as keys of a table that untrusted documents fill. The author
 * of a document could choose the bucket that it fills, or construct another
 * shingle that the table confuses with a given one. So the fingerprint that a
 * store keeps of a selected shingle depends on a secret key; which shingles are
 * selected does not. */

#include <stddef.h>
#include <stdint.h>

#define OG_SHINGLE_KEY_WORDS 32

struct og_shingle_key {
    uint64_t words[OG_SHINGLE_KEY_WORDS];
    uint64_t finish[2];
};

void og_shingle_key_init(struct og_shingle_key *key, uint64_t secret);

/* The fingerprint of n consecutive tokens. */
uint64_t og_shingle_keyed(const struct og_shingle_key *key,
                          const uint64_t *hash, size_t n);

#endif
