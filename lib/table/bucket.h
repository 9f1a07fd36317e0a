#ifndef OG_TABLE_BUCKET_H
#define OG_TABLE_BUCKET_H

/* Inside a bucket.
 *
 * Readers in other threads may read while the writer changes a bucket; the
 * stripe tells them afterwards whether what they read was consistent. So it is
 * enough that every access is a plain load or store of the machine: bytes are
 * read as relaxed atomics, and also written so under a thread checker;
 * elsewhere the writer stores the same bytes in wider pieces. The writer, which
 * alone changes anything, reads with wide loads. */

#include "lib/base/bits.h"
#include "lib/stream/phases.h"
#include "lib/table/table.h"

#include <origo/params.h>

/* The number of its bucket at the cap. Partitions of n buckets each, in order,
 * are the buckets of an undivided table. */
static inline uint64_t og_home_of(const struct og_table *t, uint64_t mixed)
{
    return og_mul_high(mixed << t->options.partition_bits, t->n_full);
}

static inline uint64_t og_bucket_of(const struct og_table *t, uint64_t mixed)
{
    return og_home_of(t, mixed) >> t->level;
}

static inline uint8_t *og_bucket_at(const struct og_table *t, uint64_t bucket)
{
    return t->base + bucket * t->bucket_len;
}

/* A tag of 0 marks an empty slot, so 0 becomes 1. */
static inline uint8_t og_fp_tag(uint64_t mixed)
{
    const uint8_t tag = (uint8_t)mixed;
    return tag == 0 ? 1 : tag;
}

static inline uint64_t og_fp_rest(const struct og_table *t, uint64_t mixed)
{
    return mixed >> 8 & t->rest_mask;
}

static inline uint8_t *og_bucket_state(const struct og_table *t, uint8_t *b)
{
    return b + t->state_off;
}

static inline uint8_t *og_bucket_payload(const struct og_table *t, uint8_t *b,
                                         uint32_t slot)
{
    return b + t->payload_off + slot * t->payload_len;
}

static inline void og_put8(uint8_t *p, uint8_t v)
{
    __atomic_store_n(p, v, __ATOMIC_RELAXED);
}

