#ifndef OG_TABLE_TABLE_H
#define OG_TABLE_TABLE_H

/*   in:  the selection of a document                        (lib/select)
 *   out: hits: the entry of each of its fingerprints        (lib/estimate)
 *
 * A table of fixed size that maps fingerprints to the earliest document that
 * contains them: section 2.2 of the paper. A fingerprint belongs to one bucket;
 * a full bucket evicts one of its slots (evict.c decides which).
 *
 *     bucket:   [ tag of each slot ][ state of each slot ][ payloads ]
 *     payload: [ rest of the fingerprint ][ document + 1 ][ offset ][ near ]
 *
 * Tags are stored together so that one vector comparison finds the slot: a
 * look-up reads one cache line, and one more when it hits. A tag of 0 marks an
 * empty slot; used slots come first.
 *
 *     bytes per slot    tag rest document offset near state
 *     paper              1   5     8       0-2   0-2   0-1     14 to 19
 *     packed             1   2     4       0-2   0-2   0-1      7 to 12
 *
 * The paper's own combinations take 14 to 18; 19 are CX with a byte of state.
 *
 * The fingerprints are mixed first, because a rule that selects small or even
 * fingerprints would fill some buckets and leave the others empty. The bucket
 * number is the upper part of the mixed fingerprint, tag and rest are the lower
 * 24 or 48 bits.
 *
 * A table starts small and grows (grow.c). On level L a bucket represents 2^L
 * buckets of the table at its cap; when one is full, all are split in two, and
 * on level 0 the table is at its cap. Above level 0 each payload ends with the
 * lower 32 bits of the number that its bucket will have at the cap, so that a
 * fingerprint is distinguished from others by as many bits as there, and can be
 * sent to the right half. No bucket evicts a slot above level 0. So a table
 * always answers like one that had its full size from the start. */

#include "lib/os/pages.h"
#include "lib/select/select.h"

#include <origo/params.h>

#define OG_NO_DOC UINT32_MAX

/* What a slot keeps beside the fingerprint and the document. */
struct og_table_fields {
    uint8_t offset_len; /* 0, 1 or 2 bytes */
    uint8_t near_len;   /* 0 or 2 bytes */
};

struct og_table_options {
    og_layout_kind layout;
    og_evict_kind evict;
    struct og_table_fields fields;
    uint32_t bucket_slots;  /* 4 to 256, a power of two */
    uint64_t memory;        /* bytes, a hard cap */
    uint64_t common_len;    /* of it, for counting frequent fingerprints; a
                              multiple of OG_COMMON_LINE; 0: not counted */
    uint64_t start;         /* minimum initial number of buckets; 0: the
                               default; OG_TABLE_FIXED: the final number */
    uint8_t partition_bits; /* this is one of 2^n partitions of a table: all its
                               fingerprints, mixed, agree in the upper n bits,
                               which choose no bucket. 0: the whole table */
};

#define OG_TABLE_FIXED UINT64_MAX

#define OG_TABLE_STRIPES 1024

struct og_table {
    struct og_table_options options;
    struct og_pages pages;
    uint8_t *base;
    uint64_t n_full;    /* buckets at the cap */
    unsigned level;     /* 0: at the cap */
    uint64_t n_buckets; /* on this level */
    size_t bucket_len;  /* likewise */
    /* Offsets inside a bucket and inside a payload. */
    size_t state_off, ring_off, payload_off;
    size_t payload_len, doc_off, offset_off, near_off, home_off;
    size_t rest_len, doc_len;
    uint64_t rest_mask;
    uint8_t *common; /* common_fps.h; after the buckets of level 0 */
    uint64_t common_off, n_common_lines;

    uint64_t n_used, n_evicted, n_added;
    uint16_t kept;   /* og_table_set_kept() */
    uint64_t random; /* random eviction: the same run, the same table */
    struct og_learning *learning; /* of OG_EVICT_LEARN, otherwise NULL */
    /* For readers in other threads: odd while a bucket of the stripe changes. A
     * stripe covers the buckets that were one on the first level. */
    uint32_t *stripes;
    unsigned first_level;
    const og_allocator *allocator;
};

og_status og_table_init(struct og_table *table,
                        const struct og_table_options *options,
                        const og_allocator *allocator, og_error *err);
void og_table_release(struct og_table *table);

