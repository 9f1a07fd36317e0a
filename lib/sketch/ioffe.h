#ifndef OG_SKETCH_IOFFE_H
#define OG_SKETCH_IOFFE_H

/* The numbers for one feature and one sample of Ioffe's scheme: exactly the
 * same in every implementation, so that sketches do not depend on the machine.
 * Only operations whose rounding IEEE 754 defines; no fused ones. */

#include <string.h>

#include "lib/sketch/minhash.h"

/* ln(1 + f) / f for a mantissa of sqrt(1/2) to sqrt(2): relative error below
 * 8e-6, far below what any number of samples could reveal. */
#define OG_LN_0    1.0000045f
#define OG_LN_1    (-0.4999022f)
#define OG_LN_2    0.33258024f
#define OG_LN_3    (-0.2540327f)
#define OG_LN_4    0.22055943f
#define OG_LN_5    (-0.14292075f)
#define OG_LN_TWO  0.69314718f
#define OG_LN_ROOT 0x3f3504f3 /* the bits of sqrt(1/2) */

/* Constants of the mixing steps: odd, no pattern. */
#define OG_IOFFE_M1 0x85ebca6bu
#define OG_IOFFE_M2 0xc2b2ae35u
#define OG_IOFFE_M3 0x9e3779b1u
#define OG_IOFFE_M4 0x27d4eb2fu
#define OG_IOFFE_A1 0x165667b1u
#define OG_IOFFE_A2 0x3c6ef372u

static inline int32_t og_float_bits(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static inline float og_bits_float(int32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* ln of the float with these bits; normal and positive. */
static inline float og_ln_bits(int32_t bits)
{
    const int32_t e = (bits - OG_LN_ROOT) >> 23;
    const float f = og_bits_float(bits - (int32_t)((uint32_t)e << 23)) - 1.0f;
    float p = OG_LN_5;
    p = p * f + OG_LN_4;
    p = p * f + OG_LN_3;
    p = p * f + OG_LN_2;
    p = p * f + OG_LN_1;
    p = p * f + OG_LN_0;
    return p * f + (float)e * OG_LN_TWO;
}

/* ln of any positive finite weight, also a subnormal one. */
static inline float og_ln_weight(float w)
{
    if (w < 0x1p-100f)
        return og_ln_bits(og_float_bits(w * 0x1p60f)) - 60 * OG_LN_TWO;
    return og_ln_bits(og_float_bits(w));
}

struct og_ioffe_draw {
    float r;      /* Gamma(2, 1): the width of a step in ln of the weight */
    float log_c;  /* ln of a Gamma(2, 1) */
    float offset; /* uniform */
};

/* `mul` is the odd multiplier of the sample. */
static inline struct og_ioffe_draw og_ioffe_draw_of(uint64_t hash, uint32_t mul)
{
    uint32_t a = (uint32_t)hash * mul;
    a ^= a >> 16;
    a += (uint32_t)(hash >> 32);
    a *= OG_IOFFE_M1;
    a ^= a >> 15;
    a *= OG_IOFFE_M2;
    a ^= a >> 16;
    uint32_t b = (a + OG_IOFFE_A1) * OG_IOFFE_M3;
    b ^= b >> 15;
    uint32_t c = (b + OG_IOFFE_A2) * OG_IOFFE_M4;
    c ^= c >> 16;
    /* Both products of two uniform numbers are scaled by 2^32 or 2^46, which is
     * subtracted from the exponent. */
    const float u = ((float)(a >> 16) + 0.5f) * ((float)(a & 0xffff) + 0.5f);
    const float v = ((float)(b >> 9) + 0.5f) * ((float)(c >> 9) + 0.5f);
    const float gamma = -og_ln_bits(og_float_bits(v) - (46 << 23));
    return (struct og_ioffe_draw){
        .r = -og_ln_bits(og_float_bits(u) - (32 << 23)),
        .log_c = og_ln_bits(og_float_bits(gamma)),
        .offset = ((float)((b & 511) << 9 | (c & 511)) + 0.5f) * 0x1p-18f};
}

/* The step below ln w: t with r (t - offset) <= ln w. */
static inline float og_ioffe_step(const struct og_ioffe_draw *d, float log_w)
{
    return __builtin_floorf(log_w / d->r + d->offset);
}

/* ln a: the smallest wins. */
static inline float og_ioffe_rank(const struct og_ioffe_draw *d, float step)
{
    return d->log_c - d->r * ((step - d->offset) + 1.0f);
}

/* For OG_LANES samples: best[] and winner[] (the index of the feature) start
 * at +infinity and 0 and are lowered by all features. */
typedef void og_ioffe_lanes_fn(const uint64_t *hash, const float *log_w,
                               size_t n, const uint32_t *mul, float *best,
                               uint32_t *winner);
og_ioffe_lanes_fn og_ioffe_lanes_plain;
#if defined(OG_X86)
og_ioffe_lanes_fn og_ioffe_lanes_avx2, og_ioffe_lanes_avx512;
#endif

#endif
