/* Parities of sets (after Sandes, Teodoro and Melo, "Bitmap filter: speeding up
 * exact set similarity joins with bitwise operations", 2020).
 *
 * Mail has thousands of short documents made from one template: some twenty
 * shingles, of which fifteen are those of the template. They share bands, each
 * with each, and are not similar. The cost of comparing them is fetching both
 * sets, not counting; 16 bytes in one array are fetched cheaply.
 *
 * Why two words that are compared separately, and not one of 120 bits: sets of
 * 22 fingerprints at 0.8 may differ in 4. A pair just below, which differs in
 * 6, passes if two of the 6 collide in one bit: in 12 of 100 cases with 120
 * bits, in 5 of 100 if it must happen in both words. On mail a fifth as many
 * pass as with one word of 96 bits. */

#include "lib/sketch/set_parity.h"

#include <string.h>

#include "lib/base/hash_table.h"
#include "lib/os/cpu.h"
#include "lib/sketch/shingle_set.h"

/* How many entries ahead of their use are prefetched. */
#define AHEAD 32

static inline void turn(struct og_set_parity *p, uint64_t mixed)
{
    enum { N_BITS = 56, FIRST_BIT = 8 };
    p->bits ^= UINT64_C(1) << (mixed >> 58);
    p->bits_and_n ^= UINT64_C(1)
                     << (FIRST_BIT + og_mul_high(mixed << 6, N_BITS));
}

struct og_set_parity og_set_parity_of(const uint64_t *fps, size_t n)
{
    uint64_t slots[2 * OG_PARITY_MOST];
    struct og_set_parity p = {0, 0};
    if (n > OG_PARITY_MOST) return p;
    const size_t n_slots = og_hash_slots_for(n, 32);
    memset(slots, 0, n_slots * sizeof(*slots));
    for (size_t i = 0; i < n; i++) {
        const uint64_t fp = og_shingle_never_zero(fps[i]);
        const uint64_t mixed = fp * 0x9e3779b97f4a7c15u;
        size_t at;
        OG_PROBE(at, og_mul_high(mixed, n_slots), n_slots,
                 slots[at] == 0 || slots[at] == fp)
        if (slots[at] == fp) continue;
        slots[at] = fp;
        turn(&p, mixed);
        p.bits_and_n++;
    }
    return p;
}

static uint8_t limit(size_t a, size_t b, double threshold)
{
    const size_t any = 64 + 1; /* bits of a word */
    const size_t least = og_jaccard_least(a, b, threshold);
    if (a == 0 || b == 0) return (uint8_t)any;
    if (least > a || least > b) return 0;
    const size_t most = a + b - 2 * least;
    return (uint8_t)(most < any ? most + 1 : any);
}

void og_parity_limits_init(struct og_parity_limits *limits, double threshold)
{
    for (size_t a = 0; a <= OG_PARITY_MOST; a++)
        for (size_t b = 0; b <= OG_PARITY_MOST; b++)
            limits->apart[a][b] = limit(a, b, threshold);
}

__attribute__((always_inline)) static inline size_t
filter(const struct og_set_parity *all, const struct og_set_parity *of,
       const struct og_parity_limits *limits, uint32_t *entries, size_t n)
{
    const struct og_set_parity a = *of;
    const uint8_t *apart = limits->apart[og_set_parity_n(of)];
    size_t kept = 0;
    for (size_t i = 0; i < n && i < AHEAD; i++)
        __builtin_prefetch(all + entries[i]);
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n) __builtin_prefetch(all + entries[i + AHEAD]);
        const uint32_t entry = entries[i];
        const struct og_set_parity b = all[entry];
        const int fewer_than = apart[og_set_parity_n(&b)];
        const int turned = __builtin_popcountll(a.bits ^ b.bits);
        const int others =
            __builtin_popcountll((a.bits_and_n ^ b.bits_and_n) >> 8);
        entries[kept] = entry;
        kept += (turned < fewer_than) & (others < fewer_than);
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

#if defined(OG_X86)
/* The same with a hardware population count. */
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
    if (og_set_parity_n(of) == 0) return n;
#if defined(OG_X86)
    if (og_cpu_level() >= OG_CPU_AVX2)
        return filter_avx2(all, of, limits, entries, n);
#endif
    return og_set_parity_filter_plain(all, of, limits, entries, n);
}
