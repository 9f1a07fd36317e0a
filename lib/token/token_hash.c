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
 * where * gives all 128 bits and fold() is the exclusive or of the halves.
 * Nearly every word has at most 16 bytes: two multiplications, which overlap
 * with those of the next token, so a batch takes about 1 ns each. The idea is
 * that of wyhash (Wang Yi); ours keeps both halves of the first product, and
 * k1 is odd, so that tokens of up to 8 bytes never collide before the last
 * step. AES rounds (3 AESENC) are as fast where the machine has them and some
 * fifty times slower where it has not; carry-less products are linear over
 * GF(2), which the prints built on top must not meet (lib/fingerprint).
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

static uint64_t hash_one(const struct key *key, const char *data, size_t len)
{
    uint64_t state = key->k[1];
    size_t left = len;
    for (; left > PIECE; left -= PIECE, data += PIECE)
        state = absorb(key, state, load_piece(data));
    return finish(key, state, load_last(data, left), len);
}

uint64_t og_token_hash(const char *data, size_t len, uint64_t key)
{
    const struct key derived = derive_key(key);
    return hash_one(&derived, data, len);
}

/* ---- batches ------------------------------------------------------------- */

void og_token_hash_many_plain(const char *text, const uint32_t *begin,
                              const uint32_t *end, size_t n, uint64_t key,
                              uint64_t *out)
{
    static const uint64_t keep[9] = {
        0,          0xff,         0xffff,         0xffffff,
        0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff,
        UINT64_MAX,
    };
    const struct key derived = derive_key(key);
    for (size_t i = 0; i < n; i++) {
        const size_t len = end[i] - begin[i];
        const char *data = text + begin[i];
        if (OG_UNLIKELY(len > PIECE)) {
            out[i] = hash_one(&derived, data, len);
            continue;
        }
        struct words w = load_piece(data);
        w.a &= keep[len < 8 ? len : 8];
        w.b &= keep[len < 8 ? 0 : len - 8];
        out[i] = finish(&derived, derived.k[1], w, len);
    }
}

#if defined(OG_X86)

/* BZHI keeps the low n bits, and all of them for n from 64 to 255. */
OG_TARGET_AVX2
static void hash_many_bmi2(const char *text, const uint32_t *begin,
                           const uint32_t *end, size_t n, uint64_t key,
                           uint64_t *out)
{
    const struct key derived = derive_key(key);
    for (size_t i = 0; i < n; i++) {
        const size_t len = end[i] - begin[i];
        const char *data = text + begin[i];
        if (OG_UNLIKELY(len > PIECE)) {
            out[i] = hash_one(&derived, data, len);
            continue;
        }
        const unsigned n_bits = 8 * (unsigned)len;
        struct words w = load_piece(data);
        w.a = _bzhi_u64(w.a, n_bits);
        w.b = _bzhi_u64(w.b, n_bits > 64 ? n_bits - 64 : 0);
        out[i] = finish(&derived, derived.k[1], w, len);
    }
}

#endif

og_token_hash_fn *og_token_hash_choose(void)
{
#if defined(OG_X86)
    if (og_cpu_level() >= OG_CPU_AVX2) return hash_many_bmi2;
#endif
    return og_token_hash_many_plain;
}
