/* Finding a print in its bucket, and moving slots about. */

#include "lib/table/bucket.h"

#include <string.h>

#include "lib/os/cpu.h"

#if defined(OG_X86)
#include <immintrin.h>
#endif

static uint32_t used_plain(const uint8_t *tag, uint32_t n)
{
    const uint8_t *empty = memchr(tag, 0, n);
    return empty != NULL ? (uint32_t)(empty - tag) : n;
}

#if defined(OG_X86)
OG_TARGET_AVX512 static uint32_t used_avx512(const uint8_t *tag, uint32_t n)
{
    for (uint32_t first = 0; first < n; first += 64) {
        const __m512i tags = _mm512_loadu_si512(tag + first);
        const uint64_t empty = _mm512_testn_epi8_mask(tags, tags);
        if (empty != 0) return first + (uint32_t)__builtin_ctzll(empty);
    }
    return n;
}
#endif

uint32_t og_bucket_used(const struct og_table *t, uint8_t *bucket)
{
#if defined(OG_X86)
    if (t->options.bucket_slots >= 64 && og_cpu_level() >= OG_CPU_AVX512)
        return used_avx512(bucket, t->options.bucket_slots);
#endif
    return used_plain(bucket, t->options.bucket_slots);
}

/* An empty slot has a tag that no print has, so the rest decides. */
static bool slot_holds(const struct og_table *t, uint8_t *bucket, uint32_t slot,
                       uint64_t rest)
{
    return og_own_rest(t, og_bucket_payload(t, bucket, slot)) == rest;
}

static uint32_t find_plain(const struct og_table *t, uint8_t *bucket,
                           uint64_t mixed)
{
    const uint32_t n = t->options.bucket_slots;
    const uint64_t rest = og_print_rest(t, mixed);
    uint32_t slot = 0;
    while (slot < n && !(bucket[slot] == og_print_tag(mixed) &&
                         slot_holds(t, bucket, slot, rest)))
        slot++;
    return slot;
}

#if defined(OG_X86)
static uint32_t first_that_holds(const struct og_table *t, uint8_t *bucket,
                                 uint32_t first, uint64_t candidates,
                                 uint64_t rest)
{
    for (; candidates != 0; candidates &= candidates - 1) {
        const uint32_t slot = first + (uint32_t)__builtin_ctzll(candidates);
        if (slot_holds(t, bucket, slot, rest)) return slot;
    }
    return t->options.bucket_slots;
}

OG_TARGET_AVX512 static uint32_t find_avx512(const struct og_table *t,
                                             uint8_t *bucket, uint64_t mixed)
{
    const uint32_t n = t->options.bucket_slots;
    const __m512i tag = _mm512_set1_epi8((char)og_print_tag(mixed));
    for (uint32_t first = 0; first < n; first += 64) {
        const __m512i tags = _mm512_loadu_si512(bucket + first);
        const uint32_t slot = first_that_holds(
            t, bucket, first, _mm512_cmpeq_epi8_mask(tags, tag),
            og_print_rest(t, mixed));
        if (slot < n) return slot;
    }
    return n;
}

OG_TARGET_AVX2 static uint32_t find_avx2(const struct og_table *t,
                                         uint8_t *bucket, uint64_t mixed)
{
    const uint32_t n = t->options.bucket_slots;
    const __m256i tag = _mm256_set1_epi8((char)og_print_tag(mixed));
    for (uint32_t first = 0; first < n; first += 32) {
        const __m256i tags =
            _mm256_loadu_si256((const __m256i *)(bucket + first));
        const uint32_t equal =
            (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(tags, tag));
        const uint32_t slot =
            first_that_holds(t, bucket, first, equal, og_print_rest(t, mixed));
        if (slot < n) return slot;
    }
    return n;
}
#endif

uint32_t og_bucket_find(const struct og_table *t, uint8_t *bucket,
                        uint64_t mixed)
{
#if defined(OG_X86)
    const og_cpu cpu = og_cpu_level();
    if (cpu >= OG_CPU_AVX512 && t->options.bucket_slots >= 64)
        return find_avx512(t, bucket, mixed);
    if (cpu >= OG_CPU_AVX2 && t->options.bucket_slots >= 32)
        return find_avx2(t, bucket, mixed);
#endif
    return find_plain(t, bucket, mixed);
}

/* Bytes move one by one only where a thread checker looks on: elsewhere
 * memmove makes the same stores, wider. */
static void move_bytes(uint8_t *to, const uint8_t *from, size_t len)
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
        move_bytes(array + from * size, array + (from + 1) * size,
                   (to - from) * size);
    else
        move_bytes(array + (to + 1) * size, array + to * size,
                   (from - to) * size);
    move_bytes(array + to * size, moved, size);
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
