/* Families of hash functions: tables, lanes and their definitions.
 *
 * Features are mixed fingerprints (lib/sketch/features/features.h), but callers
 * may supply numbers of their own. The mix family suits any numbers;
 * docs/evaluation.md shows the cost of the weaker ones. */

#include "lib/sketch/family.h"

#include <assert.h>
#include <string.h>

#include "lib/fingerprint/rabin.h"
#include "lib/os/cpu.h"

/* ---- names ---- */

static const char *const names[OG_FAMILY_END] = {"mix", "multiply",
                                                 "tabulation", "rabin"};

bool og_family_parse(og_bytes name, og_hash_family *out)
{
    for (int i = 0; i < OG_FAMILY_END; i++) {
        if (strlen(names[i]) != name.len ||
            memcmp(names[i], name.data, name.len) != 0)
            continue;
        *out = (og_hash_family)i;
        return true;
    }
    return false;
}

const char *og_family_name(og_hash_family family)
{
    return (unsigned)family < OG_FAMILY_END ? names[family] : "?";
}

/* ---- making ---- */

static void fill_odd(uint32_t *out, size_t n, uint64_t *state)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint32_t)(og_random_next(state) >> 32) | 1;
}

/* table[b][v] for one linear map: the product of `factor` and the byte v at
 * position b of a word. */
static void fill_product(const struct og_field *field, uint64_t factor,
                         uint64_t table[8][256])
{
    for (unsigned b = 0; b < 8; b++) {
        table[b][0] = 0;
        for (unsigned bit = 0; bit < 8; bit++)
            table[b][1u << bit] =
                og_field_mul(field, factor, (uint64_t)1 << (8 * b + bit));
        for (unsigned v = 1; v < 256; v++) /* the others are sums of these */
            table[b][v] = table[b][v & (v - 1)] ^ table[b][v & -v];
    }
}

static void fill_table(struct og_family *family, uint64_t *state,
                       uint64_t table[8][256])
{
    if (family->kind == OG_FAMILY_RABIN) {
        uint64_t factor = og_random_next(state);
        if (factor == 0) factor = 1;
        fill_product(&og_rabin_default()->field, factor, table);
        return;
    }
    for (unsigned b = 0; b < 8; b++)
        for (unsigned v = 0; v < 256; v++)
            table[b][v] = og_random_next(state);
}

/* Lane by lane through a table of full words, whose high halves are kept. */
static void fill_rows(struct og_family *family, uint64_t *state,
                      uint64_t scratch[8][256])
{
    const size_t n = family->n_lanes;
    for (size_t i = 0; i < n; i++) {
        fill_table(family, state, scratch);
        for (size_t entry = 0; entry < 8 * 256; entry++)
            family->lane_row[entry * n + i] =
                (uint32_t)(scratch[entry / 256][entry % 256] >> 32);
        family->lane_start[i] = (uint32_t)(og_random_next(state) >> 32);
    }
}

static bool has_tables(const struct og_family *family)
{
    return family->kind == OG_FAMILY_TABULATION ||
           family->kind == OG_FAMILY_RABIN;
}

static bool allocate_lanes(struct og_family *f)
{
    const size_t n = f->n_lanes;
    if (n == 0) return true;
    if (f->kind == OG_FAMILY_MIX) {
        f->lane_mul = og_allocate(f->allocator, n * sizeof(uint32_t));
        return f->lane_mul != NULL;
    }
    if (f->kind == OG_FAMILY_MULTIPLY) {
        f->lane_mul64 = og_allocate(f->allocator, n * sizeof(uint64_t));
        f->lane_add64 = og_allocate(f->allocator, n * sizeof(uint64_t));
        return f->lane_mul64 != NULL && f->lane_add64 != NULL;
    }
    f->lane_row = og_allocate(f->allocator, 8 * 256 * n * sizeof(uint32_t));
    f->lane_start = og_allocate(f->allocator, n * sizeof(uint32_t));
    return f->lane_row != NULL && f->lane_start != NULL;
}

static void fill_lanes(struct og_family *f, uint64_t *state)
{
    if (f->n_lanes == 0) return;
    if (f->kind == OG_FAMILY_MIX)
        fill_odd(f->lane_mul, f->n_lanes, state);
    else if (f->kind == OG_FAMILY_MULTIPLY)
        for (size_t i = 0; i < f->n_lanes; i++) {
            f->lane_mul64[i] = og_random_next(state) | 1;
            f->lane_add64[i] = og_random_next(state);
        }
    else { /* the base table is filled later and serves as scratch until then */
        fill_rows(f, state, f->table);
    }
}

