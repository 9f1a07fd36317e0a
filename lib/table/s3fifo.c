/* S3-FIFO (Yang and others, SOSP 2023) inside one bucket.
 *
 *     slots: [ small queue, oldest first | main queue, oldest first ]
 *     ring:  [ length of the small queue ][ next ghost ][ ghosts: 2 bytes .. ]
 *
 * New fingerprints go to the small queue, a tenth of the bucket. Its oldest
 * moves to the main queue if it was seen again, otherwise it is evicted and
 * leaves a ghost; a fingerprint with a ghost goes to the main queue at once.
 * The oldest of the main queue gets another round for each sighting it has
 * (state: 0 to 3). */

#include "lib/table/bucket.h"

#define RING_HEAD 2

static uint32_t n_ghosts(uint32_t bucket_slots)
{
    return bucket_slots / 2;
}

size_t og_evict_ring_len(og_evict_kind evict, uint32_t bucket_slots)
{
    return evict == OG_EVICT_S3FIFO ? RING_HEAD + 2 * n_ghosts(bucket_slots)
                                    : 0;
}

/* 0 means no ghost. Taken from bits that the bucket does not imply. */
static uint16_t ghost_of(uint8_t tag, uint64_t rest)
{
    const uint16_t ghost = (uint16_t)(rest << 8 | tag);
    return ghost == 0 ? 1 : ghost;
}

static bool take_ghost(const struct og_table *t, uint8_t *ring, uint16_t ghost)
{
    for (uint32_t i = 0; i < n_ghosts(t->options.bucket_slots); i++) {
        uint8_t *place = ring + RING_HEAD + 2 * i;
        if (og_get_bytes(place, 2) != ghost) continue;
        og_put_bytes(place, 0, 2);
        return true;
    }
    return false;
}

static void leave_ghost(const struct og_table *t, uint8_t *bucket,
                        uint32_t slot)
{
    uint8_t *ring = bucket + t->ring_off;
    const uint8_t *payload = og_bucket_payload(t, bucket, slot);
    const uint16_t ghost = ghost_of(bucket[slot], og_own_rest(t, payload));
    og_put_bytes(ring + RING_HEAD + 2 * ring[1], ghost, 2);
    og_put8(ring + 1,
            (uint8_t)((ring[1] + 1u) % n_ghosts(t->options.bucket_slots)));
}

/* Evicts one slot of a full bucket and returns its index. */
static uint32_t give_up(struct og_table *t, uint8_t *bucket)
{
    const uint32_t n = t->options.bucket_slots;
    const uint32_t small_share = n / 10 > 0 ? n / 10 : 1;
    uint8_t *state = bucket + t->state_off;
    uint8_t *n_small = bucket + t->ring_off;
    for (;;) {
        if (*n_small >= small_share) {
            const bool seen_again = state[0] > 0;
            if (!seen_again) {
                leave_ghost(t, bucket, 0);
                og_put8(n_small, *n_small - 1);
                return 0;
            }
            og_put8(state, 0);
            og_slots_rotate(t, bucket, 0, n - 1);
            og_put8(n_small, *n_small - 1);
        } else {
            const uint32_t oldest = *n_small;
            if (state[oldest] == 0) return oldest;
            og_put8(state + oldest, state[oldest] - 1);
            og_slots_rotate(t, bucket, oldest, n - 1);
        }
    }
}

/* All in order of arrival, which is that of the small queue. */
void og_s3fifo_set_ring(const struct og_table *t, uint8_t *bucket,
                        uint32_t used)
{
    uint8_t *ring = bucket + t->ring_off;
    og_put8(ring, (uint8_t)(used < UINT8_MAX ? used : UINT8_MAX));
    for (size_t i = 1;
         i < og_evict_ring_len(OG_EVICT_S3FIFO, t->options.bucket_slots); i++)
        og_put8(ring + i, 0);
}

bool og_s3fifo_is_valid(const struct og_table *t, uint8_t *bucket,
                        uint32_t used)
{
    const uint8_t *ring = bucket + t->ring_off;
    const uint8_t *state = bucket + t->state_off;
    for (uint32_t i = 0; i < used; i++)
        if (state[i] > 3) return false;
    return ring[0] <= used && ring[1] < n_ghosts(t->options.bucket_slots);
}

uint32_t og_s3fifo_make_room(struct og_table *t, uint8_t *bucket, uint32_t used,
                             uint64_t mixed)
{
    uint8_t *ring = bucket + t->ring_off;
    const uint16_t ghost = ghost_of(og_fp_tag(mixed), og_fp_rest(t, mixed));
    bool to_main = take_ghost(t, ring, ghost);
    uint32_t free_slot = used;
    uint32_t last = used;
    if (used == t->options.bucket_slots) {
        free_slot = give_up(t, bucket);
        last = used - 1;
    }
    /* The length of the small queue has one byte: the last of 256 new
     * fingerprints goes to the main queue. */
    if (ring[0] == UINT8_MAX) to_main = true;
    const uint32_t place = to_main ? last : ring[0];
    if (!to_main) og_put8(ring, ring[0] + 1);
    og_slots_rotate(t, bucket, free_slot, place);
    return place;
}
