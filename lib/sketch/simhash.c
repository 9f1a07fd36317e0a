/* Simhash (Charikar): a document's features vote on every bit.
 *
 * The hash of a feature is a direction in space, +1 or -1 along each of 64
 * axes. The weighted sum of the directions of all features is a vector, and the
 * signs of its coordinates say on which side of 64 random planes it is: so a
 * plane separates two documents with a probability of angle / pi.
 *
 * Sums are whole numbers (weights in steps of 2^-16), so the result does not
 * depend on the order, the width of the vectors or the machine. Only the votes
 * for 1 are added up; those for 0 are the rest of the total.
 *
 * Without weights a sum is a count, and counting bits by position takes only
 * logic operations (slices.h). With weights the hash is a mask for additions
 * (simhash_x86.c). */

#include "lib/sketch/simhash.h"

#include <math.h>
#include <string.h>

#include "lib/os/cpu.h"
#include "lib/sketch/columns.h"

/* ---- the plain twin ---- */

static void count_plain(const uint64_t *hash, size_t n, uint64_t ones[64])
{
    memset(ones, 0, 64 * sizeof(*ones));
    for (size_t i = 0; i < n; i++)
        for (unsigned j = 0; j < 64; j++)
            ones[j] += hash[i] >> j & 1;
}

static void weigh_plain(const uint64_t *hash, const uint32_t *weight, size_t n,
                        uint32_t largest, uint64_t ones[64])
{
    (void)largest;
    memset(ones, 0, 64 * sizeof(*ones));
    for (size_t i = 0; i < n; i++)
        for (unsigned j = 0; j < 64; j++)
            ones[j] += weight[i] & -(hash[i] >> j & 1);
}

uint64_t og_simhash_signs(const uint64_t ones[64], uint64_t total)
{
    uint64_t signs = 0;
    for (unsigned j = 0; j < 64; j++)
        signs |= (uint64_t)(2 * ones[j] > total) << j;
    return signs;
}

static uint64_t sign_plain(const uint64_t *hash, size_t n)
{
    uint64_t ones[64];
    count_plain(hash, n, ones);
    return og_simhash_signs(ones, n);
}

const struct og_simhash_kernel og_simhash_plain = {"plain", sign_plain,
                                                   count_plain, weigh_plain};

/* ---- in words of 64 bits ---- */

#define SLICES(name) name##_words
#define SLICES_TARGET
#define VEC            uint64_t
#define LANES          1
#define LOAD(p)        (*(p))
#define SUM(a, b, c)   ((a) ^ (b) ^ (c))
#define CARRY(a, b, c) (((a) & (b)) | ((c) & ((a) ^ (b))))
#define SWAP(v, half)  (v)
#include "lib/sketch/slices.h"

const struct og_simhash_kernel og_simhash_sliced = {"sliced words", sign_words,
                                                    count_words, weigh_plain};

/* ---- choosing ---- */

const struct og_simhash_kernel *og_simhash_choose(void)
{
#if defined(OG_X86)
    if (og_cpu_level() >= OG_CPU_AVX512) return &og_simhash_avx512;
    if (og_cpu_level() >= OG_CPU_AVX2) return &og_simhash_avx2;
#endif
#if defined(OG_NEON)
    if (og_cpu_level() >= OG_CPU_NEON) return &og_simhash_neon;
#endif
    return og_cpu_level() == OG_CPU_PLAIN ? &og_simhash_plain
                                          : &og_simhash_sliced;
}

const struct og_simhash_kernel *const *og_simhash_kernels(void)
{
    static const struct og_simhash_kernel *const all[] = {
        &og_simhash_plain,
        &og_simhash_sliced,
#if defined(OG_X86)
        &og_simhash_avx2,
        &og_simhash_avx512,
        &og_simhash_avx512_masks,
#endif
#if defined(OG_NEON)
        &og_simhash_neon,
#endif
        NULL,
    };
#if defined(OG_X86)
    static const struct og_simhash_kernel *const up_to_avx2[] = {
        &og_simhash_plain, &og_simhash_sliced, &og_simhash_avx2, NULL};
    static const struct og_simhash_kernel *const words[] = {
        &og_simhash_plain, &og_simhash_sliced, NULL};
    if (og_cpu_level() < OG_CPU_AVX2) return words;
    if (og_cpu_level() < OG_CPU_AVX512) return up_to_avx2;
#endif
    return all;
}

