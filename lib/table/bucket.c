/* Finds a fingerprint in its bucket, and moves slots. */

#include "lib/table/bucket.h"

#include <string.h>

#include "lib/os/cpu.h"
#include "lib/table/tags_neon.h"

#if defined(OG_X86)
#include <immintrin.h>
#endif

/* The first slot from `first` on with this tag; n if there is none. */
static uint32_t next_tag_plain(const uint8_t *tags, uint32_t first, uint32_t n,
                               uint8_t tag)
{
    const uint8_t *found = memchr(tags + first, tag, n - first);
    return found != NULL ? (uint32_t)(found - tags) : n;
}

#if defined(OG_X86)
OG_TARGET_AVX512 static uint32_t
next_tag_avx512(const uint8_t *tags, uint32_t first, uint32_t n, uint8_t tag)
{
    uint64_t wanted = UINT64_MAX << first % 64;
    for (uint32_t base = first - first % 64; base < n; base += 64) {
        const uint64_t equal =
            _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(tags + base),
                                   _mm512_set1_epi8((char)tag)) &
            wanted;
        if (equal != 0) return base + (uint32_t)__builtin_ctzll(equal);
        wanted = UINT64_MAX;
    }
    return n;
}

OG_TARGET_AVX2 static uint32_t
next_tag_avx2(const uint8_t *tags, uint32_t first, uint32_t n, uint8_t tag)
{
    uint32_t wanted = UINT32_MAX << first % 32;
    for (uint32_t base = first - first % 32; base < n; base += 32) {
        const __m256i here = _mm256_loadu_si256((const __m256i *)(tags + base));
        const uint32_t equal = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(
                                   here, _mm256_set1_epi8((char)tag))) &
                               wanted;
        if (equal != 0) return base + (uint32_t)__builtin_ctz(equal);
        wanted = UINT32_MAX;
    }
    return n;
}
#endif

uint32_t og_tags_next(const uint8_t *tags, uint32_t first, uint32_t n,
                      uint8_t tag)
{
    if (first >= n) return n;
#if defined(OG_X86)
    const og_cpu cpu = og_cpu_level();
    if (cpu >= OG_CPU_AVX512 && n >= 64)
        return next_tag_avx512(tags, first, n, tag);
    if (cpu >= OG_CPU_AVX2 && n >= 32)
        return next_tag_avx2(tags, first, n, tag);
#endif
#if defined(OG_NEON)
    if (og_cpu_level() >= OG_CPU_NEON && n % 16 == 0)
        return og_next_tag_neon(tags, first, n, tag);
#endif
    return next_tag_plain(tags, first, n, tag);
}

uint32_t og_bucket_used(const struct og_table *t, const uint8_t *bucket)
{
    return og_tags_next(bucket, 0, t->options.bucket_slots, 0);
}

#if defined(OG_X86)
/* The usual bucket: 64 tags in one register, or in two. */
OG_TARGET_AVX512 static inline struct og_look look_64(const uint8_t *tags,
                                                      uint8_t tag)
{
    const __m512i here = _mm512_loadu_si512(tags);
    const uint64_t equal =
        _mm512_cmpeq_epi8_mask(here, _mm512_set1_epi8((char)tag));
    const uint64_t empty = _mm512_testn_epi8_mask(here, here);
    return (struct og_look){(uint32_t)_tzcnt_u64(equal),
                            (uint32_t)_tzcnt_u64(empty)};
}

OG_TARGET_AVX2 static inline uint64_t equal_avx2(__m256i low, __m256i high,
                                                 __m256i tag)
{
    const int first = _mm256_movemask_epi8(_mm256_cmpeq_epi8(low, tag));
    const int last = _mm256_movemask_epi8(_mm256_cmpeq_epi8(high, tag));
    return (uint32_t)first | (uint64_t)(uint32_t)last << 32;
}

OG_TARGET_AVX2 static inline struct og_look look_64_avx2(const uint8_t *tags,
                                                         uint8_t tag)
{
    const __m256i low = _mm256_loadu_si256((const __m256i *)tags);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(tags + 32));
    const uint64_t equal = equal_avx2(low, high, _mm256_set1_epi8((char)tag));
    const uint64_t empty = equal_avx2(low, high, _mm256_setzero_si256());
    return (struct og_look){(uint32_t)_tzcnt_u64(equal),
                            (uint32_t)_tzcnt_u64(empty)};
}
#endif

#if defined(OG_NEON)
static inline uint32_t first_of_64(uint64_t mask)
{
    return mask != 0 ? (uint32_t)__builtin_ctzll(mask) : 64;
}

