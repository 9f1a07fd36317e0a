#ifndef OG_CHUNK_WINNOW_RING_H
#define OG_CHUNK_WINNOW_RING_H

/* The rightmost minimum of a window that moves to the right (the book, 6.2).
 *
 * The ring contains places in ascending order whose values ascend too: each is
 * the rightmost minimum of all places from the one before it to the newest. A
 * new value is first compared with the minimum of all (if it is smaller, it
 * alone remains), otherwise it drops larger values from the end until it meets
 * a smaller one. So each place is compared at most twice when it is added (with
 * the minimum, and with the one that stops it) and once when it is dropped:
 * three comparisons per place, whatever the values. "Smaller" is strict: of
 * equal values the right one is kept, and in a run of zeros the ring has one
 * place.
 *
 * Random values give a ring of about ln(window) places; ascending values, one
 * of all places, so it grows when necessary. */

#include "lib/base/memory.h"

struct og_winnow_item {
    uint64_t place, value;
};

struct og_winnow_ring {
    const og_allocator *allocator;
    struct og_winnow_item *items; /* a power of two of them */
    size_t cap;
    /* first .. last - 1, modulo cap; they only go up. */
    size_t first, last;
    uint64_t n_compared; /* values, since the beginning */
};

static inline void og_winnow_ring_init(struct og_winnow_ring *ring,
                                       const og_allocator *allocator)
{
    *ring = (struct og_winnow_ring){.allocator = allocator};
}

static inline void og_winnow_ring_release(struct og_winnow_ring *ring)
{
    og_release(ring->allocator, ring->items, ring->cap * sizeof(*ring->items));
    *ring = (struct og_winnow_ring){.allocator = ring->allocator};
}

static inline void og_winnow_ring_clear(struct og_winnow_ring *ring)
{
    ring->first = ring->last = 0;
}

static inline bool og_winnow_ring_is_empty(const struct og_winnow_ring *ring)
{
    return ring->first == ring->last;
}

static inline struct og_winnow_item *
og_winnow_ring_at(const struct og_winnow_ring *ring, size_t i)
{
    return &ring->items[i & (ring->cap - 1)];
}

/* The rightmost minimum; the ring is not empty. */
static inline const struct og_winnow_item *
og_winnow_ring_min(const struct og_winnow_ring *ring)
{
    return og_winnow_ring_at(ring, ring->first);
}

static inline bool og_winnow_ring_grow(struct og_winnow_ring *ring)
{
    const size_t n = ring->last - ring->first;
    const size_t new_cap = ring->cap == 0 ? 64 : 2 * ring->cap;
    struct og_winnow_item *items =
        og_allocate(ring->allocator, new_cap * sizeof(*items));
    if (items == NULL) return false;
    for (size_t i = 0; i < n; i++)
        items[i] = *og_winnow_ring_at(ring, ring->first + i);
    og_release(ring->allocator, ring->items, ring->cap * sizeof(*items));
    ring->items = items;
    ring->cap = new_cap;
    ring->first = 0;
    ring->last = n;
    return true;
}

/* Places come in ascending order. False: out of memory, nothing changed except
 * that larger values were dropped. */
static inline bool og_winnow_ring_push(struct og_winnow_ring *ring,
                                       uint64_t place, uint64_t value)
{
    if (ring->last - ring->first == ring->cap && !og_winnow_ring_grow(ring))
        return false;
    if (ring->first != ring->last) {
        ring->n_compared++;
        if (value <= og_winnow_ring_min(ring)->value) {
            ring->last = ring->first;
        } else {
            /* The first one is smaller, so this terminates. */
            for (;; ring->last--) {
                ring->n_compared++;
                if (og_winnow_ring_at(ring, ring->last - 1)->value < value)
                    break;
            }
        }
    }
    *og_winnow_ring_at(ring, ring->last++) =
        (struct og_winnow_item){place, value};
    return true;
}

/* Drops the places before `place`, which have left the window. */
static inline void og_winnow_ring_drop_before(struct og_winnow_ring *ring,
                                              uint64_t place)
{
    while (ring->first != ring->last && og_winnow_ring_min(ring)->place < place)
        ring->first++;
}

#endif
