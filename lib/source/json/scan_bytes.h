#ifndef OG_SOURCE_JSON_SCAN_BYTES_H
#define OG_SOURCE_JSON_SCAN_BYTES_H

/* The three loops that see every byte of the input. Each has several forms with
 * the same result; scan_bytes.c explains how they work. None reads outside p ..
 * end. */

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/bits.h"

#include "lib/os/cpu.h"

/* og_scan_unescape may write this many bytes past the end of its output. */
#define OG_SCAN_SLACK 64

struct og_scan_kernels {
    /* The first quote, backslash or control character (below 0x20): where a
     * JSON string stops being plain. `end` if there is none. */
    const char *(*find_special)(const char *p, const char *end);

    /* Copies to *dest and moves it, with the two-byte escapes (\n \" ...)
     * resolved. Stops at a quote, a control character, \u, an escape that JSON
     * does not define, a lone backslash at the end, or the end; returns the
     * place (the backslash of an escape). *dest needs room for end - p +
     * OG_SCAN_SLACK bytes. */
    const char *(*unescape)(const char *p, const char *end, char **dest);

    size_t (*count_newlines)(const char *p, const char *end);
};

const struct og_scan_kernels *og_scan_kernels_of(og_cpu level);

/* What the character after a backslash stands for; 0 for 'u' and for all that
 * JSON does not define. */
extern const char og_scan_escapes[256];

/* One escape of two bytes at p. False when there is none. */
static inline bool og_scan_resolve(const char *p, const char *end, char *out)
{
    if (end - p < 2 || *p != '\\') return false;
    const char meaning = og_scan_escapes[(unsigned char)p[1]];
    if (meaning == 0) return false;
    *out = meaning;
    return true;
}

#if defined(OG_NEON)
extern const struct og_scan_kernels og_scan_kernels_neon;
#endif

#endif
