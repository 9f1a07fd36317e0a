#ifndef OG_CHUNK_CUT_KINDS_H
#define OG_CHUNK_CUT_KINDS_H

/* The three ways to cut, called by og_cutter_run(). Each processes whole data
 * from the beginning of a chunk on and keeps no state; this header declares
 * their reusable memory. */

#include "lib/chunk/cut.h"
#include "lib/chunk/winnow_ring.h"
#include "lib/fingerprint/fingerprint.h"

/* Fingerprints are computed in blocks of this many places: 65 groups of 64 in
 * eight lanes of 520, whose fingerprints do not share a cache set, as they
 * would 512 apart. */
#define OG_CUT_FP_BLOCK 4160

struct og_cut_work {
    /* gear, winnow-fast: the places found by a scan of a block. */
    uint32_t *places;
    size_t places_cap;
    /* winnow-fast: the places of the lowest lead, if no lead of a window is
     * 0. */
    uint32_t *lowest;
    size_t lowest_cap;
    struct og_winnow_ring ring;
    uint64_t n_compared; /* winnow: fingerprints, besides those in the ring */
    /* winnow forms: fingerprints of 32 bytes, as those of four words or slid.
     */
    struct og_shingle_factors key;
    struct og_rabin_window window;
    uint64_t fps[OG_CUT_FP_BLOCK];
};

struct og_cut_input {
    const uint8_t *data; /* a chunk begins at its first byte */
    size_t len;
    uint64_t begin; /* offset of data in the stream */
    bool is_last;
};

og_status og_cut_gear(struct og_cutter *cutter, const struct og_cut_input *in,
                      og_error *err);
og_status og_cut_winnow(struct og_cutter *cutter, const struct og_cut_input *in,
                        og_error *err);
og_status og_cut_winnow_fast(struct og_cutter *cutter,
                             const struct og_cut_input *in, og_error *err);

/* Reserves room in work->places for a scan of `len` bytes, or of a block: for
 * small files it is most of a cutter's cost. */
og_status og_cutter_reserve(struct og_cutter *cutter, size_t len,
                            og_error *err);

/* `end` counts from in->data. */
og_status og_cutter_add_end(struct og_cutter *cutter,
                            const struct og_cut_input *in, size_t end,
                            og_error *err);

/* The Rabin fingerprints of the n places data, data + 1, ..., no more than a
 * block of them; the OG_CUT_WINDOW bytes before each are read. */
void og_cut_fp_block(const struct og_cut_work *work, const uint8_t *data,
                     size_t n, uint64_t *out);

/* The Rabin fingerprint of the OG_CUT_WINDOW bytes before `end`. */
uint64_t og_cut_fp(const struct og_cut_work *work, const uint8_t *end);

#endif
