/* The hash of a token.
 *
 * A token is read as 16-byte pieces, each two little-endian words (a, b), the
 * last one filled up with zeros. With four words k derived from the key:
 *
 *     state = k1
 *     each piece but the last:  state = fold((a ^ k2) * (b ^ state))
 *     the last piece:           (high, low) = (a ^ k0) * (b ^ state)
 *     hash = fold((low ^ k2 ^ length) * (high ^ k3))
 *
 * where * gives all 128 bits and fold() is the exclusive or of the halves. If a
 * product or a fold is 0, which happens by chance for no more than one in 2^62
 * words, the token is hashed by SipHash-2-4 under the same key instead: a
 * factor of 0 cancels the other one, so that anyone who knows the key could
 * construct any number of words with one hash.
 *
 * Nearly every word has at most 16 bytes: two multiplications, which overlap
 * with those of the next token. The idea is that of wyhash (Wang Yi); ours
 * keeps both halves of the first product, and k1 is odd, so that tokens of up
 * to 8 bytes never collide before the last step. AES rounds (3 AESENC) are as
 * fast where the machine has them and some fifty times slower where it has not;
 * carry-less products are linear over GF(2), which would weaken the
 * fingerprints built on them (lib/fingerprint).
 *
 * The values are part of the store's format: tests/unit/test_token_hash.c
 * freezes them. */

#include "lib/token/token_hash.h"

#include "lib/base/bits.h"
#include "lib/os/cpu.h"
#include "lib/token/tokens.h"

#if defined(OG_X86)
#include <immintrin.h>
#endif

#define PIECE 16

struct words {
    uint64_t a, b;
};

struct key {
    uint64_t k[4];
};

static struct key derive_key(uint64_t key)
{
    struct key out;
    for (int i = 0; i < 4; i++)
        out.k[i] = og_random_next(&key);
    out.k[1] |= 1;
    return out;
}

static inline struct words load_piece(const char *p)
{
    return (struct words){og_load64(p), og_load64(p + 8)};
}

/* The last piece, 0 to 16 bytes, reading no byte that is not the token's:
 * the two loads overlap where it is not 4, 8 or 16 long. */
static struct words load_last(const char *p, size_t len)
{
    if (len > 8) {
        const uint64_t b = og_load64(p + len - 8) >> (8 * (16 - len));
        return (struct words){og_load64(p), b};
    }
    if (len == 8) return (struct words){og_load64(p), 0};
    if (len >= 4) {
        const uint64_t upper = og_load32(p + len - 4);
        return (struct words){og_load32(p) | upper << (8 * (len - 4)), 0};
    }
    uint64_t a = 0;
    for (size_t i = 0; i < len; i++)
        a |= (uint64_t)(unsigned char)p[i] << (8 * i);
    return (struct words){a, 0};
}

static inline uint64_t absorb(const struct key *key, uint64_t state,
                              struct words w)
{
    return og_mul_fold(w.a ^ key->k[2], w.b ^ state);
}

static inline uint64_t finish(const struct key *key, uint64_t state,
                              struct words w, size_t len)
{
    const unsigned __int128 p =
        (unsigned __int128)(w.a ^ key->k[0]) * (w.b ^ state);
    return og_mul_fold((uint64_t)p ^ key->k[2] ^ len,
                       (uint64_t)(p >> 64) ^ key->k[3]);
}

/* ---- tokens that lose a factor ---- */

static inline uint64_t rotate(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}

static void sip_rounds(uint64_t v[4], int n)
{
    for (int i = 0; i < n; i++) {
        v[0] += v[1];
        v[1] = rotate(v[1], 13) ^ v[0];
        v[0] = rotate(v[0], 32);
        v[2] += v[3];
        v[3] = rotate(v[3], 16) ^ v[2];
        v[0] += v[3];
        v[3] = rotate(v[3], 21) ^ v[0];
        v[2] += v[1];
        v[1] = rotate(v[1], 17) ^ v[2];
        v[2] = rotate(v[2], 32);
    }
}

static void sip_absorb(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    sip_rounds(v, 2);
    v[0] ^= word;
}

