/* Which fingerprint to give up: section 2.2 of the paper, and three more.
 *
 *     R    at random
 *     LRU  the slots are in order of their last use; the first is evicted
 *     CC   the smallest number of sightings
 *     LS   the smallest lucky score; the value of a sighting comes from
 *          the estimation as a weight (lib/estimate/labels.c)
 *     S3   two queues and the ghosts of evicted ones (s3fifo.c)
 *     thin passages lose their fingerprints one by one (thin.c)
 *     learn what the stream shows to be least likely seen again (learn.c)
 *
 * R and LRU keep no state; the others one byte per slot. Among equals the
 * choice is random: always taking the first would let new fingerprints evict
 * each other and keep the oldest for ever. */

#include "lib/table/bucket.h"

#include <string.h>

/* CC: when this many counters of a bucket are saturated, all are halved. */
#define CC_FULL_COUNTERS 10
/* LS: rule (e), the average score at which all are halved. */
#define LS_LIMIT 11
/* thin: one tick of a bucket's clock per this many fingerprints added. */
#define THIN_INSERTS_PER_TICK 8

size_t og_evict_state_len(og_evict_kind evict)
{
    return evict == OG_EVICT_RANDOM || evict == OG_EVICT_LRU ? 0 : 1;
}

bool og_evict_starts_at_0(og_evict_kind evict)
{
    return evict == OG_EVICT_S3FIFO || evict == OG_EVICT_THIN ||
           evict == OG_EVICT_LEARN;
}

static uint64_t lot(struct og_table *t, uint64_t n)
{
    return og_mul_high(og_random_next(&t->random), n);
}

static uint8_t add_saturating(uint8_t a, uint8_t b)
{
    const unsigned sum = (unsigned)a + b;
    return sum > 255 ? 255 : (uint8_t)sum;
}

/* The smallest state; among equals the first from a random slot on. */
static uint32_t smallest_state(struct og_table *t, const uint8_t *state)
{
    const uint32_t n = t->options.bucket_slots;
    uint8_t min = 255;
    for (uint32_t i = 0; i < n; i++)
        if (state[i] < min) min = state[i];
    uint32_t slot = (uint32_t)lot(t, n);
    while (state[slot] != min)
        slot = slot + 1 < n ? slot + 1 : 0;
    return slot;
}

uint32_t og_evict_make_room(struct og_table *t, uint8_t *bucket, uint32_t used,
                            uint64_t mixed)
{
    const uint32_t n = t->options.bucket_slots;
    uint8_t *state = bucket + t->state_off;
    if (t->options.evict == OG_EVICT_S3FIFO)
        return og_s3fifo_make_room(t, bucket, used, mixed);
    if (used < n) return used;
    switch (t->options.evict) {
    case OG_EVICT_RANDOM: return (uint32_t)lot(t, n);
    case OG_EVICT_LRU: og_slots_rotate(t, bucket, 0, n - 1); return n - 1;
    case OG_EVICT_COPY_COUNT:
    case OG_EVICT_LUCKY: return smallest_state(t, state);
    case OG_EVICT_LEARN:
        og_learning_tick(t->learning, state, n, &t->random);
        return og_learning_worst(t->learning, bucket, state, n, &t->random);
    case OG_EVICT_THIN:
    case OG_EVICT_S3FIFO: break;
    }
    if (lot(t, THIN_INSERTS_PER_TICK) == 0) og_thin_tick(state, n);
    return og_thin_worst(bucket, state, n);
}

/* Above level 0 a bucket represents several: whether two slots of it will be in
 * one at the cap. */
static bool share_home(const struct og_table *t, uint8_t *bucket, uint32_t a,
                       uint32_t b)
{
    return t->level == 0 || og_own_home(t, og_bucket_payload(t, bucket, a)) ==
                                og_own_home(t, og_bucket_payload(t, bucket, b));
}

/* Halves `slot` and those that share its home; used slots come first. */
static void halve(const struct og_table *t, uint8_t *bucket, uint32_t slot)
{
    const uint32_t n = og_bucket_used(t, bucket);
    uint8_t *state = bucket + t->state_off;
    for (uint32_t i = 0; i < n; i++)
        if (share_home(t, bucket, slot, i)) og_put8(state + i, state[i] / 2);
}

static void halve_when_full(const struct og_table *t, uint8_t *bucket,
                            uint32_t slot)
{
    const uint32_t n = og_bucket_used(t, bucket);
    const uint8_t *state = bucket + t->state_off;
    uint32_t n_full = 0;
    for (uint32_t i = 0; i < n; i++)
        n_full += state[i] == 255 && share_home(t, bucket, slot, i);
    if (n_full >= CC_FULL_COUNTERS) halve(t, bucket, slot);
}

/* The average is that of the slots in use. */
static void halve_when_high(const struct og_table *t, uint8_t *bucket,
                            uint32_t slot)
{
    const uint32_t n = og_bucket_used(t, bucket);
    const uint8_t *state = bucket + t->state_off;
    uint32_t sum = 0;
    uint32_t n_shared = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!share_home(t, bucket, slot, i)) continue;
        sum += state[i];
        n_shared++;
    }
    if (sum >= LS_LIMIT * n_shared) halve(t, bucket, slot);
}

void og_evict_inserted(struct og_table *t, uint8_t *bucket, uint32_t slot,
                       uint8_t weight)
{
    uint8_t *state = bucket + t->state_off;
    switch (t->options.evict) {
    case OG_EVICT_RANDOM:
    case OG_EVICT_LRU: break;
    case OG_EVICT_COPY_COUNT: og_put8(state + slot, 1); break;
    case OG_EVICT_LUCKY:
        og_put8(state + slot, weight);
        halve_when_high(t, bucket, slot);
        break;
    case OG_EVICT_S3FIFO:
    case OG_EVICT_THIN:
    case OG_EVICT_LEARN: og_put8(state + slot, 0); break;
    }
}

void og_evict_found(struct og_table *t, uint8_t *bucket, uint32_t slot,
                    uint8_t weight)
{
    uint8_t *state = bucket + t->state_off;
    switch (t->options.evict) {
    case OG_EVICT_RANDOM: break;
    case OG_EVICT_LRU:
        og_slots_rotate(t, bucket, slot, og_bucket_used(t, bucket) - 1);
        break;
    case OG_EVICT_COPY_COUNT:
        og_put8(state + slot, add_saturating(state[slot], 1));
        if (state[slot] == 255) halve_when_full(t, bucket, slot);
        break;
    case OG_EVICT_LUCKY:
        og_put8(state + slot, add_saturating(state[slot], weight));
        halve_when_high(t, bucket, slot);
        break;
    case OG_EVICT_S3FIFO:
        if (state[slot] < 3) og_put8(state + slot, state[slot] + 1);
        break;
    case OG_EVICT_THIN:
        og_put8(state + slot, og_thin_renewed(state[slot], weight));
        break;
    case OG_EVICT_LEARN:
        og_put8(state + slot, og_learning_renewed(t->learning, state[slot]));
        break;
    }
}