og_status og_family_init(struct og_family *family, og_hash_family kind,
                         uint64_t seed, size_t n_lanes,
                         const og_allocator *allocator, og_error *err)
{
    uint64_t state = seed ^ 0x6f7269676f6d6968u;
    const size_t n = (n_lanes + OG_LANES - 1) / OG_LANES * OG_LANES;
    *family =
        (struct og_family){.allocator = allocator, .kind = kind, .n_lanes = n};
    family->seed = og_random_next(&state);
    family->mul = og_random_next(&state) | 1;
    family->add = og_random_next(&state);
    if (has_tables(family))
        family->table = og_allocate(allocator, 8 * sizeof(*family->table));
    if ((has_tables(family) && family->table == NULL) ||
        !allocate_lanes(family)) {
        og_family_release(family);
        return og_error_memory(err, n * 8 * 256 * 4, "hash functions");
    }
    fill_lanes(family, &state);
    if (has_tables(family)) fill_table(family, &state, family->table);
    return OG_OK;
}

void og_family_release(struct og_family *f)
{
    const size_t n = f->n_lanes;
    og_release(f->allocator, f->table, 8 * sizeof(*f->table));
    og_release(f->allocator, f->lane_mul, n * sizeof(uint32_t));
    og_release(f->allocator, f->lane_mul64, n * sizeof(uint64_t));
    og_release(f->allocator, f->lane_add64, n * sizeof(uint64_t));
    og_release(f->allocator, f->lane_row, 8 * 256 * n * sizeof(uint32_t));
    og_release(f->allocator, f->lane_start, n * sizeof(uint32_t));
    *f = (struct og_family){.allocator = f->allocator};
}

/* ---- the base hash ---- */

static uint64_t hash_by_table(const struct og_family *family, uint64_t x)
{
    uint64_t sum = family->add;
    for (unsigned b = 0; b < 8; b++)
        sum ^= family->table[b][x >> (8 * b) & 0xff];
    return sum;
}

uint64_t og_family_hash(const struct og_family *family, uint64_t x)
{
    switch (family->kind) {
    case OG_FAMILY_MIX: return og_mix64(x ^ family->seed);
    case OG_FAMILY_MULTIPLY: return x * family->mul + family->add;
    default: return hash_by_table(family, x);
    }
}

void og_family_hash_many(const struct og_family *family, const uint64_t *x,
                         size_t n, uint64_t *out)
{
#if defined(OG_X86)
    const og_cpu cpu = og_cpu_level();
    if (family->kind == OG_FAMILY_MIX && cpu >= OG_CPU_AVX2) {
        (cpu >= OG_CPU_AVX512 ? og_mix_many_avx512
                              : og_mix_many_avx2)(family->seed, x, n, out);
        return;
    }
#endif
    for (size_t i = 0; i < n; i++)
        out[i] = og_family_hash(family, x[i]);
}

/* ---- lanes ---- */

uint32_t og_family_lane(const struct og_family *family, uint64_t x,
                        uint64_t base, size_t i)
{
    assert(i < family->n_lanes);
    if (family->kind == OG_FAMILY_MIX)
        return og_mix_short(base) * family->lane_mul[i];
    if (family->kind == OG_FAMILY_MULTIPLY)
        return (uint32_t)((x * family->lane_mul64[i] + family->lane_add64[i]) >>
                          32);
    uint32_t sum = family->lane_start[i];
    for (size_t b = 0; b < 8; b++)
        sum ^=
            family
                ->lane_row[(b * 256 + (x >> (8 * b) & 0xff)) * family->n_lanes +
                           i];
    return sum;
}

void og_family_least_plain(const struct og_family *family, const uint64_t *x,
                           const uint64_t *base, size_t n, size_t begin,
                           size_t end, uint32_t *least)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = begin; i < end; i++) {
            const uint32_t value = og_family_lane(family, x[j], base[j], i);
            if (value < least[i]) least[i] = value;
        }
}

void og_family_least(const struct og_family *family, const uint64_t *x,
                     const uint64_t *base, size_t n, size_t begin, size_t end,
                     uint32_t *least)
{
#if defined(OG_X86)
    const og_cpu cpu = og_cpu_level();
    if (family->kind == OG_FAMILY_MIX && cpu >= OG_CPU_AVX2) {
        (cpu >= OG_CPU_AVX512 ? og_mix_least_avx512 : og_mix_least_avx2)(
            family->lane_mul + begin, base, n, end - begin, least + begin);
        return;
    }
    if (cpu >= OG_CPU_AVX512 && has_tables(family)) {
        og_rows_least_avx512(family, x, n, begin, end, least);
        return;
    }
    if (cpu >= OG_CPU_AVX512) {
        og_multiply_least_avx512(family, x, n, begin, end, least);
        return;
    }
#endif
#if defined(OG_NEON)
    const og_cpu cpu = og_cpu_level();
    if (family->kind == OG_FAMILY_MIX && cpu >= OG_CPU_NEON) {
        og_mix_least_neon(family->lane_mul + begin, base, n, end - begin,
                          least + begin);
        return;
    }
    if (cpu >= OG_CPU_NEON && has_tables(family)) {
        og_rows_least_neon(family, x, n, begin, end, least);
        return;
    }
#endif
    og_family_least_plain(family, x, base, n, begin, end, least);
}