/* SipHash-2-4 (Aumasson and Bernstein). */
OG_OUT_OF_LINE
static uint64_t hash_weak(const struct key *key, const char *data, size_t len)
{
    uint64_t v[4] = {
        key->k[2] ^ 0x736f6d6570736575u, key->k[3] ^ 0x646f72616e646f6du,
        key->k[2] ^ 0x6c7967656e657261u, key->k[3] ^ 0x7465646279746573u};
    size_t left = len;
    for (; left >= 8; left -= 8, data += 8)
        sip_absorb(v, og_load64(data));
    sip_absorb(v, load_last(data, left).a | (uint64_t)len << 56);
    v[2] ^= 0xff;
    sip_rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* Whether the last step gives a product or a fold of 0. */
static inline bool is_weak(const struct key *key, uint64_t state,
                           struct words last, uint64_t hash)
{
    return (last.a ^ key->k[0]) == 0 || last.b == state || hash == 0;
}

static uint64_t hash_one(const struct key *key, const char *data, size_t len)
{
    const char *at = data;
    uint64_t state = key->k[1];
    size_t left = len;
    for (; left > PIECE; left -= PIECE, at += PIECE) {
        state = absorb(key, state, load_piece(at));
        if (OG_UNLIKELY(state == 0)) return hash_weak(key, data, len);
    }
    const struct words last = load_last(at, left);
    const uint64_t hash = finish(key, state, last, len);
    return OG_UNLIKELY(is_weak(key, state, last, hash))
               ? hash_weak(key, data, len)
               : hash;
}

uint64_t og_token_hash(const char *data, size_t len, uint64_t key)
{
    const struct key derived = derive_key(key);
    return hash_one(&derived, data, len);
}

/* ---- batches ---- */

/* keep[n] has ones in its first n bytes, of 16. */
#define ROW(i)                                                                 \
    {                                                                          \
        ONES(i), ONES((i) < 8 ? 0 : (i)-8)                                     \
    }
#define ONES(n) ((n) >= 8 ? UINT64_MAX : ((uint64_t)1 << (8 * ((n) % 8))) - 1)
_Alignas(16) static const uint64_t keep[PIECE + 1][2] = {
    ROW(0),  ROW(1),  ROW(2),  ROW(3),  ROW(4),  ROW(5),
    ROW(6),  ROW(7),  ROW(8),  ROW(9),  ROW(10), ROW(11),
    ROW(12), ROW(13), ROW(14), ROW(15), ROW(16),
};
#undef ROW
#undef ONES

/* The padding after the text makes tail handling unnecessary. */
static inline struct words load_masked(const char *p, size_t len)
{
    struct words w = load_piece(p);
    w.a &= keep[len][0];
    w.b &= keep[len][1];
    return w;
}

OG_OUT_OF_LINE
static void hash_long_ones(const struct key *key, const char *text,
                           const uint32_t *begin, const uint32_t *end, size_t n,
                           uint64_t *out)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t len = end[i] - begin[i];
        if (OG_LIKELY(len <= PIECE)) continue;
        out[i] = hash_one(key, text + begin[i], len);
    }
}

void og_token_hash_many_plain(const char *text, const uint32_t *begin,
                              const uint32_t *end, size_t n, uint64_t key,
                              uint64_t *out)
{
    const struct key derived = derive_key(key);
    for (size_t i = 0; i < n; i++) {
        const uint32_t len = end[i] - begin[i];
        const uint32_t cut = len < PIECE ? len : PIECE;
        const struct words w = load_masked(text + begin[i], cut);
        out[i] = finish(&derived, derived.k[1], w, len);
        if (OG_UNLIKELY(is_weak(&derived, derived.k[1], w, out[i])))
            out[i] = hash_one(&derived, text + begin[i], len);
    }
    hash_long_ones(&derived, text, begin, end, n, out);
}

#if defined(OG_X86)

/* Two wide products keep the integer unit busy, so everything else is left to
 * the vector unit, in separate loops over a batch of tokens: lengths,
 * extracting the bytes, adding the key. The halves are exchanged in a small
 * buffer. All tokens are treated as short ones, and the few that are not are
 * repeated. */
#define BATCH 64

