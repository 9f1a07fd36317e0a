#ifndef OG_SYNC_SYNC_H
#define OG_SYNC_SYNC_H

/*   in:  a tree of files here, another one at the end of a pipe
 *   out: the same tree there                (docs/format-exchange.md)
 *
 * What both sides of the exchange must agree on. sync_send.c and
 * sync_receive.c are the two sides, sync_wire.h carries their messages,
 * sync_tree.h is the list of files. */

#include "lib/sync/sync_tree.h"
#include "lib/sync/sync_wire.h"

#include <origo/files.h>

enum {
    OG_SYNC_LIST_AVERAGE = 256, /* bytes of a chunk of the list: 4 files */
    OG_SYNC_PIECE_KEY_LEN = 4,
    /* A longer stretch is assumed to be new rather than edited: its bytes are
     * sent without comparing its pieces. */
    OG_SYNC_MAX_RUN = 1 << 16,
    OG_SYNC_MAX_LIST = 256 << 20,
    /* Spans of one batch at the receiver, 40 bytes each. */
    OG_SYNC_MAX_SPANS = 1 << 23,
    /* A batch: files that are requested together. */
    OG_SYNC_BATCH_FILES = 4096,
    OG_SYNC_BATCH_LEN = 256 << 20,
};

/* Bytes of a hash on the wire: enough that one of n_new x n_old pairs is equal
 * by accident with a probability of 2^-20. The root of the file detects even
 * that. */
static inline size_t og_sync_hash_len(uint64_t n_new, uint64_t n_old)
{
    const unsigned bits = 64u - (unsigned)__builtin_clzll(n_new | 1) + 64u -
                          (unsigned)__builtin_clzll(n_old | 1) + 20u;
    const size_t len = (bits + 7) / 8;
    return len < 4 ? 4 : len > 8 ? 8 : len;
}

static inline uint64_t og_sync_cut_key(uint64_t key, size_t hash_len)
{
    return hash_len == 8 ? key : key & (((uint64_t)1 << 8 * hash_len) - 1);
}

/* How the pieces of an unknown stretch are cut. */
static inline og_cut_options og_sync_piece_cut(uint32_t fine_len)
{
    return og_cut_options_default(OG_CUT_GEAR, fine_len);
}

/* The key of a piece. */
static inline uint64_t og_sync_piece_key(const uint8_t *data, size_t len)
{
    uint8_t hash[OG_HASH_LEN];
    og_bytes_hash(data, len, hash);
    return og_sync_cut_key(og_load64(hash), OG_SYNC_PIECE_KEY_LEN);
}

/* One side of the exchange over an open wire; for tests and fuzzing.
 * og_sync_send() and og_sync_receive() open it themselves. */
og_status og_sync_send_over(struct og_wire *wire, const char *tree,
                            const og_sync_options *options, og_sync_counts *out,
                            og_error *err);
og_status og_sync_receive_over(struct og_wire *wire, const char *tree,
                               const og_sync_options *options,
                               og_sync_counts *out, og_error *err);

#endif
