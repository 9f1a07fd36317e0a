#ifndef OG_TOKEN_BYTE_MASKS_H
#define OG_TOKEN_BYTE_MASKS_H

/* Text as masks: bit i of a 64-bit word says something about byte i of a
 * 64-byte block. Questions about neighbours then are shifts, for 64 bytes at
 * a time, and positions come out of the set bits. */

#include <stddef.h>
#include <stdint.h>

#include "lib/base/bits.h"

#define OG_MASK_BLOCK 64

/* Of one block of folded text (so there are no upper-case letters). */
struct og_masks {
    uint64_t member; /* a to z, 0 to 9 */
    uint64_t lead;   /* first byte of a character beyond ASCII */
    uint64_t tail;   /* another byte of it */
};

/* The masks of `n_blocks` whole blocks. */
typedef void og_mask_words_fn(const char *data, size_t n_blocks,
                              struct og_masks *out);

/* Which bytes are one of a c g t u. */
typedef void og_mask_bases_fn(const char *data, size_t n_blocks, uint64_t *out);

/* Writes base + i for every bit i that is set in masks[0 .. n_blocks), in
 * order, and returns their number. May write up to 64 elements more. */
typedef size_t og_mask_positions_fn(const uint64_t *masks, size_t n_blocks,
                                    uint32_t base, uint32_t *out);
#define OG_MASK_POSITIONS_SLACK 64

struct og_mask_kernels {
    og_mask_words_fn *words;
    og_mask_bases_fn *bases;
    og_mask_positions_fn *positions;
};

/* The forms for this machine (lib/os/cpu.h). */
const struct og_mask_kernels *og_mask_kernels_choose(void);

/* The plain twins. */
extern const struct og_mask_kernels og_mask_kernels_plain;
og_mask_positions_fn og_mask_positions_plain;
#if defined(OG_NEON)
extern const struct og_mask_kernels og_mask_kernels_neon;
#endif

#endif
