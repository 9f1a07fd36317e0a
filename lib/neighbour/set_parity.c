/* Parities of sets (after Sandes, Teodoro and Melo, "Bitmap filter: speeding
 * up exact set similarity joins with bitwise operations", 2020).
 *
 * Mail has thousands of short documents of one form: some twenty shingles, of
 * which fifteen are those of the form. They share bands, each with each, and
 * are not alike. What a comparison costs then is to bring both sets near, not
 * to count; 16 bytes in one array are near already. */

#include "lib/neighbour/set_parity.h"

#include <string.h>

#include "lib/neighbour/shingle_set.h"
#include "lib/os/cpu.h"

/* Entries that are asked for before they are needed. */
#define AHEAD 16

#define N_BITS 96

static inline void turn(struct og_set_parity *p, uint64_t mixed)
{
    const uint64_t bit = og_mul_high(mixed, N_BITS);
    if (bit < 64)
        p->low ^= UINT64_C(1) << bit;
    else
        p->high ^= UINT32_C(1) << (bit - 64);
}

struct og_set_parity og_set_parity_of(const uint64_t *prints, size_t n)
{
    uint64_t slots[2 * OG_PARITY_MOST];
    struct og_set_parity p = {0, 0, 0};
    if (n > OG_PARITY_MOST) return p;
    size_t n_slots = 32;
    while (n_slots < 2 * n)
        n_slots *= 2;
    memset(slots, 0, n_slots * sizeof(*slots));
    for (size_t i = 0; i < n; i++) {
        const uint64_t print = og_shingle_never_zero(prints[i]);
        const uint64_t mixed = print * 0x9e3779b97f4a7c15u;
        size_t at = (size_t)og_mul_high(mixed, n_slots);
        while (slots[at] != 0 && slots[at] != print)
            at = (at + 1) & (n_slots - 1);
        if (slots[at] == print) continue;
        slots[at] = print;
        turn(&p, mixed);
        p.n++;
    }
    return p;
}

void og_parity_limits_init(struct og_parity_limits *limits, double threshold)
{
    for (size_t sum = 0; sum <= (size_t)2 * OG_PARITY_MOST; sum++) {
        /* The least in common hangs on the sum of the sizes alone. */
        const size_t least = og_jaccard_least(sum, 0, threshold);
        limits->most_apart[sum] =
            2 * least > sum ? -1 : (int16_t)(sum - 2 * least);
    }
}

__attribute__((always_inline)) static inline size_t
filter(const struct og_set_parity *all, const struct og_set_parity *of,
       const struct og_parity_limits *limits, uint32_t *entries, size_t n)
{
    const struct og_set_parity a = *of;
    size_t kept = 0;
    for (size_t i = 0; i < n && i < AHEAD; i++)
        __builtin_prefetch(all + entries[i]);
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n) __builtin_prefetch(all + entries[i + AHEAD]);
        const struct og_set_parity b = all[entries[i]];
        const int most = limits->most_apart[a.n + b.n];
        const int turned = __builtin_popcountll(a.low ^ b.low) +
                           __builtin_popcount(a.high ^ b.high);
        const int longer = (int)a.n - (int)b.n;
        const int apart = longer < 0 ? -longer : longer;
        const bool may_be = (turned <= most) & (apart <= most);
        entries[kept] = entries[i];
        kept += may_be | (b.n == 0);
    }
    return kept;
}

size_t og_set_parity_filter_plain(const struct og_set_parity *all,
                                  const struct og_set_parity *of,
                                  const struct og_parity_limits *limits,
                                  uint32_t *entries, size_t n)
{
    return filter(all, of, limits, entries, n);
}

#if OG_X86
/* The same, where counting bits is one instruction. */
OG_TARGET_AVX2
static size_t filter_avx2(const struct og_set_parity *all,
                          const struct og_set_parity *of,
                          const struct og_parity_limits *limits,
                          uint32_t *entries, size_t n)
{
    return filter(all, of, limits, entries, n);
}
#endif

size_t og_set_parity_filter(const struct og_set_parity *all,
                            const struct og_set_parity *of,
                            const struct og_parity_limits *limits,
                            uint32_t *entries, size_t n)
{
    if (of->n == 0) return n;
#if OG_X86
    if (og_cpu_level() >= OG_CPU_AVX2)
        return filter_avx2(all, of, limits, entries, n);
#endif
    return og_set_parity_filter_plain(all, of, limits, entries, n);
}
