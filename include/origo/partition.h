#ifndef ORIGO_PARTITION_H
#define ORIGO_PARTITION_H

/* A partitioned table, for servers that hold the partitions.
 *
 * A table that is too large for one machine, or that several front ends share,
 * is divided into 2^n partitions. Each is an object here; a server keeps it
 * under a key (redis/ does so) and passes on the bytes that front ends send and
 * the bytes of the answers. All numbers are little-endian; sizes in bytes.
 *
 *     look up   fingerprints, 8 each
 *     answer    a hit for each: document 4 | offset 2 | near 2
 *               not found: document ff ff ff ff; offset 1 if it may have been
 *               evicted, since its bucket is full; 0 if it was never there
 *     observe   a batch: one document after another, each
 *                 number 4 | n fingerprints 4 | flags 4 | m reversed 4
 *                 n fingerprints, 8 each
 *                 n origins, 4 each, with OG_BATCH_ORIGINS
 *                 m documents, 4 each, ascending
 *                 n offsets, 2 each, if the partition keeps offsets
 *                 n near, 2 each, if the partition keeps them
 *                 n weights, 1 each, with OG_BATCH_WEIGHTS
 *                 n spare, 1 each, with OG_BATCH_SPARE
 *     answer    hits as above, for one document after another, as if each had
 *               been sent separately; or, if only counts are requested, 4 bytes
 *               per document: the number of its fingerprints that were new
 *
 * A fingerprint belongs to the earliest document: an earlier one that arrives
 * later takes it over. The order of documents is that of their numbers, except
 * for `reversed`: of the documents listed there, those with a smaller number
 * come after this one, and those with a larger number before it. Front ends
 * know them from the look-up. With OG_BATCH_LISTED, the list contains the
 * documents that come after this one, and numbers have no meaning: when several
 * front ends add at the same time, each takes fingerprints over only from
 * documents that it has seen, and learns of the others from the answer.
 *
 * The content of a partition depends only on its options and on the sequence of
 * batches that it observed, not on time or random numbers: copies that observe
 * the same batches are equal byte for byte. Not thread-safe. */

#include <origo/params.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct og_partition og_partition;

typedef struct og_partition_options {
    uint64_t memory; /* bytes of the buckets, a hard cap; allocated at once */
    og_layout_kind layout;
    og_evict_kind evict;
    uint32_t bucket_slots; /* 4 to 256, a power of two */
    uint8_t offset_len;    /* bytes kept of an offset: 0, 1 or 2 */
    uint8_t near_len;      /* 0 or 2 */
    uint8_t n_bits;        /* the table has 2^n_bits partitions */
} og_partition_options;

#define OG_PARTITION_MEMORY_MAX ((uint64_t)1 << 30)
#define OG_PARTITION_BITS_MAX   20

/* 16 MiB, and otherwise the table that og_params_default() gives a store. */
OG_API og_partition_options og_partition_options_default(void);

OG_API bool og_partition_options_equal(const og_partition_options *a,
                                       const og_partition_options *b);

/* OG_ERR_USAGE: an option is invalid; the message names it. */
OG_API og_status og_partition_new(const og_partition_options *options,
                                  og_partition **out, og_error *err);
/* NULL is fine. */
OG_API void og_partition_free(og_partition *partition);

typedef struct og_partition_info {
    og_partition_options options;
    uint64_t memory;    /* bytes that it occupies in total */
    uint64_t n_slots;   /* fingerprints that it has room for */
    uint64_t n_used;    /* fingerprints that it contains */
    uint64_t n_evicted; /* fingerprints that were replaced by others */
    uint64_t n_added;   /* fingerprints that were observed */
    bool is_loading;    /* chunks are missing: requests fail with OG_ERR_BUSY */
} og_partition_info;

OG_API og_partition_info og_partition_get_info(const og_partition *partition);

/* Lets a server that defragments its memory move the small blocks of a
 * partition. `move` is called with each block and returns the new address of
 * its content, having freed the old block, or NULL if the block is not moved.
 * The buckets are not passed to it: they are one block of whole pages, which
 * causes no fragmentation. Returns the partition, which may have moved, too. */
