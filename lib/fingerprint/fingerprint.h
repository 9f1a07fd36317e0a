#ifndef OG_FINGERPRINT_FINGERPRINT_H
#define OG_FINGERPRINT_FINGERPRINT_H

/*   in:  the tokens of a document                           (lib/token)
 *   out: the fingerprints of all its shingles, in order     (lib/select)    */

#include "lib/base/bits.h"
#include "lib/fingerprint/rabin.h"
#include "lib/token/tokens.h"

struct og_fps {
    const og_allocator *allocator;
    uint64_t *data; /* data[i]: the shingle that begins at token i */
    size_t n, cap;
};

void og_fps_init(struct og_fps *fps, const og_allocator *allocator);
void og_fps_release(struct og_fps *fps);

/* The multipliers of a dot product that gives the fingerprint of `shingle_len`
 * tokens at once: see fingerprint.c. */
#define OG_SHINGLE_MAX 32
struct og_shingle_factors {
    uint32_t shingle_len;
    const struct og_rabin *rabin;
    uint64_t factor[OG_SHINGLE_MAX + 1]; /* 0 after shingle_len */
    uint64_t lead; /* the leading 1 of every shingle, shifted */
    /* To slide by carry-less products, see fingerprint_x86.c. */
    uint64_t leave, turn;
    struct og_rabin_window window; /* for the form that slides */
};

void og_shingle_factors_init(struct og_shingle_factors *key,
                             const struct og_rabin *rabin,
                             uint32_t shingle_len);

/* fp[i] = og_rabin_words(hash + i, shingle_len), for all i that fit; none
 * when there are fewer tokens than a shingle has. */
og_status og_tokens_fingerprint(const struct og_tokens *tokens,
                                const struct og_shingle_factors *key,
                                struct og_fps *fps, og_error *err);

/* The same of n words that 64 zero bytes follow. */
og_status og_words_fingerprint(const uint64_t *words, size_t n_words,
                               const struct og_shingle_factors *key,
                               struct og_fps *fps, og_error *err);

/* The kernels, n fingerprints each; equal bit for bit. */
void og_fingerprint_plain(const uint64_t *hash, size_t n,
                          const struct og_shingle_factors *key, uint64_t *out);
#if defined(OG_TARGET_CLMUL)
void og_fingerprint_clmul(const uint64_t *hash, size_t n,
                          const struct og_shingle_factors *key, uint64_t *out);
#endif
#if defined(OG_X86)
void og_fingerprint_avx512(const uint64_t *hash, size_t n,
                           const struct og_shingle_factors *key, uint64_t *out);
#endif

#endif