/* Moves all blocks but that of the buckets with `move` (NULL: stays); not while
 * there are readers in other threads. */
void og_table_move_blocks(struct og_table *table,
                          void *(*move)(void *ctx, void *block), void *ctx);

/* Only the layout of such a table, without buckets: nothing to release. */
void og_table_shape(struct og_table *table,
                    const struct og_table_options *options);

/* Resets it to its initial state. Only for a table that had its full size from
 * the start, and while there are no readers in other threads. */
void og_table_clear(struct og_table *table);

/* A table over bytes owned by the caller, who keeps them until _release: the
 * og_table_len() bytes of another one, whose level follows from `len`. When it
 * grows it moves to memory of its own. OG_ERR_STORE: no table has this
 * length. */
og_status og_table_init_over(struct og_table *table,
                             const struct og_table_options *options, void *base,
                             size_t len, const og_allocator *allocator,
                             og_error *err);
/* Bytes of a table at its cap; 0: the memory is too small for one bucket. */
size_t og_table_bytes(const struct og_table_options *options);
/* Bytes from `base` on that hold the table now: og_table_bytes() on level 0,
 * otherwise the buckets without the counts (table_state.h then has them). */
size_t og_table_len(const struct og_table *table);

/* Moves the buckets to memory of the table's own. */
og_status og_table_take_over(struct og_table *table, og_error *err);

/* Whether it is below its full size, so that it has not evicted anything yet.
 * Any thread. */
bool og_table_is_growing(const struct og_table *table);

/* Whether adding these n fingerprints could make the table grow; may be true
 * although it would not. */
bool og_table_may_grow(const struct og_table *table, const uint64_t *fps,
                       size_t n);

/* Bytes of one bucket, and of one slot, with all its parts. */
size_t og_table_bucket_len(const struct og_table_options *options);
size_t og_table_slot_len(const struct og_table_options *options);
/* At the cap. */
uint64_t og_table_slots(const struct og_table *table);

/* OG_NO_DOC: not found. Then `offset` is 1 if the fingerprint may have been
 * there once (og_table_may_have_lost()), and `near` is the share, of 2^16, of
 * all added fingerprints that the table still has; 0 if it does not evict by
 * rank. */
struct og_hit {
    uint32_t doc;
    uint16_t offset;
    uint16_t near;
};

/* For the writer's thread: looks up n fingerprints, changes nothing. */
void og_table_find_many(const struct og_table *table, const uint64_t *fps,
                        size_t n, struct og_hit *out);

/* The same for any other thread while the writer works: each hit is whole. */
void og_table_find_shared(const struct og_table *table, const uint64_t *fps,
                          size_t n, struct og_hit *out);

/* Whether a missing fingerprint may have been there once. A bucket with room
 * has never evicted a slot, so what it does not contain was never added. For
 * the writer's thread. */
bool og_table_may_have_lost(const struct og_table *table, uint64_t fp);

/* Of fingerprints that were added together and seen equally often, "learn" and
 * "thin" evict those of high rank first: 1 to 255, a part of the
 * fingerprint. */
uint8_t og_table_rank(uint64_t fp);

/* What to write with each fingerprint; arrays of n. */
struct og_additions {
    uint32_t doc;
    const uint64_t *fp;
    const uint16_t *offset; /* NULL if the table does not store it */
    const uint16_t *near;   /* likewise */
    const uint8_t *weight;  /* what the eviction adds to a slot; NULL: 1 */
    const uint32_t *origin; /* the document that a new slot names; NULL, or
                               OG_NO_DOC in an element: `doc` */
    const uint8_t *spare;   /* 1: only added to a bucket with room; NULL: 0 */
    size_t n;
    /* Whether document a comes before b in (time, arrival); NULL if the numbers
     * are in that order. */
    bool (*earlier)(const void *ctx, uint32_t a, uint32_t b);
    const void *ctx;
};

/* Adds the fingerprints of one document, or renews existing ones; the earliest
 * document keeps (or takes over) a slot. The writer's thread only. */
void og_table_add_many(struct og_table *table, const struct og_additions *add);

/* The fingerprints were seen in a document that is not added: for the eviction
 * existing ones count as found, with these weights. The writer's thread
 * only. */
void og_table_see_many(struct og_table *table, const uint64_t *fps,
                       const uint8_t *weights, size_t n);

#endif
