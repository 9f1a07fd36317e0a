#ifndef ORIGO_PARTITION_H
#define ORIGO_PARTITION_H

/* A table in partitions, for programs that keep them.
 *
 * A table that is too large for one machine, or that several front ends share,
 * is cut into 2^n partitions. Each is an object here; a server keeps it under a
 * key (redis/ does so) and passes on what front ends send: bytes in, bytes out.
 * All numbers are little-endian.
 *
 *     look up   fingerprints, 8 bytes each
 *     answer    a hit for each: document 4 | offset 2 | near 2
 *               not found: document ff ff ff ff; offset 1 when it may have been
 *               there once, since its bucket is full; 0 when it never was
 *     observe   a batch: document after document, each
 *                 number 4 | fingerprints n 4 | flags 4 | reversed m 4 |
 *                 n fingerprints, 8 each | n origins, 4 each, OG_BATCH_ORIGINS
 * | m documents, 4 each, ascending | n offsets, 2 each | n near, 2 each | n
 * weights, 1 each, OG_BATCH_WEIGHTS | n spare, 1 each, OG_BATCH_SPARE offsets
 * and near are there when the partition keeps them answer    hits, as above,
 * document after document as if each came alone; or, when only counts are
 * wanted, 4 bytes for each document: how many of its fingerprints were new
 *
 * The earliest document keeps a fingerprint, or takes it over. The numbers of
 * documents are their order, except for `reversed`: of the documents that are
 * listed there, those with a smaller number come after this one, and those
 * with a larger number before it. Front ends know them from the look-up. With
 * OG_BATCH_LISTED the list is of those that come after this one, and numbers
 * mean nothing: of several front ends that add at once, each takes over from
 * documents that it has seen alone, and learns of others from the answer.
 *
 * What a partition is follows from its options and from the sequence of what it
 * observed, and from nothing else: no clock, no chance. Copies that observe the
 * same are the same, byte for byte. A partition is not for several threads. */

#include <origo/params.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct og_partition og_partition;

typedef struct og_partition_options {
    uint64_t memory; /* bytes of the buckets, a hard cap; taken at once */
    og_layout_kind layout;
    og_evict_kind evict;
    uint32_t bucket_slots; /* 4 to 256, a power of two */
    uint8_t offset_len;    /* bytes kept of an offset: 0, 1 or 2 */
    uint8_t near_len;      /* 0 or 2 */
    uint8_t n_bits;        /* the table has 2^n_bits partitions */
} og_partition_options;

#define OG_PARTITION_MEMORY_MAX ((uint64_t)1 << 30)
#define OG_PARTITION_BITS_MAX   20

/* 16 MiB, and otherwise what og_params_default() makes of a store's table. */
OG_API og_partition_options og_partition_options_default(void);

OG_API bool og_partition_options_equal(const og_partition_options *a,
                                       const og_partition_options *b);

/* OG_ERR_USAGE: an option makes no sense; the message names it. */
OG_API og_status og_partition_new(const og_partition_options *options,
                                  og_partition **out, og_error *err);
/* NULL is fine. */
OG_API void og_partition_free(og_partition *partition);

typedef struct og_partition_info {
    og_partition_options options;
    uint64_t memory;    /* bytes that it takes, all of them */
    uint64_t n_slots;   /* fingerprints that it can hold */
    uint64_t n_used;    /* that it holds */
    uint64_t n_evicted; /* that it gave up for others */
    uint64_t n_added;   /* that were observed */
    bool is_loading;    /* chunks are missing: it answers nothing */
} og_partition_info;

OG_API og_partition_info og_partition_get_info(const og_partition *partition);

/* Lets a server that makes its memory more compact move the small blocks that a
 * partition has. `move` is called with each and returns where its content is
 * now, the old place given back, or NULL when it stays. The buckets are not
 * offered: they are one block of many pages, between which nothing is left
 * unused. Returns the partition, which may have moved itself. */
