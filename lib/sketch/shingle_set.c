/* A set of fingerprints as an open hash table with linear probing. Built once
 * for a document and queried for each document it is compared with: sorting
 * both sides costs five times as much, and candidates that are not duplicates
 * are rejected long before the end of their list. */

#include "lib/sketch/shingle_set.h"

#include <math.h>
#include <string.h>

#include "lib/base/hash_table.h"

void og_shingle_set_init(struct og_shingle_set *set,
                         const og_allocator *allocator)
{
    *set = (struct og_shingle_set){.allocator = allocator};
}

void og_shingle_set_release(struct og_shingle_set *set)
{
    OG_UNGROW(set->allocator, set->slots, set->slots_cap);
    og_release(set->allocator, set->bits, OG_SHINGLE_TAGS / 8);
    og_shingle_set_init(set, set->allocator);
}

static inline size_t home(uint64_t fp, size_t n_slots)
{
    return (size_t)og_mul_high(fp * 0x9e3779b97f4a7c15u, n_slots);
}

/* The slot that holds it, or the free one for it. */
static inline size_t slot_of(const struct og_shingle_set *set, uint64_t fp)
{
    size_t at;
    OG_PROBE(at, home(fp, set->n_slots), set->n_slots,
             set->slots[at] == 0 || set->slots[at] == fp)
    return at;
}

/* True if it was not there. */
static inline bool insert(struct og_shingle_set *set, uint64_t fp)
{
    const size_t at = slot_of(set, fp);
    if (set->slots[at] == fp) return false;
    set->slots[at] = fp;
    return true;
}

/* Sets that fit, or nearly fit, into the L1 cache have four slots per
 * fingerprint: what takes time is a slot in use, because its branch is
 * mispredicted. */
static size_t slots_for(size_t n)
{
    const size_t least = n < 2048 ? 4 * n : 2 * n;
    size_t n_slots = 64;
    while (n_slots < least)
        n_slots *= 2;
    return n_slots;
}

og_status og_shingle_set_fill(struct og_shingle_set *set, const uint64_t *fps,
                              size_t n, uint64_t *distinct, og_error *err)
{
    const size_t n_slots = slots_for(n);
    if (!OG_GROW(set->allocator, set->slots, set->slots_cap, n_slots))
        return og_error_memory(err, n_slots * sizeof(*set->slots),
                               "a set of shingles");
    memset(set->slots, 0, n_slots * sizeof(*set->slots));
    set->n_slots = n_slots;
    set->n = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t fp = og_shingle_never_zero(fps[i]);
        if (!insert(set, fp)) continue;
        if (distinct != NULL) distinct[set->n] = fp;
        set->n++;
    }
    return OG_OK;
}

og_status og_shingle_set_mark(struct og_shingle_set *set, const uint64_t *fps,
                              size_t n, og_error *err)
{
    if (set->bits == NULL)
        set->bits = og_allocate(set->allocator, OG_SHINGLE_TAGS / 8);
    if (set->bits == NULL)
        return og_error_memory(err, OG_SHINGLE_TAGS / 8, "a set of shingles");
    memset(set->bits, 0, OG_SHINGLE_TAGS / 8);
    for (size_t i = 0; i < n; i++) {
        const uint64_t fp = og_shingle_never_zero(fps[i]);
        set->bits[fp >> 54] |= (uint64_t)1 << (fp >> 48 & 63);
    }
    return OG_OK;
}

static inline size_t has(const struct og_shingle_set *set, uint64_t fp)
{
    return set->slots[slot_of(set, fp)] != 0;
}

size_t og_shingle_set_common(const struct og_shingle_set *set,
                             const uint64_t *fps, size_t n, size_t least)
{
    enum { RUN = 64 };
    size_t common = 0;
    for (size_t at = 0; at < n; at += RUN) {
        const size_t end = n - at < RUN ? n : at + RUN;
        if (common + (n - at) < least) break;
        for (size_t i = at; i < end; i++)
            common += has(set, og_shingle_never_zero(fps[i]));
    }
    return common;
}

void og_shingle_tags(const uint64_t *fps, size_t n, uint16_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint16_t)(og_shingle_never_zero(fps[i]) >> 48);
}

size_t og_shingle_set_at_most(const struct og_shingle_set *set,
                              const uint16_t *tags, size_t n, size_t least)
{
    enum { RUN = 64 };
    size_t common = 0;
    for (size_t at = 0; at < n; at += RUN) {
        const size_t end = n - at < RUN ? n : at + RUN;
        if (common + (n - at) < least) break;
        for (size_t i = at; i < end; i++)
            common += set->bits[tags[i] >> 6] >> (tags[i] & 63) & 1;
    }
    return common;
}

/* A little below the exact bound: rounding must not lose a pair. The similarity
 * itself decides. */
static size_t just_below(double bound)
{
    return (size_t)ceil(bound * (1 - 1e-12));
}

size_t og_jaccard_least(size_t a, size_t b, double threshold)
{
    return just_below(threshold * ((double)a + (double)b) / (1 + threshold));
}

size_t og_containment_least(size_t a, size_t b, double threshold)
{
    return just_below(threshold * (double)(a < b ? a : b));
}

double og_jaccard(size_t a, size_t b, size_t common)
{
    const size_t all = a + b - common;
    return all == 0 ? 1 : (double)common / (double)all;
}

double og_containment(size_t a, size_t b, size_t common)
{
    const size_t smaller = a < b ? a : b;
    if (smaller == 0) return a == b ? 1 : 0;
    return (double)common / (double)smaller;
}
