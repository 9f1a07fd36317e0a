/* Simhash with NEON: the planes of slices.h two words wide, and weights added
 * under masks derived from the bits of the hash. */

#include "lib/base/neon.h"
#include "lib/sketch/simhash.h"

#if defined(OG_NEON)

#include <string.h>

#include "lib/sketch/columns.h"

/* The majority of three is c where a and b differ, otherwise a: one
 * selection. */
#define SLICES(name) name##_neon
#define SLICES_TARGET
#define VEC            uint64x2_t
#define LANES          2
#define LOAD(p)        vld1q_u64(p)
#define SUM(a, b, c)   veorq_u64(veorq_u64(a, b), c)
#define CARRY(a, b, c) vbslq_u64(veorq_u64(a, b), c, a)
#define SWAP(v, half)  vextq_u64(v, v, 1)
#include "lib/sketch/slices.h"

/* 64 sums of 32 bits are 16 registers. A mask is -1, so subtracting its product
 * with the weight adds the weight. */
static void add_weight(uint32x4_t sum[16], uint64_t hash, uint32_t weight)
{
    static const uint32_t bits[4] = {1, 2, 4, 8};
    const uint32x4_t w = vdupq_n_u32(weight);
    uint32x4_t bit = vld1q_u32(bits);
    const uint32x4_t low = vdupq_n_u32((uint32_t)hash);
    const uint32x4_t high = vdupq_n_u32((uint32_t)(hash >> 32));
    for (unsigned q = 0; q < 8; q++) {
        sum[q] = vmlsq_u32(sum[q], vtstq_u32(low, bit), w);
        sum[q + 8] = vmlsq_u32(sum[q + 8], vtstq_u32(high, bit), w);
        bit = vshlq_n_u32(bit, 4);
    }
}

static void weigh_neon(const uint64_t *hash, const uint32_t *weight, size_t n,
                       uint32_t largest, uint64_t ones[64])
{
    /* The most features whose sum fits into 32 bits. */
    const size_t most = largest == 0 ? SIZE_MAX : UINT32_MAX / largest;
    memset(ones, 0, 64 * sizeof(*ones));
    for (size_t begin = 0, end; begin < n; begin = end) {
        end = n - begin < most ? n : begin + most;
        uint32x4_t sum[16];
        for (unsigned q = 0; q < 16; q++)
            sum[q] = vdupq_n_u32(0);
        for (size_t i = begin; i < end; i++)
            add_weight(sum, hash[i], weight[i]);
        uint32_t narrow[64];
        memcpy(narrow, sum, sizeof(narrow));
        for (unsigned j = 0; j < 64; j++)
            ones[j] += narrow[j];
    }
}

const struct og_simhash_kernel og_simhash_neon = {"neon sliced", sign_neon,
                                                  count_neon, weigh_neon};

#endif
