/* Keys shared by a thousand entries make long runs of slots, and every other
 * key whose home is in such a run is searched for past it: three slots are
 * scanned for one that agrees. So tags are compared many at a time. */

#include "lib/sketch/slot_scan.h"

#include "lib/base/neon.h"
#include "lib/os/cpu.h"

#if defined(OG_X86)
#include <immintrin.h>
#endif

size_t og_slots_with_tag_plain(const uint8_t *tags, const uint32_t *entries,
                               size_t n, uint8_t tag, uint32_t *out)
{
    size_t n_out = 0;
    for (size_t i = 0; i < n; i++) {
        out[n_out] = entries[i];
        n_out += tags[i] == tag;
    }
    return n_out;
}

#if defined(OG_X86)
OG_TARGET_AVX2
static size_t with_tag_avx2(const uint8_t *tags, const uint32_t *entries,
                            size_t n, uint8_t tag, uint32_t *out)
{
    enum { STEP = 32 };
    const __m256i wanted = _mm256_set1_epi8((char)tag);
    size_t n_out = 0, i = 0;
    for (; i + STEP <= n; i += STEP) {
        const __m256i here = _mm256_loadu_si256((const void *)(tags + i));
        uint32_t mask =
            (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(here, wanted));
        for (; mask != 0; mask &= mask - 1)
            out[n_out++] = entries[i + (size_t)__builtin_ctz(mask)];
    }
    return n_out + og_slots_with_tag_plain(tags + i, entries + i, n - i, tag,
                                           out + n_out);
}

OG_TARGET_AVX512
static size_t with_tag_avx512(const uint8_t *tags, const uint32_t *entries,
                              size_t n, uint8_t tag, uint32_t *out)
{
    enum { STEP = 64, GROUP = 16 };
    const __m512i wanted = _mm512_set1_epi8((char)tag);
    size_t n_out = 0;
    for (size_t i = 0; i < n; i += STEP) {
        const size_t left = n - i;
        const __mmask64 in =
            left < STEP ? (__mmask64)_bzhi_u64(UINT64_MAX, (unsigned)left)
                        : UINT64_MAX;
        uint64_t mask = _mm512_mask_cmpeq_epi8_mask(
            in, _mm512_maskz_loadu_epi8(in, tags + i), wanted);
        for (size_t at = i; mask != 0; mask >>= GROUP, at += GROUP) {
            const __mmask16 those = (__mmask16)mask;
            const __m512i found = _mm512_maskz_compress_epi32(
                those, _mm512_maskz_loadu_epi32(those, entries + at));
            _mm512_storeu_si512(out + n_out, found);
            n_out += (size_t)__builtin_popcount(those);
        }
    }
    return n_out;
}
#endif

#if defined(OG_NEON)
static size_t with_tag_neon(const uint8_t *tags, const uint32_t *entries,
                            size_t n, uint8_t tag, uint32_t *out)
{
    const uint8x16_t wanted = vdupq_n_u8(tag);
    size_t n_out = 0, i = 0;
    for (; i + 16 <= n; i += 16) {
        uint64_t mask =
            og_neon_nibbles(vceqq_u8(og_neon_load(tags + i), wanted)) &
            OG_NEON_ONE_EACH;
        for (; mask != 0; mask &= mask - 1)
            out[n_out++] = entries[i + (size_t)__builtin_ctzll(mask) / 4];
    }
    return n_out + og_slots_with_tag_plain(tags + i, entries + i, n - i, tag,
                                           out + n_out);
}
#endif

size_t og_slots_with_tag(const uint8_t *tags, const uint32_t *entries, size_t n,
                         uint8_t tag, uint32_t *out)
{
#if defined(OG_X86)
    const og_cpu level = og_cpu_level();
    if (level >= OG_CPU_AVX512)
        return with_tag_avx512(tags, entries, n, tag, out);
    if (level >= OG_CPU_AVX2) return with_tag_avx2(tags, entries, n, tag, out);
#endif
#if defined(OG_NEON)
    if (og_cpu_level() >= OG_CPU_NEON)
        return with_tag_neon(tags, entries, n, tag, out);
#endif
    return og_slots_with_tag_plain(tags, entries, n, tag, out);
}
