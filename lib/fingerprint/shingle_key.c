/* NH (Black, Halevi, Krawczyk, Krovetz and Rogaway, UMAC 1999): products of
 * pairs of words, each with a word of the key added, summed up to 128 bits. Two
 * different rows of up to 32 words have one sum for one key in 2^64. The sum is
 * mixed into 64 bits by two more words of the key; longer rows continue from
 * there. Four multiplications for a shingle of eight. */

#include "lib/fingerprint/shingle_key.h"

#include "lib/base/bits.h"

/* The default shingle length: its products are unrolled, without a loop. */
#define USUAL_LEN 8

void og_shingle_key_init(struct og_shingle_key *key, uint64_t secret)
{
    for (size_t i = 0; i < OG_SHINGLE_KEY_WORDS; i++)
        key->words[i] = og_random_next(&secret);
    for (size_t i = 0; i < 2; i++)
        key->finish[i] = og_random_next(&secret);
}

static inline uint64_t add_row(const struct og_shingle_key *key, uint64_t state,
                               const uint64_t *hash, size_t n)
{
    const uint64_t *k = key->words;
    unsigned __int128 sum = 0;
    size_t i = 0;
    for (; i + 2 <= n; i += 2)
        sum += (unsigned __int128)(hash[i] + k[i]) * (hash[i + 1] + k[i + 1]);
    if (i < n) sum += (unsigned __int128)(hash[i] + k[i]) * k[i + 1];
    return og_mul_fold((uint64_t)sum ^ state ^ key->finish[0],
                       (uint64_t)(sum >> 64) ^ key->finish[1]);
}

uint64_t og_shingle_keyed(const struct og_shingle_key *key,
                          const uint64_t *hash, size_t n)
{
    uint64_t state = n;
    if (OG_LIKELY(n == USUAL_LEN)) return add_row(key, n, hash, USUAL_LEN);
    for (; n > OG_SHINGLE_KEY_WORDS;
         n -= OG_SHINGLE_KEY_WORDS, hash += OG_SHINGLE_KEY_WORDS)
        state = add_row(key, state, hash, OG_SHINGLE_KEY_WORDS);
    return add_row(key, state, hash, n);
}
