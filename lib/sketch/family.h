#ifndef OG_SKETCH_FAMILY_H
#define OG_SKETCH_FAMILY_H

/* Families of hash functions, used in place of random functions of features.
 *
 * Each provides a base hash of 64 bits, for methods that draw everything from
 * one function, and rows of 32-bit functions, one per sample (the lanes).
 *
 *     family      base hash                     lane i
 *     mix         bijection of x ^ seed         low half of it times an odd
 *                                               number of the lane
 *     multiply    a x + b                       high half of a_i x + b_i
 *     tabulation  xor of 8 table entries        likewise, a table per lane
 *     rabin       c x + d in GF(2^64)           high half of c_i x + d_i
 *
 * Rabin permutations are linear in the bits, so they too are an xor of 8 table
 * entries: one kernel serves both. */

#include "lib/base/bits.h"
#include "lib/base/memory.h"

#include <origo/sketch.h>

struct og_family {
    const og_allocator *allocator;
    og_hash_family kind;
    uint64_t seed;
    uint64_t mul, add;      /* multiply; add of rabin */
    uint64_t (*table)[256]; /* 8 of them: tabulation, rabin; otherwise NULL */
    /* Lanes, rounded up to OG_LANES; the additional ones are unused. */
    size_t n_lanes;
    uint32_t *lane_mul;                /* mix: odd */
    uint64_t *lane_mul64, *lane_add64; /* multiply: odd, any */
    uint32_t *lane_row;                /* [8][256][n_lanes] */
    uint32_t *lane_start;              /* the initial value to which the rows
                                          are added */
};

#define OG_LANES 16

og_status og_family_init(struct og_family *family, og_hash_family kind,
                         uint64_t seed, size_t n_lanes,
                         const og_allocator *allocator, og_error *err);
void og_family_release(struct og_family *family);

/* The base hash: the definition. */
uint64_t og_family_hash(const struct og_family *family, uint64_t x);

/* The base hashes of `n` features. */
void og_family_hash_many(const struct og_family *family, const uint64_t *x,
                         size_t n, uint64_t *out);

/* The value of lane `i` for the feature x whose base hash is `base`: the
 * definition. */
uint32_t og_family_lane(const struct og_family *family, uint64_t x,
                        uint64_t base, size_t i);

/* least[i] = min(least[i], lane i of each feature), for lanes begin .. end,
 * both multiples of OG_LANES. `base` are the base hashes of the features. */
void og_family_least(const struct og_family *family, const uint64_t *x,
                     const uint64_t *base, size_t n, size_t begin, size_t end,
                     uint32_t *least);
/* Its plain twin. */
void og_family_least_plain(const struct og_family *family, const uint64_t *x,
                           const uint64_t *base, size_t n, size_t begin,
                           size_t end, uint32_t *least);

/* The first round of bins: the high half of each hash selects one of n_bins,
 * the low half is its value: out is bin << 32 | value. `out` may be `base`. */
void og_bins_place(const uint64_t *base, size_t n, uint32_t n_bins,
                   uint64_t *out);
void og_bins_place_plain(const uint64_t *base, size_t n, uint32_t n_bins,
                         uint64_t *out);

/* Hashes features, assigns them to bins and keeps those with a value below
 * `limit`, in order. `out` has room for n + 8. Returns their number. */
size_t og_bins_place_below(const struct og_family *family, const uint64_t *x,
                           size_t n, uint32_t n_bins, uint32_t limit,
                           uint64_t *out);
size_t og_bins_place_below_plain(const struct og_family *family,
                                 const uint64_t *x, size_t n, uint32_t n_bins,
                                 uint32_t limit, uint64_t *out);

/* Marks the empty bins (all bits set), one bit each, and returns their number.
 * `marks` has room for whole words of 32. */
size_t og_bins_empty(const uint32_t *bin, size_t n, uint32_t *marks);
size_t og_bins_empty_plain(const uint32_t *bin, size_t n, uint32_t *marks);

/* A further round: the value of a lane times n_bins, of which the high half is
 * the bin and the low half the value; only features whose bin is marked, in
 * order. `out` has room for n + 8. Returns their number. */
size_t og_bins_round(const struct og_family *family, const uint64_t *x,
                     const uint64_t *base, size_t n, size_t lane,
                     uint32_t n_bins, const uint32_t *marks, uint64_t *out);
size_t og_bins_round_plain(const struct og_family *family, const uint64_t *x,
                           const uint64_t *base, size_t n, size_t lane,
                           uint32_t n_bins, const uint32_t *marks,
                           uint64_t *out);

#if defined(OG_X86)
/* Kernels of family_x86.c and family_avx2.c for OG_FAMILY_MIX. */
void og_bins_place_avx512(const uint64_t *base, size_t n, uint32_t n_bins,
                          uint64_t *out);
size_t og_bins_place_below_avx512(uint64_t seed, const uint64_t *x, size_t n,
                                  uint32_t n_bins, uint32_t limit,
                                  uint64_t *out);
size_t og_bins_empty_avx512(const uint32_t *bin, size_t n, uint32_t *marks);
/* For at most as many bins as a vector has bits. */
size_t og_bins_round_avx512(uint32_t mul, const uint64_t *base, size_t n,
                            uint32_t n_bins, const uint32_t *marks,
                            uint64_t *out);
size_t og_bins_round_avx2(uint32_t mul, const uint64_t *base, size_t n,
                          uint32_t n_bins, const uint32_t *marks,
                          uint64_t *out);
void og_bins_place_avx2(const uint64_t *base, size_t n, uint32_t n_bins,
                        uint64_t *out);
size_t og_bins_place_below_avx2(uint64_t seed, const uint64_t *x, size_t n,
                                uint32_t n_bins, uint32_t limit, uint64_t *out);
size_t og_bins_empty_avx2(const uint32_t *bin, size_t n, uint32_t *marks);
void og_mix_many_avx2(uint64_t seed, const uint64_t *x, size_t n,
                      uint64_t *out);
void og_mix_many_avx512(uint64_t seed, const uint64_t *x, size_t n,
                        uint64_t *out);
void og_mix_least_avx512(const uint32_t *mul, const uint64_t *base, size_t n,
                         size_t n_lanes, uint32_t *least);
void og_mix_least_avx2(const uint32_t *mul, const uint64_t *base, size_t n,
                       size_t n_lanes, uint32_t *least);
/* And for the other families. */
void og_rows_least_avx512(const struct og_family *family, const uint64_t *x,
                          size_t n, size_t begin, size_t end, uint32_t *least);
void og_multiply_least_avx512(const struct og_family *family, const uint64_t *x,
                              size_t n, size_t begin, size_t end,
                              uint32_t *least);
#endif

#if defined(OG_NEON)
void og_mix_least_neon(const uint32_t *mul, const uint64_t *base, size_t n,
                       size_t n_lanes, uint32_t *least);
void og_rows_least_neon(const struct og_family *family, const uint64_t *x,
                        size_t n, size_t begin, size_t end, uint32_t *least);
#endif

/* The factor of the lanes of the mix family: never 0, which would be the
 * smallest under every multiplier. */
static inline uint32_t og_mix_short(uint64_t base)
{
    const uint32_t low = (uint32_t)base;
    return low == 0 ? 0x9e3779b9u : low;
}

#endif
