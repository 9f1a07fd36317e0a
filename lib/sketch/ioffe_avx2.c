/* Ioffe's scheme, 8 samples at a time: ioffe.h line by line, with vectors for
 * numbers. Everything is computed for every feature; the bounds of the wider
 * form (ioffe_avx512.c) gain little here. */

#include "lib/sketch/ioffe.h"

#if defined(OG_X86)
#include <immintrin.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))

enum { WIDTH = 8 };
typedef float floats __attribute__((vector_size(32), may_alias));
typedef int32_t ints __attribute__((vector_size(32), may_alias));
typedef uint32_t words __attribute__((vector_size(32), may_alias));

/* Below 2^31, where a conversion is one instruction. */
OG_TARGET_AVX2 static ALWAYS_INLINE floats to_floats(words w)
{
    return __builtin_convertvector((ints)w, floats);
}

/* og_ln_bits */
OG_TARGET_AVX2 static ALWAYS_INLINE floats ln_bits(ints bits)
{
    const ints e = (bits - OG_LN_ROOT) >> 23;
    const floats f = (floats)(bits - (e << 23)) - 1.0f;
    floats p = OG_LN_5 * f + OG_LN_4;
    p = p * f + OG_LN_3;
    p = p * f + OG_LN_2;
    p = p * f + OG_LN_1;
    p = p * f + OG_LN_0;
    return p * f + __builtin_convertvector(e, floats) * OG_LN_TWO;
}

struct draws {
    floats r, log_c, offset;
};

/* og_ioffe_draw_of */
OG_TARGET_AVX2 static ALWAYS_INLINE struct draws draws_of(uint64_t hash,
                                                          words mul)
{
    words a = (uint32_t)hash * mul;
    a ^= a >> 16;
    a += (uint32_t)(hash >> 32);
    a *= OG_IOFFE_M1;
    a ^= a >> 15;
    a *= OG_IOFFE_M2;
    a ^= a >> 16;
    words b = (a + OG_IOFFE_A1) * OG_IOFFE_M3;
    b ^= b >> 15;
    words c = (b + OG_IOFFE_A2) * OG_IOFFE_M4;
    c ^= c >> 16;
    const floats u =
        (to_floats(a >> 16) + 0.5f) * (to_floats(a & 0xffff) + 0.5f);
    const floats v = (to_floats(b >> 9) + 0.5f) * (to_floats(c >> 9) + 0.5f);
    const floats gamma = -ln_bits((ints)v - (46 << 23));
    return (struct draws){
        .r = -ln_bits((ints)u - (32 << 23)),
        .log_c = ln_bits((ints)gamma),
        .offset = (to_floats((b & 511) << 9 | (c & 511)) + 0.5f) * 0x1p-18f};
}

/* og_ioffe_rank of og_ioffe_step */
OG_TARGET_AVX2 static ALWAYS_INLINE floats rank_of(const struct draws *d,
                                                   float log_w)
{
    const floats step =
        (floats)_mm256_floor_ps((__m256)(log_w / d->r + d->offset));
    return d->log_c - d->r * ((step - d->offset) + 1.0f);
}

OG_TARGET_AVX2 static void lanes_of(const uint64_t *hash, const float *log_w,
                                    size_t n, const uint32_t *mul, float *best,
                                    uint32_t *winner)
{
    words m, who;
    floats low;
    memcpy(&m, mul, sizeof(m));
    memcpy(&low, best, sizeof(low));
    memcpy(&who, winner, sizeof(who));
    for (size_t i = 0; i < n; i++) {
        const struct draws d = draws_of(hash[i], m);
        const floats rank = rank_of(&d, log_w[i]);
        const words wins = (words)(rank < low);
        low = (floats)(((words)rank & wins) | ((words)low & ~wins));
        who = ((uint32_t)i & wins) | (who & ~wins);
    }
    memcpy(best, &low, sizeof(low));
    memcpy(winner, &who, sizeof(who));
}

OG_TARGET_AVX2 void og_ioffe_lanes_avx2(const uint64_t *hash,
                                        const float *log_w, size_t n,
                                        const uint32_t *mul, float *best,
                                        uint32_t *winner)
{
    for (size_t lane = 0; lane < OG_LANES; lane += WIDTH)
        lanes_of(hash, log_w, n, mul + lane, best + lane, winner + lane);
}
#endif
