/* Lanes of min-hash, four in a vector (NEON). The 64-bit products that the bins
 * need are one scalar instruction here, so bins have no NEON form. */

#include "lib/base/neon.h"
#include "lib/sketch/family.h"

#if defined(OG_NEON)

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* n_vecs vectors of multipliers and of minima stay in registers. */
static ALWAYS_INLINE void least_vecs(const uint32_t *mul, const uint64_t *base,
                                     size_t n, const unsigned n_vecs,
                                     uint32_t *least)
{
    uint32x4_t m[12], low[12];
    for (unsigned v = 0; v < n_vecs; v++) {
        m[v] = vld1q_u32(mul + 4 * v);
        low[v] = vld1q_u32(least + 4 * v);
    }
    for (size_t j = 0; j < n; j++) {
        const uint32x4_t x = vdupq_n_u32(og_mix_short(base[j]));
        for (unsigned v = 0; v < n_vecs; v++)
            low[v] = vminq_u32(low[v], vmulq_u32(m[v], x));
    }
    for (unsigned v = 0; v < n_vecs; v++)
        vst1q_u32(least + 4 * v, low[v]);
}

void og_mix_least_neon(const uint32_t *mul, const uint64_t *base, size_t n,
                       size_t n_lanes, uint32_t *least)
{
    for (; n_lanes >= 48; n_lanes -= 48, mul += 48, least += 48)
        least_vecs(mul, base, n, 12, least);
    if (n_lanes == 32) least_vecs(mul, base, n, 8, least);
    if (n_lanes == 16) least_vecs(mul, base, n, 4, least);
}

/* Lanes of tables: the xor of eight rows. */
void og_rows_least_neon(const struct og_family *family, const uint64_t *x,
                        size_t n, size_t begin, size_t end, uint32_t *least)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = begin; i < end; i += 16) {
            uint32x4x4_t sum = vld1q_u32_x4(family->lane_start + i);
            for (unsigned b = 0; b < 8; b++) {
                const size_t row = b * 256 + (x[j] >> 8 * b & 0xff);
                const uint32x4x4_t more =
                    vld1q_u32_x4(family->lane_row + row * family->n_lanes + i);
                for (unsigned v = 0; v < 4; v++)
                    sum.val[v] = veorq_u32(sum.val[v], more.val[v]);
            }
            uint32x4x4_t low = vld1q_u32_x4(least + i);
            for (unsigned v = 0; v < 4; v++)
                low.val[v] = vminq_u32(low.val[v], sum.val[v]);
            vst1q_u32_x4(least + i, low);
        }
}

#endif
