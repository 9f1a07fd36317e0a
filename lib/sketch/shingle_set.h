#ifndef OG_SKETCH_SHINGLE_SET_H
#define OG_SKETCH_SHINGLE_SET_H

/*   in:  the fingerprints of two documents              (lib/fingerprint)
 *   out: how many different ones they have in common (lib/dedup/dedup_decide.c)
 *
 * One of the two sets is opened, and the other is counted against it. */

#include "lib/base/bits.h"
#include "lib/base/memory.h"

struct og_shingle_set {
    const og_allocator *allocator;
    uint64_t *slots; /* 0: empty */
    size_t n_slots;  /* a power of two, at least twice n; in use */
    size_t slots_cap;
    size_t n; /* different fingerprints */
    /* A bit for the tag of each fingerprint, to turn most others away early. */
    uint64_t *bits;
};

/* Another fingerprint stands for 0, which marks an empty slot. */
static inline uint64_t og_shingle_never_zero(uint64_t fp)
{
    return fp == 0 ? 0x9e3779b97f4a7c15u : fp;
}

/* The highest 16 bits of a fingerprint. */
#define OG_SHINGLE_TAGS ((size_t)1 << 16)

void og_shingle_set_init(struct og_shingle_set *set,
                         const og_allocator *allocator);
void og_shingle_set_release(struct og_shingle_set *set);

/* Replaces what it held. When `distinct` is not NULL the different fingerprints
 * go there too, in the order of their first place (room for n). */
og_status og_shingle_set_fill(struct og_shingle_set *set, const uint64_t *fps,
                              size_t n, uint64_t *distinct, og_error *err);

/* How many of `fingerprints` (all different) are in the set. Stops, and returns
 * less than `least`, when there cannot be `least` any more. */
size_t og_shingle_set_common(const struct og_shingle_set *set,
                             const uint64_t *fps, size_t n, size_t least);

/* Marks the tags of what the set was filled with, for _at_most(). Worth it
 * when several sets are compared with this one. */
og_status og_shingle_set_mark(struct og_shingle_set *set, const uint64_t *fps,
                              size_t n, og_error *err);

/* Never less than _common() would say, and three to four times faster: how
 * many of the tags are in the set, or, when there cannot be `least`, less than
 * that. Of little use for sets of more than some thousand prints. The set was
 * marked. */
size_t og_shingle_set_at_most(const struct og_shingle_set *set,
                              const uint16_t *tags, size_t n, size_t least);
void og_shingle_tags(const uint64_t *fps, size_t n, uint16_t *out);

/* The fewest in common with which sets of a and b reach the threshold; never
 * too many. */
size_t og_jaccard_least(size_t a, size_t b, double threshold);
size_t og_containment_least(size_t a, size_t b, double threshold);

/* The definitions; 1 for two empty sets, 0 when one is empty. Containment is
 * that of the smaller set in the larger one. */
double og_jaccard(size_t a, size_t b, size_t common);
double og_containment(size_t a, size_t b, size_t common);

#endif
