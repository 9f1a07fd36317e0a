#ifndef OG_FINGERPRINT_PRINT_H
#define OG_FINGERPRINT_PRINT_H

/*   in:  the tokens of a document                           (lib/token)
 *   out: the prints of all its shingles, in order           (lib/select)    */

#include "lib/base/bits.h"
#include "lib/fingerprint/rabin.h"
#include "lib/token/tokens.h"

struct og_prints {
    const og_allocator *allocator;
    uint64_t *data; /* data[i]: the shingle that begins at token i */
    size_t n, cap;
};

void og_prints_init(struct og_prints *prints, const og_allocator *allocator);
void og_prints_release(struct og_prints *prints);

/* The multipliers of a dot product that gives the print of `shingle_len`
 * tokens at once: see print.c. */
#define OG_SHINGLE_MAX 32
struct og_shingle_key {
    uint32_t shingle_len;
    const struct og_rabin *rabin;
    uint64_t factor[OG_SHINGLE_MAX + 1]; /* 0 behind shingle_len */
    uint64_t lead; /* the leading 1 of every shingle, shifted */
    /* To slide by carry-less products, see print_x86.c. */
    uint64_t leave, turn;
    struct og_rabin_window window; /* for the form that slides */
};

void og_shingle_key_init(struct og_shingle_key *key,
                         const struct og_rabin *rabin, uint32_t shingle_len);

/* print[i] = og_rabin_words(hash + i, shingle_len), for all i that fit; none
 * when there are fewer tokens than a shingle has. */
og_status og_tokens_print(const struct og_tokens *tokens,
                          const struct og_shingle_key *key,
                          struct og_prints *prints, og_error *err);

/* The kernels behind it, n prints each; equal bit for bit. */
void og_print_plain(const uint64_t *hash, size_t n,
                    const struct og_shingle_key *key, uint64_t *out);
#if defined(OG_X86)
void og_print_clmul(const uint64_t *hash, size_t n,
                    const struct og_shingle_key *key, uint64_t *out);
void og_print_avx512(const uint64_t *hash, size_t n,
                     const struct og_shingle_key *key, uint64_t *out);
#endif

#endif