/* ---- bins ---- */

static uint64_t place_of(uint64_t base, uint32_t n_bins)
{
    const uint64_t bin = (base >> 32) * n_bins >> 32;
    return bin << 32 | (uint32_t)base;
}

void og_bins_place_plain(const uint64_t *base, size_t n, uint32_t n_bins,
                         uint64_t *out)
{
    for (size_t j = 0; j < n; j++)
        out[j] = place_of(base[j], n_bins);
}

void og_bins_place(const uint64_t *base, size_t n, uint32_t n_bins,
                   uint64_t *out)
{
#if defined(OG_X86)
    const og_cpu cpu = og_cpu_level();
    if (cpu >= OG_CPU_AVX2) {
        (cpu >= OG_CPU_AVX512 ? og_bins_place_avx512
                              : og_bins_place_avx2)(base, n, n_bins, out);
        return;
    }
#endif
    og_bins_place_plain(base, n, n_bins, out);
}

size_t og_bins_place_below_plain(const struct og_family *family,
                                 const uint64_t *x, size_t n, uint32_t n_bins,
                                 uint32_t limit, uint64_t *out)
{
    size_t n_out = 0;
    for (size_t j = 0; j < n; j++) {
        const uint64_t base = og_family_hash(family, x[j]);
        out[n_out] = place_of(base, n_bins);
        n_out += (uint32_t)base < limit;
    }
    return n_out;
}

size_t og_bins_place_below(const struct og_family *family, const uint64_t *x,
                           size_t n, uint32_t n_bins, uint32_t limit,
                           uint64_t *out)
{
#if defined(OG_X86)
    const og_cpu cpu = og_cpu_level();
    if (family->kind == OG_FAMILY_MIX && cpu >= OG_CPU_AVX2)
        return (cpu >= OG_CPU_AVX512 ? og_bins_place_below_avx512
                                     : og_bins_place_below_avx2)(
            family->seed, x, n, n_bins, limit, out);
#endif
    return og_bins_place_below_plain(family, x, n, n_bins, limit, out);
}

size_t og_bins_empty_plain(const uint32_t *bin, size_t n, uint32_t *marks)
{
    size_t n_empty = 0;
    memset(marks, 0, (n + 31) / 32 * sizeof(*marks));
    for (size_t i = 0; i < n; i++) {
        const uint32_t is_empty = bin[i] == UINT32_MAX;
        marks[i / 32] |= is_empty << (i % 32);
        n_empty += is_empty;
    }
    return n_empty;
}

size_t og_bins_empty(const uint32_t *bin, size_t n, uint32_t *marks)
{
#if defined(OG_X86)
    const og_cpu cpu = og_cpu_level();
    if (cpu >= OG_CPU_AVX2)
        return (cpu >= OG_CPU_AVX512 ? og_bins_empty_avx512
                                     : og_bins_empty_avx2)(bin, n, marks);
#endif
    return og_bins_empty_plain(bin, n, marks);
}

size_t og_bins_round_plain(const struct og_family *family, const uint64_t *x,
                           const uint64_t *base, size_t n, size_t lane,
                           uint32_t n_bins, const uint32_t *marks,
                           uint64_t *out)
{
    size_t n_out = 0;
    for (size_t j = 0; j < n; j++) {
        const uint64_t placed =
            (uint64_t)og_family_lane(family, x[j], base[j], lane) * n_bins;
        const uint32_t bin = (uint32_t)(placed >> 32);
        out[n_out] = placed;
        n_out += marks[bin / 32] >> (bin % 32) & 1;
    }
    return n_out;
}

size_t og_bins_round(const struct og_family *family, const uint64_t *x,
                     const uint64_t *base, size_t n, size_t lane,
                     uint32_t n_bins, const uint32_t *marks, uint64_t *out)
{
#if defined(OG_X86)
    const og_cpu cpu = og_cpu_level();
    const bool is_wide = cpu >= OG_CPU_AVX512;
    if (family->kind == OG_FAMILY_MIX && cpu >= OG_CPU_AVX2 &&
        n_bins <= (is_wide ? 512 : 256))
        return (is_wide ? og_bins_round_avx512 : og_bins_round_avx2)(
            family->lane_mul[lane], base, n, n_bins, marks, out);
#endif
    return og_bins_round_plain(family, x, base, n, lane, n_bins, marks, out);
}
