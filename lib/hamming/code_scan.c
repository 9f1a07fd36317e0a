/* A scan of codes: XOR, count, compare, 8 codes per instruction where the
 * machine has AVX-512 VPOPCNTDQ, 4 with AVX2 (nibbles counted by a shuffle),
 * one elsewhere. All three are memory-bound outside the cache: 64 bits per
 * code. */

#include "lib/hamming/code_scan.h"

#include <stdbool.h>

#include "lib/base/bits.h"
#include "lib/os/cpu.h"

#if defined(OG_X86)
#include <immintrin.h>
#define OG_TARGET_VPOPCNT                                                      \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,"                \
                          "avx512vpopcntdq,bmi,bmi2,lzcnt,popcnt")))
#endif

/* Writes the positions of the bits that are set. */
static inline size_t put_places(uint32_t *out, uint32_t first, uint32_t bits)
{
    size_t n = 0;
    for (; bits != 0; bits &= bits - 1)
        out[n++] = first + (uint32_t)__builtin_ctz(bits);
    return n;
}

static size_t scan_plain(const uint64_t *codes, size_t n, uint64_t code,
                         unsigned max_distance, size_t *from,
                         uint32_t *out_places, size_t cap)
{
    size_t n_out = 0, i = *from;
    for (; i < n && n_out + OG_CODE_SCAN_ROOM <= cap; i++)
        if ((unsigned)__builtin_popcountll(codes[i] ^ code) <= max_distance)
            out_places[n_out++] = (uint32_t)i;
    *from = i;
    return n_out;
}

#if defined(OG_X86)

OG_TARGET_AVX2 static inline __m256i count_bits(__m256i v)
{
    const __m256i nibble = _mm256_set1_epi8(15);
    const __m256i ones =
        _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1,
                         1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_shuffle_epi8(ones, _mm256_and_si256(v, nibble));
    const __m256i high = _mm256_shuffle_epi8(
        ones, _mm256_and_si256(_mm256_srli_epi16(v, 4), nibble));
    return _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256());
}

OG_TARGET_AVX2 static size_t scan_avx2(const uint64_t *codes, size_t n,
                                       uint64_t code, unsigned max_distance,
                                       size_t *from, uint32_t *out_places,
                                       size_t cap)
{
    const __m256i asked = _mm256_set1_epi64x((long long)code);
    const __m256i limit = _mm256_set1_epi64x((long long)max_distance + 1);
    size_t n_out = 0, i = *from;
    for (; i + 16 <= n && n_out + OG_CODE_SCAN_ROOM <= cap; i += 16) {
        uint32_t near = 0;
        for (unsigned j = 0; j < 4; j++) {
            const __m256i v = _mm256_loadu_si256(
                (const __m256i *)(const void *)(codes + i + 4 * (size_t)j));
            const __m256i d = count_bits(_mm256_xor_si256(v, asked));
            const int bits = _mm256_movemask_pd(
                _mm256_castsi256_pd(_mm256_cmpgt_epi64(limit, d)));
            near |= (uint32_t)bits << 4 * j;
        }
        if (OG_UNLIKELY(near != 0))
            n_out += put_places(out_places + n_out, (uint32_t)i, near);
    }
    *from = i;
    if (i + 16 <= n) return n_out;
    return n_out + scan_plain(codes, n, code, max_distance, from,
                              out_places + n_out, cap - n_out);
}

OG_TARGET_VPOPCNT static size_t scan_avx512(const uint64_t *codes, size_t n,
                                            uint64_t code,
                                            unsigned max_distance, size_t *from,
                                            uint32_t *out_places, size_t cap)
{
    const __m512i asked = _mm512_set1_epi64((long long)code);
    const __m512i limit = _mm512_set1_epi64((long long)max_distance);
    size_t n_out = 0, i = *from;
    for (; i + 32 <= n && n_out + OG_CODE_SCAN_ROOM <= cap; i += 32) {
        uint32_t near = 0;
        for (unsigned j = 0; j < 4; j++) {
            const __m512i v = _mm512_loadu_si512(codes + i + 8 * (size_t)j);
            const __m512i d = _mm512_popcnt_epi64(_mm512_xor_si512(v, asked));
            near |= (uint32_t)_mm512_cmple_epu64_mask(d, limit) << 8 * j;
        }
        _mm_prefetch((const char *)(codes + i + 512), _MM_HINT_T0);
        if (OG_UNLIKELY(near != 0))
            n_out += put_places(out_places + n_out, (uint32_t)i, near);
    }
    *from = i;
    if (i + 32 <= n || n_out + OG_CODE_SCAN_ROOM > cap) return n_out;
    const __mmask8 all = 0xff;
    for (; i < n; i += 8) {
        const size_t rest = n - i;
        const __mmask8 here = rest < 8 ? (__mmask8)(all >> (8 - rest)) : all;
        const __m512i v = _mm512_maskz_loadu_epi64(here, codes + i);
        const __m512i d = _mm512_popcnt_epi64(_mm512_xor_si512(v, asked));
        n_out += put_places(out_places + n_out, (uint32_t)i,
                            _mm512_mask_cmple_epu64_mask(here, d, limit));
    }
    *from = n;
    return n_out;
}

static bool has_vpopcnt(void)
{
    return og_cpu_level() >= OG_CPU_AVX512 &&
           __builtin_cpu_supports("avx512vpopcntdq");
}

#endif

size_t og_code_scan(const uint64_t *codes, size_t n, uint64_t code,
                    unsigned max_distance, size_t *from, uint32_t *out_places,
                    size_t cap)
{
#if defined(OG_X86)
    if (has_vpopcnt())
        return scan_avx512(codes, n, code, max_distance, from, out_places, cap);
    if (og_cpu_level() >= OG_CPU_AVX2)
        return scan_avx2(codes, n, code, max_distance, from, out_places, cap);
#endif
    size_t done = 0;
#if defined(OG_NEON)
    if (og_cpu_level() >= OG_CPU_NEON)
        done = og_code_scan_neon(codes, n, code, max_distance, from, out_places,
                                 cap);
#endif
    return done + scan_plain(codes, n, code, max_distance, from,
                             out_places + done, cap - done);
}
