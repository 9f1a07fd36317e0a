/* Shingle fingerprints by PMULL: fingerprint_x86.c says how. */

#include "lib/fingerprint/clmul.h"
#include "lib/fingerprint/fingerprint.h"

#if defined(OG_NEON)

OG_TARGET_CLMUL static void print_each(const uint64_t *hash, size_t n,
                                       const struct og_shingle_factors *key,
                                       uint64_t *out)
{
    for (size_t i = 0; i < n; i++) {
        og_wide sum = vdupq_n_u64(0);
        for (uint32_t j = 0; j < key->shingle_len; j++)
            sum =
                og_wide_add(sum, og_clmul_low(vld1q_dup_u64(hash + i + j),
                                              vld1q_dup_u64(key->factor + j)));
        out[i] = og_clmul_reduce(key->rabin, sum) ^ key->lead;
    }
}

/* Parts of a document that slide side by side: each waits for three products,
 * and there are registers for eight. */
#define LANES         8
#define WORTH_SLIDING (LANES * 8)

struct slider {
    og_wide leave, inverse, odd;
    uint64x1_t turn;
};

/* What leaves times its power, plus the rest and what comes times x^64, which
 * is in the low word as it is; reduced. */
OG_TARGET_CLMUL static inline uint64x1_t slide(const struct slider *s,
                                               uint64x1_t fp,
                                               const uint64_t *leaves,
                                               const uint64_t *comes)
{
    const og_wide gone = og_clmul_low(vld1q_dup_u64(leaves), s->leave);
    const uint64x1_t rest = veor_u64(fp, vld1_u64(comes));
    const og_wide sum = og_wide_add(gone, vcombine_u64(rest, vdup_n_u64(0)));
    return veor_u64(og_clmul_reduce_by(s->inverse, s->odd, sum), s->turn);
}

OG_TARGET_CLMUL static void slide_lanes(const uint64_t *hash, size_t part,
                                        const struct og_shingle_factors *key,
                                        uint64_t *out)
{
    const struct slider s = {.leave = vdupq_n_u64(key->leave),
                             .inverse = vdupq_n_u64(key->rabin->inverse),
                             .odd = vdupq_n_u64(key->rabin->odd),
                             .turn = vdup_n_u64(key->turn)};
    const size_t ahead = key->shingle_len - 1;
    uint64x1_t fp[LANES];
    for (size_t lane = 0; lane < LANES; lane++) {
        print_each(hash + lane * part, 1, key, out + lane * part);
        fp[lane] = vld1_u64(out + lane * part);
    }
    for (size_t i = 1; i < part; i++)
        for (size_t lane = 0; lane < LANES; lane++) {
            const uint64_t *word = hash + lane * part + i;
            fp[lane] = slide(&s, fp[lane], word - 1, word + ahead);
            vst1_u64(out + lane * part + i, fp[lane]);
        }
}

OG_TARGET_CLMUL void og_fingerprint_clmul(const uint64_t *hash, size_t n,
                                          const struct og_shingle_factors *key,
                                          uint64_t *out)
{
    const size_t part = n >= WORTH_SLIDING ? n / LANES : 0;
    const size_t done = part * LANES;
    if (part > 0) slide_lanes(hash, part, key, out);
    print_each(hash + done, n - done, key, out + done);
}

#endif