typedef void *og_partition_move_fn(void *ctx, void *block);
OG_API og_partition *og_partition_move(og_partition *partition,
                                       og_partition_move_fn *move, void *ctx);

/* Which of 2^n_bits partitions a fingerprint belongs to. */
OG_API uint32_t og_partition_of(uint64_t fp, unsigned n_bits);

/* The key of a partition in a cluster: "origo:{TAG}:NAME:NUMBER", with a tag
 * that spreads the partitions of a table evenly, in order, over the 16,384
 * slots of a cluster. OG_ERR_USAGE: the name is empty, too long, or contains
 * '{', '}' or a control character; or there is no such partition. */
#define OG_PARTITION_NAME_MAX 128
#define OG_PARTITION_KEY_LEN  192
OG_API og_status og_partition_key(og_bytes name, uint32_t number,
                                  unsigned n_bits,
                                  char out[OG_PARTITION_KEY_LEN],
                                  og_error *err);

/* ---- queries and additions ---- */

enum {
    OG_BATCH_ORIGINS = 1, /* the document that a new slot refers to; ff ff ff
                             ff: this one */
    OG_BATCH_WEIGHTS = 2, /* what the eviction adds to a slot; otherwise 1 */
    OG_BATCH_SPARE = 4,   /* 1: add only to a bucket with room; otherwise 0 */
    OG_BATCH_SEEN = 8, /* the document is not added: its fingerprints that are
                          in the table only count as seen again for eviction */
    OG_BATCH_LISTED = 16, /* the listed documents come after this one, whatever
                             their numbers, and all others before it: no
                             document is displaced that the front end does not
                             know */
};

/* An answer, or a chunk. Owned by the caller and initially all zeros; its
 * memory is reused by later calls. */
typedef struct og_partition_bytes {
    char *data;
    size_t len, cap;
} og_partition_bytes;
OG_API void og_partition_bytes_release(og_partition_bytes *bytes);

/* What one call did, for statistics. */
typedef struct og_partition_counts {
    uint64_t n_documents, n_fps, n_new, n_evicted;
    uint64_t n_found; /* among the hits of the answer */
} og_partition_counts;

/* OG_ERR_INPUT: not a list of fingerprints. OG_ERR_BUSY: chunks are still
 * missing. `counts` may be NULL. */
OG_API og_status og_partition_look_up(const og_partition *partition,
                                      og_bytes fps, og_partition_bytes *answer,
                                      og_partition_counts *counts,
                                      og_error *err);

/* Adds the whole batch, or nothing if there is an error; errors and `counts`
 * as above. */
OG_API og_status og_partition_observe(og_partition *partition, og_bytes batch,
                                      bool only_counts,
                                      og_partition_bytes *answer,
                                      og_partition_counts *counts,
                                      og_error *err);

/* ---- saving and loading, in chunks ----
 *
 * Chunk 0 contains the options and the state, the others the buckets. Each has
 * the version of the format and a checksum. Loaded bytes are validated like
 * untrusted input: a partition that was loaded completely is valid. */

/* The number of chunks; fewer while chunks are missing. */
OG_API size_t og_partition_n_chunks(const og_partition *partition);
OG_API og_status og_partition_save_chunk(const og_partition *partition,
                                         size_t number, og_partition_bytes *out,
                                         og_error *err);

/* Loads into a partition with the same options: first chunk 0, for which the
 * partition must be empty or loading, then the others in order. OG_ERR_STORE:
 * the chunk is invalid, does not belong here or has another version, or, for
 * the last chunk, the buckets are invalid; the partition is unchanged then. */
OG_API og_status og_partition_load_chunk(og_partition *partition,
                                         og_bytes chunk, og_error *err);

/* Creates an empty partition with the options in a chunk 0, which must still be
 * loaded afterwards. */
OG_API og_status og_partition_new_for(og_bytes chunk, og_partition **out,
                                      og_error *err);

#ifdef __cplusplus
}
#endif

#endif
