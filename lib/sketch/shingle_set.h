#ifndef OG_SKETCH_SHINGLE_SET_H
#define OG_SKETCH_SHINGLE_SET_H

/*   in:  the fingerprints of two documents              (lib/fingerprint)
 *   out: how many distinct ones they have in common (lib/dedup/dedup_decide.c)
 *
 * One of the two becomes a hash table in which the fingerprints of the other
 * are looked up. */

#include "lib/base/bits.h"
#include "lib/base/memory.h"

struct og_shingle_set {
    const og_allocator *allocator;
    uint64_t *slots; /* 0: empty */
    size_t n_slots;  /* a power of two, at least twice n; in use */
    size_t slots_cap;
    size_t n; /* distinct fingerprints */
    /* A bit for the tag of each fingerprint, to reject most others early. */
    uint64_t *bits;
};

/* Another fingerprint replaces 0, which marks an empty slot. */
static inline uint64_t og_shingle_never_zero(uint64_t fp)
{
    return fp == 0 ? 0x9e3779b97f4a7c15u : fp;
}

/* The highest 16 bits of a fingerprint. */
#define OG_SHINGLE_TAGS ((size_t)1 << 16)

void og_shingle_set_init(struct og_shingle_set *set,
                         const og_allocator *allocator);
void og_shingle_set_release(struct og_shingle_set *set);

/* Replaces the content. If `distinct` is not NULL, it receives the distinct
 * fingerprints in the order of their first position (room for n). */
og_status og_shingle_set_fill(struct og_shingle_set *set, const uint64_t *fps,
                              size_t n, uint64_t *distinct, og_error *err);

/* How many of `fingerprints` (all distinct) are in the set. Stops, and returns
 * less than `least`, once `least` is out of reach. */
size_t og_shingle_set_common(const struct og_shingle_set *set,
                             const uint64_t *fps, size_t n, size_t least);

/* Marks the tags of the set's fingerprints, for _at_most(). Worth it if several
 * sets are compared with this one. */
og_status og_shingle_set_mark(struct og_shingle_set *set, const uint64_t *fps,
                              size_t n, og_error *err);

/* Never less than _common(), and three to four times faster: how many of the
 * tags are in the set, or, if `least` is out of reach, less than that. Of
 * little use for sets of more than some thousand fingerprints. The set must be
 * marked. */
size_t og_shingle_set_at_most(const struct og_shingle_set *set,
                              const uint16_t *tags, size_t n, size_t least);
void og_shingle_tags(const uint64_t *fps, size_t n, uint16_t *out);

/* The smallest number in common with which sets of sizes a and b reach the
 * threshold; never too large. */
size_t og_jaccard_least(size_t a, size_t b, double threshold);
size_t og_containment_least(size_t a, size_t b, double threshold);

/* The definitions; 1 for two empty sets, 0 if one is empty. Containment is that
 * of the smaller set in the larger one. */
double og_jaccard(size_t a, size_t b, size_t common);
double og_containment(size_t a, size_t b, size_t common);

#endif