struct batch {
    _Alignas(64) uint64_t words[BATCH][2]; /* the piece, with k0 and k1 */
    uint64_t len[BATCH];                   /* with k2 */
    uint32_t row[BATCH];                   /* of keep[], in bytes */
};

/* Returns true when there is a token longer than a piece. */
OG_TARGET_AVX2 OG_OUT_OF_LINE static bool load_lengths(struct batch *b,
                                                       const uint32_t *begin,
                                                       const uint32_t *end,
                                                       size_t n, uint64_t k2)
{
    uint32_t over = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t len = end[i] - begin[i];
        const uint32_t cut = len < PIECE ? len : PIECE;
        b->len[i] = len ^ k2;
        b->row[i] = cut * (uint32_t)sizeof(keep[0]);
        over |= len - cut;
    }
    return over != 0;
}

OG_TARGET_AVX2 OG_OUT_OF_LINE static void
load_words(struct batch *b, const char *text, const uint32_t *begin, size_t n,
           const struct key *key)
{
    const __m128i k01 = _mm_loadu_si128((const __m128i *)key->k);
#pragma GCC unroll 4
    for (size_t i = 0; i < n; i++) {
        const void *row = (const char *)keep + b->row[i];
        const __m128i mask = _mm_loadu_si128(row);
        const __m128i bytes =
            _mm_loadu_si128((const __m128i *)(text + begin[i]));
        _mm_storeu_si128((__m128i *)b->words[i],
                         _mm_xor_si128(_mm_and_si128(bytes, mask), k01));
    }
}

OG_TARGET_AVX2 OG_OUT_OF_LINE static void
multiply(const struct batch *b, size_t n, uint64_t k3, uint64_t *out)
{
#pragma GCC unroll 4
    for (size_t i = 0; i < n; i++) {
        const unsigned __int128 p =
            (unsigned __int128)b->words[i][0] * b->words[i][1];
        out[i] = og_mul_fold((uint64_t)p ^ b->len[i], (uint64_t)(p >> 64) ^ k3);
    }
}

/* Whether a token may have lost a factor: four lanes at a time. */
OG_TARGET_AVX2 OG_OUT_OF_LINE static bool
has_weak(const struct batch *b, size_t n, const uint64_t *out)
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i found = zero;
    bool is_found = false;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const __m256i *words = (const __m256i *)b->words[i];
        const __m256i hash = _mm256_loadu_si256((const __m256i *)(out + i));
        found = _mm256_or_si256(found, _mm256_cmpeq_epi64(words[0], zero));
        found = _mm256_or_si256(found, _mm256_cmpeq_epi64(words[1], zero));
        found = _mm256_or_si256(found, _mm256_cmpeq_epi64(hash, zero));
    }
    for (; i < n; i++)
        is_found |= b->words[i][0] == 0 || b->words[i][1] == 0 || out[i] == 0;
    return is_found || !_mm256_testz_si256(found, found);
}

OG_OUT_OF_LINE
static void hash_all_again(const struct key *key, const char *text,
                           const uint32_t *begin, const uint32_t *end, size_t n,
                           uint64_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = hash_one(key, text + begin[i], end[i] - begin[i]);
}

OG_TARGET_AVX2
static void hash_many_avx2(const char *text, const uint32_t *begin,
                           const uint32_t *end, size_t n, uint64_t key,
                           uint64_t *out)
{
    const struct key derived = derive_key(key);
    struct batch b;
    while (n > 0) {
        const size_t n_here = n < BATCH ? n : BATCH;
        const bool has_long =
            load_lengths(&b, begin, end, n_here, derived.k[2]);
        load_words(&b, text, begin, n_here, &derived);
        multiply(&b, n_here, derived.k[3], out);
        if (OG_UNLIKELY(has_weak(&b, n_here, out)))
            hash_all_again(&derived, text, begin, end, n_here, out);
        else if (has_long)
            hash_long_ones(&derived, text, begin, end, n_here, out);
        begin += n_here;
        end += n_here;
        out += n_here;
        n -= n_here;
    }
}

#endif

og_token_hash_fn *og_token_hash_choose(void)
{
#if defined(OG_X86)
    if (og_cpu_level() >= OG_CPU_AVX2) return hash_many_avx2;
#endif
    return og_token_hash_many_plain;
}
