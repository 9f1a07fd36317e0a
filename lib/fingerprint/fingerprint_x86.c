/* Shingle fingerprints by carry-less products of 512 bits; fingerprint_clmul.c
 * has the form that all machines share. Long documents slide, in sixteen parts
 * side by side: three products for four fingerprints. Short ones, and the ends
 * of long ones, are dot products: ten for four. */

#include "lib/fingerprint/clmul.h"
#include "lib/fingerprint/fingerprint.h"

#if defined(OG_X86)

/* Four shingles side by side, one in each 128-bit lane; a lane takes two of
 * its words at a time, so lane l needs words l and l + 1 of the next eight. */
OG_TARGET_AVX512 static inline __m512i
dot_four(const uint64_t *hash, const __m512i *factor, uint32_t n_pairs)
{
    const __m512i neighbours = _mm512_setr_epi64(0, 1, 1, 2, 2, 3, 3, 4);
    __m512i sum = _mm512_setzero_si512();
    for (uint32_t j = 0; j < n_pairs; j++) {
        const __m512i words = _mm512_permutexvar_epi64(
            neighbours, _mm512_maskz_loadu_epi64(0x1f, hash + 2 * j));
        sum = _mm512_ternarylogic_epi64(
            sum, _mm512_clmulepi64_epi128(words, factor[j], 0x00),
            _mm512_clmulepi64_epi128(words, factor[j], 0x11), 0x96);
    }
    return sum;
}

/* og_clmul_reduce() in every lane; the results are in the high words. */
OG_TARGET_AVX512 static inline __m512i reduce_four(__m512i sum, __m512i key)
{
    const __m512i multiple = _mm512_clmulepi64_epi128(sum, key, 0x00);
    const __m512i cleared = _mm512_clmulepi64_epi128(multiple, key, 0x10);
    return _mm512_ternarylogic_epi64(sum, cleared,
                                     _mm512_bslli_epi128(multiple, 8), 0x96);
}

/* ---- sliding ---- */

/* Four parts to a vector, one in each 128-bit lane. Two vectors would wait for
 * their products. */
#define VECTORS 4
#define PARTS   (4 * VECTORS)
/* Below this the first fingerprints of the parts cost more than sliding saves.
 */
#define WORTH_SLIDING ((size_t)PARTS * 8)

struct slider {
    __m512i key;   /* low: the inverse; high: the modulus */
    __m512i leave; /* in both words */
    __m512i turn;  /* in the high words */
};

/* Two words in a row of each part. */
OG_TARGET_AVX512 static inline __m512i load_pairs(const uint64_t *words,
                                                  size_t part)
{
    const __m256i low = _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)words)),
        _mm_loadu_si128((const __m128i *)(words + part)), 1);
    const __m256i high = _mm256_inserti128_si256(
        _mm256_castsi128_si256(
            _mm_loadu_si128((const __m128i *)(words + 2 * part))),
        _mm_loadu_si128((const __m128i *)(words + 3 * part)), 1);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

OG_TARGET_AVX512 static inline void store_pairs(uint64_t *out, size_t part,
                                                __m512i pairs)
{
    _mm_storeu_si128((__m128i *)out, _mm512_castsi512_si128(pairs));
    _mm_storeu_si128((__m128i *)(out + part),
                     _mm512_extracti32x4_epi32(pairs, 1));
    _mm_storeu_si128((__m128i *)(out + 2 * part),
                     _mm512_extracti32x4_epi32(pairs, 2));
    _mm_storeu_si128((__m128i *)(out + 3 * part),
                     _mm512_extracti32x4_epi32(pairs, 3));
}

/* The next fingerprints, in the high words: slide() of fingerprint_clmul.c.
 * `last` has those before and `comes` the new words, both in their low words;
 * `gone` is what leaves, times its power, with the turn added. */
OG_TARGET_AVX512 static inline __m512i
slide_four(const struct slider *s, __m512i last, __m512i comes, __m512i gone)
{
    const __m512i low = _mm512_ternarylogic_epi64(last, comes, gone, 0x96);
    const __m512i multiple = _mm512_clmulepi64_epi128(low, s->key, 0x00);
    const __m512i cleared = _mm512_clmulepi64_epi128(multiple, s->key, 0x10);
    return _mm512_ternarylogic_epi64(gone, cleared,
                                     _mm512_bslli_epi128(multiple, 8), 0x96);
}

