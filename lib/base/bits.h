#ifndef OG_BASE_BITS_H
#define OG_BASE_BITS_H

/* Words and bits: unaligned little-endian loads, wide products, mixing. */

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#define OG_X86 1
/* Functions that carry one of these are called only after og_cpu_level() said
 * that the machine has it (lib/os/cpu.h). */
#define OG_TARGET_SSE42 __attribute__((target("sse4.2,pclmul")))
#define OG_TARGET_AVX2                                                         \
    __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt,pclmul")))
#define OG_TARGET_AVX512                                                       \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,"     \
                          "avx512vbmi2,vpclmulqdq,bmi,bmi2,lzcnt,popcnt,"      \
                          "pclmul")))
/* Carry-less products of 64 bits, on whatever machine (OG_CPU_CLMUL). */
#define OG_TARGET_CLMUL OG_TARGET_SSE42
#endif

/* Every AArch64 has NEON; PMULL it may lack (lib/os/cpu.h). */
#if defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OG_NEON 1
#if defined(__clang__)
#define OG_TARGET_CLMUL __attribute__((target("aes")))
#else
#define OG_TARGET_CLMUL __attribute__((target("+crypto")))
#endif
#endif

/* Whether a thread checker is active (gcc and clang indicate it in different
 * ways). */
#if defined(__SANITIZE_THREAD__)
#define OG_THREAD_CHECKER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define OG_THREAD_CHECKER 1
#endif
#endif
#if !defined(OG_THREAD_CHECKER)
#define OG_THREAD_CHECKER 0
#endif

#define OG_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* Functions that want all registers for themselves, or leave them to others. */
#define OG_OUT_OF_LINE __attribute__((noinline))
#define OG_LIKELY(x)   __builtin_expect(!!(x), 1)
#define OG_UNLIKELY(x) __builtin_expect(!!(x), 0)

static inline uint64_t og_load64(const void *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

static inline uint32_t og_load32(const void *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap32(v);
#endif
    return v;
}

static inline void og_store64(void *p, uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    memcpy(p, &v, sizeof(v));
}

static inline void og_store32(void *p, uint32_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap32(v);
#endif
    memcpy(p, &v, sizeof(v));
}

/* Between a number and its bytes as files have them, low one first: nothing to
 * do on most machines. */
static inline uint16_t og_le16(uint16_t v)
{
    return OG_BIG_ENDIAN ? __builtin_bswap16(v) : v;
}

static inline uint32_t og_le32(uint32_t v)
{
    return OG_BIG_ENDIAN ? __builtin_bswap32(v) : v;
}

static inline uint64_t og_le64(uint64_t v)
{
    return OG_BIG_ENDIAN ? __builtin_bswap64(v) : v;
}

/* The upper half of a 128-bit product: maps a hash to 0 .. n-1 evenly. */
static inline uint64_t og_mul_high(uint64_t a, uint64_t b)
{
    return (uint64_t)(((unsigned __int128)a * b) >> 64);
}

/* Folds a 128-bit product into 64 bits: the mixing step of token hashes. */
static inline uint64_t og_mul_fold(uint64_t a, uint64_t b)
{
    const unsigned __int128 p = (unsigned __int128)a * b;
    return (uint64_t)p ^ (uint64_t)(p >> 64);
}

/* A bijection of 64-bit words with good avalanche (David Stafford's mix 13,
 * the finaliser of splitmix64). */
static inline uint64_t og_mix64(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* A small generator for eviction by lot and for tests: splitmix64. */
static inline uint64_t og_random_next(uint64_t *state)
{
    return og_mix64(*state += 0x9e3779b97f4a7c15u);
}

#endif