static inline uint8_t og_get8(const uint8_t *p)
{
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

/* Little-endian numbers of 1 to 8 bytes at any address. */
static inline void og_put_bytes(uint8_t *p, uint64_t v, size_t len)
{
    for (size_t i = 0; i < len; i++)
        og_put8(p + i, (uint8_t)(v >> 8 * i));
}

/* Bytes that are not processed one by one: 4 to 24 of them in two or three
 * pieces that may overlap. The longest payload has 21. */
static inline void og_put_piece(uint8_t *to, const uint8_t *from, size_t len)
{
#if OG_THREAD_CHECKER
    for (size_t i = 0; i < len; i++)
        og_put8(to + i, from[i]);
#else
    if (len >= 8) {
        memcpy(to, from, 8);
        if (len > 16) memcpy(to + 8, from + 8, 8);
        memcpy(to + len - 8, from + len - 8, 8);
    } else {
        memcpy(to, from, 4);
        memcpy(to + len - 4, from + len - 4, 4);
    }
#endif
}

/* The same for a number of 6 to 16 bytes. */
static inline void og_put_number(uint8_t *to, unsigned __int128 v, size_t len)
{
#if OG_THREAD_CHECKER
    for (size_t i = 0; i < len; i++)
        og_put8(to + i, (uint8_t)(v >> 8 * i));
#else
    if (len >= 8) {
        og_store64(to, (uint64_t)v);
        og_store64(to + len - 8, (uint64_t)(v >> 8 * (len - 8)));
    } else {
        og_store32(to, (uint32_t)v);
        og_store32(to + len - 4, (uint32_t)(v >> 8 * (len - 4)));
    }
#endif
}

static inline uint64_t og_get_bytes(const uint8_t *p, size_t len)
{
    uint64_t v = 0;
    for (size_t i = 0; i < len; i++)
        v |= (uint64_t)og_get8(p + i) << 8 * i;
    return v;
}

/* The writer's own reads. The rest has 2 or 5 bytes and something after it,
 * so a load of 8 stays inside the bucket's payload or the table's slack. */
static inline uint64_t og_own_rest(const struct og_table *t,
                                   const uint8_t *payload)
{
    return og_load64(payload) & t->rest_mask;
}

/* The stored document, 0 in an empty slot. */
static inline uint32_t og_own_doc(const struct og_table *t,
                                  const uint8_t *payload)
{
    return og_load32(payload + t->doc_off);
}

/* Above level 0 only. */
static inline uint32_t og_own_home(const struct og_table *t,
                                   const uint8_t *payload)
{
    return og_load32(payload + t->home_off);
}

/* What the tags of a bucket say about a fingerprint, from one look. */
struct og_look {
    uint32_t slot; /* the first with its tag; bucket_slots if there is none. May
                      hold another fingerprint: og_slot_holds() decides. */
    uint32_t used; /* slots in use: they come first */
};
struct og_look og_bucket_look(const struct og_table *t, const uint8_t *bucket,
                              uint64_t mixed);
/* The same for n fingerprints, each in its bucket. */
void og_buckets_look(const struct og_table *t, uint8_t *const *bucket,
                     const uint64_t *mixed, size_t n, struct og_look *out);
uint32_t og_bucket_used(const struct og_table *t, const uint8_t *bucket);
/* The first of n slots with this tag, from `first` on; n if there is none. */
uint32_t og_tags_next(const uint8_t *tags, uint32_t first, uint32_t n,
                      uint8_t tag);

/* An empty slot has a tag that no fingerprint has, so the rest decides. */
static inline bool og_slot_holds(const struct og_table *t, uint8_t *bucket,
                                 uint32_t slot, uint64_t mixed)
{
    const uint8_t *payload = og_bucket_payload(t, bucket, slot);
    return og_own_rest(t, payload) == og_fp_rest(t, mixed) &&
           (t->level == 0 ||
            og_own_home(t, payload) == (uint32_t)og_home_of(t, mixed));
}

/* The slot that holds the fingerprint; t->options.bucket_slots if none does. */
uint32_t og_bucket_find(const struct og_table *t, uint8_t *bucket,
                        uint64_t mixed);

/* grow.c: one level down. */
void og_table_grow(struct og_table *t, const struct og_phases *phases);
/* The number of buckets of a level. */
uint64_t og_level_buckets(uint64_t n_full, unsigned level);
void og_table_set_level(struct og_table *t, unsigned level);

/* A consistent snapshot for a reader in another thread. */
struct og_table_view {
    uint8_t *base;
    unsigned level;
    size_t payload_len, bucket_len;
};
#define OG_HOME_LEN 4
struct og_table_view og_table_view(const struct og_table *t);

/* Called after additions: updates what a hit says about missing fingerprints.
 * For the writer's thread; readers in other threads use it. */
static inline void og_table_set_kept(struct og_table *t)
{
    const bool by_rank =
        t->options.evict == OG_EVICT_LEARN || t->options.evict == OG_EVICT_THIN;
    const uint64_t n_all = t->n_used + t->n_evicted;
    const uint64_t kept = n_all > 0 ? (t->n_used << 16) / n_all : 0;
    __atomic_store_n(&t->kept,
                     (uint16_t)(!by_rank       ? 0
                                : kept < 65535 ? kept
                                               : 65535),
                     __ATOMIC_RELAXED);
}

/* evict.c: makes room for one more fingerprint in a bucket of which `used`
 * slots are taken, and returns the slot to write it to. */
uint32_t og_evict_make_room(struct og_table *t, uint8_t *bucket, uint32_t used,
                            uint64_t mixed);
/* The slot was filled, or its fingerprint was seen again. */
void og_evict_inserted(struct og_table *t, uint8_t *bucket, uint32_t slot,
                       uint8_t weight);
void og_evict_found(struct og_table *t, uint8_t *bucket, uint32_t slot,
                    uint8_t weight);
/* Whether the state of a fingerprint that has just come in is 0. */
bool og_evict_starts_at_0(og_evict_kind evict);
/* Bytes of state per slot, and bytes per bucket beside its slots. */
size_t og_evict_state_len(og_evict_kind evict);
size_t og_evict_ring_len(og_evict_kind evict, uint32_t bucket_slots);

/* s3fifo.c: the ring of a bucket that never evicted a slot. */
void og_s3fifo_set_ring(const struct og_table *t, uint8_t *bucket,
                        uint32_t used);
/* Whether queues and ghosts are within a bucket with `used` slots. */
bool og_s3fifo_is_valid(const struct og_table *t, uint8_t *bucket,
                        uint32_t used);
uint32_t og_s3fifo_make_room(struct og_table *t, uint8_t *bucket, uint32_t used,
                             uint64_t mixed);

/* memmove() of bytes that readers may be reading. */
void og_move_bytes(uint8_t *to, const uint8_t *from, size_t len);

/* Moves slot `from` to position `to`; those between move up or down by one. */
void og_slots_rotate(const struct og_table *t, uint8_t *bucket, uint32_t from,
                     uint32_t to);

/* thin.c: the slot with the lowest worth. */
uint32_t og_thin_worst(const uint8_t *tag, const uint8_t *state, uint32_t n);
uint32_t og_thin_worst_plain(const uint8_t *tag, const uint8_t *state,
                             uint32_t n);
void og_thin_tick(uint8_t *state, uint32_t n);
uint8_t og_thin_renewed(uint8_t state, uint8_t weight);

/* learn.c */
og_status og_learning_new(const og_allocator *allocator,
                          struct og_learning **out, og_error *err);
void og_learning_free(struct og_learning *learning,
                      const og_allocator *allocator);
/* Resets it to its initial state. */
void og_learning_clear(struct og_learning *learning);
/* Bytes of memory. */
size_t og_learning_len(void);
struct og_pack;
struct og_unpacker;
void og_learning_pack(const struct og_learning *learning, struct og_pack *out);
void og_learning_unpack(struct og_learning *learning, struct og_unpacker *from);
/* A fingerprint was added to a full bucket: time advances for the others. */
void og_learning_tick(struct og_learning *learning, uint8_t *state, uint32_t n,
                      uint64_t *random);
uint32_t og_learning_worst(const struct og_learning *learning,
                           const uint8_t *tag, const uint8_t *state, uint32_t n,
                           uint64_t *random);
uint8_t og_learning_renewed(struct og_learning *learning, uint8_t state);
/* Between two lessons what was learned stays unchanged. The next one is due at
 * the end of the document with which this many fingerprints have been added. */
uint64_t og_learning_next(uint64_t n_added);
void og_learning_lesson(struct og_learning *learning);
/* The counts of a lane, and their sum with the others'. */
void og_learning_part(struct og_learning *part,
                      const struct og_learning *whole);
void og_learning_join(struct og_learning *whole,
                      const struct og_learning *part);

#endif
