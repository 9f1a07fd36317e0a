/* Growing: from a level to the one below it, where every bucket becomes two.
 *
 *     level 2      [    0    ][    1    ][    2    ]
 *     level 1      [ 0  ][ 1  ][ 2  ][ 3  ][ 4  ][ 5  ]
 *     level 0      [0 ][1 ][2 ][3 ][4 ][5 ][6 ][7 ][8 ][9 ][10]
 *
 * The memory of the cap is reserved from the start, as addresses that cost
 * nothing before they are touched; the buckets are split in place. The halves
 * of a bucket never lie before it, so the last buckets go first: as many as
 * have all their halves behind all of them, nearly half of those that are left.
 * Inside such a range the order does not matter, and all threads share it.
 * Slots keep their order, which is that of arrival or of last use,
 * so that on level 0 every bucket is, byte for byte, what it would be had the
 * table had its cap from the start.
 *
 * A split of all buckets takes a third of a second of a core for the last half
 * of a gigabyte, and each slot is moved once on average. Readers wait that
 * long: all stripes are odd. */

#include <assert.h>
#include <string.h>

#include "lib/table/bucket.h"

/* Larger than any bucket. */
#define MOST_BUCKET 8192

uint64_t og_level_buckets(uint64_t n_full, unsigned level)
{
    return ((n_full - 1) >> level) + 1;
}

/* For readers the level comes last: og_table_view(). */
void og_table_set_level(struct og_table *t, unsigned level)
{
    t->n_buckets = og_level_buckets(t->n_full, level);
    t->payload_len = t->home_off + (level > 0 ? OG_HOME_LEN : 0);
    t->bucket_len = t->payload_off + t->options.bucket_slots * t->payload_len;
    __atomic_store_n(&t->level, level, __ATOMIC_RELEASE);
}

/* A bucket that is being filled. */
struct half {
    uint8_t *bucket;
    uint32_t n;
};

static void clear(uint8_t *from, const uint8_t *end)
{
#if OG_THREAD_CHECKER
    while (from < end)
        og_put8(from++, 0);
#else
    memset(from, 0, (size_t)(end - from));
#endif
}

/* Empty slots are all zeros. Unused memory is, too, and should not be
 * touched. */
static void clear_rest(const struct og_table *t, const struct half *half,
                       const uint8_t *used_end)
{
    const uint32_t n = t->options.bucket_slots;
    if (t->options.evict == OG_EVICT_S3FIFO)
        og_s3fifo_set_ring(t, half->bucket, half->n);
    if (half->bucket >= used_end) return;
    clear(half->bucket + half->n, half->bucket + n);
    if (t->ring_off > t->state_off)
        clear(half->bucket + t->state_off + half->n,
              half->bucket + t->state_off + n);
    clear(og_bucket_payload(t, half->bucket, half->n),
          og_bucket_payload(t, half->bucket, n));
}

/* Distributes the slots of `from`, a bucket of `old`, to the halves. The
 * offsets are copied: a byte that is stored might alias any of the table's
 * numbers. */
static void deal_slots(const struct og_table *t, const struct og_table *old,
                       const uint8_t *from, struct half halves[2])
{
    const uint32_t n = t->options.bucket_slots;
    const unsigned level = t->level;
    const bool has_state = t->ring_off > t->state_off;
    const size_t state_off = t->state_off, payload_off = t->payload_off;
    const size_t from_len = old->payload_len, to_len = t->payload_len;
    const size_t home_off = old->home_off;
    for (uint32_t slot = 0; slot < n && from[slot] != 0; slot++) {
        const uint8_t *payload = from + payload_off + slot * from_len;
        struct half *half = &halves[og_load32(payload + home_off) >> level & 1];
        uint8_t *const bucket = half->bucket;
        const uint32_t to = half->n++;
        og_put8(bucket + to, from[slot]);
        if (has_state) og_put8(bucket + state_off + to, from[state_off + slot]);
        /* Without the home on level 0. */
        og_put_piece(bucket + payload_off + to * to_len, payload, to_len);
    }
}

/* `t` is already on the new level, `old` (its previous state) on the one above.
 * Only the first buckets overlap their own halves: those are read from a
 * copy. */
static void split_bucket(const struct og_table *t, const struct og_table *old,
                         uint64_t number)
{
    uint8_t copy[MOST_BUCKET];
    const uint8_t *used_end = old->base + old->n_buckets * old->bucket_len;
    const uint8_t *from = og_bucket_at(old, number);
    struct half halves[2] = {{og_bucket_at(t, 2 * number), 0},
                             {og_bucket_at(t, 2 * number + 1), 0}};
    if (halves[0].bucket < from + old->bucket_len) {
        memcpy(copy, from, old->bucket_len);
        from = copy;
    }
    deal_slots(t, old, from, halves);
    clear_rest(t, &halves[0], used_end);
    if (2 * number + 1 < t->n_buckets) clear_rest(t, &halves[1], used_end);
}

/* A range of buckets, in pieces; each of some 100 KiB. */
#define PIECE_LEN 64

struct growing {
    struct og_table *table;
    struct og_table old;
    uint64_t begin, end;
};

static og_status split_piece(void *ctx, void *worker, size_t number,
                             og_error *err)
{
    const struct growing *g = ctx;
    const uint64_t begin = g->begin + number * PIECE_LEN;
    const uint64_t left = g->end - begin;
    const uint64_t end = begin + (left < PIECE_LEN ? left : PIECE_LEN);
    (void)worker, (void)err;
    for (uint64_t i = begin; i < end; i++)
        split_bucket(g->table, &g->old, i);
    return OG_OK;
}

/* The first bucket of the range that ends with the last of n: its halves lie
 * behind all n. The first few have no such range and go one by one. */
static uint64_t range_begin(const struct growing *g, uint64_t n)
{
    const uint64_t begin = n * g->old.bucket_len / (2 * g->table->bucket_len);
    return begin + 1 < n ? begin + 1 : n - 1;
}

static void split_all(struct growing *g, const struct og_phases *phases)
{
    for (g->end = g->old.n_buckets; g->end > 0; g->end = g->begin) {
        g->begin = range_begin(g, g->end);
        const uint64_t n = (g->end - g->begin + PIECE_LEN - 1) / PIECE_LEN;
        (void)og_phases_step(phases, "grow", n, split_piece, g, NULL);
    }
}

static void turn_stripes(struct og_table *t, int order)
{
    for (size_t i = 0; i < OG_TABLE_STRIPES; i++)
        __atomic_store_n(&t->stripes[i], t->stripes[i] + 1, order);
}

void og_table_grow(struct og_table *t, const struct og_phases *phases)
{
    const og_status status = og_table_take_over(t, NULL);
    assert(status == OG_OK && t->level > 0);
    (void)status;
    turn_stripes(t, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    struct growing growing = {.table = t, .old = *t};
    og_table_set_level(t, t->level - 1);
    og_pages_enlarge(&t->pages, t->level > 0 ? og_table_len(t) : t->pages.len);
    split_all(&growing, phases);
    turn_stripes(t, __ATOMIC_RELEASE);
}

/* Whether any of n additions might find its bucket full. */
bool og_table_may_grow(const struct og_table *table, const uint64_t *fps,
                       size_t n)
{
    const uint32_t slots = table->options.bucket_slots;
    if (table->level == 0) return false;
    if (n > slots) return true;
    for (size_t i = 0; i < n; i++) {
        const uint64_t bucket = og_bucket_of(table, og_mix64(fps[i]));
        if (og_bucket_at(table, bucket)[slots - n] != 0) return true;
    }
    return false;
}