/* ---- a document ---- */

void og_simhash_scratch_init(struct og_simhash_scratch *scratch,
                             const og_allocator *allocator)
{
    *scratch = (struct og_simhash_scratch){.allocator = allocator};
}

void og_simhash_scratch_release(struct og_simhash_scratch *scratch)
{
    OG_UNGROW(scratch->allocator, scratch->second, scratch->second_cap);
    OG_UNGROW(scratch->allocator, scratch->fixed, scratch->fixed_cap);
}

/* The hashes of features are mixed, so mixing them again with another constant
 * gives bits independent of the first ones. */
uint64_t og_simhash_second(uint64_t hash)
{
    return og_mix64(hash ^ 0x7fb5d329728ea185u);
}

static og_status make_second(const struct og_features *f,
                             struct og_simhash_scratch *s, og_error *err)
{
    if (!OG_GROW(s->allocator, s->second, s->second_cap, f->n))
        return og_error_memory(err, f->n * sizeof(*s->second), "hashes");
    for (size_t i = 0; i < f->n; i++)
        s->second[i] = og_simhash_second(f->hash[i]);
    return OG_OK;
}

/* The weight in steps of 2^-16, rounded to nearest even: the addition and its
 * rounding are IEEE 754's and exact in double. */
static uint32_t fixed_of(float weight)
{
    const double steps = rint((double)weight * (1 << OG_WEIGHT_BITS));
    return steps < 1 ? 1 : (uint32_t)steps;
}

struct weights {
    uint32_t largest;
    uint64_t total;
};

static og_status fix_weights(const struct og_features *f,
                             struct og_simhash_scratch *s, struct weights *out,
                             og_error *err)
{
    TRY(og_features_check(f, err));
    if (!OG_GROW(s->allocator, s->fixed, s->fixed_cap, f->n))
        return og_error_memory(err, f->n * sizeof(*s->fixed), "weights");
    *out = (struct weights){0, 0};
    for (size_t i = 0; i < f->n; i++) {
        if (f->weight[i] > OG_WEIGHT_MAX)
            return og_error_set(err, OG_ERR_INPUT,
                                "weight %g of feature %zu is over %g",
                                (double)f->weight[i], i, (double)OG_WEIGHT_MAX);
        const uint32_t fixed = fixed_of(f->weight[i]);
        s->fixed[i] = fixed;
        out->total += fixed;
        if (fixed > out->largest) out->largest = fixed;
    }
    return OG_OK;
}

static uint64_t weighted_signs(const uint64_t *hash,
                               const struct og_simhash_scratch *s, size_t n,
                               const struct weights *w)
{
    uint64_t ones[64];
    og_simhash_choose()->weigh(hash, s->fixed, n, w->largest, ones);
    return og_simhash_signs(ones, w->total);
}

og_status og_simhash_make(const struct og_features *features, unsigned n_bits,
                          struct og_simhash_scratch *s, og_simhash *out,
                          og_error *err)
{
    struct weights w = {0, 0};
    const size_t n = features->n;
    if (n_bits != 64 && n_bits != 128)
        return og_error_set(err, OG_ERR_USAGE,
                            "a simhash has 64 or 128 bits, not %u", n_bits);
    if (features->is_weighted) TRY(fix_weights(features, s, &w, err));
    if (n_bits == 128) TRY(make_second(features, s, err));
    og_simhash made = {{0, 0}};
    for (unsigned i = 0; i < n_bits / 64; i++) {
        const uint64_t *hash = i == 0 ? features->hash : s->second;
        made.word[i] = features->is_weighted
                           ? weighted_signs(hash, s, n, &w)
                           : og_simhash_choose()->sign(hash, n);
    }
    *out = made;
    return OG_OK;
}
