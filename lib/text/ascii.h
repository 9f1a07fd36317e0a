#ifndef OG_TEXT_ASCII_H
#define OG_TEXT_ASCII_H

/* Runs of ASCII, which is most of most texts: folding is 'A'..'Z' to 'a'..'z',
 * byte for byte. */

#include <stddef.h>
#include <stdint.h>

#include "lib/base/bits.h"

#define OG_ASCII_TOP_BITS 0x8080808080808080u

/* Folds eight bytes in a word from og_load64(), up to its first byte that is
 * not ASCII; the bytes above that one are unspecified. Adding to a byte
 * below 0x80 sets bit 7 where c >= 'A', and where c > 'Z', without overflow. */
static inline uint64_t og_ascii_fold_word(uint64_t w)
{
    const uint64_t ones = 0x0101010101010101u;
    const uint64_t from_a = w + ones * (0x80 - 'A');
    const uint64_t past_z = w + ones * (0x80 - 'Z' - 1);
    return w | ((from_a & ~past_z & OG_ASCII_TOP_BITS) >> 2);
}

/* These functions may write this many bytes past the end of their output. */
#define OG_ASCII_SLACK 64

/* Copies bytes from `src` to `dst`, upper case to lower, up to the first one
 * that is not ASCII or to `len`. Returns how many it copied. Reads nothing
 * after src + len; may write up to dst + len + OG_ASCII_SLACK. */
typedef size_t og_ascii_fold_fn(char *dst, const char *src, size_t len);

/* The form for this machine (lib/os/cpu.h). */
og_ascii_fold_fn *og_ascii_fold_choose(void);

/* The plain twin. */
og_ascii_fold_fn og_ascii_fold_plain;
#if defined(OG_NEON)
og_ascii_fold_fn og_ascii_fold_neon;
#endif

#endif