typedef void *og_partition_move_fn(void *ctx, void *block);
OG_API og_partition *og_partition_move(og_partition *partition,
                                       og_partition_move_fn *move, void *ctx);

/* Which of 2^n_bits partitions a fingerprint belongs to. */
OG_API uint32_t og_partition_of(uint64_t fp, unsigned n_bits);

/* The key of a partition in a cluster: "origo:{TAG}:NAME:NUMBER", where the tag
 * is such that the partitions of a table are spread evenly over the 16,384
 * slots of a cluster, in order. OG_ERR_USAGE: the name is empty, too long or
 * has a
 * '{', a '}' or a control character; there is no such partition. */
#define OG_PARTITION_NAME_MAX 128
#define OG_PARTITION_KEY_LEN  192
OG_API og_status og_partition_key(og_bytes name, uint32_t number,
                                  unsigned n_bits,
                                  char out[OG_PARTITION_KEY_LEN],
                                  og_error *err);

/* ---- questions and additions ---- */

enum {
    OG_BATCH_ORIGINS = 1, /* the document that a new slot is to name; ff ff ff
                             ff: this one */
    OG_BATCH_WEIGHTS = 2, /* what the eviction adds to a slot; else 1 */
    OG_BATCH_SPARE = 4,   /* 1: only into a bucket with room; else 0 */
    OG_BATCH_SEEN = 8, /* the document is not added: what is there of it counts
                          as seen again for the eviction, nothing else */
    OG_BATCH_LISTED = 16, /* the documents that are listed come after this one,
                             whatever their numbers, and all others before it:
                             nobody is displaced whom the front end does not
                             know */
};

/* An answer, or a chunk. The caller's, starts all zero; its memory is used
 * again. */
typedef struct og_partition_bytes {
    char *data;
    size_t len, cap;
} og_partition_bytes;
OG_API void og_partition_bytes_release(og_partition_bytes *bytes);

/* What one call did, for counters. */
typedef struct og_partition_counts {
    uint64_t n_documents, n_fps, n_new, n_evicted;
    uint64_t n_found; /* among the hits of the answer */
} og_partition_counts;

/* OG_ERR_INPUT: that is no list of fingerprints. OG_ERR_BUSY: chunks are still
 * missing. `counts` may be NULL. */
OG_API og_status og_partition_look_up(const og_partition *partition,
                                      og_bytes fps, og_partition_bytes *answer,
                                      og_partition_counts *counts,
                                      og_error *err);

/* The whole batch or, after an error, nothing of it. */
OG_API og_status og_partition_observe(og_partition *partition, og_bytes batch,
                                      bool only_counts,
                                      og_partition_bytes *answer,
                                      og_partition_counts *counts,
                                      og_error *err);

/* ---- all of it, in chunks ----
 *
 * Chunk 0 has the options and the state, the others the buckets. Each has the
 * version of the format and a checksum. What is loaded is checked as bytes of a
 * stranger are: a partition that was loaded whole is sound. */

/* How many there are; fewer while chunks are missing. */
OG_API size_t og_partition_n_chunks(const og_partition *partition);
OG_API og_status og_partition_save_chunk(const og_partition *partition,
                                         size_t number, og_partition_bytes *out,
                                         og_error *err);

/* Into a partition of the same options: first chunk 0, which needs one that is
 * empty or loading, then the others in order. OG_ERR_STORE: these are not
 * its bytes, or those of a newer version, or with the last one the buckets are
 * not sound; the partition stays as it was. */
OG_API og_status og_partition_load_chunk(og_partition *partition,
                                         og_bytes chunk, og_error *err);

/* An empty one with the options that are in a chunk 0, which is then still to
 * be loaded. */
OG_API og_status og_partition_new_for(og_bytes chunk, og_partition **out,
                                      og_error *err);

#ifdef __cplusplus
}
#endif

#endif
