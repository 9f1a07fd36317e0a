#ifndef OG_FINGERPRINT_RABIN_H
#define OG_FINGERPRINT_RABIN_H

/* Rabin fingerprints of byte strings and of strings of 64-bit words.
 *
 * A string is read as a polynomial: a leading 1 (so that leading zeros count),
 * its bits, then 64 zeros (so that neighbours in value land far apart); its
 * fingerprint is what is left modulo a primitive polynomial of degree 64. Words
 * are read as their eight bytes, low byte first, so both readings agree. */

#include "lib/base/bits.h"
#include "lib/fingerprint/field.h"

#include <stddef.h>

/* The polynomial of the format: og_field_generate(64, OG_RABIN_SEED), proved
 * primitive by tests/unit/test_field.c. Frozen: stores depend on it. */
#define OG_RABIN_SEED 2009
#define OG_RABIN_POLY 0x830e6081a58adedau

/* The same for fingerprints of 62 bits, the size that the paper's tables use.
 */
#define OG_RABIN_POLY_62 0x3e1b119f22aca1d1u

struct og_rabin {
    struct og_field field;
    uint64_t empty; /* the fingerprint of the empty string: x^64 */
    /* by_byte[a][n]: n * x^(8 (a + 1)), what a byte that is shifted out of the
     * word leaves behind. */
    uint64_t by_byte[8][256];
    uint64_t power[64]; /* x^(8 * 2^i): shifts by 2^i bytes */
    /* For the reduction of carry-less products, see og_clmul_reduce() in
     * clmul.h. */
    uint64_t odd;     /* the modulus, x^64 in bit 0, without its last term */
    uint64_t inverse; /* odd * inverse = 1 modulo 2^64, without carries */
};

void og_rabin_init(struct og_rabin *rabin, uint64_t poly);

/* The one of OG_RABIN_POLY, made once; lives as long as the process. */
const struct og_rabin *og_rabin_default(void);

/* The fingerprint of the string whose fingerprint is `fingerprint`, followed by
 * `len` bytes. Start with rabin->empty. _plain goes bit by bit: the definition.
 */
uint64_t og_rabin_extend_plain(const struct og_rabin *rabin, uint64_t fp,
                               const void *data, size_t len);
uint64_t og_rabin_extend_tables(const struct og_rabin *rabin, uint64_t fp,
                                const void *data, size_t len);
#if defined(OG_TARGET_CLMUL)
uint64_t og_rabin_extend_clmul(const struct og_rabin *rabin, uint64_t fp,
                               const void *data, size_t len);
#endif
/* The fastest of them on this machine. */
uint64_t og_rabin_extend(const struct og_rabin *rabin, uint64_t fp,
                         const void *data, size_t len);

/* One more word. */
uint64_t og_rabin_extend_word(const struct og_rabin *rabin, uint64_t fp,
                              uint64_t word);

/* The fingerprint of `n` words. */
uint64_t og_rabin_words(const struct og_rabin *rabin, const uint64_t *words,
                        size_t n);

/* The fingerprint of a string followed by another one of `len_b` bytes, from
 * the fingerprints of the two. */
uint64_t og_rabin_concat(const struct og_rabin *rabin, uint64_t fp_a,
                         uint64_t fp_b, uint64_t len_b);

/* A window of fixed length that moves on by one unit at a time. */
struct og_rabin_window {
    const struct og_rabin *rabin;
    /* out[a][n]: byte a of a leaving unit with value n; out[0] also takes the
     * old leading 1 away and puts the new one in. */
    uint64_t out[8][256];
};

/* `n_units` bytes (or words) are in the window at a time; at least 1. */
void og_rabin_window_bytes(struct og_rabin_window *window,
                           const struct og_rabin *rabin, size_t n_units);
void og_rabin_window_words(struct og_rabin_window *window,
                           const struct og_rabin *rabin, size_t n_units);

/* From the fingerprint of a window to that of the next: `leaves` was its first
 * unit, `comes` is the new last one. */
uint64_t og_rabin_slide_byte(const struct og_rabin_window *window, uint64_t fp,
                             uint8_t leaves, uint8_t comes);
uint64_t og_rabin_slide_word(const struct og_rabin_window *window, uint64_t fp,
                             uint64_t leaves, uint64_t comes);

/* The 62-bit fingerprint of `n` words: a field of its own, GF(2^62), words
 * taken bit by bit. For the paper's layout and for tests; not for hot loops. */
uint64_t og_rabin_words_62(const uint64_t *words, size_t n);

#endif