static struct og_look look_64(const uint8_t *tags, uint8_t tag)
{
    const uint8x16x4_t here = vld1q_u8_x4(tags);
    return (struct og_look){first_of_64(og_tags_equal_neon(here, tag)),
                            first_of_64(og_tags_equal_neon(here, 0))};
}
#endif

/* In a function of its own, so that the usual bucket does not pay for its
 * registers. */
OG_OUT_OF_LINE
static struct og_look look_at_any(const uint8_t *tags, uint32_t n, uint8_t tag)
{
    return (struct og_look){og_tags_next(tags, 0, n, tag),
                            og_tags_next(tags, 0, n, 0)};
}

struct og_look og_bucket_look(const struct og_table *t, const uint8_t *bucket,
                              uint64_t mixed)
{
    const uint32_t n = t->options.bucket_slots;
    const uint8_t tag = og_fp_tag(mixed);
#if defined(OG_X86)
    const og_cpu cpu = og_cpu_level();
    if (n == 64 && cpu >= OG_CPU_AVX512) return look_64(bucket, tag);
    if (n == 64 && cpu >= OG_CPU_AVX2) return look_64_avx2(bucket, tag);
#endif
#if defined(OG_NEON)
    if (n == 64 && og_cpu_level() >= OG_CPU_NEON) return look_64(bucket, tag);
#endif
    return look_at_any(bucket, n, tag);
}

#if defined(OG_X86)
OG_TARGET_AVX512 static void look_at_64s(uint8_t *const *bucket,
                                         const uint64_t *mixed, size_t n,
                                         struct og_look *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = look_64(bucket[i], og_fp_tag(mixed[i]));
}

OG_TARGET_AVX2 static void look_at_64s_avx2(uint8_t *const *bucket,
                                            const uint64_t *mixed, size_t n,
                                            struct og_look *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = look_64_avx2(bucket[i], og_fp_tag(mixed[i]));
}
#endif

/* The CPU level is checked once, not for each. */
void og_buckets_look(const struct og_table *t, uint8_t *const *bucket,
                     const uint64_t *mixed, size_t n, struct og_look *out)
{
#if defined(OG_X86)
    const og_cpu cpu = og_cpu_level();
    if (t->options.bucket_slots == 64 && cpu >= OG_CPU_AVX2) {
        if (cpu >= OG_CPU_AVX512)
            look_at_64s(bucket, mixed, n, out);
        else
            look_at_64s_avx2(bucket, mixed, n, out);
        return;
    }
#endif
    for (size_t i = 0; i < n; i++)
        out[i] = og_bucket_look(t, bucket[i], mixed[i]);
}

uint32_t og_bucket_find(const struct og_table *t, uint8_t *bucket,
                        uint64_t mixed)
{
    const uint32_t n = t->options.bucket_slots;
    const uint8_t tag = og_fp_tag(mixed);
    uint32_t slot = og_tags_next(bucket, 0, n, tag);
    while (slot < n && !og_slot_holds(t, bucket, slot, mixed))
        slot = og_tags_next(bucket, slot + 1, n, tag);
    return slot;
}

/* Bytes are moved one by one only under a thread checker: elsewhere memmove
 * makes the same stores, wider. */
void og_move_bytes(uint8_t *to, const uint8_t *from, size_t len)
{
#if OG_THREAD_CHECKER
    if (to < from)
        for (size_t i = 0; i < len; i++)
            og_put8(to + i, from[i]);
    else
        for (size_t i = len; i-- > 0;)
            og_put8(to + i, from[i]);
#else
    memmove(to, from, len);
#endif
}

/* One array of the bucket: elements of `size` bytes. */
static void rotate(uint8_t *array, size_t size, uint32_t from, uint32_t to)
{
    uint8_t moved[32];
    memcpy(moved, array + from * size, size);
    if (from < to)
        og_move_bytes(array + from * size, array + (from + 1) * size,
                      (to - from) * size);
    else
        og_move_bytes(array + (to + 1) * size, array + to * size,
                      (from - to) * size);
    og_move_bytes(array + to * size, moved, size);
}

void og_slots_rotate(const struct og_table *t, uint8_t *bucket, uint32_t from,
                     uint32_t to)
{
    if (from == to) return;
    const size_t state_len = og_evict_state_len(t->options.evict);
    rotate(bucket, 1, from, to);
    if (state_len > 0) rotate(bucket + t->state_off, state_len, from, to);
    rotate(bucket + t->payload_off, t->payload_len, from, to);
}