/* Fingerprints i and i + 1 of four parts, from those before them. */
OG_TARGET_AVX512 static inline __m512i slide_pair(const struct slider *s,
                                                  __m512i last, __m512i leaves,
                                                  __m512i comes, __m512i *pair)
{
    const __m512i gone_a = _mm512_xor_si512(
        _mm512_clmulepi64_epi128(leaves, s->leave, 0x00), s->turn);
    const __m512i gone_b = _mm512_xor_si512(
        _mm512_clmulepi64_epi128(leaves, s->leave, 0x01), s->turn);
    const __m512i a = slide_four(s, last, comes, gone_a);
    const __m512i b = slide_four(s, _mm512_unpackhi_epi64(a, a),
                                 _mm512_unpackhi_epi64(comes, comes), gone_b);
    *pair = _mm512_unpackhi_epi64(a, b);
    return _mm512_unpackhi_epi64(b, b);
}

/* `part` is odd: the first of each part, then pairs. */
OG_TARGET_AVX512 static void slide_parts(const uint64_t *hash, size_t part,
                                         const struct og_shingle_factors *key,
                                         uint64_t *out)
{
    const struct slider s = {
        .key = _mm512_broadcast_i64x2(_mm_set_epi64x(
            (long long)key->rabin->odd, (long long)key->rabin->inverse)),
        .leave = _mm512_set1_epi64((long long)key->leave),
        .turn = _mm512_maskz_set1_epi64(0xaa, (long long)key->turn)};
    const size_t ahead = key->shingle_len;
    __m512i last[VECTORS];
    for (size_t p = 0; p < PARTS; p++)
        og_fingerprint_clmul(hash + p * part, 1, key, out + p * part);
    for (size_t v = 0; v < VECTORS; v++) {
        const uint64_t *first = out + 4 * v * part;
        last[v] = _mm512_setr_epi64(
            (long long)first[0], 0, (long long)first[part], 0,
            (long long)first[2 * part], 0, (long long)first[3 * part], 0);
    }
    for (size_t i = 0; i + 1 < part; i += 2)
        for (size_t v = 0; v < VECTORS; v++) {
            const uint64_t *words = hash + 4 * v * part + i;
            __m512i pair;
            last[v] = slide_pair(&s, last[v], load_pairs(words, part),
                                 load_pairs(words + ahead, part), &pair);
            store_pairs(out + 4 * v * part + i + 1, part, pair);
        }
}

/* ---- all of them ---- */

OG_TARGET_AVX512 static void dot_all(const uint64_t *hash, size_t n,
                                     const struct og_shingle_factors *key,
                                     uint64_t *out)
{
    const uint32_t n_pairs = (key->shingle_len + 1) / 2;
    __m512i factor[OG_SHINGLE_MAX / 2];
    for (uint32_t j = 0; j < n_pairs; j++)
        /* The factor after an odd shingle_len is 0. */
        factor[j] = _mm512_broadcast_i64x2(
            _mm_loadu_si128((const __m128i *)&key->factor[2 * j]));
    const __m512i reducer = _mm512_broadcast_i64x2(_mm_set_epi64x(
        (long long)key->rabin->odd, (long long)key->rabin->inverse));
    const __m512i lead = _mm512_set1_epi64((long long)key->lead);
    const __m512i high_words = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);

    size_t i = 0;
    /* The last words read are those of shingle i + 7 and one more for an odd
     * length: all inside the document as long as one more shingle follows. */
    for (; i + 8 < n; i += 8) {
        const __m512i a =
            reduce_four(dot_four(hash + i, factor, n_pairs), reducer);
        const __m512i b =
            reduce_four(dot_four(hash + i + 4, factor, n_pairs), reducer);
        const __m512i fps = _mm512_permutex2var_epi64(a, high_words, b);
        _mm512_storeu_si512(out + i, _mm512_xor_si512(fps, lead));
    }
    og_fingerprint_clmul(hash + i, n - i, key, out + i);
}

OG_TARGET_AVX512 void
og_fingerprint_avx512(const uint64_t *hash, size_t n,
                      const struct og_shingle_factors *key, uint64_t *out)
{
    const size_t part = n >= WORTH_SLIDING ? (n / PARTS - 1) | 1 : 0;
    const size_t done = part * PARTS;
    if (part > 0) slide_parts(hash, part, key, out);
    dot_all(hash + done, n - done, key, out + done);
}

#endif
