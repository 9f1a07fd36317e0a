#ifndef OG_TEXT_ASCII_H
#define OG_TEXT_ASCII_H

/* Runs of ASCII, which is most of most texts: folding is 'A'..'Z' to 'a'..'z',
 * byte for byte. */

#include <stddef.h>

/* After the bytes that count, these functions may write this many more. */
#define OG_ASCII_SLACK 64

/* Copies bytes from `src` to `dst`, upper case to lower, up to the first one
 * that is not ASCII or to `len`. Returns how many it copied. Reads nothing
 * behind src + len; may write up to dst + len + OG_ASCII_SLACK. */
typedef size_t og_ascii_fold_fn(char *dst, const char *src, size_t len);

/* The form for this machine (lib/os/cpu.h). */
og_ascii_fold_fn *og_ascii_fold_choose(void);

/* The plain twin. */
og_ascii_fold_fn og_ascii_fold_plain;

#endif
