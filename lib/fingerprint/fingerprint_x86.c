/* Shingle fingerprints as carry-less dot products of 512 bits;
 * fingerprint_clmul.c has the form that all machines share. */

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

OG_TARGET_AVX512 void
og_fingerprint_avx512(const uint64_t *hash, size_t n,
                      const struct og_shingle_factors *key, uint64_t *out)
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

#endif
